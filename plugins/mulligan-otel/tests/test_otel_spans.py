"""Spans: their names, attributes and parents, wherever a tool runs and however a call ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import EXPORTER, TRACER
from mcp import Client, StdioServerParameters
from mulligan_otel import OpenTelemetry
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode
from otlp_receiver import Receiver

from mulligan import Pipeline, Policy, Tool, ToolCall, errors, tool
from mulligan.middleware import retry
from mulligan.plugin import hookimpl


@tool
def read(path: str) -> str:
    """Read a file."""
    with TRACER.start_as_current_span("inner"):
        return f"read {path}"


async def read_async(path: str) -> str:
    """Read a file."""
    await asyncio.sleep(0)
    with TRACER.start_as_current_span("inner"):
        return f"read {path}"


def test_a_call_is_an_internal_span_with_the_conventions_attributes(make_pipeline, spans):
    make_pipeline(read).session("talk").call("read", {"path": "a"}, call_id="c1")
    span = spans.one("execute_tool read")
    assert span.kind is SpanKind.INTERNAL
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Read a file.",
        "gen_ai.conversation.id": "talk",
        "openinference.span.kind": "TOOL",
        "mulligan.step": 1,
        "mulligan.attempts": 1,
        "mulligan.repairs": 0,
    }


@pytest.mark.parametrize(
    "made",
    [
        read,
        Tool.from_function(read.handler, name="read", timeout=5.0),
        Tool.from_function(read.handler, name="read", inline=True),
        Tool.from_function(read_async, name="read"),
        Tool.from_function(read_async, name="read", timeout=5.0),
    ],
    ids=["plain", "thread", "inline", "async", "async with a deadline"],
)
@pytest.mark.parametrize("driver", ["call", "acall"])
def test_it_is_the_parent_of_what_the_tool_makes(make_pipeline, spans, made, driver):
    pipeline = make_pipeline(made)
    with TRACER.start_as_current_span("agent"):
        if driver == "call":
            pipeline.call("read", {"path": "a"})
        else:
            asyncio.run(pipeline.acall("read", {"path": "a"}))
    assert (spans.parent("inner"), spans.parent("execute_tool read")) == ("execute_tool read", "agent")


def test_it_is_the_parent_on_other_executors(make_pipeline, spans):
    class Elsewhere:
        """An executor that submits to a pool, as Ray or a queue would: its own span says where it was submitted."""

        @hookimpl
        def execute(self, tool: Any, arguments: Any) -> Any:
            def submit() -> Any:
                with TRACER.start_as_current_span("submit"), ThreadPoolExecutor(1) as pool:
                    return (
                        pool.submit(tool.handler, **arguments()).result()
                        if callable(arguments)
                        else tool.handler(**arguments)
                    )

            return submit

    make_pipeline(read, plugins=[Elsewhere()]).call("read", {"path": "a"})
    assert spans.parent("submit") == "execute_tool read"


def test_it_reaches_a_server_through_mcp(make_pipeline, spans):
    """In `_meta.traceparent`, by the SDK of MCP itself, which sends what is current."""

    async def main() -> str:
        server = StdioServerParameters(command=sys.executable, args=[str(Path(__file__).with_name("mcp_archive.py"))])
        async with Client(server) as client:

            async def look(word: str) -> str:
                answer = await client.call_tool("look", {"word": word})
                return answer.content[0].text

            return (await make_pipeline(Tool.from_function(look)).acall("look", {"word": "a"})).value

    traceparent = asyncio.run(main())
    span = spans.one("execute_tool look")
    sent = spans.one("MCP send tools/call look")
    assert sent.parent.span_id == span.context.span_id
    assert traceparent.split("-")[1:3] == [f"{span.context.trace_id:032x}", f"{sent.context.span_id:016x}"]


@pytest.mark.parametrize("driver", ["call", "acall"])
@pytest.mark.parametrize("by", ["default", "middleware"])
def test_each_attempt_is_a_span_if_there_are_several(make_pipeline, spans, driver, by):
    tries: list[int] = []

    @tool(read_only=True)
    def flaky() -> str:
        """Works at the third try."""
        tries.append(1)
        with TRACER.start_as_current_span(f"try {len(tries)}"):
            if len(tries) < 3:
                raise errors.ToolUnavailableError("Busy.", retry_after=0.001)
            return "ok"

    options = {} if by == "default" else {"middleware": [retry(attempts=3)]}
    pipeline = make_pipeline(flaky, **options)
    pipeline.call("flaky") if driver == "call" else asyncio.run(pipeline.acall("flaky"))
    assert [spans.parent(f"attempt {n}") for n in (1, 2, 3)] == ["execute_tool flaky"] * 3
    assert [spans.parent(f"try {n}") for n in (1, 2, 3)] == ["execute_tool flaky", "attempt 2", "attempt 3"]
    assert [spans.one(f"attempt {n}").attributes.get("error.type") for n in (1, 2, 3)] == [
        "ToolUnavailableError",
        "ToolUnavailableError",
        None,
    ]
    times = [(one.start_time, one.end_time) for one in map(spans.one, ("attempt 1", "attempt 2", "attempt 3"))]
    assert all(start <= end for start, end in times)
    assert times[0][1] <= times[1][0] <= times[1][1] <= times[2][0]
    assert spans.one("execute_tool flaky").attributes["mulligan.attempts"] == 3


def test_one_attempt_has_no_span_of_its_own(make_pipeline, spans):
    make_pipeline(read).call("read", {"path": "a"})
    assert {span.name for span in spans.all} == {"execute_tool read", "inner"}


def test_a_failure_says_class_stage_effect_rule_and_length(make_pipeline, spans):
    def lose() -> None:
        raise FileNotFoundError(2, "No such file or directory", "/srv/secret-place")

    result = make_pipeline(lose).call("lose")
    span = spans.one("execute_tool lose")
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "ResourceNotFoundError"
    assert {name: value for name, value in span.attributes.items() if not name.startswith("gen_ai")} == {
        "error.type": "ResourceNotFoundError",
        "openinference.span.kind": "TOOL",
        "mulligan.attempts": 1,
        "mulligan.repairs": 0,
        "mulligan.stage": "execute",
        "mulligan.code": "NOT_FOUND",
        "mulligan.effect": result.error.effect,
        "mulligan.fatal": False,
        "mulligan.rule": result.error.rule,
        "mulligan.feedback.length": len(result.content),
    }
    assert "secret-place" not in str(span.to_json())
    assert span.events == ()


@pytest.mark.parametrize(
    ("name", "arguments", "stage"),
    [("nope", {}, "resolve"), ("read", {}, "validate"), ("guarded", {}, "authorize"), ("broken", {}, "execute")],
)
def test_the_stage_in_which_it_failed(make_pipeline, spans, name, arguments, stage):
    class Guard:
        @hookimpl
        def authorize(self, tool: Any) -> Any:
            return errors.ToolPermissionError("No.") if tool.name == "guarded" else None

    def broken() -> None:
        raise ValueError("x")

    tools = [read, Tool.from_function(lambda: 1, name="guarded"), Tool.from_function(broken)]
    make_pipeline(*tools, plugins=[Guard()]).call(name, arguments)
    assert spans.one(f"execute_tool {name}").attributes["mulligan.stage"] == stage


def test_a_repeated_call_is_refused_by_the_session(make_pipeline, spans):
    def broken() -> None:
        raise ValueError("x")

    session = make_pipeline(broken).session("talk")
    for _ in range(4):
        session.call("broken")
    assert spans.all[-1].attributes["mulligan.stage"] == "session"
    assert spans.all[-1].attributes["error.type"] == "RepeatedCallError"


def test_a_name_that_was_repaired_is_counted_and_described(make_pipeline, spans):
    readable = Tool.from_function(read.handler, name="read", read_only=True)
    make_pipeline(readable, policy=Policy(repair="all")).call("Read", {"path": "a"})
    attributes = spans.one("execute_tool Read").attributes
    assert (attributes["gen_ai.tool.name"], attributes["gen_ai.tool.description"]) == ("read", "Read a file.")
    assert (attributes["mulligan.repairs"], attributes["mulligan.attempts"]) == (1, 1)


def test_an_unknown_name_is_cleaned_and_capped(make_pipeline, spans):
    make_pipeline(read).call("x\x1b[2J\n" + "y" * 5_000, {})
    [span] = spans.all
    assert len(span.name) <= len("execute_tool ") + 64
    assert span.name.isprintable()


def test_calls_inside_of_a_tool_are_below_it(make_pipeline, spans):
    inner = make_pipeline(read)

    def outer() -> str:
        """Calls another pipeline."""
        return inner.call("read", {"path": "a"}).content + inner.call("nope").content

    make_pipeline(Tool.from_function(outer)).call("outer")
    assert spans.parent("execute_tool read") == "execute_tool outer"
    assert spans.parent("execute_tool nope") == "execute_tool outer"


def test_parallel_calls_do_not_mix(make_pipeline, spans):
    async def wait(n: int) -> int:
        """Waits."""
        await asyncio.sleep(0.001 * (5 - n))
        with TRACER.start_as_current_span(f"inner {n}"):
            return n

    async def main() -> None:
        with TRACER.start_as_current_span("agent"):
            await make_pipeline(Tool.from_function(wait)).acall_many(
                [ToolCall(f"c{n}", "wait", {"n": n}) for n in range(5)]
            )

    asyncio.run(main())
    ids = {span.context.span_id: span.attributes.get("gen_ai.tool.call.id") for span in spans.all}
    agent = spans.one("agent").context.span_id
    for n in range(5):
        assert ids[spans.one(f"inner {n}").parent.span_id] == f"c{n}"
    assert {span.parent.span_id for span in spans.all if span.name == "execute_tool wait"} == {agent}


def test_a_cancelled_call_ends_its_span_and_nothing_stays_current(make_pipeline, spans):
    async def main() -> bool:
        started = asyncio.Event()

        async def hang() -> None:
            """Never ends."""
            started.set()
            await asyncio.Event().wait()

        pipeline = make_pipeline(Tool.from_function(hang))

        async def host() -> bool:
            try:
                await pipeline.acall("hang")
            except asyncio.CancelledError:
                return trace.get_current_span().get_span_context().is_valid
            return True

        task = asyncio.create_task(host())
        await started.wait()
        task.cancel()
        return await task

    assert asyncio.run(main()) is False
    span = spans.one("execute_tool hang")
    assert span.attributes["error.type"] == "CallAbandoned"
    assert span.status.status_code is StatusCode.ERROR


def test_a_strict_pipeline_ends_its_spans(make_pipeline, spans):
    with pytest.raises(errors.ToolNotFoundError):
        make_pipeline(read, strict=True).call("nope")
    assert spans.one("execute_tool nope").attributes["error.type"] == "ToolNotFoundError"


def test_a_tool_that_leaves_a_span_open_changes_nothing_for_the_next(make_pipeline, spans):
    from opentelemetry import context

    def leaky() -> str:
        """Forgets to detach."""
        context.attach(trace.set_span_in_context(TRACER.start_span("forgotten")))
        return "ok"

    pipeline = make_pipeline(Tool.from_function(leaky))
    with TRACER.start_as_current_span("agent") as agent:
        pipeline.call("leaky")
        assert trace.get_current_span() is agent


def test_spans_that_are_not_sampled_cost_no_answer(spans):
    provider = TracerProvider(sampler=ALWAYS_OFF)
    pipeline = Pipeline([read], plugins=[OpenTelemetry(tracer_provider=provider)], autoload=False)
    assert pipeline.call("read", {"path": "a"}).content == "read a"
    assert pipeline.faults == ()


# --- what goes wrong


class Failing(SpanProcessor):
    """An exporter that breaks."""

    def __init__(self, when: str, name: str = "") -> None:
        self.when, self.name = when, name

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        if self.when == "start" and span.name.endswith(self.name):
            raise OSError("disk full")

    def on_end(self, span: Any) -> None:
        if self.when == "end" and span.name.endswith(self.name):
            raise OSError("disk full")


@pytest.fixture
def broken_provider():
    def make(*processors: SpanProcessor) -> TracerProvider:
        provider = TracerProvider()
        for one in (SimpleSpanProcessor(EXPORTER), *processors):
            provider.add_span_processor(one)
        return provider

    return make


@pytest.mark.parametrize("when", ["start", "end"])
def test_an_exporter_that_breaks_changes_no_answer_and_no_parent(make_pipeline, spans, broken_provider, when):
    otel = OpenTelemetry(tracer_provider=broken_provider(Failing(when, "execute_tool read")))
    pipeline = make_pipeline(read, otel=otel)
    with TRACER.start_as_current_span("agent") as agent:
        for _ in range(4):  # after the third fault the plugin is disabled
            assert pipeline.call("read", {"path": "a"}).content == "read a"
            assert trace.get_current_span() is agent
    assert {fault.hook for fault in pipeline.faults} == {"observe"}


def test_a_call_without_a_span_does_not_end_the_one_around_it(make_pipeline, spans, broken_provider):
    otel = OpenTelemetry(tracer_provider=broken_provider(Failing("start", "execute_tool read")))
    inner = make_pipeline(read, otel=otel)

    def outer() -> str:
        """Calls another pipeline."""
        inner.call("read", {"path": "a"})
        with TRACER.start_as_current_span("afterwards"):
            return "done"

    assert make_pipeline(Tool.from_function(outer), otel=otel).call("outer").content == "done"
    assert spans.parent("inner") == "execute_tool outer"
    assert spans.parent("afterwards") == "execute_tool outer"


def test_two_plugins_at_once_do_not_mix(make_pipeline, spans):
    tries: list[int] = []

    @tool(read_only=True)
    def flaky() -> str:
        """Works at the second try."""
        tries.append(1)
        if len(tries) == 1:
            raise errors.ToolUnavailableError("Busy.", retry_after=0.001)
        return "ok"

    make_pipeline(flaky, plugins=[OpenTelemetry()]).call("flaky")
    assert sorted(span.name for span in spans.all) == ["attempt 1"] * 2 + ["attempt 2"] * 2 + ["execute_tool flaky"] * 2
    names = {span.context.span_id: span.name for span in spans.all}
    parents = sorted((span.name, names[span.parent.span_id] if span.parent else "") for span in spans.all)
    assert parents[:4] == [(f"attempt {n}", "execute_tool flaky") for n in (1, 1, 2, 2)]
    assert [parent for _, parent in parents[4:]] == ["", "execute_tool flaky"]


def test_a_task_that_outlives_its_call_may_make_calls(make_pipeline, spans, caplog):
    async def main() -> None:
        pipeline = make_pipeline(read)
        may, tasks = asyncio.Event(), []

        async def later() -> None:
            await may.wait()
            await pipeline.acall("read", {"path": "a"})

        async def begin() -> str:
            """Starts work that goes on."""
            tasks.append(asyncio.create_task(later()))
            return "begun"

        await make_pipeline(Tool.from_function(begin)).acall("begin")
        may.set()
        await tasks[0]

    asyncio.run(main())
    assert spans.parent("execute_tool read") == "execute_tool begin"
    assert caplog.records == []


def test_what_a_generator_makes_is_below_its_call(make_pipeline, spans):
    def pages() -> Any:
        """Read pages."""
        for number in range(2):
            with TRACER.start_as_current_span(f"page {number}"):
                yield number

    async def more_pages() -> Any:
        """Read more pages."""
        for number in range(2, 4):
            with TRACER.start_as_current_span(f"page {number}"):
                yield number

    pipeline = make_pipeline(Tool.from_function(pages), Tool.from_function(more_pages))
    assert pipeline.call("pages").value == [0, 1]
    assert asyncio.run(pipeline.acall("more_pages")).value == [2, 3]
    parents = [spans.parent(f"page {number}") for number in range(4)]
    assert parents == ["execute_tool pages"] * 2 + ["execute_tool more_pages"] * 2


ODD = "a\ud800b\x00\u202ec\n" * 1_000


@pytest.mark.parametrize(
    "place", ["call id", "session id", "session object", "description", "arguments", "result", "name"]
)
def test_odd_texts_arrive_whole(place):
    def echo(text: str = "x") -> str:
        return ODD if place == "result" else text

    made = Tool.from_function(echo, description=ODD if place == "description" else "Echo.")
    with Receiver() as receiver:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{receiver.endpoint}/v1/traces")))
        otel = OpenTelemetry(tracer_provider=provider, capture_content=True)
        pipeline = Pipeline([made], plugins=[otel], autoload=False)
        session = pipeline.session({"session id": ODD, "session object": object()}.get(place, "talk"))
        arguments = {"text": ODD} if place == "arguments" else {}
        session.call(ODD if place == "name" else "echo", arguments, call_id=ODD if place == "call id" else "c1")
        provider.shutdown()
    [span] = receiver.spans
    known = {"gen_ai.tool.call.id", "gen_ai.conversation.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
    texts = [span.attributes[name] for name in known] + [span.attributes.get("gen_ai.tool.description", "")]
    assert all(isinstance(text, str) and len(text) <= 2_000 for text in texts)
    assert len(span.name) <= len("execute_tool ") + 64
    assert pipeline.faults == ()


def test_a_killable_tool_answers_though_no_collector_can_be_reached():
    program = """
