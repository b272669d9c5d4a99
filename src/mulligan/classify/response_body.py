"""The body of the response that a failure carries, if it has already been read. Nothing here does I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from mulligan.lazy import lazy_pattern
from mulligan.untrusted.classes import as_dict, is_a, stored_attributes
from mulligan.untrusted.json_values import DEEPEST, is_nested_deeper
from mulligan.untrusted.objects import call_safely, raised_with, read_fields

Body = Mapping[str, Any] | list[Any]

MAX_CHARS = 200_000
_MOST_ITEMS, _MOST_STARTS = 60, 3
_BODY_START = lazy_pattern(r"(?:^|[\s:=(])(?=\[?\{)")
# fmt: off
_BODY_FIELDS = (
    "body", "data", "json", "json_body", "response_body", "details", "error_details", "parsed_data", "payload", "info",
    "errors", "error", "content", "http_body", "response_content", "raw_body", "text", "_body",
)
# fmt: on


def body(value: object, responses: tuple[Any, ...]) -> Body | None:
    """The body as parsed JSON; None if there is no body or it has not been read.

    Args:
        value: an exception or a response.
        responses: the responses that it holds.
    """
    if is_a(value, Mapping):
        return as_dict(value)
    first: Body | None = None
    for candidate in (*_candidates(value, responses), *_candidates_in_texts(value)):
        found = _parse_body(candidate)
        if type(found) is dict:
            return found
        first = first if first is not None else found
    return first


def _candidates_in_texts(value: Any) -> Iterator[Any]:
    """Possible bodies in a returned text, or among the arguments of an exception: a mapping, a list, or the end of a text."""
    for one in raised_with(value)[:4] if is_a(value, BaseException) else (value,):
        if is_a(one, Mapping, list):
            yield one
        elif type(one) is str and one.rstrip().endswith(("}", "}]")):
            for start in islice(_BODY_START.finditer(one), _MOST_STARTS):
                yield one[start.end() :]


def body_text(value: object, responses: tuple[Any, ...]) -> str:
    """The first 2,000 characters of the body; empty if there is no body or it has not been read.

    Args:
        value: an exception or a response.
        responses: the responses that it holds.
    """
    for candidate in () if is_a(value, Mapping) else _candidates(value, responses):
        text = _text(candidate)
        if text and text.strip():
            return text[:2_000]
    return ""


def _candidates(value: object, responses: tuple[Any, ...]) -> Iterator[Any]:
    """The values that may hold the body: those of the exception first, then those of its responses."""
    for holder in (value, *responses):
        if is_a(holder, Mapping):
            yield holder
        else:
            yield from read_fields(holder, _BODY_FIELDS)


def _parse_body(candidate: Any) -> Body | None:
    if is_a(candidate, Mapping):
        return as_dict(candidate)
    if type(candidate) in (list, tuple):
        items = [as_mapping(item) for item in candidate[:_MOST_ITEMS]]
        return items if items and all(items) else None
    text = _text(candidate)
    if not text or len(text) > MAX_CHARS or text.lstrip()[:1] not in ("{", "[") or is_nested_deeper(text, DEEPEST):
        return None
    import json

    from mulligan.classify.printed_values import as_json

    found = call_safely(lambda: json.loads(as_json(text)))
    if type(found) is list:
        return found if found and type(found[0]) is dict else None
    return found if type(found) is dict else None


def as_mapping(item: object) -> Mapping[str, Any] | None:
    """An item of an error list as a mapping. Some clients store errors as objects with the same fields."""
    if is_a(item, Mapping):
        return as_dict(item)
    own = stored_attributes(item)
    return own if "message" in own or "code" in own else None


def _text(candidate: Any) -> str | None:
    if type(candidate) in (bytes, bytearray):
        return bytes(candidate[: MAX_CHARS + 1]).decode("utf-8", "replace")
    return candidate if type(candidate) is str else None
