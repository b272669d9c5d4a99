"""Commands of installed packages: `mulligan NAME ...` runs the entry point NAME of the group `mulligan.commands`.

Such an entry point is a function of the words after the name, and returns an exit code. It is imported only when its
command is asked for, so that a broken package breaks its own command alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mulligan.errors import UsageError
from mulligan.foreign.containment import safe_str
from mulligan.foreign.facts import type_name

GROUP = "mulligan.commands"
_KNOWN = {"proxy": "mulligan-mcp"}

Command = Callable[[list[str]], int]


def packaged(name: str) -> Command | None:
    """The command of an installed package.

    Args:
        name: the word after `mulligan`.

    Returns:
        None where no package offers one of that name.

    Raises:
        UsageError: the package cannot be imported, or is known and not installed.
    """
    for found in _entry_points():
        if found.name == name:
            return _loaded(found)
    if name in _KNOWN:
        raise UsageError(f"mulligan {name} comes with {_KNOWN[name]}: pip install {_KNOWN[name]}")
    return None


def packaged_names() -> tuple[str, ...]:
    """The commands that installed packages offer, with their packages, such as `proxy (mulligan-mcp)`."""
    return tuple(f"{found.name} ({found.dist.name})" for found in _entry_points() if found.dist is not None)


def _entry_points() -> list[Any]:
    import importlib_metadata

    return sorted(importlib_metadata.entry_points(group=GROUP), key=lambda found: found.name)


def _loaded(found: Any) -> Command:
    try:
        command: Command = found.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        where = found.dist.name if found.dist is not None else found.value
        why = f"{type_name(error)}: {safe_str(error, 300)}"
        raise UsageError(
            f"mulligan {found.name}: {where} could not be imported ({why}); install it anew, or remove it"
        ) from None
    return command
