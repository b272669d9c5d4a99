"""Killable tools: a process for each call, killed when it is given up; what it returns and raises comes back."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import fractions
import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
import uuid
from typing import Any

import killable_tools
import process_contexts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Limits, Tool, errors
from mulligan.execute.process import make_process
from mulligan.execute.remote import _reference, packed_call, read_answer, run_packed_call, value_of_answer
from mulligan.plugin import ExecutorSaturated, Outcome, hookimpl

SOURCE = str(pathlib.Path(__file__).parents[1] / "src")


@pytest.fixture
def pipeline(make_pipeline):
    return make_pipeline(*killable_tools.TOOLS, limits=Limits(process_memory=600 << 20, yielded_values=100))


def is_gone(pid: int) -> bool:
    """Whether a process has ended and, if it was ours, was taken note of; waits for it, but not for long."""
    for _ in range(4_000):
        try:
            os.kill(pid, 0)
            state = pathlib.Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z" and not is_ours(pid):
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.005)
    return False


def is_ours(pid: int) -> bool:
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) == os.getpid()


def pid_of_one_given_up(call, path: pathlib.Path) -> int:
    """The process of a call that is killed at its deadline; on a busy machine, of the first call that has begun by then."""
    for _ in range(10):
        assert isinstance(call().error, errors.ToolTimeoutError)
        if path.exists() and path.read_text():
            break
    return pid_in(path)


def pid_in(path: pathlib.Path) -> int:
    for _ in range(4_000):
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.005)
    raise AssertionError("the tool did not begin")


# --- values


def test_it_runs_in_a_process_of_its_own_each_time(pipeline, run):
    first, second = (run(pipeline, "where").value for _ in range(2))
    assert first[1] == second[1] == os.getpid()
    assert len({first[0], second[0], os.getpid()}) == 3
    assert is_gone(first[0])


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("add", {"a": 1}, 3),
        ("big", {}, b"x" * 3_000_000),
        ("numbers", {}, [0, 1, 2]),
        ("anumbers", {}, [0, 1, 2]),
        ("fetch", {"n": 7}, 7),
    ],
)
def test_values_come_back(pipeline, run, name, arguments, value):
    result = run(pipeline, name, arguments)
    assert result.value == value, result.content


def test_call_may_run_an_async_killable_tool_inside_of_a_running_loop(pipeline):
    async def main():
        return pipeline.call("fetch", {"n": 7})

    assert asyncio.run(main()).value == 7


def test_what_it_prints_is_no_answer(pipeline, capfd):
    assert not pipeline.call("where").is_error
    assert capfd.readouterr() == ("", "printed by the tool\n")


def test_a_value_that_cannot_leave_says_that_the_tool_ran(pipeline, run):
    result = run(pipeline, "lock")
    assert isinstance(result.error, errors.ToolExecutionError)
    assert result.error.effect == "done"
    assert "The tool ran, but its result could not be returned from its process." in result.content


def test_an_endless_generator_is_bounded(pipeline):
    result = pipeline.call("endless")
    assert isinstance(result.error, errors.ToolExecutionError)
    assert "more than 100 values" in result.content


def test_threads_that_it_leaves_behind_end_with_it(pipeline, tmp_path):
    assert pipeline.call("slow_end", {"path": str(tmp_path / "pid")}).value == "done"
    assert is_gone(pid_in(tmp_path / "pid"))


def test_the_deadline_is_known_in_there(pipeline, run):
    given, known = run(pipeline, "left").value
    assert 0 < given <= 60
    assert 0 < known <= 60


# --- exceptions


def test_exceptions_come_back(pipeline, run):
    result = run(pipeline, "read", {"path": "/nowhere/a.md"})
    assert isinstance(result.error, errors.ResourceNotFoundError)
    assert isinstance(result.error.__cause__, FileNotFoundError)
    assert result.error.__cause__.filename == "/nowhere/a.md"


def test_an_exception_that_cannot_be_unpickled_is_still_classified(pipeline):
    result = pipeline.call("refuse")
    cause = result.error.__cause__
    assert isinstance(result.error, errors.ToolRateLimitError)
    assert type(cause) is killable_tools.Refused
    assert (str(cause), cause.status_code) == ("429: slow down", 429)


def test_an_exception_that_cannot_be_pickled_keeps_its_class_and_its_cause(make_pipeline, plugin):
    seen = []
    hook = plugin(classify=lambda failure: seen.append((failure.matches("killable_tools.Holding"), failure.traceback)))
    cause = make_pipeline(*killable_tools.TOOLS, plugins=[hook]).call("hold").error.__cause__
    assert type(cause) is killable_tools.Holding
    assert isinstance(cause.__cause__, FileNotFoundError)
    assert cause.__cause__.filename == "a.md"
    assert seen[0][0] is True
    assert "in hold" in seen[0][1]


def test_an_exception_of_a_class_that_only_the_process_has_is_matched_by_name(make_pipeline, plugin):
    seen = []
    hook = plugin(classify=lambda failure: seen.append((failure.type_name, failure.matches("killable_tools.Holding"))))
    cause = make_pipeline(*killable_tools.TOOLS, plugins=[hook]).call("invent").error.__cause__
    assert seen[0] == ("killable_tools.invent.<locals>.Gone", True)
    assert isinstance(cause, ConnectionError)
    assert str(cause) == "line 3"


@pytest.mark.parametrize("how", ["value", "in a list", "raised", "argument", "field", "cause", "group"])
def test_nothing_that_it_sends_runs_here(pipeline, run, tmp_path, how):
    result = run(pipeline, "send", {"path": str(tmp_path / "ran"), "how": how})
    assert result.is_error and result.attempts == 1
    assert not list(tmp_path.glob("ran")) and not list(tmp_path.glob(f"*.{os.getpid()}"))


@given(
    st.binary()
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda one: json.dumps(one).encode())
)
def test_an_answer_that_is_none_is_refused(answer):
    with pytest.raises(ValueError, match="."):
        read_answer(answer)


@pytest.mark.parametrize(
    "nodes",
    [
        [["os.system", "true"]],
        [["list", [[5]]]],
        [["list", [[0]]]],
        [["dict", [1]]],
        [["dict", [[0], 1]]],
        [["set", [[0]]]],
        [["path", 5]],
        [["decimal", "1e"]],
        [["fraction", [1, 0]]],
        [["timedelta", [10**30]]],
        [["uuid", {"__reduce__": 1}]],
        [["object", {"classes": 3}]],
        [["bytes", [[[[[[[[[1]]]]]]]]]]],
    ],
)
def test_an_answer_that_is_no_data_is_refused(nodes):
    with pytest.raises(ValueError, match="."):
        read_answer(json.dumps({"kind": "value", "item": [0], "nodes": nodes}).encode())
    with pytest.raises(ValueError, match="."):
        read_answer(pickle.dumps(("value", pickle.dumps(nodes))))


def test_what_is_no_plain_data_comes_back_as_data(pipeline, run):
    plain = [{"x": 1, "tags": {"a"}}, "red", {"name": "Ada"}, {(1, 2): b"x"}, frozenset({1}), decimal.Decimal("1.10")]
    assert pipeline.call("kinds").value is None  # a tuple is no key in JSON
    assert make_process(pipeline.tools["kinds"], {}, Limits())() == plain
    day = datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC)
    others = [uuid.UUID(int=1), pathlib.Path("a/b"), fractions.Fraction(1, 3), 1 + 2j, bytearray(b"a"), 10**30]
    whole = [day, day.date(), day.time(), day - day, *others, float("inf"), "\ud800", (1, [2])]
    assert make_process(pipeline.tools["moments"], {}, Limits())() == whole


def test_an_answer_that_an_exception_holds_is_read(pipeline, run):
    error = run(pipeline, "answered").error
    assert (type(error), error.retry_after, error.http_status) == (errors.ToolRateLimitError, 7, 429)


def test_the_tools_own_word_counts(pipeline, run):
    error = run(pipeline, "own_word").error
    assert (error.message, error.retry_after, error.effect) == ("The archive is closed.", 3.0, "none")
    assert isinstance(error, errors.ToolUnavailableError) and type(error).__name__ == "Closed"


def test_a_group_comes_back_as_one(pipeline):
    cause = pipeline.call("group").error.__cause__
    assert isinstance(cause, ExceptionGroup)
    assert [type(one).__name__ for one in cause.exceptions] == ["Holding", "ValueError"]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("exit", "The tool tried to exit the program. This was prevented."),
        ("_exit", "ended without a result (exit status 3)"),
        ("kill", "ended without a result: killed by SIGKILL, possibly out of memory"),
        ("interrupt", "ended without a result (KeyboardInterrupt)"),
        ("generator", "ended without a result (GeneratorExit)"),
        ("base", "The tool failed with BaseException"),
    ],
)
def test_however_it_leaves_it_is_the_tools_failure(pipeline, run, how, told):
    result = run(pipeline, "leave", {"how": how})
    assert isinstance(result.error, errors.ToolExecutionError)
    assert result.error.effect == "possible"
    assert told in result.content


# --- killed


def test_one_that_loops_for_ever_is_killed_at_its_deadline(pipeline, run, tmp_path):
    results = []

    def spin():
        results.append(run(pipeline, "spin", {"path": str(tmp_path / "pid")}))
        return results[-1]

    assert is_gone(pid_of_one_given_up(spin, tmp_path / "pid"))
    assert results[-1].error.effect == "possible"
    assert "No response within 4 s" in results[-1].content


def test_what_it_started_is_killed_with_it(pipeline, tmp_path):
    path = tmp_path / "pid"
    assert is_gone(pid_of_one_given_up(lambda: pipeline.call("spawn", {"path": str(path)}), path))


def test_one_whose_call_the_host_cancels_is_killed(pipeline, tmp_path):
    path = tmp_path / "pid"

    async def main() -> int:
        task = asyncio.ensure_future(pipeline.acall("spin_unbounded", {"path": str(path)}))
        while not path.exists() or not path.read_text():
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid_in(path)

    assert is_gone(asyncio.run(main()))


def test_an_interrupt_kills_it(tmp_path):
    program = f"""
