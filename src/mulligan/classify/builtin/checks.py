"""Checks and lookups inside a tool that fail because of an argument.

Python raises the same exceptions for a mistake in the tool. So an argument is blamed only if the exception names it, shows
its value, or was raised with it; and only where neither the class nor the text says something else.
"""

from __future__ import annotations

import json
import re

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.rules import Rules
from mulligan.errors import Problem, ResourceNotFoundError, ToolArgumentError, ToolError

rules = Rules()
# fmt: off
_POSITIONS = frozenset((
    "index", "idx", "i", "n", "nth", "position", "pos", "place", "row", "line", "column", "col", "item", "number", "page",
    "offset",
))
# fmt: on
_ARGUMENT_MEANINGS = (None, m.ARGUMENT, m.FAILED, m.OUT_OF_RANGE)
_LISTS_OTHERS = re.compile(  # `'mauve' not found in ('red', 'green')`
    r"[\"'`] (?:is |was )?not (?:found )?(?:in|one of|among) (?:the )?[(\[]\s*[\"'`]", re.IGNORECASE
)
_NULL = re.compile(r"\bnull (?:byte|character)s?\b")
_KEY_NAMES = ("id", "key", "name", "uuid", "number", "slug", "code")
_SHORTEST_KEY, _SHORTEST_NUMBER = 2, 100
_MOST_KEYS, _LONGEST_SHOWN, _MOST_TEXT = 4, 2_000, 1_000


@rules("builtins.LookupError")
def lookup(failure: Failure) -> ToolError | None:
    """A lookup by an argument found nothing: the key of a KeyError is a value that the call sent."""
    raised = failure.raised_with
    if type(failure.exception) is IndexError or len(raised) != 1:
        return None
    keys = raised[0] if type(raised[0]) is tuple and 0 < len(raised[0]) <= _MOST_KEYS else raised
    found = [_looked_up(key, failure) for key in keys]
    if None in found:
        return None
    if len(found) > 1:
        return ResourceNotFoundError("There is nothing for these arguments together.", effect="possible")
    return ResourceNotFoundError(f"Resource not found: {found[0]}", resource=str(found[0]), effect="possible")


def _looked_up(key: object, failure: Failure) -> object:
    """The value that a lookup was made with; None if the key may be the name of a field, or any short value."""
    if type(key) not in (str, int, float) or str(key) in (failure.arguments or {}):
        return None
    return next((value for _, name, value in failure.holding(key) if _tells_much(name, value)), None)


def _tells_much(name: str, value: object) -> bool:
    """Whether a value hardly occurs by chance, or its argument is named as a key is."""
    is_key = name.lower().endswith(_KEY_NAMES)
    if isinstance(value, str):
        return len(value.strip()) >= (1 if is_key else _SHORTEST_KEY)
    return is_key or (isinstance(value, (int, float)) and abs(value) >= _SHORTEST_NUMBER)


@rules(
    "builtins.ValueError",
    "builtins.LookupError",
    "builtins.AssertionError",
    "builtins.TypeError",
    "builtins.NotImplementedError",
    "builtins.OverflowError",
)
def rejected(failure: Failure) -> ToolError | None:
    """A check inside the tool rejected one argument, which the message names or shows."""
    kind = type(failure.exception)
    if not failure.arguments or not failure.is_plain or kind.__module__ != "builtins" or kind is UnicodeError:
        return None
    lists_others = _LISTS_OTHERS.search(failure.told[:_MOST_TEXT]) is not None
    if not lists_others and said(failure.told) not in _ARGUMENT_MEANINGS:
        return None
    if kind is KeyError and type(next(iter(failure.raised_with), None)) is not str:  # no message, but a key
        return None
    if kind is IndexError and (place := _position(failure)) is not None:
        return rejection(failure, place, "out of range")
    nulls = [pointer for pointer, _, value in failure.leaves if type(value) is str and "\0" in value]
    if len(nulls) == 1 and _NULL.search(failure.told):
        return rejection(failure, nulls[0], "contains a null character")
    pointer = failure.blamed(by_value=kind is not TypeError or lists_others)
    return None if pointer is None else rejection(failure, pointer, "rejected by the tool")


def _position(failure: Failure) -> str | None:
    """The pointer to the only number that is named as a position, or None."""
    places = [
        leaf.pointer
        for leaf in failure.leaves
        if type(leaf.value) is int and not _POSITIONS.isdisjoint((leaf.name.lower(), *leaf.words))
    ]
    return places[0] if len(places) == 1 else None


def rejection(failure: Failure, pointer: str, why: str) -> ToolError:
    """The error for an argument that the tool rejected while it ran.

    Args:
        failure: the failure.
        pointer: the place of the argument.
        why: why it was rejected, in mulligan's words.
    """
    value = next((value for place, _, value in failure.leaves if place == pointer), None)
    got = None if value is None else json.dumps(value, ensure_ascii=False, default=str)[:_LONGEST_SHOWN]
    return ToolArgumentError(
        "The tool rejected an argument.", problems=[Problem(pointer, why, got=got)], effect="possible"
    )
