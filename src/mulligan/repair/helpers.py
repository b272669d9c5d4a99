"""Readings of calls for repairers: broken JSON, values of another type, a name in another style. Nothing is guessed.

What does the work is imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mulligan.tools import Tool


def mended_json(text: str, *, read_only: bool) -> str | None:
    """Repairs broken JSON that has exactly one meaning; None if that is not clear.

    All that was sent is in it, in the same order, and nothing else. json-repair helps where it is installed.

    Args:
        text: the arguments as they were sent.
        read_only: whether the tool changes nothing; only then brackets are added to a text that was cut off.
    """
    from mulligan.repair.json_text import fix_json

    return fix_json(text, read_only=read_only)


def coerced(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments made to fit a tool's schema without any loss, `"10"` as 10; None where something had to be guessed.

    Args:
        tool: the tool.
        arguments: JSON values that do not fit.
    """
    from mulligan.repair.arguments import fix_arguments

    mended = fix_arguments(tool, arguments)
    return mended.arguments if mended is not None and mended.is_lossless else None


def same_name(called: str, names: Iterable[str]) -> str | None:
    """The one name that differs from the name called in case, separators or a namespace only; None for none or several.

    Args:
        called: the name that was called.
        names: the names that exist.
    """
    from mulligan.resolve.words import canonical_match

    return canonical_match(called, names)
