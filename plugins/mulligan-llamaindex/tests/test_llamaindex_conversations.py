"""What the model reads, what is reported of a run, what runs how often, and the mistakes of the host."""

import asyncio
import time

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.tools import FunctionTool, ToolOutput
from llama_index.core.workflow import Context
from mulligan_llamaindex import RunStopped, wrap
from mulligan_testkit.calls import MISTYPED
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from scripted import agent, call, play, script

from mulligan import Pipeline
from mulligan.errors import ToolAuthenticationError, UsageError
from mulligan.plugin import CallFinished, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events


def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


def charge(amount: int) -> str:
    """Charge a card."""
    raise ToolAuthenticationError("The key was refused.", provider="bank")


MIXED = [call(*one) for one in MISTYPED]


def alone(tools, *steps, **options):
    return wrap(agent(tools, *steps), **options)


def in_workflow(tools, *steps, **options):
    return wrap(AgentWorkflow(agents=[agent(tools, *steps, name="first", description="The first.")]), **options)


@pytest.fixture(params=[alone, in_workflow], ids=["agent", "workflow"])
def made(request):
    return request.param


def test_each_failure_is_answered_and_the_run_goes_on(made):
    played = play(made([read_page], MIXED))
    assert played.output == "Done."
    assert played.answers["c1"] == "a 3"
    assert "- /file: unknown argument; allowed: limit, path." in played.answers["c2"].replace(
        "path, limit", "limit, path"
    )
    assert 'Did you mean "read_page"?' in played.answers["c3"]
    assert "Resource not found: b" in played.answers["c4"]
    assert "- /limit: wrong type" in played.answers["c5"]
    failed = {one.tool_id: one.tool_output.is_error for one in played.results}
    assert failed == {"c1": False, "c2": True, "c3": True, "c4": True, "c5": True}


def test_each_call_and_each_message_is_reported_once(made):
    events = capture_events()
    play(made([read_page], MIXED, [call("d1", "read_page", {"path": "b"})], pipeline=Pipeline(plugins=[events])))
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "d1"]
    steps = [(step.step, sorted(step.ids)) for step in events.of(StepFinished)]
    assert steps == [(1, ["c1", "c2", "c3", "c4", "c5"]), (2, ["d1"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    (session,) = {event.session_id for event in events}
    assert session


def test_a_fatal_failure_stops_the_run_after_every_call_is_answered(made):
    workflow = made([charge, read_page], [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})])
    played = play(workflow)
    assert isinstance(played.error, RunStopped)
    assert played.error.error.user_message.startswith("bank rejected the credentials used by charge.")
    assert sorted(played.answers) == ["c1", "c2"]
    assert sorted(played.error.messages) == sorted(played.answers.values())


def test_a_fatal_failure_beside_a_tool_that_returns_directly_is_not_passed_over(made):
    direct = FunctionTool.from_defaults(read_page, return_direct=True)
    played = play(made([charge, direct], [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})]))
    assert isinstance(played.error, RunStopped)


def test_a_new_message_lets_the_same_calls_run_again(made):
    ran, there = [], []

    def look(path: str) -> str:
        """Look."""
        ran.append(path)
        if path not in there:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "seen"

    looks = [[call(f"c{turn}", "look", {"path": "a"})] for turn in range(4)]
    workflow = made([look], *looks, "No.", [call("c9", "look", {"path": "a"})])
    first = play(workflow)
    assert "already failed" in first.answers["c1"]
    assert "was not run" in first.answers["c3"]
    there.append("a")
    assert play(workflow, ctx=first.ctx).answers["c9"] == "seen"


def test_the_memory_of_a_context_is_found_again_after_it_was_saved(made):
    looks = [[call(f"c{turn}", "read_page", {"path": "b"})] for turn in range(2)]
    workflow = made([read_page], *looks)
    saved = play(workflow).ctx.to_dict()
    ctx = Context.from_dict(workflow, saved)
    assert play(workflow, ctx=ctx).output == "Done."


def test_forty_failures_of_one_message_do_not_end_the_run(made):
    played = play(made([read_page], [call(f"c{number}", "read_page", {"path": f"b{number}"}) for number in range(40)]))
    assert played.output == "Done."
    assert sum("Resource not found" in text for text in played.answers.values()) == 40


def test_a_call_that_fails_again_and_again_ends_the_run(made):
    looks = [[call(f"c{turn}", "read_page", {"path": "b"})] for turn in range(9)]
    assert isinstance(play(made([read_page], *looks)).error, RunStopped)


@pytest.mark.parametrize(
    "options", [{}, {"tool_options": {"se*": {"read_only": True}}}], ids=["undeclared", "read-only"]
)
def test_how_often_a_tool_runs_whose_connection_is_reset(made, options):
    ran = []

    async def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    play(made([send], [call("c1", "send", {"text": "a"})], **options))
    assert len(ran) == (3 if options else 1)


@pytest.mark.parametrize("hints", [{"readOnlyHint": True}, {"readOnlyHint": True, "destructiveHint": True}], ids=str)
def test_annotations_of_a_server_are_not_believed(made, hints):
    ran = []

    async def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    tool = FunctionTool.from_defaults(async_fn=send)
    tool.annotations = tool.metadata.annotations = hints
    assert "reset by peer" in play(made([tool], [call("c1", "send", {"text": "a"})])).answers["c1"]
    assert ran == ["a"]


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run(made):
    ran = []

    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        ran.append((table, dry_run))
        return "deleted"

    text = play(made([delete_rows], [call("c1", "delete_rows", {"table": "t", "dryrun": True})])).answers["c1"]
    assert "- /dryrun: unknown argument" in text and '"dry_run"' in text
    assert ran == []


