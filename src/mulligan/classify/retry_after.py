"""Reads how long to wait before a retry: RFC 9110 section 10.2.3 and the conventions of providers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from mulligan.classify.error_body import Nodes
from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.objects import call_safely, read_field

_LONGEST_WAIT = 31 * 24 * 3_600.0
_EPOCH = 1_000_000_000
_FIELDS = (
    "retry_after",
    "retryAfter",
    "retry_after_seconds",
    "retryAfterSeconds",
    "retry_delay",
    "backoff",
    "retryDelay",
    "Retry-After",
)
_MILLISECONDS = ("retry_after_ms", "retryAfterMs", "retryAfterMillis")
_HEADERS_MS = ("retry-after-ms", "x-ms-retry-after-ms")
_RESETS = (
    ("ratelimit-remaining", "ratelimit-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset-after"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("x-rate-limit-remaining", "x-rate-limit-reset"),
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
)
_SPAN = r"(?:(\d{1,4})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
_WAIT_PHRASE = (
    r"\b(?:retry|try again|try your request again|available|wait)(?: again)? ?(?:after|in|for)"
    r" (?:another )?(\d{1,6}(?:\.\d{1,3})?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
)
_UNITS = {"ms": 0.001, "m": 60.0, "h": 3_600.0, "s": 1.0}


def retry_after(
    value: object, headers: Mapping[str, str], nodes: Callable[[], Nodes], text: Callable[[], str]
) -> float | None:
    """Seconds to wait before the same call may succeed, or None.

    The sources are read in this order: attributes of the value, headers, the body, the text.

    Args:
        value: an exception or a response; its `retry_after` may be a number or a timedelta.
        headers: the headers of the response, with lower-case names.
        nodes: returns the error mappings of the body; called only if no attribute or header has a delay.
        text: returns the messages of the failure, such as `try again in 20s`; called last.
    """
    seconds = _seconds(read_field(value, "retry_after", "retry_after_seconds", "backoff"))
    if seconds is None:
        seconds = _read_headers(headers)
    if seconds is None:
        seconds = _read_body(nodes())
    return seconds if seconds is not None else _read_text(text())


def _read_headers(headers: Mapping[str, str]) -> float | None:
    for name in _HEADERS_MS:
        milliseconds = _seconds(headers.get(name))
        if milliseconds is not None:
            return milliseconds / 1_000
    waiting = headers.get("retry-after")
    if waiting is not None:
        seconds = _seconds(waiting)
        return seconds if seconds is not None else _seconds_until(waiting)
    return _parse_ratelimit(headers.get("ratelimit")) if "ratelimit" in headers else _read_reset_headers(headers)


def _parse_ratelimit(policy: str | None) -> float | None:
    """Reads `RateLimit: "api";r=0;t=55` or the older `limit=100, remaining=0, reset=55`; None unless 0 requests remain."""
    parts = dict(re.findall(r"\b(r|t|remaining|reset)=(\d{1,10})", (policy or "")[:400]))
    if parts.get("r", parts.get("remaining")) != "0":
        return None
    return _seconds(parts.get("t", parts.get("reset")))


def _read_reset_headers(headers: Mapping[str, str]) -> float | None:
    """Seconds until an exhausted limit resets; headers give an epoch, seconds, a duration such as `6m0s`, or a date."""
    for remaining, reset in _RESETS:
        when = headers.get(reset)
        if when is not None and headers.get(remaining, "0") == "0":
            seconds = _seconds(when, most=1e13)
            if seconds is None:
                return _span(when) if _span(when) is not None else _seconds_until(when)
            if seconds > 1_000 * _EPOCH:
                seconds /= 1_000
            return _bounded(seconds - time.time() if seconds > _EPOCH else seconds)
    return None


def _read_body(nodes: Nodes) -> float | None:
    for node in nodes:
        for name in _FIELDS:
            value = node.get(name)
            if value is not None:
                seconds = _seconds(value)
                if seconds is None and type(value) is str:
                    seconds = _span(value)
                if seconds is not None:
                    return seconds
        for name in _MILLISECONDS:
            milliseconds = _seconds(node.get(name), most=1_000 * _LONGEST_WAIT)
            if milliseconds is not None:
                return milliseconds / 1_000
        headers = node.get("headers")
        if is_a(headers, Mapping):
            texts = {name.lower(): text for name, text in as_dict(headers).items() if type(name) is str}
            return _read_headers({name: str(text) for name, text in texts.items() if type(text) in (str, int, float)})
    return None


def _read_text(text: str) -> float | None:
    found = re.search(_WAIT_PHRASE, text[:2_000], re.IGNORECASE)
    if found is None:
        return None
    unit = found[2].lower()
    factor = _UNITS["ms"] if unit.startswith(("ms", "milli")) else _UNITS[unit[0]]
    return _bounded(float(found[1]) * factor)


def _seconds(value: Any, most: float = _LONGEST_WAIT) -> float | None:
    if type(value) not in (int, float, str):
        from datetime import timedelta

        return call_safely(lambda: _bounded(timedelta.total_seconds(value))) if is_a(value, timedelta) else None
    number = call_safely(lambda: float(value))
    return number if isinstance(number, float) and 0 <= number <= most else None


def _span(text: str) -> float | None:
    """Converts a duration such as `34s`, `1m30.5s` or `200ms` to seconds."""
    found = re.fullmatch(_SPAN, text.strip()[:40])
    if found is None or not any(found.groups()):
        return None
    hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
    return _bounded(hours * 3_600 + minutes * 60 + seconds + milliseconds / 1_000)


def _seconds_until(text: str) -> float | None:
    """Seconds until an HTTP date or an RFC 3339 timestamp."""
    from datetime import datetime
    from email.utils import parsedate_to_datetime

    text = text[:60]
    read = datetime.fromisoformat if text[:1].isdigit() else parsedate_to_datetime
    moment = call_safely(lambda: read(text).timestamp())
    return None if moment is None else _bounded(moment - time.time())


def _bounded(seconds: float) -> float:
    return round(min(max(seconds, 0.0), _LONGEST_WAIT), 3)
