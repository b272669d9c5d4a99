"""Errors of the operating system: an OSError by its errno, or by its type if it has none."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Mapping

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.rules import Rules
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolUnavailableError,
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
    path, tool = failure.field("filename"), failure.tool
    if type(path) is not str or tool is None or tool.read_only:
        return None
    if _WRITE_VERBS.isdisjoint(re.split(r"[\W_]+", _CAMEL_BOUNDARY.sub("_", tool.name).lower())):
        return None
    folder = os.path.dirname(path)
    return folder if folder and not os.path.isdir(folder) else None


@rules("socket.gaierror", "socket.herror")
def name_lookup(failure: Failure) -> ToolError | None:
    """A host name could not be resolved."""
    return m.error_of(failure, m.UNREACHABLE)


@rules("ssl.SSLError")
def tls(failure: Failure) -> ToolError | None:
    """A certificate or handshake failed and nothing was sent, or the connection ended midway."""
    if failure.matches("ssl.SSLEOFError", "ssl.SSLZeroReturnError"):
        return m.error_of(failure, m.DROPPED)
    return m.error_of(failure, m.TLS)


@rules("builtins.OSError")
def os_error(failure: Failure) -> ToolError | None:
    """The operating system reported an error: classified by its errno, or by its type if it has none."""
    error = failure.exception
    if error is None or failure.status is not None:
        return None
    told = failure.field("errno")
    number = told if type(told) is int else _errno_of(error)
    if number == errno.ECONNRESET and told is None:  # raised by a client without an errno: its text says what happened
        return m.error_of(failure, said(failure.told, (m.UNREACHABLE, m.TLS)) or m.DROPPED)
    decide = _BY_ERRNO.get(number or 0)
    return None if decide is None else decide(failure)


def _errno_of(error: BaseException) -> int | None:
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


def _make_path_rule(words: str) -> Callable[[Failure], ToolError]:
    return lambda failure: ToolArgumentError(f"{words}{_resource_suffix(failure)}", resource=failure.resource)


def _disk_full_error(failure: Failure) -> ToolError:
    user = "The disk is full or its quota is exhausted. Free some space, then try again."
    message, resource = "No space left on the disk.", failure.resource
    return ToolQuotaError(message, resource=resource, user_message=user, effect="possible")


def _out_of_resources_error(failure: Failure) -> ToolError:
    return ToolUnavailableError("The system is temporarily out of resources.", effect="none")


def _make_meaning_rule(meaning: m.Meaning) -> Callable[[Failure], ToolError]:
    return lambda failure: m.error_of(failure, meaning)


_BY_ERRNO: Mapping[int, Callable[[Failure], ToolError]] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _permission_error),
    errno.EEXIST: _already_exists_error,
    **dict.fromkeys((errno.ENOTEMPTY, errno.EBUSY, errno.ETXTBSY), _busy_error),
    errno.EISDIR: _make_path_rule("The path is a directory, not a file"),
    errno.ENOTDIR: _make_path_rule("A part of the path is not a directory"),
    errno.ENAMETOOLONG: _make_path_rule("The name is too long"),
    errno.ELOOP: _make_path_rule("The path contains a loop of symbolic links"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _disk_full_error),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE, errno.EAGAIN), _out_of_resources_error),
    **dict.fromkeys((errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EHOSTDOWN), _make_meaning_rule(m.UNREACHABLE)),
    **dict.fromkeys((errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL), _make_meaning_rule(m.UNREACHABLE)),
    **dict.fromkeys((errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, errno.ENOTCONN), _make_meaning_rule(m.DROPPED)),
    errno.ETIMEDOUT: _make_meaning_rule(m.TIMEOUT),
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
