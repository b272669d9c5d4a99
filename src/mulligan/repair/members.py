"""The names under which the members of an object were meant to be sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from mulligan.repair.choices import Choice, name_meant
from mulligan.repair.lossless import sent_twice
from mulligan.repair.units import Said
from mulligan.resolve.words import canonical

_MOST_UNKNOWN = 32
_PLAIN = frozenset(("value", "values"))


def names_meant(
    value: Mapping[str, Any], members: Mapping[str, Any], missing: list[str], aliases: Mapping[str, Collection[str]]
) -> dict[str, Choice]:
    """For each member that does not exist the one that is meant by it, by spelling or by meaning, where it is clear.

    Args:
        value: what was sent.
        members: the schemas of those that exist.
        missing: those that have to be sent and were not.
        aliases: the other names that the tool's author declared for some of them.
    """
    found: dict[str, Choice] = {}
    twins = sent_twice(value) if len(value) > 1 else ()
    unknown = [name for name in value if name not in members and name not in twins]
    for name in unknown if len(unknown) <= _MOST_UNKNOWN else ():
        taken = {*value, *(choice.name for choice in found.values())}
        declared = [one for one, others in aliases.items() if name in others and one in members and one not in taken]
        if declared:
            found[name] = Choice(declared[0], sure=True)
            continue
        for candidates in (missing, list(members)):
            choice = name_meant(name, [one for one in candidates if one not in taken])
            if choice is not None and (choice.sure or _said(choice.name, members).has_units_of(name)):
                found[name] = choice
                break
        else:
            measured = [one for one in missing if one not in taken and _said(one, members).is_measured_in(name)]
            if len(measured) == 1:
                found[name] = Choice(measured[0], sure=False)
    return found


def _said(name: str, members: Mapping[str, Any]) -> Said:
    schema = members.get(name)
    return Said(name, schema if isinstance(schema, Mapping) else {}, {})


def is_holder(word: str, name: str, is_named: Callable[[str], bool]) -> bool:
    """Whether an object's only member adds nothing to the argument that it was sent for: `{"value": 5}`.

    Args:
        word: the member's name.
        name: the argument's name.
        is_named: whether a word is what the argument says itself, such as its unit.
    """
    return word in _PLAIN or is_named(word.lower()) or canonical(word) == canonical(name)
