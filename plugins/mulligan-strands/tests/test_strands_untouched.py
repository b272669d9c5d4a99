"""What works in Strands without the plugin works with it, and is sent the same."""

from __future__ import annotations

import asyncio

import pytest
from mulligan_strands import MulliganPlugin, RunStopped
from pydantic import BaseModel
from strands import Agent, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.interrupt import Interrupt
from strands.middleware import ExecuteToolStage
from strands.types.events import ToolResultEvent
from strands.types.tools import AgentTool
from strands_play import Script, agent, aplay, play, results

from mulligan import Pipeline
from mulligan.errors import ToolQuotaError
from mulligan.plugin import CallFinished, hookimpl


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


class Odd:
    def __repr__(self):
        return "<odd>"


VALUES = [
    "text",
    "",
    None,
    7,
    [1, "a"],
    {"a": {"b": [1]}},
    {},
    b"\xff\xfe",
    Odd(),
    Shelf(number=3),
    "Error prone is a library",
    {
        "status": "success",
        "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}, {"text": "a cat"}],
    },
    {"status": "success", "content": [{"json": {"odd": b"x"}}]},
    {"status": "success", "content": []},
]


@pytest.mark.parametrize("timeout", [None, 9])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_are_sent_as_strands_sends_them(value, timeout):
    @tool
    def give() -> object:
        """Give."""
        return value

    plain, guarded = (
        play(agent([("c1", "give", {})], "ok", tools=[give], plugins=plugins))
        for plugins in ([], [MulliganPlugin(timeout=timeout)])
    )
    assert guarded.results == plain.results and guarded.last == plain.last == "ok"


def test_a_tool_gets_its_context_and_models_as_in_strands():
    @tool(context=True)
    def put(shelf: Shelf, tool_context) -> str:
        """Put."""
        tool_context.agent.state.set("shelf", shelf["number"])
        return f"{type(shelf).__name__} {tool_context.tool_use['toolUseId']} {tool_context.invocation_state['who']}"

    for timeout in (None, 9):
        putting = agent(
            [("c1", "put", {"shelf": {"number": 3}})], "ok", tools=[put], plugins=[MulliganPlugin(timeout=timeout)]
        )
        played = play(putting, invocation_state={"who": "me"})
        assert played.text("c1") == "dict c1 me" and putting.state.get("shelf") == 3


@pytest.mark.parametrize("timeout", [None, 9])
def test_a_tool_that_asks_a_person_pauses_the_run_and_goes_on(timeout):
    asked = []

    @tool(context=True)
    def delete(title: str, tool_context) -> str:
        """Delete."""
        asked.append(title)
        return f"deleted: {tool_context.interrupt('sure', reason=title)}"

    @tool
    def fail() -> str:
        """Fail."""
        raise ValueError("no")

    watching = Watching()
    plugin = MulliganPlugin(pipeline=Pipeline(plugins=[watching]), timeout=timeout)
    turns = [[("c1", "delete", {"title": "x"}), ("c2", "fail", {})], "ok"]
    deleting = agent(*turns, tools=[delete, fail], plugins=[plugin])
    paused = play(deleting)
    assert paused.result.stop_reason == "interrupt"
    (interrupt,) = paused.result.interrupts
    assert isinstance(interrupt, Interrupt) and interrupt.reason == "x"
    assert watching.answered == ["c2"]
    resumed = play(deleting, [{"interruptResponse": {"interruptId": interrupt.id, "response": "yes"}}])
    assert resumed.text("c1") == "deleted: yes" and "ValueError" in resumed.text("c2") and resumed.last == "ok"
    assert asked == ["x", "x"] and len(plugin._invocations) == 0


def test_a_middleware_that_asks_a_person_pauses_the_run():
    @tool
    def delete() -> str:
        """Delete."""
        return "deleted"

    async def sure(context, following):
        context.interrupt("sure")
        async for event in following(context):
            yield event

    watching = Watching()
    plugin = MulliganPlugin(pipeline=Pipeline(plugins=[watching]))
    deleting = agent([("c1", "delete", {})], "ok", tools=[delete], plugins=[plugin])
    deleting.add_middleware(ExecuteToolStage, sure)
    paused = play(deleting)
    assert watching.answered == []
    answer = {"interruptId": paused.result.interrupts[0].id, "response": "yes"}
    assert play(deleting, [{"interruptResponse": answer}]).text("c1") == "deleted"


