"""Records of plugins, and their discovery by entry points.

The entry points of installed distributions are read one by one: a broken distribution never hides the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs

from mulligan.classify.rules import Rule
from mulligan.untrusted.objects import describe

GROUP = "mulligan"
LAZY_GROUP = "mulligan.lazy"
State = Literal["active", "failed", "blocked", "disabled"]
_FILE = "entry_points.txt"


class Hookimpl:
    """One hookimpl of a plugin.

    Attributes:
        hook: the hook that it implements.
        place: its place in the order of the hook's calls, counted from 1; wrappers wrap the others.
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
        name: the name of its entry point, module or class.
        state: `active`, `failed` (it could not be loaded), `blocked`, or `disabled` (after three faults, or because it
            needs another hook API).
        hooks: the hooks that it implements.
        distribution: the installed distribution that contains it, or None.
        version: the version of that distribution, or None.
        built_in: whether it comes with mulligan.
        error: why it failed, or None.
        load_seconds: how long its import took, in seconds.
        rules: the rules by which it classifies, if it lists them.
        api: the hook API that it needs, if it declares one.
        unknown_hooks: optional hooks that this version of mulligan does not have.
        hookimpls: its hookimpls, each with its place in the order.
        dropped: the number of events that were dropped because its `async def observe` was too slow.
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
    dropped: int = 0


@attrs.frozen
class PluginFault:
    """A plugin's own bug, which mulligan caught.

    Attributes:
        plugin: the plugin's name.
        hook: the hook that was called; `load` if the plugin could not be loaded.
        error: the type and text of the problem, with the next step if there is one.
        distribution: the installed distribution that contains the plugin, or None.
        exception: the exception of the plugin, or None.
    """

    plugin: str
    hook: str
    error: str
    distribution: str | None = None
    exception: BaseException | None = attrs.field(default=None, repr=False, eq=False)


class LoadedEntryPoint:
    """An entry point that was loaded, or failed to load.

    Args:
        name: the entry point's name.
        distribution: the distribution's name, or None.
        version: the distribution's version, or None.
        plugin: the loaded object, or None if loading failed.
        exception: the exception raised while loading, or None.
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
    """An entry point cannot be read; the message names the reason and the next step."""


def discover() -> tuple[list[Entry], list[Entry]]:
    """The entry points of plugins, by name, and those that declare what lazy plugins know."""
    entries = list(read_entry_points(GROUP, LAZY_GROUP))
    plugins = sorted((entry for entry in entries if entry.group == GROUP), key=lambda entry: (entry.name, entry.value))
    return plugins, [entry for entry in entries if entry.group == LAZY_GROUP]


def load(entry: Entry) -> LoadedEntryPoint:
    """Loads an entry point in isolation: one that fails, or exits the interpreter, never affects the others.

    Args:
        entry: the entry point.
    """
    entry_point = LoadedEntryPoint(entry.name, entry.distribution, entry.version)
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
    return entry_point


def is_autoload_enabled(autoload: bool) -> bool:
    """Whether to load entry points: not if the environment sets `MULLIGAN_DISABLE_PLUGIN_AUTOLOAD`.

    Args:
        autoload: the pipeline's argument.
    """
    return autoload and os.environ.get("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "") in ("", "0")


def blocked_names(block: tuple[str, ...]) -> frozenset[str]:
    """The names of blocked plugins, from the host's code and from `MULLIGAN_BLOCK_PLUGINS` (comma-separated).

    Args:
        block: the pipeline's argument.
    """
    from_environment = os.environ.get("MULLIGAN_BLOCK_PLUGINS", "").split(",")
    return frozenset(block) | {name.strip() for name in from_environment if name.strip()}


@attrs.frozen
class Entry:
    """One entry point, or the reason why it is unreadable.

    Attributes:
        name: the name of the entry point; for an unreadable file, that of its distribution.
        value: the module, or `module:name`; empty if it cannot be read.
        distribution: the name of the distribution.
        version: the version of the distribution, or None.
        problem: what is wrong with the entry point and what to do, or None.
        group: its group.
    """

    name: str
    value: str
    distribution: str
    version: str | None = None
    problem: str | None = None
    group: str = GROUP

    @property
    def module(self) -> str:
        """The module that the entry point names."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Imports the object that the entry point names; raises any exception of the import."""
        import importlib_metadata

        return importlib_metadata.EntryPoint(self.name, self.value, "").load()


def read_entry_points(*groups: str) -> Iterator[Entry]:
    """The entry points of groups, in the order of `sys.path`. Of distributions with the same name, the first counts.

    Args:
        groups: the names of the groups.
    """
    import importlib_metadata

    seen: set[str] = set()
    for distribution in importlib_metadata.distributions():
        entries = list(_entries(distribution, groups))
        if entries and entries[0].distribution.lower() not in seen:
            seen.add(entries[0].distribution.lower())
            yield from entries


def _entries(distribution: Any, groups: tuple[str, ...]) -> Iterator[Entry]:
    folder, *rest = _folder_name(distribution).rpartition(".")[0].split("-")
    version = rest[0] if rest else None
    try:
        text = distribution.read_text(_FILE)
    except Exception as error:
        unreadable = f"{_FILE} of {folder} {_read_error(error)}; reinstall {folder}"
        yield Entry(folder, "", folder, version, unreadable, groups[0])
        return
    if text is None:
        if _has_file(distribution):
            unreadable = f"cannot read {_FILE} of {folder}; reinstall {folder}"
            yield Entry(folder, "", folder, version, unreadable, groups[0])
        return
    lines = [
        (group, *numbered_line) for group in groups if f"[{group}" in text for numbered_line in _lines(text, group)
    ]
    if not lines:
        return
    name, version, problem = _name_and_version(distribution, folder, version)
    for group, number, line in lines:
        key, equals, value = (part.strip() for part in line.partition("="))
        wrong = problem
        if not (key and equals and value):
            wrong = f"{_FILE} of {name}, line {number}: {line!r:.80} is not NAME = MODULE; reinstall or update {name}"
        yield Entry(key or name, value, name, version, wrong, group)


def _lines(text: str, group: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a group, and unclosed headers that look like the group's header."""
    section = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip().removeprefix("\ufeff")
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            if section == group and not line.endswith("]"):
                yield number, line
        elif section == group:
            yield number, line


def _name_and_version(distribution: Any, folder: str, version: str | None) -> tuple[str, str | None, str | None]:
    """The name and version in the metadata; if the metadata is broken, those in the folder's name, and the problem."""
    try:
        name, version = str(distribution.metadata["Name"] or ""), distribution.version
        why = "has no name"
    except Exception as error:
        name, why = "", _read_error(error)
    return (name, version, None) if name else (folder, version, f"METADATA of {folder} {why}; reinstall {folder}")


def _read_error(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return f"cannot be read ({describe(error, 100)})"


def _folder_name(distribution: Any) -> str:
    return str(getattr(getattr(distribution, "_path", None), "name", "") or "unknown.dist-info")


def _has_file(distribution: Any) -> bool:
    """Whether the file exists. `read_text` returns None also for a directory and for a file without read permission."""
    path = getattr(distribution, "_path", None)
    try:
        return path is not None and bool(path.joinpath(_FILE).exists())
    except Exception:
        return False
