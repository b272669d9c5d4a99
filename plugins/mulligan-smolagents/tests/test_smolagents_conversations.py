"""What the model reads when a call fails, what is reported of a run, what runs how often, and the mistakes of the host."""

from __future__ import annotations

import threading

import PIL.Image
import pytest
from mulligan_smolagents import RunStopped, guard
from mulligan_testkit.calls import CUT_OFF
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from smolagents import CodeAgent, Tool, ToolCallingAgent, tool
from smolagents.agent_types import AgentImage
from smolagents.utils import AgentError
from smolagents_play import Script, agent, play

from mulligan import Approve, Limits, Pipeline, Policy, Reject
from mulligan.errors import RepeatedCallError, ToolAuthenticationError, ToolQuotaError, UsageError
from mulligan.plugin import AttemptFailed, CallFinished, CallRepaired, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events


@tool
def read_page(path: str, limit: int | None = 3) -> str:
    """Read a page.

    Args:
        path: its path.
        limit: how many lines.
    """
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


MIXED = [*CUT_OFF, ("c6", "read_page", {})]


@pytest.mark.parametrize("timeout", [None, 9])
def test_each_call_and_each_message_is_reported_once(timeout):
    events = capture_events()
    one = agent(MIXED, [("d1", "read_page", {"path": "b"})], "ok", tools=[read_page])
    played = play(guard(one, Pipeline(plugins=[events]), timeout=timeout))
    assert (played.last, played.error) == ("ok", None)
    ids = ["answer", "c1", "c2", "c3", "c4", "c5", "c6", "d1"]
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ids
    steps = [(step.step, sorted(step.ids)) for step in events.of(StepFinished)]
    assert steps == [(1, ids[1:7]), (2, ["d1"]), (3, ["answer"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    assert {(failed.step, failed.call_id, failed.attempt) for failed in events.of(AttemptFailed)} == {
        (1, "c5", 1),
        (2, "d1", 1),
    }
    (session,) = {event.session_id for event in events}
    assert session
    assert played.answers["c1"] == "a 3"
    assert "- /file: unknown argument; allowed: path, limit.\n- /path: missing" in played.answers["c2"]
    assert "not valid JSON: it ends too early at line 1 column 10" in played.answers["c3"]
    assert 'Did you mean "read_page"?' in played.answers["c4"]
    assert "Resource not found: b" in played.answers["c5"]
    assert "/path: missing" in played.answers["c6"]


def test_a_repaired_call_is_one_call():
    events = capture_events()
    one = agent([("c1", "read_page", '{"path": "a",}')], "ok", tools=[read_page])
    played = play(guard(one, Pipeline(plugins=[events], policy=Policy(repair="json"))))
    assert played.answers["c1"].startswith("a 3\nNote: your arguments were not valid JSON")
    kinds = [type(event) for event in events if event.step == 1]
    assert kinds == [CallStarted, CallRepaired, CallFinished, StepFinished]


def submit(ran):
    @tool
    def send(text: str) -> str:
        """Send a text.

        Args:
            text: the text.
        """
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    return send


def test_a_tool_that_is_not_declared_runs_once_and_one_that_the_host_calls_read_only_runs_again():
    for options, times in (({}, 1), ({"se*": {"read_only": True}}, 3)):
        ran = []
        one = guard(agent([("c1", "send", {"text": "a"})], "ok", tools=[submit(ran)]), tool_options=options)
        assert ("may have taken effect" in play(one).answers["c1"]) is (times == 1)
        assert len(ran) == times


@pytest.mark.parametrize("hints", [{"readOnlyHint": True}, {"readOnlyHint": True, "destructiveHint": True}], ids=str)
def test_annotations_of_a_server_are_not_believed(hints):
    ran = []
    send = submit(ran)
    send.annotations = hints
    played = play(guard(agent([("c1", "send", {"text": "a"})], "ok", tools=[send])))
    assert "may have taken effect" in played.answers["c1"] and ran == ["a"]


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run():
    ran = []

    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        ran.append((table, dry_run))
        return "deleted"

    calls = [("c1", "delete_rows", {"table": "t", "dryrun": True})]
    text = play(guard(agent(calls, "ok", tools=[delete_rows]))).answers["c1"]
    assert "- /dryrun: unknown argument" in text and '"dry_run"' in text
    assert ran == []


def test_failures_of_one_message_neither_refuse_nor_stop_its_other_calls():
    ran = []

    def check(number: int) -> str:
        """Check a record."""
        ran.append(number)
        if number < 25:
            raise FileNotFoundError(2, "No such file or directory", f"record-{number}")
        return f"found {number}"

    calls = [(f"c{number}", "check", {"number": number}) for number in range(40)]
    played = play(guard(agent(calls, "ok", tools=[check])))
    assert (played.error, played.last, sorted(ran)) == (None, "ok", list(range(40)))
    assert all("Resource not found: record-" in played.answers[f"c{number}"] for number in range(25))
    assert [played.answers[f"c{number}"] for number in range(25, 40)] == [f"found {number}" for number in range(25, 40)]


@pytest.mark.parametrize("record", [*REPORTS, *DATA], ids=str)
def test_data_that_a_tool_returned_never_stops_the_run(record):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    played = play(guard(agent([("c1", "last_entry", {})], "ok", tools=[last_entry])))
    assert (played.error, played.last) == (None, "ok")
    if record in DATA:
        assert played.answers["c1"] == str(record)
    else:
        assert reason_of(record) in played.answers["c1"]


def charging(keys):
    def charge(amount: int) -> str:
        """Charge a card."""
        if keys[-1] == "old":
            raise ToolAuthenticationError("The key was refused.", provider="bank")
        return "charged"

    return charge


def test_a_fatal_failure_ends_the_run_when_every_call_is_answered_and_the_next_run_begins_anew():
    keys = ["old"]
    turns = [[("c1", "charge", {"amount": 5}), ("c2", "read_page", {"path": "a"})], [("c3", "charge", {"amount": 5})]]
    one = guard(agent(*turns, "ok", tools=[charging(keys), read_page]))
    played = play(one)
    stopped = played.error
    assert isinstance(stopped, RunStopped) and stopped.__cause__ is stopped.error
    assert stopped.error.user_message.startswith("bank rejected the credentials used by charge.")
    assert str(stopped).startswith("ToolAuthenticationError in tool charge: The key was refused. bank rejected")
    assert played.answers["c2"] == "a 3" and len(one.model.requests) == 1
    told = str(stopped.messages[-1].content)
    assert "bank rejected the credentials" not in told and "The key was refused." in told and "a 3" in told
    assert str(one.memory.steps[-1].observations).endswith("a 3")
    with pytest.raises(RunStopped):
        guard(agent(*turns, tools=[charging(["old"]), read_page])).run("go")
    keys.append("new")
    assert play(one, "The key is new.", reset=False).answers["c3"] == "charged"


def test_the_same_failing_call_is_refused_and_then_ends_the_run():
    ran = []

    def print_it(number: int) -> str:
        """Print."""
        ran.append(number)
        raise RuntimeError("the printer is on fire")

    one = guard(agent(*[[(f"c{turn}", "print_it", {"number": 7})] for turn in range(9)], tools=[print_it]))
    played = play(one)
    assert isinstance(played.error, RunStopped) and isinstance(played.error.error, RepeatedCallError)
    assert len(ran) == 3
    play(one, "Again.")
    assert len(ran) == 6


@pytest.mark.parametrize("late", [False, True], ids=["given", "added later"])
@pytest.mark.parametrize("amount", [1, 2])
def test_an_agent_that_is_managed_is_guarded_too_and_its_fatal_failure_ends_the_outer_run(late, amount):
    def pay(amount: int) -> str:
        """Pay."""
        if amount > 1:
            raise ToolQuotaError("The credit is used up.")
        return "paid"

    inner = agent([("i1", "pay", {"amout": 1})], [("i2", "pay", {"amount": amount})], "done", tools=[pay])
    inner.name, inner.description = "payer", "Pays."
    calls = [("c1", "payer", {"task": "pay"}), ("c2", "read_page", {"path": "a"})]
    one = agent(calls, "ok", tools=[read_page], managed_agents=[inner])
    if late:
        one.managed_agents = {}
        guard(one)
        one.managed_agents = {"payer": inner}
    else:
        guard(one)
    played = play(one)
    assert "/amout: unknown argument" in str(inner.model.requests[1])
    if amount == 1:
        assert played.last == "ok" and "done" in played.answers["c1"]
    else:
        assert isinstance(played.error, RunStopped) and isinstance(played.error.error, ToolQuotaError)
        assert "The credit is used up." in played.answers["c1"] and played.answers["c2"] == "a 3"


def test_a_final_answer_that_cannot_be_taken_is_no_answer():
    turns = [[("c1", "final_answer", {"anwser": "no"})], [("c2", "final_answer", '{"answer": "no"')], "yes"]
    one = guard(agent(*turns))
    played = play(one)
    assert played.last == "yes"
    assert "/anwser: unknown argument; allowed: answer." in str(one.model.requests[1])
    assert "not valid JSON" in str(one.model.requests[2])


class Picture(Tool):
    name, description, output_type = "picture", "A picture.", "image"
    inputs = {}

    def forward(self):
        return PIL.Image.new("RGB", (2, 3))


class Measure(Tool):
    name, description, output_type = "measure", "Measures a picture.", "string"
    inputs = {
        "image": {"type": "object", "description": "The picture."},
        "table": {"type": "object", "description": "t"},
    }

    def forward(self, image, table):
        return f"{image.size} {table}"


def test_pictures_are_kept_and_variables_stand_for_their_values():
    calls = [[("c1", "picture", {})], [("c2", "measure", {"image": "image.png", "table": "table"})]]
    results = []
    for is_guarded in (False, True):
        one = agent(*calls, [("c3", "measure", {"image": "x", "table": "y"})], "ok", tools=[Picture(), Measure()])
        played = play(guard(one) if is_guarded else one, additional_args={"table": {"a": 1}})
        results.append(played.answers)
        assert isinstance(one.state["image.png"], AgentImage)
    assert results[0]["c1"] == results[1]["c1"] and results[0]["c2"] == results[1]["c2"] == "(2, 3) {'a': 1}"
    assert "/table: wrong type; expected object" in results[1]["c3"]


def test_what_only_smolagents_refuses_is_explained_and_nothing_is_run():
    ran = []

    def double(number: int) -> str:
        """Double."""
        ran.append(number)
        return str(number * 2)

    played = play(guard(agent([("c1", "double", {"number": 4.0})], "ok", tools=[double])))
    assert played.answers["c1"].startswith(
        "Error executing tool double: Invalid arguments: one problem; nothing was run.\n"
    )
    assert "Argument number has type 'number' but should be 'integer'" in played.answers["c1"] and ran == []


VALUES = [
    "text",
    "  spaced ",
    "",
    None,
    7,
    [1, "a"],
    {"a": {"b": [1]}},
    {},
    b"\xff",
    object(),
    "Error prone is a library",
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("arguments", [{"word": "a"}, '"a"', "a"], ids=str)
def test_values_and_arguments_are_as_without_the_guard(value, arguments):
    class Give(Tool):
        name, description, output_type = "give", "Gives.", "any"
        inputs = {"word": {"type": "string", "description": "A word."}}

        def forward(self, word):
            return value

    plain = play(agent([("c1", "give", arguments)], "ok", tools=[Give()]))
    guarded = play(guard(agent([("c1", "give", arguments)], "ok", tools=[Give()])))
    assert guarded.answers == plain.answers and guarded.last == plain.last == "ok"


def test_a_tool_that_hangs_frees_the_turn():
    gate = threading.Event()

    def wait() -> str:
        """Wait."""
        gate.wait(30)
        return "late"

    calls = [("c1", "wait", {}), ("c2", "read_page", {"path": "a"})]
    try:
        played = play(guard(agent(calls, "ok", tools=[wait, read_page]), timeout=1))
    finally:
        gate.set()
    assert "No response within 1 s" in played.answers["c1"] and "may still be running" in played.answers["c1"]
    assert played.answers["c2"] == "a 3" and played.last == "ok"


@pytest.mark.parametrize("decision", [Approve(), Approve({"amount": 3}), Reject("Too much."), None], ids=repr)
def test_the_hosts_approver_is_asked(decision):
    asked, paid = [], []

    def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    def approver(request):
        asked.append(request.arguments)
        return decision

    one = agent([("c1", "pay", {"amount": "much"}), ("c2", "pay", {"amount": 5})], "ok", tools=[pay])
    played = play(guard(one, Pipeline(approver=approver), tool_options={"pay": {"approve": True}}))
    assert asked == [{"amount": 5}] and "nothing was run" in played.answers["c1"]
    if isinstance(decision, Approve):
        assert paid == [3 if decision.arguments else 5] and played.answers["c2"].startswith(f"paid {paid[0]}")
    else:
        assert paid == [] and "This call was not run" in played.answers["c2"]


def test_a_call_that_is_made_again_with_its_id_runs_once_and_gets_its_answer():
    paid = []

    def pay(amount: int) -> dict:
        """Pay."""
        paid.append(amount)
        return {"paid": amount}

    one = guard(agent([("c1", "pay", {"amount": 5})], [("c1", "pay", {"amount": 5})], "ok", tools=[pay]))
    play(one)
    assert paid == [5]
    assert "{'paid': 5}" in one.model.requests[1][-1] and "paid" in one.model.requests[2][-1]


def test_a_text_that_is_too_long_is_shortened_and_a_repaired_call_is_told_beside_any_value():
    def draw(long: bool) -> object:
        """Draw."""
        return "x" * 500 if long else {"drawn": 1}

    calls = [("c1", "draw", {"long": True}), ("c2", "draw", '{"long": false,}')]
    pipeline = Pipeline(limits=Limits(result_chars=200), policy=Policy(repair="json"))
    played = play(guard(agent(calls, "ok", tools=[draw]), pipeline))
    assert "characters left out]" in played.answers["c1"] and len(played.answers["c1"]) <= 200
    assert "drawn" in played.answers["c2"] and "\nNote: your arguments were not valid JSON" in played.answers["c2"]


def test_fatal_and_repair():
    one = agent(
        [("c1", "charge", {"amount": 5}), ("c2", "read_page", '{"path": "a",}')],
        "ok",
        tools=[charging(["old"]), read_page],
    )
    guard(one, fatal={"ToolAuthenticationError": False}, repair="json", timeout={"charge": 20})
    played = play(one)
    assert played.last == "ok" and played.answers["c2"].startswith("a 3\n")


def test_mistakes_of_the_host_are_named():
    async def look(word: str) -> str:
        """Look."""
        return word

    class Look(Tool):
        name, description, output_type = "look", "Looks.", "string"
        inputs = {"word": {"type": "string", "description": "A word."}}

        async def forward(self, word):
            return word

    with pytest.raises(UsageError, match=r"guard\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        guard(agent("ok"), [read_page])
    with pytest.raises(UsageError, match=r"guard\(repair=...\): the pipeline decides it"):
        guard(agent("ok"), Pipeline(), repair="all")
    with pytest.raises(UsageError, match=r"use a ToolCallingAgent; a CodeAgent calls its tools in code"):
        guard(CodeAgent(tools=[], model=Script("ok")))
    with pytest.raises(UsageError, match="the agent is guarded already"):
        guard(guard(agent("ok")))
    for is_later in (False, True):
        one = agent([("c1", "look", {"word": "a"})], "ok", tools=[] if is_later else [Look()])
        with pytest.raises(UsageError, match="tool 'look' is async, but smolagents does not await tools"):
            guard(one).tools["look"] = Look()
            one.run("go")
    with pytest.raises(UsageError, match=r"no such tool. Did you mean 'read_page'"):
        guard(agent("ok", tools=[read_page]), timeout={"raed_page": 3})
    with pytest.raises(UsageError, match=r"no tool has such a name. Did you mean 'read_page'"):
        guard(agent("ok", tools=[read_page]), tool_options={"raed_page": {}})


def test_interrupting_the_agent_stops_it_as_before():
    errors = []
    for is_guarded in (False, True):
        one = agent([("c1", "stop", {})], "no", tools=[])

        class Stop(Tool):
            name, description, output_type, inputs = "stop", "Stops.", "string", {}

            def forward(self, one=one):
                one.interrupt()
                return "stopping"

            skip_forward_signature_validation = True

        one.tools["stop"] = Stop()
        errors.append(play(guard(one) if is_guarded else one).error)
    assert [str(error) for error in errors] == ["Agent interrupted."] * 2 and isinstance(errors[1], AgentError)


def test_an_agent_that_is_guarded_is_what_it_was():
    one = guard(agent("ok", tools=[read_page]))
    assert type(one) is ToolCallingAgent and one.to_dict()["class"] == "ToolCallingAgent"


def test_smolagents_hands_arguments_on_as_the_adapter_expects():
    seen = []

    class Watched(ToolCallingAgent):
        def process_tool_calls(self, chat_message, memory_step):
            seen.extend(call.function.arguments for call in chat_message.tool_calls)
            yield from super().process_tool_calls(chat_message, memory_step)

        def execute_tool_call(self, tool_name, arguments):
            seen.append(arguments)
            return super().execute_tool_call(tool_name, arguments)

    Watched(tools=[read_page], model=Script([("c1", "read_page", {"path": "a"})], "ok"), verbosity_level=-1).run("go")
    moved = (
        "smolagents hands arguments on differently now: correct _with_id in mulligan_smolagents, then the upper bound"
    )
    assert seen[0] is seen[1], moved
