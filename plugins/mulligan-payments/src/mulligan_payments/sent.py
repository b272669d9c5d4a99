"""Finds the argument of the call that a payment service refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.plugin import Problem, argument_named_in, pointer_to

_PART = re.compile(r"[^.\[\]/]+")
_MOST_PARTS, _LONGEST_FIELD = 20, 200
MISSING, NOT_ACCEPTED = "missing", "is not accepted"


def argument_path(field: object, arguments: Mapping[str, Any] | None) -> list[str | int] | None:
    """The place in the arguments from which a request's field was made; None if the call sent nothing for it.

    Args:
        field: the service's name for the field: `items[0][price]`, `/purchase_units/0/amount` or `card.number`.
        arguments: the arguments of the call. They may use another name for the whole, such as `customer_id`, or hold the
            field within one of them, as `card` does `cvc`.
    """
    if not isinstance(field, str) or not arguments or len(field) > _LONGEST_FIELD:
        return None
    parts = [int(part) if part.isdecimal() else part for part in _PART.findall(field)][:_MOST_PARTS]
    for start, part in enumerate(parts):
        name = part if part in arguments else argument_named_in(part, arguments) if isinstance(part, str) else None
        if isinstance(name, str):
            return [name, *_existing(arguments[name], parts[start + 1 :])]
    holders = [
        name for name, value in arguments.items() if isinstance(value, Mapping) and parts[-1:] and parts[-1] in value
    ]
    return [holders[0], parts[-1]] if len(holders) == 1 else None


def _existing(value: Any, parts: Sequence[str | int]) -> list[str | int]:
    """The leading parts that exist within a value, and the member that is missing there."""
    known: list[str | int] = []
    for part in parts:
        if isinstance(value, Mapping):
            known.append(part)
            if part not in value:
                break
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            known.append(part)
            value = value[part]
        else:
            break
    return known


def problem_at(field: object, arguments: Mapping[str, Any] | None, *, is_missing: bool = False) -> Problem | None:
    """The problem of a field that the call sent; None if it sent nothing for it.

    Args:
        field: the field as the service names it.
        arguments: the arguments of the call.
        is_missing: whether the service misses the field.
    """
    path = argument_path(field, arguments)
    return Problem(pointer_to(path), MISSING if is_missing else NOT_ACCEPTED) if path else None


def sent_value(field: object, arguments: Mapping[str, Any] | None) -> str | None:
    """The value that the call sent for a field, if it is a text or a number."""
    value: Any = arguments
    for part in argument_path(field, arguments) or ():
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return str(value) if type(value) in (str, int) and value != "" else None
