"""What is reported of a run, what runs how often, and the mistakes of the host."""

import asyncio

import pytest
from agents import Agent, AgentHooks, FunctionTool, RunConfig, Runner, SQLiteSession, function_tool, handoff
from agents.exceptions import MaxTurnsExceeded
from agents.testing import ScriptedModel
from mcp.types import ToolAnnotations
from mulligan_openai_agents import RunStopped, run_config, wrap
from mulligan_testkit.calls import CUT_OFF, HINTS
from scripted import SILENT, call, heard, play, say

from mulligan import Pipeline, Policy, errors
from mulligan.errors import UsageError
from mulligan.plugin import AttemptFailed, CallFinished, CallRepaired, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events

both = pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])


def agent_of(tools, *messages, **more):
    return Agent(name="worker", tools=tools, model=ScriptedModel([*messages, [say("Done.")]]), **more)


@function_tool
def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


MIXED = [call(*one) for one in CUT_OFF]


@both
def test_each_call_and_each_message_is_reported_once(stream):
    events = capture_events()
    agent = agent_of([read_page], MIXED, [call("d1", "read_page", {"path": "b"})])
    play(wrap(agent, pipeline=Pipeline(plugins=[events])), run_config(SILENT), stream=stream)
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "d1"]
    steps = events.of(StepFinished)
    assert [(step.step, sorted(step.ids)) for step in steps] == [(1, ["c1", "c2", "c3", "c4", "c5"]), (2, ["d1"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    (session,) = {event.session_id for event in events}
    assert session


@pytest.mark.parametrize("behavior", ["stop_on_first_tool", {"stop_at_tool_names": ["read_page"]}])
def test_a_message_whose_results_are_the_final_output_is_reported_too(behavior):
    events = capture_events()
    agent = agent_of([read_page], [call("c1", "read_page", {"path": "a"})], tool_use_behavior=behavior)
    played = play(wrap(agent, pipeline=Pipeline(plugins=[events])), SILENT)
    assert played.result.final_output == "a 3"
    assert [step.ids for step in events.of(StepFinished)] == [("c1",)]


def test_agents_in_one_run_are_one_conversation_and_runs_are_not():
    events = capture_events()
    back = agent_of([read_page], [call("b1", "read_page", {"path": "a"})])
    front = Agent(
        name="front",
        tools=[read_page],
        handoffs=[back],
        model=ScriptedModel([[call("f1", "read_page", {"path": "a"})], [call("f2", "transfer_to_worker")]]),
    )
    agent = wrap(front, pipeline=Pipeline(plugins=[events]))
    play(agent, SILENT)
    assert len({event.session_id for event in events}) == 1
    assert [(step.step, step.ids) for step in events.of(StepFinished)] == [(1, ("f1",)), (3, ("b1",))]
    front.model.enqueue([call("f3", "read_page", {"path": "a"})])
    front.model.enqueue([say("Done.")])
    play(agent, SILENT)
    assert len({event.session_id for event in events}) == 2


@both
def test_a_repaired_call_is_one_call(stream):
    events = capture_events()
    pipeline = Pipeline(plugins=[events], policy=Policy(repair="json"))
    agent = agent_of([read_page], [call("c1", "read_page", '{"path": "a",}')])
    played = play(wrap(agent, pipeline=pipeline), SILENT, stream=stream)
    assert played.answers["c1"].startswith("a 3\n")
    assert events.names == ["RequestNoted", "CallStarted", "CallRepaired", "CallFinished", "StepFinished"]
    assert [event.call_id for event in events.of(CallRepaired)] == ["c1"]
    assert events.of(StepFinished)[0].repaired


def test_a_failed_attempt_says_which_it_was():
    events = capture_events()
    agent = agent_of([read_page], [call("c1", "read_page", {"path": "b"})])
    play(wrap(agent, pipeline=Pipeline(plugins=[events])), SILENT)
    (failed,) = events.of(AttemptFailed)
    assert (failed.step, failed.call_id, failed.attempt) == (1, "c1", 1)


def sender(ran, hints=None):
    async def invoke(context, arguments):
        ran.append(arguments)
        raise ConnectionResetError("reset by peer")

    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    annotations = None if hints is None else ToolAnnotations(**hints)
    return FunctionTool("send", "Send a text.", schema, invoke, strict_json_schema=False, _mcp_annotations=annotations)


@both
@pytest.mark.parametrize("hints", [None, *HINTS])
def test_a_tool_that_only_a_server_calls_harmless_runs_once(hints, stream):
    ran = []
    play(wrap(agent_of([sender(ran, hints)], [call("c1", "send", {"text": "a"})])), SILENT, stream=stream)
    assert len(ran) == 1


def test_an_undeclared_function_runs_once():
    ran = []

    @function_tool
    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    for timeout in (None, 5):
        play(wrap(agent_of([send], [call("c1", "send", {"text": "a"})]), timeout=timeout), SILENT)
    assert ran == ["a", "a"]


def test_a_tool_that_the_host_calls_read_only_runs_again_and_is_one_call():
    ran, events = [], capture_events()
    pipeline = Pipeline(plugins=[events])
    agent = agent_of([sender(ran)], [call("c1", "send", {"text": "a"})])
    play(wrap(agent, pipeline=pipeline, tool_options={"se*": {"read_only": True}}), SILENT)
    assert len(ran) == 3
    assert len(events.of(CallStarted)) == len(events.of(CallFinished)) == 1


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run():
    seen = []

    @function_tool
    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        seen.append(table)
        return "deleted"

    sent = [call("c1", "delete_rows", {"table": "t", "dry": True}), call("c2", "delete_rows", {"tabel": "t"})]
    played = play(wrap(agent_of([delete_rows], sent)), SILENT)
    assert "- /dry: unknown argument; allowed: table, dry_run." in played.answers["c1"]
    assert "- /tabel: unknown argument; allowed: table, dry_run." in played.answers["c2"]
    assert '"table": "t" instead of "tabel"' in played.answers["c2"]
    assert seen == []


@both
def test_the_reason_and_the_transcript_are_on_the_error(stream):
    @function_tool
    def charge(amount: int) -> str:
        """Charge a card."""
        raise errors.ToolAuthenticationError("The key was refused.", provider="bank")

    sent = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})]
    stopped = play(wrap(agent_of([charge, read_page], sent)), SILENT, stream=stream).error
    assert isinstance(stopped, RunStopped)
    assert stopped.__cause__ is stopped.error
    assert stopped.error.user_message.startswith("bank rejected the credentials used by charge.")
    outputs = {item["call_id"]: item["output"] for item in stopped.messages if "output" in item}
    assert sorted(outputs) == ["c1", "c2"]
    assert outputs["c2"] == "a 3"


