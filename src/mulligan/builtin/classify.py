"""Classify: what Python itself raises, by type and errno, and everything that carries an HTTP status.

The first rule that has an answer decides.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Mapping

from mulligan.builtin.http_status import http_status
from mulligan.plugin import (
    DeadlineExceeded,
    ExecutorSaturated,
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolTimeoutError,
    ToolUnavailableError,
)

rules = Rules()
_HOST_ARGUMENTS = ("url", "uri", "host", "hostname", "endpoint", "address", "server", "domain", "base_url")


@rules()
def deadline(failure: Failure) -> ToolError | None:
    """The pipeline itself gave up waiting."""
    error = failure.exception
    if not isinstance(error, DeadlineExceeded):
        return None
    waited = f"No answer within {error.seconds:g} s"
    if not error.started:
        return ToolTimeoutError(f"{waited}, and the tool had not begun.", effect="none")
    state = "it may still be running" if error.running else "it was cancelled"
    return ToolTimeoutError(f"{waited}; {state}.", effect="possible")


@rules()
def saturated(failure: Failure) -> ToolError | None:
    """All worker threads are held by calls that did not end."""
    if not isinstance(failure.exception, ExecutorSaturated):
        return None
    message = "Executor saturated: too many earlier calls have not ended; nothing was run."
    return ToolUnavailableError(message, effect="none")


@rules()
def missing(failure: Failure) -> ToolError | None:
    """A file, directory or program is not there."""
    if not isinstance(failure.exception, FileNotFoundError):
        return None
    resource = failure.resource
    message = f"Resource not found: {resource}" if resource else "The resource was not found."
    return ResourceNotFoundError(message, resource=resource)


@rules()
def name_lookup(failure: Failure) -> ToolError | None:
    """A host name that cannot be resolved."""
    return _unreachable(failure) if failure.matches("socket.gaierror", "socket.herror") else None


@rules()
def tls(failure: Failure) -> ToolError | None:
    """A certificate or a handshake that failed: nothing was sent."""
    if failure.matches("ssl.SSLEOFError", "ssl.SSLZeroReturnError"):
        return _dropped(failure)
    if not failure.matches("ssl.SSLError"):
        return None
    return ToolConnectionError("The encrypted connection could not be set up.", effect="none")


rules()(http_status)


@rules()
def os_error(failure: Failure) -> ToolError | None:
    """An OSError by its errno, or by its type where it has none."""
    error = failure.exception
    if not isinstance(error, OSError):
        return None
    number = error.errno if isinstance(error.errno, int) else _errno_of(error)
    decide = _BY_ERRNO.get(number or 0)
    return None if decide is None else decide(failure)


def _errno_of(error: OSError) -> int | None:
    return next((number for cls, number in _BY_TYPE if isinstance(error, cls)), None)


def _place(failure: Failure) -> str:
    return f": {failure.resource}" if failure.resource else ""


def _denied(failure: Failure) -> ToolError:
    """EACCES: one path that is denied is no account that is denied; another path may do."""
    path = getattr(failure.exception, "filename", None)
    if path is None:
        return ToolPermissionError("Permission denied.")
    user = "The operating system denied access to a file or directory."
    return ToolPermissionError(f"Permission denied: {failure.resource}", fatal=False, resource=failure.resource, user_message=user)


def _exists(failure: Failure) -> ToolError:
    return ResourceConflictError(f"It exists already{_place(failure)}", code="ALREADY_EXISTS", resource=failure.resource)


def _busy(failure: Failure) -> ToolError:
    return ResourceConflictError(f"It is busy or not empty{_place(failure)}", resource=failure.resource)


def _wrong_path(words: str) -> Callable[[Failure], ToolError]:
    return lambda failure: ToolArgumentError(f"{words}{_place(failure)}", resource=failure.resource)


def _full(failure: Failure) -> ToolError:
    user = "The disk is full, or its quota is used up: free some space and start again."
    return ToolQuotaError("No space is left on the disk.", resource=failure.resource, user_message=user, effect="possible")


def _too_many(failure: Failure) -> ToolError:
    return ToolUnavailableError("The system is out of resources for now.", effect="none")


def _unreachable(failure: Failure) -> ToolError:
    """Nothing was sent. A host that the call itself named may be misspelt, so that is not fatal."""
    named = _names_host(failure)
    message = "The host that the arguments name cannot be reached." if named else "The service cannot be reached."
    return ToolConnectionError(message, fatal=not named, effect="none")


def _names_host(failure: Failure) -> bool:
    arguments = failure.arguments or {}
    return any(name.lower() in _HOST_ARGUMENTS or "://" in str(value)[:200] for name, value in arguments.items())


def _dropped(failure: Failure) -> ToolError:
    return ToolConnectionError("The connection was dropped midway.", fatal=False, transient=True, effect="possible")


def _timed_out(failure: Failure) -> ToolError:
    return ToolTimeoutError("It timed out.", effect="possible")


_BY_ERRNO: Mapping[int, Callable[[Failure], ToolError]] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _denied),
    errno.EEXIST: _exists,
    **dict.fromkeys((errno.ENOTEMPTY, errno.EBUSY, errno.ETXTBSY), _busy),
    errno.EISDIR: _wrong_path("It is a directory, not a file"),
    errno.ENOTDIR: _wrong_path("A part of the path is not a directory"),
    errno.ENAMETOOLONG: _wrong_path("The name is too long"),
    errno.ELOOP: _wrong_path("The path is a loop of symbolic links"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _full),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE, errno.EAGAIN), _too_many),
    **dict.fromkeys((errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN), _unreachable),
    **dict.fromkeys((errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, errno.ENOTCONN), _dropped),
    errno.ETIMEDOUT: _timed_out,
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


@rules()
def timeout(failure: Failure) -> ToolError | None:
    """A timeout inside the tool."""
    if isinstance(failure.exception, TimeoutError) or failure.matches("subprocess.TimeoutExpired"):
        return _timed_out(failure)
    return None


@rules()
def cancelled(failure: Failure) -> ToolError | None:
    """Something that the tool waited for was cancelled; the host's own cancellation never comes here."""
    if not failure.matches("asyncio.CancelledError", "concurrent.futures.CancelledError"):
        return None
    return ToolCancelledError("What the tool waited for was cancelled.")


