"""A counting tool with a fault at nine points: what may write takes effect at most once in every cell."""

from __future__ import annotations

import asyncio
import http.client
import json
import pathlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
from killable_tools import fail_at

from mulligan import Tool, errors
from mulligan.middleware import retry

HANGS = object()
POINTS: dict[str, tuple[bool, Any]] = {  # whether it has taken effect by then, and how it fails
    "before connect": (False, lambda: ConnectionRefusedError(111, "refused")),
    "after send": (True, lambda: ConnectionResetError(104, "reset")),
    "mid-response": (True, lambda: http.client.IncompleteRead(b"ab", 10)),
    "after commit": (True, lambda: errors.ToolUnavailableError("Busy.")),
    "timeout": (True, HANGS),
    "cancel": (True, asyncio.CancelledError),
    "worker killed": (True, lambda: BrokenProcessPool("a worker was killed")),
    "decode error": (True, lambda: json.JSONDecodeError("no JSON", "<html>", 0)),
    "plugin crash": (True, lambda: LookupError("only the plugin knows")),
}
KINDS: dict[str, dict[str, Any]] = {
    "read": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False, "idempotent": False, "destructive": True},
    "undeclared": {},
}
HARMLESS = ("read", "idempotent")
EXECUTORS = ("sync", "thread", "thread under acall", "async", "async under call")


def greedy(run, tool, call):
    """A middleware that runs everything again, whatever happened."""
    for _ in range(5):
        outcome = yield run
    return outcome


RETRIES: dict[str, Callable[[], list[Any]]] = {
    "by itself": list,
    "retry": lambda: [retry(attempts=4, wait_initial=0, wait_jitter=0, on=errors.ToolError)],
    "retry before effect": lambda: [retry(attempts=4, wait_initial=0, wait_jitter=0, before_effect=True)],
    "a greedy one": lambda: [greedy],
}


class Counter:
    """Counts how often it is run and takes effect; fails each time at one point."""

    def __init__(self, point: str, released: threading.Event) -> None:
        self.takes_effect, self.fault = POINTS[point]
        self.released = released
        self.runs = self.effects = 0

    def begin(self) -> None:
        self.runs += 1
        self.effects += self.takes_effect
        if self.fault is not HANGS:
            raise self.fault()

    def work(self) -> str:
        self.begin()
        self.released.wait(30)
        raise TimeoutError("no answer")

    async def awork(self) -> str:
        self.begin()
        await asyncio.sleep(30)
        return "never"


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def answer(pipeline: Any, executor: str) -> Any:
    if executor in ("thread under acall", "async"):
        return asyncio.run(pipeline.acall("work", call_id="7"))
    return pipeline.call("work", call_id="7")


@pytest.mark.parametrize("way", RETRIES)
@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", POINTS)
def test_a_fault(make_pipeline, plugin, released, point, kind, executor, way):
    def crash():
        raise RuntimeError("the plugin's own bug")

    counter = Counter(point, released)
    if executor == "sync":
        released.set()  # nothing bounds a sync tool in the caller's own thread, so it gives up by itself
    timeout = 0.01 if executor != "sync" and POINTS[point][1] is HANGS else 30 if executor == "thread" else None
    handler = counter.awork if "async" in executor else counter.work
    tool = Tool.from_function(handler, name="work", timeout=timeout, **KINDS[kind])
    plugins = [plugin(classify=crash, detect=crash, observe=crash)] if point == "plugin crash" else []
    result = answer(make_pipeline(tool, middleware=RETRIES[way](), plugins=plugins), executor)
    assert (result.is_error, result.call.id) == (True, "7")
    assert counter.runs == result.attempts or timeout == 0.01  # a busy machine may not even have begun by then
    assert counter.effects == counter.runs * POINTS[point][0]
    assert counter.effects == 0 or result.error.effect != "none"
    if kind not in HARMLESS:
        assert counter.effects <= 1
        assert counter.runs <= 1 or (point == "before connect" and way in ("retry before effect", "a greedy one"))
    elif way == "a greedy one" and timeout != 0.01:  # otherwise the first has used up the deadline of the call
        assert counter.runs == 5


def lines(path: pathlib.Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.parametrize("way", RETRIES)
@pytest.mark.parametrize("point", POINTS)
def test_a_fault_in_a_process_of_its_own(make_pipeline, plugin, tmp_path, point, way):
    def crash():
        raise RuntimeError("the plugin's own bug")

    plugins = [plugin(classify=crash, detect=crash, observe=crash)] if point == "plugin crash" else []
    tools = [
        Tool.from_function(fail_at, name=kind, killable=True, timeout=2 if point == "timeout" else 60, **declared)
        for kind, declared in KINDS.items()
    ]
    pipeline = make_pipeline(*tools, middleware=RETRIES[way](), plugins=plugins)
    files = {kind: (tmp_path / f"{kind} runs", tmp_path / f"{kind} effects") for kind in KINDS}
    asked = [(kind, {"point": point, "runs": str(runs), "effects": str(done)}) for kind, (runs, done) in files.items()]
    for result in asyncio.run(pipeline.acall_many(asked)):
        kind = result.call.name
        ran, effects = map(lines, files[kind])
        assert result.is_error and ran == result.attempts
        assert effects == ran * POINTS[point][0]
        assert effects == 0 or result.error.effect != "none"
        if kind not in HARMLESS:
            assert effects <= 1
            assert ran <= 1 or (point == "before connect" and way in ("retry before effect", "a greedy one"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_that_the_host_cancels_is_not_run_again(make_pipeline, released, kind):
    counter = Counter("timeout", released)
    pipeline = make_pipeline(
        Tool.from_function(counter.awork, name="work", **KINDS[kind]), middleware=[retry(wait_initial=0, wait_jitter=0)]
    )

    async def main() -> None:
        task = asyncio.ensure_future(pipeline.acall("work"))
        while not counter.runs:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert counter.effects == 1
