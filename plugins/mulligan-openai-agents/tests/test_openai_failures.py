"""The failures of a model and of its tools, through the real runner."""

import asyncio
import json
import re
import threading

import pytest
from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    RunContextWrapper,
    Runner,
    SQLiteSession,
    ToolErrorFormatterArgs,
    ToolExecutionConfig,
    UserError,
    function_tool,
)
from agents import ToolTimeoutError as SDKTimeout
from agents.testing import ModelStep, ScriptedModel
from agents.tool_context import ToolContext
from mulligan_openai_agents import RunStopped, run_config, wrap
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from scripted import SILENT, call, play, say, told

from mulligan import Pipeline, Policy, errors
from mulligan.plugin import CallFinished, hookimpl


class Watching:
    """Keeps the ids of the calls that were answered."""

    def __init__(self):
        self.answered = []

    @hookimpl
    def observe(self, event):
        if isinstance(event, CallFinished):
            self.answered.append(event.result.call.id)


both = pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])


def agent_of(tools, *messages, **more):
    return Agent(name="worker", tools=tools, model=ScriptedModel([*messages, [say("Done.")]]), **more)


@function_tool
def read_file(path: str, limit: int = 100) -> str:
    """Read a file."""
    raise FileNotFoundError(2, "No such file or directory", path)


@function_tool
async def read_slowly(path: str) -> str:
    """Read a file, asynchronously."""
    await asyncio.sleep(0)
    raise FileNotFoundError(2, "No such file or directory", path)


@function_tool
async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


@function_tool
def charge(amount: int) -> str:
    """Charge a card."""
    raise errors.ToolAuthenticationError("The bank refuses the key.")


@both
def test_each_failure_is_told_and_the_run_goes_on(stream):
    agent = agent_of(
        [read_file, read_slowly, wait],
        [
            call("c1", "read_fil", {"path": "a"}),
            call("c2", "read_file", '{"path": "a"'),
            call("c3", "read_file", {"path": [1]}),
        ],
        [
            call("c4", "read_file", {"path": "a"}),
            call("c5", "read_slowly", {"path": "b"}),
            call("c6", "wait", {"seconds": 30}),
        ],
    )
    played = play(wrap(agent, timeout={"wait": 0.2}), run_config(SILENT), stream=stream)
    assert played.result.final_output == "Done."
    assert 'Did you mean "read_file"?' in played.answers["c1"]
    assert '\nNext: if "read_file" does what you want, call it with the same arguments; ' in played.answers["c1"]
    assert "not valid JSON: it ends too early at line 1 column 13" in played.answers["c2"]
    assert "/path: wrong type" in played.answers["c3"]
    assert played.answers["c4"].startswith("Error executing tool read_file: Resource not found: a\n")
    assert played.answers["c5"].startswith("Error executing tool read_slowly: Resource not found: b\n")
    assert "No response within 0.2 s" in played.answers["c6"]


@both
def test_a_model_that_reads_corrects_itself_and_finishes(stream):
    """What the model sends after its first message is made of what it was told, not of what the test knows."""
    ran = []

    @function_tool
    def search_archive(query: str, kind: str) -> str:
        """Search the archive for articles."""
        ran.append((query, kind))
        return "3 articles"

    def renamed(asked):
        name = re.search('Did you mean "(.+?)"', told(asked.input)["c1"])[1]
        return [call("c2", name, {"query": "tides"})]

    def completed(asked):
        field = re.search(r"- /(\w+): missing", told(asked.input)["c2"])[1]
        return [call("c3", "search_archive", '{"query": "tides", "' + field + '": "news"')]

    def mended(asked):
        corrected = json.loads(told(asked.input)["c3"].split("make this corrected call: ")[1])
        return [call("c4", corrected["name"], corrected["arguments"])]

    steps = [ModelStep.respond(step) for step in (renamed, completed, mended)]
    agent = agent_of([search_archive], [call("c1", "searchArchive", '{"query": "tides"}')], *steps)
    guarded = wrap(agent, tools={"search_archive": {"read_only": True}})
    played = play(guarded, run_config(SILENT), stream=stream)
    assert played.answers["c4"] == "3 articles"
    assert (ran, played.result.final_output) == ([("tides", "news")], "Done.")


