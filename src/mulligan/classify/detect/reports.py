"""How a detector reports a failure: by what the value says, or by a code where a convention says what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect.sentences import clear_sense, sense, sentences
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.classify.status_in_text import find_status
from mulligan.untrusted.classes import as_dict, is_a

_MISSING = re.compile(
    r"\b(?:unknown|no such|undefined|unregistered|invalid|unavailable)[ _-](?:tool|function|action|method|operation|command"
    r"|handler)\b"
    r"|\b(?:tool|function|action|method|operation|command|handler)\b.{0,80}\b(?:not[ _-](?:found|registered|defined"
    r"|available)|does not exist|unknown)\b",
    re.IGNORECASE,
)
_WRAPPER = re.compile(r"\b(?:execut|call|runn|invok)ing (?:the )?(?:tool |function )?[\w.'\"`/-]{1,80}")
_MOST_TEXT = 600
_VAGUE = frozenset((None, meanings.ARGUMENT, meanings.FAILED))
_CODES: tuple[tuple[meanings.Meaning, str], ...] = (
    (meanings.RATE_LIMIT, "THROTTLED"),
    (meanings.QUOTA, "QUOTA_EXCEEDED"),
    (meanings.AUTHENTICATION, "UNAUTHENTICATED"),
    (meanings.PERMISSION, "PERMISSION_DENIED"),
    (meanings.NOT_FOUND, "NOT_FOUND"),
    (meanings.NO_TOOL, "UNKNOWN_TOOL"),
    (meanings.CONFLICT, "FAILED_PRECONDITION"),
    (meanings.TIMEOUT, "TIMEOUT"),
    (meanings.UNAVAILABLE, "UNAVAILABLE"),
    (meanings.CANCELLED, "CANCELLED"),
    (meanings.CONNECTION, "CONNECTION_ERROR"),
    (meanings.ARGUMENT, "INVALID_ARGUMENT"),
)


def coded(code: str, message: str = "", **more: Any) -> Failure:
    """A failure whose meaning a convention defines, such as the exit status 124 of `timeout`.

    Args:
        code: a code that `reason_of` knows, such as `TIMEOUT`.
        message: what the value says.
        more: other fields of the value that say something, such as `retry_after`.
    """
    return Failure(value={"code": code, "message": message, **more}, message=message)


def says_tool_is_missing(failure: Failure, name: str) -> bool:
    """Whether a report names the tool that was called, and says that it does not exist.

    Args:
        failure: what was found.
        name: the name of the tool.
    """
    texts = [failure.told]
    if is_a(failure.value, Mapping):
        texts += [one for one in as_dict(failure.value).values() if type(one) is str]
    text = _WRAPPER.sub("_", "; ".join(texts)[:_MOST_TEXT])
    return name in text and _MISSING.search(text) is not None


def with_meaning(failure: Failure) -> Failure:
    """A failure with the code of what its text says, if no status, code or known clause says more.

    Args:
        failure: what was found in the value of a known tool.
    """
    known_meaning = said(failure.told)
    if failure.exception is not None or failure.status is not None or known_meaning not in (None, meanings.FAILED):
        return failure
    reasons = {reason_of(code) for code in failure.codes} - {None}
    if reasons - _VAGUE or find_status(failure.text, failure.told):
        return failure
    meaning = next(filter(None, map(clear_sense, sentences(failure.told))), None) if reasons else sense(failure.told)
    if reasons and meaning in _VAGUE:
        return failure
    if known_meaning is meanings.FAILED and meaning is meanings.ARGUMENT:  # `list index out of range`
        return failure
    code = next((code for coded_meaning, code in _CODES if coded_meaning is meaning), None)
    if code is None:
        return failure
    fields = as_dict(failure.value) if is_a(failure.value, Mapping) else {"message": failure.text}
    return Failure(value={**fields, "error_code": code}, message=failure.text)
