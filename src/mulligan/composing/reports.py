"""Tool failures that other runtimes report only as text: which name was attempted?"""

from __future__ import annotations

import re

from mulligan.foreign.containment import safe_str

_NAME = r"[`'\"]?(?!(?:is|was|were|name|call|named|called|that|which|with|and|or|not|the)\b)([\w.:/-]{1,128})[`'\"]?"
_END = r"(?=[.,;<)\s]|$)"
_GONE = r"(?:is |was |has )?(?:not (?:been )?(?:found|available|registered|defined|known)|does not exist|unknown|unavailable)"
_REPORTS = (
    rf"\btried to call unavailable tool {_NAME}{_END}",
    rf"\bunknown (?:tool|function)(?: name| call)?:? {_NAME}{_END}",
    rf"\b(?:tool|function) {_NAME} {_GONE}\b",
    rf"(?:^|: ){_NAME} is not a valid tool\b",
    rf"\b(?:invalid|no such) (?:tool|function)(?: name| call| available)?:? {_NAME}{_END}",
    rf"\bno (?:tool|function) (?:named|called) {_NAME}{_END}",
    rf"\b(?:NoSuchTool|ToolNotFound)(?:Error|Exception)?: {_NAME}$",
    r"\binvoking `?([\w.:/-]{1,128}?)\(\)`? failed as no tool\b",
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
