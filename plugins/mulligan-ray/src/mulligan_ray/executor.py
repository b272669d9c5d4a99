"""`Ray`: runs tools as tasks of a Ray cluster, or on a pool of its actors."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from mulligan.plugin import (
    Deadline,
    DeadlineExceeded,
    Executor,
    Limits,
    ProcessFailed,
    Tool,
    ToolCall,
    ToolConnectionError,
    ToolExecutor,
    UsageError,
    current_deadline,
    packed_call,
    safe_str,
    value_of_answer,
)
from mulligan_ray import cluster
from mulligan_ray.answers import ANSWERS
from mulligan_ray.connection import connection, is_forked
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
        self._address, self._start, self._actors, self.in_flight = address, start, actors, in_flight
        self._lock = threading.Lock()
        self._joining: Future[Any] | None = None
        self._connection: str | None = None
        self._remote: Any = None
        self._failed: str | None = None
        self._exporting: Future[Any] | None = None
        self._slots: Slots[_Slot] = Slots(actors or in_flight, _Slot)

    def execute(self, tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor:
        """How to run a call on the cluster. Nothing is sent yet.

        Raises:
            UsageError: no cluster is named, or the tool's function or an argument cannot be sent.
        """
        if (problem := self._unusable()) is not None:
            raise UsageError(f"tool {tool.name!r} runs on ray: {problem}")
        request = packed_call(tool, arguments, yielded=_MAX_YIELDED, where="runs on ray")

        async def run_on_ray() -> Any:
            return value_of_answer(await self._answer(request))

        return run_on_ray

    def problem(self) -> str | None:
        """Why no tool can run on it now: no cluster is named, or the last attempt to connect failed."""
        return self._unusable() or self._failed

    def close(self) -> None:
        """Ends the actors, and the connection if no other executor uses it. The next call connects again."""
        with self._lock:
            self._connection = self._remote = self._joining = None
        for slot in self._slots.clear():
            _kill(slot)
        cluster.leave(id(self))

    def _lose(self) -> None:
        """Forgets a cluster whose head is gone."""
        with self._lock:
            self._connection = self._remote = None
        self._slots.clear()

    def _unusable(self) -> str | None:
        if is_forked():
            return "This process was forked from one that is connected to Ray. Start it with the method spawn or forkserver."
        if connection() is not None or cluster.address_of(self._address, start=self._start) is not None:
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
        is_usable, remote = False, self._remote
        try:
            reference = await self._submit(slot, request)
            try:
                answer = await ANSWERS.expect(reference)
            except BaseException as error:
                _stop(slot, reference)
                if not isinstance(error, asyncio.CancelledError):
                    raise  # the coroutine is being closed, and may not wait
                if not await _ends(reference):
                    raise DeadlineExceeded(0.0) from None
                raise
            finally:
                ANSWERS.forget(reference)
            is_usable = not isinstance(answer, BaseException)
            return _result(answer)
        finally:
            if is_usable and remote is self._remote:
                self._slots.give_back(slot)
            else:  # it failed, or this executor was closed meanwhile
                _kill(slot)
                self._slots.drop()

    async def _join(self) -> None:
        """Connects to the cluster, once for all calls that wait for it, in a thread.

        Raises:
            ToolConnectionError: Ray cannot connect; nothing has run.
        """
        with self._lock:
            if self._connection is not None and self._connection == connection():
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
                self._connection, self._remote = connection(), target.options(**no_retries, **self._options)
                self._exporting = self._failed = None
            self._slots.clear()  # of another connection that the host had made
        except BaseException as error:
            self._failed = f"Ray cannot connect: {type(error).__name__}: {safe_str(error, 300)}"
            raise
        finally:
            with self._lock:
                self._joining = None

    async def _submit(self, slot: _Slot, request: Mapping[str, Any]) -> Any:
        """The reference to a call that was submitted. A large one is copied to the object store in a thread.

        Raises:
            DeadlineExceeded: the call was given up meanwhile. If it is submitted after all, it is cancelled.
            ToolConnectionError: the cluster was lost while the call waited for its turn; nothing has run.
        """
        packed = pack(request)
        send = partial(self._send, slot, packed)
        sending = await self._send_first(send)
        if sending is None and len(packed) < _LARGE_BYTES:
            return send()
        sending = sending or cluster.in_thread(send)
        try:
            await _wait(sending)
        except asyncio.CancelledError:
            sending.add_done_callback(partial(_stop_sent, slot))
            raise DeadlineExceeded(0.0) from None
        return sending.result()

    async def _send_first(self, send: Callable[[], Any]) -> Future[Any] | None:
        """Sends the first call in a thread, since Ray then waits for the head of the cluster, which gets the code.

        Args:
            send: sends the call.

        Returns:
            the future of the call; None if it is another one that was the first, and that one is sent.
        """

        def send_or_begin_again() -> Any:
            try:
                return send()
            except BaseException:
                self._exporting = None
                raise

        while True:
            with self._lock:
                exporting = self._exporting
                if exporting is None:
                    self._exporting = cluster.in_thread(send_or_begin_again)
                    return self._exporting
            if exporting.done():
                return None
            try:
                await _wait(exporting)
            except asyncio.CancelledError:
                raise DeadlineExceeded(0.0, started=False) from None

    def _send(self, slot: _Slot, packed: bytes) -> Any:
        remote = self._remote
        if remote is None:
            raise _unreachable()
        if not self._actors:
            return remote.remote(packed)
        if slot.actor is None:
            slot.actor = remote.remote()
        return slot.actor.run.remote(packed)


class _Slot:
    """The place of a call: for tools on actors, with the actor, which the first call makes."""

    actor: Any = None


def _stop(slot: _Slot, reference: Any) -> None:
    """Kills the process that runs a call, or removes it from Ray's queue; it has ended if the connection has."""
    if slot.actor is not None:
        _kill(slot)
    elif connection() is not None:
        sys.modules["ray"].cancel(reference, force=True)


