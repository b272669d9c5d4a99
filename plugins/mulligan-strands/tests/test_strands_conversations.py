"""What is reported of an agent's conversations, what runs how often, and the mistakes of the host."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from mcp.types import Tool as McpTool
from mcp.types import ToolAnnotations
from mulligan_strands import MulliganPlugin, RunStopped
from mulligan_strands.tools import is_blocking
from mulligan_testkit.calls import CUT_OFF, HINTS
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import Field
from strands import tool
from strands.hooks import AfterModelCallEvent
from strands.middleware import ExecuteToolStage
from strands.multiagent import GraphBuilder
from strands.tools.executors import ConcurrentToolExecutor, SequentialToolExecutor
from strands.tools.mcp import MCPAgentTool
from strands.tools.tools import PythonAgentTool
from strands_play import agent, aplay, play

from mulligan import Limits, Pipeline, Policy
from mulligan.errors import ToolAuthenticationError, UsageError
from mulligan.plugin import AttemptFailed, CallFinished, CallRepaired, CallStarted, Notice, RequestNoted, StepFinished
from mulligan.testing import capture_events

EXECUTORS = [ConcurrentToolExecutor, SequentialToolExecutor]


@tool
def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


MIXED = [*CUT_OFF, ("c6", "pages.read", {"path": "a"})]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("timeout", [None, 9])
def test_each_call_and_each_message_is_reported_once(executor, timeout):
    events = capture_events()
    plugin = MulliganPlugin(Pipeline(plugins=[events]), timeout=timeout)
    turns = [MIXED, [("d1", "read_page", {"path": "b"})], "ok"]
    one = agent(*turns, tools=[read_page], plugins=[plugin], tool_executor=executor())
    assert play(one).last == "ok"
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "c6", "d1"]
    steps = [(step.step, sorted(step.ids)) for step in events.of(StepFinished)]
    assert steps == [(1, ["c1", "c2", "c3", "c4", "c5", "c6"]), (2, ["d1"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    assert {(failed.step, failed.call_id, failed.attempt) for failed in events.of(AttemptFailed)} == {
        (1, "c5", 1),
        (2, "d1", 1),
    }
    assert {event.session_id for event in events} == {one.session_id}


def test_a_repaired_call_is_one_call():
    events = capture_events()
    plugin = MulliganPlugin(Pipeline(plugins=[events], policy=Policy(repair="json")))
    played = play(agent([("c1", "read_page", '{"path": "a",}')], "ok", tools=[read_page], plugins=[plugin]))
    assert played.text("c1").startswith("a 3\nNote: your arguments were not valid JSON")
    assert [type(event) for event in events] == [RequestNoted, CallStarted, CallRepaired, CallFinished, StepFinished]
    assert events.of(StepFinished)[0].repaired


def test_a_call_that_a_tool_interrupts_is_one_call():
    @tool(context=True)
    def delete(tool_context) -> str:
        """Delete."""
        return f"deleted: {tool_context.interrupt('sure')}"

    events = capture_events()
    plugin = MulliganPlugin(Pipeline(plugins=[events]))
    calls = [("c1", "delete", {}), ("c2", "read_page", {"path": "a"})]
    one = agent(calls, "ok", tools=[delete, read_page], plugins=[plugin])
    (interrupt,) = play(one).result.interrupts
    assert events.of(StepFinished) == []
    play(one, [{"interruptResponse": {"interruptId": interrupt.id, "response": "yes"}}])
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2"]
    assert [(step.step, sorted(step.ids)) for step in events.of(StepFinished)] == [(1, ["c1", "c2"])]


def test_two_agents_of_one_plugin_have_conversations_of_their_own():
    events = capture_events()
    plugin = MulliganPlugin(Pipeline(plugins=[events]))
    turns = [[(f"c{turn}", "read_page", {"path": "b"})] for turn in range(2)]
    agents = [agent(*turns, "ok", tools=[read_page], plugins=[plugin]) for _ in range(2)]

    async def both():
        return await asyncio.gather(*map(aplay, agents))

    for played in asyncio.run(both()):
        assert "already failed" in played.text("c1") and "already failed" not in played.text("c0")
    assert {event.session_id for event in events} == {one.session_id for one in agents}


def submit(ran):
    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    return send


class Client:
    """A server's connection, which is dropped at each call."""

    def __init__(self, ran):
        self.ran = ran

    async def call_tool_async(self, **call):
        self.ran.append(call["arguments"]["text"])
        raise ConnectionResetError("reset by peer")


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


