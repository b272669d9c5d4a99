"""What stays with the caller, and what reaches the worker: sessions, the ledger, traces, secrets; how many are sent."""

import asyncio
import contextlib
import sqlite3

import mulligan_temporal
import pytest
import temporal_tools as tools
from conftest import end, start_worker
from mulligan_temporal import Temporal

from mulligan import Pipeline, ToolCall
from mulligan.errors import ToolExecutionError, UsageError

pytestmark = pytest.mark.usefixtures("worker")


def test_a_session_remembers_what_failed_on_a_worker(pipeline_of, tmp_path):
    session = pipeline_of(tools.read).session("talk-1")
    missing = {"path": str(tmp_path / "none.txt")}
    first, second = session.call("read", missing), session.call("read", missing)
    (tmp_path / "a.txt").write_text("hello")
    assert session.call("read", {"path": str(tmp_path / "a.txt")}).value == "hello"
    assert first.content != second.content
    assert "already failed" in second.content
    assert (session.summary().calls, session.summary().failures) == (3, 2)


def test_the_ledger_records_the_same_as_of_a_tool_that_runs_here(address, tmp_path):
    from mulligan_ledger import Ledger

    there = tools.read.with_options(executor=Temporal(task_queue="tests", address=address), timeout=30)
    recorded = []
    for number, tool in enumerate((tools.read.with_options(timeout=30), there)):
        file = tmp_path / f"runs{number}.db"
        with (
            Ledger(file) as ledger,
            Pipeline([tool], plugins=[mulligan_temporal, ledger], autoload=False) as pipeline,
        ):
            session = pipeline.session("talk-1")
            session.call("read", {"path": str(tmp_path / "none.txt")})
            session.call("read", {"file": "a"})
            session.call("read", {"path": str(tmp_path)})
        columns = "tool, arguments, error, code, rule, fatal, transient, effect, resource, message"
        with contextlib.closing(sqlite3.connect(file)) as database:
            recorded.append(database.execute(f"select {columns} from calls").fetchall())  # noqa: S608
    here, on_the_worker = recorded
    assert len(here) == 3
    assert on_the_worker == here


def test_the_trace_reaches_the_worker(pipeline_of):
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import format_trace_id

    pipeline = pipeline_of(tools.trace_id)
    with TracerProvider().get_tracer("tests").start_as_current_span("turn") as span:
        here = format_trace_id(span.get_span_context().trace_id)
        assert pipeline.call("trace_id").value == here
    assert pipeline.call("trace_id").value == "0" * 32


def test_a_registered_secret_is_redacted_on_the_caller(pipeline_of, tmp_path):
    secret = "tulip-4711-meadow"
    pipeline = pipeline_of(tools.throw)
    (tmp_path / secret).mkdir()
    path = tmp_path / secret / "runs"
    assert secret in pipeline.call("throw", {"path": str(path)}).content
    pipeline.redactor.register(secret)
    failed = pipeline.call("throw", {"path": str(path)})
    assert path.read_text() == "run\nrun\n"  # the worker received it as it is
    assert isinstance(failed.error, ToolExecutionError)
    assert secret not in failed.content


def test_no_more_calls_are_sent_than_may_be_in_flight(address, tmp_path):
    from temporalio.client import Client

    (tmp_path / "a.txt").write_text("x")
    executor = Temporal(task_queue="bounded", address=address, in_flight=3)
    tool, calls = (
        tools.read.with_options(executor=executor, timeout=60),
        [("read", {"path": str(tmp_path / "a.txt")})] * 9,
    )

    async def main() -> list[str]:
        client = await Client.connect(address)
        with Pipeline([tool], plugins=[mulligan_temporal], autoload=False) as pipeline:
            answers = asyncio.create_task(pipeline.acall_many(calls))
            query = "TaskQueue = 'bounded' AND ExecutionStatus = 'Running'"
            while (await client.count_activities(query)).count < 3:
                await asyncio.sleep(0.1)
            await asyncio.sleep(1.0)
            assert (await client.count_activities(query)).count == 3
            worker = await asyncio.to_thread(start_worker, address, "bounded", "temporal_tools")
            try:
                return [result.value for result in await answers]
            finally:
                end(worker)

    assert asyncio.run(main()) == ["x"] * 9


def test_a_call_that_waits_in_this_process_at_its_deadline_was_not_run(address, tmp_path):
    executor = Temporal(task_queue="nobody", address=address, in_flight=1)
    tool = tools.write.with_options(executor=executor, timeout=1)
    with Pipeline([tool], plugins=[mulligan_temporal], autoload=False) as pipeline:
        _, second = asyncio.run(pipeline.acall_many([("write", {"path": str(tmp_path / name)}) for name in "ab"]))
    assert second.error is not None
    assert second.error.effect == "none"


def test_an_argument_that_is_not_json_is_named():
    with pytest.raises(UsageError) as caught:
        Temporal().execute(tools.read, {"path": object()}, ToolCall("c1", "read", "{}"))
    assert "'read' runs on temporal, but the value for its parameter 'path' cannot be written as JSON" in str(
        caught.value
    )


@pytest.mark.parametrize("size", [3_000_000, 5_000_000])
def test_a_call_that_is_too_large_was_not_run(pipeline_of, size):
    error = pipeline_of(tools.about).call("about", context={"tenant": "x" * size, "database": 1}).error
    assert isinstance(error, ToolExecutionError)
    assert (error.message, error.effect) == ("The call is larger than Temporal accepts. The tool was not run.", "none")


def test_a_call_that_the_server_refuses_was_not_run(address, tmp_path):
    tool = tools.write.with_options(executor=Temporal(address=address, namespace="none"), timeout=30)
    with Pipeline([tool], plugins=[mulligan_temporal], autoload=False) as pipeline:
        error = pipeline.call("write", {"path": str(tmp_path / "runs")}).error
    assert isinstance(error, ToolExecutionError)
    assert (error.message, error.effect) == ("The Temporal server refused the call. The tool was not run.", "none")
    assert "Namespace none is not found" in error.user_message
