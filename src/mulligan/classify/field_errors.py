"""Finds the arguments that a service rejected, if the body of its response names them.

It reads the formats that APIs document: FastAPI's `detail[].loc`, JSON:API's `source.pointer`, google.rpc's
`fieldViolations`, GitHub's `errors[].field`, OpenAI's `param`, RFC 9457's `invalid-params`, GraphQL's `userErrors`, and
`{"errors": {field: [...]}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.catalogue import MISSING
from mulligan.classify.blamed_argument import holding, leaves
from mulligan.classify.call_arguments import argument_named_in
from mulligan.classify.error_body import MESSAGES, Nodes
from mulligan.errors import Problem
from mulligan.pointers import escape, steps_of

# fmt: off
_CERTAIN_FIELDS = {name: rank for rank, name in enumerate(("field", "param", "parameter", "loc", "pointer", "source"))}
_FIELDS = {name: rank for rank, name in enumerate((
    *_CERTAIN_FIELDS, "path", "location", "property", "attribute", "name", "target",
))}
_VIOLATIONS = frozenset((
    "fieldViolations", "field_violations", "invalid-params", "invalid_params", "violations", "userErrors",
))
_MAPPINGS = frozenset((
    "errors", "error", "details", "detail", "fields", "fieldErrors", "field_errors", "validation_errors", "message", "messages",
))
# fmt: on
_GENERAL = frozenset(("errors", "non_field_errors", "__all__", "base"))  # about no single field
_NAMES = frozenset(("fields", "fieldNames", "invalid_fields", "missing_fields"))
_REQUEST_PARTS = frozenset(("body", "query", "path", "header", "cookie", "data", "attributes", "input"))
_NAME = re.compile(r"[A-Za-z_$][\w$.\[\]/-]{0,200}")
_MISSING = re.compile(r"missing|required|blank", re.IGNORECASE)
# fmt: off
_COMMON_NAMES = frozenset((  # words of many messages, which name an argument only where more is said of it
    "message", "code", "status", "type", "error", "request", "response", "data", "value", "values", "field", "fields",
    "parameter", "params", "argument", "arguments", "args", "input", "output", "body", "text", "name", "id", "key", "token",
    "password", "credentials", "auth", "api_key", "service", "server", "client", "result", "content", "object", "item",
    "resource", "tool", "method", "format", "reason", "title", "description", "user", "account", "options", "model",
))
# fmt: on
REJECTED = "rejected by the service"
_MOST_PROBLEMS = 8
_QUOTE = r"[\"'`]"
_WORD = r"([A-Za-z_][\w.-]{0,80})"
_PREDICATE = r"(?:is|are|was|were|wasn't|must|has|should|does|got|cannot|can't|not|invalid)\b"
_TEXT_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"^{_WORD}\n  (?:Field required|Input should|Value error|Extra inputs|String should|List should)",
        rf"\b(?:parameter|argument|field|property|option|variable)s?:? {_QUOTE}\$?{_WORD}{_QUOTE}",
        rf"\b(?:missing|required|unexpected|unknown)\b[^\"'`\n{{]{{0,40}}{_QUOTE}{_WORD}{_QUOTE}",
        rf"{_QUOTE}\$?{_WORD}{_QUOTE} (?:(?:query |path |body )?(?:parameter|argument|field|property)\b|{_PREDICATE})",
        rf"\b(?:parameter|keyword argument) (?!values?\b|names?\b|types?\b){_WORD}(?=[,:.;)]|$| {_PREDICATE})",
        rf"(?:^|: |In |[-*] ){_WORD}: (?:Required|Field required|Invalid|Expected|Must|Input should)\b",
    )
)


def find_problems(nodes: Nodes, text: str, arguments: Mapping[str, Any] | None) -> tuple[Problem, ...]:
    """The problems with the arguments: one for each field that the body names, else one for a field named in the text.

    Args:
        nodes: the error mappings of the body.
        text: the messages of the failure.
        arguments: the arguments of the call, from which each `Problem` shows the value that was sent.
    """
    named: dict[str, Problem] = {}
    in_body = tuple(_pointers_in_body(nodes))
    for pointer, missing in in_body or tuple(_pointers_in_text(text[:1_000], arguments)):
        if pointer and pointer not in named and len(named) < _MOST_PROBLEMS:
            words = MISSING if missing and not (in_body and _was_sent(pointer, arguments)) else REJECTED
            named[pointer] = Problem(pointer, words, got=_sent_json(pointer, arguments))
    return tuple(named.values())


def likely_problems(pointer: str | None, text: str, arguments: Mapping[str, Any] | None) -> tuple[Problem, ...]:
    """The problem with the argument that a text seems to be about, where it is known that the arguments are wrong.

    Args:
        pointer: the argument that the text rejects, or None.
        text: the messages of the failure.
        arguments: the arguments of the call.
    """
    if pointer is None:
        named = {name: value for name, value in (arguments or {}).items() if name.lower() not in _COMMON_NAMES}
        name = argument_named_in(text, named)
        pointer = None if name is None else f"/{escape(name)}"
    return () if pointer is None else (Problem(pointer, REJECTED, got=_sent_json(pointer, arguments)),)


def pointer_to(place: object) -> str:
    """A JSON Pointer (RFC 6901) to a field; empty if the place names no field.

    Args:
        place: `a.b[0]`, `/a/b/0` or `["body", "a", 0]`.
    """
    if isinstance(place, str):
        if not _NAME.fullmatch(place.lstrip("/#")):
            return ""
        parts: list[Any] = [part for part in re.split(r"[./\[\]]+", place.lstrip("#")) if part]
    elif isinstance(place, (list, tuple)) and all(type(part) in (str, int) for part in place):
        parts = list(place)
    else:
        return ""
    while len(parts) > 1 and parts[0] in _REQUEST_PARTS:
        parts = parts[1:]
    return "".join(f"/{escape(part)}" for part in parts[:20])


def _pointers_in_body(nodes: Nodes) -> Iterator[tuple[str, bool]]:
    if nodes and all(type(told) is list and told and type(told[0]) is str for told in nodes[0].values()):
        yield from _pointers_in_mapping(nodes[0])  # Django REST framework
    for node in nodes:
        pointer = _pointer_of(node, _CERTAIN_FIELDS)
        if pointer:
            yield pointer, _says_missing(node)
        for name, inner in node.items():
            if name in _VIOLATIONS and type(inner) is list:
                yield from (
                    (_pointer_of(one, _FIELDS), _says_missing(one))
                    for one in inner[:_MOST_PROBLEMS]
                    if type(one) is dict
                )
            elif name in _MAPPINGS and type(inner) is dict:
                yield from _pointers_in_mapping(inner)
            elif name in _NAMES and type(inner) is list:
                yield from ((pointer_to(one), False) for one in inner[:_MOST_PROBLEMS] if type(one) is str)


def _pointers_in_text(text: str, arguments: Mapping[str, Any] | None) -> Iterator[tuple[str, bool]]:
    for pattern in _TEXT_PATTERNS:
        found = pattern.search(text)
        if found is not None and not _is_a_value(found[1], arguments):
            line = text[text.rfind("\n", 0, found.start()) + 1 :].split("\n\n", maxsplit=1)[0][:200]
            yield pointer_to(found[1]), _MISSING.search(line) is not None
            return


def _is_a_value(word: str, arguments: Mapping[str, Any] | None) -> bool:
    """Whether a quoted word is a value that the call sent, and the name of none of its arguments."""
    return word not in (arguments or {}) and bool(holding(word, leaves(arguments)))


def _pointer_of(node: Mapping[str, Any], names: Mapping[str, int]) -> str:
    for _, name in sorted((names[name], name) for name in node if name in names):
        place = node[name]
        if isinstance(place, Mapping):
            place = place.get("pointer") or place.get("parameter")
        pointer = pointer_to(place)
        if pointer:
            return pointer
    return ""


def _pointers_in_mapping(errors: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """The fields of `{"email": ["is invalid"]}`, each with whether it is missing."""
    if any(name in errors for name in ("code", "message", "type", "status")):
        return
    for name, told in tuple(errors.items())[:_MOST_PROBLEMS]:
        if name in _GENERAL:
            continue
        said = told[0] if isinstance(told, list) and told else told
        if type(name) is str and type(said) is str and " " in said and name not in MESSAGES:
            yield pointer_to(name), _MISSING.search(said[:200]) is not None


def _says_missing(node: Mapping[str, Any]) -> bool:
    told = (node.get(name) for name in ("type", "code", "msg", "message", "reason"))
    return any(type(text) is str and _MISSING.search(text[:200]) for text in told)


def _was_sent(pointer: str, arguments: Mapping[str, Any] | None) -> bool:
    """Whether the call had a value there: what was sent is not missing, even if a service says so."""
    value: Any = arguments
    for part in steps_of(pointer):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value is not None and value not in ("", [], {})


def _sent_json(pointer: str, arguments: Mapping[str, Any] | None) -> str | None:
    value: Any = arguments
    for part in steps_of(pointer):
        value = value.get(part) if isinstance(value, Mapping) else None
    if not isinstance(value, (str, int, float, bool)):
        return None
    import json

    return json.dumps(value, ensure_ascii=False)[:2_000]
