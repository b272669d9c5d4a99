"""`Temporal`: runs tools as activities, of a workflow where the pipeline is in one, and otherwise without any."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import cache
from importlib import import_module
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from mulligan.plugin import (
    Deadline,
    DeadlineExceeded,
    Executor,
    Tool,
    ToolCall,
    ToolConnectionError,
    ToolExecutor,
    UsageError,
    current_deadline,
    safe_str,
)
from mulligan_temporal.failures import engine_error, refusal, was_not_taken
from mulligan_temporal.requests import Json, request_of, value_of
from mulligan_temporal.traces import trace_here

_MARGIN_SECONDS = 1.0
_STOPPING_SECONDS = 0.1
_NOT_TAKEN_SECONDS = 1.0  # before the deadline, the server ends a call that no worker has taken, and reports it


class Temporal(ToolExecutor):
    """Runs tools as activities of Temporal, each in one attempt: mulligan decides whether a tool may run again.

        @tool(executor=Temporal(task_queue="reports"))
        def render(month: str) -> str: ...

    Inside a workflow, the workflow starts the activity. Elsewhere it is an activity without a workflow. Workers have the
    tools: `mulligan temporal worker --tools MODULE --task-queue reports`, or `mulligan_temporal.worker.ToolsPlugin`.
    It connects at the first call, as the environment variables and the configuration file of Temporal say, such as
    `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE` and `TEMPORAL_API_KEY`.

    Args:
        task_queue: the task queue of the workers.
        address: the server's address, such as `localhost:7233`, instead of that of the environment.
        namespace: the namespace, instead of that of the environment.
        client: a client that is connected already, with its own data converter and interceptors.
        longest: seconds after which Temporal ends a call of a tool that has no timeout.
        heartbeat: seconds without a heartbeat after which a worker counts as lost. A call that is given up is cancelled
            on its worker with the next heartbeat, of which there are several in this time.
        in_flight: the maximum number of activities that one event loop, or one workflow, has at a time. More calls wait
            in this process, in order.

    Raises:
        UsageError: an option has an impossible value, or both `client` and `address` or `namespace` are used.
    """

    name = "temporal"

    def __init__(
        self,
        *,
        task_queue: str = "mulligan",
        address: str | None = None,
        namespace: str | None = None,
        client: Any = None,
        longest: float = 3_600.0,
        heartbeat: float = 10.0,
        in_flight: int = 1_000,
    ) -> None:
        _check_texts({"task_queue": task_queue, "address": address, "namespace": namespace})
        _check_seconds({"longest": longest, "heartbeat": heartbeat})
        if type(in_flight) is not int or in_flight < 1:
            raise UsageError(f"Temporal(in_flight={in_flight!r:.80}): use a whole number, at least 1")
        if client is not None and (address is not None or namespace is not None):
            raise UsageError("Temporal(client=...) has an address and a namespace; remove address and namespace")
        self._task_queue, self._longest, self._heartbeat = task_queue, float(longest), float(heartbeat)
        self._connection = {"target_host": address, "namespace": namespace}
        self._given, self._client = client, client
        self._failed: str | None = None
        self.in_flight, self._lock = in_flight, threading.Lock()
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        self._connecting: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Any]] = WeakKeyDictionary()

    def execute(self, tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor:
        """How to run a call as an activity. Nothing is sent yet.

        Raises:
            UsageError: an argument cannot be written as JSON.
        """
        request, longest = request_of(tool, arguments, call), tool.timeout
        _load_temporal()

        async def run_on_temporal() -> Any:
            from temporalio import workflow

            deadline, places = current_deadline(), self._places_here()
            try:
                await places.acquire()
            except asyncio.CancelledError:
                raise DeadlineExceeded(0.0, started=False) from None
            try:
                if workflow.in_workflow():
                    return await self._run_inside(tool.name, self._limited(request, deadline, longest))
                client = await self._connect_or_give_up()
                return await self._run_outside(client, tool.name, self._limited(request, deadline, longest), deadline)
            finally:
                places.release()

        return run_on_temporal

    def problem(self) -> str | None:
        """Why no tool can run on it now: the last attempt to connect failed."""
        return self._failed

    def close(self) -> None:
        """Drops the connection, unless it was given. The next call connects again."""
        self._client = self._given

    def _places_here(self) -> asyncio.Semaphore:
        """What bounds the activities of this event loop. A workflow has a loop of its own, and so is replayed the same."""
        with self._lock:
            return self._places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.in_flight))

    async def _run_inside(self, name: str, request: Json) -> Any:
        """The value of a call, which is an activity of the current workflow.

        Raises:
            asyncio.CancelledError: the call was given up, and has ended.
            ToolError: the server or the worker failed.
        """
        from temporalio.exceptions import is_cancelled_exception

        from mulligan_temporal.workflows import run_activity

        try:
            answer = await run_activity(name, request, activity_options(request, self._heartbeat, self._task_queue))
        except Exception as error:
            if is_cancelled_exception(error):  # Temporal says it in its own way, which ends no task
                raise asyncio.CancelledError from error
            return _raise(error)
        return value_of(answer)

    def _limited(self, request: Json, deadline: Deadline | None, longest: float | None) -> Json:
        """A call with the seconds that it may take from now, and its trace."""
        seconds = longest if deadline is None else deadline.remaining
        seconds = self._longest if seconds is None else min(seconds, self._longest)
        return {**request, "seconds": max(0.01, round(seconds, 2)), "trace": trace_here()}

    async def _connect_or_give_up(self) -> Any:
        """The client.

        Raises:
            DeadlineExceeded: the call was given up, and never started.
            ToolConnectionError: the server cannot be reached; nothing has run.
        """
        try:
            return await self.connect()
        except asyncio.CancelledError:
            raise DeadlineExceeded(0.0, started=False) from None

    async def _run_outside(self, client: Any, name: str, request: Json, deadline: Deadline | None) -> Any:
        """The value of a call, which is an activity without a workflow.

        Raises:
            asyncio.CancelledError: the call was given up, and has ended.
            DeadlineExceeded: the call was given up, and either never started, or is not known to have ended.
            ToolError: the server or the worker failed.
        """
        activity_id = f"mulligan-{name}-{uuid4()}"
        taken_within = (
            None if deadline is None else request["seconds"] - min(_NOT_TAKEN_SECONDS, request["seconds"] / 4)
        )
        working = asyncio.ensure_future(self._start_and_wait(client, activity_id, name, request, taken_within))
        working.add_done_callback(_read_exception)
        try:
            await asyncio.wait((working,))
        except asyncio.CancelledError:
            stopping = asyncio.ensure_future(_stop(client.get_activity_handle(activity_id)))
            stopping.add_done_callback(_read_exception)
            await asyncio.wait((stopping,), timeout=_stopping_seconds(deadline))
            has_ended, has_started = stopping.result() if _has_result(stopping) else (False, True)
            working.cancel()
            if has_ended and has_started:
                raise
            raise DeadlineExceeded(0.0, started=has_started) from None
        if (error := working.exception()) is not None:
            if deadline is not None and was_not_taken(error):
                await _end_at_deadline(deadline)
            return _raise(error)
        return value_of(working.result())

    async def _start_and_wait(
        self, client: Any, activity_id: str, name: str, request: Json, taken_within: float | None
    ) -> Any:
        """The answer of an activity.

        Raises:
            ToolError: the server refused to start it; nothing has run.
            temporalio.client.ActivityFailureError: it failed.
            temporalio.service.RPCError: the server does not respond.
        """
        from temporalio.service import RPCError

        options = activity_options(request, self._heartbeat, self._task_queue)
        if taken_within is not None:
            options["schedule_to_start_timeout"] = timedelta(seconds=taken_within)
        try:
            handle = await client.start_activity(name, request, id=activity_id, result_type=dict, **options)
        except RPCError as error:
            raise refusal(error) or error from error
        return await handle.result()

    async def connect(self) -> Any:
        """The client, which serves every thread and event loop. Calls that need it at the same time connect once.

        Raises:
            ToolConnectionError: the server cannot be reached; nothing has run.
        """
        if self._client is not None:
            return self._client
        loop = asyncio.get_running_loop()
        with self._lock:
            connecting = self._connecting.get(loop)
            if connecting is None or connecting.done():
                connecting = self._connecting[loop] = loop.create_task(self._connect())
                connecting.add_done_callback(_read_exception)
        await asyncio.wait((connecting,))
        if (error := connecting.exception()) is not None:
            self._failed = f"Temporal cannot be reached: {safe_str(error, 300)}"
            raise ToolConnectionError(
                "The Temporal server cannot be reached. The tool was not run.", effect="none"
            ) from error
        self._client, self._failed = connecting.result(), None
        return self._client

    async def _connect(self) -> Any:
        from temporalio.client import Client
        from temporalio.envconfig import ClientConfig

        known: dict[str, Any] = dict(ClientConfig.load_client_connect_config())
        known.update({name: value for name, value in self._connection.items() if value is not None})
        known.setdefault("target_host", "localhost:7233")
        return await Client.connect(**known)


@cache
def _load_temporal() -> None:
    """Imports Temporal's library, which takes a second or more: before the time of the first call begins."""
    for name in ("temporalio.client", "temporalio.envconfig", "temporalio.workflow"):
        import_module(name)