@pytest.mark.parametrize("record", [*REPORTS, *DATA], ids=str)
def test_data_that_a_tool_returned_never_stops_the_run(made, record):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    calls = [call("c1", "last_entry")]
    played = play(made([last_entry], calls))
    assert (played.error, played.output) == (None, "Done.")
    if record in DATA:
        assert played.answers == play(agent([last_entry], calls)).answers
    else:
        assert reason_of(record) in played.answers["c1"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_past_its_deadline(is_async):
    def wait(turns: int) -> str:
        """Wait."""
        time.sleep(3)
        return "waited"

    async def await_(turns: int) -> str:
        """Wait."""
        await asyncio.sleep(5)
        return "waited"

    tool = FunctionTool.from_defaults(await_ if is_async else wait, name="wait")
    text = play(alone([tool], [call("c1", "wait", {"turns": 1})], timeout=1)).answers["c1"]
    assert "No response within" in text
    assert ("it was cancelled" in text) is is_async


def test_what_succeeds_is_the_same_as_without():
    def numbers(first: int, second: int = 2) -> dict:
        """Give numbers."""
        return {"sum": first + second, "error_log": ["nothing"]}

    async def place(ctx: Context, name: str) -> str:
        """Remember a place."""
        await ctx.store.set("place", name)
        return f"in {name}"

    def own(text: str) -> ToolOutput:
        """Say it in words of your own."""
        return ToolOutput(tool_name="own", content=f"Locked: {text}", raw_input={}, raw_output=text, is_error=True)

    calls = [
        call("c1", "numbers", {"first": 1}),
        call("c2", "place", {"name": "Rome"}),
        call("c3", "own", {"text": "a"}),
    ]
    outputs = [
        {one.tool_id: one.tool_output for one in play(made).results}
        for made in (agent([numbers, place, own], calls), alone([numbers, place, own], calls))
    ]
    for id, plain in outputs[0].items():
        guarded = outputs[1][id]
        assert (guarded.content, guarded.raw_output, guarded.is_error) == (
            plain.content,
            plain.raw_output,
            plain.is_error,
        )


def test_agents_of_a_workflow_hand_over_and_know_nothing_of_each_others_failures():
    looks = [[call(f"a{turn}", "read_page", {"path": "b"})] for turn in range(2)]
    first = FunctionAgent(
        name="first",
        description="The first.",
        tools=[read_page],
        llm=script(*looks, [call("h", "handoff", {"to_agent": "second", "reason": "It is hard."})]),
        can_handoff_to=["second"],
    )
    second = FunctionAgent(
        name="second",
        description="The second.",
        tools=[read_page],
        llm=script([call("b1", "read_page", {"path": "b"})]),
    )
    played = play(wrap(AgentWorkflow(agents=[first, second], root_agent="first")))
    assert played.output == "Done."
    assert "already failed" in played.answers["a1"]
    assert "already failed" not in played.answers["b1"]


def test_a_react_agent():
    steps = [
        'Thought: I look.\nAction: read_page\nAction Input: {"path": "b"}',
        'Thought: I look.\nAction: raed_page\nAction Input: {"path": "b"}',
        "Thought: I know.\nAnswer: It is gone.",
    ]
    played = play(wrap(ReActAgent(tools=[read_page], llm=script(*steps))))
    texts = list(played.answers.values())
    assert played.output == "It is gone."
    assert "Resource not found: b" in texts[0]
    assert 'Did you mean "read_page"?' in texts[1]


def test_many_runs_at_once_keep_to_themselves():
    calls = [[call(f"c{turn}", "read_page", {"path": "b"})] for turn in range(2)]

    async def run():
        made = [alone([read_page], *calls) for _ in range(20)]
        return await asyncio.gather(*[one.run(user_msg="Go.") for one in made])

    assert [str(one) for one in asyncio.run(run())] == ["Done."] * 20


def test_fatal_and_repair_without_a_pipeline(made):
    own = {"fatal": {"ToolAuthenticationError": False}, "repair": "coerce", "timeout": {"charge": 20}}
    steps = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a", "limit": "4"})]
    played = play(made([charge, read_page], steps, **own))
    assert played.output == "Done."
    assert played.answers["c2"].startswith("a 4\n")


def test_mistakes_of_the_host_are_named():
    with pytest.raises(UsageError, match=r"wrap\(\[.*use an agent of llama_index.core.agent.workflow"):
        wrap([read_page])
    with pytest.raises(UsageError, match=r"wrap\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        wrap(agent([read_page]), [read_page])
    with pytest.raises(UsageError, match=r"wrap\(fatal=...\): the pipeline decides it"):
        wrap(agent([read_page]), Pipeline(), fatal={})
    with pytest.raises(UsageError, match="wrapped already"):
        wrap(wrap(agent([read_page])))
    for options, message in (
        ({"timeout": {"raed_page": 3}}, "no such tool. Did you mean 'read_page'"),
        ({"tool_options": {"raed_page": {}}}, "no tool has such a name. Did you mean 'read_page'"),
    ):
        played = play(alone([read_page], **options))
        assert isinstance(played.error, UsageError)
        assert message in str(played.error)