@pytest.mark.parametrize("hints", HINTS, ids=str)
def test_a_tool_that_only_a_server_calls_harmless_runs_once(hints):
    ran = []
    described = McpTool(name="send", description="Send.", inputSchema=TEXT, annotations=ToolAnnotations(**hints))
    plugins = [MulliganPlugin()]
    play(agent([("c1", "send", {"text": "a"})], "ok", tools=[MCPAgentTool(described, Client(ran))], plugins=plugins))
    assert ran == ["a"]


def test_a_tool_that_is_not_declared_runs_once_and_one_that_the_host_calls_read_only_runs_again():
    for options, times in (({}, 1), ({"se*": {"read_only": True}}, 3)):
        ran = []
        plugins = [MulliganPlugin(tool_options=options)]
        play(agent([("c1", "send", {"text": "a"})], "ok", tools=[tool(submit(ran))], plugins=plugins))
        assert len(ran) == times


SPANS = InMemorySpanExporter()


@pytest.fixture
def spans(monkeypatch):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(SPANS))
    monkeypatch.setattr("opentelemetry.trace._TRACER_PROVIDER", provider)
    monkeypatch.setattr("strands.telemetry.tracer._tracer_instance", None)
    SPANS.clear()
    return lambda: [span.attributes["gen_ai.tool.name"] for span in SPANS.get_finished_spans() if _is_tool(span)]


def _is_tool(span):
    return "gen_ai.tool.name" in span.attributes


@pytest.mark.parametrize("options", [{}, {"bad": {"read_only": True}}], ids=str)
def test_each_call_is_counted_and_traced_once(spans, options):
    @tool
    async def good(number: int) -> str:
        """Good."""
        return "fine"

    @tool
    async def bad(number: int) -> str:
        """Bad."""
        raise ConnectionResetError("reset by peer")

    calls = [("c1", "good", {"number": 1}), ("c2", "bad", {"number": 1}), ("c3", "good", {"number": "q"})]
    calls.append(("c4", "nope", {}))
    counted = []
    for plugins in ([], [MulliganPlugin(tool_options=options)] if options else [MulliganPlugin()]):
        SPANS.clear()
        played = play(agent(calls, "ok", tools=[good, bad], plugins=plugins))
        metrics = played.result.metrics.tool_metrics
        counted.append({name: (one.call_count, one.error_count) for name, one in metrics.items()})
        assert sorted(spans()) == ["bad", "good", "good", "nope"]
    assert counted[1] == counted[0] == {"good": (2, 1), "bad": (1, 1), "nope": (1, 1)}


def test_other_middleware_sees_each_call_once_and_its_tool():
    seen = []

    async def watch(context, following):
        seen.append((context.tool_use["name"], type(context.tool).__name__))
        async for event in following(context):
            yield event

    calls = [("c1", "send", {"text": "a"}), ("c2", "send", {})]
    plugin = MulliganPlugin(tool_options={"send": {"read_only": True}})
    one = agent(calls, "ok", tools=[tool(submit([]))], plugins=[plugin])
    one.add_middleware(ExecuteToolStage, watch)
    play(one)
    assert seen == [("send", "DecoratedFunctionTool")] * 2


def test_arguments_that_other_middleware_gives_are_judged():
    async def limit(context):
        return context.replace(tool_use={**context.tool_use, "input": {"path": "a", "limit": "many"}})

    one = agent([("c1", "read_page", {"path": "b"})], "ok", tools=[read_page], plugins=[MulliganPlugin()])
    one.add_middleware(ExecuteToolStage.Input, limit)
    assert "/limit: wrong type" in play(one).text("c1")


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run():
    seen = []

    @tool
    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        seen.append(table)
        return "deleted"

    calls = [("c1", "delete_rows", {"table": "t", "dryrun": True}), ("c2", "delete_rows", {"file": "t"})]
    played = play(agent(calls, "ok", tools=[delete_rows], plugins=[MulliganPlugin()]))
    assert "- /dryrun: unknown argument; allowed: table, dry_run." in played.text("c1")
    assert "- /file: unknown argument; allowed: table, dry_run." in played.text("c2")
    assert seen == []


