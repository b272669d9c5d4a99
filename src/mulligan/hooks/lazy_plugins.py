"""Plugins that are imported when the first failure appears that they could know.

A distribution declares what its plugin knows in the entry-point group `mulligan.lazy`: the value of each entry is the
plugin's module, and its name is one of the following.

- The top-level module of a library, such as `requests`: failures and returned values of its classes, and failures that
  came through its code.
- The name of an exception class, such as `DatabaseError`: failures of a class with that name in any library.
- `status`: failures that report an HTTP status.
- `value`: failures that a tool returned, and returned values that may report one.

Such a plugin may implement `classify` and `detect` only. A plugin without these entries is imported with the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import attrs

from mulligan.classify.failure import Failure
from mulligan.errors import ToolError
from mulligan.hooks.callers import CompiledHooks
from mulligan.hooks.discovery import Entry, PluginInfo
from mulligan.tools import Tool
from mulligan.untrusted.objects import trace

STATUS, VALUE = "status", "value"
_STATUS_ONLY, _VALUE_ONLY = frozenset((STATUS,)), frozenset((VALUE,))
LAZY_HOOKS = frozenset({"classify", "detect"})
_MOST_CLASSES, _MOST_FRAMES, _MOST_MEMBERS = 1_000, 100, 100
_MEMBERS = frozenset(
    ("category", "code", "detail", "details", "documentation_url", "error", "errors", "fault", "faults")
)
_MEMBERS |= {"message", "ok", "reason", "status", "success", "type"}


@attrs.frozen
class LazyPlugin:
    """A plugin that is not imported yet.

    Attributes:
        entry: its entry point.
        names: what it knows: the names of its entries in the group `mulligan.lazy`.
    """

    entry: Entry
    names: frozenset[str]


def lazy_names(entries: Iterable[Entry]) -> dict[tuple[str, str], frozenset[str]]:
    """What plugins declare that they know, by distribution and module.

    Args:
        entries: the entry points of the group `mulligan.lazy`.
    """
    names_by_module: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        if entry.problem is None:
            names_by_module.setdefault((entry.distribution, entry.module), set()).add(entry.name)
    return {key: frozenset(names) for key, names in names_by_module.items()}


class LazyHooks:
    """The hooks of a pipeline while some plugins are not imported yet: the plugins that a failure needs are imported first.

    Args:
        plugins: the plugins that are not imported yet.
        hooks: the hooks of the others: `classify`, `detect` and `provider_of`.
        load: imports plugins by name, and returns the hooks as they are then.
    """

    def __init__(
        self,
        plugins: Iterable[LazyPlugin],
        hooks: Mapping[str, Callable[..., Any]],
        load: Callable[[frozenset[str]], CompiledHooks],
    ) -> None:
        self._plugins = tuple(plugins)
        self._hooks = hooks
        self._load = load
        self._by_class: dict[type, frozenset[str]] = {}
        self._by_place: dict[tuple[Any, ...], frozenset[str]] = {}
        self._by_names: dict[frozenset[str], frozenset[str]] = {}

    def classify(self, failure: Failure) -> ToolError | None:
        """The hook `classify`."""
        names = self.plugins_for(failure)
        error: ToolError | None = (self._load(names).classify if names else self._hooks["classify"])(failure)
        return error

    def provider_of(self, failure: Failure) -> str | None:
        """The provider whose library raised a failure, or None."""
        names = self.plugins_for(failure)
        provider: str | None = (self._load(names).provider_of if names else self._hooks["provider_of"])(failure)
        return provider

    def detect(self, value: Any, tool: Tool) -> Failure | None:
        """The hook `detect`."""
        names = self.plugins_for_value(value)
        failure: Failure | None = (self._load(names).detect if names else self._hooks["detect"])(value, tool)
        return failure

    def plugins_for(self, failure: Failure) -> frozenset[str]:
        """The names of the plugins that could know a failure.

        Args:
            failure: any failure, also one of the causes of another.
        """
        facts = failure.__dict__["_known"]  # asked twice for each failure; forgotten when the failure changes
        names: frozenset[str] | None = facts.get(self)
        if names is None:
            names = facts[self] = self._find_plugins(failure)
        return names

    def _find_plugins(self, failure: Failure) -> frozenset[str]:
        whole = failure.outer or failure
        names = frozenset[str]()
        for exception in whole.exceptions:
            names |= self._plugins_for_exception(type(exception), *_modules_in_traceback(exception))
        if whole.exception is None:
            names |= self._plugins_for_names(_VALUE_ONLY) | self._plugins_for_class(type(whole.value))
        if whole.status is not None or failure.status is not None:
            names |= self._plugins_for_names(_STATUS_ONLY)
        return names

    def _plugins_for_exception(self, *place: Any) -> frozenset[str]:
        """The plugins that could know an exception: by its class, and the modules in its traceback."""
        plugins = self._by_place.get(place)
        if plugins is None:
            if len(self._by_place) >= _MOST_CLASSES:
                self._by_place.clear()
            cls, *modules = place
            plugins = self._plugins_for_class(cls) | self._plugins_for_names(
                frozenset(name.partition(".")[0] for name in modules)
            )
            self._by_place[place] = plugins
        return plugins

    def plugins_for_value(self, value: Any) -> frozenset[str]:
        """The names of the plugins that could find a failure in a value.

        Args:
            value: what a tool returned.
        """
        plugins = self._plugins_for_class(type(value))
        return plugins | self._plugins_for_names(_VALUE_ONLY) if may_hold_report(value) else plugins

    def _plugins_for_class(self, cls: type) -> frozenset[str]:
        plugins = self._by_class.get(cls)
        if plugins is None:
            names = {part for base in cls.__mro__ for part in (base.__module__.partition(".")[0], base.__name__)}
            if len(self._by_class) >= _MOST_CLASSES:
                self._by_class.clear()
            plugins = self._by_class[cls] = self._plugins_for_names(frozenset(names))
        return plugins

    def _plugins_for_names(self, names: frozenset[str]) -> frozenset[str]:
        known = self._by_names.get(names)
        if known is None:
            if len(self._by_names) >= _MOST_CLASSES:
                self._by_names.clear()
            plugins = (plugin.entry.name for plugin in self._plugins if not plugin.names.isdisjoint(names))
            known = self._by_names[names] = frozenset(plugins)
        return known


def _modules_in_traceback(exception: BaseException) -> list[str]:
    """The modules in the traceback of an exception, outermost first."""
    names: list[str] = []
    step, frames = trace(exception), 0
    while step is not None and frames < _MOST_FRAMES:
        name = step.tb_frame.f_globals.get("__name__")
        if type(name) is str:
            names.append(name)
        step, frames = step.tb_next, frames + 1
    return names


def missing_declarations(info: PluginInfo, names: frozenset[str]) -> Iterator[str]:
    """What a lazy plugin knows but does not declare, so that it would be imported too late or never.

    Args:
        info: the plugin, imported.
        names: the names of its entries in the group `mulligan.lazy`.
    """
    for hook in info.hooks:
        if hook not in LAZY_HOOKS:
            yield f"it implements {hook}, which has no effect before the first failure"
    libraries = {name.partition(".")[0] for rule in info.rules for name in rule.classes if "." in name}
    for library in sorted(libraries - names - {"builtins"}):
        yield f"it has rules about classes of {library!r}, but no entry of that name"
    if "detect" in info.hooks and VALUE not in names:
        yield f"it implements detect, but has no entry named {VALUE!r}"
    for rule in info.rules:
        if rule.returned:
            if VALUE not in names:
                yield f"its rule {rule.name!r} is about returned values, but no entry is named {VALUE!r}"
        elif not rule.classes and names.isdisjoint({STATUS, VALUE}) and not any(name[:1].isupper() for name in names):
            yield f"its rule {rule.name!r} names no class, but no entry is named {STATUS!r}, {VALUE!r} or after a class"


def may_hold_report(value: Any) -> bool:
    """Whether a returned value may be a container that reports a failure: a quick check, which is True too often.

    Such a value has a member named like those of reports, at most two levels below it, or a tuple in it.

    Args:
        value: what a tool returned.
    """
    return _may_hold_report(value, 3)


def _may_hold_report(value: Any, levels: int) -> bool:
    kind = type(value)
    if issubclass(kind, tuple):
        return True
    if levels and issubclass(kind, list):
        return any(_may_hold_report(item, levels - 1) for item in list.__getitem__(value, slice(_MOST_MEMBERS)))
    if levels and issubclass(kind, dict):
        members = list(islice(dict.items(value), _MOST_MEMBERS))
        return any(type(name) is str and name.lower() in _MEMBERS for name, _ in members) or any(
            _may_hold_report(item, levels - 1) for _, item in members
        )
    return issubclass(kind, Mapping)