@both
def test_a_fatal_failure_stops_the_run_after_every_call_was_answered(stream):
    agent = agent_of(
        [charge, wait], [call("c1", "charge", {"amount": 5}), call("c2", "wait", {"seconds": 0.05}), call("c3", "nix")]
    )
    wrapped = wrap(agent)
    played = play(wrapped, run_config(SILENT), stream=stream)
    assert isinstance(played.error, RunStopped)
    assert isinstance(played.error.__cause__, errors.ToolAuthenticationError)
    assert str(played.error).startswith("ToolAuthenticationError in tool charge: The bank refuses the key.")
    assert sorted(played.answers) == ["c1", "c2", "c3"]
    assert played.answers["c2"] == "waited"
    assert len(agent.model.calls) == 1


def test_the_transcript_that_a_session_keeps_is_closed():
    agent = wrap(agent_of([charge, wait], [call("c1", "charge", {"amount": 5}), call("c2", "wait", {"seconds": 0})]))
    kept = SQLiteSession("talk")

    async def run():
        with pytest.raises(RunStopped):
            await Runner.run(agent, "go", session=kept, run_config=run_config(SILENT))
        return await kept.get_items()

    items = asyncio.run(run())
    assert (
        set(told(items)) == {item["call_id"] for item in items if item.get("type") == "function_call"} == {"c1", "c2"}
    )


@pytest.mark.parametrize("behavior", ["stop_on_first_tool", {"stop_at_tool_names": ["charge"]}])
def test_a_fatal_failure_is_no_final_output(behavior):
    played = play(wrap(agent_of([charge], [call("c1", "charge", {"amount": 5})], tool_use_behavior=behavior)), SILENT)
    assert isinstance(played.error, RunStopped)


@pytest.mark.parametrize("behavior", ["stop_on_first_tool", {"stop_at_tool_names": ["wait"]}])
def test_what_a_tool_returns_may_end_the_run_as_ever(behavior):
    played = play(wrap(agent_of([wait], [call("c1", "wait", {"seconds": 0})], tool_use_behavior=behavior)), SILENT)
    assert played.result.final_output == "waited"


def test_policy_decides_what_is_fatal():
    pipeline = Pipeline(policy=Policy.feed_back_everything())
    played = play(wrap(agent_of([charge], [call("c1", "charge", {"amount": 5})]), pipeline=pipeline), SILENT)
    assert played.result.final_output == "Done."


def test_a_sync_tool_with_a_deadline_does_not_keep_the_run_nor_the_loop():
    over, ended = threading.Event(), []

    @function_tool
    def hang() -> str:
        """Hang."""
        over.wait(20)
        ended.append(1)
        return "late"

    played = play(wrap(agent_of([hang], [call("c1", "hang")]), timeout=1), SILENT)
    assert "it may still be running" in played.answers["c1"]
    assert ended == []
    over.set()


@function_tool(timeout=0.05)
async def brief() -> str:
    """Wait too long."""
    await asyncio.sleep(5)


def test_the_tools_own_timeout_counts_first():
    played = play(wrap(agent_of([brief], [call("c1", "brief")]), timeout=60), SILENT)
    assert "No response within 0.05 s" in played.answers["c1"]


def test_what_an_author_wants_of_a_timeout_is_kept():
    @function_tool(timeout=0.05, timeout_behavior="raise_exception")
    async def raising() -> str:
        """Wait too long."""
        await asyncio.sleep(5)

    @function_tool(timeout=0.05, timeout_error_function=lambda _, error: "much too slow")
    async def worded() -> str:
        """Wait too long."""
        await asyncio.sleep(5)

    assert isinstance(play(wrap(agent_of([raising], [call("c1", "raising")])), SILENT).error, SDKTimeout)
    assert play(wrap(agent_of([worded], [call("c1", "worded")])), SILENT).answers["c1"] == "much too slow"


def test_an_authors_own_words_on_a_failure_are_kept():
    @function_tool(failure_error_function=lambda _, error: f"Sorry: {error}")
    def worded() -> str:
        """Fail."""
        raise ValueError("no luck")

    played = play(wrap(agent_of([worded], [call("c1", "worded")], [call("c2", "worded", "{")])), SILENT)
    assert played.answers["c1"] == "Sorry: no luck"
    assert "not valid JSON" in played.answers["c2"]