def test_hooks_see_the_exception_and_decide_as_before():
    seen = []

    @tool
    def fail() -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file", "x")

    @tool
    def never() -> str:
        """Never."""
        return "ran"

    failing = agent(
        [("c1", "fail", {}), ("c2", "never", {}), ("c3", "gone", {})],
        "ok",
        tools=[fail, never],
        plugins=[MulliganPlugin()],
    )
    failing.add_hook(lambda event: seen.append((event.tool_use["name"], event.exception)), AfterToolCallEvent)

    def forbid(event):
        if event.tool_use["name"] == "never":
            event.cancel_tool = "not on Sundays: not found"

    failing.add_hook(forbid, BeforeToolCallEvent)
    played = play(failing)
    assert played.text("c2") == "not on Sundays: not found"
    kinds = {name: type(exception).__name__ for name, exception in seen}
    assert kinds == {"fail": "FileNotFoundError", "never": "NoneType", "gone": "ToolNotFoundError"}


def test_a_tool_that_a_hook_puts_in_another_place_runs_with_its_own_schema():
    @tool(name="shout")
    def other(loudness: int) -> str:
        """Shout."""
        return "!" * loudness

    @tool
    def whisper(text: str) -> str:
        """Whisper."""
        return text

    def swap(event):
        event.selected_tool = other
        event.tool_use["input"] = {"loudness": 3}

    swapping = agent([("c1", "whisper", {"text": "a"})], "ok", tools=[whisper], plugins=[MulliganPlugin()])
    swapping.add_hook(swap, BeforeToolCallEvent)
    assert play(swapping).text("c1") == "!!!"


def test_what_a_tool_streams_comes_as_it_comes():
    @tool
    async def count(most: int):
        """Count."""
        for number in range(most):
            seen.append(f"gives {number}")
            yield number
            await asyncio.sleep(0.01)
        yield "counted"

    async def run():
        counting = agent([("c1", "count", {"most": 2})], "ok", tools=[count], plugins=[MulliganPlugin(timeout=5)])
        async for event in counting.stream_async("go"):
            if "tool_stream_event" in event:
                seen.append(f"hears {event['tool_stream_event']['data']}")
        return counting

    seen: list[str] = []
    counting = asyncio.run(run())
    assert seen == ["gives 0", "hears 0", "gives 1", "hears 1", "hears counted"]
    assert results(counting.messages)["c1"]["content"] == [{"text": "counted"}]


def test_calls_in_code_are_left_alone():
    @tool
    def give(number: int) -> str:
        """Give."""
        raise ValueError(f"no {number}")

    giving = agent("ok", tools=[give], plugins=[MulliganPlugin()])
    assert giving.tool.give(number=1)["content"] == [{"text": "Error: no 1"}]


def test_structured_output_works():
    @tool
    def alpha() -> str:
        """Alpha."""
        return "a"

    turns = [[("c1", "alpha", {})], [("c2", "Shelf", {"number": "many"})], [("c3", "Shelf", {"number": 4})], "ok"]
    plain, guarded = (agent(*turns, tools=[alpha], plugins=plugins) for plugins in ([], [MulliganPlugin()]))
    played = [play(one, structured_output_model=Shelf) for one in (plain, guarded)]
    assert [one.result.structured_output for one in played] == [Shelf(number=4)] * 2
    assert played[0].results == played[1].results


def test_a_structured_answer_that_is_no_json_is_told_so():
    turns = [[("c1", "Shelf", '{"number": 4 "x"}')], [("c2", "Shelf", {"number": 4})], "ok"]
    played = play(agent(*turns, tools=[], plugins=[MulliganPlugin()]), structured_output_model=Shelf)
    assert "not valid JSON at line 1 column 14" in played.text("c1") and played.result.structured_output == Shelf(
        number=4
    )