BENT = [
    {"number": "4"},
    {"number": 4.0},
    {"number": 4, "sure": 1},
    {"number": 4, "sure": "yes"},
    {"number": 4, "note": None},
]


@pytest.mark.parametrize("arguments", BENT, ids=str)
def test_what_strands_accepts_is_accepted(arguments):
    @tool
    def double(number: int, sure: bool = False, note: str | None = None) -> str:
        """Double."""
        return f"{number * 2} {sure} {note}"

    plain, guarded = (
        play(agent([("c1", "double", arguments)], "ok", tools=[double], plugins=plugins))
        for plugins in ([], [MulliganPlugin()])
    )
    assert guarded.results == plain.results and guarded.results["c1"]["status"] == "success"


def test_what_only_strands_refuses_is_explained_and_nothing_is_run():
    ran = []

    @tool(inputSchema={"json": {"type": "object", "properties": {"number": {"type": "integer"}}}})
    def double(number: int = Field(default=1, lt=5)) -> str:
        """Double."""
        ran.append(number)
        return str(number * 2)

    played = play(agent([("c1", "double", {"number": 9})], "ok", tools=[double], plugins=[MulliganPlugin()]))
    assert played.text("c1").splitlines()[:2] == [
        "Error executing tool double: Invalid arguments: one problem; nothing was run.",
        "- /number: Input should be less than 5.",
    ]
    assert ran == []


def test_a_fatal_failure_is_the_runs_and_the_next_message_begins_anew():
    keys = ["old"]

    @tool
    def charge(amount: int) -> str:
        """Charge a card."""
        if keys[-1] == "old":
            raise ToolAuthenticationError("The key was refused.", provider="bank")
        return "charged"

    turns = [[("c1", "charge", {"amount": 5}), ("c2", "read_page", {"path": "a"})], [("c3", "charge", {"amount": 5})]]
    one = agent(*turns, "ok", tools=[charge, read_page], plugins=[MulliganPlugin()])
    stopped = play(one).error
    assert isinstance(stopped, RunStopped)
    assert stopped.error.user_message.startswith("bank rejected the credentials used by charge.")
    assert str(stopped).startswith("ToolAuthenticationError in tool charge: The key was refused. bank rejected")
    assert stopped.messages == one.messages and stopped.request_state == {}
    blocks = [block for message in stopped.messages for block in message["content"]]
    assert {block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block} == {"c1", "c2"}
    keys.append("new")
    assert play(one, "The key is new.").text("c3") == "charged"


def test_the_next_message_forgives_what_failed_before():
    files = set()

    @tool
    def open_file(path: str) -> str:
        """Open a file."""
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "hello"

    call = ("open_file", {"path": "a.md"})
    turns = [[("c1", *call)], [("c2", *call)], [("c3", *call)], "not there", [("c4", *call)], "ok"]
    one = agent(*turns, tools=[open_file], plugins=[MulliganPlugin()])
    assert "has failed 3 times and will not run again" in play(one).text("c3")
    files.add("a.md")
    assert play(one, "It is there now.").text("c4") == "hello"


def failing_agent(plugin):
    @tool
    def charge() -> str:
        """Charge a card."""
        raise ToolAuthenticationError("The key was refused.")

    return agent([("i1", "charge", {})], "charged", tools=[charge], plugins=[plugin], name="payer")


def test_a_tool_that_handles_the_fatal_failure_of_an_agent_in_it_may_go_on():
    plugin = MulliganPlugin()

    @tool
    async def pay() -> dict:
        """Pay."""
        played = await aplay(failing_agent(plugin))
        assert isinstance(played.error, RunStopped)
        return {"status": "error", "content": [{"text": "Ask ann for cash."}]}

    played = play(agent([("c1", "pay", {})], "ok", tools=[pay], plugins=[plugin]))
    assert played.last == "ok" and 'The tool says: "Ask ann for cash."' in played.text("c1")


