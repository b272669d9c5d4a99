"""What works in ADK without the plugin works with it, and is sent the same."""

from __future__ import annotations

import asyncio

import pytest
from adk_play import Script, agent, aplay, play
from google.adk.agents import LlmAgent, ParallelAgent, SequentialAgent
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.reflect_retry_tool_plugin import ReflectAndRetryToolPlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool
from google.genai import types
from mulligan_adk import MulliganPlugin
from pydantic import BaseModel

from mulligan import Pipeline
from mulligan.errors import ToolQuotaError
from mulligan.plugin import CallFinished, hookimpl

pytestmark = pytest.mark.filterwarnings("ignore")


class Watching:
    """Keeps the ids of the calls that were answered."""

    def __init__(self):
        self.answered = []

    @hookimpl
    def observe(self, event):
        if isinstance(event, CallFinished):
            self.answered.append(event.result.call.id)


class Shelf(BaseModel):
    number: int


def _picture():
    return types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")


@pytest.mark.parametrize(
    "value",
    [
        "text",
        "",
        None,
        7,
        [1, "a"],
        {"a": {"b": [1]}},
        {},
        b"\xff\xfe",
        "Error prone is a library",
        {"status": "error free"},
    ],
    ids=repr,
)
def test_values_are_sent_as_adk_sends_them(value):
    def give() -> object:
        """Give."""
        return value

    plain, guarded = (
        play(agent([("c1", "give", {})], "ok", tools=[give]), *plugins) for plugins in ((), [MulliganPlugin()])
    )
    assert guarded.answers == plain.answers and type(guarded.answers["c1"]) is type(plain.answers["c1"])
    assert guarded.error is None and plain.error is None


def test_pictures_and_other_objects_are_sent_as_adk_sends_them():
    def give() -> object:
        """Give."""
        return {"note": "a cat", "picture": _picture()}

    def parts(played):
        return [one.parts for event in played.stored for one in event.get_function_responses()]

    plain, guarded = (
        play(agent([("c1", "give", {})], "ok", tools=[give]), *plugins) for plugins in ((), [MulliganPlugin()])
    )
    assert guarded.answers == plain.answers == {"c1": {"note": "a cat"}}
    assert parts(guarded) == parts(plain) and parts(plain)[0]


def test_a_tool_gets_its_context_and_models_as_in_adk():
    def put(shelf: Shelf, tool_context) -> str:
        """Put."""
        tool_context.state["shelf"] = shelf.number
        return type(shelf).__name__

    played = play(agent([("c1", "put", {"shelf": {"number": 3}})], "ok", tools=[put]), MulliganPlugin(timeout=5))
    assert played.answers["c1"] == {"result": "Shelf"}
    assert any(event.actions.state_delta.get("shelf") == 3 for event in played.stored)


@pytest.mark.parametrize("fails", [False, True])
def test_a_confirmation_pauses_the_run_and_the_confirmed_call_runs(fails):
    ran = []

    def delete(title: str) -> str:
        """Delete."""
        ran.append(title)
        if fails:
            raise FileNotFoundError(2, "No such file", title)
        return "deleted"

    async def run():
        deleting = agent(
            [("c1", "delete", {"title": "x"})], "ok", tools=[FunctionTool(delete, require_confirmation=True)]
        )
        runner = InMemoryRunner(app=App(name="p", root_agent=deleting, plugins=[MulliganPlugin()]))
        session = await runner.session_service.create_session(app_name="p", user_id="u")

        async def say(part):
            content = types.Content(role="user", parts=[part])
            return [e async for e in runner.run_async(user_id="u", session_id=session.id, new_message=content)]

        asked = [call for event in await say(types.Part(text="go")) for call in event.get_function_calls()]
        assert ran == []
        wanted = next(call for call in asked if call.name == "adk_request_confirmation")
        reply = types.FunctionResponse(id=wanted.id, name=wanted.name, response={"confirmed": True})
        said = await say(types.Part(function_response=reply))
        assert said[-1].content.parts[0].text == "ok"
        return [one.response for event in said for one in event.get_function_responses() if one.id == "c1"]

    (answer,) = asyncio.run(run())
    assert ran == ["x"]
    assert "Resource not found: x" in answer["error"] if fails else answer == {"result": "deleted"}