def test_a_nested_agent_answers_and_a_fatal_failure_in_it_ends_the_outer_run():
    @tool
    def pay(amount: int) -> str:
        """Pay."""
        if amount > 1:
            raise ToolQuotaError("The credit is used up.")
        return "paid"

    for amount in (1, 2):
        plugin = MulliganPlugin(timeout=9)
        inner = Agent(
            model=Script([("i1", "pay", {"amount": amount})], "from inside"),
            tools=[pay],
            plugins=[plugin],
            name="payer",
            description="Pays.",
            callback_handler=None,
        )
        outer = agent([("c1", "payer", {"input": "go"})], "ok", tools=[inner], plugins=[plugin])
        played = play(outer)
        if amount == 1:
            assert played.text("c1").strip() == "from inside" and played.last == "ok"
        else:
            assert isinstance(played.error, RunStopped)
            assert str(played.error).startswith("ToolQuotaError in tool payer: The credit is used up. ")
            assert "The credit is used up." in played.text("c1")
        assert len(plugin._invocations) == 0


def test_the_hosts_own_cancellation_passes():
    async def run():
        started = asyncio.Event()

        @tool
        async def slow() -> str:
            """Slow."""
            started.set()
            await asyncio.sleep(30)
            return "late"

        task = asyncio.create_task(
            aplay(agent([("c1", "slow", {})], "ok", tools=[slow], plugins=[MulliganPlugin(timeout=20)]))
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 10))


def test_cancelling_the_agent_stops_it_as_before():
    @tool(context=True)
    def stop(tool_context) -> str:
        """Stop."""
        tool_context.agent.cancel()
        return "stopping"

    plain, guarded = (
        play(agent([("c1", "stop", {})], "no", tools=[stop], plugins=plugins)) for plugins in ([], [MulliganPlugin()])
    )
    assert guarded.result.stop_reason == plain.result.stop_reason == "cancelled"
    assert guarded.results == plain.results


def test_what_was_cancelled_is_told_as_before():
    class Cancelled(AgentTool):
        tool_name, tool_type = "wait", "test"
        tool_spec = {"name": "wait", "description": "Wait.", "inputSchema": {"json": {"type": "object"}}}

        async def stream(self, tool_use, invocation_state, **kwargs):
            told = {"status": "error", "cancelled": True, "content": [{"text": "Unauthorized: cancelled"}]}
            yield ToolResultEvent({"toolUseId": tool_use["toolUseId"], **told})

    plain, guarded = (
        play(agent([("c1", "wait", {})], "ok", tools=[Cancelled()], plugins=plugins))
        for plugins in ([], [MulliganPlugin()])
    )
    assert guarded.results == plain.results and guarded.last == "ok"


def test_a_hook_may_replace_what_the_model_wrote():
    @tool
    def page(title: str) -> str:
        """Page."""
        return title

    one = agent([("c1", "page", '{"title": ')], "ok", tools=[page], plugins=[MulliganPlugin()])
    one.add_hook(lambda event: event.tool_use.update(input={"title": "a"}), BeforeToolCallEvent)
    assert play(one).text("c1") == "a"


def test_a_sync_call_of_the_agent_works():
    @tool
    def give() -> str:
        """Give."""
        raise ValueError("no")

    giving = agent([("c1", "give", {})], "ok", tools=[give], plugins=[MulliganPlugin(timeout=5)])
    assert str(giving("go")).strip() == "ok" and "ValueError" in results(giving.messages)["c1"]["content"][0]["text"]


def test_agents_that_are_gone_are_forgotten():
    import gc

    plugin = MulliganPlugin()
    for _ in range(3):
        plugin._of(agent("ok", tools=[], plugins=[plugin]))
    gc.collect()
    assert len(plugin._invocations) == 0


@pytest.mark.parametrize("timeout", [None, 9])
def test_tools_in_the_background_are_answered_too(timeout):
    @tool
    def fail(title: str) -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file", title)

    @tool
    def work(title: str) -> str:
        """Work."""
        return f"worked on {title}"

    turns = [[("c1", "fail", {"title": "x"}), ("c2", "work", {"title": "y"})], "waiting", "ok"]
    plugins = [MulliganPlugin(timeout=timeout)]
    options = {"background_tasks": {"always": ["fail", "work"]}}
    played = play(agent(*turns, tools=[fail, work], plugins=plugins, **options))
    told = str(played.agent.messages)
    assert played.error is None and "Resource not found: x" in told and "worked on y" in told
