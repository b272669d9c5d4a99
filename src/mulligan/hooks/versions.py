"""Checks the hook API that a plugin needs, from its attribute `mulligan_api`."""

from __future__ import annotations

import re
from typing import Any

from mulligan.errors import UsageError
from mulligan.hookimpl import HOOK_API

ATTRIBUTE = "mulligan_api"


class OtherApi(UsageError):
    """A plugin needs a hook API that this version of mulligan does not have."""


def needed_api(plugin: Any, name: str) -> str | None:
    """The hook API that a plugin needs; None if it does not declare one.

    Args:
        plugin: a module or an instance.
        name: its name.

    Raises:
        OtherApi: this mulligan has another one; names which of them to update.
        UsageError: the declared value is not a version.
    """
    needed = getattr(plugin, ATTRIBUTE, None)
    if needed is None:
        return None
    if not isinstance(needed, str) or not re.fullmatch(r"\d{1,9}\.\d{1,9}", needed, re.ASCII):
        raise UsageError(f"plugin {name!r}: {ATTRIBUTE} must be a string such as {HOOK_API!r}, not {needed!r:.40}")
    major, minor = _numbers(needed)
    own = _numbers(HOOK_API)
    if (major, minor) > own:
        raise OtherApi(f"plugin {name!r} needs hook API {needed}, but this mulligan has {HOOK_API}; update mulligan")
    if major < own[0]:
        raise OtherApi(f"plugin {name!r} requires hook API {needed}, but this mulligan has {HOOK_API}; update it")
    return needed


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)
