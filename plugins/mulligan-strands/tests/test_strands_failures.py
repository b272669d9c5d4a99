"""What the model reads when a call fails, and that the run goes on."""

from __future__ import annotations

import asyncio
import re
import time

import pytest
from mulligan_strands import MulliganPlugin, RunStopped
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from strands import tool
from strands.hooks import AfterToolCallEvent, AfterToolsEvent
from strands.tools.executors import ConcurrentToolExecutor, SequentialToolExecutor
from strands.types.exceptions import EventLoopException
from strands.types.tools import AgentTool
from strands_play import agent, aplay, play, results, told

from mulligan import Pipeline, Policy
from mulligan.errors import UsageError
from mulligan.plugin import ToolQuotaError, hookimpl


@tool
def read_page(title: str, lines: int = 3) -> str:
    """Read a page."""
    return open(title).read()


@tool
async def aread_page(title: str, lines: int = 3) -> str:
    """Read a page, later."""
    await asyncio.sleep(0)
    return open(title).read()


def guarded(*turns, tools, plugin=None, **options):
    return play(agent(*turns, tools=tools, plugins=[plugin or MulliganPlugin()], **options))


BROKEN = '{"title": "comets", "lines": 5'


def test_an_unknown_name_is_answered_with_the_tools_of_now():
    played = guarded([("c1", "red_page", {"title": "x"})], "ok", tools=[read_page])
    assert played.text("c1").splitlines()[:2] == ["Error: Tool 'red_page' not found.", 'Did you mean "read_page"?']
    assert played.results["c1"]["status"] == "error" and played.last == "ok"


def test_a_name_that_no_tool_can_have_is_answered_like_others():
    calls = [("c1", "files.read_page", {"title": "x"}), ("c2", "read_page", {"title": "none"}), ("c3", "x" * 99, {})]
    played = guarded(calls, "ok", tools=[read_page])
    assert 'Did you mean "read_page"?' in played.text("c1") and "not found" in played.text("c2") and played.last == "ok"
    assert played.text("c3").startswith("Error: Tool 'xxx") and list(played.results["c1"]) == [
        "toolUseId",
        "status",
        "content",
    ]


def test_a_model_that_does_not_let_go_of_such_a_name_is_stopped():
    played = guarded(*[[(f"c{turn}", "files.read", {})] for turn in range(9)], tools=[read_page])
    assert type(played.error.__cause__).__name__ == "RepeatedCallError" and len(played.results) <= 5


@pytest.mark.parametrize("one", [read_page, aread_page], ids=lambda one: one.tool_name)
def test_arguments_that_do_not_fit_are_all_named_and_nothing_is_run(one):
    text = guarded([("c1", one.tool_name, {"lines": "many"})], "ok", tools=[one]).text("c1")
    assert "2 problems; nothing was run" in text and "/title" in text and "/lines" in text


@pytest.mark.parametrize("timeout", [None, 9])
@pytest.mark.parametrize("one", [read_page, aread_page], ids=lambda one: one.tool_name)
def test_an_exception_is_answered(one, timeout):
    plugin = MulliganPlugin(timeout=timeout)
    played = guarded([("c1", one.tool_name, {"title": "none/x.md"})], "ok", tools=[one], plugin=plugin)
    assert played.text("c1").startswith(f"Error executing tool {one.tool_name}: Resource not found: none/x.md")
    assert played.results["c1"]["status"] == "error" and played.last == "ok"


def test_json_that_is_broken_is_told_where_beside_a_good_call():
    @tool
    def page(title: str, lines: int = 1) -> str:
        """Page."""
        return f"{lines} of {title}"

    played = guarded([("c1", "page", BROKEN), ("c2", "page", {"title": "b"})], "ok", tools=[page])
    assert "line 1 column 31" in played.text("c1") and "nothing was run" in played.text("c1")
    assert played.text("c2") == "1 of b" and played.last == "ok"


def test_json_is_mended_where_the_policy_wants_it():
    @tool
    def page(title: str, lines: int = 1) -> str:
        """Page."""
        return f"{lines} of {title}"

    plugin = MulliganPlugin(pipeline=Pipeline(policy=Policy(repair="all")), options={"page": {"read_only": True}})
    broken = '{"title": "comets" "lines": 5}'
    text = guarded([("c1", "page", broken)], "ok", tools=[page], plugin=plugin).text("c1")
    assert text.startswith("5 of comets\nNote: your arguments were not valid JSON and were read as ")


