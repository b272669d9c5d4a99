"""How a detector reports a failure: by what the value says, or by a code where a convention says what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.classify.failure import Failure
from mulligan.classify.phrasebook import hide_tool_names
from mulligan.untrusted.classes import as_dict, is_a

_MISSING = re.compile(
    r"\b(?:unknown|no such|undefined|unregistered|invalid|unavailable)[ _-](?:tool|function|action|method|operation|command"
    r"|handler)\b"
    r"|\b(?:tool|function|action|method|operation|command|handler)\b.{0,80}\b(?:not[ _-](?:found|registered|defined"
    r"|available)|does not exist|unknown)\b",
    re.IGNORECASE,
)
_MOST_TEXT = 600


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
    told = hide_tool_names("; ".join(texts)[:_MOST_TEXT])
    return name in told and _MISSING.search(told) is not None
