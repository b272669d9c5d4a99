"""Separates mulligan's own text from what it quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"<<<([0-9a-f]{16,})\n.*?\n\1>>>", re.DOTALL)


def outside(text: str) -> str:
    """The text outside mulligan's fences; for JSON, its strings.

    Args:
        text: what a model reads.
    """
    if text.startswith("{"):
        try:
            return "\n".join(_FENCE.sub(" … ", found) for found in texts_of(json.loads(text)))
        except ValueError:
            return _FENCE.sub(" … ", text)
    return _FENCE.sub(" … ", text)


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, including names of members.

    Args:
        value: the value.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts_of(name)
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