@pytest.mark.parametrize("timeout", [None, 9])
def test_a_name_is_mended_where_the_policy_wants_it(timeout):
    @tool
    def get_page(title: str) -> str:
        """Page."""
        return f"page {title}"

    options = {"get_page": {"read_only": True}}
    plugin = MulliganPlugin(pipeline=Pipeline(policy=Policy(repair="name")), options=options, timeout=timeout)
    played = guarded([("c1", "Get-Page", {"title": "a"})], "ok", tools=[get_page], plugin=plugin)
    assert played.text("c1").startswith("page a\nNote: tool Get-Page was read as get_page.")
    assert played.results["c1"]["status"] == "success"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_that_hangs_is_answered_at_the_deadline(is_async):
    @tool
    def slow(seconds: float) -> str:
        """Wait."""
        time.sleep(seconds)
        return "late"

    @tool
    async def aslow(seconds: float) -> str:
        """Wait."""
        await asyncio.sleep(seconds)
        return "late"

    one = aslow if is_async else slow
    plugin = MulliganPlugin(options={one.tool_name: {"timeout": 1}})
    played = guarded([("c1", one.tool_name, {"seconds": 3})], "ok", tools=[one], plugin=plugin)
    assert "No response within 1 s" in played.text("c1") and played.last == "ok"
    assert ("may still be running" in played.text("c1")) is not is_async


def test_a_reported_failure_counts_as_one():
    @tool
    def query(index: str) -> dict:
        """Query."""
        return {"error": f"index {index} does not exist"}

    @tool
    def worded(index: str) -> dict:
        """Query."""
        return {"status": "error", "content": [{"text": f"index {index} does not exist"}, {"image": {"format": "png"}}]}

    played = guarded([("c1", "query", {"index": "d2"}), ("c2", "worded", {"index": "d3"})], "ok", tools=[query, worded])
    assert played.text("c1").startswith("Error executing tool query: Resource not found: d2")
    assert 'The tool says: "index d3 does not exist"' in played.text("c2")
    assert played.results["c2"]["content"][1:] == [{"image": {"format": "png"}}]
    assert {one["status"] for one in played.results.values()} == {"error"}


@pytest.mark.parametrize(
    "words",
    ["Order 77 is locked; call unlock_order(77) first", "Unauthorized: ask the user to log in, then call again"],
)
def test_the_words_of_a_tools_author_are_shown_and_do_not_end_the_run(words):
    @tool
    async def order() -> dict:
        """Order."""
        return {"status": "error", "content": [{"text": words}]}

    played = guarded([("c1", "order", {})], "ok", tools=[order])
    assert f'The tool says: "{words}"' in played.text("c1") and played.last == "ok"
    assert "taken effect" not in played.text("c1") and "<<<" not in played.text("c1")


def test_types_that_strands_would_bend_are_bent():
    @tool
    def double(number: int, note: str | None = None) -> int:
        """Double."""
        return number * 2

    for arguments in ({"number": "4"}, {"number": 4, "note": None}):
        plain = play(agent([("c1", "double", arguments)], "ok", tools=[double]))
        assert guarded([("c1", "double", arguments)], "ok", tools=[double]).text("c1") == plain.text("c1") == "8"


@pytest.mark.parametrize("executor", [None, SequentialToolExecutor()])
def test_a_fatal_failure_ends_the_run_when_every_call_is_answered(executor):
    class BadCredentials(Exception):
        status_code = 401

    @tool
    async def look_up(word: str) -> str:
        """Look up."""
        raise BadCredentials("no")

    @tool
    async def slow(word: str) -> str:
        """Slow."""
        await asyncio.sleep(0.05)
        return "there"

    turns = [[("c1", "look_up", {"word": "a"}), ("c2", "slow", {"word": "b"}), ("c3", "nope", {})], "never said"]
    played = guarded(*turns, tools=[look_up, slow], tool_executor=executor)
    assert isinstance(played.error, RunStopped) and isinstance(played.error, EventLoopException)
    assert type(played.error.error).__name__ == "ToolAuthenticationError"
    assert played.error.original_exception is played.error.__cause__ is played.error.error
    assert str(played.error).startswith("ToolAuthenticationError in tool look_up: The service rejected the credentials")
    assert results(played.error.messages).keys() == {"c1", "c2", "c3"}
    assert set(played.results) == {"c1", "c2", "c3"} and played.text("c2") == "there"
    assert len(played.agent.model.requests) == 1


