"""Finds the arguments that a service rejected, if the body of its response names them.

It reads the formats that APIs document: FastAPI's `detail[].loc`, JSON:API's `source.pointer`, google.rpc's
`fieldViolations`, GitHub's `errors[].field`, OpenAI's `param`, RFC 9457's `invalid-params`, GraphQL's `userErrors`, and
`{"errors": {field: [...]}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mulligan.catalogue import MISSING
from mulligan.classify.blamed_argument import blamed_pointer, holding, leaves
from mulligan.classify.call_arguments import argument_named_in
from mulligan.classify.error_body import Nodes
from mulligan.classify.field_bodies import fields_of_mapping, rejected_fields
from mulligan.classify.field_texts import fields_in_text
from mulligan.errors import Problem
from mulligan.lazy import lazy_pattern
from mulligan.pointers import argument_of, escape, steps_of
from mulligan.untrusted.objects import call_safely

_REQUEST_PARTS = frozenset(
    ("body", "query", "path", "header", "cookie", "data", "attributes", "input", "json", "form", "payload", "$")
)
_NAME = lazy_pattern(r"[A-Za-z_$][\w$.\[\]\"'/ -]{0,200}")
_QUOTED_STEP = lazy_pattern(r"\[([\"'])[\w$./-]{1,100}\1\]")
_QUOTES = frozenset("\"'")
# fmt: off
_COMMON_NAMES = frozenset((  # words of many messages, which name an argument only where more is said of it
    "message", "code", "status", "type", "error", "request", "response", "data", "value", "values", "field", "fields",
    "parameter", "params", "argument", "arguments", "args", "input", "output", "body", "text", "name", "id", "key", "token",
    "password", "credentials", "auth", "api_key", "service", "server", "client", "result", "content", "object", "item",
    "resource", "tool", "method", "format", "reason", "title", "description", "user", "account", "options", "model",
))
# fmt: on
_MISSING = lazy_pattern(r"missing|required|blank", re.IGNORECASE)
_LABELLED = lazy_pattern(r"(?:^|: |[-*] )([A-Za-z_][\w.\[\]]{0,80}) ?: \S", re.MULTILINE)
_MOST_ARGUMENTS, _LONGEST_TEXT = 40, 1_000
_REJECTION = lazy_pattern(
    r"\b(?:in)?valid\b|\b(?:must|cannot|unsupported|unknown|required|missing|bad|wrong|parse|malformed|syntax|format|scheme|expected"
    r"|range|too|no such|unrecognized|illegal|incorrect)\b",
    re.IGNORECASE,
)
REJECTED = "rejected by the service"
_SAYS_MISSING = lazy_pattern(r"(?:(?:is|was|a value is) )?(?:missing|needed|required)\.?", re.IGNORECASE)
_MOST_PROBLEMS = 8
_WRAPPER = lazy_pattern(r"arg\d{1,2}|[A-Z]\w{0,80}")
_PLAIN_NAMES = frozenset(("name", "id", "type", "value", "key", "code", "status", "title"))


def find_problems(nodes: Nodes, text: str, arguments: Mapping[str, Any] | None) -> tuple[Problem, ...]:
    """The problems with the arguments: one for each field that the body names, else one for a field named in the text.

    Args:
        nodes: the error mappings of the body.
        text: the messages of the failure.
        arguments: the arguments of the call. A field that the service writes in another way, or within the name of its
            own type, is that argument; each `Problem` shows the value that was sent.
    """
    named: dict[str, Problem] = {}
    in_body = tuple(_pointers_in_body(nodes, arguments))
    for pointer, missing in in_body or tuple(_pointers_in_text(text, arguments))[:1]:
        if pointer and pointer not in named and len(named) < _MOST_PROBLEMS:
            is_missing = missing and not (in_body and _was_sent(pointer, arguments))
            named[pointer] = Problem(pointer, MISSING if is_missing else REJECTED, got=_sent_json(pointer, arguments))
    return tuple(named.values())


def _pointers_in_body(nodes: Nodes, arguments: Mapping[str, Any] | None) -> Iterator[tuple[str, bool]]:
    for place, is_missing, text in rejected_fields(nodes):
        if place:
            yield _pointer_of(place, arguments), is_missing
        elif text:
            blamed = blamed_pointer(text, tuple(leaves(arguments)), by_value=False)
            yield from (*_pointers_in_text(text, arguments), *([(blamed, False)] if blamed else []))[:1]
    if nodes and arguments and all(_as_argument(str(name), arguments) for name in nodes[0]):  # a mapping by field
        yield from ((_pointer_of(one.place, arguments), one.is_missing) for one in fields_of_mapping(nodes[0]))


def _pointers_in_text(text: str, arguments: Mapping[str, Any] | None) -> Iterator[tuple[str, bool]]:
    for place, is_missing in (*_fields_in_listing(text), *fields_in_text(text)):
        word = place[0] if len(place) == 1 else None
        if type(word) is str and _is_a_value(word, arguments):
            continue
        pointer = _pointer_of(place, arguments) or ""
        if pointer:
            yield pointer, is_missing
    for found in _LABELLED.finditer(text[:_LONGEST_TEXT]):  # `age: 5 > 4`, where `age` is an argument
        pointer = _pointer_of((found[1],), arguments) or ""
        if pointer and argument_of(pointer) in (arguments or {}):
            yield pointer, False


def _fields_in_listing(text: str) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """The fields of a JSON list of errors within a text, as zod writes it."""
    start, end = text.find("["), text.rfind("]")
    if not 0 <= start < end or "{" not in text[start : start + 12]:
        return
    import json

    listed = call_safely(lambda: json.loads(text[start : end + 1]))
    items = tuple(one for one in listed[:_MOST_PROBLEMS] if type(one) is dict) if type(listed) is list else ()
    yield from ((one.place, one.is_missing) for one in rejected_fields(({"errors": list(items)},)) if one.place)


def _is_a_value(word: str, arguments: Mapping[str, Any] | None) -> bool:
    """Whether a quoted word is a value that the call sent, and the name of none of its arguments."""
    return _as_argument(word, arguments or {}) is None and bool(holding(word, leaves(arguments)))


def without_contradictions(problems: Sequence[Problem], arguments: Mapping[str, Any] | None) -> tuple[Problem, ...]:
    """The problems of a rule, of which none says that a value is missing that the call has sent.

    Args:
        problems: the problems.
        arguments: the arguments of the call.
    """
    return tuple(
        Problem(one.pointer, REJECTED, one.expected, one.got or _sent_json(one.pointer, arguments))
        if _says_missing(one) and _was_sent(one.pointer, arguments)
        else one
        for one in problems
    )


def _says_missing(problem: Problem) -> bool:
    is_text = type(problem.message) is type(problem.pointer) is str  # a plugin may return anything
    return is_text and _SAYS_MISSING.fullmatch(problem.message) is not None


def likely_problems(pointer: str | None, text: str, arguments: Mapping[str, Any] | None) -> tuple[Problem, ...]:
    """The problem with the argument that a text seems to be about, where it is known that the arguments are wrong.

    Args:
        pointer: the argument that the text rejects, or None.
        text: the messages of the failure.
        arguments: the arguments of the call.
    """
    if pointer is None and _REJECTION.search(text):
        named = {name: value for name, value in (arguments or {}).items() if name.lower() not in _COMMON_NAMES}
        name = argument_named_in(text, named)
        pointer = None if name is None else f"/{escape(name)}"
    return () if pointer is None else (Problem(pointer, REJECTED, got=_sent_json(pointer, arguments)),)


def pointer_to(place: object) -> str:
    """A JSON Pointer (RFC 6901) to a field; empty if the place names no field.

    Args:
        place: `a.b[0]`, `/a/b/0` or `["body", "a", 0]`.
    """
    parts = _parts_of(place)
    while len(parts) > 1 and parts[0] in _REQUEST_PARTS:
        parts = parts[1:]
    return "".join(f"/{escape(part)}" for part in parts[:20])


def _parts_of(place: object) -> list[Any]:
    if isinstance(place, str):
        name = place.lstrip("/#.").strip()
        if not _NAME.fullmatch(name) or " " in name or not _QUOTES.isdisjoint(_QUOTED_STEP.sub("", name)):
            return []
        return [part for part in re.split(r"[./\[\]\"']+", name) if part]
    if isinstance(place, (list, tuple)) and all(type(part) in (str, int) for part in place):
        return list(place)
    return []


def _pointer_of(place: tuple[Any, ...], arguments: Mapping[str, Any] | None) -> str:
    """The pointer to a field, as the call's own arguments name it if one of them is meant."""
    parts = _parts_of(place[0]) if len(place) == 1 and type(place[0]) is str else _flat(place)
    if not arguments or not parts:
        return pointer_to(parts)
    own = next((number for number, part in enumerate(parts) if _may_begin(parts, number, arguments)), None)
    if own is None:
        return _holder_of(str(parts[-1]), arguments) or pointer_to(parts)
    return "".join(f"/{escape(part)}" for part in _as_sent(parts[own:20], arguments))


