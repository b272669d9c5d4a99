"""Tool calls in workflows: everything but the tool's run happens in the workflow, by the workflow's clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from temporalio import workflow

from mulligan import Pipeline, ToolOptions
from mulligan.middleware import retry
from mulligan_temporal.executor import Temporal
from mulligan_temporal.requests import Json


def workflow_pipeline(tools: Iterable[Any], *, executor: Temporal | None = None, **options: Any) -> Pipeline:
    """A pipeline for workflows: every tool runs as an activity, and time and chance are those of the workflow.

        pipeline = workflow_pipeline([search, book])

        @workflow.defn
        class Agent:
            @workflow.run
            async def run(self, message: dict) -> list:
                return await pipeline.aanswer(message)

    Create it in a module that the workflow imports through `workflow.unsafe.imports_passed_through()`, and await `acall`,
    `acall_many` and `aanswer`; `call` and its like block, which a workflow must not.

    Args:
        tools: tools, plain functions and toolsets.
        executor: where the workers are; by default, on the task queue `mulligan`.
        options: further options of `Pipeline`.
    """
    chosen = {"*": ToolOptions(executor=executor or Temporal(), killable=False)}
    middleware = options.pop("middleware", None)
    made = Pipeline(
        tools,
        tool_options={**options.pop("tool_options", {}), **chosen},
        middleware=[retry(clock=workflow_clock, rng=workflow_random)] if middleware is None else middleware,
        **options,
    )
    made._runtime.clock = workflow_clock  # noqa: SLF001 - the clock of a pipeline is no option of its users
    return made


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


async def run_activity(name: str, request: Json, options: dict[str, Any]) -> Json:
    """Runs a tool as an activity of the current workflow. If that is cancelled, it waits for the activity's end.

    Args:
        name: the tool's name, which is that of its activity.
        request: the call as JSON.
        options: how Temporal runs it.

    Returns:
        the answer, for `value_of`.

    Raises:
        temporalio.exceptions.ActivityError: the tool or its worker failed, or the activity was cancelled.
    """
    waiting = workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
    answer: Json = await workflow.execute_activity(
        name, request, result_type=dict, cancellation_type=waiting, **options
    )
    return answer
