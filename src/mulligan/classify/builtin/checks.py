"""Checks and lookups inside a tool that fail because of an argument.

Python raises the same exceptions for a mistake in the tool. So an argument is blamed only if the exception names it, shows
its value, or was raised with it; and only where neither the class nor the text says something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mulligan.classify import meanings as m
from mulligan.classify.blamed_argument import Leaf, blamed_pointer, holding, leaves
from mulligan.classify.call_arguments import LABELS, name_words
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.rules import Rules
from mulligan.errors import Problem, ResourceNotFoundError, ToolArgumentError, ToolError
from mulligan.untrusted.objects import raised_with

rules = Rules()
_POSITIONS = frozenset("index idx i n nth position pos place row line column col item number page offset".split())
_ARGUMENT_MEANINGS = (None, m.ARGUMENT, m.FAILED, m.OUT_OF_RANGE)
_NULL = re.compile(r"\bnull (?:byte|character)s?\b")
_INPUTS = ("pattern", "text", "doc")
_SHORTEST_KEY, _SHORTEST_NUMBER = 2, 100
_MOST_KEYS, _LONGEST_INPUT, _LONGEST_SHOWN = 4, 20_000, 2_000


@rules("builtins.LookupError")
def lookup(failure: Failure) -> ToolError | None:
    """A lookup by an argument found nothing: the key of a KeyError is a value that the call sent."""
    raised = () if failure.exception is None else raised_with(failure.exception)
    if type(failure.exception) not in (KeyError, LookupError) or len(raised) != 1 or not failure.arguments:
        return None
    keys = raised[0] if type(raised[0]) is tuple and 0 < len(raised[0]) <= _MOST_KEYS else raised
    found = [_looked_up(key, failure.arguments) for key in keys]
    if not all(found):
        return None
    resource = ", ".join(str(one.value) for one in found if one is not None)
    return ResourceNotFoundError(f"Resource not found: {resource}", resource=resource, effect="possible")


def _looked_up(key: object, arguments: Mapping[str, Any]) -> Leaf | None:
    """The value that a lookup was made with; None if the key may be a field's name or any small number."""
    if str(key) in arguments:
        return None
    return next((leaf for leaf in holding(key, arguments) if _tells_much(leaf)), None)


def _tells_much(leaf: Leaf) -> bool:
    """Whether a value is one that hardly occurs by chance, or its argument is named as a key is."""
    is_key = name_words(leaf.name)[-1:] and name_words(leaf.name)[-1] in LABELS
    if type(leaf.value) is str:
        return len(leaf.value.strip()) >= _SHORTEST_KEY or (bool(is_key) and bool(leaf.value.strip()))
    return bool(is_key) or abs(leaf.value) >= _SHORTEST_NUMBER


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
    if said(failure.told) not in _ARGUMENT_MEANINGS:
        return None
    if kind is IndexError and (place := _position(failure.arguments)) is not None:
        return _rejection(failure, place, "out of range")
    nulls = [one.pointer for one in leaves(failure.arguments) if type(one.value) is str and "\0" in one.value]
    if len(nulls) == 1 and _NULL.search(failure.told):
        return _rejection(failure, nulls[0], "contains a null character")
    pointer = blamed_pointer(failure.told, failure.arguments, by_value=kind is not TypeError)
    return None if pointer is None else _rejection(failure, pointer, "rejected by the tool")


def _position(arguments: Mapping[str, Any]) -> str | None:
    """The pointer to the only number that is named as a position, or None."""
    places = [
        leaf.pointer
        for leaf in leaves(arguments)
        if type(leaf.value) is int and not _POSITIONS.isdisjoint((leaf.name.lower(), *name_words(leaf.name)))
    ]
    return places[0] if len(places) == 1 else None


@rules("re.error", "re.PatternError", "builtins.SyntaxError", "tomllib.TOMLDecodeError")
def unreadable(failure: Failure) -> ToolError | None:
    """An argument cannot be read as what it must be, such as a regular expression: the exception stores what it read."""
    stored = [failure.field(name) for name in _INPUTS]
    texts = {text.strip() for text in stored if type(text) is str and 0 < len(text.strip()) <= _LONGEST_INPUT}
    found = [one.pointer for one in leaves(failure.arguments) if texts and type(one.value) is str and _is_one(one.value, texts)]
    return _rejection(failure, found[0], "not valid") if len(found) == 1 else None


def _is_one(value: str, texts: set[str]) -> bool:
    """Whether a value is one of the texts, or has one of them as a line."""
    lines = value[:_LONGEST_INPUT].splitlines() if "\n" in value else ()
    return value.strip() in texts or any(line.strip() in texts for line in lines)


def _rejection(failure: Failure, pointer: str, why: str) -> ToolError:
    value = next((leaf.value for leaf in leaves(failure.arguments) if leaf.pointer == pointer), None)
    got = None if value is None else json.dumps(value, ensure_ascii=False, default=str)[:_LONGEST_SHOWN]
    return ToolArgumentError("The tool rejected an argument.", problems=[Problem(pointer, why, got=got)], effect="possible")
