"""What the model reads, what is reported of a run, what runs how often, and the mistakes of the host."""

import asyncio
import threading

import pytest
from crewai import Agent, Process, Task
from crewai.hooks.dispatch import HookAborted
from crewai.tools import BaseTool, tool
from crewai.tools.tool_failure import ToolExecutionFailedError, ToolFailure, ToolFailurePolicy, ToolFailureReason
from crewai_play import agent, as_tool, crew, play, script
from mulligan_crewai import RunStopped, wrap
from mulligan_testkit.calls import MISTYPED
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from pydantic import BaseModel, Field

from mulligan import Limits, Pipeline, Policy
from mulligan.errors import RepeatedCallError, ToolAuthenticationError, ToolQuotaError, UsageError
from mulligan.plugin import AttemptFailed, CallFinished, CallRepaired, CallStarted, Notice, RequestNoted, StepFinished
from mulligan.testing import capture_events


def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


def charge(amount: int) -> str:
    """Charge a card."""
    raise ToolAuthenticationError("The key was refused.", provider="bank")


def alone(tools, *steps, native=True, **options):
    return wrap(agent(tools, *steps, native=native), **options)


def in_crew(tools, *steps, native=True, **options):
    return wrap(crew(agent(tools, *steps, native=native)), **options)


WAYS = pytest.mark.parametrize("made", [alone, in_crew], ids=["agent", "crew"])
MODES = pytest.mark.parametrize("native", [True, False], ids=["native", "text"])
MIXED = [
    *MISTYPED,
    ("c6", "read_page", '{"path": '),
    ("c7", "read_page", {"path": "a", "limit": "4"}),
]


@WAYS
@MODES
@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_each_failure_is_answered_and_the_run_goes_on(made, native, awaited):
    played = play(made([read_page], list(MIXED), native=native), awaited=awaited)
    assert (played.output, played.error) == ("Done.", None)
    answers = {id: text.partition("\n\n\nYou ONLY have access")[0] for id, text in played.answers.items()}
    assert answers["c1"] == "a 3"
    assert "- /file: unknown argument; allowed: path, limit.\n- /path: missing" in answers["c2"]
    assert 'Did you mean "read_page"?' in answers["c3"]
    assert answers["c4"].startswith("Error executing tool read_page: Resource not found: b\n")
    assert '- /limit: wrong type; expected integer; got "many".' in answers["c5"]
    assert "not valid JSON: it ends too early at line 1 column" in answers["c6"]
    assert answers["c7"] == "a 4"  # CrewAI reads "4" as 4


@WAYS
@MODES
@pytest.mark.parametrize("timeout", [None, 9])
def test_each_call_and_each_message_is_reported_once(made, native, timeout):
    events = capture_events()
    steps = [list(MIXED), [("d1", "read_page", {"path": "b"})]]
    play(made([read_page], *steps, native=native, pipeline=Pipeline(plugins=[events]), timeout=timeout))
    finished = events.of(CallFinished)
    assert [len(events.of(kind)) for kind in (CallStarted, CallFinished)] == [8, 8]
    assert len({event.call_id for event in finished}) == 8
    if native:
        assert sorted(event.call_id for event in finished) == ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "d1"]
        steps = [(step.step, sorted(step.ids)) for step in events.of(StepFinished)]
        assert steps == [(1, ["c1", "c2", "c3", "c4", "c5", "c6", "c7"]), (2, ["d1"])]
    else:
        assert [(step.step, len(step.ids)) for step in events.of(StepFinished)] == [(one, 1) for one in range(1, 9)]
    notices = [notice.text for notice in events.of(Notice)]
    assert notices == ["Resource not found: b."] if native else notices[-1] == "Resource not found: b."
    assert len(events.of(AttemptFailed)) == 2
    (session,) = {event.session_id for event in events}
    assert session