import sys, os, signal, threading, pathlib, time
sys.path[:0] = [{SOURCE!r}, {str(pathlib.Path(__file__).parent)!r}]
import killable_tools
from mulligan import Pipeline
path = pathlib.Path({str(tmp_path / "pid")!r})
def interrupt():
    while not path.exists() or not path.read_text():
        time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    Pipeline(killable_tools.TOOLS, autoload=False).call("spin_unbounded", {{"path": str(path)}})
except KeyboardInterrupt:
    print("interrupted")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")
    assert is_gone(pid_in(tmp_path / "pid"))


def test_it_does_not_outlive_the_program(tmp_path):
    program = f"""
import sys, os, threading, pathlib, time
sys.path[:0] = [{SOURCE!r}, {str(pathlib.Path(__file__).parent)!r}]
import killable_tools
from mulligan import Pipeline
path = pathlib.Path({str(tmp_path / "pid")!r})
def die():
    while not path.exists() or not path.read_text():
        time.sleep(0.005)
    os.kill(os.getpid(), 9)
threading.Thread(target=die, daemon=True).start()
Pipeline(killable_tools.TOOLS, autoload=False).call("spin_unbounded", {{"path": str(path)}})
"""
    subprocess.run([sys.executable, "-c", program], timeout=120, check=False)
    assert is_gone(pid_in(tmp_path / "pid"))


