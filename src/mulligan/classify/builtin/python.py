"""Errors of Python and its standard library: programs, archives, imports, memory, cancellation."""

from __future__ import annotations

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_error
from mulligan.classify.rules import Rules
from mulligan.errors import ToolCancelledError, ToolError, ToolExecutionError

rules = Rules()
_LONGEST_NAME = 100


@rules("builtins.TimeoutError", "subprocess.TimeoutExpired", "concurrent.futures.TimeoutError")
def timeout(failure: Failure) -> ToolError | None:
    """An operation inside the tool timed out."""
    return m.error_of(failure, m.TIMEOUT)


@rules("asyncio.CancelledError", "concurrent.futures.CancelledError", "builtins.KeyboardInterrupt")
def cancelled(failure: Failure) -> ToolError | None:
    """An operation that the tool waited for was cancelled. The host's own cancellation is never classified."""
    return ToolCancelledError("An operation that the tool waited for was cancelled.")


@rules("subprocess.CalledProcessError")
def program(failure: Failure) -> ToolError | None:
    """A program that the tool ran failed or was killed; its stderr gives the reason."""
    code = failure.field("returncode")
    if type(code) is int and code < 0:
        return ToolExecutionError(f"The program was killed by signal {-code}.")
    meaning = said(failure.stderr, (m.NOT_FOUND, m.PERMISSION, m.EXISTS, m.DISK_FULL, m.AUTHENTICATION, m.UNREACHABLE))
    ended = f"The program failed with exit status {code}." if type(code) is int else "The program failed."
    if meaning is None:
        return ToolExecutionError(ended)
    fatal = False if meaning is m.PERMISSION else None
    words = None if meaning is m.NOT_FOUND and failure.resource else ended
    return m.error_of(failure, meaning, message=words, fatal=fatal, effect="possible")


@rules("builtins.ImportError")
def module(failure: Failure) -> ToolError | None:
    """A module that the tool imports is not installed."""
    name = failure.field("name")
    known = type(name) is str and len(name) <= _LONGEST_NAME and all(map(str.isidentifier, name.split(".")))
    what = f"module {name}" if known else "a module"
    user = f"A tool needs {what}, which cannot be imported."
    return ToolExecutionError(f"The tool could not import {what}.", user_message=user)


@rules("builtins.MemoryError")
def memory(failure: Failure) -> ToolError | None:
    """The tool ran out of memory."""
    return reason_error(failure, "ENOMEM")


@rules("builtins.RecursionError")
def recursion(failure: Failure) -> ToolError | None:
    """The tool exceeded the recursion limit."""
    return ToolExecutionError("The tool exceeded the recursion limit.")


@rules("decimal.DecimalException")
def calculation(failure: Failure) -> ToolError | None:
    """A calculation with decimal numbers failed, or a text is not such a number."""
    return ToolExecutionError(f"A calculation failed with {failure.type_name}.")


@rules("builtins.SystemExit")
def leaving(failure: Failure) -> ToolError | None:
    """The tool tried to exit the program, as command-line parsers do."""
    return ToolExecutionError("The tool tried to exit the program. This was prevented.")


@rules("concurrent.futures.BrokenExecutor", "concurrent.futures.InvalidStateError", "asyncio.InvalidStateError")
def executor(failure: Failure) -> ToolError | None:
    """The workers of a pool died, or a future was misused."""
    return ToolExecutionError("The tool's workers failed.")


@rules("asyncio.IncompleteReadError")
def stream(failure: Failure) -> ToolError | None:
    """A stream ended before all data was read."""
    return m.error_of(failure, m.DROPPED)


@rules("asyncio.QueueFull", "queue.Full")
def full(failure: Failure) -> ToolError | None:
    """A queue inside the tool is full."""
    return m.error_of(failure, m.UNAVAILABLE, message="The tool is temporarily overloaded.", effect="none")
