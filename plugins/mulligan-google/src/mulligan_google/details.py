"""What an answer of Google's tells beside its status: as JSON or as messages of google.rpc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from mulligan.plugin import Failure, Problem, safe_str

_MOST = 16
_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")
_DAILY = re.compile(
    r"(?:per|/)\s?(?:day|month|year|d\b)|\b(?:daily|monthly|yearly|free tier|credits?|balance)\b", re.IGNORECASE
)
_NAMED = (
    re.compile(r"\(resource=([^)\s]{1,500})\)"),
    re.compile(
        r"\b(?:not found|no such (?:object|bucket|file)|no document to update): (?:\w+ )?([^\s,]*[^\s,.])",
        re.IGNORECASE,
    ),
    re.compile(r"[`'\"]([^`'\"\s]{2,500})[`'\"]"),
    re.compile(r"\b([\w.-]+(?:/[\w.@:~-]+)+) (?:was |is |could )?not (?:be )?found\b", re.IGNORECASE),
)
_OBJECT = re.compile(r"/b/[^/]+/o/([^/?]+)|/b/([^/?]+)(?:[/?]|$)")


class Details(NamedTuple):
    """What one answer tells.

    Attributes:
        reasons: why, as constants of the API, the most telling first.
        status: the canonical code of google.rpc, such as `FAILED_PRECONDITION`, or empty.
        retry_after: seconds to wait, or None.
        resource: the name of what is missing, in conflict or denied, as the answer states it.
        problems: the fields that are wrong.
        lasting: whether the quota that is used up is one of a day or longer.
    """

    reasons: tuple[str, ...]
    status: str
    retry_after: float | None
    resource: str | None
    problems: tuple[Problem, ...]
    lasting: bool


def details(failure: Failure) -> Details:
    """What the answer of a failure tells.

    Args:
        failure: what happened.
    """
    error = _error(failure)
    parts = _list(failure.look("details")) or _list(error.get("details")) or _list(failure.look("error_details"))
    legacy = _list(error.get("errors")) or _list(failure.look("errors")) or _list(failure.look("error_details"))
    found = [failure.look("reason") if not failure.matches("googleapiclient.errors.HttpError") else None]
    found += [_get(part, "reason") for part in (*parts, *legacy)]
    quotas = [
        f"{_get(quota, name) or ''}"
        for quota in _inside(parts, "violations")
        for name in ("quotaId", "description", "subject")
    ]
    units = [_get(_get(part, "metadata"), name) for part in parts for name in ("quota_unit", "quota_limit")]
    texts = [*quotas, *(str(unit) for unit in units if unit), message(failure)]
    names = [_get(part, "resourceName") for part in parts]
    return Details(
        tuple(reason for reason in found if isinstance(reason, str) and reason),
        _canonical(failure, error),
        next((delay for part in parts if (delay := _delay(_get(part, "retryDelay"))) is not None), failure.retry_after),
        next((name for name in names if isinstance(name, str) and name), None),
        tuple(_problems(parts, legacy)),
        any(_DAILY.search(text) for text in texts),
    )


def message(failure: Failure) -> str:
    """What the API says, in its own words.

    Args:
        failure: what happened.
    """
    told = _error(failure).get("message") or failure.look("message")
    return told[:2_000] if isinstance(told, str) else failure.text


def resource(failure: Failure, stated: str | None) -> str | None:
    """The thing that the failure is about.

    Args:
        failure: what happened.
        stated: what the answer's details name.

    Returns:
        What is stated; else the call's argument that the message or the URL holds; else what the message names; else
        the object or bucket of a Cloud Storage URL, or the path of the URL.
    """
    text, url = message(failure), _url(failure)
    for value in (failure.arguments or {}).values():
        if not stated and isinstance(value, str) and 2 < len(value) < 400 and (value in text or value in unquote(url)):
            return value
    found = (pattern.search(text) for pattern in _NAMED)
    named = next((match[1] for match in found if match), None)
    return stated or named or _stored(url) or failure.resource


def _url(failure: Failure) -> str:
    return safe_str(failure.look("uri") or failure.look("response", "url") or "")


def _stored(url: str) -> str | None:
    match = _OBJECT.search(urlsplit(url).path)
    return unquote(match[1] or match[2]) if match else None


def _error(failure: Failure) -> Mapping[str, Any]:
    body = failure.body
    if isinstance(body, list):
        body = body[0] if body and isinstance(body[0], Mapping) else None
    error = body.get("error") if isinstance(body, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def _canonical(failure: Failure, error: Mapping[str, Any]) -> str:
    told = failure.look("grpc_status_code", "name") or error.get("status")
    return told if isinstance(told, str) else ""


def _list(value: object) -> list[Any]:
    return list(value[:_MOST]) if isinstance(value, (list, tuple)) else []


def _get(part: object, name: str) -> Any:
    """A field of a part: `retryDelay` in JSON, `retry_delay` in a message."""
    if isinstance(part, Mapping):
        return part.get(name)
    try:
        return getattr(part, _CAPITAL.sub(r"_\1", name).lower(), None)
    except Exception:  # whatever a foreign object raises
        return None


def _inside(parts: list[Any], name: str) -> Iterator[Any]:
    for part in parts:
        values = _get(part, name)
        try:
            yield from list(values or ())[:_MOST]
        except TypeError:
            continue


def _delay(value: object) -> float | None:
    """`34.5s` in JSON, seconds and nanoseconds in a message."""
    if isinstance(value, str):
        number = value.removesuffix("s")
        return float(number) if number.replace(".", "", 1).isdigit() else None
    seconds, nanos = _get(value, "seconds"), _get(value, "nanos")
    if not isinstance(seconds, int) or not isinstance(nanos, int) or not (seconds or nanos):
        return None
    return round(seconds + nanos / 1e9, 3)


def _problems(parts: list[Any], legacy: list[Any]) -> Iterator[Problem]:
    named = [_get(violation, "field") for violation in _inside(parts, "fieldViolations")]
    named += [_get(part, "location") for part in legacy if _get(part, "locationType") == "parameter"]
    for name in dict.fromkeys(name for name in named if isinstance(name, str) and name):
        keys = name.replace("[", ".").replace("]", "").split(".")
        yield Problem(
            "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in keys if key), "the API refuses it"
        )
