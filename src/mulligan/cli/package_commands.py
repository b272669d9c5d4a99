"""Commands of installed packages: `mulligan NAME ...` runs the entry point NAME of the group `mulligan.commands`.

The entry point is a function that takes the words after the name and returns an exit code. It is imported only when its
command runs, so a broken package breaks only its own command.
"""

from __future__ import annotations

from collections.abc import Callable

from mulligan.errors import UsageError
from mulligan.hooks.discovery import Entry, read_entry_points
from mulligan.untrusted.objects import describe

GROUP = "mulligan.commands"
_KNOWN_PACKAGES = {
    "proxy": "mulligan-proxy",
    **dict.fromkeys(("report", "replay", "diff", "import"), "mulligan-ledger"),
}

Command = Callable[[list[str]], int]


def find_package_command(name: str) -> Command | None:
    """Find the command of an installed package.

    Args:
        name: the word after `mulligan`.

    Returns:
        The command, or None if no package offers one with that name.

    Raises:
        UsageError: the package cannot be imported, or is a known package that is not installed.
    """
    for entry in _entries():
        if entry.name == name:
            return _load_command(entry)
    if name in _KNOWN_PACKAGES:
        raise UsageError(f"mulligan {name} requires {_KNOWN_PACKAGES[name]}: pip install {_KNOWN_PACKAGES[name]}")
    return None


def package_command_names() -> tuple[str, ...]:
    """The commands that installed packages offer, with their packages, such as `proxy (mulligan-proxy)`."""
    return tuple(f"{entry.name} ({entry.distribution})" for entry in _entries())


def _entries() -> list[Entry]:
    """The readable entry points, by name; `mulligan doctor` reports the others."""
    return sorted((entry for entry in read_entry_points(GROUP) if entry.problem is None), key=lambda entry: entry.name)


def _load_command(entry: Entry) -> Command:
    try:
        command: Command = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        why = describe(error)
        raise UsageError(
            f"mulligan {entry.name}: cannot import {entry.distribution} ({why}); reinstall or remove it"
        ) from None
    if not callable(command):
        raise UsageError(
            f"mulligan {entry.name}: {entry.value} of {entry.distribution} is not a function; update or remove it"
        )
    return command
