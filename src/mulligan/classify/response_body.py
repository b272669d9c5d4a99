"""The body of the answer that a failure carries, as far as it has been read already: nothing here does I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.untrusted.objects import fields, guarded, stored
from mulligan.untrusted.plain import DEEPEST, nests_deeper

Body = Mapping[str, Any] | list[Any]

MAX_CHARS = 200_000
_MOST_ITEMS = 60
# fmt: off
_BODY_FIELDS = (
    "body", "data", "json_body", "response_body", "details", "error_details", "parsed_data", "payload", "info",
    "errors", "error", "content", "http_body", "response_content", "raw_body", "text", "_body",
)
# fmt: on


def body(value: object, responses: tuple[Any, ...]) -> Body | None:
    """The body as parsed JSON, or None where there is none, or none that has been read.

    Args:
        value: an exception or an answer.
        responses: the answers that it holds.
    """
    if isinstance(value, Mapping):
        return value
    first: Body | None = None
    for candidate in (*_candidates(value, responses), *_candidates_in_args(value)):
        found = _parse_body(candidate)
        if isinstance(found, Mapping):
            return found
        first = first if first is not None else found
    return first


def _candidates_in_args(value: object) -> Iterator[Any]:
    """Answers among the arguments of an exception: a mapping, or JSON at the end of a text."""
    for raised_with in value.args[:4] if isinstance(value, BaseException) else ():
        if isinstance(raised_with, (Mapping, list)):
            yield raised_with
        elif isinstance(raised_with, str) and raised_with.rstrip().endswith(("}", "}]")):
            yield raised_with[min(place for place in map(raised_with.find, ("{", "[{")) if place >= 0) :]


def body_text(value: object, responses: tuple[Any, ...]) -> str:
    """The body as text, its first 2,000 characters; empty where there is none, or none that has been read.

    Args:
        value: an exception or an answer.
        responses: the answers that it holds.
    """
    for candidate in () if isinstance(value, Mapping) else _candidates(value, responses):
        text = _text(candidate)
        if text and text.strip():
            return text[:2_000]
    return ""


def _candidates(value: object, responses: tuple[Any, ...]) -> Iterator[Any]:
    """What may hold the body, of the exception first and then of its answers."""
    for holder in (value, *responses):
        if isinstance(holder, Mapping):
            yield holder
        else:
            yield from (
                candidate
                for candidate in fields(holder, _BODY_FIELDS)
                if type(candidate) in _PLAIN_TYPES or not callable(candidate)
            )


_PLAIN_TYPES = (str, bytes, dict, list)


def _parse_body(candidate: object) -> Body | None:
    if isinstance(candidate, Mapping):
        return candidate
    if isinstance(candidate, (list, tuple)):
        items = [as_mapping(item) for item in candidate[:_MOST_ITEMS]]
        return items if items and all(items) else None
    text = _text(candidate)
    if not text or len(text) > MAX_CHARS or text.lstrip()[:1] not in ("{", "[") or nests_deeper(text, DEEPEST):
        return None
    import json

    found = guarded(lambda: json.loads(text))
    if isinstance(found, list):
        return found if found and isinstance(found[0], Mapping) else None
    return found if isinstance(found, Mapping) else None


def as_mapping(item: object) -> Mapping[str, Any] | None:
    """One error of a list as a mapping: a client may make an object of it that stores the same.

    Args:
        item: anything.
    """
    if isinstance(item, Mapping):
        return item
    own = stored(item)
    return own if "message" in own or "code" in own else None


def _text(candidate: object) -> str | None:
    if isinstance(candidate, (bytes, bytearray)):
        return bytes(candidate[: MAX_CHARS + 1]).decode("utf-8", "replace")
    return candidate if isinstance(candidate, str) else None
