"""The message shapes of providers, one module each."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.dialects.base import Dialect, plain
from mulligan.errors import UsageError

__all__ = ["Dialect", "built_in", "named", "plain"]


def built_in() -> dict[str, Dialect]:
    """The built-in dialects by name, in the order in which they are asked whether a message is theirs."""
    from mulligan.dialects.builtin import dialects

    return {dialect.name: dialect for dialect in dialects()}


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
