"""Checks of every conformance suite: the plugin registers, and its import is light and quick."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from itertools import islice
from typing import Any, ClassVar

from mulligan.hookimpl import HOOK_API
from mulligan.hooks.callers import Stages
from mulligan.hooks.discovery import GROUP, PluginInfo
from mulligan.hooks.entry_points import read_entry_points
from mulligan.hooks.manager import PluginManager
from mulligan.hooks.versions import ATTRIBUTE, needed_api
from mulligan.pipeline import Pipeline
from mulligan.plugin import UsageError
from mulligan.testing.conformance.fresh import imported

_TOLD = 8
_LINE = 300


class Conformance:
    """The base of every suite. Subclass one of the suites, not this.

    Attributes:
        plugin: the plugin: a module, or an instance with hookimpls.
        module: the module that is imported in a fresh interpreter; by default the plugin's.
        allowed_imports: packages that it may import besides the standard library and mulligan's own dependencies.
        load_seconds: the maximum duration of its import in seconds, after mulligan itself is imported.
        hook: the hook that the suite is about.
        instead_of: the built-in plugins that are left out.
    """

    plugin: Any = None
    module: ClassVar[str | None] = None
    allowed_imports: ClassVar[tuple[str, ...]] = ()
    load_seconds: ClassVar[float] = 0.5
    hook: ClassVar[str]
    instead_of: ClassVar[tuple[str, ...]] = ()

    def test_it_registers(self) -> None:
        """A strict pipeline accepts the plugin, and it implements the hook."""
        __tracebackhide__ = True
        info = self.info()
        if self.hook not in info.hooks:
            told = f"it implements {', '.join(info.hooks)}"
            hold([f"plugin {info.name!r} has no hookimpl of {self.hook}: {told}"], "Use the suite of its own hook.")

    def test_it_says_its_api(self) -> None:
        """If it is installed under an entry point, it declares its hook API, and this mulligan has that version."""
        __tracebackhide__ = True
        name, plugin = self.module_name(), self.required()
        if needed_api(plugin, name) is None and is_installed(name):
            hold(
                [f"{name} is installed as a plugin, and does not say which hook API it is made for"],
                f"Write {ATTRIBUTE} = {HOOK_API!r} in it: so a mulligan with other hooks sets it aside, and says why.",
            )

    def test_import_is_light(self) -> None:
        """Its import, in a fresh interpreter, imports no SDK."""
        __tracebackhide__ = True
        name = self.module_name()
        own = {name.partition(".")[0], *self.allowed_imports}
        foreign = [package for package in imported(name).packages if package not in own]
        hold(
            [f"importing {name} imports {package}" for package in foreign],
            "An installed plugin is imported by every pipeline. Name exception classes as text (failure.matches, Rules), "
            "and import a library inside of the function that needs it; or list it in `allowed_imports`.",
        )

    def test_import_is_quick(self) -> None:
        """Its import, in a fresh interpreter, takes no longer than `load_seconds`."""
        __tracebackhide__ = True
        name, told = self.module_name(), float("inf")
        for attempt in range(3):
            told = min(told, imported(name, attempt).seconds)
            if told <= self.load_seconds:
                return
        hold(
            [f"importing {name} takes {told:.2f} s, three times in a row; {self.load_seconds:g} s are allowed"],
            "Every pipeline waits for it. Do no work at import: read files, compile tables and connect on first use.",
        )

    def module_name(self) -> str:
        """The module that is imported in a fresh interpreter."""
        if self.module is not None:
            return self.module
        plugin = self.required()
        return str(plugin.__name__ if inspect.ismodule(plugin) else type(plugin).__module__)

    def required(self) -> Any:
        """The plugin, which a subclass has to name."""
        if self.plugin is None:
            raise UsageError(
                f"{type(self).__name__} does not say which plugin it tests: write plugin = my_module in it"
            )
        return self.plugin

    def pipeline(self, *tools: Any, **options: Any) -> Pipeline:
        """A pipeline with this plugin alone, which is strict with plugins.

        Args:
            tools: its tools.
            options: as for `Pipeline`.
        """
        given = {"autoload": False, "block": self.instead_of, **options}
        return Pipeline(tools, **{"plugins": [self.required()], **given})

    def stages(self) -> Stages:
        """The hooks of this plugin alone, compiled; its faults are raised."""
        manager = PluginManager(strict=True)
        manager.add(self.required())
        return manager.compile()

    def info(self) -> PluginInfo:
        """What a pipeline reports about the plugin."""
        manager = PluginManager(strict=True)
        manager.add(self.required())
        return manager.infos[-1]

    def given(self, request: Any, name: str) -> Any:
        """What a subclass defines: an attribute, or a fixture of that name.

        Args:
            request: pytest's.
            name: the attribute's or fixture's name.
        """
        value = inspect.getattr_static(type(self), name)
        if type(value).__module__ == "_pytest.fixtures" or hasattr(value, "_pytestfixturefunction"):
            return request.getfixturevalue(name)
        return getattr(self, name)


def is_installed(module: str) -> bool:
    """Whether an installed distribution names a module, or something in it, as its plugin.

    Args:
        module: its name.
    """
    return any(entry.module == module for entry in read_entry_points(GROUP))


def hold(problems: Iterable[str], advice: str) -> None:
    """Fails if there are problems, and says what to do.

    Args:
        problems: what is wrong, one line each.
        advice: what to do.

    Raises:
        AssertionError: there are problems.
    """
    __tracebackhide__ = True
    found = list(islice(problems, 1_000))
    if found:
        more = [f"... and {len(found) - _TOLD:,} more"] if len(found) > _TOLD else []
        lines = [f"- {shown(problem)}" for problem in found[:_TOLD]]
        title = "this is wrong:" if not more else f"{len(found):,} things are wrong, the first of them:"
        raise AssertionError("\n".join([title, *lines, *more, advice]))


def shown(text: str) -> str:
    """A printable text on one line, shortened to a readable length.

    Args:
        text: any text.
    """
    line = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"
