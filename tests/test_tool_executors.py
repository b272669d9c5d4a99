"""Tools choose where they run: by the name of a contributed executor, or with an executor of their own."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Pipeline, Tool, ToolOptions, tool
from mulligan.cli import main
from mulligan.errors import ResourceNotFoundError, UsageError
from mulligan.plugin import (
    Deadline,
    DeadlineExceeded,
    ToolExecutor,
    arun_tool,
    current_deadline,
    hookimpl,
    packed_call,
    run_packed_call,
    run_tool,
    value_of_answer,
)
from mulligan.testing import ExecutorConformance


class Elsewhere(ToolExecutor):
    """Runs tools where they are, and keeps a record."""

    name = "elsewhere"

    def __init__(self, name: str = "elsewhere", problem: str | None = None) -> None:
        self.name, self._problem = name, problem
        self.ran: list[str] = []
        self.closed = 0

    def execute(self, tool: Tool, arguments: Any, call: Any) -> Callable[[], Any]:
        def run() -> Any:
            self.ran.append(tool.name)
            return tool.handler(**arguments)

        return run

    def problem(self) -> str | None:
        return self._problem

    def close(self) -> None:
        self.closed += 1


class Plugin:
    def __init__(self, *executors: ToolExecutor) -> None:
        self._executors = executors

    @hookimpl
    def executors(self) -> Any:
        return list(self._executors)


def double(number: int) -> int:
    """Doubles a number."""
    return 2 * number


@pytest.mark.parametrize("form", ["call", "acall"])
@pytest.mark.parametrize("by_name", [True, False])
def test_a_tool_runs_on_the_executor_that_it_chooses(by_name, form, make_pipeline):
    elsewhere = Elsewhere()
    chosen = Tool.from_function(double, executor="elsewhere" if by_name else elsewhere)
    here = Tool.from_function(double, name="double_here")
    pipeline = make_pipeline(chosen, here, plugins=[Plugin(elsewhere)] if by_name else [])
    for name in ("double", "double_here"):
        arguments = {"number": 4}
        result = pipeline.call(name, arguments) if form == "call" else asyncio.run(pipeline.acall(name, arguments))
        assert result.value == 8
    assert elsewhere.ran == ["double"]


def test_the_option_is_one_for_several_tools_too(make_pipeline):
    elsewhere = Elsewhere()
    pipeline = make_pipeline(
        double, plugins=[Plugin(elsewhere)], tool_options={"dou*": ToolOptions(executor="elsewhere")}
    )
    pipeline.call("double", {"number": 1})
    assert elsewhere.ran == ["double"]


@pytest.mark.parametrize("name", ["elsewhere", "ray"])
def test_the_option_in_the_projects_file_is_checked_like_any_other(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mulligan.toml").write_text(
        f'autoload = false\nplugins = ["places"]\n[tools."dou*"]\nexecutor = "{name}"\n'
    )
    (tmp_path / "places.py").write_text(
        "from mulligan.plugin import ToolExecutor, hookimpl\n"
        "class Elsewhere(ToolExecutor):\n"
        "    name = 'elsewhere'\n"
        "    def execute(self, tool, arguments, call):\n"
        "        return lambda: 'ran elsewhere'\n"
        "@hookimpl\n"
        "def executors():\n"
        "    return [Elsewhere()]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    if name == "ray":
        with pytest.raises(UsageError, match="tool 'double': unknown executor 'ray'. .*pip install mulligan-ray"):
            Pipeline.from_config(tools=[double])
    else:
        with Pipeline.from_config(tools=[double]) as pipeline:
            assert pipeline.call("double", {"number": 1}).value == "ran elsewhere"
            assert [(info.name, info.tools, info.problem) for info in pipeline.executors] == [
                ("elsewhere", ("double",), None)
            ]


def test_an_unknown_executor_names_the_package_to_install(make_pipeline):
    with pytest.raises(UsageError) as caught:
        make_pipeline(Tool.from_function(double, executor="ray"))
    assert str(caught.value) == (
        "tool 'double': unknown executor 'ray'. Install the package that provides it: pip install mulligan-ray"
    )


def test_a_misspelt_executor_is_told_its_name(make_pipeline):
    pipeline = make_pipeline(plugins=[Plugin(Elsewhere())])
    with pytest.raises(UsageError, match="tool 'double': unknown executor 'elsewere'. Did you mean 'elsewhere'?"):
        pipeline.with_tools([Tool.from_function(double, executor="elsewere")])


def test_a_tool_that_is_added_later_is_told_when_it_is_called(make_pipeline):
    pipeline = make_pipeline()
    pipeline.tools.add(Tool.from_function(double, executor="ray"))
    with pytest.raises(UsageError, match="pip install mulligan-ray"):
        pipeline.call("double", {"number": 1})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (3, "executor must be the name of an executor, or a ToolExecutor, not 3"),
        ("", "executor must be the name of an executor, or a ToolExecutor, not ''"),
        (Elsewhere, "pass an instance, Elsewhere()"),
    ],
)
def test_what_is_no_executor_is_refused(value, problem):
    with pytest.raises(UsageError) as caught:
        tool(executor=value)(double)
    assert problem in str(caught.value)


def test_a_killable_tool_has_no_executor():
    with pytest.raises(UsageError, match="killable=True and executor=... contradict each other"):
        Tool.from_function(double, killable=True, executor="ray")
    killable, elsewhere = Tool.from_function(double, killable=True), Tool.from_function(double, executor="ray")
    with pytest.raises(UsageError, match="add killable=False"):
        killable.with_options(executor="ray")
    with pytest.raises(UsageError, match="add executor=None"):
        elsewhere.with_options(killable=True)
    assert killable.with_options(executor="ray", killable=False).executor == "ray"


def test_an_executor_that_fails_to_prepare_a_call_fails_the_call_and_runs_nothing_here(make_pipeline):
    ran: list[int] = []

    class Broken(Elsewhere):
        def execute(self, tool: Tool, arguments: Any, call: Any) -> Any:
            raise ModuleNotFoundError("No module named 'engine'", name="engine")

    pipeline = make_pipeline(Tool.from_function(lambda: ran.append(1), name="work", executor=Broken()))
    result = pipeline.call("work")
    assert (result.is_error, ran) == (True, [])


def test_a_hookimpl_of_execute_goes_before(make_pipeline):
    elsewhere = Elsewhere()

    class DryRun:
        @hookimpl
        def execute(self, tool: Tool) -> Any:
            return lambda: "nothing ran"

    pipeline = make_pipeline(Tool.from_function(double, executor=elsewhere), plugins=[DryRun()])
    assert pipeline.call("double", {"number": 1}).value == "nothing ran"
    assert elsewhere.ran == []


def test_without_the_built_in_execute_a_tool_with_an_executor_runs(make_pipeline):
    pipeline = make_pipeline(Tool.from_function(double, executor=Elsewhere()), block=["execute"])
    assert pipeline.call("double", {"number": 1}).value == 2


def test_the_executors_are_listed_with_their_tools_and_problems(make_pipeline):
    own, broken = Elsewhere("own"), Elsewhere("broken", "The cluster at 10.0.0.1 does not answer.")
    tools = [Tool.from_function(double, executor=own), Tool.from_function(double, name="triple", executor="broken")]
    found = make_pipeline(*tools, plugins=[Plugin(broken)]).executors
    assert [(info.name, info.tools, info.problem) for info in found] == [
        ("broken", ("triple",), "The cluster at 10.0.0.1 does not answer."),
        ("own", ("double",), None),
    ]
    assert make_pipeline().executors == ()


def test_a_pipeline_closes_what_plugins_contribute_and_not_what_the_host_made():
    own, contributed = Elsewhere("own"), Elsewhere("contributed")
    with Pipeline([Tool.from_function(double, executor=own)], plugins=[Plugin(contributed)], autoload=False):
        pass
    assert (own.closed, contributed.closed) == (0, 1)


def test_of_two_with_one_name_the_plugin_registered_last_counts(make_pipeline):
    first, second = Elsewhere(), Elsewhere()
    pipeline = make_pipeline(Tool.from_function(double, executor="elsewhere"), plugins=[Plugin(first), Plugin(second)])
    pipeline.call("double", {"number": 1})
    assert (first.ran, second.ran) == ([], ["double"])


def test_what_is_contributed_must_be_an_executor(make_pipeline):
    class Wrong:
        @hookimpl
        def executors(self) -> Any:
            return ["ray"]

    assert (
        "returned str among its executors instead of ToolExecutor with a name"
        in make_pipeline(plugins=[Wrong()]).faults[0].error
    )


def test_run_puts_the_tools_on_an_executor(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "numbers_.py").write_text("def double(number: int) -> int:\n    return 2 * number\n")
    (tmp_path / "away.py").write_text(
        "from mulligan.plugin import *\nclass Away(ToolExecutor):\n    name = 'away'\n"
        "    def execute(self, tool, arguments, call):\n        return lambda: f'away: {arguments}'\n"
        "@hookimpl\ndef executors():\n    yield Away()\n"
    )
    call = {"id": "c1", "type": "function", "function": {"name": "double", "arguments": '{"number": 2}'}}
    (tmp_path / "talk.jsonl").write_text(json.dumps({"role": "assistant", "tool_calls": [call]}) + "\n")
    for options, content in ((["--executor", "away"], "away: {'number': 2}"), ([], "4")):
        assert main(["run", "talk.jsonl", "--tools", "numbers_.py", "-p", "away", *options]) == 0
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["content"] == content


def test_run_starts_the_calls_of_a_message_at_the_same_time_on_an_executor(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "meeting.py").write_text("def meet(name: str) -> str:\n    return name\n")
    (tmp_path / "together.py").write_text(
        "import asyncio\nfrom mulligan.plugin import *\nclass Together(ToolExecutor):\n    name = 'together'\n"
        "    waiting = []\n"
        "    def execute(self, tool, arguments, call):\n"
        "        async def run():\n            self.waiting.append(arguments['name'])\n"
        "            while len(self.waiting) < 3:\n                await asyncio.sleep(0.01)\n"
        "            return arguments['name']\n        return run\n"
        "@hookimpl\ndef executors():\n    yield Together()\n"
    )
    calls = [
        {"id": f"c{name}", "type": "function", "function": {"name": "meet", "arguments": json.dumps({"name": name})}}
        for name in "abc"
    ]
    (tmp_path / "talk.jsonl").write_text(json.dumps({"role": "assistant", "tool_calls": calls}) + "\n")
    words = ["run", "talk.jsonl", "--tools", "meeting.py", "-p", "together", "--executor", "together"]
    assert main(words) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()[1:]]
    assert [(answer["tool_call_id"], answer["content"]) for answer in answers] == [
        ("ca", "a"),
        ("cb", "b"),
        ("cc", "c"),
    ]


class Narrow(ToolExecutor):
    """Takes two calls of a batch at a time, and notes how many it has."""

    name = "narrow"
    in_flight = 2

    def __init__(self) -> None:
        self.now = self.most = 0

    def execute(self, tool: Tool, arguments: Any, call: Any) -> Callable[[], Any]:
        async def run() -> Any:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            return arguments["number"]

        return run


def test_a_batch_begins_no_more_calls_than_its_executor_takes(make_pipeline):
    narrow, other = Narrow(), Narrow()
    tools = [Tool.from_function(double, name=name, executor=one) for name, one in (("one", narrow), ("two", other))]
    pipeline = make_pipeline(*tools, double)
    calls = [(name, {"number": number}) for number in range(30) for name in ("one", "double", "two", "unknown")]

    results = asyncio.run(pipeline.acall_many(calls))

    assert [result.value for result in results[::4]] == [result.value for result in results[2::4]] == [*range(30)]
    assert [result.value for result in results[1::4]] == [2 * number for number in range(30)]
    assert (narrow.most, other.most) == (2, 2)


def test_a_batch_keeps_only_the_results_of_its_calls_that_have_ended(make_pipeline):
    kept: list[int] = []

    class Counting(Narrow):
        in_flight = 20

        def execute(self, tool: Tool, arguments: Any, call: Any) -> Callable[[], Any]:
            if arguments["number"] == 999:
                kept.append(sum(issubclass(type(one), asyncio.Task) for one in gc.get_objects()))
            return super().execute(tool, arguments, call)

    pipeline = make_pipeline(Tool.from_function(double, executor=Counting()))
    results = asyncio.run(pipeline.acall_many(("double", {"number": number}) for number in range(1_000)))

    assert [result.value for result in results] == [*range(1_000)]
    assert kept[0] < 100


def test_each_call_of_a_batch_ends_in_its_own_way(make_pipeline):
    class Moody(Narrow):
        def execute(self, tool: Tool, arguments: Any, call: Any) -> Callable[[], Any]:
            async def run() -> Any:
                if arguments["number"] == 1:
                    raise FileNotFoundError(2, "No such file or directory", "a.md")
                if arguments["number"] == 2:
                    asyncio.current_task().cancel()  # type: ignore[union-attr]
                    await asyncio.sleep(60)
                return arguments["number"]

            return run

    pipeline = make_pipeline(Tool.from_function(double, executor=Moody()))
    results = asyncio.run(pipeline.acall_many([("double", {"number": number}) for number in range(4)]))

    assert [type(result.error).__name__ for result in results] == [
        *("NoneType", "ResourceNotFoundError", "ToolCancelledError", "NoneType")
    ]
    assert (results[0].value, results[3].value) == (0, 3)


def test_a_batch_that_is_cancelled_begins_no_more_calls(make_pipeline):
    narrow = Narrow()
    pipeline = make_pipeline(Tool.from_function(double, executor=narrow))

    async def cancel() -> list[Any]:
        batch = asyncio.ensure_future(pipeline.acall_many([("double", {"number": number}) for number in range(1_000)]))
        while not narrow.most:
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        batch.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await batch
        await asyncio.sleep(0.05)
        return caught.value.results  # type: ignore[attr-defined]

    results = asyncio.run(cancel())
    ended = [result for result in results if result is not None]
    assert len(results) == 1_000
    assert results[: len(ended)] == ended
    assert 0 < len(ended) < 1_000


@pytest.mark.parametrize(
    ("left", "message", "effect"),
    [
        (DeadlineExceeded(0.0, started=False), "the tool had not started.", "none"),
        (DeadlineExceeded(0.0), "it may still be running.", "possible"),
        (asyncio.CancelledError(), "it was cancelled.", "possible"),
    ],
)
def test_an_executor_says_what_became_of_a_call_at_its_deadline(left, message, effect, make_pipeline):
    class Queue(Elsewhere):
        def execute(self, tool: Tool, arguments: Any, call: Any) -> Callable[[], Any]:
            async def run() -> None:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    raise left from None

            return run

    error = (
        make_pipeline(Tool.from_function(double, executor=Queue(), timeout=0.05)).call("double", {"number": 1}).error
    )
    assert (error.message, error.effect) == (f"No response within 0.05 s; {message}", effect)


def seconds_left() -> float | None:
    """The seconds until the deadline of the call."""
    deadline = current_deadline()
    return None if deadline is None else deadline.remaining


def give(kind: str) -> Any:
    """Returns a failure, in one of the ways in which tools do."""
    missing = FileNotFoundError(2, "No such file or directory", "docs/a.md")
    group = ExceptionGroup("two", [ValueError("bad"), missing])
    return {"alone": missing, "pair": (None, missing), "group": group, "custom": Custom("broke", {"code": 7})}[kind]


class Custom(Exception):
    """An exception with data."""

    def __init__(self, text: str, data: dict[str, int]) -> None:
        super().__init__(text)
        self.data, self.lock = data, threading.Lock()


class Packed(ToolExecutor):
    """Runs calls as data."""

    name = "packed"

    def execute(self, tool: Tool, arguments: Any, call: Any) -> Callable[[], Any]:
        request = packed_call(tool, arguments, yielded=10, where="runs elsewhere")
        return lambda: value_of_answer(run_packed_call(request))


@pytest.mark.parametrize("options", [{"executor": Packed()}, {"killable": True}])
@pytest.mark.parametrize("kind", ["alone", "pair", "group", "custom"])
def test_a_returned_exception_means_elsewhere_what_it_means_here(options, kind, make_pipeline):
    here = make_pipeline(Tool.from_function(give)).call("give", {"kind": kind}, call_id="c1")
    elsewhere = make_pipeline(Tool.from_function(give, **options)).call("give", {"kind": kind}, call_id="c1")
    assert here.error is not None
    assert (type(elsewhere.error), elsewhere.error.effect) == (type(here.error), here.error.effect)
    assert elsewhere.content == here.content


def test_a_packed_call_has_its_deadline_and_leaves_none_behind():
    packed = packed_call(Tool.from_function(seconds_left), {}, yielded=1, where="runs elsewhere")
    assert 0 < value_of_answer(run_packed_call(packed, seconds=9)) <= 9
    assert value_of_answer(run_packed_call(packed)) is None
    assert current_deadline() is None


def test_a_deadline_that_is_sent_keeps_its_remaining_seconds():
    behind = Deadline(1_000.0 + 5, clock=lambda: 1_000.0)  # the clock of another machine
    assert 4 < pickle.loads(pickle.dumps(behind)).remaining <= 5
    assert pickle.loads(pickle.dumps(Deadline.after(float("inf")))).remaining == float("inf")


def test_a_class_that_is_named_after_its_cause_is_its_cause(make_pipeline):
    cause = FileNotFoundError(2, "No such file or directory", "docs/a.md")

    class Wrapper(Exception):
        pass

    wrapper = type("Wrapper(FileNotFoundError)", (Wrapper, FileNotFoundError), {})("pid=3, ip=10.0.0.1")
    wrapper.cause = cause

    def read() -> None:
        """Reads."""
        raise wrapper

    result = make_pipeline(read).call("read")
    assert (type(result.error), result.error.resource) == (ResourceNotFoundError, "docs/a.md")
    assert "10.0.0.1" not in result.content


@pytest.mark.parametrize("cause", [None, "text", ValueError("other")])
def test_a_class_with_parentheses_and_another_cause_stays_itself(cause, make_pipeline):
    wrapper = type("Wrapper(FileNotFoundError)", (Exception,), {})("it failed")
    wrapper.cause = cause

    def read() -> None:
        """Reads."""
        raise wrapper

    assert "it failed" in make_pipeline(read).call("read").content


class TestElsewhere(ExecutorConformance):
    plugin = Plugin(Elsewhere())
    options = {"executor": "elsewhere"}
    declined = {}
    module = "mulligan.plugin"


def test_a_tool_that_runs_out_of_memory_on_a_worker_is_answered():
    def fill() -> int:
        return len(bytearray(1 << 60))

    async def afill() -> int:
        return fill()

    for answer in (run_tool(fill, {}, yielded=10), asyncio.run(arun_tool(afill, {}, yielded=10))):
        with pytest.raises(MemoryError):
            value_of_answer(answer)


def test_the_first_failure_of_a_program_loads_nothing_at_its_deadline():
    program = """
import asyncio, sys
from mulligan import Pipeline, Tool
from mulligan.plugin import DeadlineExceeded, ToolExecutor

class Queue(ToolExecutor):
    name = "queue"
    def execute(self, tool, arguments, call):
        async def run():
            loaded.update(sys.modules)
            raise DeadlineExceeded(60.0)
        return run

def write_file(path: str, text: str) -> str: "Write a file."
def read_file(path: str) -> str: "Read a file."

loaded = set()
tools = [Tool.from_function(write_file, executor=Queue(), timeout=60), Tool.from_function(read_file, read_only=True)]
with Pipeline(tools, autoload=False) as pipeline:
    result = asyncio.run(pipeline.acall("write_file", {"path": "a.md", "text": "x"}))
print(type(result.error).__name__, sorted(set(sys.modules) - loaded))
"""
    environment = {**os.environ, "BUILD_API_KEY": "kT4x-99Lq-20Zw-71Bn"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout == "ToolTimeoutError []\n"
