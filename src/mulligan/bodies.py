"""The body of the answer that a failure carries, as far as it has been read already: nothing here does I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mulligan import facts

Body = Mapping[str, Any] | list[Any]

MAX_CHARS = 200_000
_PARSED = ("body", "data", "json_body", "error_data", "details", "error_details", "parsed_data", "payload", "response_body", "info")
_UNREAD = ("content", "http_body", "response_content", "raw_body", "text", "_content", "_body")
_ANSWERS = ("response", "resp", "raw_response", "http_response")


def body(value: object) -> Body | None:
    """The body as parsed JSON, or None where there is none, or none that has been read.

    Args:
        value: an exception or an answer.
    """
    if isinstance(value, Mapping):
        return value
    first: Body | None = None
    for holder in (value, *answers(value)):
        if isinstance(holder, Mapping):
            return holder
        for candidate in _candidates(holder):
            found = _parsed(candidate)
            if isinstance(found, Mapping):
                return found
            first = first if first is not None else found
    return first


def answers(value: object) -> Iterator[Any]:
    """The answer objects that an exception holds, with the one that its `reason` holds."""
    for name in _ANSWERS:
        answer = facts.field(value, name)
        if answer is not None:
            yield answer
    reason = facts.field(value, "reason")
    if isinstance(reason, BaseException):
        yield from (answer for name in _ANSWERS if (answer := facts.field(reason, name)) is not None)


def body_text(value: object) -> str:
    """The body as text, its first 2,000 characters; empty where there is none, or none that has been read.

    Args:
        value: an exception or an answer.
    """
    for holder in (value, *answers(value)):
        if not isinstance(holder, Mapping):
            for candidate in _candidates(holder):
                text = _text(candidate)
                if text and text.strip():
                    return text[:2_000]
    return ""


def _candidates(holder: object) -> Iterator[Any]:
    for name in (*_PARSED, *_UNREAD):
        candidate = facts.field(holder, name)
        if candidate:
            yield candidate


def _parsed(candidate: object) -> Body | None:
    if isinstance(candidate, Mapping):
        return candidate
    if isinstance(candidate, list):
        return candidate if candidate and isinstance(candidate[0], Mapping) else None
    text = _text(candidate)
    if not text or len(text) > MAX_CHARS or text.lstrip()[:1] not in ("{", "["):
        return None
    import json

    found = facts.guarded(lambda: json.loads(text))
    return found if isinstance(found, (Mapping, list)) else None


def _text(candidate: object) -> str | None:
    if isinstance(candidate, (bytes, bytearray)):
        return bytes(candidate[: MAX_CHARS + 1]).decode("utf-8", "replace")
    return candidate if isinstance(candidate, str) else None
