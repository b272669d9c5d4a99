"""The fields that the body of a response rejects, in the shapes that APIs and validators use.

They come in three forms: an item of a list with the name of its field (`{"field": "age", "message": ...}`), a mapping by
field (`{"errors": {"age": [...]}}`), and a list of names (`{"fields": ["age"]}`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from mulligan.classify.error_body import MESSAGES, Nodes
from mulligan.lazy import lazy_pattern

# fmt: off
_CERTAIN = (
    "field", "param", "parameter", "loc", "pointer", "source", "fieldName", "field_name", "instancePath", "dataPath",
    "propertyPath", "property_path", "propertyName", "PropertyName", "fieldPath", "json_pointer", "argument", "entry",
)
_LIKELY = (*_CERTAIN, "path", "location", "property", "attribute", "name", "target", "key", "in")
_LISTS = frozenset((
    "errors", "error", "Errors", "details", "detail", "issues", "violations", "fieldViolations", "field_violations",
    "invalid-params", "invalid_params", "invalidParams", "userErrors", "user_errors", "parameterViolations", "validation",
    "propertyViolations", "invalidFields", "invalid_fields", "fields", "fieldErrors", "field_errors", "validationErrors",
    "ModelState", "modelState", "invalid",
    "validation_errors", "validation_error", "causes", "body_params", "query_params", "inputErrors", "errorDetails",
    "context_info", "inner", "children", "data", "meta", "message", "messages", "zodError", "json", "form", "query", "body",
    "params", "InvalidField", "input", "inputPath", "extensions", "errorCauses", "response_metadata",
))
_BY_FIELD = frozenset((
    "errors", "error", "details", "detail", "fields", "fieldErrors", "field_errors", "validation_errors", "validationErrors",
    "ModelState", "modelState", "message", "messages", "json", "form", "params", "invalid_fields", "invalidFields",
))
_NAME_LISTS = frozenset(("fields", "fieldNames", "invalid_fields", "missing_fields", "keys", "required"))
_TEXTS = frozenset((*MESSAGES, "errorSummary", "messages", "errors", "error_messages", "errorMessages", "defaultMessage"))
_REASONS = ("type", "code", "msg", "message", "reason", "issue", "keyword", "description", "errorMessage", "ErrorMessage")
_COMPANIONS = frozenset((
    *_REASONS, "error", "constraints", "isValid", "error_code", "errorCode", "detail", "details", "title", "keyword",
))
# fmt: on
_GENERAL = frozenset(
    (
        "errors",
        "non_field_errors",
        "__all__",
        "base",
        "detail",
        "_schema",
        "formErrors",
        "code",
        "error",
        "error_messages",
    )
)
_PARTS = frozenset(("body", "query", "path", "header", "headers", "cookie", "parameter", "params", "form", "payload"))
_REQUEST = frozenset(("json", "form", "query"))
_PROPERTIES = ("missingProperty", "additionalProperty", "unevaluatedProperty")
_NO_FIELDS = frozenset(("code", "message", "type", "status"))
_CODE_LIKE = lazy_pattern(r"[A-Z][A-Z_]{3,80}|\w{1,80}(?:Error|Exception)")
_MISSING = lazy_pattern(r"missing|required|blank", re.IGNORECASE)
_MOST_FOUND, _MOST_ITEMS, _DEEPEST = 16, 20, 6

Place = tuple[Any, ...]


class Rejected(NamedTuple):
    """One field that a body rejects, or one of its texts, which may name a field.

    Attributes:
        place: the field as the service writes it; empty for a text.
        is_missing: whether the field is reported as missing.
        text: a text of the body.
    """

    place: Place
    is_missing: bool = False
    text: str = ""


def rejected_fields(nodes: Nodes) -> Iterator[Rejected]:
    """The fields that a body rejects, and the texts in lists of errors.

    Args:
        nodes: the error mappings of the body; the first ones are its own.
    """
    if nodes and all(type(members) is list and members for members in nodes[0].values()):  # Django REST framework
        yield from fields_of_mapping(nodes[0])
    found = (rejected for node in nodes for rejected in _in_mapping(node, (), 0, is_item=False))
    yield from islice(found, _MOST_FOUND)


def fields_of_mapping(errors: Mapping[str, Any]) -> Iterator[Rejected]:
    """The fields of a mapping by field, such as `{"email": ["is invalid"]}`.

    Args:
        errors: the mapping.
    """
    return _by_field(errors, (), 0, is_certain=True)


def _in_mapping(node: Mapping[str, Any], above: Place, depth: int, *, is_item: bool) -> Iterator[Rejected]:
    place = _place_of(node, is_item=is_item)
    if place and not node.get("children"):
        yield Rejected((*above, *_with_property(place, node)), _says_missing(node))
    elif is_item:
        yield from (Rejected((), text=node[name][:600]) for name in _TEXTS if type(node.get(name)) is str)
    for name, inner in tuple(node.items())[: 3 * _MOST_ITEMS] if depth < _DEEPEST else ():
        if type(inner) is list:
            yield from _in_list(name, inner, (*above, *(place if name == "children" else ())), depth + 1)
        elif type(inner) is dict and name in _LISTS and not (name == "params" and "keyword" in node):
            yield from _in_mapping(inner, above, depth + 1, is_item=name in ("error", "InvalidField"))
            if name in _BY_FIELD:
                yield from _by_field(inner, above, depth + 1, is_certain=name not in MESSAGES)
            for one in tuple(inner.values())[:_MOST_ITEMS] if name == "data" else ():  # GraphQL: by operation
                if type(one) is dict:
                    yield from _in_mapping(one, above, depth + 1, is_item=False)


def _with_property(place: Place, node: Mapping[str, Any]) -> Place:
    """A place with the property that JSON Schema names beside it: the one that is missing, or one too many."""
    params = node.get("params")
    named = [params.get(name) for name in _PROPERTIES] if type(params) is dict else []
    named = [one for one in named if type(one) is str]
    return (*(place if place != ("/",) else ()), *named[:1]) or place


def _in_list(name: str, listed: list[Any], above: Place, depth: int) -> Iterator[Rejected]:
    texts = [one for one in listed[:_MOST_ITEMS] if type(one) is str]
    if name in _NAME_LISTS:
        yield from (Rejected((*above, one), name in ("required", "missing_fields")) for one in texts)
    elif name in _TEXTS:
        yield from (Rejected((), text=one[:600]) for one in texts)
    for one in listed[:_MOST_ITEMS] if name in _LISTS else ():
        if type(one) is dict:
            yield from _in_mapping(one, above, depth, is_item=True)


def _place_of(node: Mapping[str, Any], *, is_item: bool) -> Place:
    """The field that a mapping names as its own; only an item of a list of errors may call it `path` or `name`."""
    likely = (is_item or type(node.get("path")) is list) and not _COMPANIONS.isdisjoint(node)
    for name in _LIKELY if likely else _CERTAIN:
        found = node.get(name)
        if type(found) is dict:
            found = found.get("pointer") or found.get("parameter")
        if name == "path" and (
            "locations" in node or "extensions" in node
        ):  # of a GraphQL answer, not of its arguments
            continue
        if name == "in" and found in _PARTS:
            continue
        if type(found) in (list, tuple) and found and all(type(part) in (str, int) for part in found):
            return tuple(found)
        if (
            type(found) is str
            and found
            and found not in _PARTS
            and not (name == "name" and _CODE_LIKE.fullmatch(found))
        ):
            return (found,)
        if found == "" and name in ("instancePath", "dataPath"):
            return ("/",)
    return ()


def _by_field(errors: Mapping[str, Any], above: Place, depth: int, *, is_certain: bool) -> Iterator[Rejected]:
    """The fields of `{"email": ["is invalid"]}`, also nested; none if the mapping is an error itself."""
    if depth > _DEEPEST or any(type(errors.get(name)) in (str, int) for name in _NO_FIELDS):
        return
    for name, member in tuple(errors.items())[:_MOST_ITEMS]:
        is_list = type(member) is list and (
            name in _LISTS if member and type(member[0]) is dict else name in _NAME_LISTS
        )
        if type(name) is str and name not in _GENERAL and (is_certain or name not in MESSAGES) and not is_list:
            yield from _of_field(above if name in _REQUEST and depth <= 1 else (*above, name), member, depth)


def _of_field(place: Place, member: Any, depth: int) -> Iterator[Rejected]:
    first = member[0] if type(member) is list and member else member
    if type(first) is str:
        if place and (type(member) is list or " " in first or depth == 1):
            yield Rejected(place, _MISSING.search(first[:200]) is not None)
    elif type(first) is dict and (type(first.get("_errors")) is list or _says(first)):
        yield Rejected(place, _says_missing(first))
    elif type(member) is dict:
        yield from _by_field(member, place, depth + 1, is_certain=True)
    elif type(member) is list:
        items = [(number, one) for number, one in enumerate(member[:_MOST_ITEMS]) if type(one) is dict]
        for number, one in items:
            yield from _by_field(one, (*place, number), depth + 1, is_certain=True)


def _says(node: Mapping[str, Any]) -> bool:
    return any(type(node.get(name)) is str for name in (*_REASONS, "error"))


def _says_missing(node: Mapping[str, Any]) -> bool:
    texts: list[Any] = [node.get(name) for name in _REASONS]
    listed = node.get("_errors")
    if type(listed) is list and listed and type(listed[0]) is dict:
        texts += [listed[0].get("code"), listed[0].get("message")]
    return any(type(text) is str and _MISSING.search(text[:200]) for text in texts)