def test_a_request_for_credentials_is_no_failure():
    from fastapi.openapi.models import APIKey, APIKeyIn
    from google.adk.auth.auth_tool import AuthConfig

    def mail(tool_context) -> dict:
        """Mail."""
        scheme = APIKey(**{"in": APIKeyIn.header, "name": "x-key"})
        tool_context.request_credential(AuthConfig(auth_scheme=scheme))
        return {"error": "User authorization is pending"}

    played = play(agent([("c1", "mail", {})], "ok", tools=[mail]), MulliganPlugin())
    assert played.answers["c1"] == {"error": "User authorization is pending"}


def test_a_long_running_tool_is_answered_later():
    def start() -> None:
        """Start."""

    turns = [[("c1", "start", {})], "ok"]
    plain, guarded = (play(agent(*turns, tools=[LongRunningFunctionTool(start)]), *p) for p in ((), [MulliganPlugin()]))
    assert guarded.answers == plain.answers and guarded.error is plain.error is None


def test_what_a_callback_answers_stays_as_it_is():
    def guard(tool, args, tool_context):
        return {"error": "not allowed on Sundays: not found"}

    def give() -> str:
        """Give."""
        return "x"

    played = play(agent([("c1", "give", {})], "ok", tools=[give], before_tool_callback=guard), MulliganPlugin())
    assert played.answers["c1"] == {"error": "not allowed on Sundays: not found"}


def test_a_plugin_before_this_one_sees_the_exception_and_may_answer_it():
    class Before(BasePlugin):
        seen = None

        async def on_tool_error_callback(self, *, tool, tool_args, tool_context, error):
            Before.seen = error
            return {"result": "mended"}

    def give() -> str:
        """Give."""
        raise ToolQuotaError("used up")

    played = play(agent([("c1", "give", {})], "ok", tools=[give]), Before(name="before"), MulliganPlugin())
    assert type(Before.seen) is ToolQuotaError and played.answers["c1"] == {"result": "mended"} and played.last == "ok"


def test_adks_own_reflection_behind_it_has_nothing_left_to_do():
    def give() -> str:
        """Give."""
        raise ValueError("no")

    plugins = MulliganPlugin(), ReflectAndRetryToolPlugin(max_retries=0)
    played = play(agent([("c1", "give", {})], "ok", tools=[give]), *plugins)
    assert played.error is None and "ValueError" in played.text("c1")


def test_the_limit_on_model_calls_of_a_nested_agent_passes():
    def again() -> str:
        """Again."""
        return "again"

    inner = agent(
        *[[(f"i{turn}", "again", {})] for turn in range(9)], tools=[again], name="inner", description="Nested."
    )
    outer = agent([("c1", "inner", {"request": "go"})], "ok", tools=[AgentTool(inner)], name="outer")
    watching = Watching()
    plugin = MulliganPlugin(pipeline=Pipeline(plugins=[watching]))
    played = play(outer, plugin, config=RunConfig(max_llm_calls=3))
    assert isinstance(played.error, LlmCallsLimitExceededError)
    assert watching.answered and "c1" not in watching.answered


def test_a_fatal_failure_in_a_nested_agent_ends_the_outer_run():
    def pay() -> str:
        """Pay."""
        raise ToolQuotaError("The credit is used up.")

    inner = agent([("i1", "pay", {})], "never", tools=[pay], name="inner", description="Nested.")
    outer = agent([("c1", "inner", {"request": "go"})], "never", tools=[AgentTool(inner)], name="outer")
    plugin = MulliganPlugin()
    played = play(outer, plugin)
    assert type(played.error.__cause__) is ToolQuotaError and "The credit is used up." in str(played.error)
    assert "The credit is used up." in played.text("c1") and len(plugin._runs) == 0


def test_a_fatal_failure_in_an_agent_below_ends_the_run():
    def pay() -> str:
        """Pay."""
        raise ToolQuotaError("The credit is used up.")

    below = agent([("i1", "pay", {})], "never", tools=[pay], name="below", description="Below.", mode="single_turn")
    above = agent([("c1", "below", {"request": "go"})], "never", tools=[], name="above", sub_agents=[below])
    played = play(above, MulliganPlugin())
    assert type(played.error.__cause__) is ToolQuotaError and set(played.answers) == {"i1", "c1"}
    assert played.last is None