@MODES
def test_a_name_that_is_almost_that_of_a_tool_runs_nothing(native):
    ran = []

    def delete_file(path: str) -> str:
        """Delete a file."""
        ran.append(path)
        return "deleted"

    calls = [("c1", "delete_files", {"path": "a"}), ("c2", "delete_fil", {"path": "b"})]
    play(agent([delete_file], list(calls), native=native))
    assert ran == ([] if native else ["a", "b"])  # what CrewAI does alone
    ran.clear()
    played = play(alone([delete_file], list(calls), native=native))
    assert (ran, played.output) == ([], "Done.")
    assert played.answers["c1"].startswith("Error: Tool 'delete_files' not found.\n")
    assert played.answers["c2"].startswith("Error: Tool 'delete_fil' not found.\n")


@MODES
def test_a_call_of_an_unknown_name_is_not_listed_among_the_tools(native):
    names = [[(f"c{turn}", f"paint_{turn}", {})] for turn in range(4)]
    played = play(in_crew([read_page], *names, native=native))
    for turn in range(4):
        assert f"Error: Tool 'paint_{turn}' not found.\nAvailable tools (1): read_page." in played.answers[f"c{turn}"]


@WAYS
@MODES
@pytest.mark.parametrize(
    "options", [{}, {"tool_options": {"se*": {"read_only": True}}}], ids=["undeclared", "declared"]
)
def test_how_often_a_tool_runs_whose_connection_is_reset(made, native, options):
    ran = []

    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    played = play(made([send], [("c1", "send", {"text": "a"})], native=native, **options))
    assert len(ran) == (3 if options else 1)
    assert ("may have taken effect" in played.answers["c1"]) is (not options)


@MODES
def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run(native):
    ran = []

    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        ran.append((table, dry_run))
        return "deleted"

    calls = [("c1", "delete_rows", {"table": "t", "dryrun": True})]
    text = play(alone([delete_rows], calls, native=native)).answers["c1"]
    assert "- /dryrun: unknown argument" in text and '"dry_run"' in text
    assert ran == []


@MODES
def test_an_async_tool_is_run_by_a_sync_crew_too(native):
    async def look(path: str) -> str:
        """Look."""
        await asyncio.sleep(0)
        return f"looked at {path}"

    assert play(alone([look], [("c1", "look", {"path": "a"})], native=native)).answers["c1"] == "looked at a"


def test_how_often_crewai_runs_it_alone():
    ran = []

    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    play(agent([send], [("c1", "send", {"text": "a"})], native=False))
    assert len(ran) == 6


@WAYS
@MODES
def test_a_fatal_failure_stops_the_run_after_every_call_is_answered(made, native):
    calls = [("c1", "charge", {"amount": 5}), ("c2", "read_page", {"path": "a"})]
    target = made([charge, read_page], list(calls), native=native)
    played = play(target)
    stopped = played.error
    assert isinstance(stopped, RunStopped) and isinstance(stopped, HookAborted)
    assert stopped.__cause__ is stopped.error
    assert stopped.error.user_message.startswith("bank rejected the credentials used by charge.")
    assert str(stopped).startswith("ToolAuthenticationError in tool charge: The key was refused. bank rejected")
    assert "The key was refused." in played.answers["c1"]
    assert str(stopped.messages).count("The key was refused.") == 1
    if native:
        assert [one["tool_call_id"] for one in stopped.messages if one["role"] == "tool"] == ["c1", "c2"]
        assert played.answers["c2"] == "a 3"


def test_crewai_does_not_make_the_task_again_after_a_fatal_failure():
    one = agent([charge], [("c1", "charge", {"amount": 5})], max_retry_limit=2)
    assert isinstance(play(wrap(crew(one))).error, RunStopped)
    assert len(one.llm.requests) == 1


def test_a_fatal_failure_beside_a_tool_whose_result_is_the_answer_is_not_passed_over():
    direct = as_tool(read_page)
    direct.result_as_answer = True
    played = play(alone([charge, direct], [("c1", "charge", {"amount": 5}), ("c2", "read_page", {"path": "a"})]))
    assert isinstance(played.error, RunStopped)


