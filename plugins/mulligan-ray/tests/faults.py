"""The faults of a cluster, and what the calls that meet them have to answer. Tests run each once, `bench/faults.py` many times.

A round runs eight calls at a time: for each declaration of a tool, one as a task and one on an actor.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import mulligan_ray
import ray_tools
from local_cluster import NODE
from mulligan_ray import Ray
from mulligan_testkit.out_of_memory import can_outgrow, remove_groups

from mulligan import Pipeline, Tool
from mulligan.errors import ToolError, UsageError
from mulligan.middleware import retry

WAYS: dict[str, dict[str, Any]] = {"task": {}, "actor": {"actors": 4}}
DECLARED: dict[str, dict[str, Any]] = {
    "read-only": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False},
    "undeclared": {},
}
SAFE = ("read-only", "idempotent")
_NUMBERS = count()


class Met(NamedTuple):
    """What became of one call that met a fault.

    Attributes:
        fault: the fault.
        way: how the tool ran.
        declared: how it was declared.
        error: the class of the error; `no error`, or `CancelledError`, if there is none.
        effect: that of the error, or None.
        expected: the class and the effect that are right.
        runs: the number of processes in which it started.
        late: seconds after its deadline.
        next_error: what the next call on the same executor failed with; None if it worked.
    """

    fault: str
    way: str
    declared: str
    error: str
    effect: str | None
    expected: tuple[str, str | None]
    runs: int
    late: float
    next_error: str | None

    @property
    def is_right(self) -> bool:
        """Whether the class and the effect are right, no writing tool ran twice, and the next call worked."""
        runs_once = self.runs <= 1 or self.declared in SAFE
        return (self.error, self.effect) == tuple(self.expected) and runs_once and self.next_error is None


class Fault(NamedTuple):
    """A fault, and how to bring it about.

    Attributes:
        error: the class of the right error.
        effect: the right effect.
        tool: the function that meets it.
        arguments: its arguments, apart from its path.
        context: its injected arguments.
        timeout: seconds.
        loses_node: whether that node is removed while the calls run, or wait for it.
        places: how many calls fit on a node that is added for them; 0 for no such node.
        environment: variables of the environment of that node.
        waits: whether the node has no place left, so that the calls wait for it.
        survives: whether another such node is added, on which a tool that is safe succeeds by running again.
    """

    error: str
    effect: str | None
    tool: Callable[..., Any] = ray_tools.die
    arguments: Mapping[str, Any] = {}
    context: Mapping[str, Any] = {}
    timeout: float = 120.0
    loses_node: bool = False
    places: int = 0
    environment: Mapping[str, str] = {}
    waits: bool = False
    survives: bool = False


LOST = ("ToolUnavailableError", "possible")
FAULTS = {
    "worker or actor killed": Fault(*LOST, arguments={"how": "SIGKILL"}),
    "killed by the kernel": Fault(*LOST, arguments={"how": "kernel"}),  # for lack of memory
    "sys.exit in the tool": Fault("ToolExecutionError", "possible", arguments={"how": "sys.exit"}),
    "out of memory in the tool": Fault("ToolQuotaError", "possible", arguments={"how": "out of memory"}),
    "out of memory on the node": Fault(
        *("ToolQuotaError", "possible", ray_tools.beat, {"seconds": 60}),
        places=16,
        environment={"RAY_memory_usage_threshold": "0.01", "RAY_memory_monitor_refresh_ms": "500"},
    ),
    "unpicklable argument": Fault("UsageError", None, ray_tools.hold, context={"lock": threading.Lock()}, timeout=60),
    "unpicklable result": Fault("ToolExecutionError", "done", arguments={"how": "unpicklable result"}),
    "unpicklable exception": Fault("ToolExecutionError", "possible", arguments={"how": "unpicklable exception"}),
    "cancelled": Fault("CancelledError", None, ray_tools.beat, {"seconds": 60}),
    "deadline": Fault("ToolTimeoutError", "possible", ray_tools.beat, {"seconds": 60}, timeout=3.0),
    "node removed while running": Fault(
        *(*LOST, ray_tools.beat_once, {"seconds": 90}), loses_node=True, places=16, survives=True
    ),
    "node removed while pending": Fault(
        *("ToolTimeoutError", "possible", ray_tools.beat, {"seconds": 20}),
        timeout=8.0,
        loses_node=True,
        places=1,
        waits=True,
    ),
}
if not can_outgrow():
    del FAULTS["killed by the kernel"]


def meet(name: str, cluster: Any, rounds: int = 1) -> Iterator[Met]:
    """Runs rounds of a fault, one after the other, with the same executors, and yields what became of each call.

    Args:
        name: a key of `FAULTS`.
        cluster: the cluster to which this process is connected.
        rounds: how often it happens; once if it loses a node.
    """
    fault = FAULTS[name]
    place = (
        f"place{next(_NUMBERS)}"  # a new name: for a while, Ray does not know that the node of the last round is lost
    )
    with _node(fault, cluster, place) as node:
        resources = None if node is None else {place: 1}
        cpus = 0.1 if node is None else 0
        executors = {way: Ray(num_cpus=cpus, resources=resources, **options) for way, options in WAYS.items()}
        nexts = {way: Ray(num_cpus=0.1, **options) for way, options in WAYS.items()} if node else executors
        tools = [
            Tool.from_function(fault.tool, name=f"{way}_{one}", executor=executor, timeout=fault.timeout, **options)
            for way, executor in executors.items()
            for one, options in DECLARED.items()
        ]
        tools += [Tool.from_function(ray_tools.pid, name=way, executor=one, timeout=120) for way, one in nexts.items()]
        # The default retries end five seconds after a call has begun, and a node is added meanwhile.
        middleware = [retry(timeout=fault.timeout, budget=None)] if fault.survives else []
        with Pipeline(tools, plugins=[mulligan_ray], autoload=False, middleware=middleware) as pipeline:
            try:
                lose = partial(_lose, fault, cluster, node, place)
                for _ in range(rounds):
                    yield from asyncio.run(_round(name, fault, pipeline, lose))
            finally:
                for executor in {*executors.values(), *nexts.values()}:
                    executor.close()
                remove_groups()


@contextmanager
def _node(fault: Fault, cluster: Any, place: str) -> Iterator[Any]:
    if not fault.places:
        yield None
        return
    before, nodes = dict(os.environ), set(cluster.worker_nodes)
    os.environ |= fault.environment
    try:
        node = _add(cluster, fault, place)
    finally:
        os.environ.clear()
        os.environ |= before
    try:
        if fault.waits:
            _occupy(place)
        yield node
    finally:
        for added in cluster.worker_nodes - nodes:
            cluster.remove_node(added, allow_graceful=False)


def _add(cluster: Any, fault: Fault, place: str) -> Any:
    """Adds a node for the calls of a fault alone: it has no CPUs, which all other calls need."""
    return cluster.add_node(**{**NODE, "num_cpus": 0}, resources={place: fault.places})


def _occupy(name: str) -> None:
    """Takes the place on the node."""
    import ray

    class Place:  # in a function, so that Ray sends the class itself
        def is_taken(self) -> bool:
            return True

    place = ray.remote(Place).options(num_cpus=0, resources={name: 1}, lifetime="detached").remote()
    ray.get(place.is_taken.remote())


async def _round(name: str, fault: Fault, pipeline: Pipeline, lose: Callable[[], Awaitable[None]]) -> list[Met]:
    await asyncio.gather(*(pipeline.acall(way) for way in WAYS for _ in DECLARED))  # the processes have started
    pairs = [(way, declared) for way in WAYS for declared in DECLARED]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a lost worker may still write
        paths = {pair: Path(folder) / "_".join(pair) for pair in pairs}
        calls = [asyncio.ensure_future(_call(pipeline, "_".join(pair), fault, paths[pair])) for pair in pairs]
        started = time.monotonic()
        if fault.loses_node:
            while not fault.waits and not all(path.exists() for path in paths.values()):
                await asyncio.sleep(0.05)
                assert time.monotonic() - started < 60, "the calls do not start"
            await lose()
        if name == "cancelled":
            while not all(path.exists() for path in paths.values()):
                await asyncio.sleep(0.05)
            for call in calls:
                call.cancel()
        ended = await asyncio.gather(*calls)
        runs = {pair: len({line.split()[0] for line in _lines(paths[pair])}) for pair in pairs}
    next_errors = {way: text_of((await pipeline.acall(way)).error) for way in WAYS}
    return [
        Met(name, *pair, error, effect, _expected(fault, pair[1]), runs[pair], late, next_errors[pair[0]])
        for pair, (error, effect, late) in zip(pairs, ended, strict=True)
    ]


def text_of(error: ToolError | None) -> str | None:
    """The class and the message of an error, if there is one."""
    return None if error is None else f"{type(error).__name__}: {error.message}"


async def _lose(fault: Fault, cluster: Any, node: Any, place: str) -> None:
    if fault.survives:
        _add(cluster, fault, place)  # Ray starts nodes in the main thread only
    await asyncio.to_thread(cluster.remove_node, node, False)


async def _call(pipeline: Pipeline, tool: str, fault: Fault, path: Path) -> tuple[str, str | None, float]:
    began = time.perf_counter()
    try:
        result = await pipeline.acall(tool, {"path": str(path), **fault.arguments}, context=fault.context)
    except (asyncio.CancelledError, UsageError) as error:
        return type(error).__name__, None, 0.0
    late = time.perf_counter() - began - fault.timeout
    return (
        ("no error", None, late) if result.error is None else (type(result.error).__name__, result.error.effect, late)
    )


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _expected(fault: Fault, declared: str) -> tuple[str, str | None]:
    return ("no error", None) if fault.survives and declared in SAFE else (fault.error, fault.effect)
