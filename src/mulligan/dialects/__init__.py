"""The message shapes of providers, one module each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan.dialects.base import Dialect
from mulligan.errors import UsageError

__all__ = ["Dialect", "built_in", "named", "plain"]


def built_in() -> dict[str, Dialect]:
    """The built-in dialects, by name."""
    from mulligan.dialects.ai_sdk import AISDKDialect
    from mulligan.dialects.anthropic import AnthropicDialect
    from mulligan.dialects.gemini import GeminiDialect
    from mulligan.dialects.mcp import MCPDialect
    from mulligan.dialects.openai import OpenAIDialect
    from mulligan.dialects.openai_responses import OpenAIResponsesDialect

    kinds = (OpenAIDialect, OpenAIResponsesDialect, AnthropicDialect, GeminiDialect, MCPDialect, AISDKDialect)
    return {kind.name: kind() for kind in kinds}


def named(dialect: str | Dialect, known: Mapping[str, Dialect] | None = None) -> Dialect:
    """The dialect with this name.

    Args:
        dialect: a name, or a dialect, which is returned unchanged.
        known: the dialects to choose from; by default the built-in ones.

    Raises:
        UsageError: no dialect has this name.
    """
    if isinstance(dialect, Dialect):
        return dialect
    known = built_in() if known is None else known
    if dialect not in known:
        raise UsageError(f"unknown dialect {dialect!r}; available: {', '.join(sorted(known))}")
    return known[dialect]


def plain(message: Any) -> Any:
    """A message as plain values. SDK objects are converted by their `model_dump`, `to_dict` or `dict` method.

    Args:
        message: a mapping, a list, or an object of an SDK.
    """
    return _plain(message, _MAX_DEPTH)


_MAX_DEPTH = 8


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, (str, int, float, bool, type(None))) or depth == 0:
        return value
    if isinstance(value, Mapping):
        return {name: _plain(item, depth - 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth - 1) for item in value]
    for name in ("model_dump", "to_dict", "dict"):
        dump = getattr(value, name, None)
        if callable(dump) and not isinstance(value, type):
            return _dump(value, dump)
    return value


def _dump(value: Any, dump: Callable[..., Any]) -> Any:
    """The dump of an SDK object, without pydantic's warnings about messages that do not match their declared type."""
    quiet = {"warnings": False} if hasattr(type(value), "__pydantic_serializer__") else {}
    try:
        return dump(**quiet)
    except Exception as error:
        raise UsageError(f"{type(value).__name__} cannot be read as a message: {type(error).__name__}") from error