def test_a_fatal_failure_ends_a_run_that_asks_no_model_again():
    @tool
    def pay() -> str:
        """Pay."""
        raise ToolQuotaError("The credit is used up.")

    paying = agent([("c1", "pay", {})], "never", tools=[pay], plugins=[MulliganPlugin()])
    paying.add_hook(lambda event: setattr(event, "end_turn", "That is all."), AfterToolsEvent)
    played = play(paying)
    assert isinstance(played.error, RunStopped)
    assert str(played.error).startswith("ToolQuotaError in tool pay: The credit is used up. ")
    assert set(played.results) == {"c1"}


def test_the_next_message_of_a_person_begins_anew_after_a_fatal_failure():
    calls = []

    @tool
    def pay() -> str:
        """Pay."""
        calls.append(1)
        if len(calls) == 1:
            raise ToolQuotaError("The credit is used up.")
        return "paid"

    plugin = MulliganPlugin()
    paying = agent([("c1", "pay", {})], [("c2", "pay", {})], "ok", tools=[pay], plugins=[plugin])
    assert play(paying).error is not None
    assert play(paying, "it is paid now").text("c2") == "paid"
    assert len(plugin._invocations) == 0


def test_a_model_that_errs_reads_corrects_itself_and_finishes():
    @tool
    def find_book(title: str, year: int) -> dict:
        """Find a book."""
        return {"shelf": "B7", "title": title, "year": year}

    def corrected_name(messages):
        return [("c2", re.search(r'"name": "(\w+)"', told(messages, "c1"))[1], '{"title": "Emma", "year": soon}')]

    def corrected_json(messages):
        text = told(messages, "c2")
        assert "not valid JSON" in text and "nothing was run" in text
        return [("c3", "find_book", {"title": "Emma", "year": "soon"})]

    def corrected_arguments(messages):
        field = re.search(r"/(\w+): wrong type; expected integer", told(messages, "c3"))[1]
        return [("c4", "find_book", {"title": "Emma", field: 1815})]

    played = guarded(
        [("c1", "findbook", {"title": "Emma", "year": 1815})],
        corrected_name,
        corrected_json,
        corrected_arguments,
        lambda messages: f"It stands on {re.search('[A-Z][0-9]', told(messages, 'c4'))[0]}.",
        tools=[find_book],
    )
    assert played.error is None and played.last == "It stands on B7."
    assert played.asked == list(played.results) == ["c1", "c2", "c3", "c4"]


@pytest.mark.parametrize("executor", [None, SequentialToolExecutor()])
def test_calls_of_one_message_do_not_end_the_run(executor):
    calls = [(f"c{line}", "read_page", {"title": "gone.md", "lines": line}) for line in range(8)]
    played = guarded(calls, "ok", tools=[read_page], tool_executor=executor)
    assert played.last == "ok" and len(played.results) == 8


def test_the_same_failing_call_is_refused_and_then_ends_the_run():
    runs = []

    @tool
    def print_it(number: int) -> str:
        """Print."""
        runs.append(number)
        raise RuntimeError("the printer is on fire")

    plugin = MulliganPlugin()
    played = guarded(*[[(f"c{turn}", "print_it", {"number": 7})] for turn in range(9)], tools=[print_it], plugin=plugin)
    assert len(runs) == 3 and type(played.error.__cause__).__name__ == "RepeatedCallError"
    assert set(played.asked) == set(played.results)
    assert len(plugin._invocations) == 0


def test_a_read_only_tool_gets_another_attempt_where_the_policy_wants_it():
    runs = []

    @tool
    def fetch() -> str:
        """Fetch."""
        runs.append(1)
        if len(runs) < 3:
            raise ConnectionResetError("dropped")
        return "page"

    for timeout in (None, 9):
        runs.clear()
        pipeline = Pipeline()
        plugin = MulliganPlugin(pipeline=pipeline, timeout=timeout, options={"fetch": {"read_only": True}})
        assert guarded([("c1", "fetch", {})], "ok", tools=[fetch], plugin=plugin).text("c1") == "page"
        assert len(runs) == 3


