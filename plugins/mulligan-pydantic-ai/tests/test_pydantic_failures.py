"""The failures of a model and of its tools, through the real agent."""

import asyncio
import json
import re
import threading

import pytest
from mulligan_pydantic_ai import Mulligan, RunStopped
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from pydantic_ai import Agent, FunctionToolset, ModelRetry, Tool
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelRequest, ToolReturnPart
from scripted import Script, call, play, say, told

from mulligan import Pipeline, Policy, errors

both = pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
DONE = [say("Done.")]


def guarded(*tools, **more):
    return Agent(tools=tools, capabilities=[Mulligan(**more)])


def read_file(path: str, limit: int = 100) -> str:
    """Read a file."""
    raise FileNotFoundError(2, "No such file or directory", path)


async def read_slowly(path: str) -> str:
    """Read a file, asynchronously."""
    await asyncio.sleep(0)
    raise FileNotFoundError(2, "No such file or directory", path)


async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


def charge(amount: int) -> str:
    """Charge a card."""
    raise errors.ToolAuthenticationError("The bank refuses the key.")


def text(answer):
    """What a failed result says."""
    return json.loads(answer)["error"]


@both
def test_each_failure_is_told_and_the_run_goes_on(stream):
    script = Script(
        [
            call("c1", "read_fil", {"path": "a"}),
            call("c2", "read_file", '{"path": "a" 1}'),
            call("c3", "read_file", {"path": [1]}),
        ],
        [
            call("c4", "read_file", {"path": "a"}),
            call("c5", "read_slowly", {"path": "b"}),
            call("c6", "wait", {"seconds": 30}),
        ],
        DONE,
    )
    played = play(guarded(read_file, read_slowly, wait, timeout=0.2), script, stream=stream)
    assert played.output == "Done."
    assert '\nNext: if "read_file" does what you want, call it with the same arguments; ' in text(played.answers["c1"])
    assert "not valid JSON at line 1 column 14" in text(played.answers["c2"])
    assert "/path: wrong type" in text(played.answers["c3"])
    assert text(played.answers["c4"]).startswith("Error executing tool read_file: Resource not found: a\n")
    assert text(played.answers["c5"]).startswith("Error executing tool read_slowly: Resource not found: b\n")
    assert "No response within 0.2 s" in text(played.answers["c6"])
    parts = [part for message in played.messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert {part.outcome for part in parts} == {"failed"}


@both
def test_a_model_that_reads_corrects_itself_and_finishes(stream):
    """What the model sends after its first message is made of what it was told, not of what the test knows."""
    ran = []

    def search_archive(query: str, kind: str) -> str:
        """Search the archive for articles."""
        ran.append((query, kind))
        return "3 articles"

    def renamed(answers):
        return [call("c2", re.search('Did you mean "(.+?)"', text(answers["c1"]))[1], {"query": "tides"})]

    def completed(answers):
        field = re.search(r"- /(\w+): missing", text(answers["c2"]))[1]
        return [call("c3", "search_archive", '{"query": "tides", "' + field + '": "news"')]

    def mended(answers):
        corrected = json.loads(text(answers["c3"]).split("make this corrected call: ")[1])
        return [call("c4", corrected["name"], corrected["arguments"])]

    script = Script([call("c1", "searchArchive", {"query": "tides"})], renamed, completed, mended, DONE)
    played = play(guarded(search_archive, tools={"search_archive": {"read_only": True}}), script, stream=stream)
    assert played.answers["c4"] == "3 articles"
    assert (ran, played.output) == ([("tides", "news")], "Done.")


@both
def test_a_fatal_failure_stops_the_run_after_every_call_was_answered(stream):
    script = Script(
        [
            call("c1", "charge", {"amount": 5}),
            call("c2", "wait", {"seconds": 0.05}),
            call("c3", "nix"),
            call("c4", "charge", {}),
        ]
    )
    played = play(guarded(charge, wait), script, stream=stream)
    assert isinstance(played.error, RunStopped)
    assert isinstance(played.error.__cause__, errors.ToolAuthenticationError)
    assert str(played.error).startswith("ToolAuthenticationError in tool charge: The bank refuses the key.")
    assert sorted(played.answers) == ["c1", "c2", "c3", "c4"]
    assert played.answers["c2"] == "waited"
    assert told(played.error.messages) == played.answers
    assert len(script.received) == 1


def test_a_stopped_conversation_can_go_on():
    agent = guarded(charge)
    stopped = play(agent, Script([call("c1", "charge", {"amount": 5})])).error
    assert isinstance(stopped.messages[-1], ModelRequest)
    assert play(agent, Script(DONE), message_history=stopped.messages).output == "Done."


def test_a_fatal_failure_beside_a_final_result_is_not_passed_over():
    agent = Agent(tools=[charge], output_type=int, end_strategy="exhaustive", capabilities=[Mulligan()])
    played = play(agent, Script([call("c1", "charge", {"amount": 5}), call("c2", "final_result", {"response": 3})]))
    assert isinstance(played.error, RunStopped)


def test_policy_decides_what_is_fatal():
    pipeline = Pipeline(policy=Policy.feed_back_everything())
    assert (
        play(guarded(charge, pipeline=pipeline), Script([call("c1", "charge", {"amount": 5})], DONE)).output == "Done."
    )


def test_a_sync_tool_with_a_deadline_does_not_keep_the_run():
    over, ended = threading.Event(), []

    def hang() -> str:
        """Hang."""
        over.wait(20)
        ended.append(1)
        return "late"

    for agent in (
        guarded(hang, timeout=1),
        guarded(Tool(hang, timeout=1), timeout=60),
        guarded(hang, tools={"hang": {"timeout": 1}}),
    ):
        played = play(agent, Script([call("c1", "hang")], DONE))
        assert "No response within 1 s; it may still be running." in text(played.answers["c1"])
        assert ended == []
    over.set()


def test_the_deadline_of_an_agent_or_a_toolset_is_told_too():
    async def hang() -> str:
        """Hang."""
        await asyncio.sleep(30)

    agent = Agent(tools=[hang], tool_timeout=0.05, capabilities=[Mulligan()])
    played = play(agent, Script([call("c1", "hang")], [call("c2", "hang")], [call("c3", "hang")], DONE))
    assert played.output == "Done."
    assert text(played.answers["c1"]).startswith("Error executing tool hang:")
    assert "will not run again" in text(played.answers["c3"])


def test_an_authors_own_words_are_kept_and_count_as_ever():
    def pick(number: int) -> str:
        """Pick."""
        raise ModelRetry("Pick an odd number.")

    played = play(guarded(pick), Script([call("c1", "pick", {"number": 2})], [call("c2", "pick", {"number": 4})]))
    assert "Pick an odd number." in played.answers["c1"]
    assert isinstance(played.error, UnexpectedModelBehavior)


def test_an_authors_own_words_on_a_deadline_are_kept():
    async def look() -> str:
        """Look."""
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(5)
        except TimeoutError:
            raise ModelRetry("Ask for less.") from None

    assert "Ask for less." in play(guarded(look), Script([call("c1", "look")], DONE)).answers["c1"]


def test_mistakes_use_up_no_retries():
    wrong = [[call(f"c{number}", "wait", {"seconds": f"n{number}"})] for number in range(6)]
    unknown = [[call(f"u{number}", f"nix{number}")] for number in range(3)]
    assert play(guarded(wait), Script(*wrong, *unknown, DONE)).output == "Done."
    assert isinstance(play(Agent(tools=[wait]), Script(*wrong)).error, UnexpectedModelBehavior)


def test_a_repeated_call_is_stopped_and_the_next_run_begins_anew():
    agent = guarded(read_file)
    repeated = [[call(f"c{number}", "read_file", {"path": "a"})] for number in range(6)]
    played = play(agent, Script(*repeated))
    assert isinstance(played.error.error, errors.RepeatedCallError)
    assert "was not run" in text(played.answers["c3"])
    assert "has failed" not in play(agent, Script(repeated[0], DONE)).answers["c0"]


def test_calls_of_one_message_do_not_end_the_run():
    played = play(guarded(read_file), Script([call(f"c{n}", "read_file", {"path": "a"}) for n in range(8)], DONE))
    assert played.output == "Done."
    assert len(played.answers) == 8


def test_names_that_no_tool_has_are_stopped_in_the_end():
    played = play(guarded(read_file), Script(*[[call(f"c{n}", "nix", {"path": "a"})] for n in range(9)], DONE))
    assert isinstance(played.error, RunStopped)
    assert len(played.answers) == 5


def test_arguments_are_repaired_where_the_policy_allows_it_and_the_model_is_told():
    ran = []

    def double(number: int) -> str:
        """Double."""
        ran.append(number)
        return str(2 * number)

    sent = [call("c1", "double", "{'number': 4}")]
    played = play(guarded(double, pipeline=Pipeline(policy=Policy(repair="all"))), Script(sent, DONE))
    assert ran == [4]
    assert played.answers["c1"].startswith("8\nNote: your arguments were not valid JSON and were read as")
    assert "not valid JSON" in text(play(guarded(double), Script(sent, DONE)).answers["c1"])


def test_a_name_is_never_run_by_a_repair_behind_the_frameworks_back():
    ran = []

    def list_files() -> str:
        """List files."""
        ran.append(1)
        return "a"

    agent = guarded(
        list_files, pipeline=Pipeline(policy=Policy(repair="all")), tools={"list_files": {"read_only": True}}
    )
    played = play(agent, Script([call("c1", "List-Files")], DONE))
    assert text(played.answers["c1"]).startswith("Error: Tool 'List-Files' not found.\nDid you mean \"list_files\"?")
    assert ran == []


@pytest.mark.parametrize("name", ["self", "call", "arguments", "name", "ctx"])
def test_an_argument_may_have_any_name(name):
    def give(**arguments) -> str:
        """Give."""
        return str(arguments)

    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    tool = Tool.from_schema(give, name="give", description="Give.", json_schema=schema)
    agent = Agent(tools=[tool], capabilities=[Mulligan()])
    assert play(agent, Script([call("c1", "give", {name: "a"}), call("c2", "gve", {name: "a"})], DONE)).answers[
        "c1"
    ] == str({name: "a"})


def test_retries_of_the_policy_run_the_tool_again():
    ran = []

    def look(name: str) -> str:
        """Look."""
        ran.append(name)
        if len(ran) < 3:
            raise errors.ToolUnavailableError("The archive is busy.")
        return "found"

    agent = guarded(look, pipeline=Pipeline(), tools={"look": {"read_only": True}})
    assert play(agent, Script([call("c1", "look", {"name": "a"})], DONE)).answers["c1"] == "found"
    assert len(ran) == 3


def test_the_hosts_own_cancellation_passes():
    async def run():
        script = Script([call("c1", "wait", {"seconds": 30})])
        task = asyncio.create_task(guarded(wait).run("go", model=script.model))
        await asyncio.sleep(0.2)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


def test_options_are_checked_at_once():
    with pytest.raises(errors.UsageError, match="unknown tool option 'readonly'"):
        Mulligan(tools={"read_file": {"readonly": True}})


def test_a_toolset_that_changes_is_seen_as_it_is_now():
    tools = FunctionToolset([read_file])

    def grow() -> str:
        """Grow."""
        tools.add_function(wait)
        return "grown"

    tools.add_function(grow)
    agent = Agent(toolsets=[tools], capabilities=[Mulligan()])
    played = play(agent, Script([call("c1", "wai")], [call("c2", "grow")], [call("c3", "wai")], DONE))
    assert "Available tools (2): read_file, grow." in text(played.answers["c1"])
    assert "Available tools (3): read_file, grow, wait." in text(played.answers["c3"])


@both
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("sequential", [False, True], ids=["at once", "one by one"])
def test_failures_of_one_message_neither_refuse_nor_stop_its_other_calls(stream, is_async, sequential):
    ran = []

    def check(number: int) -> str:
        """Check a record."""
        ran.append(number)
        if number < 25:
            raise FileNotFoundError(2, "No such file or directory", f"record-{number}")
        return f"found {number}"

    async def check_async(number: int) -> str:
        """Check a record."""
        return check(number)

    tool = Tool(check_async if is_async else check, name="check", sequential=sequential)
    calls = [call(f"c{number}", "check", {"number": number}) for number in range(40)]
    played = play(guarded(tool), Script(calls, DONE), stream=stream)
    assert played.output == "Done."
    assert sorted(ran) == list(range(40))
    assert all("Resource not found: record-" in played.answers[f"c{number}"] for number in range(25))
    assert [played.answers[f"c{number}"] for number in range(25, 40)] == [f"found {number}" for number in range(25, 40)]


@pytest.mark.parametrize("record", [*REPORTS, *DATA])
def test_data_that_a_tool_returned_never_stops_the_run(record):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    played = play(guarded(last_entry), Script([call("c1", "last_entry")], DONE))
    assert (played.output, played.error) == ("Done.", None)
    if record in DATA:
        assert json.loads(played.answers["c1"]) == record
    else:
        assert reason_of(record) in text(played.answers["c1"])
