"""How long to wait, as a failure tells it: RFC 9110 section 10.2.3 and the headers that providers use besides."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mulligan.facts import guarded, look

_MOST = 31 * 24 * 3_600.0
_EPOCH = 1_000_000_000


def retry_after(value: object, headers: Mapping[str, str]) -> float | None:
    """Seconds to wait before the same call may succeed, or None.

    Args:
        value: an exception or an answer; its attribute `retry_after` counts first (a number or a timedelta).
        headers: the answer's headers, names in lower case.
    """
    told = _seconds(look(value, "retry_after"))
    if told is not None:
        return told
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    waiting = headers.get("retry-after")
    if waiting is not None:
        return _seconds(waiting) if _seconds(waiting) is not None else _date(waiting)
    return _reset(headers)


def _reset(headers: Mapping[str, str]) -> float | None:
    """`x-ratelimit-reset` as an epoch or as seconds, where nothing is left until then."""
    if headers.get("x-ratelimit-remaining", "0") != "0":
        return None
    reset = _seconds(headers.get("x-ratelimit-reset"), most=1e12)
    if reset is None:
        return None
    return _bounded(reset - time.time() if reset > _EPOCH else reset)


def _seconds(value: Any, most: float = _MOST) -> float | None:
    total_seconds = look(value, "total_seconds")
    if callable(total_seconds):
        return guarded(lambda: _bounded(float(total_seconds())))  # type: ignore[no-any-return]
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    number = guarded(lambda: float(value))
    return number if isinstance(number, float) and 0 <= number <= most else None


def _date(text: str) -> float | None:
    from email.utils import parsedate_to_datetime

    moment = guarded(lambda: parsedate_to_datetime(text).timestamp())
    return None if moment is None else _bounded(moment - time.time())


def _bounded(seconds: float) -> float:
    return round(min(max(seconds, 0.0), _MOST), 3)
