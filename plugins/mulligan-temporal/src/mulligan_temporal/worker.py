"""Workers: an activity for each tool, and what `temporalio.worker.Worker` needs to run them."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.metadata
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from mulligan import Pipeline
from mulligan.plugin import Limits, Tool, ToolExecutionError, Toolset, arun_tool, run_tool, safe_str
from mulligan_temporal.failures import WORKER_ENDED
from mulligan_temporal.heartbeats import heartbeats
from mulligan_temporal.requests import Json, arguments_of, value_of
from mulligan_temporal.traces import continued_trace

_MAX_YIELDED = Limits().yielded_values
_LARGEST_DETAIL = 1_000_000  # characters of an exception's description; Temporal refuses 2 MiB
_PASSED_THROUGH = (
    *(
        "attr",
        "attrs",
        "cattrs",
        "cloudpickle",
        "docstring_parser",
        "importlib_metadata",
        "jsonschema_rs",
        "json_repair",
    ),
    *("loguru", "msgspec", "mulligan", "opentelemetry", "pluggy", "rapidfuzz", "typing_extensions", "zipp"),
)


class ToolsPlugin(SimplePlugin):
    """A plugin of Temporal's `Worker`, which then runs tools, and workflows that call them.

        Worker(client, task_queue="reports", plugins=[ToolsPlugin([render, send])], activity_executor=ThreadPoolExecutor(32))

    Each tool becomes an activity of its name. A tool that is not async runs in a thread of the worker's
    `activity_executor`. If it is cancelled, it is stopped at its next line of Python, as other activities are.

    Args:
        tools: tools, plain functions and toolsets.
        context: values of injected parameters that only the worker has, such as a connection, by name.
    """

    def __init__(self, tools: Iterable[Any], *, context: Mapping[str, Any] | None = None) -> None:
        super().__init__(
            "mulligan",
            activities=activities_of(tools, context=context),
            workflow_runner=_with_mulligan,
        )


def activities_of(tools: Iterable[Any], *, context: Mapping[str, Any] | None = None) -> list[Callable[..., Any]]:
    """An activity for each tool, of the tool's name. It takes and returns what mulligan's pipelines send and read.

    Args:
        tools: tools, plain functions and toolsets.
        context: values of injected parameters that only the worker has, by name.
    """
    toolset = Toolset(tools)
    pipeline = Pipeline(toolset.values())
    return [_activity_of(tool, pipeline, context or {}) for tool in toolset.values()]


def _activity_of(tool: Tool, pipeline: Pipeline, context: Mapping[str, Any]) -> Callable[..., Any]:
    def run(request: Json) -> Any:
        with heartbeats(), continued_trace(request):
            answer = run_tool(lambda: _call(tool, request, context), {}, yielded=_MAX_YIELDED)
        return _returned(tool, pipeline, answer)

    async def arun(request: Json) -> Any:
        try:
            with heartbeats(), continued_trace(request):
                answer = await arun_tool(lambda: _call(tool, request, context), {}, yielded=_MAX_YIELDED)
        except asyncio.CancelledError:
            raise _cancellation(tool) from None
        return _returned(tool, pipeline, answer)

    return activity.defn(name=tool.name)(arun if tool.is_async else run)


def _call(tool: Tool, request: Json, context: Mapping[str, Any]) -> Any:
    return tool.handler(**arguments_of(tool, request, context, _seconds_left(request)))


def _seconds_left(request: Json) -> float:
    """The seconds until the deadline of the call. The time it waited for a worker is known by the server's clock."""
    info = activity.info()
    waited: timedelta = info.started_time - info.current_attempt_scheduled_time
    return float(request["seconds"]) - waited.total_seconds()


def _returned(tool: Tool, pipeline: Pipeline, answer: bytes) -> Json:
    """The answer of a tool that returned a value.

    Raises:
        temporalio.exceptions.CancelledError: the call was given up.
        temporalio.exceptions.ApplicationError: the tool failed; its type is the exception's class, its detail the answer.
    """
    sent: Json = json.loads(answer)
    if sent["kind"] == "value":
        return sent
    try:
        value_of(sent)
    except BaseException as error:
        if activity.is_cancelled():
            raise _cancellation(tool) from None
        details = (sent,) if len(answer) <= _LARGEST_DETAIL else ()
        raise _application_error(tool, pipeline, error, details) from None
    return sent


def _cancellation(tool: Tool) -> Exception:
    """What ends an activity that was stopped: by its caller, or since its worker is ending."""
    details = activity.cancellation_details()
    if details is None or not details.worker_shutdown or details.cancel_requested:
        return CancelledError("Cancelled")
    may_repeat = tool.read_only or tool.idempotent
    return ApplicationError("The worker ended.", type=WORKER_ENDED, non_retryable=not may_repeat)


def _application_error(
    tool: Tool, pipeline: Pipeline, error: BaseException, details: tuple[Json, ...]
) -> ApplicationError:
    meaning = pipeline.classify(error, tool=tool) or ToolExecutionError("The tool failed.")
    may_repeat = tool.read_only or tool.idempotent or meaning.effect == "none"
    wait = meaning.retry_after
    return ApplicationError(
        safe_str(error, 500),
        *details,
        type=type(error).__qualname__,
        non_retryable=not (may_repeat and meaning.transient),
        next_retry_delay=None if wait is None else timedelta(seconds=wait),
    )


def _with_mulligan(runner: WorkflowRunner | None) -> WorkflowRunner:
    """A sandbox that does not import mulligan and its plugins again for each workflow."""
    if not isinstance(runner, SandboxedWorkflowRunner):
        if runner is None:
            raise ValueError("the worker has no workflow runner")
        return runner
    return dataclasses.replace(
        runner, restrictions=runner.restrictions.with_passthrough_modules(*_PASSED_THROUGH, *_plugin_modules())
    )


def _plugin_modules() -> Sequence[str]:
    groups = ("mulligan", "mulligan.lazy")
    return sorted(
        {entry.module.partition(".")[0] for group in groups for entry in importlib.metadata.entry_points(group=group)}
        | {"mulligan_temporal"}
    )
