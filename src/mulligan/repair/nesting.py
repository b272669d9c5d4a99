"""Arguments sent one level too deep, as a call inside a call or a value inside an object, or one level too flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mulligan.repair.lossless import VALUE_KEYS
from mulligan.repair.values import parse_json_as
from mulligan.resolve.words import canonical

_ARGUMENT_KEYS = frozenset(
    ("arguments", "args", "kwargs", "input", "parameters", "params", "tool_input", "action_input")
)
_NAME_KEYS = frozenset(("name", "tool", "tool_name", "function", "function_name", "action"))
_KINDS = frozenset(("function", "function_call", "tool_call", "tool_use"))


def unwrap_arguments(name: str, members: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Unwrap arguments sent under a key such as `arguments`, as an object or JSON text, alone or beside the tool's name.

    Args:
        name: the tool's name.
        members: the arguments that the tool takes.
        arguments: the arguments as sent.

    Returns:
        The inner arguments, or None if what was sent is not a call of this tool.
    """
    if _ARGUMENT_KEYS.isdisjoint(arguments):  # as nearly always
        return None
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
    """Whether a member names the called tool or only marks the object as a call."""
    if not isinstance(value, str):
        return False
    return (word == "type" and value in _KINDS) or (word in _NAME_KEYS and canonical(value) == canonical(name))


def find_object(sent: Iterable[str], objects: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Find the one object that declares all given members: `address` for `street` and `zip`.

    Args:
        sent: the names of the members.
        objects: the members of each object, by its name.

    Returns:
        The object's name, or None if none or several match.
    """
    found = [name for name, members in objects.items() if all(one in members for one in sent)]
    return found[0] if len(found) == 1 else None


def is_wrapper_key(word: str, name: str, is_named: Callable[[str], bool]) -> bool:
    """Whether an object's only key adds nothing to the argument it was sent for: `{"value": 5}`.

    Args:
        word: the object's key.
        name: the argument's name.
        is_named: whether the argument itself states a word, such as its unit.
    """
    return word in VALUE_KEYS or is_named(word.lower()) or canonical(word) == canonical(name)
