"""`Ray`: runs tools as tasks of a Ray cluster, or on a pool of its actors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

from mulligan.plugin import (
    DeadlineExceeded,
    Executor,
    Limits,
    ProcessFailed,
    Tool,
    ToolCall,
    ToolConnectionError,
    ToolExecutor,
    UsageError,
    packed_call,
    safe_str,
    value_of_answer,
)
from mulligan_ray import cluster
from mulligan_ray.failures import engine_error
from mulligan_ray.slots import Slots
from mulligan_ray.worker import Worker, pack, run

_MAX_YIELDED = Limits().yielded_values
_STOPPING_SECONDS = 0.1
_LARGE_BYTES = 1 << 20


class Ray(ToolExecutor):
    """Runs tools on a Ray cluster. A call that is given up is cancelled there; Ray never runs one a second time.

        @tool(executor=Ray(num_cpus=2, memory=2_000_000_000))
        def render(scene: str) -> str: ...

    It connects at the first call. It joins the cluster that the host has connected to by `ray.init`, else that of
    `address`, else that of `RAY_ADDRESS`. The nodes need the package `mulligan-ray` and the modules of the tools.

    Args:
        num_cpus: logical CPUs that a call, or an actor, reserves; 1 by default. For an actor, also while it waits.
        num_gpus: logical GPUs that it reserves.
        memory: bytes of memory that it reserves.
        resources: amounts of custom resources that it reserves, by name, such as `{"licence": 1}`.
        runtime_env: its environment, as in `ray.remote(runtime_env=...)`.
        actors: the number of processes that are kept for the tools of this executor; each runs one call at a time, and
            keeps what the tools' modules have loaded. 0 runs each call as a task.
        in_flight: the maximum number of tasks that are submitted at a time. More calls wait in this process.
        address: the cluster's address, such as `10.0.0.1:6379`, or `auto` for that of this machine.
        start: whether to start a cluster on this machine, which ends with this process.

    Raises:
        UsageError: an option has an impossible value, or both `address` and `start` are used.
    """

    name = "ray"

    def __init__(
        self,
        *,
        num_cpus: float | None = None,
        num_gpus: float | None = None,
        memory: float | None = None,
        resources: Mapping[str, float] | None = None,
        runtime_env: Mapping[str, Any] | None = None,
        actors: int = 0,
        in_flight: int = 1_000,
        address: str | None = None,
        start: bool = False,
    ) -> None:
        _check_amounts({"num_cpus": num_cpus, "num_gpus": num_gpus, "memory": memory, **(resources or {})})
        _check_count("actors", actors, 0)
        _check_count("in_flight", in_flight, 1)
        if start and address is not None:
            raise UsageError("Ray(address=..., start=True) contradict each other; remove one of them")
        amounts = {"num_cpus": 1 if num_cpus is None else num_cpus, "num_gpus": num_gpus, "memory": memory}
        self._options: dict[str, Any] = {name: value for name, value in amounts.items() if value is not None}
        for name, value in (("resources", resources), ("runtime_env", runtime_env)):
            if value is not None:
                self._options[name] = dict(value)
        self._address, self._start, self._actors = address, start, actors
        self._lock = threading.Lock()
        self._joining: Future[Any] | None = None
        self._ray: Any = None
        self._remote: Any = None
        self._failed: str | None = None
        self._answers: set[Future[Any]] = set()
        self._slots: Slots[Any] = Slots(actors or in_flight, self._make_slot)

    def execute(self, tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor:
        """How to run a call on the cluster. Nothing is sent yet.

        Raises:
            UsageError: no cluster is named, or the tool's function or an argument cannot be sent.
        """
        if (problem := self._unnamed()) is not None:
            raise UsageError(f"tool {tool.name!r} runs on ray: {problem}")
        request = packed_call(tool, arguments, yielded=_MAX_YIELDED, where="runs on ray")

        async def run_on_ray() -> Any:
            return value_of_answer(await self._answer(request))

        return run_on_ray

    def problem(self) -> str | None:
        """Why no tool can run on it now: no cluster is named, or the last attempt to connect failed."""
        return self._unnamed() or self._failed

    def close(self) -> None:
        """Ends the actors, and the connection if no other executor uses it. The next call connects again."""
        with self._lock:
            ray, self._ray, self._remote, self._joining = self._ray, None, None, None
        for actor in self._slots.clear():
            if actor is not None and ray is not None and ray.is_initialized():
                ray.kill(actor)
        cluster.leave(id(self))

    def _lose(self) -> None:
        """Ends the calls that wait for a cluster whose head is gone."""
        with self._lock:
            ray, self._ray, self._remote = self._ray, None, None
        self._slots.clear()
        for answer in list(self._answers):
            with suppress(InvalidStateError):  # it has just ended
                answer.set_exception(ray.exceptions.RaySystemError("the head of the cluster is gone"))

    def _unnamed(self) -> str | None:
        if cluster.address_of(self._address, start=self._start) is not None or cluster.is_connected():
            return None
        return "No Ray cluster is named. Set RAY_ADDRESS, or use Ray(address=...) or, for one on this machine, Ray(start=True)."

    async def _answer(self, request: Mapping[str, Any]) -> bytes:
        """The worker's answer.

        Raises:
            asyncio.CancelledError: the call was given up, and the worker has stopped.
            DeadlineExceeded: the call was given up, and either never sent, or not known to have stopped.
            ToolError: the cluster cannot be reached, or failed.
        """
        try:
            await self._join()
            slot = await self._slots.take()
        except asyncio.CancelledError:
            raise DeadlineExceeded(0.0, started=False) from None
        is_usable = False
        try:
            reference, answer = await self._submit(slot, request)
            self._answers.add(answer)
            try:
                await _wait(answer)
            except BaseException as error:
                self._stop(slot, reference)
                if not isinstance(error, asyncio.CancelledError):
                    raise  # the coroutine is being closed, and may not wait
                if not await _wait(answer, _STOPPING_SECONDS):
                    raise DeadlineExceeded(0.0) from None
                raise
            finally:
                self._answers.discard(answer)
            is_usable = answer.exception() is None
            return _result(answer)
        finally:
            if is_usable:
                self._slots.give_back(slot)
            else:
                self._drop(slot)

    async def _join(self) -> None:
        """Connects to the cluster, once for all calls that wait for it, in a thread.

        Raises:
            ToolConnectionError: Ray cannot connect; nothing has run.
        """
        with self._lock:
            if self._ray is not None and self._ray.is_initialized():
                return
            if self._joining is None:
                self._joining = cluster.in_thread(self._connect, stays=self._start)
            joining = self._joining
        await _wait(joining)
        error = joining.exception()
        if isinstance(error, UsageError):
            raise error
        if error is not None:
            raise _unreachable() from error

    def _connect(self) -> None:
        try:
            ray = cluster.join(id(self), cluster.address_of(self._address, start=self._start), self._lose)
            target = ray.remote(Worker if self._actors else run)
            no_retries = {"max_restarts": 0, "max_task_retries": 0} if self._actors else {"max_retries": 0}
            with self._lock:
                self._ray, self._remote, self._failed = ray, target.options(**no_retries, **self._options), None
        except BaseException as error:
            self._failed = f"Ray cannot connect: {type(error).__name__}: {safe_str(error, 300)}"
            raise
        finally:
            with self._lock:
                self._joining = None

    def _make_slot(self) -> Any:
        return self._target().remote() if self._actors else None

    def _target(self) -> Any:
        """The task or the actor, as Ray has it.

        Raises:
            ToolConnectionError: the cluster was lost while the call waited for its turn; nothing has run.
        """
        target = self._remote
        if target is None:
            raise _unreachable()
        return target

    async def _submit(self, slot: Any, request: Mapping[str, Any]) -> tuple[Any, Future[Any]]:
        """The reference to a call that was submitted, and its answer. A large one is copied to the object store in a thread.

        Raises:
            DeadlineExceeded: the call was given up while it was copied; it is cancelled when it is submitted.
        """
        send: Callable[..., Any] = self._target().remote if slot is None else slot.run.remote
        packed = pack(request)
        if len(packed) < _LARGE_BYTES:
            reference = send(packed)
        else:
            sending = cluster.in_thread(lambda: send(packed))
            try:
                await _wait(sending)
            except asyncio.CancelledError:
                sending.add_done_callback(lambda sent: sent.exception() or self._stop(slot, sent.result()))
                raise DeadlineExceeded(0.0) from None
            reference = sending.result()
        return reference, reference.future()

    def _stop(self, slot: Any, reference: Any) -> None:
        """Kills the process that runs a call, or removes it from Ray's queue; it has ended if the connection has."""
        ray = self._ray
        if ray is None or not ray.is_initialized():
            return
        if slot is None:
            ray.cancel(reference, force=True)
        else:
            ray.kill(slot)

    def _drop(self, slot: Any) -> None:
        """Gives up a slot; an actor that failed is ended, if it has not ended."""
        ray = self._ray
        if slot is not None and ray is not None and ray.is_initialized():
            ray.kill(slot)
        self._slots.drop()


