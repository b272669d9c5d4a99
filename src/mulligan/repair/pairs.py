"""A mapping and a list of pairs say the same: `{"team": "web"}` and `[{"key": "team", "value": "web"}]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_VALUES = frozenset(("value", "val"))
_MOST_PAIRS = 100
_PAIR = 2


def pairs_to_mapping(pairs: Sequence[Any]) -> dict[str, Any] | None:
    """Read a list of pairs as a mapping.

    Args:
        pairs: the list as sent.

    Returns:
        The mapping; None unless all items have the same two members, one of them `value`, and no key is there twice.
    """
    if not 0 < len(pairs) <= _MOST_PAIRS or not all(isinstance(pair, Mapping) for pair in pairs):
        return None
    names = _names_of_pair(pairs[0])
    if names is None or any(pair.keys() != pairs[0].keys() for pair in pairs):
        return None
    key, value = names
    keys = [pair[key] for pair in pairs]
    if not all(isinstance(one, str) for one in keys) or len(set(keys)) < len(keys):
        return None
    return {pair[key]: pair[value] for pair in pairs}


def mapping_to_pairs(mapping: Mapping[str, Any], members: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Read a mapping as a list of pairs.

    Args:
        mapping: the mapping as sent.
        members: the members that an item of the list has by its schema.

    Returns:
        The list; None unless an item has two members, one of them `value`, and the mapping is not an item itself.
    """
    names = _names_of_pair(members)
    if names is None or not 0 < len(mapping) <= _MOST_PAIRS or mapping.keys() & set(names):
        return None
    key, value = names
    return [{key: one, value: inner} for one, inner in mapping.items()]


def _names_of_pair(members: Mapping[str, Any]) -> tuple[str, str] | None:
    """The names of the key and of the value, if there are just these two."""
    values = [name for name in members if name.casefold() in _VALUES]
    keys = [name for name in members if name not in values]
    return (keys[0], values[0]) if len(members) == _PAIR and len(values) == 1 else None
