"""What works without mulligan works with it, to the byte."""

import asyncio
import gc
import weakref
from enum import Enum
from typing import Any

import pydantic
import pytest
from agents import (
    Agent,
    AgentHooks,
    RunConfig,
    RunContextWrapper,
    Runner,
    ToolGuardrailFunctionOutput,
    ToolOutputImage,
    ToolOutputText,
    TracingProcessor,
    function_tool,
    handoff,
    set_trace_processors,
    tool_input_guardrail,
)
from agents.testing import ScriptedModel
from mulligan_openai_agents import RunStopped, run_config, wrap
from scripted import SILENT, call, play, say

from mulligan import Pipeline, errors
from mulligan.plugin import hookimpl


class Odd:
    def __str__(self):
        return "odd"


class Row(pydantic.BaseModel):
    name: str
    size: int = 3


class Kind(Enum):
    NEWS = "news"


RETURNS = {
    "text": "plain text",
    "empty": "",
    "number": 5,
    "nothing": None,
    "mapping": {"b": 1, "a": [2.5, None], "error": None},
    "list": ["a", {"x": 1}],
    "odd": Odd(),
    "odd_inside": {"a": Odd()},
    "model": Row(name="r"),
    "image": ToolOutputImage(image_url="data:image/png;base64,AA=="),
    "parts": [ToolOutputText(text="look"), ToolOutputImage(image_url="data:image/png;base64,AA==")],
}


def agent_of(tools, *messages, **more):
    return Agent(name="worker", tools=tools, model=ScriptedModel([*messages, [say("Done.")]]), **more)


@pytest.mark.parametrize("kind", RETURNS)
def test_what_a_tool_returns_is_sent_as_it_was(kind):
    @function_tool
    def give() -> Any:
        """Give."""
        return RETURNS[kind]

    def agent():
        return agent_of([give], [call("c1", "give")])

    plain, guarded = play(agent(), SILENT), play(wrap(agent()), run_config(SILENT))
    assert guarded.answers == plain.answers
    assert guarded.items == plain.items
    outputs = [item.output for item in guarded.result.new_items if item.type == "tool_call_output_item"]
    assert outputs == [RETURNS[kind]]


@pytest.mark.parametrize("timeout", [None, 5])
def test_arguments_that_the_sdk_takes_are_taken(timeout):
    class Point(pydantic.BaseModel):
        x: int
        y: int = 7

    @function_tool
    def use(
        context: RunContextWrapper[str], point: Point, kind: Kind, count: int = 2, tags: list[str] | None = None
    ) -> str:
        """Use."""
        return f"{context.context} {point!r} {kind} {count} {tags}"

    sent = [
        '{"point": {"x": 1}, "kind": "news"}',
        '{"point": {"x": 1, "y": 2}, "kind": "news", "count": 5, "tags": null}',
    ]
    calls = [call(f"c{n}", "use", text) for n, text in enumerate(sent)]
    plain = play(agent_of([use], calls), SILENT, context="me")
    guarded = play(wrap(agent_of([use], calls), timeout=timeout), SILENT, context="me")
    assert plain.answers == guarded.answers
    assert guarded.answers["c0"] == "me Point(x=1, y=7) Kind.NEWS 2 None"


def test_a_number_in_a_text_is_read_as_the_sdk_reads_it_and_the_model_is_told():
    @function_tool
    def double(number: int) -> str:
        """Double."""
        return str(2 * number)

    def agent():
        return agent_of([double], [call("c1", "double", '{"number": "4"}')])

    assert play(agent(), SILENT).answers["c1"] == "8"
    assert (
        play(wrap(agent()), SILENT)
        .answers["c1"]
        .startswith("8\nNote: your arguments did not match the schema and were read as")
    )
    assert "wrong type" in play(wrap(agent(), pipeline=Pipeline()), SILENT).answers["c1"]


def test_a_schema_that_nobody_can_check_changes_nothing():
    from agents import FunctionTool

    async def invoke(context, arguments):
        return arguments

    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}}
    tool = FunctionTool("odd", "Odd.", schema, invoke, strict_json_schema=False)
    assert play(wrap(agent_of([tool], [call("c1", "odd", '{"a":  1}')])), SILENT).answers["c1"] == '{"a":  1}'


def approving(agent, approve):
    async def run():
        first = await Runner.run(agent, "go", run_config=run_config(SILENT))
        state = first.to_state()
        for item in first.interruptions:
            (state.approve if approve else state.reject)(item)
        return first, await Runner.run(agent, state, run_config=run_config(SILENT))

    return asyncio.run(run())


@pytest.mark.parametrize("approve", [True, False])
def test_approvals_pass(approve):
    ran = []

    @function_tool(needs_approval=True)
    def delete(path: str) -> str:
        """Delete."""
        ran.append(path)
        return "deleted"

    agent = wrap(agent_of([delete], [call("c1", "delete", {"path": "a"})]))
    first, second = approving(agent, approve)
    assert len(first.interruptions) == 1
    assert (ran, second.final_output) == ((["a"] if approve else []), "Done.")