@MODES
def test_a_failure_is_never_the_answer(native):
    direct = as_tool(read_page)
    direct.result_as_answer = True
    calls = [("c1", "read_page", {"path": "b"})], [("c2", "read_page", {"path": "a"})]
    played = play(alone([direct], *calls, native=native))
    assert played.output == "a 3" and "Resource not found: b" in played.answers["c1"]


@WAYS
def test_forty_failures_of_one_message_do_not_end_the_run(made):
    played = play(made([read_page], [(f"c{number}", "read_page", {"path": f"b{number}"}) for number in range(40)]))
    assert played.output == "Done."
    assert sum("Resource not found" in text for text in played.answers.values()) == 40


@MODES
def test_the_same_failing_call_ends_the_run_and_a_new_message_lets_it_run_again(native):
    ran = []

    def print_it(number: int) -> str:
        """Print."""
        ran.append(number)
        raise RuntimeError("the printer is on fire")

    target = alone([print_it], *[[(f"c{turn}", "print_it", {"number": 7})] for turn in range(9)], native=native)
    played = play(target)
    assert isinstance(played.error, RunStopped) and isinstance(played.error.error, RepeatedCallError)
    assert len(ran) == 3
    play(target, "Again.")
    assert len(ran) == 6


@WAYS
@MODES
def test_after_a_fatal_failure_a_new_message_may_repeat_the_same_call(made, native):
    keys = ["old"]

    def bill(amount: int) -> str:
        """Bill a customer."""
        if keys[-1] == "old":
            raise ToolAuthenticationError("The key was refused.", provider="bank")
        return "billed"

    target = made([bill], [("c1", "bill", {"amount": 5})], [("c2", "bill", {"amount": 5})], native=native)
    assert isinstance(play(target).error, RunStopped)
    keys.append("new")
    played = play(target, "The key is new.")
    assert (played.output, played.error, played.answers["c2"]) == ("Done.", None, "billed")


class Window(BaseModel):
    start: int = Field(alias="from")
    end: int = 9


class Look(BaseTool):
    name: str = "look"
    description: str = "Look."
    args_schema: type[BaseModel] = Window

    def _run(self, **arguments):
        return str(arguments)


@MODES
def test_arguments_with_another_name_in_the_tools_own_model_are_read_as_generously(native):
    calls = [("c1", "look", {"from": "5", "end": "7"}), ("c2", "look", {"from": 5, "until": 6})]
    played = play(alone([Look()], calls, native=native))
    assert played.answers["c1"] == "{'start': 5, 'end': 7}"
    assert "- /until: unknown argument" in played.answers["c2"]


@MODES
@pytest.mark.parametrize("record", [*REPORTS, *DATA], ids=str)
def test_data_that_a_tool_returned_never_stops_the_run(record, native):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    played = play(alone([last_entry], [("c1", "last_entry", {})], native=native))
    assert (played.error, played.output) == (None, "Done.")
    if record in DATA:
        assert played.answers["c1"] == str(record)
    else:
        assert reason_of(record) in played.answers["c1"]


@MODES
def test_feedback_of_a_person_lets_the_same_calls_run_again(native, monkeypatch):
    ran, said = [], iter(["Look again.", ""])
    monkeypatch.setattr("builtins.input", lambda *_: next(said))
    events = capture_events()

    def look(path: str) -> str:
        """Look."""
        ran.append(path)
        raise FileNotFoundError(2, "No such file or directory", path)

    looks = [[(f"c{turn}", "look", {"path": "a"})] for turn in range(4)]
    again = [[(f"d{turn}", "look", {"path": "a"})] for turn in range(2)]
    one = agent([look], *looks, "No.", *again, "Still no.", native=native)
    task = Task(description="Do it.", expected_output="It is done.", agent=one, human_input=True)
    played = play(wrap(crew(one, tasks=[task]), Pipeline(plugins=[events])))
    assert played.output == "Still no."
    assert len(ran) == 5 and "was not run" in played.answers["c3"]
    assert len({event.session_id for event in events}) == 1


