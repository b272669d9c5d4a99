"""A traced agent: each call is a span below the run, with what its tool makes below it, and is counted once."""

import pytest
from mulligan_pydantic_ai import Mulligan
from mulligan_testkit.tracing import Traced
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings
from scripted import Script, call, play, say


def play_traced(traced, capabilities=(), **how):
    tries = []

    def look_up(word: str) -> str:
        """Look a word up."""
        tries.append(word)
        with traced.tracer.start_as_current_span(f"GET {len(tries)}"):
            if len(tries) == 1:
                raise ConnectionResetError("reset by peer")
            return "found"

    async def count(text: str) -> int:
        """Count characters."""
        with traced.tracer.start_as_current_span("count"):
            return len(text)

    script = Script(
        [
            call("c1", "look_up", {"word": "a"}),
            call("c2", "count", {"text": "ab"}),
            call("c3", "cuont", {"text": "ab"}),
            call("c4", "count", {}),
        ],
        [say("Done.")],
    )
    mulligan = Mulligan(traced.pipeline(), tool_options={"look_up": {"read_only": True}})
    with traced.tracer.start_as_current_span("agent"):
        return play(Agent(tools=[look_up, count], capabilities=[mulligan, *capabilities]), script, **how)


TREE = """\
agent
  execute_tool count  [c2]
    count
  execute_tool count  [c4, ToolArgumentError]
  execute_tool cuont  [c3, ToolNotFoundError]
  execute_tool look_up  [c1]
    GET 1
    attempt 1  [ToolConnectionError]
    attempt 2
      GET 2""".splitlines()


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
def test_the_calls_of_an_agent(stream):
    traced = Traced()
    assert play_traced(traced, stream=stream).output == "Done."
    assert traced.tree() == TREE
    assert traced.counted("gen_ai.execute_tool.duration") == {"count": 2, "look_up": 1, "unknown": 1}


def test_they_are_below_the_spans_that_pydantic_ai_makes_of_the_same_calls():
    traced = Traced()
    settings = InstrumentationSettings(tracer_provider=traced.tracer_provider, meter_provider=traced.meter_provider)
    assert play_traced(traced, [Instrumentation(settings)]).output == "Done."
    assert traced.tree() == TREE
    theirs = {one.context.span_id: one.name for one in traced.spans if one.instrumentation_scope.name == "pydantic-ai"}
    parents = {
        one.attributes["gen_ai.tool.call.id"]: theirs.get(one.parent.span_id)
        for one in traced.spans
        if one.instrumentation_scope.name == "mulligan" and one.name.startswith("execute_tool")
    }
    assert parents["c1"] == "execute_tool look_up"
    assert parents["c2"] == "execute_tool count"
    assert {parents["c3"], parents["c4"]} == {"invoke_agent agent"}