def test_an_agent_that_a_tool_runs_ends_the_outer_run_too():
    plugin = MulliganPlugin()

    @tool
    def pay() -> str:
        """Pay."""
        return str(failing_agent(plugin)("go"))

    played = play(agent([("c1", "pay", {})], "ok", tools=[pay], plugins=[plugin]))
    assert isinstance(played.error, RunStopped) and isinstance(played.error.error, ToolAuthenticationError)


def test_agents_of_a_graph_have_conversations_of_their_own_and_a_fatal_failure_ends_it():
    events = capture_events()
    plugin = MulliganPlugin(Pipeline(plugins=[events]))
    turns = [[(f"c{turn}", "read_page", {"path": "b"})] for turn in range(2)]
    readers = [agent(*turns, "ok", tools=[read_page], plugins=[plugin], name=name) for name in ("one", "two")]

    def graph(*agents):
        builder = GraphBuilder()
        for one in agents:
            builder.add_node(one, one.name)
            builder.set_entry_point(one.name)
        return builder.set_max_node_executions(9).build()

    graph(*readers)("go")
    assert {event.session_id for event in events} == {one.session_id for one in readers}
    assert sorted(step.ids for step in events.of(StepFinished)) == [("c0",), ("c0",), ("c1",), ("c1",)]
    with pytest.raises(RunStopped, match="ToolAuthenticationError in tool charge"):
        graph(failing_agent(plugin))("go")


def test_a_hook_that_retries_models_does_not_repeat_the_tools_of_a_fatal_message():
    ran, wanted = [], []

    @tool
    def charge() -> str:
        """Charge a card."""
        ran.append(1)
        raise ToolAuthenticationError("The key was refused.")

    def again(event):
        wanted.append(1)
        event.retry = event.exception is not None and len(wanted) < 5

    one = agent([("c1", "charge", {})], "never", tools=[charge], plugins=[MulliganPlugin()])
    one.add_hook(again, AfterModelCallEvent)
    assert isinstance(play(one).error, RunStopped)
    assert (len(ran), len(one.model.requests)) == (1, 1)


def test_fatal_and_repair_without_a_pipeline():
    @tool
    def charge(amount: int) -> str:
        """Charge a card."""
        raise ToolAuthenticationError("The key was refused.")

    plugin = MulliganPlugin(fatal={"ToolAuthenticationError": False}, repair="json", timeout={"charge": 20})
    calls = [("c1", "charge", {"amount": 5}), ("c2", "read_page", '{"path": "a",}')]
    played = play(agent(calls, "ok", tools=[charge, read_page], plugins=[plugin]))
    assert played.last == "ok" and played.text("c2").startswith("a 3\n")


def test_mistakes_of_the_host_are_named():
    with pytest.raises(
        UsageError, match=r"MulliganPlugin\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"
    ):
        MulliganPlugin([read_page])
    with pytest.raises(UsageError, match=r"MulliganPlugin\(repair=...\): the pipeline decides it"):
        MulliganPlugin(Pipeline(), repair="all")
    with pytest.raises(UsageError, match=r"tool_options\['read_page'\]: unknown tool option 'timeot'"):
        MulliganPlugin(options={"read_page": {"timeot": 3}})
    with pytest.raises(UsageError, match=r"-1 for '\*' is not a number of seconds"):
        MulliganPlugin(timeout=-1)
    for plugin, message in (
        (MulliganPlugin(timeout={"raed_page": 3}), r"no such tool. Did you mean 'read_page'"),
        (MulliganPlugin(tool_options={"raed_page": {}}), r"no tool has such a name. Did you mean 'read_page'"),
    ):
        with pytest.raises(UsageError, match=message):
            agent("ok", tools=[read_page], plugins=[plugin])


def test_a_text_that_is_too_long_is_shortened_and_pictures_are_kept():
    picture = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}

    @tool
    def draw(long: bool) -> dict:
        """Draw."""
        return {"status": "success", "content": [{"text": "x" * 500}] if long else [picture]}

    plugin = MulliganPlugin(Pipeline(limits=Limits(result_chars=200), policy=Policy(repair="json")))
    calls = [("c1", "draw", {"long": True}), ("c2", "draw", '{"long": false,}')]
    played = play(agent(calls, "ok", tools=[draw], plugins=[plugin]))
    assert "characters left out]" in played.text("c1") and len(played.text("c1")) <= 200
    shown, note = played.results["c2"]["content"]
    assert shown == picture and note["text"].startswith("Note: your arguments were not valid JSON")


