"""Finds the argument for a field of a service: `LastName` may have been sent as `fields.last_name`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.plugin import Problem

_MISSING = re.compile(r"missing|required|must be provided|not set|blank|empty|must not be", re.IGNORECASE)
_NOT_ALNUM = re.compile(r"[\W_]+")
_QUERIES = frozenset(("soql", "query", "formula", "filterbyformula", "sosl", "search"))
_MOST_NODES, _MOST_PROBLEMS = 200, 8


def problems_of(fields: Iterable[tuple[str, str]], arguments: Mapping[str, Any] | None, service: str) -> list[Problem]:
    """A problem for each field that a service rejects, with the pointer to its argument.

    Args:
        fields: the name of each field, with the service's reason.
        arguments: the arguments of the call.
        service: the name of the service.
    """
    found: dict[str, Problem] = {}
    for field, reason in fields:
        steps, value = find_field(field, arguments)
        pointer = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
        if pointer and pointer not in found and len(found) < _MOST_PROBLEMS:
            missing = value in (None, "") and _MISSING.search(reason) is not None
            found[pointer] = Problem(pointer, "missing" if missing else f"rejected by {service}", got=_as_json(value))
    return list(found.values())


def find_field(field: str, arguments: Mapping[str, Any] | None) -> tuple[list[str], Any]:
    """Where a field was sent, and its value. A missing field belongs in the only argument that is a mapping.

    Args:
        field: the name of the field, as the service writes it.
        arguments: the arguments of the call.
    """
    wanted, known = _plain(field), dict(arguments or {})
    waiting: list[tuple[list[str], Any]] = [([], known)]
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        steps, value = waiting.pop(0)
        items = value.items() if isinstance(value, Mapping) else enumerate(value if isinstance(value, list) else ())
        for name, inner in list(items)[:_MOST_NODES]:
            place = [*steps, str(name)]
            if isinstance(name, str) and _plain(name) == wanted:
                return place, inner
            if isinstance(inner, (Mapping, list)) and len(place) < 5:
                waiting.append((place, inner))
    mappings = [name for name, value in known.items() if isinstance(value, Mapping)]
    return ([mappings[0], field] if len(mappings) == 1 else [field]), None


def was_sent(field: str, arguments: Mapping[str, Any] | None) -> bool:
    """Whether the call has an argument of that name, or a value inside one.

    Args:
        field: the name of the field, as the service writes it.
        arguments: the arguments of the call.
    """
    return find_field(field, arguments)[1] is not None


def query_argument(arguments: Mapping[str, Any] | None) -> str | None:
    """The name of the argument that holds a query or a formula, if there is one.

    Args:
        arguments: the arguments of the call.
    """
    return next((name for name in list(arguments or {})[:40] if _plain(name) in _QUERIES), None)


def argument_with(value: str, arguments: Mapping[str, Any] | None) -> str | None:
    """The name of the only argument that has this value.

    Args:
        value: a value, as the service writes it.
        arguments: the arguments of the call.
    """
    names = [
        name for name, sent in list((arguments or {}).items())[:40] if type(sent) in (str, int) and str(sent) == value
    ]
    return names[0] if len(names) == 1 else None


def _plain(name: str) -> str:
    return _NOT_ALNUM.sub("", name[:200]).lower()


def _as_json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False)[:2_000] if isinstance(value, (str, int, float, bool)) else None
