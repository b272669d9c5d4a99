"""Forms of an object that say the same: a mapping, a list of pairs, `name=value` texts, and the value of its only member.

`{"team": "web"}`, `[{"key": "team", "value": "web"}]` and `team=web` are the same tags. The reading is a guess, to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mulligan.repair.lossless import parse_json

_VALUES = frozenset(("value", "val"))
_KEYS = frozenset(
    ("key", "name", "field", "column", "property", "attribute", "variable", "parameter", "header", "label", "tag")
)
_MOST_PAIRS, _LONGEST = 100, 2_000
_PAIR = 2
_ASSIGNMENT = re.compile(
    r"((?!__)[A-Za-z_][\w.-]{0,63})\s?=\s?(\"[^\"\n]{0,200}\"|[^\s=<>~!,;&\"'][^\s=<>~,;&\"']{0,199})"
)
_BETWEEN = re.compile(r"\s*[,;&\n]\s*")


def pairs_to_mapping(pairs: Sequence[Any], *, as_texts: bool = False) -> dict[str, Any] | None:
    """Read a list of pairs, or of `name=value` texts, as a mapping.

    Args:
        pairs: the list as sent.
        as_texts: as for `assignments_to_mapping`.

    Returns:
        The mapping; None unless all items have the same two members, a key and a value, and no key is there twice.
    """
    if not 0 < len(pairs) <= _MOST_PAIRS:
        return None
    if all(isinstance(pair, str) and _ASSIGNMENT.fullmatch(pair.strip()) for pair in pairs):
        return assignments_to_mapping("\n".join(pairs), as_texts=as_texts)
    if not all(isinstance(pair, Mapping) and pair.keys() == pairs[0].keys() for pair in pairs):
        return None
    names = _names_of_pair(pairs[0])
    if names is None or names[0].casefold() not in _KEYS or names[1].casefold() not in _VALUES:
        return None
    key, value = names
    keys = [pair[key] for pair in pairs]
    if not all(isinstance(one, str) for one in keys) or len(set(keys)) < len(keys):
        return None
    return {pair[key]: pair[value] for pair in pairs}


def assignments_to_mapping(text: str, *, as_texts: bool = False) -> dict[str, Any] | None:
    """Read `name=value` texts as a mapping.

    Args:
        text: one or more of them, separated by commas, semicolons, `&` or line breaks.
        as_texts: whether the schema says what the values are, so that a number is not read as one.

    Returns:
        The mapping; None if the text says anything else, or a name is there twice.
    """
    parts = _BETWEEN.split(text.strip()) if len(text) <= _LONGEST else []
    found = [_ASSIGNMENT.fullmatch(part) for part in parts]
    mapping = {one[1]: one[2].strip('"') for one in found if one is not None}
    if not mapping or len(mapping) < len(found):
        return None
    return mapping if as_texts else {name: _scalar(value) for name, value in mapping.items()}


def _scalar(text: str) -> Any:
    """A number or boolean as JSON writes it, or else the text."""
    value = parse_json(text)
    return value if type(value) in (int, bool) or (type(value) is float and repr(value) == text) else text


def mapping_to_pairs(
    mapping: Mapping[str, Any], members: Mapping[str, Any], required: Collection[str]
) -> list[dict[str, Any]] | None:
    """Read a mapping as a list of pairs.

    Args:
        mapping: the mapping as sent.
        members: the members that an item of the list has by its schema.
        required: those that it must have.

    Returns:
        The list; None unless an item has two members, or two required ones: a key and a value. None as well if the
        mapping is an item itself.
    """
    names = _names_of_pair(members) or _names_of_pair([name for name in members if name in required])
    if names is None or not 0 < len(mapping) <= _MOST_PAIRS or _is_item(mapping, members):
        return None
    key, value = names
    return [{key: one, value: inner} for one, inner in mapping.items()]


def _is_item(mapping: Mapping[str, Any], members: Mapping[str, Any]) -> bool:
    """Whether a mapping may be an item itself, whose members were given other names: `order` for `direction`."""
    from mulligan.resolve.similarity import RELATED, nearness

    known = (*members, *_KEYS, *_VALUES)
    return any(nearness(name, other) >= RELATED for name in mapping for other in known)


def _names_of_pair(members: Collection[str]) -> tuple[str, str] | None:
    """The names of the key and of the value, if there are just these two."""
    if len(members) != _PAIR:
        return None
    one, other = members
    ways = [(one, other), (other, one)]
    by_value = [(key, value) for key, value in ways if value.casefold() in _VALUES and key.casefold() not in _VALUES]
    by_key = [(key, value) for key, value in ways if key.casefold() in _KEYS and value.casefold() not in _KEYS]
    return next(iter(by_value or by_key), None)