import traced_tools
from mulligan import Pipeline
print(Pipeline([traced_tools.resize], tool_options={"resize": {"timeout": 8}}).call("resize", {"path": "a"}).content, flush=True)
import os
os._exit(0)
"""
    where = {"CONFIGURE_OTEL": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    assert run(program, **where, PYTHONPATH=str(Path(__file__).parent)) == "a at 50 %"


def test_a_killable_tool_answers_though_the_trace_cannot_be_handed_down():
    program = """
import traced_tools
from mulligan import Pipeline
from opentelemetry import propagate


class Broken:
    fields = frozenset()

    def inject(self, *given, **named):
        raise OSError("no context")


propagate.set_global_textmap(Broken())
print(Pipeline([traced_tools.resize]).call("resize", {"path": "a"}).content)
"""
    assert run(program, PYTHONPATH=str(Path(__file__).parent)) == "a at 50 %"


# --- what the program has configured


def run(program: str, **environment: str) -> str:
    import os

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_the_package_registers_itself_and_installs_no_provider():
    program = """
import sys
from mulligan import Pipeline
pipeline = Pipeline()
print([info.state for info in pipeline.plugins if info.name == "otel"], "opentelemetry.trace" in sys.modules)
print(pipeline.call("nope").error.code, pipeline.faults)
from opentelemetry import trace
print(type(trace.get_tracer_provider()).__name__, "opentelemetry.sdk" in sys.modules)
"""
    assert run(program).splitlines() == ["['active'] False", "UNIMPLEMENTED ()", "ProxyTracerProvider False"]


def test_a_provider_that_comes_later_is_used():
    program = """