def test_a_task_of_an_agent_below_goes_on_after_a_failure():
    def read(title: str) -> str:
        """Read."""
        raise FileNotFoundError(2, "No such file", title)

    below = agent(
        [("i1", "read", {"title": "x"})], "done", tools=[read], name="below", description="Below.", mode="task"
    )
    above = agent([("c1", "below", {"request": "go"})], "ok", tools=[], name="above", sub_agents=[below])
    played = play(above, MulliganPlugin())
    assert played.error is None and "Resource not found: x" in played.text("i1") and played.last == "done"


def test_a_nested_agent_answers():
    inner = agent("from inside", tools=[], name="inner", description="Nested.")
    outer = agent([("c1", "inner", {"request": "go"})], "ok", tools=[AgentTool(inner)], name="outer")
    assert play(outer, MulliganPlugin(timeout=9)).answers["c1"] == {"result": "from inside"}


def test_two_agents_never_see_each_others_tools():
    def alpha() -> str:
        """Alpha."""
        return "a"

    def beta() -> str:
        """Beta."""
        return "b"

    first = agent([("c1", "beta", {})], "ok", tools=[alpha], name="first")
    second = agent([("c2", "alpha", {})], "ok", tools=[beta], name="second")
    for kind in (SequentialAgent, ParallelAgent):
        for one in (first, second):
            one.model.requests.clear()
            one.parent_agent = None
        played = play(kind(name="both", sub_agents=[first, second]), MulliganPlugin())
        assert "Available tools (1): alpha." in played.text("c1")
        assert "Available tools (1): beta." in played.text("c2")


def test_a_transfer_to_another_agent_works():
    def alpha() -> str:
        """Alpha."""
        return "a"

    second = agent("from the second", tools=[alpha], name="second", description="Second.")
    first = agent([("c1", "transfer_to_agent", {"agent_name": "second"})], tools=[], name="first", sub_agents=[second])
    assert play(first, MulliganPlugin()).last == "from the second"


def test_structured_output_works():
    def alpha() -> str:
        """Alpha."""
        return "a"

    model = Script(turns=[[("c1", "alpha", {})], '{"number": 4}'], requests=[])
    shelf = LlmAgent(name="shelf", model=model, tools=[alpha], output_schema=Shelf, output_key="found")
    played = play(shelf, MulliganPlugin())
    assert played.error is None and played.last == '{"number": 4}'


def test_streaming_works():
    def give() -> str:
        """Give."""
        raise ValueError("no")

    config = RunConfig(streaming_mode=StreamingMode.SSE)
    played = play(agent([("c1", "give", {})], "done", tools=[give]), MulliganPlugin(), config=config)
    assert "ValueError" in played.text("c1") and played.last == "done"
    assert any(event.partial for event in played.events)


def test_the_hosts_own_cancellation_passes():
    started = asyncio.Event()

    async def slow() -> str:
        """Slow."""
        started.set()
        await asyncio.sleep(30)
        return "late"

    async def run():
        task = asyncio.create_task(aplay(agent([("c1", "slow", {})], "ok", tools=[slow]), MulliganPlugin(timeout=20)))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 10))


def test_fifty_runs_at_once_keep_apart():
    plugin = MulliganPlugin(timeout=20)

    def fail(number: int) -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file", f"file-{number}")

    async def run():
        agents = [
            agent(*[[(f"c{turn}", "fail", {"number": number})] for turn in range(3)], "ok", tools=[fail])
            for number in range(50)
        ]
        return await asyncio.gather(*(aplay(one, plugin) for one in agents))

    for number, played in enumerate(asyncio.run(run())):
        assert played.error is None and played.last == "ok"
        assert all(f"file-{number}\n" in played.text(f"c{turn}") for turn in range(3))
        assert "already failed" in played.text("c1") and "already failed" not in played.text("c0")
    assert len(plugin._runs) == 0


def test_an_app_whose_runs_never_say_that_they_ended_is_bounded():
    plugin = MulliganPlugin()
    for number in range(1_200):
        plugin._runs.of(str(number))
    assert len(plugin._runs) == 1_000


def test_tools_of_the_user_are_left_as_they_are():
    def give() -> str:
        """Give."""
        return "x"

    tool = FunctionTool(give)
    before = dict(vars(tool))
    play(agent([("c1", "give", {})], "ok", tools=[tool]), MulliganPlugin(timeout=3))
    assert set(vars(tool)) == set(before) and "run_async" not in vars(tool)
