"""Tool failures that other runtimes report only as text: which name was attempted?"""

from __future__ import annotations

import re

from mulligan.containment import safe_str

_NAME = r"[`'\"]?([\w.:/-]{1,128})[`'\"]?"
_REPORTS = (
    rf"tried to call unavailable tool {_NAME}(?:[.,;\s]|$)",
    rf"unknown tool(?: name)?:? {_NAME}(?:[.,;\s]|$)",
    rf"tool {_NAME} (?:is )?not found",
    rf"error: {_NAME} is not a valid tool",
    rf"no tool (?:named|called) {_NAME}(?:[.,;\s]|$)",
    rf"requested function {_NAME} not found",
    r"invoking `?([\w.:/-]{1,128}?)\(\)`? failed as no tool",
)


def attempted_name(text_or_exception: str | BaseException) -> str | None:
    """The name of the tool that a model tried to call and that did not exist, or None.

    Args:
        text_or_exception: what the other runtime said.
    """
    text = safe_str(text_or_exception, 2_000)
    for report in _REPORTS:
        found = re.search(report, text, re.IGNORECASE)
        if found:
            return found[1].rstrip(".:/-")
    return None