def test_tasks_are_conversations_of_their_own():
    events = capture_events()
    looks = [[("c1", "read_page", {"path": "b"})], "No.", [("c1", "read_page", {"path": "b"})], "No."]
    one = agent([read_page], *looks)
    tasks = [Task(description=text, expected_output="done", agent=one) for text in ("Look.", "Look again.")]
    play(wrap(crew(one, tasks=tasks), Pipeline(plugins=[events])))
    assert len({event.session_id for event in events}) == 2 and len(events.of(CallFinished)) == 2


@MODES
def test_a_broken_call_that_the_host_lets_be_repaired_is_one_call(native):
    events = capture_events()
    pipeline = Pipeline(plugins=[events], policy=Policy(repair="json"))
    sent = '{"path": "a",}' if native else '{"path": "a", "limit": 4'
    played = play(alone([read_page], [("c1", "read_page", sent)], native=native, pipeline=pipeline))
    if native:
        assert played.answers["c1"].startswith("a 3\nNote: your arguments were not valid JSON")
        kinds = [type(event) for event in events]
        assert kinds == [RequestNoted, CallStarted, CallRepaired, CallFinished, StepFinished]
    else:
        assert "cut off; nothing was run" in played.answers["c1"]
        guessed = play(agent([read_page], [("c1", "read_page", sent)], native=False))  # CrewAI alone
        assert guessed.answers["c1"] == "a 4"


@pytest.mark.parametrize(
    "written", ["{'path': 'a', 'limit': None or 4}", "{'path': 'a', 'limit': 4}", '```json\n{"path": "a", "limit": 4}\n```',
                '{path: "a", limit: 4,}', '{"path": "a", "limit": 4}\nObservation: a 9']
)  # fmt: skip
def test_arguments_written_as_crewai_asks_for_them_are_read_and_nothing_is_guessed(written):
    played = play(alone([read_page], [("c1", "read_page", written)], native=False))
    is_exact = "None or" not in written
    told = "a 4" if is_exact else "Error executing tool read_page: Invalid arguments: not valid JSON"
    assert told in played.answers["c1"]


class Rows(BaseModel):
    rows: int


class Count(BaseTool):
    name: str = "Count rows"
    description: str = "Counts the rows."

    def _run(self, table: str) -> Rows:
        return Rows(rows=len(table))


class Shown(BaseTool):
    name: str = "shown"
    description: str = "Shows in its own way."

    def _run(self) -> dict:
        return {"a": 1}

    def format_output_for_agent(self, raw_result):
        return f"shown: {raw_result}"


def values():
    def give(kind: str) -> object:
        """Give a value."""
        return {"dict": {"a": [1]}, "none": None, "list": [1, "a"], "empty": "", "number": 7, "text": " spaced "}[kind]

    async def wait(word: str) -> str:
        """Wait."""
        await asyncio.sleep(0)
        return f"waited for {word}"

    def own(text: str) -> object:
        """Say it in words of your own."""
        return ToolFailure(message=f"Locked: {text}", code="locked")

    return [give, wait, own, Count(), Shown()]


@WAYS
@MODES
def test_what_a_tool_returns_is_as_without(made, native):
    calls = [(f"c{kind}", "give", {"kind": kind}) for kind in ("dict", "none", "list", "empty", "number", "text")]
    calls += [("w", "wait", {"word": "a"}), ("r", "count_rows", {"table": "abc"}), ("s", "shown", {})]
    plain = agent(values(), list(calls), native=native)
    answers = [
        play(plain if made is alone else crew(plain)).answers,
        play(made(values(), list(calls), native=native)).answers,
    ]
    assert answers[0] == answers[1] and len(answers[0]) == len(calls)


