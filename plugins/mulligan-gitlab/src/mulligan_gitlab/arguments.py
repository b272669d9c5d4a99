"""Finds the argument of the call for a field or a kind of resource in a GitLab response."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mulligan.plugin import Problem

_MISSING = re.compile(r"missing|required|can't be blank|is empty", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_LABELS = frozenset(("id", "iid", "path", "name", "sha", "slug", "key", "number", "ref", "full", "with", "namespace"))
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "merge request": ("mr",),
    "commit": ("sha", "ref", "branch"),
    "file": ("path", "filename"),
    "tree": ("path", "ref"),
    "branch": ("ref",),
    "tag": ("ref",),
    "reference": ("ref", "branch"),
    "project": ("repo", "repository"),
    "group": ("namespace",),
    "namespace": ("group",),
    "note": ("comment",),
}
_CONTAINERS = frozenset(("project", "repo", "repository", "group", "namespace"))
_IDENTIFIERS = _CONTAINERS | frozenset(("id", "iid", "sha", "ref", "path", "slug", "branch", "tag", "key", "name"))
_QUERIES = ("query", "mutation", "document", "graphql", "request")
_MOST_ARGUMENTS = 40


def find_argument(kind: str, arguments: Mapping[str, Any] | None) -> str | None:
    """The name of the argument that identifies a kind of resource, such as `mr_iid` for "Merge Request".

    Args:
        kind: what GitLab calls it. If GitLab does not say, it is empty, and the only identifier counts, if possible
            one of something inside a project.
        arguments: the arguments of the call.
    """
    names = [name for name, value in _sent(arguments) if type(value) in (str, int) and value != ""]
    if not kind:
        identifiers = [
            name for name in names if _spaced(name).split()[-1:] and _spaced(name).split()[-1] in _IDENTIFIERS
        ]
        inner = [name for name in identifiers if _subject(name) not in _CONTAINERS] or identifiers
        return inner[0] if len(inner) == 1 else None
    for wanted in (kind.lower(), *_OTHER_NAMES.get(kind.lower(), ())):
        for name in names:
            if wanted in (_spaced(name), _subject(name)):
                return name
    return None


def _sent(arguments: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    return list((arguments or {}).items())[:_MOST_ARGUMENTS]


def _spaced(name: str) -> str:
    return " ".join(_WORDS.findall(name)).lower()


def _subject(name: str) -> str:
    """`merge request` for `merge_request_iid`."""
    words = _spaced(name).split()
    while len(words) > 1 and words[-1] in _LABELS:
        words.pop()
    return " ".join(words)


def problems_of(fields: Iterable[tuple[str, str]], arguments: Mapping[str, Any] | None) -> list[Problem]:
    """A problem for each field that GitLab rejects, with the pointer to its argument.

    Args:
        fields: the name of each field, with GitLab's reason.
        arguments: the arguments of the call.
    """
    found: dict[str, Problem] = {}
    for field, reason in fields:
        pointer, value = _place(field, arguments)
        if pointer and pointer not in found and len(found) < 8:
            missing = value in (None, "") and _MISSING.search(reason) is not None
            found[pointer] = Problem(pointer, "missing" if missing else "rejected by GitLab", got=_as_json(value))
    return list(found.values())


def _place(field: str, arguments: Mapping[str, Any] | None) -> tuple[str, Any]:
    """The JSON Pointer to a field and the value there: `actions[0][file_path]` is inside `actions`."""
    steps = [step for step in re.split(r"[.\[\]]+", field) if step][:8]
    for start in range(len(steps)):
        known, value = _walk(steps[start:], arguments)
        if known:
            return "".join(f"/{_escape(step)}" for step in known), value
    return "".join(f"/{_escape(step)}" for step in steps), None


def _walk(steps: list[str], arguments: Any) -> tuple[list[str], Any]:
    """The path of steps from a mapping, and the value there; an empty path if the first step does not exist."""
    known: list[str] = []
    value: Any = arguments
    for step in steps:
        if isinstance(value, Mapping):
            key = next((name for name in value if isinstance(name, str) and _spaced(name) == _spaced(step)), None)
            if key is None and not known:
                return [], None
            known.append(key or step)
            value = None if key is None else value[key]
        elif isinstance(value, list) and step.isdecimal():
            known.append(step)
            value = value[int(step)] if int(step) < len(value) else None
        else:
            break
    return known, value


def _escape(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _as_json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False)[:2_000] if isinstance(value, (str, int, float, bool)) else None


def query_problems(names: Iterator[str], arguments: Mapping[str, Any] | None) -> list[Problem]:
    """A problem for each name that GitLab's schema rejects, at the argument of that name, otherwise at the query.

    Args:
        names: fields, arguments or variables of a GraphQL query.
        arguments: the arguments of the call.
    """
    query = next((name for name, _ in _sent(arguments) if name.lower() in _QUERIES), None)
    found: dict[str, Problem] = {}
    for name in names:
        known, value = _walk([name], arguments)
        place = known[0] if known else query or name
        found[f"/{_escape(place)}"] = Problem(f"/{_escape(place)}", "does not fit the schema", got=_as_json(value))
    return list(found.values())[:8]