def module_tool(function):
    spec = {"name": "wait", "description": "Wait.", "inputSchema": {"json": {"type": "object"}}}
    return PythonAgentTool("wait", spec, function)


def hanging(gate):
    @tool(name="wait")
    def wait() -> str:
        """Wait."""
        gate.wait(30)
        return "late"

    def wait_for(tool_use, **_):
        gate.wait(30)
        return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": "late"}]}

    return [wait, module_tool(wait_for)]


@pytest.mark.parametrize("kind", [0, 1], ids=["decorated", "module"])
def test_a_function_that_hangs_frees_the_turn_and_is_said_to_run_on(kind):
    gate = threading.Event()
    try:
        plugins = [MulliganPlugin(timeout=1)]
        started = time.monotonic()
        played = play(agent([("c1", "wait", {})], "ok", tools=[hanging(gate)[kind]], plugins=plugins))
        assert time.monotonic() - started < 20
    finally:
        gate.set()
    assert "No response within 1 s" in played.text("c1") and "may still be running" in played.text("c1")


def test_functions_that_hang_are_counted_and_bounded():
    gate = threading.Event()
    try:
        plugins = [MulliganPlugin(Pipeline(limits=Limits(threads=4)), timeout=0.05)]
        calls = [(f"c{number}", "wait", {}) for number in range(8)]
        wait = hanging(gate)[0]
        played = play(agent(calls, "ok", tools=[wait], plugins=plugins))
    finally:
        gate.set()
    assert sum("may still be running" in played.text(id) for id in played.results) <= 3
    assert played.last == "ok" and len(played.results) == 8


def test_the_hosts_cancellation_of_a_function_that_blocks_passes():
    gate, began = threading.Event(), threading.Event()

    @tool
    def wait() -> str:
        """Wait."""
        began.set()
        gate.wait(30)
        return "late"

    async def run():
        one = agent([("c1", "wait", {})], "ok", tools=[wait], plugins=[MulliganPlugin(timeout=20)])
        task = asyncio.create_task(aplay(one))
        while not began.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    try:
        asyncio.run(asyncio.wait_for(run(), 10))
    finally:
        gate.set()


MOVED = "Strands keeps {} elsewhere now: correct mulligan_strands, then the upper bound in pyproject.toml"


def test_strands_keeps_a_tools_function_where_the_adapter_reads_it():
    for one in hanging(threading.Event()):
        assert hasattr(one, "_tool_func") and is_blocking(one), MOVED.format("a tool's function")


def test_strands_judges_arguments_where_the_adapter_asks():
    with pytest.raises(ValueError, match="Validation failed") as refused:
        read_page._metadata.validate_input({})
    assert hasattr(refused.value.__cause__, "errors"), MOVED.format("the problems with arguments")
    assert read_page._metadata.validate_input({"path": "a", "limit": "4"}) == {"path": "a", "limit": 4}


def test_strands_words_names_that_no_tool_can_have_as_the_adapter_expects():
    played = play(agent([("c1", "pages.read", {})], "ok", tools=[read_page]))
    assert played.text("c1").startswith("Error: tool_name=<"), MOVED.format("its words about invalid names")


def test_strands_marks_the_calls_of_a_model_and_what_it_writes_as_the_adapter_expects():
    seen = []

    async def watch(context, following):
        seen.append("event_loop_cycle_id" in context.invocation_state)
        async for event in following(context):
            yield event

    one = agent([("c1", "read_page", {"path": "a"})], "ok", tools=[read_page])
    one.add_middleware(ExecuteToolStage, watch)
    written = []

    async def run():
        async for event in one.stream_async("go"):
            if event.get("type") == "tool_use_stream":
                written.append(event["current_tool_use"]["input"])
        seen.append(one.session_id)

    asyncio.run(run())
    one.tool.read_page(path="a")
    assert seen[0] is True and seen[2] is False, MOVED.format("the mark of a model's call")
    assert written[-1] == '{"path": "a"}', MOVED.format("what a model writes")