def _stop_sent(slot: _Slot, sent: Future[Any]) -> None:
    """Stops a call that was given up before it was sent."""
    if sent.exception() is None:
        _stop(slot, sent.result())


def _kill(slot: _Slot) -> None:
    """Ends the actor of a slot, if there is one; it has ended if the connection has.

    In a thread, since Ray then waits for the head of the cluster.
    """
    actor, slot.actor = slot.actor, None
    if actor is not None and connection() is not None:
        cluster.in_thread(lambda: sys.modules["ray"].kill(actor))


async def _ends(reference: Any) -> bool:
    """Whether a call that was cancelled ends within a moment."""
    ended, _ = await asyncio.wait((ANSWERS.expect(reference),), timeout=_stopping_seconds(current_deadline()))
    return bool(ended)


def _stopping_seconds(deadline: Deadline | None) -> float:
    """How long a call that was given up waits for its end: a moment, which begins at its deadline if that has passed."""
    if deadline is None:
        return _STOPPING_SECONDS
    return max(0.0, min(_STOPPING_SECONDS, deadline.at + _STOPPING_SECONDS - time.monotonic()))


async def _wait(future: Future[Any]) -> None:
    """Waits for the end of what runs in a thread, and never cancels it."""
    await asyncio.wait((asyncio.wrap_future(future),))


def _unreachable() -> ToolConnectionError:
    return ToolConnectionError("The Ray cluster cannot be reached. The tool was not run.", effect="none")


def _result(answer: Any) -> bytes:
    """The worker's answer.

    Raises:
        ToolError: Ray failed.
        ProcessFailed: the worker could not run the call at all.
    """
    if not isinstance(answer, BaseException):
        return bytes(answer)
    if is_unloaded(answer):
        raise ProcessFailed("unloaded", text="a node of the cluster lacks the package mulligan-ray") from answer
    raise engine_error(answer) or answer


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
