"""`Temporal`: runs tools as activities, started by a workflow, or by a small workflow for each call outside workflows."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

from mulligan.plugin import (
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
from mulligan_temporal.failures import engine_error
from mulligan_temporal.requests import Json, request_of, value_of

_MARGIN_SECONDS = 1.0
_STOPPING_SECONDS = 0.15
CALL_WORKFLOW = "mulligan.call"


class Temporal(ToolExecutor):
    """Runs tools as activities of Temporal, each in one attempt: mulligan decides whether a tool may run again.

        @tool(executor=Temporal(task_queue="reports"))
        def render(month: str) -> str: ...

    Inside a workflow, the workflow starts the activity. Elsewhere a small workflow does, one for each call. Workers have
    the tools: `mulligan temporal worker --tools MODULE --task-queue reports`, or `mulligan_temporal.worker.ToolsPlugin`.
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
    ) -> None:
        for name, value in (("task_queue", task_queue), ("address", address), ("namespace", namespace)):
            if value is not None and (not isinstance(value, str) or not value):
                raise UsageError(f"Temporal({name}={value!r:.80}): use a text that is not empty")
        for name, seconds in (("longest", longest), ("heartbeat", heartbeat)):
            if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
                raise UsageError(f"Temporal({name}={seconds!r:.80}): use a number of seconds above 0")
        if client is not None and (address is not None or namespace is not None):
            raise UsageError("Temporal(client=...) has an address and a namespace; remove address and namespace")
        self._task_queue, self._longest, self._heartbeat = task_queue, float(longest), float(heartbeat)
        self._connection = {"target_host": address, "namespace": namespace}
        self._given, self._client, self._failed = client, client, None

    def execute(self, tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor:
        """How to run a call as an activity. Nothing is sent yet.

        Raises:
            UsageError: an argument cannot be written as JSON.
        """
        request, longest = request_of(tool, arguments, call), tool.timeout

        async def run_on_temporal() -> Any:
            from temporalio import workflow

            deadline = current_deadline()
            seconds = longest if deadline is None else deadline.remaining
            seconds = self._longest if seconds is None else min(seconds, self._longest)
            request["seconds"] = round(seconds, 2)
            if workflow.in_workflow():
                return await self._run_inside(tool.name, request)
            return await self._run_outside(tool.name, request)

        return run_on_temporal

    def problem(self) -> str | None:
        """Why no tool can run on it now: the last attempt to connect failed."""
        return self._failed

    def close(self) -> None:
        """Drops the connection, unless it was given. The next call connects again."""
        self._client = self._given

    async def _run_inside(self, name: str, request: Json) -> Any:
        from mulligan_temporal.workflows import run_activity

        try:
            answer = await run_activity(name, request, self._heartbeat, self._task_queue)
        except Exception as error:
            return _raise(error)
        return value_of(answer)

    async def _run_outside(self, name: str, request: Json) -> Any:
        """The value of a call, which a workflow of its own runs.

        Raises:
            asyncio.CancelledError: the call was given up, and has ended.
            DeadlineExceeded: the call was given up, and is not known to have ended.
            ToolError: the server or the worker failed.
        """
        client = await self.connect()
        workflow_id = f"mulligan-{name}-{uuid4()}"
        working = asyncio.ensure_future(self._start(client, workflow_id, name, request))
        try:
            await asyncio.wait((working,))
        except asyncio.CancelledError:
            handle = client.get_workflow_handle(workflow_id)
            stopping = asyncio.ensure_future(handle.cancel())
            stopping.add_done_callback(_ignore)
            working.add_done_callback(_ignore)
            await asyncio.wait((working,), timeout=_STOPPING_SECONDS)
            if not working.done():
                working.cancel()
                raise DeadlineExceeded(0.0) from None
            raise
        if working.exception() is not None:
            _raise(working.exception())
        return value_of(working.result())

    async def _start(self, client: Any, workflow_id: str, name: str, request: Json) -> Any:
        return await client.execute_workflow(
            CALL_WORKFLOW,
            {"tool": name, "request": request, "heartbeat": self._heartbeat},
            id=workflow_id,
            task_queue=self._task_queue,
            result_type=dict,
            execution_timeout=timedelta(seconds=request["seconds"] + 2 * _MARGIN_SECONDS),
        )

    async def connect(self) -> Any:
        """The client, which serves every thread and event loop.

        Raises:
            ToolConnectionError: the server cannot be reached; nothing has run.
        """
        if self._client is not None:
            return self._client
        from temporalio.client import Client
        from temporalio.envconfig import ClientConfig

        try:
            known: dict[str, Any] = dict(ClientConfig.load_client_connect_config())
            known.update({name: value for name, value in self._connection.items() if value is not None})
            known.setdefault("target_host", "localhost:7233")
            self._client = await Client.connect(**known)
        except Exception as error:
            self._failed = f"Temporal cannot be reached: {safe_str(error, 300)}"
            raise ToolConnectionError(
                "The Temporal server cannot be reached. The tool was not run.", effect="none"
            ) from error
        self._failed = None
        return self._client


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


def _ignore(ended: asyncio.Future[Any]) -> None:
    """Reads the exception of something that no one waits for, so that asyncio does not report it as lost."""
    if not ended.cancelled():
        ended.exception()
