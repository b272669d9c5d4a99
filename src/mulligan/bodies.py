"""The body of the answer that a failure carries, as far as it has been read already: nothing here does I/O.

A body is read by the shapes that APIs document: RFC 9457, JSON:API, GraphQL, google.rpc.Status, OAuth 2, and an `error` that
holds a code and a message, whatever they are called there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from mulligan.answers import answers
from mulligan.facts import field, guarded, stored

Body = Mapping[str, Any] | list[Any]

MAX_CHARS = 200_000
MAX_NODES = 60
_PARSED = (
    "body", "data", "json_body", "response_body", "details", "error_details", "parsed_data", "payload", "info", "errors", "error",
)  # fmt: skip
_UNREAD = ("content", "http_body", "response_content", "raw_body", "text", "_body")
_NESTED = (
    "error", "errors", "Error", "Errors", "details", "detail", "innerError", "innererror", "extensions", "fault", "cause", "caused_by",
    "root_cause", "error_details", "exception", "status", "meta", "parameters", "body", "userErrors",
)  # fmt: skip
_CODES = (
    "reason", "code", "codeName", "error_code", "errorCode", "Code", "__type", "error_type", "errorType", "type", "kind", "name",
    "status", "error", "title", "category",
)  # fmt: skip
_MESSAGES = (
    "message", "msg", "Message", "error_description", "error_message", "errorMessage", "errmsg", "detail", "reason", "description",
    "explanation", "title", "error", "faultstring", "status_message", "err", "user_message", "text",
)  # fmt: skip
_STORED = (
    "message", "msg", "error", "explanation", "detail", "details", "description", "error_description", "reason", "text", "errors",
)  # fmt: skip
_STORED_CODES = ("reason", "code", "error_code", "errorCode", "codeName", "type", "error_type", "status", "error", "grpc_status_code")
_CODE = re.compile(r"[A-Za-z_][\w.#:/-]{1,100}")


def body(value: object) -> Body | None:
    """The body as parsed JSON, or None where there is none, or none that has been read.

    Args:
        value: an exception or an answer.
    """
    if isinstance(value, Mapping):
        return value
    first: Body | None = None
    for candidate in _candidates(value):
        found = _parsed(candidate)
        if isinstance(found, Mapping):
            return found
        first = first if first is not None else found
    return first


def body_text(value: object) -> str:
    """The body as text, its first 2,000 characters; empty where there is none, or none that has been read.

    Args:
        value: an exception or an answer.
    """
    for candidate in () if isinstance(value, Mapping) else _candidates(value):
        text = _text(candidate)
        if text and text.strip():
            return text[:2_000]
    return ""


def _candidates(value: object) -> Iterator[Any]:
    """What may hold the body, of the exception first and then of its answers."""
    for holder in (value, *answers(value)):
        if isinstance(holder, Mapping):
            yield holder
            continue
        for name in (*_PARSED, *_UNREAD):
            candidate = field(holder, name)
            if candidate and not callable(candidate):
                yield candidate


def _parsed(candidate: object) -> Body | None:
    if isinstance(candidate, Mapping):
        return candidate
    if isinstance(candidate, (list, tuple)):
        items = [_as_mapping(item) for item in candidate[:MAX_NODES]]
        return items if items and all(items) else None
    text = _text(candidate)
    if not text or len(text) > MAX_CHARS or text.lstrip()[:1] not in ("{", "["):
        return None
    import json

    found = guarded(lambda: json.loads(text))
    return found if isinstance(found, Mapping) or (isinstance(found, list) and found and isinstance(found[0], Mapping)) else None


def _as_mapping(item: object) -> Mapping[str, Any] | None:
    """One error of a list: a mapping, or an object of a client that stores the same."""
    if isinstance(item, Mapping):
        return item
    own = stored(item)
    return own if "message" in own or "code" in own else None


def _text(candidate: object) -> str | None:
    if isinstance(candidate, (bytes, bytearray)):
        return bytes(candidate[: MAX_CHARS + 1]).decode("utf-8", "replace")
    return candidate if isinstance(candidate, str) else None


def nodes(found: Body | None) -> Iterator[Mapping[str, Any]]:
    """The mappings of a body that tell of errors, outermost first: at most 60, at most five levels down.

    Args:
        found: a body.
    """
    waiting: list[tuple[Any, int]] = [(found, 0)]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        node, depth = waiting.pop(0)
        if isinstance(node, Mapping):
            yield node
            if depth < 5:  # noqa: PLR2004
                waiting += [(node[name], depth + 1) for name in _NESTED if isinstance(node.get(name), (Mapping, list))]
        elif isinstance(node, (list, tuple)):
            waiting += [(mapping, depth + 1) for item in node[:20] if (mapping := _as_mapping(item)) is not None]


def codes(found: Body | None) -> list[str]:
    """The reasons that a body gives as identifiers (`insufficient_quota`, `NOT_FOUND`), the innermost first.

    Args:
        found: a body.
    """
    told: dict[str, None] = {}
    for node in reversed(tuple(nodes(found))):
        for name in _CODES:
            code = node.get(name)
            if isinstance(code, str) and _CODE.fullmatch(code):
                told.setdefault(code)
    return list(told)


def codes_of(value: object, found: Body | None) -> tuple[str, ...]:
    """The reasons that a failure gives as identifiers: those of its body, then those that the exception stores.

    Args:
        value: an exception or an answer.
        found: the body.
    """
    told = dict.fromkeys(codes(found))
    for name in _STORED_CODES:
        code = field(value, name)
        if isinstance(code, Enum):
            code = code.name
        if isinstance(code, str) and _CODE.fullmatch(code):
            told.setdefault(code)
    return tuple(told)


def messages(found: Body | None) -> list[str]:
    """What a body says in words, the outermost first.

    Args:
        found: a body.
    """
    told: dict[str, None] = {}
    for node in nodes(found):
        for name in _MESSAGES:
            text = node.get(name)
            if isinstance(text, str) and " " in text.strip():
                told.setdefault(text[:1_000])
        for item in node["errors"][:10] if isinstance(node.get("errors"), list) else ():
            if isinstance(item, str):
                told.setdefault(item[:1_000])
    return list(told)


def stored_messages(value: object) -> list[str]:
    """What an exception stores in words beside its text.

    Args:
        value: an exception.
    """
    told = (field(value, name) for name in _STORED)
    return [text[:1_000] for text in told if isinstance(text, str) and " " in text.strip()]
