"""Calls that ADK could not read."""

from __future__ import annotations

import asyncio

import pytest
from adk_play import Script, aplay, play
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.lite_llm import LiteLlm, LiteLLMClient
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from litellm import ModelResponse, ModelResponseStream
from litellm.types.utils import Delta, StreamingChoices
from mulligan_adk import MulliganPlugin
from mulligan_adk.litellm import RawCalls

from mulligan import Pipeline, Policy
from mulligan.testing import capture_events

pytestmark = pytest.mark.filterwarnings("ignore")


def search(query: str, limit: int = 3) -> str:
    """Search."""
    return f"{limit} x {query}"


BROKEN = '{"query": "comets", "limit": 5'


class Wire(LiteLLMClient):
    def __init__(self, *turns):
        self.turns, self.sent = list(turns), []

    async def acompletion(self, model, messages, tools, **options):
        self.sent.append(messages)
        turn = self.turns.pop(0)
        turn = turn(messages) if callable(turn) else turn
        calls = None if isinstance(turn, str) else turn
        if options.get("stream"):
            return self.pieces(turn if calls is None else None, calls or [])
        message = {"role": "assistant", "content": None if calls else turn}
        if calls:
            message["tool_calls"] = [
                {"id": id, "type": "function", "function": {"name": name, "arguments": text}}
                for id, name, text in calls
            ]
        return ModelResponse(choices=[{"finish_reason": "tool_calls" if calls else "stop", "message": message}])

    async def pieces(self, text, calls):
        def piece(delta, reason=None):
            choice = StreamingChoices(finish_reason=reason, delta=Delta(role="assistant", **delta))
            return ModelResponseStream(choices=[choice])

        if text:
            yield piece({"content": text})
        for index, (id, name, arguments) in enumerate(calls):
            cut = len(arguments) // 2
            for number, part in enumerate((arguments[:cut], arguments[cut:])):
                function = {"name": name if number == 0 else None, "arguments": part}
                call = {"index": index, "id": id if number == 0 else None, "type": "function", "function": function}
                yield piece({"tool_calls": [call]})
        yield piece({}, "tool_calls" if calls else "stop")


def _play(client, *plugins, stream=False):
    librarian = LlmAgent(name="librarian", model=LiteLlm("openai/scripted", llm_client=client), tools=[search])
    config = RunConfig(streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE)
    return asyncio.run(aplay(librarian, *plugins, config=config))


def test_without_the_plugin_the_run_ends_without_an_answer():
    played = _play(Wire([("c1", "search", BROKEN)], "ok"))
    assert played.last is None and played.answers == {}


@pytest.mark.parametrize("stream", [False, True])
def test_the_text_that_was_kept_tells_where_it_broke(stream):
    played = _play(RawCalls(Wire([("c1", "search", BROKEN)], "ok")), MulliganPlugin(), stream=stream)
    assert "line 1 column 31" in played.text("c1") and "nothing was run" in played.text("c1")
    assert played.last == "ok" and played.error is None


def test_a_call_that_the_policy_repairs_runs_once_and_is_reported_once():
    events = capture_events()
    plugin = MulliganPlugin(Pipeline(plugins=[events], policy=Policy(repair="json")))
    played = _play(RawCalls(Wire([("c1", "search", '{"query": "comets"}}')], "ok")), plugin)
    note = 'Note: your arguments were not valid JSON and were read as {"query": "comets"}.'
    assert played.answers["c1"] == {"result": f"3 x comets\n{note}"}
    assert events.names == ["RequestNoted", "CallStarted", "CallRepaired", "CallFinished", "StepFinished"]


@pytest.mark.parametrize("known", [True, False])
def test_a_call_that_cannot_be_read_is_reported_once_and_was_no_attempt(known):
    events = capture_events()
    wire = Wire([("c1", "search", BROKEN)], "ok")
    played = _play(RawCalls(wire) if known else wire, MulliganPlugin(Pipeline(plugins=[events])))
    assert played.last == "ok"
    assert events.names == ["RequestNoted", "CallStarted", "CallFinished", "StepFinished", "Notice"]


def test_without_the_text_the_answer_says_what_is_known():
    played = _play(Wire([("c1", "search", BROKEN)], "ok"), MulliganPlugin())
    (told,) = played.answers.values()
    assert told["error"].startswith("Error executing tool search: ") and "not a JSON object" in told["error"]
    assert played.last == "ok"


@pytest.mark.parametrize("stream", [False, True])
def test_good_calls_of_the_same_message_run(stream):
    wire = Wire(
        [("c1", "search", '{"query": "a"}'), ("c2", "search", BROKEN), ("c3", "search", '{"query": "b"}')], "ok"
    )
    played = _play(RawCalls(wire), MulliganPlugin(), stream=stream)
    assert set(played.answers) == {"c1", "c2", "c3"} and "JSON" in played.text("c2")
    assert played.answers["c1"] == {"result": "3 x a"} and played.answers["c3"] == {"result": "3 x b"}


def test_the_model_reads_where_it_broke_and_mends_it():
    def mended(messages):
        told = next(one["content"] for one in messages if one["role"] == "tool")
        return [("c2", "search", BROKEN + "}")] if "line 1 column 31" in told else "?"

    wire = Wire([("c1", "search", BROKEN)], mended, "done")
    played = _play(RawCalls(wire), MulliganPlugin())
    assert played.answers["c2"] == {"result": "5 x comets"} and played.last == "done"
    call = wire.sent[1][-2]["tool_calls"][0]
    assert (call["id"], call["function"]["name"]) == ("c1", "search")


def test_what_adk_reads_by_itself_is_left_to_it():
    wire = Wire([("c1", "search", "{'query': 'comets'}")], "ok")
    assert _play(RawCalls(wire), MulliganPlugin()).answers["c1"] == {"result": "3 x comets"}


def test_a_list_is_no_object():
    played = _play(RawCalls(Wire([("c1", "search", '["comets"]')], "ok")), MulliganPlugin())
    assert "object" in played.text("c1") and played.last == "ok"


@pytest.mark.parametrize(
    ("message", "name"), [("Malformed function call: search(query=", "search"), ("", "unreadable_call")]
)
def test_geminis_own_report_is_answered(message, name):
    reason = types.FinishReason.MALFORMED_FUNCTION_CALL
    broken = LlmResponse(finish_reason=reason, error_code=reason, error_message=message)
    model = Script(turns=[broken, "ok"], requests=[])
    played = play(LlmAgent(name="librarian", model=model, tools=[search]), MulliganPlugin())
    (told,) = played.answers.values()
    assert told["error"].startswith(f"Error executing tool {name}: ") and played.last == "ok"


def test_a_model_that_never_mends_it_is_stopped():
    wire = Wire(*[[(f"c{turn}", "search", BROKEN)] for turn in range(9)])
    played = _play(RawCalls(wire), MulliganPlugin())
    assert type(played.error.__cause__).__name__ == "RepeatedCallError" and len(played.answers) <= 5
    wire = Wire(*[[(f"c{turn}", "search", BROKEN)] for turn in range(9)])
    played = _play(wire, MulliganPlugin())
    assert type(played.error.__cause__).__name__ == "RepeatedCallError" and len(played.answers) <= 5
