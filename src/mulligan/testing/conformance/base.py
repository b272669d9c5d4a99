"""Checks of every conformance suite: the plugin registers, and its import is light and quick."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import attrs

from mulligan.hookimpl import HOOK_API
from mulligan.hooks.callers import CompiledHooks
from mulligan.hooks.discovery import GROUP, PluginInfo, read_entry_points
from mulligan.hooks.manager import PluginManager
from mulligan.hooks.registration import API_ATTRIBUTE, needed_api
from mulligan.pipeline import Pipeline
from mulligan.plugin import ToolError, UsageError

_PROGRAM = """
import json, sys, time
import mulligan.plugin
before, started = set(sys.modules), time.perf_counter()
__import__(sys.argv[1])
seconds = time.perf_counter() - started
print(json.dumps([seconds, sorted({name.partition(".")[0] for name in set(sys.modules) - before})]))
"""
_OWN_DEPENDENCIES = frozenset(
    {
        *(
            "attr",
            "attrs",
            "cattrs",
            "cloudpickle",
            "docstring_parser",
            "importlib_metadata",
            "jsonschema_rs",
            "loguru",
        ),
        *("msgspec", "mulligan", "pluggy", "rapidfuzz", "typing_extensions", "zipp"),
    }
)
_IMPORT_TIMEOUT = 60
_FENCE = re.compile(r"<<<([0-9a-f]{16,})\n.*?\n\1>>>", re.DOTALL)
_MAX_LISTED = 8
_MAX_LINE_LENGTH = 300


class ImportReport(NamedTuple):
    """What an import did.

    Attributes:
        seconds: how long it took.
        packages: what it imported besides the standard library and what mulligan itself depends on.
    """

    seconds: float
    packages: tuple[str, ...]


@lru_cache(maxsize=64)
def import_in_subprocess(module: str, attempt: int = 0) -> ImportReport:
    """Imports a module in a fresh interpreter, once mulligan is imported there.

    Args:
        module: its name.
        attempt: its number; attempts are independent.

    Raises:
        AssertionError: it cannot be imported; shows its output.
    """
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(  # noqa: S603 - this interpreter, and a module that is tested
        [sys.executable, "-c", _PROGRAM, module],
        capture_output=True,
        text=True,
        check=False,
        timeout=_IMPORT_TIMEOUT,
        env={**os.environ, "PYTHONPATH": paths},
    )
    if done.returncode != 0:
        raise AssertionError(
            f"{module} cannot be imported in a fresh interpreter (exit status {done.returncode}):\n{done.stderr[-1_000:]}\n"
            "Is it installed, or its folder on the path? Where the plugin is made elsewhere, set `module`."
        )
    seconds, packages = json.loads(done.stdout.splitlines()[-1])
    foreign = (name for name in packages if name not in sys.stdlib_module_names and name not in _OWN_DEPENDENCIES)
    return ImportReport(seconds, tuple(name for name in foreign if not name.startswith("_")))


@attrs.frozen
class Sample:
    """One sample.

    Attributes:
        failure: the exception, or the value that a tool returned.
        error: the class of the error.
        fields: expected attributes of the error.
    """

    failure: Any
    error: type[ToolError]
    fields: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The arguments of the call, if they matter: a field of that name."""
        return self.fields.get("arguments")

    def differences(self, error: ToolError) -> Iterator[tuple[str, Any, Any]]:
        """The differences: name, actual and expected value of each.

        Args:
            error: what the failure means.
        """
        if type(error) is not self.error:
            yield "class", type(error).__name__, self.error.__name__
        for name, expected in self.fields.items():
            actual = getattr(error, name, "no such attribute")
            if name == "rule" and isinstance(actual, str) and ":" not in str(expected):
                actual = actual.partition(":")[2]
            if actual != expected:
                yield name, actual, expected


def sample_of(item: Any) -> Sample:
    """Converts an item of a suite's `samples`.

    Args:
        item: a `Sample`, or a pair or triple of its attributes.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(item, Sample):
        return item
    fits = isinstance(item, (tuple, list)) and len(item) in (2, 3)
    if not fits or not (isinstance(item[1], type) and issubclass(item[1], ToolError)):
        raise UsageError(
            f"a sample is (exception or value, error class), or these and a dict of the error's attributes; not {item!r:.100}"
        )
    return Sample(*item)


def text_outside_fences(text: str) -> str:
    """The text outside mulligan's fences; for JSON, its strings.

    Args:
        text: what a model reads.
    """
    if text.startswith("{"):
        try:
            return "\n".join(_FENCE.sub(" … ", found) for found in texts_of(json.loads(text)))
        except ValueError:
            return _FENCE.sub(" … ", text)
    return _FENCE.sub(" … ", text)


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, including names of members.

    Args:
        value: the value.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts_of(name)
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)


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
            implemented = f"it implements {', '.join(info.hooks)}"
            assert_no_problems(
                [f"plugin {info.name!r} has no hookimpl of {self.hook}: {implemented}"],
                "Use the suite of its own hook.",
            )

    def test_it_says_its_api(self) -> None:
        """If it is installed under an entry point, it declares its hook API, and this mulligan has that version."""
        __tracebackhide__ = True
        name, plugin = self.module_name(), self.required()
        if needed_api(plugin, name) is None and is_installed(name):
            assert_no_problems(
                [f"{name} is installed as a plugin, and does not say which hook API it is made for"],
                f"Write {API_ATTRIBUTE} = {HOOK_API!r} in it: so a mulligan with other hooks sets it aside, and says why.",
            )

    def test_import_is_light(self) -> None:
        """Its import, in a fresh interpreter, imports no SDK."""
        __tracebackhide__ = True
        name = self.module_name()
        own = {name.partition(".")[0], *self.allowed_imports}
        foreign = [package for package in import_in_subprocess(name).packages if package not in own]
        assert_no_problems(
            [f"importing {name} imports {package}" for package in foreign],
            "An installed plugin is imported by every pipeline. Name exception classes as text (failure.matches, Rules), "
            "and import a library inside of the function that needs it; or list it in `allowed_imports`.",
        )

    def test_import_is_quick(self) -> None:
        """Its import, in a fresh interpreter, takes no longer than `load_seconds`."""
        __tracebackhide__ = True
        name, fastest = self.module_name(), float("inf")
        for attempt in range(3):
            fastest = min(fastest, import_in_subprocess(name, attempt).seconds)
            if fastest <= self.load_seconds:
                return
        assert_no_problems(
            [f"importing {name} takes {fastest:.2f} s, three times in a row; {self.load_seconds:g} s are allowed"],
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

    def stages(self) -> CompiledHooks:
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


def assert_no_problems(problems: Iterable[str], advice: str) -> None:
    """Fails if there are problems, and says what to do.

    Args:
        problems: what is wrong, one line each.
        advice: what to do.

    Raises:
        AssertionError: there are problems.
    """
    __tracebackhide__ = True
    listed = list(islice(problems, 1_000))
    if listed:
        more = [f"... and {len(listed) - _MAX_LISTED:,} more"] if len(listed) > _MAX_LISTED else []
        lines = [f"- {printable(problem)}" for problem in listed[:_MAX_LISTED]]
        title = "this is wrong:" if not more else f"{len(listed):,} things are wrong, the first of them:"
        raise AssertionError("\n".join([title, *lines, *more, advice]))


def printable(text: str) -> str:
    """A printable text on one line, shortened to a readable length.

    Args:
        text: any text.
    """
    line = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return line if len(line) <= _MAX_LINE_LENGTH else f"{line[:_MAX_LINE_LENGTH]}…"
