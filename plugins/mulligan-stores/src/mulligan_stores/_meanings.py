"""What can go wrong in any store, in one set of words: each of these makes one kind of error."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from mulligan.plugin import (
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

Meaning = Callable[..., ToolError]
_LONGEST_NAME = 200

REFUSED: Meaning = partial(ToolAuthenticationError, "The store rejected the credentials.")
DENIED: Meaning = partial(ToolPermissionError, "The account has no permission for this in the store.")
UNREACHABLE: Meaning = partial(ToolConnectionError, "The store cannot be reached.", effect="none")
DROPPED: Meaning = partial(
    ToolConnectionError, "The connection to the store was dropped.", fatal=False, transient=True, effect="possible"
)
TIMED_OUT: Meaning = partial(ToolTimeoutError, "The store did not answer in time.", effect="possible")
NOT_CONNECTED: Meaning = partial(ToolTimeoutError, "No connection to the store could be had in time.", effect="none")
TOO_SLOW: Meaning = partial(ToolTimeoutError, "The operation ran into the store's time limit; ask for less.")
CANCELLED: Meaning = partial(ToolCancelledError, "The operation was interrupted.")
CROWDED: Meaning = partial(ToolUnavailableError, "The store has no free connection for now.", effect="none")
UNAVAILABLE: Meaning = partial(ToolUnavailableError, "The store is not available for now.")
NOT_READY: Meaning = partial(ToolUnavailableError, "The store takes no such request for now.", effect="none")
EXHAUSTED: Meaning = partial(ToolUnavailableError, "The store is short of memory for now; ask for less.", effect="none")
LIMITED: Meaning = partial(ToolRateLimitError, "The store limits how often it may be called.")
FULL: Meaning = partial(ToolQuotaError, "The store has no space left.")
SPENT: Meaning = partial(ToolQuotaError, "The account has used up what it may ask of the store.")
ABORTED: Meaning = partial(
    ResourceConflictError,
    "Somebody else changed it at the same time; nothing was changed.",
    code="ABORTED",
    transient=True,
)
LOCKED: Meaning = partial(
    ResourceConflictError, "Somebody else holds the lock; nothing was changed.", code="ABORTED", transient=True
)
LOST_LOCK: Meaning = partial(
    ResourceConflictError,
    "The lock was not held any more: others may have acted meanwhile.",
    code="ABORTED",
    effect="possible",
)
FORBIDDEN: Meaning = partial(ResourceConflictError, "The present state of the store does not allow it.")
READ_ONLY: Meaning = partial(ResourceConflictError, "This server is a read-only replica: write to the primary instead.")
WRONG: Meaning = partial(ToolArgumentError, "The store rejected the request as wrong.")
WRONG_KIND: Meaning = partial(ToolArgumentError, "The key holds another kind of value than this operation needs.")
UNSUPPORTED: Meaning = partial(ToolExecutionError, "The store does not support this.", effect="none")
MISUSED: Meaning = partial(ToolExecutionError, "The tool used the store's client in a wrong way.", effect="none")
DISCARDED: Meaning = partial(
    ToolExecutionError, "A command of the transaction was wrong: nothing of it was done.", effect="none"
)
RAISED: Meaning = partial(ToolExecutionError, "A script or module of the store raised an error.", effect="possible")
UNREADABLE: Meaning = partial(ToolExecutionError, "The store's answer cannot be read.", effect="possible")
FAILED: Meaning = partial(ToolExecutionError, "The store failed.")


def missing(name: str | None = None, *, provider: str | None = None, http_status: int | None = None) -> ToolError:
    """Something that is not there.

    Args:
        name: its name, where the store tells it.
        provider: the store.
        http_status: what it answered with.
    """
    message = f"Resource not found: {name}" if name else "The store has no such thing."
    return ResourceNotFoundError(message, resource=name, provider=provider, http_status=http_status)


def exists(name: str | None = None, *, provider: str | None = None, http_status: int | None = None) -> ToolError:
    """Something that is there already.

    Args:
        name: its name, where the store tells it.
        provider: the store.
        http_status: what it answered with.
    """
    message = f"The resource exists already: {name}" if name else "The resource exists already."
    return ResourceConflictError(
        message, code="ALREADY_EXISTS", resource=name, provider=provider, http_status=http_status
    )


def problem(field: str, message: str, expected: str | None = None) -> Problem:
    """What is wrong with one field, by its path with dots.

    Args:
        field: the field.
        message: what is wrong, in our own words.
        expected: what would be right.
    """
    pointer = "/" + field.replace("~", "~0").replace("/", "~1").replace(".", "/")
    return Problem(pointer, message, expected)


def found(pattern: str, text: str) -> str | None:
    """The first name that a pattern finds in a store's prose, without quotes, or None.

    Args:
        pattern: a regular expression with one group, or several of which one matches.
        text: the prose.
    """
    match = re.search(pattern, text)
    name = next(filter(None, match.groups()), "") if match else ""
    return name.strip("\"'`[] ")[:_LONGEST_NAME] or None
