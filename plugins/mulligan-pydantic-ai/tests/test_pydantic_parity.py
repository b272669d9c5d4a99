"""What works without mulligan works with it, to the byte."""

import asyncio
import gc
import weakref
from enum import Enum
from typing import Any

import pydantic
import pytest
from mulligan_pydantic_ai import Mulligan, RunStopped
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    BinaryContent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    Tool,
    ToolDenied,
    ToolReturn,
)
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ModelRetry, RunCancelled, ToolFailed, UsageLimitExceeded, UserError
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.usage import UsageLimits
from scripted import Script, call, play, say, told

from mulligan import Pipeline, errors
from mulligan.plugin import CallFinished, hookimpl

DONE = [say("Done.")]


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
    "model": Row(name="r"),
    "models": [Row(name="r")],
    "image": BinaryContent(b"\x89PNG", media_type="image/png"),
    "tool_return": ToolReturn(
        return_value={"a": 1}, content=["look", BinaryContent(b"x", media_type="image/png")], metadata=7
    ),
}


def contents(played):
    return [
        (type(part), getattr(part, "content", None), getattr(part, "metadata", None), getattr(part, "outcome", None))
        for message in played.messages
        for part in message.parts
    ]


@pytest.mark.parametrize("kind", RETURNS)
def test_what_a_tool_returns_is_sent_as_it_was(kind):
    def give() -> Any:
        """Give."""
        return RETURNS[kind]

    plain, guarded = (
        play(Agent(tools=[give], capabilities=own), Script([call("c1", "give")], DONE)) for own in ([], [Mulligan()])
    )
    assert guarded.output == "Done."
    assert contents(guarded) == contents(plain)
    assert guarded.answers == plain.answers


@pytest.mark.parametrize("timeout", [None, 5])
def test_arguments_that_pydantic_takes_are_taken(timeout):
    def use(ctx: RunContext[str], point: Row, kind: Kind, count: int = 2, tags: list[str] | None = None) -> str:
        """Use."""
        return f"{ctx.deps} {point!r} {kind} {count} {tags} {ctx.tool_call_id}"

    sent = [
        '{"point": {"name": "a"}, "kind": "news"}',
        '{"point": {"name": "a", "size": "4"}, "kind": "news", "count": "5"}',
    ]
    calls = [call(f"c{n}", "use", text) for n, text in enumerate(sent)]
    plain, guarded = (
        play(Agent(tools=[use], capabilities=own), Script(calls, DONE), deps="me")
        for own in ([], [Mulligan(timeout=timeout)])
    )
    assert guarded.answers == plain.answers
    assert guarded.answers["c1"] == "me Row(name='a', size=4) Kind.NEWS 5 None c1"


def test_a_schema_that_nobody_can_check_changes_nothing():
    def give(**_: Any) -> str:
        return "given"

    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}}
    tool = Tool.from_schema(give, name="give", description="Give.", json_schema=schema)
    assert (
        play(Agent(tools=[tool], capabilities=[Mulligan()]), Script([call("c1", "give", {"a": 1})], DONE)).answers["c1"]
        == "given"
    )


@pytest.mark.parametrize("approve", [True, False])
@pytest.mark.parametrize("declared", [True, False])
def test_approvals_pass(approve, declared):
    ran = []

    def delete(ctx: RunContext, path: str) -> str:
        """Delete."""
        if not declared and not ctx.tool_call_approved:
            raise ApprovalRequired
        ran.append(path)
        return "deleted"

    agent = Agent(
        tools=[Tool(delete, requires_approval=declared)],
        output_type=[str, DeferredToolRequests],
        capabilities=[Mulligan()],
    )
    first = play(agent, Script([call("c1", "delete", {"path": "a"})]))
    (waiting,) = first.output.approvals
    assert (waiting.tool_call_id, ran) == ("c1", [])
    results = DeferredToolResults(approvals={"c1": True if approve else ToolDenied("no")})
    second = play(agent, Script(DONE), message_history=first.messages, deferred_tool_results=results)
    assert (ran, second.output) == ((["a"] if approve else []), "Done.")


