"""Calls in workflows: in the sandbox, replayed, cancelled, and with time that is skipped."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
import temporal_tools as tools
from agents import Agent, Waiter, quick
from conftest import program
from mulligan_temporal.worker import ToolsPlugin, activities_of
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

TOOLS = [tools.read, tools.put, tools.write, tools.asleep, quick, tools.flaky, tools.about]


@asynccontextmanager
async def working(client: Client) -> AsyncIterator[Client]:
    with ThreadPoolExecutor(8) as pool:
        worker = Worker(
            client,
            task_queue="workflows",
            workflows=[Agent, Waiter],
            plugins=[ToolsPlugin(TOOLS)],
            activity_executor=pool,
        )
        tools_only = Worker(client, task_queue="agents", plugins=[ToolsPlugin(TOOLS)], activity_executor=pool)
        async with worker, tools_only:
            yield client


def run(address: str, main: Callable[[Client], Coroutine[Any, Any, Any]]) -> Any:
    async def whole() -> Any:
        async with working(await Client.connect(address)) as client:
            return await main(client)

    return asyncio.run(whole())


def agent(address: str, calls: list[Any], at_once: bool = False) -> list[dict[str, Any]]:
    """The results of calls in a workflow, whose history is then replayed."""

    async def main(client: Client) -> Any:
        handle = await client.start_workflow(Agent.run, args=[calls, at_once], id=str(uuid4()), task_queue="workflows")
        results = await handle.result()
        replayer = Replayer(workflows=[Agent], plugins=[ToolsPlugin([])])
        await replayer.replay_workflow(await handle.fetch_history())
        return results

    return run(address, main)


def test_a_workflow_reads_values_and_feedback(address, tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    found, missing, wrong, injected = agent(
        address,
        [
            ("read", {"path": str(tmp_path / "a.txt")}),
            ("read", {"path": str(tmp_path / "b.txt")}),
            ("read", {"file": "a.txt"}),
            ("about", {}),
        ],
    )
    assert found["content"] == "hello"
    assert missing["error"]["type"] == "ResourceNotFoundError"
    assert "Next:" in missing["content"]
    assert wrong["error"]["type"] == "ToolArgumentError"
    assert injected["content"] == "c1 True acme here"


def test_in_a_workflow_mulligan_retries_what_may_run_again(address, tmp_path):
    flaky, write = agent(address, [("flaky", {"path": str(tmp_path / "a")}), ("write", {"path": str(tmp_path / "b")})])
    assert (flaky["content"], len((tmp_path / "a").read_text().splitlines())) == ("works", 3)
    assert (write["error"]["effect"], len((tmp_path / "b").read_text().splitlines())) == ("possible", 1)


def test_in_a_workflow_a_call_ends_at_its_deadline(address, tmp_path):
    (late,) = agent(address, [("quick", {"seconds": 8, "path": str(tmp_path / "runs")})])
    assert late["error"]["type"] == "ToolTimeoutError", late
    assert not (tmp_path / "runs").exists()


def test_several_calls_at_once_in_a_workflow(address, tmp_path):
    path = str(tmp_path / "runs")
    results = agent(address, [("asleep", {"seconds": 1, "path": path})] * 6, at_once=True)
    assert [result["content"] for result in results] == ["slept"] * 6


def test_a_workflow_that_is_cancelled_cancels_its_call(address, tmp_path):
    calls = [("asleep", {"seconds": 5, "path": str(tmp_path / "runs")})]

    async def main(client: Client) -> None:
        handle = await client.start_workflow(Agent.run, args=[calls, False], id=str(uuid4()), task_queue="workflows")
        await asyncio.sleep(1.5)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        await asyncio.sleep(5)

    run(address, main)
    assert not (tmp_path / "runs").exists()


def test_time_is_that_of_the_workflow(tmp_path):
    (tmp_path / "a.txt").write_text("hello")

    async def main() -> Any:
        environment = await WorkflowEnvironment.start_time_skipping(
            test_server_existing_path=program("temporal-test-server")
        )
        async with environment, working(environment.client) as client:
            return await client.execute_workflow(
                Waiter.run, str(tmp_path / "a.txt"), id=str(uuid4()), task_queue="workflows"
            )

    started = time.monotonic()
    assert asyncio.run(main()) == ["hello", "hello"]
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("tool", "kind", "non_retryable"),
    [(tools.put, "ConnectionResetError", False), (tools.write, "ConnectionResetError", True)],
)
def test_a_failed_activity_says_to_others_what_it_is_and_whether_it_may_run_again(tool, kind, non_retryable, tmp_path):
    from temporalio.testing import ActivityEnvironment

    (run_it,) = activities_of([tool])
    request = {"call_id": "c1", "arguments": f'{{"path": "{tmp_path / "runs"}"}}', "context": {}, "seconds": 10}
    with pytest.raises(ApplicationError) as caught:
        ActivityEnvironment().run(run_it, request)
    assert (caught.value.type, caught.value.non_retryable) == (kind, non_retryable)
