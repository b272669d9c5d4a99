"""Arguments that were sent one level too deep, as a call inside of a call, or one level too flat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.repair.values import parse_json_as
from mulligan.resolve.words import canonical

_ARGUMENT_KEYS = frozenset(
    ("arguments", "args", "kwargs", "input", "parameters", "params", "tool_input", "action_input")
)
_NAME_KEYS = frozenset(("name", "tool", "tool_name", "function", "function_name", "action"))
_KINDS = frozenset(("function", "function_call", "tool_call", "tool_use"))


def unwrap_arguments(name: str, members: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """What stands under `arguments`, as an object or as its JSON text, alone or beside the tool's own name.

    Args:
        name: the name of the tool.
        members: the arguments that it takes.
        arguments: what was sent.

    Returns:
        The arguments inside; None where what was sent is no call of this tool.
    """
    holders = [word for word in arguments if word in _ARGUMENT_KEYS and word not in members]
    if len(holders) != 1:
        return None
    others = {word: value for word, value in arguments.items() if word != holders[0]}
    if not all(word not in members and _is_call_key(word, value, name) for word, value in others.items()):
        return None
    inner = arguments[holders[0]]
    if isinstance(inner, str):
        inner = parse_json_as(inner, dict)
    return dict(inner) if isinstance(inner, Mapping) else None


def _is_call_key(word: str, value: object, name: str) -> bool:
    """Whether a member says what every call says: which tool it is for, or that it is a call."""
    if not isinstance(value, str):
        return False
    return (word == "type" and value in _KINDS) or (word in _NAME_KEYS and canonical(value) == canonical(name))


def find_object(sent: Iterable[str], objects: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The one object that has all of some members: `address` for `street` and `zip`; None for none or several.

    Args:
        sent: the names of the members.
        objects: the members of each object, by its name.
    """
    found = [name for name, members in objects.items() if all(one in members for one in sent)]
    return found[0] if len(found) == 1 else None
