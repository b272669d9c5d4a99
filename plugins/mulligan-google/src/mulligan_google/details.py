"""Reads the details of Google's error responses, as JSON or as google.rpc messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from mulligan.plugin import Failure, Problem, pointer_to, safe_str

_MOST = 16
_DAILY = r"(?:per|/)\s?(?:day|month|year|d\b)|\b(?:daily|monthly|yearly|free tier|credits?|balance)\b"
_NAMED = (
    r"\(resource=([^)\s]{1,500})\)",
    r"\b(?:not found|no such (?:object|bucket|file)|no document to update): (?:\w+ )?([^\s,]*[^\s,.])",
    r"[`'\"]([^`'\"\s]{2,500})[`'\"]",
    r"\b([\w.-]+(?:/[\w.@:~-]+)+) (?:was |is |could )?not (?:be )?found\b",
)
_OBJECT = r"/b/[^/]+/o/([^/?]+)|/b/([^/?]+)(?:[/?]|$)"


class Details:
    """The details of one response; each is read on first access.

    Args:
        failure: what happened.
    """

    def __init__(self, failure: Failure) -> None:
        self._failure = failure
        self._error = _error(failure)
        listed = _list(failure.look("error_details"))
        self._parts = _list(failure.look("details")) or _list(self._error.get("details")) or listed
        self._legacy = _list(self._error.get("errors")) or _list(failure.look("errors")) or listed

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """The reasons, as constants of the API, most specific first."""
        words = self._failure.matches("googleapiclient.errors.HttpError")  # whose `reason` is a sentence
        found = [None if words else self._failure.look("reason")]
        found += [_get(part, "reason") for part in (*self._parts, *self._legacy)]
        return tuple(reason for reason in found if isinstance(reason, str) and reason)

    @cached_property
    def status(self) -> str:
        """The canonical code of google.rpc, such as `FAILED_PRECONDITION`, or empty."""
        status = self._failure.look("grpc_status_code", "name") or self._error.get("status")
        return status if isinstance(status, str) else ""

    @cached_property
    def retry_after(self) -> float | None:
        """Seconds to wait, or None."""
        delays = (_seconds(_get(part, "retryDelay")) for part in self._parts)
        return next((delay for delay in delays if delay is not None), self._failure.retry_after)

    @cached_property
    def is_long_quota(self) -> bool:
        """Whether a quota of a day or longer is exhausted, and the response gives no delay."""
        quotas = list(_inside(self._parts, "violations"))
        texts = [str(_get(quota, name) or "") for quota in quotas for name in ("quotaId", "description", "subject")]
        limits = [_get(_get(part, "metadata"), name) for part in self._parts for name in ("quota_unit", "quota_limit")]
        texts += [str(limit) for limit in limits if limit]
        daily = any(re.search(_DAILY, text, re.IGNORECASE) for text in (*texts, self.message))
        return daily and self.retry_after is None

    @cached_property
    def message(self) -> str:
        """The API's own message."""
        return self._own_message or self._failure.text

    @cached_property
    def _own_message(self) -> str:
        message = self._error.get("message") or self._failure.look("message")
        return message[:2_000] if isinstance(message, str) else ""

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The invalid fields."""
        named = [_get(violation, "field") for violation in _inside(self._parts, "fieldViolations")]
        named += [_get(part, "location") for part in self._legacy if _get(part, "locationType") == "parameter"]
        pointers = dict.fromkeys(pointer_to(name) for name in named)
        return tuple(Problem(pointer, "rejected by the API") for pointer in pointers if pointer)

    @cached_property
    def named_resource(self) -> str | None:
        """The resource that the details name: the one that is missing, in conflict or denied."""
        names = (_get(part, "resourceName") for part in self._parts)
        return next((name for name in names if isinstance(name, str) and name), None)

    @cached_property
    def resource(self) -> str | None:
        """The resource that is stated, else the argument found in the message or URL, else the name found there."""
        if self.named_resource:
            return self.named_resource
        from urllib.parse import unquote

        failure = self._failure
        url = unquote(safe_str(failure.look("uri") or failure.look("response", "url") or ""))
        held = _argument_in(failure, self.message) or _argument_in(failure, url)
        if held:
            return held
        found = (re.search(pattern, self._own_message, re.IGNORECASE) for pattern in _NAMED)
        named = next((match[1] for match in found if match), None)
        return named or _storage_name(failure) or failure.resource


def _argument_in(failure: Failure, text: str) -> str | None:
    """The argument of the call that occurs in a text; the last one of several, as an object follows its bucket."""
    values = [value for value in (failure.arguments or {}).values() if isinstance(value, str) and 2 < len(value) < 400]
    held = [value for value in values if value in text]
    return max(held, key=lambda value: (text.rfind(value) + len(value), len(value)), default=None)


def _storage_name(failure: Failure) -> str | None:
    """The object or bucket in a Cloud Storage URL."""
    from urllib.parse import unquote, urlsplit

    match = re.search(_OBJECT, urlsplit(safe_str(failure.look("response", "url") or "")).path)
    return unquote(match[1] or match[2]) if match else None


def _error(failure: Failure) -> Mapping[str, Any]:
    body = failure.body
    if isinstance(body, list):
        body = body[0] if body and isinstance(body[0], Mapping) else None
    error = body.get("error") if isinstance(body, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def _list(value: object) -> list[Any]:
    return list(value[:_MOST]) if isinstance(value, (list, tuple)) else []


def _get(part: object, name: str) -> Any:
    """A field of a part: `retryDelay` in JSON, `retry_delay` in a message."""
    if isinstance(part, Mapping):
        return part.get(name)
    try:
        return getattr(part, re.sub("(?<=[a-z])([A-Z])", r"_\1", name).lower(), None)
    except Exception:  # a foreign object may raise anything
        return None


def _inside(parts: list[Any], name: str) -> Iterator[Any]:
    for part in parts:
        values = _get(part, name)
        try:
            yield from list(values or ())[:_MOST]
        except TypeError:
            continue


def _seconds(value: object) -> float | None:
    """`34.5s` in JSON, seconds and nanoseconds in a message."""
    if isinstance(value, str):
        number = value.removesuffix("s")
        return float(number) if number.replace(".", "", 1).isdigit() else None
    seconds, nanos = _get(value, "seconds"), _get(value, "nanos")
    if not isinstance(seconds, int) or not isinstance(nanos, int) or not (seconds or nanos):
        return None
    return round(seconds + nanos / 1e9, 3)