def test_a_policy_of_approval_sees_what_will_run_or_a_person_is_asked():
    seen, ran = [], []

    async def large(context, arguments, call_id):
        seen.append(arguments)
        return arguments["amount"] > 100

    @function_tool(needs_approval=large)
    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return "paid"

    agent = wrap(agent_of([pay], [call("c1", "pay", {"amount": 5})], [call("c2", "pay", {"amount": "6"})]))
    first, second = approving(agent, True)
    assert seen == [{"amount": 5}]
    assert [item.raw_item.call_id for item in first.interruptions] == ["c2"]
    assert ran == [5, 6]


def test_a_guardrail_has_its_say_before():
    @tool_input_guardrail
    def no(data):
        return ToolGuardrailFunctionOutput.reject_content("not allowed")

    @function_tool(tool_input_guardrails=[no])
    def give() -> str:
        """Give."""
        return "given"

    assert play(wrap(agent_of([give], [call("c1", "give")])), SILENT).answers["c1"] == "not allowed"


@function_tool
def refused() -> str:
    """Ask the bank."""
    raise errors.ToolAuthenticationError("The bank refuses the key.")


def test_an_agent_that_is_a_tool_is_stopped_and_stops_the_one_that_asked():
    inner = wrap(agent_of([refused], [call("i1", "refused")]))
    outer = agent_of([inner.as_tool("ask_bank", "Ask.")], [call("o1", "ask_bank", {"input": "go"})])
    played = play(wrap(outer), run_config(SILENT))
    assert isinstance(played.error.__cause__, errors.ToolAuthenticationError)
    assert "The bank refuses the key." in played.answers["o1"]


def test_a_name_that_an_inner_agent_does_not_know_is_answered_with_its_own_tools():
    inner = wrap(agent_of([refused], [call("i1", "refuse")]))
    outer = agent_of([inner.as_tool("ask_bank", "Ask.")], [call("o1", "ask_bank", {"input": "go"})])
    assert play(wrap(outer), run_config(SILENT)).result.final_output == "Done."
    (answer,) = [item["output"] for item in inner.model.calls[1].input if item.get("type") == "function_call_output"]
    assert "refused" in answer and "ask_bank" not in answer


def test_agents_that_are_handed_off_to_are_guarded_too():
    back = agent_of([refused], [call("b1", "refused")])
    front = Agent(
        name="front",
        model=ScriptedModel([[call("f1", "transfer_to_wrker")], [call("f2", "transfer_to_worker")]]),
        handoffs=[back],
    )
    back.handoffs = [handoff(front)]
    wrapped = wrap(front)
    played = play(wrapped, run_config(SILENT))
    assert 'Did you mean "transfer_to_worker"?' in played.answers["f1"]
    assert isinstance(played.error, RunStopped)
    assert (type(front), front.handoffs) == (Agent, [back])


def test_a_handoff_object_leads_to_a_guarded_agent():
    back = agent_of([refused], [call("b1", "refused")])
    front = Agent(name="front", model=ScriptedModel([[call("f1", "transfer_to_worker")]]), handoffs=[handoff(back)])
    assert isinstance(play(wrap(front), run_config(SILENT)).error, RunStopped)


def test_hooks_are_called_as_ever():
    seen = []

    class Hooks(AgentHooks):
        async def on_start(self, context, agent):
            seen.append("start")

        async def on_llm_end(self, context, agent, response):
            seen.append("llm")

        async def on_tool_end(self, context, agent, tool, result):
            seen.append((tool.name, result))

        async def on_end(self, context, agent, output):
            seen.append(output)

    @function_tool
    def give() -> str:
        """Give."""
        return "given"

    play(wrap(agent_of([give], [call("c1", "give")], hooks=Hooks())), SILENT)
    assert seen == ["start", "llm", ("give", "given"), "llm", "Done."]


def test_a_failure_is_seen_in_the_trace():
    seen = []

    class Collect(TracingProcessor):
        def on_span_end(self, span):
            if span.error is not None:
                seen.append(span.error["data"])

        on_trace_start = on_trace_end = on_span_start = lambda self, _: None
        shutdown = force_flush = lambda self: None

    @function_tool
    def fail() -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file or directory", "a.md")

    set_trace_processors([Collect()])
    try:
        for sensitive in (True, False):
            config = RunConfig(trace_include_sensitive_data=sensitive)
            answer = play(wrap(agent_of([fail], [call("c1", "fail")])), run_config(config)).answers["c1"]
    finally:
        set_trace_processors([])
    assert seen == [{"tool_name": "fail", "error": answer}, {"tool_name": "fail", "error": "redacted"}]


