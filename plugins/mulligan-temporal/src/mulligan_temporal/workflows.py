"""Tool calls in workflows: everything but the tool's run happens in the workflow, by the workflow's clock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy

from mulligan import Pipeline, ToolOptions
from mulligan.middleware import retry
from mulligan_temporal.executor import CALL_WORKFLOW, Temporal
from mulligan_temporal.requests import Json

_MARGIN_SECONDS = 1.0


def workflow_pipeline(tools: Iterable[Any], *, executor: Temporal | None = None, **options: Any) -> Pipeline:
    """A pipeline for workflows: every tool runs as an activity, and time and chance are those of the workflow.

        pipeline = workflow_pipeline([search, book])

        @workflow.defn
        class Agent:
            @workflow.run
            async def run(self, message: dict) -> list:
                answers = await pipeline.aanswer(message)
                return answers.messages

    Create it in a module that the workflow imports through `workflow.unsafe.imports_passed_through()`, and await `acall`,
    `acall_many` and `aanswer`; `call` and its like block, which a workflow must not.

    Args:
        tools: tools, plain functions and toolsets.
        executor: where the workers are; by default, on the task queue `mulligan`.
        options: further options of `Pipeline`.
    """
    chosen = {"*": ToolOptions(executor=executor or Temporal(), killable=False)}
    middleware = options.pop("middleware", None)
    return Pipeline(
        tools,
        tool_options={**options.pop("tool_options", {}), **chosen},
        middleware=[retry(clock=workflow_clock, rng=workflow_random)] if middleware is None else middleware,
        clock=workflow_clock,
        **options,
    )


def workflow_clock() -> float:
    """Seconds by the clock of the current workflow; by that of this machine outside workflows."""
    if workflow.in_workflow():
        return workflow.time()
    import time

    return time.monotonic()


def workflow_random() -> float:
    """A random number from 0 to 1, which is the same when the workflow is replayed."""
    if workflow.in_workflow():
        return workflow.random().random()
    import random

    return random.random()  # noqa: S311 - spreads waits


async def run_activity(name: str, request: Json, heartbeat: float, task_queue: str | None = None) -> Json:
    """Runs a tool as an activity of the current workflow, in one attempt. If it is cancelled, it waits for the end.

    Args:
        name: the tool's name, which is that of its activity.
        request: the call as JSON.
        heartbeat: seconds without a heartbeat after which the worker counts as lost.
        task_queue: that of the workers; None for the workflow's own.

    Returns:
        the answer, for `value_of`.

    Raises:
        temporalio.exceptions.ActivityError: the tool or its worker failed, or the activity was cancelled.
    """
    answer: Json = await workflow.execute_activity(
        name,
        request,
        result_type=dict,
        task_queue=task_queue,
        schedule_to_close_timeout=timedelta(seconds=request["seconds"] + _MARGIN_SECONDS),
        heartbeat_timeout=timedelta(seconds=heartbeat),
        retry_policy=RetryPolicy(maximum_attempts=1),
        cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    )
    return answer


@workflow.defn(name=CALL_WORKFLOW, sandboxed=False)
class CallTool:
    """Runs one call of a pipeline that is not in a workflow."""

    @workflow.run
    async def run(self, call: Json) -> Json:
        """Runs the tool as an activity."""
        return await run_activity(call["tool"], call["request"], call["heartbeat"])
