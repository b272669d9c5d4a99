"""What the model reads, what is reported of a run, what runs how often, and the mistakes of the host."""

import asyncio
import copy
import threading
from collections import Counter

import pytest
from haystack import Pipeline as HaystackPipeline
from haystack import component
from haystack.components.agents.state import State
from haystack.core.errors import PipelineRuntimeError
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall
from haystack.hooks import hook
from haystack.tools import AgentTool, ComponentTool, PipelineTool, Tool, Toolset, create_tool_from_function
from mulligan_haystack import RunStopped, wrap
from mulligan_testkit.calls import MISTYPED
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from scripted import agent, call, play

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


@pytest.fixture(params=[False, True], ids=["sync", "awaited"])
def awaited(request):
    return request.param


def test_each_failure_is_answered_and_the_run_goes_on(awaited):
    played = play(wrap(agent([read_page], MIXED)), awaited=awaited)
    assert played.output == "Done."
    assert played.answers["c1"] == "a 3"
    assert "- /file: unknown argument; allowed:" in played.answers["c2"]
    assert 'Did you mean "read_page"?' in played.answers["c3"]
    assert "Resource not found: b" in played.answers["c4"]
    assert "- /limit: wrong type" in played.answers["c5"]
    assert played.failed == {"c1": False, "c2": True, "c3": True, "c4": True, "c5": True}


def test_each_call_and_each_message_is_reported_once(awaited):
    events = capture_events()
    later = [call("d1", "read_page", {"path": "b"})]
    one = wrap(agent([read_page], MIXED, later), Pipeline(plugins=[events]))
    play(one, awaited=awaited)
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "d1"]
    steps = [(step.step, sorted(step.ids)) for step in events.of(StepFinished)]
    assert steps == [(1, ["c1", "c2", "c3", "c4", "c5"]), (2, ["d1"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    (session,) = {event.session_id for event in events}
    assert session


def test_a_fatal_failure_stops_the_run_after_every_call_is_answered(awaited):
    calls = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})]
    played = play(wrap(agent([charge, read_page], calls)), awaited=awaited)
    assert isinstance(played.error, RunStopped)
    assert played.error.error.user_message.startswith("bank rejected the credentials used by charge.")
    assert "ToolAuthenticationError in tool charge: The key was refused." in str(played.error)
    assert sorted(played.answers) == ["c1", "c2"] and played.answers["c2"] == "a 3"


def test_a_fatal_failure_beside_a_tool_that_ends_the_run_is_not_passed_over(awaited):
    calls = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})]
    played = play(wrap(agent([charge, read_page], calls, exit_conditions=["read_page"])), awaited=awaited)
    assert isinstance(played.error, RunStopped)


def test_a_tool_that_ends_the_run_ends_it_once_it_succeeds(awaited):
    turns = [[call("c1", "read_page", {"path": "b"})], [call("c2", "read_page", {"path": "a"})], "Not reached."]
    played = play(wrap(agent([read_page], *turns, exit_conditions=["read_page"])), awaited=awaited)
    assert played.result["exit_reason"] == "read_page" and sorted(played.answers) == ["c1", "c2"]
    assert played.result["tool_call_counts"] == {"read_page": 2}


def test_a_new_message_lets_the_same_calls_run_again(awaited):
    ran, there = [], []

    def look(path: str) -> str:
        """Look."""
        ran.append(path)
        if path not in there:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "seen"

    looks = [[call(f"c{turn}", "look", {"path": "a"})] for turn in range(4)]
    one = wrap(agent([look], *looks, "No.", [call("c9", "look", {"path": "a"})]))
    first = play(one, awaited=awaited)
    assert "already failed" in first.answers["c1"] and "was not run" in first.answers["c3"]
    there.append("a")
    assert play(one, awaited=awaited, messages=first.messages).answers["c9"] == "seen"


def test_a_call_that_fails_again_and_again_ends_the_run(awaited):
    looks = [[call(f"c{turn}", "read_page", {"path": "b"})] for turn in range(9)]
    assert isinstance(play(wrap(agent([read_page], *looks)), awaited=awaited).error, RunStopped)


def test_forty_failures_of_one_message_do_not_end_the_run(awaited):
    calls = [call(f"c{number}", "read_page", {"path": f"b{number}"}) for number in range(40)]
    played = play(wrap(agent([read_page], calls)), awaited=awaited)
    assert played.output == "Done."
    assert sum("Resource not found" in text for text in played.answers.values()) == 40


@pytest.mark.parametrize(
    ("options", "times"),
    [({}, 1), ({"se*": {"read_only": True}}, 3), ({"send": {"destructive": True}}, 1)],
    ids=["undeclared", "read-only", "writes"],
)
def test_how_often_a_tool_runs_whose_connection_is_reset(awaited, options, times):
    ran = []

    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    play(wrap(agent([send], [call("c1", "send", {"text": "a"})]), tool_options=options), awaited=awaited)
    assert len(ran) == times


