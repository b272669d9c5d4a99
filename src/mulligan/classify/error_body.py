"""Reads the body of an error response in the formats that APIs document.

These are RFC 9457, JSON:API, GraphQL, google.rpc.Status, OAuth 2, and any `error` object with a code and a message,
under the field names that APIs commonly use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from mulligan.classify.response_body import Body, as_mapping
from mulligan.lazy import lazy_pattern
from mulligan.untrusted.classes import as_dict, is_a, stored_attributes
from mulligan.untrusted.objects import read_field, read_fields

Nodes = tuple[dict[str, Any], ...]

_MOST_NODES = 60
_DEEPEST = 5
# fmt: off
_NESTED = frozenset((
    "error", "errors", "Error", "Errors", "details", "detail", "innerError", "innererror", "extensions",
    "fault", "cause", "caused_by", "root_cause", "error_details", "exception", "status", "meta", "parameters",
    "body", "userErrors", "causes", "context_info", "error_extra", "errorExtra", "error_data", "errorData",
))
_CODES = (
    "reason", "code", "codeName", "error_code", "errorCode", "error_name", "errorName", "error_tag", ".tag", "Code",
    "__type", "error_type", "errorType",
    "type", "kind", "name", "status", "error", "title", "category",
)
_STORED_CODES = (
    "reason", "code", "error_code", "errorCode", "error_name", "codeName", "type", "error_type", "status", "error",
    "grpc_status_code",
)
MESSAGES = frozenset((
    "message", "msg", "Message", "error_description", "error_message", "errorMessage", "errmsg", "detail",
    "reason", "description", "explanation", "title", "error", "faultstring", "status_message", "err",
    "user_message", "userMessage", "developer_message", "developerMessage", "errorDescription", "text",
    "errors",
))
_STORED_MESSAGES = (
    "message", "msg", "error", "explanation", "detail", "details", "description", "error_description", "reason",
    "text", "errors",
)
# fmt: on
_FIELDS_WITH_MAPPING = frozenset(("message", "messages", "errors", "error", "detail", "params"))
# What an error object with a code says of the fields of a request, as WordPress does; its other data may be results.
_DETAILS, _FIELDS = "data", ("params", "details", "errors")
_RANKS = {name: rank for rank, name in enumerate(_CODES)}
_TITLE = _RANKS["title"]
_CODE = lazy_pattern(r"[A-Za-z_][\w.#:/-]{1,100}")


def error_nodes(body: Body | None) -> Nodes:
    """The mappings of a body that report errors, outermost first: at most 60, at most five levels deep."""
    if body is None:
        return ()
    result: list[dict[str, Any]] = []
    queue: list[tuple[Any, int]] = [(body, 0)]
    while queue and len(result) < _MOST_NODES:
        node, depth = queue.pop(0)
        if is_a(node, Mapping):
            node = as_dict(node)
            result.append(node)
            if depth < _DEEPEST:
                tag = node.get(".tag")  # the tag of a union names the member that holds the details
                queue += [
                    (inner, depth + 1)
                    for name, inner in node.items()
                    if (name in _NESTED or name == tag) and type(inner) is not str
                ]
                if type(node.get("message")) is str and "code" in node and is_a(node.get(_DETAILS), Mapping):
                    data = as_dict(node[_DETAILS])
                    queue.append(({name: data[name] for name in _FIELDS if name in data}, depth + 1))
        elif type(node) in (list, tuple):
            queue += [(mapping, depth + 1) for item in node[:20] if (mapping := as_mapping(item)) is not None]
    return tuple(result)


def codes(value: object, nodes: Nodes) -> tuple[str, ...]:
    """The error codes of a failure (`insufficient_quota`, `NOT_FOUND`), most specific first.

    Args:
        value: an exception or a response; its stored codes come last.
        nodes: the error mappings of its body; codes of the innermost come first.
    """
    unique_codes: dict[str, None] = {}
    for node in reversed(nodes):
        known = sorted((_RANKS[name], code) for name, code in node.items() if name in _RANKS and type(code) is str)
        known = [(rank, code.replace(" ", "_") if rank == _TITLE else code) for rank, code in known]
        unique_codes.update((code, None) for _, code in known if _CODE.fullmatch(code))
    unique_codes.update((tag, None) for tag in _tags(value))
    for code in read_fields(value, _STORED_CODES):
        name = stored_attributes(code).get("_name_") if is_a(code, Enum) else code
        if type(name) is str and _CODE.fullmatch(name):
            unique_codes.setdefault(name)
    return tuple(unique_codes)


def _tags(value: object) -> tuple[str, ...]:
    """The tags of a union that a client stores as the error, as Stone does: `path`, then `not_found` inside it."""
    found: list[str] = []
    union = read_field(value, "error")
    for _ in range(_DEEPEST):
        tag = read_field(union, "_tag")
        if type(tag) is not str:
            break
        found.insert(0, tag)
        union = read_field(union, "_value")
    return tuple(found)


def messages(value: object, nodes: Nodes) -> Iterator[str]:
    """The messages of a failure: those in the body, outermost first, then those that the exception stores.

    Args:
        value: an exception or a response.
        nodes: the error mappings of its body.
    """
    for node in nodes:
        for name, text in node.items():
            if name in MESSAGES and type(text) is str and " " in text:
                yield text[:1_000]
            elif name in _FIELDS_WITH_MAPPING and type(text) is dict:
                yield from (f"{one} {nodes[0]}"[:1_000] for one, nodes in text.items() if _is_texts(nodes))
                yield from (one[:1_000] for key, one in text.items() if type(one) is str and one.startswith(f"{key} "))
        yield from _texts(node.get("errors"))
        yield from _texts(node.get("messages"))
    for text in read_fields(value, _STORED_MESSAGES):
        if type(text) is str and " " in text:
            yield text[:1_000]
        yield from _texts(text)
    data = read_field(value, _DETAILS)
    if type(data) is str and " " in data and data[:1].isalnum():  # a sentence, no body
        yield data[:1_000]


def _texts(listed: Any) -> Iterator[str]:
    yield from (text[:1_000] for text in (listed[:10] if type(listed) is list else ()) if type(text) is str)


def _is_texts(value: Any) -> bool:
    return type(value) is list and bool(value) and type(value[0]) is str