def _check_texts(options: Mapping[str, object]) -> None:
    for name, value in options.items():
        if value is not None and (not isinstance(value, str) or not value):
            raise UsageError(f"Temporal({name}={value!r:.80}): use a text that is not empty")


def _check_seconds(options: Mapping[str, object]) -> None:
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
            raise UsageError(f"Temporal({name}={value!r:.80}): use a number of seconds above 0")


def _raise(error: BaseException | None) -> Any:
    """Raises the tool's own exception, or what a failure of Temporal means.

    Raises:
        BaseException: the tool's exception.
        ToolError: a failure of Temporal.
    """
    assert error is not None
    current: BaseException | None = error
    while current is not None:
        details = getattr(current, "details", ())
        if details and isinstance(details[0], dict) and "kind" in details[0]:
            return value_of(details[0])
        current = current.__cause__
    raise engine_error(error) or error


def activity_options(request: Json, heartbeat: float, task_queue: str) -> dict[str, Any]:
    """How Temporal runs an activity: in one attempt, and not after the call's deadline.

    Args:
        request: the call as JSON.
        heartbeat: seconds without a heartbeat after which the worker counts as lost.
        task_queue: that of the workers.
    """
    from temporalio.common import RetryPolicy

    return {
        "task_queue": task_queue,
        "schedule_to_close_timeout": timedelta(seconds=request["seconds"] + _MARGIN_SECONDS),
        "heartbeat_timeout": timedelta(seconds=heartbeat),
        "retry_policy": RetryPolicy(maximum_attempts=1),
    }