def test_a_handoff_that_makes_new_agents_does_not_fill_the_memory():
    guard = type(wrap(agent_of([]))).guard
    for number in range(1_500):
        guard.agent(Agent(name=f"a{number}"))
    assert len(guard._agents) <= 1_000


def test_clones_and_tools_added_later_are_guarded():
    @function_tool
    def fail() -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file or directory", "a.md")

    agent = wrap(agent_of([], [call("c1", "fail")]))
    clone = agent.clone(name="other", tools=[fail])
    agent.tools.append(fail)
    for one in (clone, wrap(agent)):
        one.model = ScriptedModel([[call("c1", "fail")], [say("Done.")]])
        assert play(one, SILENT).answers["c1"].startswith("Error executing tool fail: Resource not found: a.md")
    assert isinstance(clone, Agent) and type(agent).__name__ == "Agent"


def test_a_tool_that_is_switched_off_in_between_is_not_run():
    on, ran = [True], []

    class Hooks(AgentHooks):
        async def on_llm_end(self, context, agent, response):
            on[0] = False

    @function_tool(is_enabled=lambda context, agent: on[0])
    def give() -> str:
        """Give."""
        ran.append(1)
        return "given"

    @function_tool
    def other() -> str:
        """Other."""
        return "other"

    played = play(wrap(agent_of([give, other], [call("c1", "give")], hooks=Hooks())), run_config(SILENT))
    assert ran == []
    assert played.answers["c1"].startswith("Error: Tool 'give' not found.")
    assert "Available tools (1): other" in played.answers["c1"]


def test_many_runs_at_once_keep_to_themselves():
    """Fifty runs of one agent repeat one failing call three times: no run is stopped for what another did."""

    @function_tool
    async def fail(number: int) -> str:
        """Fail."""
        await asyncio.sleep(0)
        raise ValueError("no luck")

    first, second = (wrap(Agent(name=name, tools=[fail])) for name in ("a", "b"))

    async def one(number):
        model = ScriptedModel(
            [[call(f"c{turn}", "fail", {"number": 1})] for turn in range(3)]
            + [[call("u", f"fial{number}")], [say("Done.")]]
        )
        config = run_config(SILENT)
        config.model = model
        result = await Runner.run((first, second)[number % 2], "go", run_config=config)
        return result.final_output, [item.output for item in result.new_items if item.type == "tool_call_output_item"]

    async def run():
        return await asyncio.gather(*map(one, range(50)))

    for number, (output, answers) in enumerate(asyncio.run(run())):
        assert output == "Done."
        assert [("failed 3 times" in text) for text in answers[:3]] == [False, False, True]
        assert f"fial{number}" in answers[3]


def test_a_run_is_forgotten_with_its_result():
    @function_tool
    def give() -> str:
        """Give."""
        return "given"

    agent = wrap(agent_of([give], [call("c1", "give")]))
    played = play(agent, SILENT)
    runs = type(agent).guard._runs
    context = weakref.ref(played.result.context_wrapper)
    assert len(runs) == 1
    del played
    gc.collect()
    assert context() is None and len(runs) == 0


def test_tools_of_one_name_are_not_mistaken_for_each_other():
    def made(word):
        @function_tool(name_override="give")
        def give() -> str:
            """Give."""
            return word

        return give

    agents = [
        wrap(agent_of([made(word)], [call("c1", "give")]), pipeline=shared) for shared in [Pipeline()] for word in "ab"
    ]
    assert [play(agent, SILENT).answers["c1"] for agent in agents] == ["a", "b"]


def test_an_exception_that_cannot_be_read_and_arguments_that_are_huge():
    class Hostile(Exception):
        def __str__(self):
            raise RuntimeError("no")

    @function_tool
    def fail(text: str) -> str:
        """Fail."""
        raise Hostile

    huge = '{"text": "' + "x" * 2_000_000 + '"}'
    deep = '{"text": ' + "[" * 100 + "]" * 100 + "}"
    played = play(
        wrap(agent_of([fail], [call("c1", "fail", {"text": "a"}), call("c2", "fail", huge), call("c3", "fail", deep)])),
        SILENT,
    )
    assert "Hostile" in played.answers["c1"]
    assert all(len(text) < 2_100 for text in played.answers.values())


def test_plugins_and_formats_of_your_pipeline_are_used():
    class Words:
        @hookimpl
        def classify(self, failure):
            return errors.ToolQuotaError("Used up.") if failure.matches("builtins.ZeroDivisionError") else None

    @function_tool
    def fail() -> float:
        """Fail."""
        return 1 / 0

    played = play(
        wrap(agent_of([fail], [call("c1", "fail")]), pipeline=Pipeline(plugins=[Words()], format="json")), SILENT
    )
    assert isinstance(played.error.error, errors.ToolQuotaError)
    assert played.answers["c1"].startswith("{")
