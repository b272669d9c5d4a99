"""Which plugins a pipeline has: the built-in ones first, then the installed ones, then those given in code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.errors import UsageError
from mulligan.manager import PluginManager
from mulligan.plugins import autoload_wanted, blocked_names, discover
from mulligan.policy import Limits


def builtins(limits: Limits) -> Mapping[str, Any]:
    """The plugins that come with mulligan, by name.

    Args:
        limits: bounds, for reading arguments.
    """
    from mulligan.builtin import classify, detect, dialects, execute, formats, resolve
    from mulligan.builtin.validate import Validate

    return {
        "resolve": resolve,
        "validate": Validate(limits),
        "execute": execute,
        "detect": detect,
        "classify": classify,
        "formats": formats,
        "dialects": dialects,
    }


def assemble(
    manager: PluginManager,
    built_in: Mapping[str, Any],
    plugins: Iterable[Any],
    *,
    autoload: bool,
    block: tuple[str, ...],
) -> None:
    """Registers plugins; those registered last are asked first.

    Args:
        manager: where they are registered.
        built_in: the plugins that come with mulligan, by name.
        plugins: those that are given in code.
        autoload: whether installed plugins are loaded.
        block: names of plugins that are not used.

    Raises:
        UsageError: a plugin given in code is wrong.
    """
    given = _given(plugins)
    blocked = blocked_names(block)
    for name, plugin in built_in.items():
        if name in blocked:
            manager.block(name)
        else:
            manager.add(plugin, name, built_in=True)
    for found in discover(blocked) if autoload_wanted(autoload) else ():
        if found.name in blocked and found.plugin is None and found.exception is None:
            manager.block(found.name, found)
        elif not any(found.plugin is plugin for plugin in given):
            manager.add_found(found)
    for plugin in given:
        manager.add(plugin)


def _given(plugins: Iterable[Any]) -> list[Any]:
    if isinstance(plugins, (str, bytes)) or not isinstance(plugins, Iterable):
        raise UsageError(f"plugins must be a list of modules or instances, not {plugins!r:.80}; write [{plugins!r:.40}]")
    given = list(plugins)
    for plugin in given:
        if isinstance(plugin, str):
            raise UsageError(f"plugin {plugin!r} is a text: import the module and give it itself")
    return given
