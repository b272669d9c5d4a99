"""What is reported of a run, what runs how often, whose failures count, and the mistakes of the host."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib
import threading
import time

import pytest
from adk_play import Script, agent, aplay, play
from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.llm_request import LlmRequest
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, FunctionTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import START, Workflow
from google.genai import types
from mulligan_adk import MulliganPlugin
from mulligan_testkit.calls import HINTS, MISTYPED

from mulligan import Pipeline, Policy, errors
from mulligan.errors import UsageError
from mulligan.plugin import AttemptFailed, CallFinished, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events

pytestmark = pytest.mark.filterwarnings("ignore")


def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


async def login(user: str = "me") -> str:
    """Log in."""
    raise errors.ToolAuthenticationError("The key was refused.", provider="bank")


MIXED = list(MISTYPED[:4])


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
@pytest.mark.parametrize("timeout", [None, 9])
def test_each_call_and_each_message_is_reported_once(stream, timeout):
    events = capture_events()
    config = RunConfig(streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE)
    librarian = agent(MIXED, [("d1", "read_page", {"path": "b"})], "ok", tools=[read_page])
    plugin = MulliganPlugin(Pipeline(plugins=[events]), timeout=timeout)
    played = play(librarian, plugin, config=config)
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "d1"]
    steps = events.of(StepFinished)
    assert [sorted(step.ids) for step in steps] == [["c1", "c2", "c3", "c4"], ["d1"]]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    assert {(failed.call_id, failed.attempt) for failed in events.of(AttemptFailed)} == {("c4", 1), ("d1", 1)}
    assert {event.session_id for event in events} == {played.session}


def test_agents_that_share_a_run_are_conversations_of_the_same_id():
    events = capture_events()
    first = agent([("c1", "read_page", {"path": "a"})], "ok", tools=[read_page], name="first")
    second = agent([("c2", "read_page", {"path": "b"})], "ok", tools=[read_page], name="second")
    plugin = MulliganPlugin(Pipeline(plugins=[events]))
    played = play(ParallelAgent(name="both", sub_agents=[first, second]), plugin)
    assert sorted(step.ids for step in events.of(StepFinished)) == [("c1",), ("c2",)]
    assert {event.session_id for event in events} == {played.session}


# What runs how often


def submit(ran):
    async def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    return send


class Remote(BaseTool):
    """A tool of a server of the Model Context Protocol, whose annotations are those of the class."""

    annotations: dict = {}
    ran: list

    @property
    def raw_mcp_tool(self):
        return type("Raw", (), {"annotations": self.annotations})

    def _get_declaration(self):
        return types.FunctionDeclaration(name=self.name, parameters_json_schema={"type": "object"})

    async def run_async(self, *, args, tool_context):
        self.ran.append(args)
        raise ConnectionResetError("reset by peer")


def remote(hints, ran):
    return type("Hinted", (Remote,), {"annotations": hints, "ran": ran})(name="send", description="Send.")


@pytest.mark.parametrize("hints", HINTS)
def test_a_tool_that_only_a_server_calls_harmless_runs_once(hints):
    ran = []
    played = play(agent([("c1", "send", {"text": "a"})], "ok", tools=[remote(hints, ran)]), MulliganPlugin())
    assert len(ran) == 1
    assert "dropped" in played.text("c1")


def test_a_tool_of_which_nothing_is_declared_runs_once():
    ran = []
    play(agent([("c1", "send", {"text": "a"})], "ok", tools=[submit(ran)]), MulliganPlugin())
    assert ran == ["a"]


def test_a_tool_that_the_host_calls_read_only_runs_again():
    for tool in (submit, lambda ran: remote({}, ran)):
        ran = []
        plugin = MulliganPlugin(tool_options={"se*": {"read_only": True}})
        play(agent([("c1", "send", {"text": "a"})], "ok", tools=[tool(ran)]), plugin)
        assert len(ran) == 3


def delete_rows(table: str, dry_run: bool = False) -> str:
    """Delete rows."""
    raise AssertionError("it ran")


@pytest.mark.parametrize("value", ["text", {"a": 1}, None])
def test_a_call_that_comes_again_with_its_id_gets_the_same_answer_and_runs_once(value):
    ran = []

    def submit_once(text: str) -> object:
        """Submit."""
        ran.append(text)
        return value

    call = ("c1", "submit_once", {"text": "a"})
    submitting = agent([call], [call], "ok", tools=[submit_once])
    played = play(submitting, MulliganPlugin())
    assert ran == ["a"]
    parts = [part for content in submitting.model.requests[-1].contents for part in content.parts]
    sent = [part.function_response.response for part in parts if part.function_response is not None]
    assert {str(one) for one in sent} == {str(played.answers["c1"])}
    assert played.answers["c1"] == (value if isinstance(value, dict) else {"result": value})


@pytest.mark.parametrize("name", ["dryrun", "dry-run", "force"])
def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run(name):
    calls = [("c1", "delete_rows", {"table": "t", name: True})]
    played = play(agent(calls, "ok", tools=[delete_rows]), MulliganPlugin())
    assert f"- /{name}: unknown argument; allowed: table, dry_run." in played.text("c1")
    assert "nothing was run" in played.text("c1")


def test_a_function_that_takes_any_arguments_takes_them():
    def note(text: str, **more: str) -> str:
        """Note."""
        return text

    played = play(agent([("c1", "note", {"text": "t", "colour": "red"})], "ok", tools=[note]), MulliganPlugin())
    assert played.answers["c1"] == {"result": "t"}


# Whose failures count


@pytest.mark.parametrize("kind", [SequentialAgent, ParallelAgent])
def test_agents_do_not_answer_for_the_failures_of_others(kind):
    ran = []

    async def get_config(name: str) -> str:
        """Read a config."""
        ran.append(name)
        await asyncio.sleep(0.01)
        raise FileNotFoundError(2, "No such file or directory", name)

    calls = [[[(f"c{number}.{turn}", "get_config", {"name": "x.toml"})] for turn in range(2)] for number in range(8)]
    agents = [agent(*turns, "done", tools=[get_config], name=f"w{number}") for number, turns in enumerate(calls)]
    played = play(kind(name="root", sub_agents=agents), MulliganPlugin())
    assert (played.error, len(ran)) == (None, 16)
    assert not any("already failed" in played.text(f"c{number}.0") for number in range(8))
    assert all("already failed" in played.text(f"c{number}.1") for number in range(8))


def test_a_parallel_branch_does_not_answer_for_the_failures_of_another():
    async def run():
        ran, is_ready = [], asyncio.Event()

        def fetch(path: str) -> str:
            """Fetch."""
            ran.append(path)
            if len(ran) == 3:
                is_ready.set()
            raise FileNotFoundError(2, "No such file or directory", path)

        class Patient(Script):
            async def generate_content_async(self, llm_request, stream=False):
                await is_ready.wait()
                async for response in super().generate_content_async(llm_request, stream):
                    yield response

        first = agent(*[[(f"a{turn}", "fetch", {"path": "b"})] for turn in range(3)], "ok", tools=[fetch], name="first")
        patient = Patient(turns=[[("b1", "fetch", {"path": "b"})], "ok"], requests=[])
        second = LlmAgent(name="second", model=patient, tools=[fetch])
        return await aplay(ParallelAgent(name="both", sub_agents=[first, second]), MulliganPlugin())

    played = asyncio.run(run())
    assert "has failed 3 times and will not run again" in played.text("a2")
    assert played.text("b1").splitlines()[1].startswith("Next: ")


def test_an_agent_in_a_loop_may_poll():
    ran = []

    def status() -> str:
        """The status."""
        ran.append(1)
        if len(ran) < 8:
            raise FileNotFoundError(2, "No such file or directory", "ready")
        return "ready"

    turns = [turn for number in range(8) for turn in ([(f"c{number}", "status", {})], "not yet")]
    played = play(
        LoopAgent(name="loop", sub_agents=[agent(*turns, tools=[status])], max_iterations=8), MulliganPlugin()
    )
    assert (played.error, len(ran)) == (None, 8)
    assert played.answers["c7"] == {"result": "ready"}


def test_an_agent_that_repeats_itself_in_one_turn_is_stopped():
    turns = [[(f"c{number}", "read_page", {"path": "b"})] for number in range(9)]
    played = play(SequentialAgent(name="root", sub_agents=[agent(*turns, tools=[read_page])]), MulliganPlugin())
    assert type(played.error.__cause__) is errors.RepeatedCallError
    assert set(played.asked) == set(played.answers)


def test_a_new_message_of_the_user_forgives():
    turns = [[(f"c{number}", "read_page", {"path": "b"})] for number in range(6)]
    plugin, ran = MulliganPlugin(), []

    def fetch(path: str) -> str:
        """Fetch."""
        ran.append(path)
        raise FileNotFoundError(2, "No such file or directory", path)

    turns = [turn for number in range(6) for turn in ([(f"c{number}", "fetch", {"path": "b"})], "It is not there.")]
    played = play(agent(*turns, tools=[fetch]), plugin, messages=("go", *["try again"] * 5))
    assert (played.error, len(ran)) == (None, 6)
    turns = [[("c1", "login", {})], [("c2", "login", {})], "ok"]
    stopped = agent(*turns, tools=[login])
    first, second = play(stopped, plugin), play(stopped, plugin)
    assert "c1" in first.answers
    assert "The key was refused." in second.text("c2")


def test_a_run_after_a_return_to_an_earlier_point_begins_anew():
    ran = []

    def fetch(path: str) -> str:
        """Fetch."""
        ran.append(path)
        if len(ran) < 4:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "there"

    async def run():
        turns = [[(f"c{number}", "fetch", {"path": "b"})] for number in range(3)]
        fetching = agent(*turns, "It is not there.", [("d1", "fetch", {"path": "b"})], "ok", tools=[fetch])
        runner = InMemoryRunner(app=App(name="p", root_agent=fetching, plugins=[MulliganPlugin()]))
        runner.auto_create_session = True
        here = {"user_id": "u", "session_id": "s"}

        async def say():
            said = types.Content(role="user", parts=[types.Part(text="go")])
            return [event async for event in runner.run_async(new_message=said, **here)]

        events = await say()
        await runner.rewind_async(rewind_before_invocation_id=events[0].invocation_id, **here)
        return {one.id: one.response for event in await say() for one in event.get_function_responses()}

    assert asyncio.run(run()) == {"d1": {"result": "there"}}


def test_a_fatal_failure_in_a_parallel_branch_leaves_no_call_without_an_answer():
    left = asyncio.Event()

    async def slow() -> str:
        """Slow."""
        left.set()
        await asyncio.sleep(30)
        return "fine"

    async def fail() -> str:
        """Fail."""
        await left.wait()
        raise errors.ToolAuthenticationError("The key was refused.")

    branches = [
        agent([("a", "fail", {})], "never", tools=[fail], name="first"),
        agent([("b", "slow", {})], "never", tools=[slow], name="second"),
    ]
    played = play(ParallelAgent(name="root", sub_agents=branches), MulliganPlugin())
    assert type(played.error.__cause__) is errors.ToolAuthenticationError
    assert sorted(played.asked) == sorted(played.answers) == ["a", "b"]
    assert (
        "This call was cancelled, since another call failed and the run must end. It may have taken effect."
        in played.text("b")
    )
    assert [event.author for event in played.stored if "b" in str(event.get_function_responses())] == ["second"]


def test_no_retry_policy_of_a_node_repeats_a_fatal_failure():
    from google.adk.workflow import RetryConfig

    ran = []

    async def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return "paid"

    calls = [("c1", "pay", {"amount": 3}), ("c2", "login", {})]
    clerk = agent(calls, "never", tools=[pay, login], name="clerk")
    clerk.retry_config = RetryConfig(max_attempts=3, initial_delay=0.01)
    played = play(Workflow(name="flow", edges=[(START, clerk)]), MulliganPlugin())
    assert "The key was refused." in str(played.error)
    assert (ran, len(clerk.model.requests)) == ([3], 1)


@pytest.mark.parametrize("where", ["tool", "model"])
def test_a_run_that_is_cancelled_leaves_nothing(where):
    plugin = MulliganPlugin()

    async def run():
        started = asyncio.Event()

        async def slow() -> str:
            """Slow."""
            started.set()
            await asyncio.sleep(30)
            return "late"

        class Slow(Script):
            async def generate_content_async(self, llm_request, stream=False):
                if where == "model":
                    await slow()
                async for response in super().generate_content_async(llm_request, stream):
                    yield response

        slow_agent = LlmAgent(name="slow", model=Slow(turns=[[("c1", "slow", {})], "ok"], requests=[]), tools=[slow])
        task = asyncio.create_task(aplay(slow_agent, plugin))
        await started.wait()
        assert len(plugin._runs) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 20))
    gc.collect()
    assert len(plugin._runs) == 0


def test_a_sync_function_past_its_deadline_is_not_said_to_be_cancelled():
    def slow() -> str:
        """Slow."""
        time.sleep(3)
        return "late"

    async def aslow() -> str:
        """Slow."""
        await asyncio.sleep(5)
        return "late"

    calls = [("c1", "slow", {}), ("c2", "aslow", {})]
    played = play(agent(calls, "ok", tools=[slow, aslow]), MulliganPlugin(timeout=1))
    assert "it may still be running" in played.text("c1")
    assert "it was cancelled" in played.text("c2")


@pytest.mark.parametrize("timeout", [None, 5])
def test_only_what_blocks_leaves_the_event_loop_and_only_if_it_has_a_deadline(timeout):
    def here() -> bool:
        """Here."""
        return threading.current_thread() is threading.main_thread()

    async def later() -> bool:
        """Later."""
        return here()

    @functools.wraps(later)
    def wrapping():
        return later()

    @functools.wraps(here)
    async def wrapping_later():
        return here()

    class Callable:
        async def __call__(self) -> bool:
            """Later."""
            return here()

    def piecewise():
        """Piecewise."""
        yield here()

    tools = {
        "here": here,
        "later": later,
        "partial": functools.partial(later),
        "wrapping": wrapping,
        "wrapping_later": wrapping_later,
        "callable": Callable(),
        "piecewise": piecewise,
    }
    for name, function in tools.items():
        tool = FunctionTool(function)
        tool.name = name
        played = play(agent([("c1", name, {})], "ok", tools=[tool]), MulliganPlugin(timeout=timeout))
        assert played.answers["c1"] == {"result": name != "here" or timeout is None}, name


# The host


def test_the_reason_names_the_tool_and_the_host():
    played = play(agent([("c1", "login", {})], "never", tools=[login]), MulliganPlugin())
    assert type(played.error) is RuntimeError
    assert str(played.error).startswith("Error in plugin 'mulligan' during 'before_model_callback' callback: ")
    assert played.error.__cause__.user_message.startswith("bank rejected the credentials used by login.")


def test_fatal_and_repair_without_a_pipeline():
    def double(number: int) -> int:
        """Double."""
        return number * 2

    calls = [("c1", "login", {}), ("c2", "double", {"number": "4"})]
    plugin = MulliganPlugin(fatal={"ToolAuthenticationError": False}, repair=(), timeout={"login": 20})
    played = play(agent(calls, "ok", tools=[login, double]), plugin)
    assert (played.error, played.last) == (None, "ok")
    assert "/number: wrong type; expected integer" in played.text("c2")


def test_mistakes_of_the_host_are_named():
    with pytest.raises(
        UsageError, match=r"MulliganPlugin\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"
    ):
        MulliganPlugin([read_page])
    with pytest.raises(UsageError, match=r"MulliganPlugin\(fatal=...\): the pipeline decides it"):
        MulliganPlugin(Pipeline(), fatal={})
    with pytest.raises(UsageError, match=r"tool_options\['fetch'\]: unknown tool option 'readonly'"):
        MulliganPlugin(options={"fetch": {"readonly": True}})
    with pytest.raises(UsageError, match=r"MulliganPlugin\(timeout=...\): -1 for '\*' is not a number of seconds"):
        MulliganPlugin(timeout=-1)


MISSPELT = [
    (
        {"timeout": {"raed_page": 3}},
        r"MulliganPlugin(timeout={'raed_page': ...}): no such tool. Did you mean 'read_page'?",
    ),
    ({"tool_options": {"raed_page": {}}}, "no tool has such a name. Did you mean 'read_page'?"),
]


@pytest.mark.parametrize(("options", "message"), MISSPELT)
@pytest.mark.parametrize("nested", [False, True])
def test_a_timeout_or_options_of_a_misspelt_tool_end_the_run(options, message, nested):
    made = agent([("c1", "read_page", {"path": "a"})], "ok", tools=[read_page], name="inner", description="Nested.")
    if nested:
        made = agent([("o1", "inner", {"request": "go"})], "ok", tools=[AgentTool(made)], name="outer")
    played = play(made, MulliganPlugin(**options))
    assert message in str(played.error)
    causes = [played.error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    assert any(isinstance(cause, UsageError) for cause in causes)


def test_options_of_a_tool_of_another_agent_are_no_mistake():
    def read_pages(path: str) -> str:
        """Read pages."""
        return path

    class Later(BaseToolset):
        async def get_tools(self, readonly_context=None):
            return [FunctionTool(read_pages)]

    first = agent("done", tools=[read_page], name="first")
    second = agent([("c1", "read_pages", {"path": "a"})], "ok", tools=[read_pages], name="second")
    plugin = MulliganPlugin(timeout={"read_pages": 5}, tool_options={"search": {}})
    assert play(SequentialAgent(name="both", sub_agents=[first, second]), plugin).error is None
    second = agent("ok", tools=[Later()], name="second")
    first = agent("done", tools=[read_page], name="first")
    plugin = MulliganPlugin(timeout={"read_pages": 5})
    assert play(SequentialAgent(name="both", sub_agents=[first, second]), plugin).error is None


def test_options_of_a_tool_of_an_agent_that_is_a_tool_are_no_mistake():
    def read_pages(path: str) -> str:
        """Read pages."""
        return path

    for timeout in ("read_page", "read_pages"):
        inner = agent(
            [("i1", "read_page", {"path": "a"})], "ok", tools=[read_page], name="inner", description="Nested."
        )
        outer = agent([("o1", "inner", {"request": "go"})], "ok", tools=[AgentTool(inner), read_pages], name="outer")
        assert play(outer, MulliganPlugin(timeout={timeout: 5})).error is None


def test_a_mistake_of_the_host_inside_a_tool_is_not_the_models_problem():
    async def broken() -> str:
        """Broken."""
        raise UsageError("pass a session")

    played = play(agent([("c1", "broken", {})], "never", tools=[broken]), MulliganPlugin())
    assert "pass a session" in str(played.error)
    assert "c1" not in played.answers


def test_a_name_that_is_repaired_runs_once():
    ran, events = [], capture_events()

    def get_page(title: str) -> str:
        """Page."""
        ran.append(title)
        return f"page {title}"

    pipeline = Pipeline(plugins=[events], policy=Policy(repair="name"))
    plugin = MulliganPlugin(pipeline, tool_options={"get_page": {"read_only": True}})
    play(agent([("c1", "Get-Page", {"title": "a"})], "ok", tools=[get_page]), plugin)
    assert ran == ["a"]
    assert len(events.of(CallStarted)) == len(events.of(CallFinished)) == 1


# What is read of ADK that it does not promise


def test_adk_has_not_moved():
    errors_of_nodes = importlib.import_module("google.adk.workflow._errors")
    assert hasattr(errors_of_nodes, "NodeInterruptedError"), "ADK's interrupt of a node has moved: see CONTROL_FLOW"
    deferring = hasattr(BaseTool, "_defers_response")
    assert deferring, "ADK has renamed BaseTool._defers_response: see MulliganPlugin.before_tool_callback"


def test_adk_still_reads_functions_and_declares_tools_in_one_place():
    sync = FunctionTool(read_page)
    spec = sync._spec
    assert (spec.unwrapped_func, spec.is_generator) == (read_page, False), (
        "ADK reads functions elsewhere: see calls._blocks"
    )
    request = LlmRequest()
    request.append_tools([sync])
    declared = request.config.tools[0].function_declarations
    assert declared == [sync._get_declaration()], "ADK declares tools differently: see MulliganPlugin._attempt"


def test_adk_still_asks_about_unknown_names_with_a_bare_tool():
    seen = []

    class Watching(MulliganPlugin):
        async def on_tool_error_callback(self, **options):
            seen.append(type(options["tool"]))
            return await super().on_tool_error_callback(**options)

    play(agent([("c1", "nope", {})], "ok", tools=[read_page]), Watching())
    assert seen == [BaseTool], "ADK reports unknown names differently: see MulliganPlugin.on_tool_error_callback"


def test_adk_still_wraps_what_a_plugin_raises():
    async def run():
        runner = InMemoryRunner(app=App(name="p", root_agent=agent("x", tools=[]), plugins=[MulliganPlugin()]))
        error = errors.ToolQuotaError("used up")

        async def fail(**_):
            raise error

        manager = runner.plugin_manager
        manager.plugins[0].before_model_callback = fail
        with pytest.raises(RuntimeError) as raised:
            await manager.run_before_model_callback(callback_context=None, llm_request=None)
        assert raised.value.__cause__ is error, "ADK reports exceptions of plugins differently: see ToolAttempt.failure"

    asyncio.run(run())