def test_a_call_that_needs_approval_is_explained_before_a_person_is_asked():
    def delete(path: str) -> str:
        """Delete."""
        return "deleted"

    agent = Agent(
        tools=[Tool(delete, requires_approval=True)], output_type=[str, DeferredToolRequests], capabilities=[Mulligan()]
    )
    played = play(agent, Script([call("c1", "delete", {"path": 3})], DONE))
    assert "/path: wrong type" in played.answers["c1"]


def test_deferred_calls_pass():
    def later(path: str) -> str:
        """Later."""
        raise CallDeferred

    agent = Agent(tools=[later], output_type=[str, DeferredToolRequests], capabilities=[Mulligan()])
    assert [one.tool_call_id for one in play(agent, Script([call("c1", "later", {"path": "a"})])).output.calls] == [
        "c1"
    ]


@pytest.mark.parametrize("raised", [ToolFailed("gone for good"), UserError("a mistake of the host")])
def test_what_pydantic_ai_steers_with_passes(raised):
    def stop() -> str:
        """Stop."""
        raise raised

    plain, guarded = (
        play(Agent(tools=[stop], capabilities=own), Script([call("c1", "stop")], DONE)) for own in ([], [Mulligan()])
    )
    assert (type(guarded.error), str(guarded.error), guarded.answers) == (
        type(plain.error),
        str(plain.error),
        plain.answers,
    )


class Watching:
    """Keeps the ids of the calls that were answered."""

    def __init__(self):
        self.answered = []

    @hookimpl
    def observe(self, event):
        if isinstance(event, CallFinished):
            self.answered.append(event.result.call.id)


def test_what_pydantic_ai_steers_with_is_no_success():
    def pick(number: int) -> str:
        """Pick."""
        if number % 2 == 0:
            raise ModelRetry("Pick an odd number.")
        return "odd"

    watching = Watching()
    agent = Agent(tools=[pick], capabilities=[Mulligan(Pipeline(plugins=[watching]))])
    play(agent, Script([call("c1", "pick", {"number": 2})], [call("c2", "pick", {"number": 3})], DONE))
    assert watching.answered == ["c2"]


def test_a_run_that_cancels_itself_is_cancelled():
    async def stop(ctx: RunContext) -> str:
        """Stop."""
        ctx.cancel()
        await asyncio.sleep(5)
        return "too late"

    for timeout in (None, 30):
        assert isinstance(
            play(Agent(tools=[stop], capabilities=[Mulligan(timeout=timeout)]), Script([call("c1", "stop")])).error,
            RunCancelled,
        )


def test_hooks_of_yours_are_called_as_ever():
    seen = []
    hooks = Hooks()

    @hooks.on.after_tool_execute
    async def after(ctx, *, call, tool_def, args, result):
        seen.append((tool_def.timeout is None, args, result))
        return result.upper()

    def give(word: str) -> str:
        """Give."""
        return word

    agent = Agent(tools=[give], capabilities=[Mulligan(), hooks])
    assert play(agent, Script([call("c1", "give", {"word": "a"})], DONE)).answers["c1"] == "A"
    assert seen == [(True, {"word": "a"}, "a")]


def test_an_agent_that_a_tool_asks_is_stopped_and_stops_the_one_that_asked():
    def refused() -> str:
        """Ask the bank."""
        raise errors.ToolAuthenticationError("The bank refuses the key.")

    inner = Agent(tools=[refused], capabilities=[Mulligan()])
    script = Script([call("i1", "refused")])

    async def ask() -> str:
        """Ask."""
        return (await inner.run("go", model=script.model)).output

    played = play(Agent(tools=[ask], capabilities=[Mulligan()]), Script([call("o1", "ask")]))
    assert isinstance(played.error, RunStopped)
    assert isinstance(played.error.__cause__, errors.ToolAuthenticationError)
    assert "The bank refuses the key." in played.answers["o1"]


def test_a_name_that_an_inner_agent_does_not_know_is_answered_with_its_own_tools():
    def refuse_all() -> str:
        """Refuse."""
        return "refused"

    inner = Agent(tools=[refuse_all], capabilities=[Mulligan()])
    script = Script([call("i1", "refuseall")], DONE)

    async def ask() -> str:
        """Ask."""
        return (await inner.run("go", model=script.model)).output

    assert (
        play(Agent(tools=[ask], capabilities=[Mulligan()]), Script([call("o1", "ask")], DONE)).answers["o1"] == "Done."
    )
    (answer,) = told(script.received[1]).values()
    assert "refuse_all" in answer and '"ask"' not in answer


