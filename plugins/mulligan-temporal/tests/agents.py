"""A workflow that makes tool calls, as an agent does."""

from datetime import timedelta
from typing import Any

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    import temporal_tools as tools
    from mulligan_temporal import Temporal
    from mulligan_temporal.workflows import workflow_pipeline

    from mulligan import Tool

    quick = Tool.from_function(tools.asleep.handler, name="quick", timeout=1)
    pipeline = workflow_pipeline(
        [tools.read, tools.put, tools.write, tools.asleep, quick, tools.flaky, tools.about],
        executor=Temporal(task_queue="agents", heartbeat=1),
    )


@workflow.defn
class Agent:
    """Makes calls, one after the other or all at once."""

    @workflow.run
    async def run(self, calls: list[tuple[str, dict[str, Any]]], at_once: bool = False) -> list[dict[str, Any]]:
        """The results, with how long they took by the workflow's clock."""
        context = {"tenant": "acme", "database": "here"}
        if at_once:
            results = await pipeline.acall_many([(name, arguments) for name, arguments in calls], context=context)
        else:
            results = [
                await pipeline.acall(name, arguments, call_id="c1", context=context) for name, arguments in calls
            ]
        return [{**result.to_dict(), "seconds": result.duration} for result in results]


@workflow.defn
class Waiter:
    """Waits a day between two calls."""

    @workflow.run
    async def run(self, path: str) -> list[Any]:
        """The values of two calls."""
        first = await pipeline.acall("read", {"path": path})
        await workflow.sleep(timedelta(days=1))
        return [first.value, (await pipeline.acall("read", {"path": path})).value]
