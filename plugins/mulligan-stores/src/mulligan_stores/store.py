"""What the failures of a store mean, and the errors for them, with the resource that the store names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mulligan.plugin import Failure, ResourceNotFoundError, ToolError, text_error
from mulligan.plugin import meanings as m

Meaning = m.Meaning
Phrases = Sequence[tuple[tuple[str, ...], Meaning]]
_LONGEST_NAME = 200


class Store(NamedTuple):
    """One kind of store.

    Attributes:
        provider: its name in `ToolError.provider`.
        name: its name in messages.
    """

    provider: str
    name: str


TOO_SLOW = m.TIMEOUT._replace(message="The operation exceeded the time limit of the service; request less")
NO_FREE_CONNECTION = m.UNAVAILABLE._replace(message="The service has no free connection at the moment", effect="none")
NOT_READY = m.UNAVAILABLE._replace(
    message="The service is not accepting this kind of request at the moment", effect="none"
)
EXHAUSTED = m.UNAVAILABLE._replace(message="The service is short of memory at the moment; request less", effect="none")
FULL = m.QUOTA._replace(message="The service has no space left")
ABORTED = m.ABORTED._replace(message="Another client changed it at the same time")
LOCKED = m.BUSY._replace(message="Another client holds the lock")
LOST_LOCK = m.ABORTED._replace(
    message="The lock was no longer held. Other clients may have made changes", effect="possible", transient=False
)
READ_ONLY = m.CONFLICT._replace(message="This server is a read-only replica. Write to the primary instead")
WRONG_KIND = m.ARGUMENT._replace(message="The key holds the wrong type of value for this operation")
MISUSED = m.FAILED._replace(message="The tool used the client of the service incorrectly", effect="none")
DISCARDED = m.CONFLICT._replace(message="A command of the transaction was rejected, so nothing was applied")
RAISED = m.FAILED._replace(message="A script or module of the service raised an error", effect="possible")
UNREADABLE = m.FAILED._replace(message="The response of the service cannot be read", effect="possible")
_VAGUE = (m.FAILED, RAISED)


def store_error(
    failure: Failure,
    meaning: Meaning,
    store: Store,
    *,
    code: object = None,
    name: str | None = None,
    **fields: Any,
) -> ToolError:
    """Builds the error for a meaning. If the meaning is only that something failed, the text may be more specific.

    Args:
        failure: the failure to classify.
        meaning: its meaning.
        store: the store that failed.
        code: the store's own code, shown in the message.
        name: the resource that its message names.
        fields: attributes of the error.
    """
    known = text_error(failure, provider=store.provider) if meaning in _VAGUE else None
    if known is not None:
        return known
    is_missing = issubclass(meaning.cls, ResourceNotFoundError)
    fields.setdefault("resource", (name or failure.resource) if is_missing else name)
    fields.setdefault("problems", ())
    message = f"The resource already exists: {name}" if meaning is m.EXISTS and name else None
    return m.error_of(
        failure, meaning, message=message, service=store.name, told=code, provider=store.provider, **fields
    )


def error_by_words(failure: Failure, phrases: Phrases, store: Store) -> ToolError | None:
    """The error for the first phrases that occur in the text of a client, which has no code for it.

    Args:
        failure: the failure to classify.
        phrases: pairs of phrases and their meaning.
        store: the store that failed.
    """
    for texts, meaning in phrases:
        if failure.says(*texts):
            return store_error(failure, meaning, store)
    return None


def find_name(pattern: str, text: str) -> str | None:
    """The first name that a pattern finds in the text of a store, without quotes, or None.

    Args:
        pattern: a regular expression with one group, or several of which one matches.
        text: the text.
    """
    match = re.search(pattern, text)
    name = next(filter(None, match.groups()), "") if match else ""
    return name.strip("\"'`[] ")[:_LONGEST_NAME] or None