def test_many_at_once_leave_no_zombie(pipeline, tmp_path):
    calls = [("spin", {"path": str(tmp_path / str(n))}) for n in range(3)] + [("add", {"a": n}) for n in range(4)]
    results = asyncio.run(pipeline.acall_many(calls))
    assert [type(result.error) for result in results[:3]] == [errors.ToolTimeoutError] * 3
    assert [result.value for result in results[3:]] == [2, 3, 4, 5]
    assert all(is_gone(int(path.read_text())) for path in tmp_path.iterdir() if path.read_text())


# --- limits


def test_memory_is_bounded(pipeline, run):
    result = run(pipeline, "eat")
    assert isinstance(result.error, errors.ToolQuotaError) and not result.fatal
    assert result.content.startswith("Error executing tool eat: The tool ran out of memory.")
    assert result.error.effect == "possible"


def test_cpu_time_is_bounded(make_pipeline, tmp_path):
    pipeline = make_pipeline(*killable_tools.TOOLS, limits=Limits(process_cpu=0.5))
    result = pipeline.call("spin_unbounded", {"path": str(tmp_path / "pid")})
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert result.error.effect == "possible"
    assert "The tool exceeded its CPU time limit and was stopped." in result.content


@pytest.mark.parametrize("name", ["process_memory", "process_cpu"])
def test_limits_are_checked(name):
    assert getattr(Limits(**{name: None}), name) is None
    with pytest.raises(errors.UsageError, match=rf"Limits\({name}=0\): use a number above zero"):
        Limits(**{name: 0})


# --- what is sent


def test_injected_values_are_sent_where_they_can_be(pipeline):
    assert pipeline.call("need", context={"database": {"a": 1}}).value == "dict"


def test_an_injected_value_that_cannot_be_sent_is_named(pipeline, run):
    with pytest.raises(
        errors.UsageError,
        match=r"tool 'need' is killable, but the value for its parameter 'database' cannot be sent to a separate "
        r"process \(TypeError: cannot pickle '_thread.lock' object\); create it inside the tool",
    ):
        run(pipeline, "need", context={"database": threading.Lock()})


def test_a_function_that_cannot_be_sent_is_named(make_pipeline):
    held = threading.Lock()

    def local() -> str:
        return repr(held)

    pipeline = make_pipeline(Tool.from_function(local, killable=True))
    with pytest.raises(
        errors.UsageError, match="tool 'local' is killable, but its function cannot be sent to a separate process"
    ):
        pipeline.call("local")


def test_local_functions_are_sent_by_value(make_pipeline, run):
    factor = 3

    def times(n: int) -> int:
        return n * factor

    assert run(make_pipeline(Tool.from_function(times, killable=True, timeout=60)), "times", {"n": 2}).value == 6


