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
TIMED_OUT: Meaning = partial(ToolTimeoutError, "The store did not respond in time.", effect="possible")
NOT_CONNECTED: Meaning = partial(ToolTimeoutError, "No store connection became available in time.", effect="none")
TOO_SLOW: Meaning = partial(ToolTimeoutError, "The operation exceeded the store's time limit; request less.")
CANCELLED: Meaning = partial(ToolCancelledError, "The operation was interrupted.")
TOO_MANY_CONNECTIONS: Meaning = partial(
    ToolUnavailableError, "The store temporarily has no free connection.", effect="none"
)
UNAVAILABLE: Meaning = partial(ToolUnavailableError, "The store is temporarily unavailable.")
NOT_READY: Meaning = partial(ToolUnavailableError, "The store temporarily accepts no such request.", effect="none")
EXHAUSTED: Meaning = partial(
    ToolUnavailableError, "The store is temporarily short of memory; request less.", effect="none"
)
LIMITED: Meaning = partial(ToolRateLimitError, "The rate limit of the store is reached.")
FULL: Meaning = partial(ToolQuotaError, "The store has no space left.")
QUOTA_EXHAUSTED: Meaning = partial(ToolQuotaError, "The account has exhausted its quota in the store.")
ABORTED: Meaning = partial(
    ResourceConflictError,
    "Another client changed it at the same time; nothing was changed.",
    code="ABORTED",
    transient=True,
)
LOCKED: Meaning = partial(
    ResourceConflictError, "Another client holds the lock; nothing was changed.", code="ABORTED", transient=True
)
LOST_LOCK: Meaning = partial(
    ResourceConflictError,
    "The lock was no longer held. Other clients may have made changes.",
    code="ABORTED",
    effect="possible",
)
FORBIDDEN: Meaning = partial(ResourceConflictError, "The current state of the store does not allow this.")
READ_ONLY: Meaning = partial(ResourceConflictError, "This server is a read-only replica. Write to the primary instead.")
WRONG: Meaning = partial(ToolArgumentError, "The store rejected the request as invalid.")
WRONG_KIND: Meaning = partial(ToolArgumentError, "The key holds the wrong type of value for this operation.")
UNSUPPORTED: Meaning = partial(ToolExecutionError, "The store does not support this.", effect="none")
MISUSED: Meaning = partial(ToolExecutionError, "The tool used the store's client incorrectly.", effect="none")
DISCARDED: Meaning = partial(
    ToolExecutionError, "A command of the transaction was invalid. Nothing was applied.", effect="none"
)
RAISED: Meaning = partial(ToolExecutionError, "A script or module of the store raised an error.", effect="possible")
UNREADABLE: Meaning = partial(ToolExecutionError, "The store's response cannot be read.", effect="possible")
FAILED: Meaning = partial(ToolExecutionError, "The store failed.")


def missing(name: str | None = None, *, provider: str | None = None, http_status: int | None = None) -> ToolError:
    """Something that is not there.

    Args:
        name: its name, where the store tells it.
        provider: the store.
        http_status: what it answered with.
    """
    message = f"Resource not found: {name}" if name else "The store has no such resource."
    return ResourceNotFoundError(message, resource=name, provider=provider, http_status=http_status)


def exists(name: str | None = None, *, provider: str | None = None, http_status: int | None = None) -> ToolError:
    """Something that is there already.

    Args:
        name: its name, where the store tells it.
        provider: the store.
        http_status: what it answered with.
    """
    message = f"The resource already exists: {name}" if name else "The resource already exists."
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


def find_name(pattern: str, text: str) -> str | None:
    """The first name that a pattern finds in a store's prose, without quotes, or None.

    Args:
        pattern: a regular expression with one group, or several of which one matches.
        text: the prose.
    """
    match = re.search(pattern, text)
    name = next(filter(None, match.groups()), "") if match else ""
    return name.strip("\"'`[] ")[:_LONGEST_NAME] or None
