"""A traced agent: each call is a span below the run, with what its tool makes below it, and is counted once."""

import pytest
from agents import Agent, function_tool
from agents.testing import ScriptedModel
from mulligan_openai_agents import run_config, wrap
from mulligan_testkit.tracing import Traced
from scripted import SILENT, call, play, say


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
def test_the_calls_of_an_agent(stream):
    traced, tries = Traced(), []

    @function_tool
    def look_up(word: str) -> str:
        """Look a word up."""
        tries.append(word)
        with traced.tracer.start_as_current_span(f"GET {len(tries)}"):
            if len(tries) == 1:
                raise ConnectionResetError("reset by peer")
            return "found"

    @function_tool
    async def count(text: str) -> int:
        """Count characters."""
        with traced.tracer.start_as_current_span("count"):
            return len(text)

    calls = [
        call("c1", "look_up", {"word": "a"}),
        call("c2", "count", {"text": "ab"}),
        call("c3", "cuont", {"text": "ab"}),
        call("c4", "count", {}),
    ]
    model = ScriptedModel([calls, [say("Done.")]])
    agent = wrap(
        Agent(name="worker", tools=[look_up, count], model=model),
        pipeline=traced.pipeline(),
        tool_options={"look_up": {"read_only": True}},
    )
    with traced.tracer.start_as_current_span("agent"):
        played = play(agent, run_config(SILENT), stream=stream)
    assert played.error is None
    assert traced.tree() == [
        "agent",
        "  execute_tool count  [c2]",
        "    count",
        "  execute_tool count  [c4, ToolArgumentError]",
        "  execute_tool cuont  [c3, ToolNotFoundError]",
        "  execute_tool look_up  [c1]",
        "    GET 1",
        "    attempt 1  [ToolConnectionError]",
        "    attempt 2",
        "      GET 2",
    ]
    assert traced.counted("gen_ai.execute_tool.duration") == {"count": 2, "look_up": 1, "unknown": 1}
