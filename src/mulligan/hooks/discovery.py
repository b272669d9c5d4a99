"""Records of plugins, and their discovery by entry points of the group `mulligan`, sorted by name."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs

from mulligan.classify.rules import Rule
from mulligan.hooks.entry_points import read_entry_points

GROUP = "mulligan"
State = Literal["active", "failed", "blocked", "disabled"]


class Hookimpl:
    """One hookimpl of a plugin.

    Attributes:
        hook: the hook it implements.
        place: its place in the order of its hook, counted from 1; wrappers wrap the others.
        marks: any of `tryfirst`, `trylast`, `wrapper` and `required`.
        ask: calls it with all parameters of the hook by position. It reports its faults instead of raising them.
    """

    __slots__ = ("ask", "hook", "marks", "place")

    def __init__(self, hook: str, place: int, marks: tuple[str, ...], ask: Callable[..., Any]) -> None:
        self.hook = hook
        self.place = place
        self.marks = marks
        self.ask = ask


@attrs.frozen
class PluginInfo:
    """One plugin of a pipeline.

    Attributes:
        name: its name: that of the entry point, the module or the class.
        state: `active`, `failed` (it could not be loaded), `blocked`, or `disabled` (after three faults, or because it
            needs another hook API).
        hooks: the hooks it implements.
        distribution: the installed distribution it comes from, or None.
        version: that distribution's version, or None.
        built_in: whether it comes with mulligan.
        error: why it failed, or None.
        load_seconds: how long its import took.
        rules: the rules by which it classifies, if it lists them.
        api: the hook API that it needs, if it declares one.
        unknown_hooks: optional hooks that this version of mulligan does not have.
        hookimpls: its hookimpls, each with its place in the order.
    """

    name: str
    state: State
    hooks: tuple[str, ...] = ()
    distribution: str | None = None
    version: str | None = None
    built_in: bool = False
    error: str | None = None
    load_seconds: float = 0.0
    rules: tuple[Rule, ...] = attrs.field(default=(), repr=False)
    api: str | None = None
    unknown_hooks: tuple[str, ...] = ()
    hookimpls: tuple[Hookimpl, ...] = attrs.field(default=(), repr=False, eq=False)


@attrs.frozen
class PluginFault:
    """A plugin's own bug that was caught.

    Attributes:
        plugin: the plugin's name.
        hook: the hook of the call; `load` if the plugin could not be loaded.
        error: type and text of the problem, with the next step if there is one.
        distribution: the installed distribution it comes from, or None.
        exception: the exception of the plugin, or None.
    """

    plugin: str
    hook: str
    error: str
    distribution: str | None = None
    exception: BaseException | None = attrs.field(default=None, repr=False, eq=False)


class LoadedEntryPoint:
    """An entry point, loaded or not.

    Args:
        name: the entry point's name.
        distribution: the distribution's name, or None.
        version: the distribution's version, or None.
        plugin: the loaded object, or None if loading failed.
        exception: the exception of loading, or None.
        seconds: the duration of loading.
    """

    __slots__ = ("distribution", "exception", "name", "plugin", "seconds", "version")

    def __init__(
        self,
        name: str,
        distribution: str | None,
        version: str | None,
        plugin: Any = None,
        exception: BaseException | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.name = name
        self.distribution = distribution
        self.version = version
        self.plugin = plugin
        self.exception = exception
        self.seconds = seconds


class UnreadableEntryPointError(Exception):
    """An entry point that cannot be read; its text says why and what to do."""


def discover(blocked: frozenset[str]) -> Iterator[LoadedEntryPoint]:
    """Loads the entry points, each in isolation: one that fails, or exits the interpreter, never stops the others.

    Args:
        blocked: names that are not even imported.
    """
    for entry in sorted(read_entry_points(GROUP), key=lambda entry: (entry.name, entry.value)):
        entry_point = LoadedEntryPoint(entry.name, entry.distribution, entry.version)
        if entry.name in blocked:
            yield entry_point
            continue
        started = time.perf_counter()
        try:
            if entry.problem is not None:
                raise UnreadableEntryPointError(entry.problem)
            entry_point.plugin = entry.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            entry_point.exception = error
        entry_point.seconds = time.perf_counter() - started
        yield entry_point


def is_autoload_enabled(autoload: bool) -> bool:
    """Whether to load entry points: not if the environment sets `MULLIGAN_DISABLE_PLUGIN_AUTOLOAD`.

    Args:
        autoload: the argument of the pipeline.
    """
    return autoload and os.environ.get("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "") in ("", "0")


def blocked_names(block: tuple[str, ...]) -> frozenset[str]:
    """The blocked plugins: those of the host's code, and those of `MULLIGAN_BLOCK_PLUGINS` (comma-separated names).

    Args:
        block: the argument of the pipeline.
    """
    named = os.environ.get("MULLIGAN_BLOCK_PLUGINS", "").split(",")
    return frozenset(block) | {name.strip() for name in named if name.strip()}