@MODES
def test_a_failure_in_the_authors_words_is_kept_and_recorded(native):
    played = play(alone(values(), [("c1", "own", {"text": "a"})], native=native))
    assert 'The tool says: "Locked: a (code: locked)"' in played.answers["c1"]
    (record,) = played.result.tool_failures
    assert (record.tool_name, record.failure.code, record.failure.reason) == ("own", "locked", "tool_reported")


@MODES
def test_crewai_records_failures_and_raises_them_if_the_host_wants_it(native):
    calls = [("c1", "raed_page", {}), ("c2", "read_page", {}), ("c3", "read_page", {"path": "b"})]
    played = play(alone([read_page], list(calls), native=native))
    reasons = {record.failure.reason for record in played.result.tool_failures}
    assert reasons == {ToolFailureReason.UNKNOWN_TOOL, ToolFailureReason.INVALID_INPUT, ToolFailureReason.EXCEPTION}
    one = agent([read_page], list(calls), native=native, tool_failure_policy=ToolFailurePolicy.RAISE)
    assert isinstance(play(wrap(one)).error, ToolExecutionFailedError)


@MODES
def test_a_tool_that_hangs_frees_the_turn(native):
    gate = threading.Event()

    def wait() -> str:
        """Wait."""
        gate.wait(30)
        return "late"

    try:
        played = play(
            alone([wait, read_page], [("c1", "wait", {}), ("c2", "read_page", {"path": "a"})], native=native, timeout=1)
        )
    finally:
        gate.set()
    assert "No response within 1 s" in played.answers["c1"] and "may still be running" in played.answers["c1"]
    assert (played.answers["c2"], played.output) == ("a 3", "Done.")


def test_a_call_that_is_made_again_with_its_id_runs_once_and_gets_its_answer():
    paid = []

    def pay(amount: int) -> dict:
        """Pay an amount."""
        paid.append(amount)
        return {"paid": amount}

    one = alone([pay], [("c1", "pay", {"amount": 5})], [("c1", "pay", {"amount": 5})])
    play(one)
    assert paid == [5]
    answers = [message["content"] for message in one.llm.requests[2] if message["role"] == "tool"]
    assert answers == ["{'paid': 5}", "{'paid': 5}"]


def test_a_crew_that_is_awaited_natively():
    one = in_crew([read_page], list(MIXED))
    assert asyncio.run(one.akickoff()).raw == "Done."
    assert 'Did you mean "read_page"?' in one.agents[0].llm.answers["c3"]


@pytest.mark.parametrize("arguments", [None, "", {}, "[1]", [1], "7"], ids=repr)
def test_arguments_that_are_none_or_no_object(arguments):
    ran = []

    def look() -> str:
        """Look."""
        ran.append(1)
        return "seen"

    one = alone([look])
    call = {"id": "c1", "name": "look", "input": arguments}
    said = iter([[call], "Done."])
    object.__setattr__(one.llm, "call", lambda messages, **_: one.llm._read(messages) or next(said))
    played = play(one)
    is_none = not arguments
    assert len(ran) == is_none and (played.answers["c1"] == "seen") is is_none
    assert is_none or "Invalid arguments" in played.answers["c1"]


def test_calls_to_which_the_provider_gives_no_id_all_run():
    class Part:
        def __init__(self, amount):
            self.function_call = type("Call", (), {"name": "pay", "args": {"amount": amount}})()

    paid = []

    def pay(amount: int) -> str:
        """Pay an amount."""
        paid.append(amount)
        return "paid"

    one = alone([pay])
    parts = iter([[Part(5)], [Part(5)], [Part(5)]])
    object.__setattr__(one.llm, "call", lambda *_, **__: next(parts, "Done."))
    assert play(one).output == "Done." and paid == [5, 5, 5]


