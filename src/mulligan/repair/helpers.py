"""Helpers for repair plugins: broken JSON, values of another type, names in another style. Nothing is guessed.

The implementations are imported on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mulligan.tools import Tool


def mended_json(text: str, *, read_only: bool) -> str | None:
    """Repair broken JSON that has exactly one meaning.

    The result has exactly the content that was sent, in the same order. json-repair is used if it is installed.

    Args:
        text: the arguments as sent.
        read_only: whether the tool is read-only; only then are the missing brackets of truncated text added.

    Returns:
        Valid JSON, or None if the meaning is ambiguous.
    """
    from mulligan.repair.json_text import fix_json

    return fix_json(text, read_only=read_only)


def coerced(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Convert arguments to match a tool's schema without loss, such as `"10"` to 10.

    For a read-only tool, values may also be given the argument names that are likely meant, such as `order_id` for `id`.

    Args:
        tool: the tool whose schema the arguments must match.
        arguments: JSON values that do not match it.

    Returns:
        The converted arguments, or None if a conversion would be lossy or a guess.
    """
    from mulligan.repair.arguments import fix_arguments
    from mulligan.repair.lossless import LosslessCheck

    fixed = fix_arguments(tool, arguments)
    if fixed is None or fixed.is_guess:
        return None
    if fixed.is_lossless:
        return fixed.arguments
    renamed = {fixed.renamed.get(name, name): value for name, value in arguments.items()}
    is_same = tool.read_only and LosslessCheck(tool).is_same_object(renamed, fixed.arguments)
    return fixed.arguments if is_same else None


def same_name(called: str, names: Iterable[str]) -> str | None:
    """Find the one name that differs from the called name only in case, separators or a namespace.

    Args:
        called: the name that was called.
        names: the names that exist.

    Returns:
        The name, or None if none or several match.
    """
    from mulligan.resolve.words import canonical_match

    return canonical_match(called, names)