def test_limits_of_use_hold():
    def give() -> str:
        """Give."""
        return "given"

    agent = Agent(tools=[give], capabilities=[Mulligan()])
    calls = [[call(f"c{n}", "give")] for n in range(5)]
    assert isinstance(
        play(agent, Script(*calls), usage_limits=UsageLimits(tool_calls_limit=2)).error, UsageLimitExceeded
    )


def test_output_tools_are_named_and_left_alone():
    agent = Agent(output_type=Row, capabilities=[Mulligan()])
    played = play(
        agent, Script([call("c1", "final_resul", {"name": "a"})], [call("c2", "final_result", {"name": "a"})])
    )
    assert 'Did you mean \\"final_result\\"?' in played.answers["c1"]
    assert played.output == Row(name="a")


def test_many_runs_at_once_keep_to_themselves():
    """Fifty runs of two agents repeat one failing call three times: no run is stopped for what another did."""

    async def fail(number: int) -> str:
        """Fail."""
        await asyncio.sleep(0)
        raise ValueError("no luck")

    shared = Mulligan()
    agents = [Agent(tools=[fail], capabilities=[shared]) for _ in range(2)]

    async def one(number):
        script = Script(
            *[[call(f"c{turn}", "fail", {"number": 1})] for turn in range(3)], [call("u", f"fial{number}")], DONE
        )
        result = await agents[number % 2].run("go", model=script.model)
        return result.output, told(result.all_messages())

    async def run():
        return await asyncio.gather(*map(one, range(50)))

    for number, (output, answers) in enumerate(asyncio.run(run())):
        assert output == "Done."
        assert [("failed 3 times" in answers[f"c{turn}"]) for turn in range(3)] == [False, False, True]
        assert f"fial{number}" in answers["u"]


def test_a_run_is_forgotten_when_it_has_ended():
    kept = []

    class Seen(Mulligan):
        async def for_run(self, ctx):
            fresh = await super().for_run(ctx)
            kept.append(weakref.ref(fresh.memory))
            return fresh

    def fail() -> str:
        """Fail."""
        raise ValueError("no luck")

    agent = Agent(tools=[fail], capabilities=[Seen()])
    play(agent, Script([call("c1", "fail")], DONE))
    gc.collect()
    assert [one() for one in kept] == [None]


def test_an_exception_that_cannot_be_read_and_arguments_that_are_huge():
    class Hostile(Exception):
        def __str__(self):
            raise RuntimeError("no")

        __repr__ = __str__

    def fail(text: str) -> str:
        """Fail."""
        raise Hostile

    sent = [{"text": "a"}, '{"text": ["' + "x" * 2_000_000 + '"]}', '{"text": ' + "[" * 100_000]
    played = play(
        Agent(tools=[fail], capabilities=[Mulligan()]),
        Script([call(f"c{n}", "fail", one) for n, one in enumerate(sent)], DONE),
    )
    assert played.output == "Done."
    assert "Hostile" in played.answers["c0"]
    assert all(len(text) < 2_200 for text in played.answers.values())


def test_an_odd_pair_of_guards_is_no_worse_than_one():
    def fail() -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file or directory", "a.md")

    agent = Agent(tools=[fail], capabilities=[Mulligan(), Mulligan()])
    played = play(agent, Script([call("c1", "fail"), call("c2", "fial")], DONE))
    assert played.output == "Done."
    assert "Resource not found: a.md" in played.answers["c1"]
    assert "fail" in played.answers["c2"]


def test_plugins_and_formats_of_your_pipeline_are_used():
    class Words:
        @hookimpl
        def classify(self, failure):
            return errors.ToolQuotaError("Used up.") if failure.matches("builtins.ZeroDivisionError") else None

    def fail() -> float:
        """Fail."""
        return 1 / 0

    agent = Agent(tools=[fail], capabilities=[Mulligan(Pipeline(plugins=[Words()], format="json"))])
    played = play(agent, Script([call("c1", "fail")]))
    assert isinstance(played.error.error, errors.ToolQuotaError)
    (part,) = [part for part in played.messages[-1].parts if isinstance(part, ToolReturnPart)]
    assert part.content.startswith("{")