async def _end_at_deadline(deadline: Deadline) -> None:
    """Waits for the deadline of a call that the server ended a moment before, since no worker had taken it.

    Raises:
        DeadlineExceeded: it has passed, and the call never started.
    """
    seconds = deadline.remaining
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(seconds + _MARGIN_SECONDS)
    raise DeadlineExceeded(seconds, started=False)


def _stopping_seconds(deadline: Deadline | None) -> float:
    """How long a call that was given up waits for its end: a moment, which begins at its deadline if that has passed."""
    if deadline is None:
        return _STOPPING_SECONDS
    return max(0.0, min(_STOPPING_SECONDS, deadline.at + _STOPPING_SECONDS - time.monotonic()))


async def _stop(handle: Any) -> tuple[bool, bool]:
    """Cancels an activity, and returns whether it has ended, and whether a worker had started it."""
    from temporalio.client import ActivityExecutionStatus

    await handle.cancel()
    description = await handle.describe()
    has_ended = description.status is not ActivityExecutionStatus.RUNNING
    return has_ended, description.last_started_time is not None or not has_ended


def _has_result(future: asyncio.Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _read_exception(ended: asyncio.Future[Any]) -> None:
    """Reads the exception of something that no one may wait for, so that asyncio does not report it as lost."""
    if not ended.cancelled():
        ended.exception()