class Remote(AgentTool):
    """A tool as a server offers it."""

    def __init__(self, schema, answer):
        super().__init__()
        self.schema, self.answer = schema, answer

    tool_name = "remote"
    tool_type = "mcp"

    @property
    def tool_spec(self):
        return {"name": "remote", "description": "Remote.", "inputSchema": {"json": self.schema}}

    async def stream(self, tool_use, invocation_state, **kwargs):
        yield self.answer(tool_use)


def test_a_schema_that_cannot_be_used_checks_nothing():
    def answer(use):
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": str(use["input"])}]}

    odd = {"type": "object", "properties": {"a": {"$ref": "https://example.org/none"}}}
    assert guarded([("c1", "remote", {"a": 1})], "ok", tools=[Remote(odd, answer)]).text("c1") == "{'a': 1}"


def test_plugins_policy_and_format_of_a_pipeline_count():
    class Acme:
        @hookimpl
        def classify(self, failure):
            if failure.matches("builtins.KeyError"):
                return ToolQuotaError("Acme's quota is used up.")

    @tool
    def look_up() -> str:
        """Look up."""
        raise KeyError("q")

    pipeline = Pipeline(plugins=[Acme()], policy=Policy.feed_back_everything(), format="json")
    played = guarded([("c1", "look_up", {})], "ok", tools=[look_up], plugin=MulliganPlugin(pipeline=pipeline))
    assert '"toolName"' in played.text("c1") and "Acme's quota" in played.text("c1") and played.last == "ok"


def test_tools_that_change_are_known_as_they_are_now():
    @tool
    def beta() -> str:
        """Beta."""
        return "b"

    @tool(context=True)
    def alpha(tool_context) -> str:
        """Alpha."""
        tool_context.agent.tool_registry.register_tool(beta)
        return "a"

    played = guarded([("c1", "beta", {})], [("c2", "alpha", {})], [("c3", "beta", {})], "ok", tools=[alpha])
    assert "Available tools (1): alpha" in played.text("c1")
    assert played.text("c3") == "b"


def test_huge_arguments_are_refused_unrun():
    played = guarded([("c1", "read_page", {"title": "x" * 2_000_000})], "ok", tools=[read_page])
    assert "nothing was run" in played.text("c1") and len(played.text("c1")) < 2_000 and played.last == "ok"


def test_names_that_look_like_parameters_are_arguments_like_others():
    @tool
    def odd(name: str, arguments: str, tool: str, args: str, context: str) -> str:
        """Odd names."""
        return name + arguments + tool + args + context

    given = dict(zip(("name", "arguments", "tool", "args", "context"), "abcde", strict=True))
    for timeout in (None, 9):
        plugin = MulliganPlugin(timeout=timeout)
        assert guarded([("c1", "odd", given)], "ok", tools=[odd], plugin=plugin).text("c1") == "abcde"


