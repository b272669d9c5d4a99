"""Reads the error responses of language model services: the error object, what it is about, and the rejected fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.plugin import Failure, Problem, pointer_to

_NAMES = (
    r"\bmodels?:? [`'\"]([^`'\"\s]{1,200})[`'\"]",
    r"[`'\"]([^`'\"\s]{1,200})[`'\"]",
    r"\b([\w-]+/[\w./:-]*\w) (?:is|was|does) not\b",
    r": ?([\w./:-]*\w)\.?\s*$",
)
_FIELD = r"([a-z][a-z0-9_]{0,60}(?:\.[a-z0-9_]{1,60}){0,8}): \S"


def error_in(failure: Failure) -> Mapping[str, Any]:
    """The error object of the response: `error` in the body, or the body itself."""
    body = failure.body
    if isinstance(body, list):
        body = body[0] if body and isinstance(body[0], Mapping) else None
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def resource(failure: Failure) -> str | None:
    """The model or file that the message names: an argument of the call, otherwise the quoted text."""
    text = _message(failure)
    found = (re.search(pattern, text) for pattern in _NAMES)
    named = next((match[1] for match in found if match), None)
    values = [value for value in (failure.arguments or {}).values() if isinstance(value, str) and 2 < len(value) < 400]
    held = (value for value in values if value in (named or text) and " " not in value)
    return max(held, key=len, default=named)


def problems(failure: Failure) -> Sequence[Problem]:
    """The fields of the request that the service rejects, from the list in its response or the start of its message."""
    if failure.problems:
        return failure.problems
    match = re.match(_FIELD, _message(failure))
    return [Problem(pointer_to(match[1]), "rejected by the service")] if match else []


def _message(failure: Failure) -> str:
    return failure.told.partition("\n")[0]
