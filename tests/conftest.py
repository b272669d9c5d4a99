"""What the tests share: profiles of hypothesis, pipelines that are closed, and `call` beside `acall`."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

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