@pytest.mark.parametrize("raised", [RuntimeError("Unauthorized: log in first"), ConnectionRefusedError(111, "Refused")])
def test_a_failure_that_its_author_words_for_the_model_does_not_end_the_run(raised):
    ran = []

    def fail() -> str:
        """Fail."""
        ran.append(1)
        raise raised

    worded = function_tool(fail, failure_error_function=lambda _, error: f"Sorry: {error}")
    played = play(wrap(agent_of([worded], [call("c1", "fail")])), SILENT)
    assert (played.error, played.answers) == (None, {"c1": f"Sorry: {raised}"})
    repeated = play(wrap(agent_of([worded], *([call(f"c{n}", "fail")] for n in range(9)))), SILENT)
    assert isinstance(repeated.error, RunStopped)
    assert isinstance(repeated.error.error, errors.RepeatedCallError)
    assert len(ran) == 4
    assert isinstance(play(wrap(agent_of([function_tool(fail)], [call("c1", "fail")])), SILENT).error, RunStopped)
    for options in ({"fatal": {"fail": True}}, {"pipeline": Pipeline(policy=Policy.openagents())}):
        stopped = play(wrap(agent_of([worded], [call("c1", "fail")]), **options), SILENT)
        assert isinstance(stopped.error, RunStopped), "the host wants it to end the run"


def test_a_failure_that_its_author_words_for_the_model_ends_the_run_if_the_author_says_so():
    def fail() -> str:
        """Fail."""
        raise errors.ToolAuthenticationError("No key.")

    worded = function_tool(fail, failure_error_function=lambda _, error: f"Sorry: {error}")
    assert isinstance(play(wrap(agent_of([worded], [call("c1", "fail")])), SILENT).error, RunStopped)


def test_a_failure_that_its_author_wants_raised_is_raised():
    @function_tool(failure_error_function=None)
    def raising() -> str:
        """Fail."""
        raise ValueError("no luck")

    error = play(wrap(agent_of([raising], [call("c1", "raising")])), SILENT).error
    assert isinstance(error, UserError) and isinstance(error.__cause__, ValueError)


def test_a_formatter_of_the_run_has_the_first_word():
    def words(args: ToolErrorFormatterArgs):
        return f"{args.kind}: no" if args.tool_name in ("read_file", "nix") else None

    config = run_config(RunConfig(tracing_disabled=True, tool_error_formatter=words, workflow_name="mine"))
    played = play(
        wrap(
            agent_of(
                [read_file, read_slowly],
                [
                    call(f"c{n}", name, {"path": "a"})
                    for n, name in enumerate(["nix", "read_file", "read_slowly", "naught"])
                ],
            )
        ),
        config,
    )
    assert config.workflow_name == "mine"
    assert (played.answers["c0"], played.answers["c1"]) == ("tool_not_found: no", "tool_exception: no")
    assert played.answers["c2"].startswith("Error executing tool read_slowly: Resource not found: a")
    assert played.answers["c3"].startswith("Error: Tool 'naught' not found.")


def test_a_tool_made_by_hand_is_guarded_and_its_own_stop_passes():
    async def invoke(context: RunContextWrapper, arguments: str):
        if "stop" in arguments:
            raise UserError("stop here")
        raise TimeoutError("the archive is asleep")

    tool = FunctionTool("by_hand", "By hand.", {"type": "object", "properties": {"what": {"type": "string"}}}, invoke)
    played = play(wrap(agent_of([tool], [call("c1", "by_hand", {"what": "go"})])), SILENT)
    assert played.answers["c1"].startswith("Error executing tool by_hand:")
    watching = Watching()
    stopping = agent_of([tool], [call("c1", "by_hand", {"what": "go"})], [call("c2", "by_hand", {"what": "stop"})])
    played = play(wrap(stopping, pipeline=Pipeline(plugins=[watching])), SILENT)
    assert isinstance(played.error, UserError) and str(played.error) == "stop here"
    assert watching.answered == ["c1"]


@pytest.mark.parametrize("name", ["self", "call", "arguments", "context"])
def test_an_argument_may_have_any_name(name):
    async def invoke(context: RunContextWrapper, arguments: str):
        return arguments

    schema = {
        "type": "object",
        "properties": {name: {"type": "string"}},
        "required": [name],
        "additionalProperties": False,
    }
    tool = FunctionTool("by_hand", "By hand.", schema, invoke)
    played = play(wrap(agent_of([tool], [call("c1", "by_hand", {name: "a"})])), SILENT)
    assert played.answers["c1"] == json.dumps({name: "a"})


def test_the_hosts_own_cancellation_passes():
    async def run():
        task = asyncio.create_task(
            Runner.run(wrap(agent_of([wait], [call("c1", "wait", {"seconds": 30})])), "go", run_config=SILENT)
        )
        await asyncio.sleep(0.2)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