@MODES
def test_a_text_that_is_too_long_is_shortened(native):
    def draw() -> str:
        """Draw."""
        return "x" * 500

    played = play(
        alone([draw], [("c1", "draw", {})], native=native, pipeline=Pipeline(limits=Limits(result_chars=200)))
    )
    assert "characters left out]" in played.answers["c1"] and len(played.answers["c1"]) <= 200


def test_fatal_and_repair_without_a_pipeline():
    own = {"fatal": {"ToolAuthenticationError": False}, "repair": "json", "timeout": {"charge": 20}}
    calls = [("c1", "charge", {"amount": 5}), ("c2", "read_page", '{"path": "a",}')]
    played = play(alone([charge, read_page], calls, **own))
    assert played.output == "Done." and played.answers["c2"].startswith("a 3\n")


@MODES
def test_a_tool_that_may_be_used_so_often_is_not_used_up_by_calls_that_ran_nothing(native):
    ran = []

    @tool(max_usage_count=2)
    def look(path: str) -> str:
        """Look."""
        ran.append(path)
        return path

    calls = [[("c1", "look", {"file": "a"})], [("c2", "look", {"path": "a"})], [("c3", "look", {"path": "b"})]]
    played = play(alone([look], *calls, [("c4", "look", {"path": "c"})], native=native))
    assert ran == ["a", "b"] and "has reached its usage limit of 2 times" in played.answers["c4"]


@pytest.mark.parametrize("native", [True, False], ids=["native", "text"])
def test_the_cache_keeps_what_succeeded_and_its_function_sees_no_failure_as_a_value(native):
    ran = []

    def look(path: str) -> int:
        """Look."""
        ran.append(path)
        if len(ran) == 1:
            raise FileNotFoundError(2, "No such file or directory", path)
        return 7

    looking = as_tool(look)
    looking.cache_function = lambda _, value: value % 2 == 1  # raises for a failure
    steps = [[(f"c{turn}", "look", {"path": "a"})] for turn in range(2)]
    other = [("o", "read_page", {"path": "a"})]
    played = play(
        wrap(agent([looking, read_page], *steps, other, [("c2", "look", {"path": "a"})], cache=True, native=native))
    )
    assert "Resource not found: a" in played.answers["c0"]
    assert (played.answers["c1"], played.answers["c2"][:1]) == ("7", "7") and ran == ["a", "a"]


def test_agents_to_whom_a_task_is_delegated_are_wrapped_and_their_fatal_failures_end_the_run():
    for amount, is_fatal in ((1, False), (2, True)):

        def pay(amount: int) -> str:
            """Pay an amount."""
            if amount > 1:
                raise ToolQuotaError("The credit is used up.")
            return "paid"

        payer = agent(
            [pay], [("i1", "pay", {"amout": 1})], [("i2", "pay", {"amount": amount})], "I paid.", role="payer"
        )
        work = {"task": "Pay.", "context": "None.", "coworker": "payer"}
        steps = [[("c1", "delegate_work_to_coworker", work), ("c2", "read_page", {"path": "a"})]]
        boss = agent([read_page], *steps, role="boss", allow_delegation=True)
        task = Task(description="Do it.", expected_output="It is done.", agent=boss)
        played = play(wrap(crew(boss, payer, tasks=[task])))
        assert "/amout: unknown argument" in payer.llm.answers["i1"]
        assert played.answers["c2"] == "a 3"
        if is_fatal:
            assert isinstance(played.error, RunStopped) and isinstance(played.error.error, ToolQuotaError)
            assert "The credit is used up." in played.answers["c1"]
        else:
            assert (played.output, played.answers["c1"]) == ("Done.", "I paid.")


