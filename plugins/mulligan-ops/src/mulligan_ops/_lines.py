"""Tables of fixed phrases: what a program or a daemon writes, and what each line means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mulligan.plugin import Failure, ToolError, meanings

Lines = Iterable[tuple[str, meanings.Meaning]]
USAGE = meanings.ARGUMENT._replace(message="The command line is wrong", effect="none")
LOCAL_PERMISSION = meanings.PERMISSION._replace(fatal=False, message="The operating system denied access")
LOCKED = meanings.ABORTED._replace(message="Another process holds the lock; nothing was changed", effect="none")
_LONGEST_NAME = 300


def classify_text(failure: Failure, text: str, lines: Lines, provider: str) -> ToolError | None:
    """The error of the first line of a table that is in a text, or None.

    Args:
        failure: what happened.
        text: what was written.
        lines: regular expressions, each with its meaning; a group is the name of the thing that it is about.
        provider: who wrote it.
    """
    for pattern, meaning in lines:
        match = re.search(pattern, text, re.MULTILINE)
        if match is not None:
            name = next(filter(None, match.groups()), "").strip("'\"`: ")[:_LONGEST_NAME]
            return meanings.error_of(failure, meaning, resource=name or None, provider=provider)
    return None