def test_a_new_message_of_the_user_forgives():
    """A tool fails three times, is refused, and stops the run; after the next message the same call runs again."""
    ran, kept = [], SQLiteSession("talk")

    @function_tool
    def check(path: str) -> str:
        """Check a file."""
        ran.append(path)
        if len(ran) < 4:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "checked"

    sent = [[call(f"c{n}", "check", {"path": "a"})] for n in range(5)]
    agent = agent_of([check], *sent, [call("d1", "check", {"path": "a"})])
    agent.model = ScriptedModel([*sent, [call("d1", "check", {"path": "a"})], [say("Done.")]])
    guarded = wrap(agent)

    async def run():
        with pytest.raises(RunStopped):
            await Runner.run(guarded, "Check a.", session=kept, run_config=SILENT)
        assert len(ran) == 3
        return await Runner.run(guarded, "It is there now, try again.", session=kept, run_config=SILENT)

    assert asyncio.run(run()).final_output == "Done."
    assert heard(agent.model)["d1"] == "checked"


@pytest.mark.parametrize("made", ["before", "append", "assigned", "clone", "handoff"])
def test_agents_that_are_handed_off_to_later_are_guarded(made):
    back = agent_of([read_page], [call("b1", "read_page", {"path": "b"})])
    model = ScriptedModel([[call("f1", "transfer_to_worker")]])
    front = Agent(name="front", model=model, handoffs=[back] if made == "before" else [])
    agent = wrap(front)
    if made == "append":
        agent.handoffs.append(back)
    elif made == "assigned":
        agent.handoffs = [back]
    elif made == "clone":
        agent = agent.clone(handoffs=[back])
    elif made == "handoff":
        agent.handoffs.append(handoff(back))
    played = play(agent, SILENT)
    assert played.answers["b1"].startswith("Error executing tool read_page: Resource not found: b\n")
    assert front.handoffs == ([back] if made == "before" else [])


def test_hooks_and_what_is_done_with_results_may_be_given_later():
    seen, events = [], capture_events()

    class Hooks(AgentHooks):
        async def on_llm_start(self, context, agent, system_prompt, input_items):
            seen.append("start")

        async def on_end(self, context, agent, output):
            seen.append(output)

    @function_tool
    def charge(amount: int) -> str:
        """Charge a card."""
        raise errors.ToolAuthenticationError("The key was refused.")

    guarded = wrap(agent_of([charge], [call("c1", "charge", {"amount": 5})]), pipeline=Pipeline(plugins=[events]))
    agent = guarded.clone(hooks=Hooks(), tool_use_behavior="stop_on_first_tool")
    assert isinstance(play(agent, SILENT).error, RunStopped)
    assert seen == ["start"]
    assert [step.ids for step in events.of(StepFinished)] == [("c1",)]
    agent.model = ScriptedModel([[say("Done.")]])
    play(agent, SILENT)
    assert seen == ["start", "start", "Done."]


