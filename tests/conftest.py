"""What the tests share: profiles of hypothesis, pipelines that are closed, and `call` beside `acall`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from installed import Site

from mulligan import Pipeline, ToolResult
from mulligan.plugin import hookimpl

_shared = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, max_examples=100, **_shared)
settings.register_profile("deep", max_examples=5_000, **_shared)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

JOIN_SECONDS = 5


def pytest_configure() -> None:
    """Interrupts count: a shell's background job ignores them, and so would every program that a test starts from there."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--exhaustive`: the products marked `exhaustive` run whole, not as a sample."""
    parser.addoption("--exhaustive", action="store_true", help="run the products marked `exhaustive` whole")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves of each product marked `exhaustive` about a quarter, in which each value of each parameter is met."""
    if config.getoption("exhaustive"):
        return
    products: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("exhaustive"):
            products.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = {item for product in products.values() for item in _outside_sample(product)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _outside_sample(product: list[pytest.Item]) -> list[pytest.Item]:
    """All tests but a quarter, spread over all values, and but one for each value that no test of this quarter has."""
    numbers: dict[str, dict[int, int]] = {}
    met: set[tuple[str, int]] = set()
    others: list[tuple[pytest.Item, set[tuple[str, int]]]] = []
    for item in product:
        values = {(name, id(value)) for name, value in item.callspec.params.items()}  # type: ignore[attr-defined]
        known = [numbers.setdefault(name, {}) for name, _ in values]
        total = sum(of_name.setdefault(value, len(of_name)) for of_name, (_, value) in zip(known, values, strict=True))
        if total % 4 == 0:
            met |= values
        else:
            others.append((item, values))
    outside = []
    for item, values in others:
        if values <= met:
            outside.append(item)
        met |= values
    return outside


@pytest.fixture
def _no_thread_left() -> Iterator[None]:
    """Fails a test after which a worker thread lives on, although its pipeline was closed and its tools were let go."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in set(threading.enumerate()) - before if thread.name == "mulligan"]
    for thread in left:
        thread.join(JOIN_SECONDS)
    alive = [thread for thread in left if thread.is_alive()]
    assert not alive, f"{len(alive)} worker threads were left behind"


@pytest.fixture
def make_pipeline(_no_thread_left: None) -> Iterator[Callable[..., Pipeline]]:
    """`make_pipeline(tool, ..., **options)`: a pipeline without installed plugins, closed after the test."""
    made: list[Pipeline] = []

    def make(*tools: Any, **options: Any) -> Pipeline:
        made.append(Pipeline(tools, **{"autoload": False, **options}))
        return made[-1]

    yield make
    for pipeline in made:
        pipeline.close()


@pytest.fixture(params=["call", "acall"])
def run(request: pytest.FixtureRequest) -> Iterator[Callable[..., ToolResult]]:
    """`run(pipeline, name, arguments, ...)`: through `call`, then once more through `acall`."""
    if request.param == "call":
        yield lambda pipeline, *args, **options: pipeline.call(*args, **options)
    else:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            yield lambda pipeline, *args, **options: runner.run(
                pipeline.acall(*args, **options), context=copy_context()
            )


@pytest.fixture(params=["call_many", "acall_many"])
def run_many(request: pytest.FixtureRequest) -> Callable[..., list[ToolResult]]:
    """`run_many(pipeline, calls, ...)`: through `call_many`, then once more through `acall_many`."""
    if request.param == "call_many":
        return lambda pipeline, calls, **options: pipeline.call_many(calls, **options)
    return lambda pipeline, calls, **options: asyncio.run(pipeline.acall_many(calls, **options))


@pytest.fixture
def plugin() -> Callable[..., ModuleType]:
    """`plugin(classify=function, ...)`: a module with these hookimpls, named `saboteur`; `_` are options of `hookimpl`."""

    def make(name: str = "saboteur", _: dict[str, Any] | None = None, **hooks: Callable[..., Any]) -> ModuleType:
        module = ModuleType(name)
        for hook, function in hooks.items():
            setattr(module, hook, hookimpl(**(_ or {}))(function))
        return module

    return make


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    for variable in ("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "MULLIGAN_BLOCK_PLUGINS"):
        monkeypatch.delenv(variable, raising=False)
    site = Site(tmp_path)
    yield site
    for module in site.modules:
        sys.modules.pop(module, None)


@pytest.fixture
def loaded(site: Site, make_pipeline: Callable[..., Pipeline]) -> Callable[..., Pipeline]:
    """`loaded(...)`: a pipeline with what is installed, without plugins of the machine that the tests run on."""
    return lambda *tools, **options: make_pipeline(*tools, **{"autoload": True, **options})