def test_a_tool_that_cannot_be_loaded_there_was_not_run(make_pipeline, monkeypatch):
    pipeline = make_pipeline(killable_tools.add)
    assert _reference(killable_tools.add.handler) == ("killable_tools", "add")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if "tests" not in one])
    result = pipeline.call("add", {"a": 1})
    assert isinstance(result.error, errors.ToolExecutionError)
    assert result.error.effect == "none"
    assert "The tool could not be loaded in a separate process. It was not run." in result.content
    assert "No module named 'killable_tools'" in result.content


def test_where_no_process_can_be_started_the_call_is_answered(pipeline, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    result = pipeline.call("add", {"a": 1})
    assert isinstance(result.error, errors.ToolUnavailableError)
    assert isinstance(result.error.__cause__, ExecutorSaturated)
    assert result.error.effect == "none"


def test_tools_of_a_script_run_without_running_the_script_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""
import sys
sys.path.insert(0, {SOURCE!r})
from mulligan import Pipeline, tool

class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status

@tool(killable=True, timeout=60)
def work(n: int) -> int:
    if n < 0:
        raise Refused(404, "below zero")
    return n + OFFSET

OFFSET = 10
print("begun")
pipeline = Pipeline([work], autoload=False)
print(pipeline.call("work", {{"n": 1}}).content)
print(isinstance(pipeline.call("work", {{"n": -1}}).error.__cause__, Refused))
""")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.stdout, ended.stderr) == ("begun\n11\nTrue\n", "")


def test_middleware_and_other_executors_leave_it_killable(make_pipeline, tmp_path):
    class Watching:
        @hookimpl
        def execute(self, tool):
            return None

    def twice(run, tool, call):
        outcome = yield run
        return outcome if outcome.error is None else Outcome(value="mended")

    pipeline = make_pipeline(*killable_tools.TOOLS, plugins=[Watching()], middleware=[twice])
    assert pipeline.call("where").value[1] == os.getpid()
    assert pipeline.call("spin", {"path": str(tmp_path / "pid")}).value == "mended"
    assert is_gone(pid_in(tmp_path / "pid"))


# --- a context in the process


def inside(context: Any, *arguments: Any) -> Any:
    """A middleware that puts the tool inside a context manager of its process."""

    def around(run: Any, tool: Any, call: Any) -> Any:
        run.executor = run.executor.within(context, *arguments)
        return (yield run)

    return around


@pytest.mark.parametrize("function", [process_contexts.tell, process_contexts.tell_async])
def test_a_middleware_puts_it_inside_a_context_of_its_process(make_pipeline, run, capfd, function):
    tool = Tool.from_function(function, killable=True)
    middleware = [inside(process_contexts.current, "outer"), inside(process_contexts.current, "inner")]
    assert run(make_pipeline(tool, middleware=middleware), tool.name).value == "inner"
    assert process_contexts.CURRENT.get() == "nothing"
    assert capfd.readouterr().err.split("\n")[:2] == ["left inner", "left outer"]


def test_it_does_not_run_if_its_context_fails(make_pipeline, run):
    tool = Tool.from_function(process_contexts.tell, killable=True)
    result = run(make_pipeline(tool, middleware=[inside(process_contexts.broken)]), "tell")
    assert result.error.effect == "none"
    assert "OSError: no carrier" in result.content


# --- the same calls, for workers of other engines


def _of_a_script(text: str) -> str:
    if text == "exit":
        sys.exit(3)
    if text == "missing":
        raise FileNotFoundError(2, "No such file or directory", "notes.txt")
    return text.upper()


@pytest.mark.parametrize(("text", "raised"), [("missing", FileNotFoundError), ("exit", SystemExit)])
def test_a_packed_call_answers_however_the_tool_ends(text, raised):
    request = pickle.loads(pickle.dumps(packed_call(_tool_of(_of_a_script), {"text": text}, yielded=10, where="runs")))
    with pytest.raises(raised):
        value_of_answer(run_packed_call(request))


def test_a_packed_call_returns_the_value_of_the_tool():
    packed = packed_call(_tool_of(_of_a_script), {"text": "a"}, yielded=10, where="runs")
    assert value_of_answer(run_packed_call(packed)) == "A"


def test_what_cannot_be_packed_is_named_with_where_it_was_to_run():
    with pytest.raises(errors.UsageError) as caught:
        packed_call(_tool_of(_of_a_script), {"text": threading.Lock()}, yielded=10, where="runs on ray")
    assert "tool '_of_a_script' runs on ray, but the value for its parameter 'text' cannot be sent" in str(caught.value)


def _tool_of(function):
    return Tool.from_function(function)
