"""Removes secrets from JSON values: from every text, and by the name beside a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Redact = Callable[[str], str]
REDACTED = "[redacted]"
_DEEPEST = 64


def redact_value(value: Any, redact: Redact, depth: int = 0) -> Any:
    """Copies a JSON value without secrets; parts that are nested too deeply are omitted.

    Args:
        value: a JSON value; anything else becomes its type's name.
        redact: removes the secrets from a text.
        depth: how deep it is nested already.
    """
    if isinstance(value, str):
        return redact(value)
    if value is None or isinstance(value, (bool, int, float)):
        return redact_number(value, redact)
    if depth > _DEEPEST:
        return "..."
    if isinstance(value, Mapping):
        return {redact(str(name)): redact_member(str(name), item, redact, depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(item, redact, depth + 1) for item in value]
    return redact(str(value)) if type(value).__module__ == "decimal" else type(value).__name__


def redact_number(value: float | None, redact: Redact) -> float | str | None:
    """A number unless its digits are a secret, such as a PIN that was passed as an integer.

    Args:
        value: a number; True, False and None are no secrets.
        redact: removes the secrets from a text.
    """
    if value is None or isinstance(value, bool):
        return value
    digits = json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)
    return value if redact(digits) == digits else REDACTED


def redact_member(name: str, value: Any, redact: Redact, depth: int = 0) -> Any:
    """Copies the value of a member without secrets; its name may mark the whole value as secret.

    Args:
        name: the member's name, such as `password`.
        value: a JSON value.
        redact: removes the secrets from a text.
        depth: how deep it is nested already.
    """
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = value if isinstance(value, str) else json.dumps(value)
        line = f"{json.dumps(name)}: {json.dumps(text, ensure_ascii=False)}"
        seen = redact(line)
        if seen != line and REDACTED in seen.partition(":")[2] and redact(text) == text:
            return REDACTED
    return redact_value(value, redact, depth)


def redact_arguments(sent: Any, redact: Redact) -> str | None:
    """The arguments of a call as text without secrets; unchanged if they contain none.

    Args:
        sent: JSON text, or JSON values.
        redact: removes the secrets from a text.
    """
    if sent is None:
        return None
    if isinstance(sent, bytes):
        sent = sent.decode("utf-8", "replace")
    text = sent if isinstance(sent, str) else dump(sent)
    is_plain = "\\" not in text  # no secret is hidden by escapes
    if is_plain and (redacted := redact(text)) == text:
        return text
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return redacted if is_plain else redact(text)
    hidden = redact_value(values, redact)
    return text if hidden == values else dump(hidden)


def dump(value: Any) -> str:
    """A JSON value as text."""
    return json.dumps(value, ensure_ascii=False, default=lambda one: type(one).__name__)
