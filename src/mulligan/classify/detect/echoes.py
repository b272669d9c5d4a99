"""Values that only repeat what was sent: `Status: failed` of `set_status(status="failed")`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.classify.detect.subject import PIECES, subject_of
from mulligan.classify.detect.values import find_failure
from mulligan.tools import Tool
from mulligan.untrusted.classes import as_dict, is_a

_PLAIN = (str, int, float, bool)
_LABELLED = re.compile(r"(?:([\w -]{1,40}): )?(.+?)[.!]?", re.DOTALL)


def is_echo(value: Any, told: str, tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether what reads as a failure was sent as an argument of this very call, by a tool that does not get anything.

    Args:
        value: what the tool returned.
        told: what the failure in it says.
        tool: the tool.
        arguments: the arguments of the call.
    """
    subject = subject_of(tool)
    if subject.is_reading or subject.is_search or subject.is_verdict or subject.runs:
        return False
    sent = {text.strip().rstrip(".!") for text in arguments.values() if type(text) is str} - {""}
    if told.strip().rstrip(".!") in sent and is_a(value, Mapping):
        members = as_dict(value)
        rest = {name: one for name, one in members.items() if not _was_sent(name, one, arguments)}
        return len(rest) < len(members) and find_failure(rest, tool) is None
    found = _LABELLED.fullmatch(value.strip()) if type(value) is str else None
    if found is None:
        return False
    names = subject.words.union(*(map(str.lower, PIECES.findall(name)) for name in arguments))
    is_label = names.issuperset(map(str.lower, PIECES.findall(found[1] or "")))
    return value.strip().rstrip(".!") in sent or (is_label and found[2] in sent)


def _was_sent(name: Any, value: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether a member is an argument of the same name and value; only plain values are compared, since others run code."""
    return type(name) is str and type(value) in _PLAIN and name in arguments and value == arguments[name]