from mulligan import Pipeline
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
pipeline = Pipeline()
pipeline.call("before")
exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
pipeline.call("after")
print([span.name for span in exporter.get_finished_spans()])
"""
    assert run(program) == "['execute_tool after']"


def test_a_meter_provider_that_comes_later_is_used():
    program = """
from mulligan import Pipeline
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
pipeline = Pipeline()
pipeline.call("before")
reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))
pipeline.call("after")
[scope] = reader.get_metrics_data().resource_metrics[0].scope_metrics
print({metric.name: [getattr(point, "count", None) for point in metric.data.data_points] for metric in scope.metrics})
"""
    assert run(program) == "{'gen_ai.execute_tool.duration': [1], 'mulligan.failures': [None]}"


def test_an_sdk_that_the_environment_disables_costs_no_answer():
    program = """
from mulligan import Pipeline
from mulligan_otel import OpenTelemetry
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
otel = OpenTelemetry(tracer_provider=TracerProvider(), meter_provider=MeterProvider())
pipeline = Pipeline(plugins=[otel], block=["otel"])
print(pipeline.call("nope").error.code, pipeline.faults)
"""
    assert run(program, OTEL_SDK_DISABLED="true") == "UNIMPLEMENTED ()"


# --- content


SECRET = "xK9-vault-77-combination"
KEY = "sk-proj-abcdefghijklmnop1234567890abcdef"


@pytest.mark.parametrize(
    ("value", "captured"),
    [(None, False), ("", False), ("false", False), ("NO_CONTENT", False), ("true", True), ("SPAN_ONLY", True)],
)
def test_arguments_and_results_are_off_by_default(make_pipeline, spans, monkeypatch, value, captured):
    if value is not None:
        monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
    make_pipeline(read).call("read", {"path": "a.md"})
    attributes = spans.one("execute_tool read").attributes
    assert ("gen_ai.tool.call.arguments" in attributes) is captured
    assert attributes.get("gen_ai.tool.call.result") == ("read a.md" if captured else None)
    if captured:
        assert attributes["gen_ai.tool.call.arguments"] == '{"path":"a.md"}'


def planted(place: str) -> tuple[list[Tool], str, Any, str | None]:
    """A call that has secrets in one place: tools, name, arguments, id."""
    both = f"{SECRET} {KEY}"

    def work(phrase: str = "") -> Any:
        if place == "exception":
            raise ValueError(f"bad {both}")
        if place == "own error":
            raise errors.ToolExecutionError(f"bad {both}", resource=both, rule=both, provider=both)
        if place == "path":
            raise FileNotFoundError(2, "x", f"/srv/{SECRET}/{KEY}")
        return {"error": both} if place == "error value" else both

    def guess(n: int) -> str:
        return str(n)

    tools = [Tool.from_function(work, secret="phrase"), Tool.from_function(guess)]
    match place:
        case "name":
            return tools, f"work {both}", {}, None
        case "arguments":
            return tools, "guess", {"n": both}, None
        case "text arguments":
            return tools, "guess", both, None
        case "id" | "session id":
            return tools, "work", {}, KEY if place == "id" else None
        case "secret argument":
            return tools, "work", {"phrase": both}, None
    return tools, "work", {}, None


@pytest.mark.parametrize(
    "place",
    [
        "exception",
        "own error",
        "path",
        "error value",
        "value",
        "name",
        "arguments",
        "text arguments",
        "id",
        "session id",
        "secret argument",
    ],
)
def test_no_secret_reaches_a_span_a_metric_or_a_line(make_pipeline, spans, measured, caplog, monkeypatch, place):
    monkeypatch.setenv("VAULT_TOKEN", SECRET)
    caplog.set_level("DEBUG", "mulligan")
    tools, name, arguments, id = planted(place)
    otel = OpenTelemetry(meter_provider=measured.provider, capture_content=True)
    pipeline = make_pipeline(*tools, otel=otel, policy=Policy(repair="all"))
    session = pipeline.session(KEY if place == "session id" else "talk")
    session.call_many([ToolCall(id, name, arguments), ToolCall(id, name, arguments)])
    pipeline.enable_logging(sink="logging")
    session.call_many([ToolCall(id, name, arguments)])
    told = (
        [span.to_json() for span in spans.all] + [str(measured.points)] + [one.getMessage() for one in caplog.records]
    )
    told += [str(getattr(one, "mulligan", "")) for one in caplog.records]
    assert len(spans.all) >= 3
    assert any("gen_ai.tool.call.result" in text for text in told)
    for text in told:
        assert SECRET not in text
        assert KEY not in text
    assert pipeline.faults == ()


@pytest.mark.parametrize("before", [1_960, 1_990, 2_000, 7_960, 7_990, 8_000])
@pytest.mark.parametrize("secret", [SECRET, KEY, "correct horse battery staple"])
def test_no_part_of_a_secret_is_left_where_a_result_is_cut(make_pipeline, spans, monkeypatch, before, secret):
    monkeypatch.setenv("VAULT_TOKEN", secret)

    def show() -> str:
        return ("word " * before)[:before] + f" {secret} " + "more " * 4_000

    make_pipeline(Tool.from_function(show), otel=OpenTelemetry(capture_content=True)).call("show")
    shown = spans.one("execute_tool show").attributes["gen_ai.tool.call.result"]
    assert len(shown) <= 2_000
    assert not any(part in shown for part in (secret[:12], secret[-12:]))