def test_an_author_may_deal_with_the_fatal_failure_of_another_agent():
    def ask(question: str) -> str:
        """Ask another agent."""
        try:
            return inner.kickoff(question).raw
        except RunStopped as stopped:
            return f"No answer: {stopped.error.provider}"

    for is_handled in (True, False):
        inner = alone([charge], [("i1", "charge", {"amount": 5})])
        tool = as_tool(ask) if is_handled else as_tool(lambda: None or inner.kickoff("Go.").raw, "ask")
        played = play(alone([tool], [("c1", "ask", {"question": "?"} if is_handled else {})]))
        if is_handled:
            assert (played.output, played.answers["c1"]) == ("Done.", "No answer: bank")
        else:
            assert isinstance(played.error, RunStopped) and isinstance(played.error.error, ToolAuthenticationError)


def test_the_manager_that_a_crew_makes_is_wrapped():
    manager = script([("m1", "delegate_work_to_cowerker", {})], "Managed.")
    one = agent([read_page])
    task = Task(description="Do it.", expected_output="It is done.")
    played = play(wrap(crew(one, tasks=[task], process=Process.hierarchical, manager_llm=manager)))
    assert played.output == "Managed."
    assert 'Did you mean "delegate_work_to_coworker"?' in str(manager.requests[-1])


def test_copies_of_a_crew_are_wrapped():
    one = agent([read_page], lambda _: [("c1", "raed_page", {"path": "a"})])
    made = wrap(crew(one))
    requests = one.llm.requests
    outputs = made.kickoff_for_each(inputs=[{"a": "1"}])
    assert [output.raw for output in outputs] == ["Done."]
    assert 'Did you mean "read_page"?' in str(requests[-1])


def test_a_wrapped_agent_is_what_it_was():
    one = agent([read_page])
    before = one.model_dump(exclude={"tools", "llm", "agent_executor"})
    wrap(one)
    assert isinstance(one, Agent) and type(one).__name__ == "Agent"
    assert one.model_dump(exclude={"tools", "llm", "agent_executor"}) == before
    with pytest.raises(UsageError, match=r"cannot be restored after wrap\(\): restore it first, then wrap it"):
        type(one).from_checkpoint(None)


def test_many_runs_at_once_keep_to_themselves():
    events = capture_events()
    pipeline = Pipeline(plugins=[events])
    calls = [[(f"c{turn}", "read_page", {"path": "b"})] for turn in range(2)]

    async def run():
        made = [alone([read_page], *calls, pipeline=pipeline) for _ in range(8)]
        return await asyncio.gather(*[one.kickoff_async("Go.") for one in made])

    assert [one.raw for one in asyncio.run(run())] == ["Done."] * 8
    assert len({event.session_id for event in events}) == 8 and len(events.of(StepFinished)) == 16


def test_mistakes_of_the_host_are_named():
    with pytest.raises(UsageError, match=r"wrap\(\[.*use a crewai.Agent or a crewai.Crew"):
        wrap([read_page])
    with pytest.raises(UsageError, match=r"wrap\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        wrap(agent([read_page]), [read_page])
    with pytest.raises(UsageError, match=r"wrap\(fatal=...\): the pipeline decides it"):
        wrap(agent([read_page]), Pipeline(), fatal={})
    with pytest.raises(UsageError, match="agent 'helper' is wrapped already"):
        wrap(wrap(agent([read_page])))
    with pytest.raises(UsageError, match="agent 'helper' is wrapped already"):
        wrap(crew(wrap(agent([read_page]))))
    for target in (agent([read_page]), crew(agent([read_page]))):
        with pytest.raises(UsageError, match="no such tool. Did you mean 'read_page'"):
            wrap(target, timeout={"raed_page": 3})
        with pytest.raises(UsageError, match="no tool has such a name. Did you mean 'read_page'"):
            wrap(target, tool_options={"raed_page": {}})
    later = Task(description="Do it.", expected_output="It is done.", tools=[as_tool(read_page)])
    one = wrap(agent([]), timeout={"raed_page": 3})
    assert "Did you mean 'read_page'" in str(play(crew(one, tasks=[later.model_copy(update={"agent": one})])).error)