def test_a_name_is_never_run_by_a_repair_behind_the_sdks_back():
    ran = []

    @function_tool(needs_approval=True)
    def list_files() -> str:
        """List files."""
        ran.append(1)
        return "a"

    pipeline = Pipeline(policy=Policy(repair="all"))
    agent = wrap(
        agent_of([list_files], [call("c1", "List-Files")]), pipeline=pipeline, tools={"list_files": {"read_only": True}}
    )
    played = play(agent, run_config(SILENT))
    assert ran == []
    assert played.answers["c1"].endswith('Next: make this corrected call: {"name": "list_files", "arguments": {}}')


def test_a_repeated_call_is_stopped_and_the_next_run_begins_anew():
    repeated = [[call(f"c{n}", "read_file", {"path": "a"})] for n in range(6)]
    agent = agent_of([read_file], *repeated)
    wrapped = wrap(agent)
    played = play(wrapped, run_config(SILENT))
    assert isinstance(played.error.error, errors.RepeatedCallError)
    assert "was not run" in played.answers["c3"]
    agent.model.enqueue([say("Done.")])
    assert (
        play(wrapped, run_config(SILENT)).answers["c5"].startswith("Error executing tool read_file: Resource not found")
    )


def test_calls_of_one_message_do_not_end_the_run():
    played = play(wrap(agent_of([read_file], [call(f"c{n}", "read_file", {"path": "a"}) for n in range(8)])), SILENT)
    assert played.result.final_output == "Done."
    assert len(played.answers) == 8


def test_without_run_config_an_unknown_name_is_the_sdks_own_affair():
    played = play(wrap(agent_of([read_file], [call("c1", "nix")])), SILENT)
    assert str(played.error) == "Tool nix not found in agent worker"


def test_options_are_checked_at_once():
    agent = agent_of([read_file])
    with pytest.raises(errors.UsageError, match="unknown tool option 'readonly'"):
        wrap(agent, tools={"read_file": {"readonly": True}})
    with pytest.raises(errors.UsageError, match="takes an agents.Agent"):
        wrap("worker")


def test_the_plain_sdk_tells_none_of_it():
    """What this package is for; when it fails, the README's table is out of date."""
    played = play(agent_of([read_file], [call("c1", "read_file", {"path": "a"})]), SILENT)
    assert played.answers["c1"] == "An error occurred while running the tool. Please try again."


@both
@pytest.mark.parametrize("limit", [None, 1])
def test_failures_of_one_message_neither_refuse_nor_stop_its_other_calls(stream, limit):
    ran = []

    @function_tool
    async def check(number: int) -> str:
        """Check a record."""
        ran.append(number)
        if number < 25:
            raise FileNotFoundError(2, "No such file or directory", f"record-{number}")
        return f"found {number}"

    agent = agent_of([check], [call(f"c{number}", "check", {"number": number}) for number in range(40)])
    settings = RunConfig(tracing_disabled=True, tool_execution=ToolExecutionConfig(max_function_tool_concurrency=limit))
    played = play(wrap(agent), run_config(settings), stream=stream)
    assert played.result.final_output == "Done."
    assert sorted(ran) == list(range(40))
    assert all("Resource not found: record-" in played.answers[f"c{number}"] for number in range(25))
    assert [played.answers[f"c{number}"] for number in range(25, 40)] == [f"found {number}" for number in range(25, 40)]


@pytest.mark.parametrize("record", [*REPORTS, *DATA])
def test_data_that_a_tool_returned_never_stops_the_run(record):
    @function_tool
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    agent = agent_of([last_entry], [call("c1", "last_entry", {})])
    plain, played = (
        play(agent, run_config(SILENT)),
        play(wrap(agent_of([last_entry], [call("c1", "last_entry", {})])), run_config(SILENT)),
    )
    assert played.result.final_output == "Done."
    if record in DATA:
        assert played.answers == plain.answers
    else:
        assert reason_of(record) in played.answers["c1"]


def test_a_tool_that_is_called_outside_a_run_answers_as_in_one():
    agent = wrap(agent_of([read_file, charge]))

    async def invoke(tool, arguments):
        context = ToolContext(None, tool_name=tool.name, tool_call_id="c1", tool_arguments=arguments)
        return await tool.on_invoke_tool(context, arguments)

    reading, charging = asyncio.run(agent.get_all_tools(RunContextWrapper(None)))
    for _ in range(9):  # no call knows of another one
        text = asyncio.run(invoke(reading, '{"path": "a"}'))
        assert text.startswith("Error executing tool read_file: Resource not found: a\n")
    assert "/amount: missing" in asyncio.run(invoke(charging, "{}"))
    assert "The bank refuses the key." in asyncio.run(invoke(charging, '{"amount": 5}'))