def test_annotations_of_a_server_are_not_believed():
    ran = []

    def send(**arguments) -> str:
        ran.append(arguments)
        raise ConnectionResetError("reset by peer")

    tool = Tool("send", "Send.", {"type": "object", "properties": {}}, function=send)
    tool.annotations = {"readOnlyHint": True, "idempotentHint": True}
    play(wrap(agent([tool], [call("c1", "send")])))
    assert ran == [{}]


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run(awaited):
    ran = []

    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        ran.append((table, dry_run))
        return "deleted"

    calls = [call("c1", "delete_rows", {"table": "t", "dryrun": True})]
    text = play(wrap(agent([delete_rows], calls)), awaited=awaited).answers["c1"]
    assert "- /dryrun: unknown argument" in text and '"dry_run"' in text
    assert ran == []


@pytest.mark.parametrize("record", [*REPORTS, *DATA], ids=str)
def test_data_that_a_tool_returned_never_stops_the_run(awaited, record):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    calls = [call("c1", "last_entry")]
    played = play(wrap(agent([last_entry], calls)), awaited=awaited)
    assert (played.error, played.output) == (None, "Done.")
    if record in DATA:
        assert played.answers == play(agent([last_entry], calls), awaited=awaited).answers
    else:
        assert reason_of(record) in played.answers["c1"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_past_its_deadline(is_async):
    over = threading.Event()

    def wait(turns: int) -> str:
        """Wait."""
        over.wait(20)
        return "waited"

    async def wait_async(turns: int) -> str:
        """Wait."""
        await asyncio.sleep(20)
        return "waited"

    tool = create_tool_from_function(wait_async if is_async else wait, name="wait")
    played = play(wrap(agent([tool], [call("c1", "wait", {"turns": 1})]), timeout=1), awaited=True)
    over.set()
    assert "No response within" in played.answers["c1"] and played.output == "Done."
    assert ("it was cancelled" in played.answers["c1"]) is is_async


@component
class Adder:
    """Adds."""

    @component.output_types(total=int)
    def run(self, first: int, second: int = 2):
        """Adds.

        :param first: the first.
        :param second: the second.
        """
        return {"total": first + second}


def various():
    def numbers(first: int, second: int = 2) -> dict:
        """Give numbers."""
        return {"sum": first + second, "error_log": ["nothing"]}

    def place(state: State, name: str) -> str:
        """Remember a place."""
        state.set("place", name)
        return f"in {name}"

    def there(where: str, greeting: str = "Hello") -> dict:
        """Greet."""
        return {"text": f"{greeting} from {where}", "seen": [where]}

    def page(word: str) -> list:
        """Give a list."""
        return [word, {"a": 1}]

    made = [create_tool_from_function(tool) for tool in (numbers, place, page)]
    made.append(
        create_tool_from_function(
            there,
            inputs_from_state={"place": "where"},
            outputs_to_state={"seen": {"source": "seen"}},
            outputs_to_string={"source": "text", "handler": str.upper},
        )
    )
    return [*made, ComponentTool(Adder(), name="adder", outputs_to_string={"source": "total"})]


SCHEMA = {"place": {"type": str}, "seen": {"type": list[str]}}


def test_what_succeeds_is_the_same_as_without(awaited):
    calls = [
        call("c1", "numbers", {"first": 1}),
        call("c2", "there", {"greeting": "Hi"}),
        call("c3", "place", {"name": "Rome"}),
        call("c4", "page", {"word": "é"}),
        call("c5", "adder", {"first": 4}),
        call("c6", "there"),
    ]
    made = [agent(various(), calls, state_schema=SCHEMA) for _ in range(2)]
    plain, guarded = (play(one, awaited=awaited, place="Paris") for one in (made[0], wrap(made[1])))
    assert guarded.answers == plain.answers and plain.answers["c2"] == "HI FROM PARIS" and plain.answers["c5"] == "6"
    assert (guarded.result["seen"], guarded.result["place"]) == (["Paris", "Rome"], "Rome")
    assert [message.to_dict() for message in guarded.messages] == [message.to_dict() for message in plain.messages]
    assert guarded.result["tool_call_counts"] == plain.result["tool_call_counts"]
    assert all(type(one.arguments) is dict for message in guarded.messages for one in message.tool_calls)
    assert copy.deepcopy(guarded.messages) == guarded.messages


def test_a_repaired_name_runs_the_tool_with_what_haystack_adds(awaited):
    calls = [call("c1", "There", {"greeting": "Hi"})]
    one = wrap(agent(various(), calls, state_schema=SCHEMA), repair="all", tool_options={"there": {"read_only": True}})
    played = play(one, awaited=awaited, place="Rome")
    assert played.answers["c1"].startswith("HI FROM ROME") and played.result["seen"] == ["Rome"]


def test_a_call_without_an_id_and_the_same_call_twice(awaited):
    ran = []

    def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return f"noted {text}"

    calls = [call(None, "note", {"text": "a"}), call("c2", "note", {"text": "b"}), call("c3", "note", {"text": "b"})]
    played = play(wrap(agent([note], calls)), awaited=awaited)
    assert played.answers == {None: "noted a", "c2": "noted b", "c3": "noted b"} and Counter(ran) == {"a": 1, "b": 2}


def test_a_message_of_which_nothing_could_be_read_is_answered(awaited):
    turns = [[call("c1", "read_page", '{"path": "a" "limit": 3}')], [call("c2", "read_page", '{"path": "a"}')]]
    one = wrap(agent([read_page], *turns))
    assert play(one, awaited=awaited).answers == {"c2": "a 3"}
    assert one.chat_generator.requests[1][-1].text == (
        "Error: your last message had no text, and no tool call that could be read; nothing was run.\n"
        "Next: send the tool call again with its arguments as one valid JSON object, or answer in text."
    )


def test_a_tool_without_a_signature_is_in_nobodys_way():
    least = Tool("least", "Least.", {"type": "object", "properties": {}}, function=min)
    assert play(wrap(agent([least, read_page], [call("c1", "read_page", {"path": "a"})]))).answers == {"c1": "a 3"}


def test_tools_of_a_toolset_and_of_a_run_are_guarded(awaited):
    turns = [[call("c1", "read_page", {"path": "b"})]]
    made = create_tool_from_function(read_page)
    played = play(wrap(agent([], *turns)), awaited=awaited, tools=Toolset([made]))
    assert "Resource not found: b" in played.answers["c1"]


def test_a_fatal_failure_of_an_agent_that_is_a_tool_stops_the_outer_one(awaited):
    inner = wrap(agent([charge], [call("i1", "charge", {"amount": 5})]))
    tool = AgentTool(inner, name="teller", description="Pays.")
    asked = {"messages": [{"role": "user", "content": "Pay."}]}
    outer = wrap(agent([tool], [call("o1", "teller", asked)]))
    played = play(outer, awaited=awaited)
    assert isinstance(played.error, RunStopped), played.answers
    assert isinstance(played.error.error, ToolAuthenticationError)


def test_an_agent_in_a_pipeline():
    pipeline = HaystackPipeline()
    pipeline.add_component("agent", wrap(agent([read_page], [call("c1", "read_page", {"path": "b"})])))
    messages = pipeline.run({"agent": {"messages": [ChatMessage.from_user("Go.")]}})["agent"]["messages"]
    assert "Resource not found: b" in messages[2].tool_call_result.result


def test_a_fatal_failure_in_a_pipeline_is_the_cause_of_its_error():
    pipeline = HaystackPipeline()
    pipeline.add_component("agent", wrap(agent([charge], [call("c1", "charge", {"amount": 5})])))
    with pytest.raises(PipelineRuntimeError) as raised:
        pipeline.run({"agent": {"messages": [ChatMessage.from_user("Go.")]}})
    assert isinstance(raised.value.__cause__, RunStopped)


def test_a_failure_in_a_pipeline_that_is_a_tool_is_known_for_what_it_is(awaited):
    @component
    class Reader:
        @component.output_types(text=str)
        def run(self, path: str):
            raise FileNotFoundError(2, "No such file or directory", path)

    pipeline = HaystackPipeline()
    pipeline.add_component("reader", Reader())
    tool = PipelineTool(
        pipeline,
        name="read",
        description="Read.",
        input_mapping={"path": ["reader.path"]},
        output_mapping={"reader.text": "text"},
    )
    played = play(wrap(agent([tool], [call("c1", "read", {"path": "b"})])), awaited=awaited)
    assert "Resource not found: b" in played.answers["c1"]


def test_a_tool_may_stream():
    chunks = []

    def tell(text: str, streaming_callback=None) -> str:
        streaming_callback(StreamingChunk(content=text))
        return text

    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    tool = Tool("tell", "Tell.", schema, function=tell)
    one = wrap(agent([tool], [call("c1", "tell", {"text": "a"})], tool_streaming_callback_passthrough=True))
    played = play(one, streaming_callback=chunks.append)
    assert played.answers["c1"] == "a" and chunks[0].content == "a" and chunks[1].tool_call_result.result == "a"


def test_a_clone_is_guarded_and_is_not_wrapped_again():
    one = wrap(agent([read_page], [call("c1", "read_page", {"path": "b"})])).clone(max_agent_steps=5)
    assert "Resource not found: b" in play(one).answers["c1"]
    with pytest.raises(UsageError, match="wrapped already"):
        wrap(one)


def test_a_hook_that_comes_later_may_not_replace_calls():
    ran = []

    def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return text

    @hook
    def replace(state: State) -> None:
        state.data["messages"][-1] = ChatMessage.from_assistant(tool_calls=[ToolCall("note", {"text": "b"}, id="c1")])

    one = wrap(agent([note], [call("c1", "note", {"text": "a"})]))
    one.hooks["before_tool"].append(replace)
    played = play(one)
    assert isinstance(played.error, UsageError) and "added after wrap() has replaced a call" in str(played.error)
    assert ran == []


def test_a_run_that_is_cancelled_ends_at_once():
    began = asyncio.Event()

    async def wait(turns: int) -> str:
        """Wait."""
        began.set()
        await asyncio.sleep(60)
        return "waited"

    async def run():
        one = wrap(agent([wait], [call("c1", "wait", {"turns": 1})]))
        task = asyncio.create_task(one.run_async([ChatMessage.from_user("Go.")]))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_hooks_of_the_host_see_and_change_what_they_did_before(awaited):
    seen = []

    @hook
    def before(state: State) -> None:
        seen.append([one.tool_name for one in state.data["messages"][-1].tool_calls])

    @hook
    def after(state: State) -> None:
        seen.append(state.data["messages"][-1].tool_call_result.result)

    one = agent(
        [read_page],
        [call("c1", "read_page", {"path": "a"})],
        hooks={"before_tool": [before], "after_tool": [after]},
    )
    assert play(wrap(one), awaited=awaited).output == "Done."
    assert seen == [["read_page"], "a 3"]


def test_many_runs_of_one_agent_at_once_keep_to_themselves():
    def look(path: str) -> str:
        """Look."""
        raise FileNotFoundError(2, "No such file or directory", path)

    events = capture_events()
    turns = [[call("c1", "look", {"path": "a"})]] * 20 + ["Done."] * 20
    one = wrap(agent([look], *turns), Pipeline(plugins=[events]))

    async def run():
        return await asyncio.gather(*[one.run_async([ChatMessage.from_user("Go.")]) for _ in range(20)])

    for result in asyncio.run(run()):
        assert result["last_message"].text == "Done."
    assert len({event.session_id for event in events.of(CallStarted)}) == 20


def test_fatal_and_repair_without_a_pipeline(awaited):
    own = {"fatal": {"ToolAuthenticationError": False}, "repair": "coerce", "timeout": {"charge": 20}}
    calls = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a", "limit": "4"})]
    played = play(wrap(agent([charge, read_page], calls), **own), awaited=awaited)
    assert played.output == "Done."
    assert played.answers["c2"].startswith("a 4\n")


def test_mistakes_of_the_host_are_named():
    async def look(path: str) -> str:
        """Look."""
        return path

    with pytest.raises(UsageError, match=r"wrap\(\[.*use a haystack.components.agents.Agent"):
        wrap([read_page])
    with pytest.raises(UsageError, match=r"wrap\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        wrap(agent([read_page]), [read_page])
    with pytest.raises(UsageError, match=r"wrap\(fatal=...\): the pipeline decides it"):
        wrap(agent([read_page]), Pipeline(), fatal={})
    with pytest.raises(UsageError, match="wrapped already"):
        wrap(wrap(agent([read_page])))
    with pytest.raises(UsageError, match="raise_on_tool_invocation_failure ends the run at each failure; leave it out"):
        wrap(agent([read_page], raise_on_tool_invocation_failure=True))
    with pytest.raises(UsageError, match="an agent cannot be saved after wrap"):
        wrap(agent([])).to_dict()
    with pytest.raises(UsageError, match="cannot be loaded with wrap"):
        type(wrap(agent([])).hooks["after_tool"][-1]).from_dict({})
    with pytest.raises(UsageError, match="no such tool. Did you mean 'read_page'"):
        wrap(agent([read_page]), timeout={"raed_page": 3})
    with pytest.raises(UsageError, match="no tool has such a name. Did you mean 'read_page'"):
        wrap(agent([read_page]), tool_options={"raed_page": {}})
    played = play(wrap(agent([look], [call("c1", "look", {"path": "a"})])))
    assert isinstance(played.error, UsageError), played.answers
    assert str(played.error) == "tool 'look' is async: use agent.run_async(), which awaits it"


def test_a_misspelt_name_of_a_tool_that_comes_with_a_run_is_named():
    one = wrap(agent([], [call("c1", "read_page", {"path": "a"})]), timeout={"raed_page": 3})
    played = play(one, tools=[create_tool_from_function(read_page)])
    assert isinstance(played.error, UsageError) and "Did you mean 'read_page'" in str(played.error)
