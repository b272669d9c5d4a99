"""Errors of the operating system: an OSError by its errno, or by its type if it has none."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.classify.rules import Rules
from mulligan.classify.transport import transport_error
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolConnectionError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolTimeoutError,
)

rules = Rules()
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WRITE_VERBS = frozenset(("write", "save", "create", "export", "dump", "store", "touch"))


@rules("builtins.FileNotFoundError")
def missing(failure: Failure) -> ToolError | None:
    """A file, directory or program does not exist."""
    resource = failure.resource
    folder = _missing_folder(failure)
    if folder is not None:
        message = f"Resource not found: {folder} (the folder to write to)"
        return ResourceNotFoundError(message, resource=folder)
    message = f"Resource not found: {resource}" if resource else "The resource was not found."
    return ResourceNotFoundError(message, resource=resource)


def _missing_folder(failure: Failure) -> str | None:
    """The missing parent folder of a file to write, or None if the tool's name does not say that it writes files."""
    tool = failure.tool
    if tool is None or tool.read_only or not _says_that_it_writes(tool.name):
        return None
    path = failure.field("filename")
    folder = os.path.dirname(path) if type(path) is str else ""
    return folder if folder and not os.path.isdir(folder) else None


@lru_cache(maxsize=1_024)
def _says_that_it_writes(name: str) -> bool:
    return not _WRITE_VERBS.isdisjoint(re.split(r"[\W_]+", _CAMEL_BOUNDARY.sub("_", name).lower()))


@rules("socket.gaierror", "socket.herror")
def name_lookup(failure: Failure) -> ToolError | None:
    """A host name could not be resolved."""
    return m.error_of(failure, m.UNREACHABLE)


@rules(
    "ssl.SSLError",
    "requests.SSLError",
    "urllib3.SSLError",
    "aiohttp.ClientSSLError",
    "botocore.exceptions.SSLError",
    "elastic_transport.TlsError",
    "opensearchpy.SSLError",
)
def tls(failure: Failure) -> ToolError | None:
    """A certificate or handshake failed and nothing was sent, or the connection ended midway."""
    return transport_error(failure.outer or failure)


@rules("builtins.OSError")
def os_error(failure: Failure) -> ToolError | None:
    """The operating system reported an error: classified by its errno, or by its type if it has none."""
    error = failure.exception
    if error is None or failure.status is not None:
        return None
    code = failure.field("errno")
    number = code if type(code) is int else _errno_of(error)
    if number == errno.ECONNRESET and code is None:  # raised by a client without an errno: its text says what happened
        return m.error_of(failure, said(failure.told, (m.UNREACHABLE, m.TLS)) or m.DROPPED)
    meaning = reason_of(errno.errorcode.get(number or 0, ""))
    if meaning is None or meaning == m.ARGUMENT:
        return None
    decide = _BY_ERRNO.get(number or 0)
    if decide is not None:
        return decide(failure)
    message = f"{meaning.message}{_resource_suffix(failure)}" if meaning.cls is ToolArgumentError else None
    if meaning.cls in (ToolConnectionError, ToolTimeoutError):  # a connection has no file
        return m.error_of(failure, meaning, message=message)
    return m.error_of(failure, meaning, message=message, resource=failure.resource)


def _errno_of(error: BaseException | None) -> int | None:
    return next((number for cls, number in _BY_TYPE if issubclass(type(error), cls)), None)


def _resource_suffix(failure: Failure) -> str:
    return f": {failure.resource}" if failure.resource else ""


def _permission_error(failure: Failure) -> ToolError:
    """EACCES: one path was denied, not the account, so another path may work."""
    path = failure.field("filename")
    if path is None:
        return ToolPermissionError("Permission denied.")
    resource, user = failure.resource, "The operating system denied access to a file or directory."
    return ToolPermissionError(f"Permission denied: {resource}", fatal=False, resource=resource, user_message=user)


def _already_exists_error(failure: Failure) -> ToolError:
    message = f"The resource already exists{_resource_suffix(failure)}"
    return ResourceConflictError(message, code="ALREADY_EXISTS", resource=failure.resource)


def _busy_error(failure: Failure) -> ToolError:
    return ResourceConflictError(f"The path is busy or not empty{_resource_suffix(failure)}", resource=failure.resource)


def _disk_full_error(failure: Failure) -> ToolError:
    user = "The disk is full or its quota is exhausted. Free some space, then try again."
    message, resource = "No space left on the disk.", failure.resource
    return ToolQuotaError(message, resource=resource, user_message=user, effect="possible")


_BY_ERRNO: Mapping[int, Callable[[Failure], ToolError]] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _permission_error),
    errno.EEXIST: _already_exists_error,
    **dict.fromkeys((errno.ENOTEMPTY, errno.EBUSY, errno.ETXTBSY), _busy_error),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _disk_full_error),
}
_BY_TYPE: tuple[tuple[type[OSError], int], ...] = (
    (PermissionError, errno.EACCES),
    (FileExistsError, errno.EEXIST),
    (IsADirectoryError, errno.EISDIR),
    (NotADirectoryError, errno.ENOTDIR),
    (ConnectionRefusedError, errno.ECONNREFUSED),
    (ConnectionError, errno.ECONNRESET),
    (TimeoutError, errno.ETIMEDOUT),
)
