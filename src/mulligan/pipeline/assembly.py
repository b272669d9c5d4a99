"""The plugins of a pipeline: built-in, installed, and in code. Imported lazily, for the first pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.errors import UsageError
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.discovery import autoload_wanted, blocked_names, discover
from mulligan.hooks.manager import PluginManager
from mulligan.policy import Limits, Policy

_ALWAYS = ("resolve", "validate", "execute", "detect", "classify", "formats", "dialects", "repair")
_SURE = 0.8


def _built_in(policy: Policy, limits: Limits) -> Mapping[str, Any]:
    """The built-in plugins by name; `repair` only if the policy enables repairs."""
    from mulligan.classify import builtin as classify
    from mulligan.classify import detect
    from mulligan.dialects import builtin as dialects
    from mulligan.execute import builtin as execute
    from mulligan.render import builtin as formats
    from mulligan.resolve import builtin as resolve
    from mulligan.validate.builtin import Validate

    plugins = {
        "resolve": resolve,
        "validate": Validate(limits),
        "execute": execute,
        "detect": detect,
        "classify": classify,
        "formats": formats,
        "dialects": dialects,
    }
    kinds = tuple(kind for kind in policy.repair if isinstance(kind, str))
    if kinds:
        from mulligan.repair.builtin import Repair

        plugins["repair"] = Repair(kinds, limits)
    return plugins


def assemble(
    manager: PluginManager,
    policy: Policy,
    limits: Limits,
    plugins: Iterable[Any],
    *,
    autoload: bool,
    block: tuple[str, ...],
) -> None:
    """Registers plugins; the last one registered is called first.

    Args:
        manager: registers them.
        policy: which repairs are enabled.
        limits: bounds for reading arguments.
        plugins: the plugins in code.
        autoload: whether to load installed plugins.
        block: names of blocked plugins.

    Raises:
        UsageError: a plugin in code is invalid, or a blocked name is misspelled.
    """
    given = [*_given(plugins), *(plugin for plugin in policy.repair if not isinstance(plugin, str))]
    blocked = blocked_names(block)
    for name, plugin in _built_in(policy, limits).items():
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
    if block:
        _check_blocked(block, [info.name for info in manager.infos])


def _check_blocked(block: Iterable[str], known: list[str]) -> None:
    """Refuses a misspelled name; any other name may be that of a plugin that is not installed here."""
    import difflib

    alike = {_spelling(name): name for name in known}
    for name in block:
        if name not in known and name != "repair":
            near = difflib.get_close_matches(name, _ALWAYS, 1, _SURE)
            meant = alike.get(_spelling(name)) or (near[0] if near else None)
            if meant is not None:
                raise UsageError(f"block={[name]}: unknown plugin {name!r}. Did you mean {meant!r}?")


def _spelling(name: str) -> str:
    return name.lower().replace("_", "-")


def _given(plugins: Iterable[Any]) -> list[Any]:
    if isinstance(plugins, (str, bytes)) or not isinstance(plugins, Iterable):
        raise UsageError(
            f"plugins must be a list of modules or instances, not {plugins!r:.80}; write [{plugins!r:.40}]"
        )
    given = list(plugins)
    for plugin in given:
        if isinstance(plugin, str):
            raise UsageError(f"plugin {plugin!r} is a string; import the module and pass it")
    return given


def blame_silence(manager: PluginManager, format: FeedbackFormat) -> None:
    """Records that a format failed, so that the text format was used.

    Args:
        manager: records it.
        format: the format.
    """
    name = manager.owner(format, f"format {format.name}")
    manager.fault(name, "render_feedback", f"the format {format.name!r} returned no text: its render() failed")