def _flat(place: tuple[Any, ...]) -> list[Any]:
    """The parts of a place, of which a text may hold several: `("items", 0, "a.b")`."""
    return [inner for part in place for inner in (_parts_of(part) or [part] if type(part) is str else [part])]


def _may_begin(parts: list[Any], number: int, arguments: Mapping[str, Any]) -> bool:
    """Whether a part is an argument: the first, or one within what only the service names, such as its own type."""
    if type(parts[number]) is not str or _as_argument(parts[number], arguments) is None:
        return False
    above = parts[:number]
    if number == 0 and parts[0] in _REQUEST_PARTS and len(parts) > 1:
        return isinstance(arguments.get(parts[0]), (Mapping, list)) or _as_argument(str(parts[1]), arguments) is None
    is_wrapped = all(part in _REQUEST_PARTS or (type(part) is str and _WRAPPER.fullmatch(part)) for part in above)
    return is_wrapped or (number == len(parts) - 1 and str(parts[number]).lower() not in _PLAIN_NAMES)


def _as_argument(name: str, arguments: Mapping[str, Any]) -> str | None:
    """The argument of that name, also if it is written in another case or with other joints."""
    if name in arguments:
        return name
    written = _plain(name)
    found = [one for one in tuple(arguments)[:_MOST_ARGUMENTS] if written and _plain(one) == written]
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name[:200]).lower()


def _as_sent(parts: list[Any], arguments: Mapping[str, Any]) -> Iterator[Any]:
    """The parts of a place, each named as in the arguments as far as those go."""
    inside: Any = arguments
    for part in parts:
        known = _as_argument(part, inside) if isinstance(inside, Mapping) and type(part) is str else None
        yield known or part
        if isinstance(inside, Mapping):
            inside = inside.get(known) if known is not None else None
        elif isinstance(inside, (list, tuple)) and str(part).isdecimal() and int(part) < len(inside):
            inside = inside[int(part)]
        else:
            inside = None


def _holder_of(word: str, arguments: Mapping[str, Any]) -> str:
    """The pointer to the only text that holds a word, such as a query with a field that does not exist; else empty."""
    texts = [leaf for leaf in leaves(arguments) if type(leaf.value) is str and " " in leaf.value]
    found = [leaf for leaf in texts if leaf.value != word and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", leaf.value)]
    return found[0].pointer if len(found) == 1 else ""


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
