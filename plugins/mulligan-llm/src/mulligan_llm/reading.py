"""What the answers of language model services have in common: their errors, fields, names and waits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import Failure, Problem, safe_str

_NAMES = (
    re.compile(r"[`'\"]([^`'\"\s]{1,200})[`'\"]"),
    re.compile(r"\b([\w-]+/[\w./:-]*\w) (?:is|was|does) not\b"),
    re.compile(r": ?([\w./:-]*\w)\.?\s*$"),
)
_FIELD = re.compile(r"([a-z][a-z0-9_]*(?:\.\w+)*): \S")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:(\d+)ms)?")
_MOST = 8


def told(failure: Failure) -> Mapping[str, Any]:
    """The error object of the answer: `error` in the body, or the body itself.

    Args:
        failure: what happened.
    """
    body = failure.body
    if isinstance(body, list):
        body = body[0] if body and isinstance(body[0], Mapping) else None
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def message(failure: Failure) -> str:
    """What the service says, in its own words.

    Args:
        failure: what happened.
    """
    answer = told(failure)
    words = (answer.get("message"), answer.get("detail"), answer.get("error"))
    return next((safe_str(text) for text in words if isinstance(text, str) and text), failure.text)


def resource(failure: Failure) -> str | None:
    """The model, file or other thing that the message names: one of the call's own arguments, else what stands in quotes.

    Args:
        failure: what happened.
    """
    text = message(failure)
    for value in (failure.arguments or {}).values():
        if isinstance(value, str) and 2 < len(value) < 400 and value in text:
            return value
    found = (pattern.search(text) for pattern in _NAMES)
    return next((match[1] for match in found if match), None)


def problems(failure: Failure) -> list[Problem]:
    """The fields of the request that the service finds wrong.

    Args:
        failure: what happened.
    """
    param = failure.look("param") or told(failure).get("param")
    if isinstance(param, str) and param:
        return [_problem(param)]
    listed = list(_listed(failure.look("body", "detail") or told(failure).get("detail")))
    if listed:
        return listed[:_MOST]
    match = _FIELD.match(message(failure))
    return [_problem(match[1])] if match else []


def _listed(details: object) -> Iterator[Problem]:
    """FastAPI's `detail`: a list of objects with `loc` and `msg`."""
    for detail in details if isinstance(details, list) else ():
        place = detail.get("loc") if isinstance(detail, Mapping) else None
        if isinstance(place, list):
            parts = place[1:] if place[:1] in (["body"], ["query"], ["path"]) else place
            yield _problem(".".join(str(part) for part in parts))


def _problem(path: str) -> Problem:
    parts = [part for part in re.split(r"[.\[\]/]", path[:200]) if part]
    return Problem("".join(f"/{part.replace('~', '~0')}" for part in parts), "the service refuses it")


def wait(failure: Failure) -> float | None:
    """Seconds to wait: the usual headers, or the reset of the limit that is used up.

    Args:
        failure: what happened.
    """
    if failure.retry_after is not None:
        return failure.retry_after
    headers = failure.headers
    for limit in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{limit}") == "0":
            return _seconds(headers.get(f"x-ratelimit-reset-{limit}", ""))
    match = re.search(r";\s*r=0\b.*;\s*t=(\d{1,7})", headers.get("ratelimit", ""))
    return float(match[1]) if match else None


def _seconds(text: str) -> float | None:
    """`1m2.5s`, `20ms` or `6` in seconds."""
    match = _DURATION.fullmatch(text if not text.isdigit() else f"{text}s")
    if not text or match is None:
        return None
    parts = [float(part.strip(".") or 0) if part else 0.0 for part in match.groups()]
    return parts[0] * 3_600 + parts[1] * 60 + parts[2] + parts[3] / 1_000
