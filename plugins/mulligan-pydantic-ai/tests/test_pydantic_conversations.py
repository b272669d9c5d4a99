"""What is reported of a run, what runs how often, and the mistakes of the host."""

import pytest
from mulligan_pydantic_ai import Mulligan, RunStopped
from mulligan_testkit.calls import CUT_OFF, HINTS
from pydantic_ai import Agent, Tool, ToolDefinition
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.toolsets import ExternalToolset, FunctionToolset
from scripted import Script, call, play, say

from mulligan import Pipeline, Policy, errors
from mulligan.errors import UsageError
from mulligan.plugin import AttemptFailed, CallFinished, CallRepaired, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events

DONE = [say("Done.")]


def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


MIXED = [call(*one) for one in CUT_OFF]


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
def test_each_call_and_each_message_is_reported_once(stream):
    events = capture_events()
    agent = Agent(tools=[read_page], capabilities=[Mulligan(Pipeline(plugins=[events]))])
    play(agent, Script(MIXED, [call("d1", "read_page", {"path": "b"})], DONE), stream=stream)
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "d1"]
    steps = events.of(StepFinished)
    assert [(step.step, sorted(step.ids)) for step in steps] == [(1, ["c1", "c2", "c3", "c4", "c5"]), (2, ["d1"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    (session,) = {event.session_id for event in events}
    assert session


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
def test_a_repaired_call_is_one_call(stream):
    events = capture_events()
    pipeline = Pipeline(plugins=[events], policy=Policy(repair="json"))
    agent = Agent(tools=[read_page], capabilities=[Mulligan(pipeline)])
    played = play(agent, Script([call("c1", "read_page", '{"path": "a",}')], DONE), stream=stream)
    assert played.answers["c1"].startswith("a 3\n")
    assert events.names == ["RequestNoted", "CallStarted", "CallRepaired", "CallFinished", "StepFinished"]
    assert [event.call_id for event in events.of(CallRepaired)] == ["c1"]
    assert events.of(StepFinished)[0].repaired


def submit(ran):
    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    return send


@pytest.mark.parametrize("hints", HINTS)
def test_a_tool_that_only_a_server_calls_harmless_runs_once(hints):
    ran = []

    async def annotate(ctx, definition: ToolDefinition) -> ToolDefinition:
        definition.metadata = {"annotations": hints}
        return definition

    tools = [Tool(submit(ran), name="send", prepare=annotate)]
    play(Agent(tools=tools, capabilities=[Mulligan()]), Script([call("c1", "send", {"text": "a"})], DONE))
    assert ran == ["a"]


def test_a_tool_that_the_host_calls_read_only_runs_again():
    ran = []
    agent = Agent(tools=[submit(ran)], capabilities=[Mulligan(tool_options={"se*": {"read_only": True}})])
    play(agent, Script([call("c1", "send", {"text": "a"})], DONE))
    assert len(ran) == 3


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run():
    seen = []

    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        seen.append(table)
        return "deleted"

    agent = Agent(tools=[delete_rows], capabilities=[Mulligan()])
    played = play(agent, Script([call("c1", "delete_rows", {"table": "t", "dryrun": True})], DONE))
    assert "- /dryrun: unknown argument; allowed: table, dry_run." in played.answers["c1"]
    assert seen == []


def test_the_reason_and_the_transcript_are_on_the_error():
    def charge(amount: int) -> str:
        """Charge a card."""
        raise errors.ToolAuthenticationError("The key was refused.", provider="bank")

    agent = Agent(tools=[charge, read_page], capabilities=[Mulligan()])
    script = Script([call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})])
    stopped = play(agent, script).error
    assert isinstance(stopped, RunStopped)
    assert stopped.error.user_message.startswith("bank rejected the credentials used by charge.")
    parts = [part for message in stopped.messages for part in message.parts]
    assert {part.tool_call_id for part in parts if part.part_kind == "tool-return"} == {"c1", "c2"}


def test_fatal_and_repair_without_a_pipeline():
    def charge(amount: int) -> str:
        """Charge a card."""
        raise errors.ToolAuthenticationError("The key was refused.")

    own = Mulligan(fatal={"ToolAuthenticationError": False}, repair="json", timeout={"charge": 20})
    script = Script([call("c1", "charge", {"amount": 5}), call("c2", "read_page", '{"path": "a",}')], DONE)
    played = play(Agent(tools=[charge, read_page], capabilities=[own]), script)
    assert played.output == "Done."
    assert played.answers["c2"].startswith("a 3")


def test_mistakes_of_the_host_are_named():
    with pytest.raises(UsageError, match=r"Mulligan\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        Mulligan([read_page])
    with pytest.raises(UsageError, match=r"Mulligan\(repair=...\): the pipeline decides it"):
        Mulligan(Pipeline(), repair="all")
    with pytest.raises(UsageError, match=r"tool_options\['read_page'\]: unknown tool option 'timeot'"):
        Mulligan(tools={"read_page": {"timeot": 3}})
    for own, message in (
        (Mulligan(timeout={"raed_page": 3}), "no such tool. Did you mean 'read_page'"),
        (Mulligan(tool_options={"raed_page": {}}), "no tool has such a name. Did you mean 'read_page'"),
    ):
        played = play(Agent(tools=[read_page], capabilities=[own]), Script(DONE))
        assert isinstance(played.error, UsageError)
        assert message in str(played.error)


def test_tools_that_others_run_are_left_alone():
    toolset = ExternalToolset([ToolDefinition(name="later", parameters_json_schema={"type": "object"})])
    agent = Agent(toolsets=[toolset, FunctionToolset([read_page])], output_type=[str], capabilities=[Mulligan()])
    played = play(agent, Script([call("c1", "later", {})]))
    assert "c1" not in played.answers


def test_a_failed_attempt_says_which_it_was():
    events = capture_events()
    agent = Agent(tools=[read_page], capabilities=[Mulligan(Pipeline(plugins=[events]))])
    play(agent, Script([call("c1", "read_page", {"path": "b"})], DONE))
    (failed,) = events.of(AttemptFailed)
    assert (failed.step, failed.call_id, failed.attempt) == (1, "c1", 1)


@pytest.mark.parametrize("own", [None, 7])
def test_other_capabilities_see_the_tools_as_they_are(own):
    seen = []

    class Watching(AbstractCapability):
        async def prepare_tools(self, ctx, tool_defs):
            seen.extend(one.timeout for one in tool_defs)
            return tool_defs

        async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
            seen.append(tool_def.timeout)
            return await handler(args)

    async def look(path: str) -> str:
        """Look."""
        return path

    capabilities = [Mulligan(timeout=5), Watching()]
    played = play(
        Agent(tools=[Tool(look, timeout=own)], capabilities=capabilities),
        Script([call("c1", "look", {"path": "a"})], DONE),
    )
    assert (played.answers["c1"], set(seen)) == ("a", {own})


def test_a_call_that_comes_twice_is_answered_with_what_was_returned():
    ran = []

    def pay(amount: int) -> dict[str, int]:
        """Pay."""
        ran.append(amount)
        return {"paid": amount}

    same = [call("c1", "pay", {"amount": 5})]
    played = play(Agent(tools=[pay], capabilities=[Mulligan()]), Script(same, same, DONE))
    assert (played.answers["c1"], ran) == ('{"paid":5}', [5])