@pytest.mark.parametrize("timeout", [None, 9])
def test_a_tool_that_leaves_the_interpreter_or_has_no_text_is_answered(timeout):
    class Hostile(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    @tool
    async def leave() -> str:
        """Leave."""
        raise SystemExit(3)

    @tool
    def hostile() -> str:
        """Hostile."""
        raise Hostile

    @tool
    def leave_now() -> str:
        """Leave."""
        raise SystemExit(3)

    calls = [("c1", "leave", {}), ("c2", "hostile", {}), ("c3", "leave_now", {})]
    plugin = MulliganPlugin(timeout=timeout)
    played = guarded(calls, "ok", tools=[leave, hostile, leave_now], plugin=plugin)
    assert played.last == "ok" and set(played.results) == {"c1", "c2", "c3"}
    assert all("tried to exit the program" in played.text(id) for id in ("c1", "c3"))


def test_a_hook_that_wants_a_call_again_and_again_runs_a_tool_that_may_change_something_once():
    runs, wants = [], []

    @tool
    def fail() -> str:
        """Fail."""
        runs.append(1)
        raise RuntimeError("no")

    def again(event):
        wants.append(1)
        event.retry = len(wants) < 20

    failing = agent([("c1", "fail", {})], "ok", tools=[fail], plugins=[MulliganPlugin()])
    failing.add_hook(again, AfterToolCallEvent)
    played = play(failing)
    assert (played.error, played.last, len(wants), len(runs)) == (None, "ok", 20, 1)
    assert "The tool failed with RuntimeError" in played.text("c1")


def test_wrong_options_are_refused_with_their_name():
    with pytest.raises(UsageError, match=r"MulliganPlugin\(pipeline='x'\)"):
        MulliganPlugin(pipeline="x")
    with pytest.raises(UsageError, match="readonly"):
        MulliganPlugin(options={"fetch": {"readonly": True}})
    with pytest.raises(UsageError, match="timeout"):
        MulliganPlugin(timeout=-1)


def test_fifty_runs_at_once_keep_apart():
    plugin = MulliganPlugin(timeout=20)

    @tool
    def fail(number: int) -> str:
        """Fail."""
        raise FileNotFoundError(2, "No such file", f"file-{number}")

    async def run():
        agents = [
            agent(
                *[[(f"c{turn}", "fail", {"number": number})] for turn in range(3)], "ok", tools=[fail], plugins=[plugin]
            )
            for number in range(50)
        ]
        return await asyncio.gather(*(aplay(one) for one in agents))

    for number, played in enumerate(asyncio.run(run())):
        assert played.error is None and played.last == "ok"
        assert all(f"file-{number}\n" in played.text(f"c{turn}") for turn in range(3))
        assert "already failed" in played.text("c1") and "already failed" not in played.text("c0")
    assert len(plugin._invocations) == 0


def test_two_agents_never_see_each_others_tools():
    @tool
    def alpha() -> str:
        """Alpha."""
        return "a"

    @tool
    def beta() -> str:
        """Beta."""
        return "b"

    plugin = MulliganPlugin()

    async def run():
        first = agent([("c1", "beta", {})], "ok", tools=[alpha], plugins=[plugin])
        second = agent([("c1", "alpha", {})], "ok", tools=[beta], plugins=[plugin])
        return await asyncio.gather(aplay(first), aplay(second))

    first, second = asyncio.run(run())
    assert "Available tools (1): alpha." in first.text("c1") and "Available tools (1): beta." in second.text("c1")


def test_answers_go_with_the_next_request():
    played = guarded([("c1", "read_page", {"title": "a"}), ("c2", "gone", {})], "ok", tools=[read_page])
    assert list(results(played.agent.model.requests[1])) == ["c1", "c2"]


@pytest.mark.parametrize("executor", [SequentialToolExecutor, ConcurrentToolExecutor])
@pytest.mark.parametrize("is_async", [False, True])
def test_failures_of_one_message_neither_refuse_nor_stop_its_other_calls(executor, is_async):
    ran = []

    def found(number):
        ran.append(number)
        if number < 25:
            raise FileNotFoundError(2, "No such file or directory", f"record-{number}")
        return f"found {number}"

    @tool(name="check")
    def check(number: int) -> str:
        """Check a record."""
        return found(number)

    @tool(name="check")
    async def check_async(number: int) -> str:
        """Check a record."""
        return found(number)

    calls = [(f"c{number}", "check", {"number": number}) for number in range(40)]
    played = guarded(calls, "ok", tools=[check_async if is_async else check], tool_executor=executor())
    assert (played.error, played.last) == (None, "ok")
    assert sorted(ran) == list(range(40))
    assert all("Resource not found: record-" in played.text(f"c{number}") for number in range(25))
    assert [played.text(f"c{number}") for number in range(25, 40)] == [f"found {number}" for number in range(25, 40)]


@pytest.mark.parametrize("record", [*REPORTS, *DATA])
def test_data_that_a_tool_returned_never_stops_the_run(record):
    @tool
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    turns = [("c1", "last_entry", {})], "ok"
    played = guarded(*turns, tools=[last_entry])
    assert (played.error, played.last) == (None, "ok")
    if record in DATA:
        assert played.results == play(agent(*turns, tools=[last_entry])).results
    else:
        assert reason_of(record) in played.text("c1")