async def _wait(future: Future[Any], seconds: float | None = None) -> bool:
    """Waits for the end of what runs elsewhere, and never cancels it; returns whether it has ended.

    `asyncio.wrap_future` and `asyncio.wait` do the same in three more turns of the event loop.

    Args:
        future: ends in any thread.
        seconds: the maximum time, or None.
    """
    if future.done():
        return True
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    def wake(_: object = None) -> None:
        with suppress(RuntimeError):  # the loop is closed, so nothing waits any more
            loop.call_soon_threadsafe(_resolve, ended)

    future.add_done_callback(wake)
    timer = None if seconds is None else loop.call_later(seconds, _resolve, ended)
    try:
        await ended
    finally:
        if timer is not None:
            timer.cancel()
    return future.done()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _unreachable() -> ToolConnectionError:
    return ToolConnectionError("The Ray cluster cannot be reached. The tool was not run.", effect="none")


def _result(answer: Future[Any]) -> bytes:
    """The worker's answer.

    Raises:
        ToolError: Ray failed.
        ProcessFailed: the worker could not run the call at all.
    """
    error = answer.exception()
    if error is None:
        return bytes(answer.result())
    if is_unloaded(error):
        raise ProcessFailed("unloaded", text="a node of the cluster lacks the package mulligan-ray") from error
    raise engine_error(error) or error


def is_unloaded(error: BaseException) -> bool:
    """Whether a worker could not import this package, so that nothing ran.

    Args:
        error: what Ray raised.
    """
    text = str(error)
    return "failed to import on the worker" in text or "No module named 'mulligan" in text


def _check_amounts(amounts: Mapping[str, object]) -> None:
    for name, value in amounts.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0):
            raise UsageError(f"Ray({name}={value!r:.80}): use a number, at least 0")


def _check_count(name: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        raise UsageError(f"Ray({name}={value!r:.80}): use a whole number, at least {least}")