def test_a_run_that_ends_for_another_reason_leaves_no_call_without_an_answer():
    events = capture_events()
    agent = agent_of([read_page], [call("c1", "read_page", {"path": "b"})], [call("c2", "read_page", {"path": "a"})])
    played = play(wrap(agent, pipeline=Pipeline(plugins=[events])), SILENT, max_turns=1)
    assert isinstance(played.error, MaxTurnsExceeded)
    assert [event.call_id for event in events.of(CallFinished)] == ["c1"]
    assert [step.ids for step in events.of(StepFinished)] == [("c1",)]
    assert played.answers["c1"].startswith("Error executing tool read_page: Resource not found: b\n")


def test_a_tool_that_wants_to_end_the_program_has_failed():
    @function_tool
    async def leave() -> str:
        """Leave."""
        raise SystemExit(3)

    @function_tool
    def leave_too() -> str:
        """Leave."""
        raise SystemExit(3)

    for timeout in (None, 5):
        sent = [call("c1", "leave"), call("c2", "leave_too")]
        played = play(wrap(agent_of([leave, leave_too], sent), timeout=timeout), SILENT)
        assert played.result.final_output == "Done."
        assert "exit" in played.answers["c1"].lower()
        assert "exit" in played.answers["c2"].lower()


def test_what_was_not_cancelled_is_not_said_to_be():
    """The effect of a sync tool comes after its deadline; that of an async one does not."""
    import threading

    landed, over = [], threading.Event()

    @function_tool
    def pay(amount: int) -> str:
        """Pay."""
        over.wait(20)
        landed.append(amount)
        return "paid"

    @function_tool
    async def pay_async(amount: int) -> str:
        """Pay."""
        await asyncio.sleep(20)
        landed.append(amount)
        return "paid"

    sent = [call("c1", "pay", {"amount": 1}), call("c2", "pay_async", {"amount": 2})]
    played = play(wrap(agent_of([pay, pay_async], sent), timeout=1), SILENT)
    assert "it may still be running" in played.answers["c1"]
    assert "it was cancelled" in played.answers["c2"]
    over.set()


def test_fatal_and_repair_without_a_pipeline():
    @function_tool
    def charge(amount: int) -> str:
        """Charge a card."""
        raise errors.ToolAuthenticationError("The key was refused.")

    sent = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", '{"path": "a",}')]
    agent = wrap(
        agent_of([charge, read_page], sent),
        fatal={"ToolAuthenticationError": False},
        repair="json",
        timeout={"charge": 20},
    )
    played = play(agent, SILENT)
    assert played.result.final_output == "Done."
    assert played.answers["c2"].startswith("a 3")


def test_mistakes_of_the_host_are_named():
    agent = agent_of([read_page])
    with pytest.raises(UsageError, match=r"wrap\(\) takes an agents.Agent, not \[FunctionTool"):
        wrap([read_page])
    with pytest.raises(UsageError, match=r"wrap\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        wrap(agent, pipeline=[read_page])
    with pytest.raises(UsageError, match=r"wrap\(repair=...\): the pipeline decides it"):
        wrap(agent, pipeline=Pipeline(), repair="all")
    with pytest.raises(UsageError, match=r"tool_options\['read_page'\]: unknown tool option 'timeot'"):
        wrap(agent, tools={"read_page": {"timeot": 3}})
    with pytest.raises(UsageError, match=r"wrap\(timeout=...\): 'long' for '\*' is not a number of seconds"):
        wrap(agent, timeout="long")
    with pytest.raises(UsageError, match=r"run_config\(\) takes an agents.RunConfig, not 'trace'"):
        run_config("trace")
    for options, message in (
        ({"timeout": {"raed_page": 3}}, "no such tool. Did you mean 'read_page'"),
        ({"tool_options": {"raed_page": {}}}, "no tool has such a name. Did you mean 'read_page'"),
    ):
        played = play(wrap(agent_of([read_page]), **options), RunConfig(tracing_disabled=True))
        assert isinstance(played.error, UsageError)
        assert message in str(played.error)


def test_options_may_be_for_a_tool_of_another_agent():
    @function_tool
    def read_pages(path: str) -> str:
        """Read pages."""
        return path

    back = agent_of([read_pages])
    front = agent_of([read_page], handoffs=[back])
    assert play(wrap(front, timeout={"read_pages": 3}), SILENT).result.final_output == "Done."
