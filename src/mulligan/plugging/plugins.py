"""Records on plugins, and where they come from: entry points of the group `mulligan`, sorted by name."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs

from mulligan.classifying.rules import Rule
from mulligan.plugging.entry_points import read_entry_points

GROUP = "mulligan"
State = Literal["active", "failed", "blocked", "set aside"]


class Hookimpl:
    """One hookimpl of a plugin.

    Attributes:
        hook: the hook it implements.
        place: when it is asked among those of its hook, counted from 1; wrappers stand around the others.
        marks: any of `tryfirst`, `trylast`, `wrapper` and `required`.
        ask: asks it, with all parameters of the hook by position. It never raises what is its own fault, but reports it.
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
        state: `active`, `failed` (it could not be loaded), `blocked`, or `set aside` (after three faults, or because it
            needs another hook API).
        hooks: the hooks it implements.
        distribution: the installed distribution it comes from, or None.
        version: that distribution's version, or None.
        built_in: whether it comes with mulligan.
        error: why it failed, or None.
        load_seconds: how long its import took.
        rules: the rules by which it classifies, where it tells them.
        api: the hook API that it needs, where it says so.
        unknown_hooks: hooks that it marks as optional and that this mulligan does not have.
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
        hook: the hook it was called for; `load` where it could not be loaded.
        error: type and text of what went wrong, with the next step where there is one.
        distribution: the installed distribution it comes from, or None.
        exception: what it raised, or None.
    """

    plugin: str
    hook: str
    error: str
    distribution: str | None = None
    exception: BaseException | None = attrs.field(default=None, repr=False, eq=False)


class Found:
    """An entry point, loaded or not.

    Args:
        name: the entry point's name.
        distribution: the distribution's name, or None.
        version: the distribution's version, or None.
        plugin: what it names, or None where loading failed.
        exception: what loading raised, or None.
        seconds: how long loading took.
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


def discover(blocked: frozenset[str]) -> Iterator[Found]:
    """Loads the entry points, each in isolation: one that fails, or exits the interpreter, never stops the others.

    Args:
        blocked: names that are not even imported.
    """
    for entry in sorted(read_entry_points(GROUP), key=lambda entry: (entry.name, entry.value)):
        found = Found(entry.name, entry.distribution, entry.version)
        if entry.name in blocked:
            yield found
            continue
        started = time.perf_counter()
        try:
            if entry.problem is not None:
                raise UnreadableEntryPointError(entry.problem)
            found.plugin = entry.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            found.exception = error
        found.seconds = time.perf_counter() - started
        yield found


def autoload_wanted(autoload: bool) -> bool:
    """Whether entry points are loaded: not where the environment sets `MULLIGAN_DISABLE_PLUGIN_AUTOLOAD`.

    Args:
        autoload: what the host's code says.
    """
    return autoload and os.environ.get("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "") in ("", "0")


def blocked_names(block: tuple[str, ...]) -> frozenset[str]:
    """The plugins that are blocked: by the host's code, and by `MULLIGAN_BLOCK_PLUGINS` (names, comma-separated).

    Args:
        block: what the host's code says.
    """
    named = os.environ.get("MULLIGAN_BLOCK_PLUGINS", "").split(",")
    return frozenset(block) | {name.strip() for name in named if name.strip()}
