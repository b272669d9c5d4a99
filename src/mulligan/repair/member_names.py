"""Match unknown object members to the names that were meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from mulligan.repair.choices import Choice, match_name
from mulligan.repair.lossless import sent_twice
from mulligan.repair.units import ArgumentUnits
from mulligan.resolve.words import canonical

_MOST_UNKNOWN = 32
_VALUE_KEYS = frozenset(("value", "values"))


def match_names(
    value: Mapping[str, Any], members: Mapping[str, Any], missing: list[str], aliases: Mapping[str, Collection[str]]
) -> dict[str, Choice]:
    """Match each unknown member to the existing one that was meant, by spelling or meaning, if that is clear.

    Args:
        value: the object as sent.
        members: the schemas of existing members, by name.
        missing: the required members that were not sent.
        aliases: other names that the tool's author declared, by member.

    Returns:
        The chosen members, by the names that were sent.
    """
    choices: dict[str, Choice] = {}
    twins = sent_twice(value) if len(value) > 1 else ()
    unknown = [name for name in value if name not in members and name not in twins]
    for name in unknown if len(unknown) <= _MOST_UNKNOWN else ():
        taken = {*value, *(choice.name for choice in choices.values())}
        declared = [one for one, others in aliases.items() if name in others and one in members and one not in taken]
        if declared:
            choices[name] = Choice(declared[0], sure=True)
            continue
        for candidates in (missing, list(members)):
            choice = match_name(name, [one for one in candidates if one not in taken])
            if choice is not None and (choice.sure or _units_of(choice.name, members).has_units_of(name)):
                choices[name] = choice
                break
        else:
            measured = [one for one in missing if one not in taken and _units_of(one, members).is_measured_in(name)]
            if len(measured) == 1:
                choices[name] = Choice(measured[0], sure=False)
    return choices


def _units_of(name: str, members: Mapping[str, Any]) -> ArgumentUnits:
    schema = members.get(name)
    return ArgumentUnits(name, schema if isinstance(schema, Mapping) else {}, {})


def is_wrapper_key(word: str, name: str, is_named: Callable[[str], bool]) -> bool:
    """Whether an object's only key adds nothing to the argument it was sent for: `{"value": 5}`.

    Args:
        word: the object's key.
        name: the argument's name.
        is_named: whether the argument itself states a word, such as its unit.
    """
    return word in _VALUE_KEYS or is_named(word.lower()) or canonical(word) == canonical(name)
