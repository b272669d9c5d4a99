"""Tables of fixed phrases: the messages of a program or daemon, and their meanings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mulligan.plugin import Failure, ResourceNotFoundError, ToolError, meanings

Lines = Iterable[tuple[str, meanings.Meaning]]
USAGE = meanings.ARGUMENT._replace(message="The command line is wrong", effect="none")
LOCAL_PERMISSION = meanings.PERMISSION._replace(fatal=False, message="The operating system denied access")
LOCKED = meanings.ABORTED._replace(message="Another process holds the lock; nothing was changed", effect="none")
_LONGEST_NAME = 300


def find_meaning(text: str, lines: Lines) -> tuple[meanings.Meaning | None, str | None]:
    """The meaning of the first table entry that occurs in a text, and the name in it; None for what is missing.

    Args:
        text: what was written.
        lines: regular expressions, each with its meaning; a group is the name of the object.
    """
    for pattern, meaning in lines:
        match = re.search(pattern, text, re.MULTILINE)
        if match is not None:
            name = next(filter(None, match.groups()), "").strip("'\"`: ")[:_LONGEST_NAME]
            name = name[:-1] if name.endswith(".") and len(name) > 2 else name
            return meaning, name or None
    return None, None


def classify_text(
    failure: Failure, text: str, lines: Lines, provider: str, service: str | None = None
) -> ToolError | None:
    """The error for the first table entry that occurs in a text, or None.

    Args:
        failure: what happened.
        text: what was written.
        lines: as in `find_meaning`; a specific message follows the name of what was not found.
        provider: the provider that wrote the text.
        service: the name of the service, for the message.
    """
    meaning, name = find_meaning(text, lines)
    if meaning is None:
        return None
    error = meanings.error_of(failure, meaning, service=service, resource=name, provider=provider)
    if name and meaning.cls is ResourceNotFoundError and meaning.message != meanings.NOT_FOUND.message:
        error.message = f"{error.message}. {meaning.message}."
    return error