@rules()
def decoding(failure: Failure) -> ToolError | None:
    """Text that is not JSON, or not in the encoding that was expected."""
    error = failure.exception
    if isinstance(error, json.JSONDecodeError):
        if _is_argument(failure, error.doc):
            where = f"line {error.lineno} column {error.colno}"
            return ToolArgumentError(f"An argument should hold JSON and does not ({where}).")
        return ToolExecutionError("The tool got an answer that is not JSON.")
    if isinstance(error, UnicodeError):
        return ToolExecutionError("The tool met data that is not text in the encoding it expected.")
    return None


def _is_argument(failure: Failure, text: object) -> bool:
    return isinstance(text, str) and any(value == text for value in (failure.arguments or {}).values())


@rules()
def program(failure: Failure) -> ToolError | None:
    """A program that the tool ran and that failed."""
    if not failure.matches("subprocess.CalledProcessError"):
        return None
    return ToolExecutionError(f"The program ended with exit status {getattr(failure.exception, 'returncode', '?')}.")


@rules()
def module(failure: Failure) -> ToolError | None:
    """Something that the tool imports is not installed."""
    error = failure.exception
    if not isinstance(error, ImportError):
        return None
    what = f"module {error.name}" if error.name else "a module"
    return ToolExecutionError(f"The tool could not import {what}.", user_message=f"A tool needs {what}, which cannot be imported.")


@rules()
def exhausted(failure: Failure) -> ToolError | None:
    """Memory or stack ran out."""
    if isinstance(failure.exception, MemoryError):
        return ToolExecutionError("The tool ran out of memory.")
    if isinstance(failure.exception, RecursionError):
        return ToolExecutionError("The tool called itself too often (recursion).")
    return None


@rules()
def leaving(failure: Failure) -> ToolError | None:
    """The tool tried to end the program, as command-line parsers do."""
    if not isinstance(failure.exception, SystemExit):
        return None
    return ToolExecutionError("The tool tried to end the program; it was kept from that.")


classify = rules.hookimpl(trylast=True)
