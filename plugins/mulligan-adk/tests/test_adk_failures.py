"""What the model reads when a call fails, and that the run goes on."""

from __future__ import annotations

import asyncio
import re
import time

import pytest
from adk_play import agent, answered, play, seen
from google.adk.tools import FunctionTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from mulligan_adk import MulliganPlugin
from mulligan_testkit.returned import DATA, REPORTS, reason_of

from mulligan import Pipeline, Policy
from mulligan.errors import UsageError
from mulligan.plugin import ToolQuotaError, hookimpl

pytestmark = pytest.mark.filterwarnings("ignore")


def read_page(title: str, lines: int = 3) -> str:
    """Read a page."""
    return open(title).read()


async def aread_page(title: str, lines: int = 3) -> str:
    """Read a page, later."""
    await asyncio.sleep(0)
    return open(title).read()


def test_an_unknown_name_is_answered_with_the_tools_of_now():
    played = play(agent([("c1", "red_page", {"title": "x"})], "ok", tools=[read_page]), MulliganPlugin())
    assert played.error is None
    assert played.text("c1").splitlines()[:2] == ["Error: Tool 'red_page' not found.", 'Did you mean "read_page"?']


@pytest.mark.parametrize("tool", [read_page, aread_page])
def test_arguments_that_do_not_fit_are_all_named_and_nothing_is_run(tool):
    played = play(agent([("c1", tool.__name__, {"lines": "many"})], "ok", tools=[tool]), MulliganPlugin())
    told = played.text("c1")
    assert "2 problems; nothing was run" in told and "/title" in told and "/lines" in told


@pytest.mark.parametrize("tool", [read_page, aread_page])
def test_an_exception_is_answered(tool):
    played = play(agent([("c1", tool.__name__, {"title": "none/x.md"})], "ok", tools=[tool]), MulliganPlugin())
    assert played.text("c1").startswith(f"Error executing tool {tool.__name__}: Resource not found: none/x.md")
    assert played.last == "ok"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_that_hangs_is_answered_at_the_deadline(is_async):
    def slow(seconds: float) -> str:
        """Wait."""
        time.sleep(seconds)
        return "late"

    async def aslow(seconds: float) -> str:
        """Wait."""
        await asyncio.sleep(seconds)
        return "late"

    tool = aslow if is_async else slow
    plugin = MulliganPlugin(tool_options={tool.__name__: {"timeout": 0.05}})
    played = play(agent([("c1", tool.__name__, {"seconds": 0.6})], "ok", tools=[tool]), plugin)
    assert "No response within 0.05 s" in played.text("c1") and played.last == "ok"


@pytest.mark.parametrize("timeout", [None, 9])
def test_a_tool_that_leaves_the_interpreter_or_has_no_text_is_answered(timeout):
    class Hostile(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    async def leave() -> str:
        """Leave."""
        raise SystemExit(3)

    def leave_now() -> str:
        """Leave."""
        raise SystemExit(3)

    def hostile() -> str:
        """Hostile."""
        raise Hostile

    calls = [("c1", "leave", {}), ("c2", "hostile", {}), ("c3", "leave_now", {})]
    played = play(agent(calls, "ok", tools=[leave, leave_now, hostile]), MulliganPlugin(timeout=timeout))
    assert all("tried to exit the program" in played.text(id) for id in ("c1", "c3"))
    assert "Hostile" in played.text("c2") and played.last == "ok"


@pytest.mark.parametrize("timeout", [None, 9])
def test_a_name_is_mended_where_the_policy_wants_it(timeout):
    ran = []

    def get_page(title: str) -> str:
        """Page."""
        ran.append(title)
        return f"page {title}"

    def guarded_page(title: str) -> str:
        """Page."""
        ran.append(title)
        return f"page {title}"

    options = {"get_page": {"read_only": True}, "guarded_page": {"read_only": True}}
    plugin = MulliganPlugin(pipeline=Pipeline(policy=Policy(repair="name")), options=options, timeout=timeout)
    tools = [get_page, FunctionTool(guarded_page, require_confirmation=True)]
    calls = [("c1", "Get-Page", {"title": "a"}), ("c2", "Guarded-Page", {"title": "b"})]
    played = play(agent(calls, "ok", tools=tools), plugin)
    assert played.answers["c1"] == {"result": "page a\nNote: tool Get-Page was read as get_page."}
    assert "error" in played.answers["c2"]
    assert ran == ["a"]


def test_a_reported_failure_counts_as_one():
    def query(index: str) -> dict:
        """Query."""
        return {"error": f"index {index} does not exist"}

    played = play(agent([("c1", "query", {"index": "docs2"})], "ok", tools=[query]), MulliganPlugin())
    assert played.text("c1").startswith("Error executing tool query: Resource not found: docs2")


def test_a_number_that_is_sent_as_text_is_named_or_read_as_a_number():
    def double(number: int) -> int:
        """Double."""
        return number * 2

    assert play(agent([("c1", "double", {"number": "4"})], "ok", tools=[double])).answers["c1"] == {"result": "44"}
    guarded = play(agent([("c1", "double", {"number": "4"})], "ok", tools=[double]), MulliganPlugin())
    assert '"number": 4' in guarded.text("c1")
    guarded = play(agent([("c1", "double", {"number": "4"})], "ok", tools=[double]), MulliganPlugin(repair="coerce"))
    assert guarded.answers["c1"] == {"result": 8}


def test_a_fatal_failure_ends_the_run_when_every_call_is_answered():
    class BadCredentials(Exception):
        status_code = 401

    async def look_up(word: str) -> str:
        """Look up."""
        raise BadCredentials("no")

    async def slow(word: str) -> str:
        """Slow."""
        await asyncio.sleep(0.05)
        return "there"

    turns = [[("c1", "look_up", {"word": "a"}), ("c2", "slow", {"word": "b"}), ("c3", "nope", {})], "never said"]
    librarian = agent(*turns, tools=[look_up, slow])
    played = play(librarian, MulliganPlugin())
    assert type(played.error) is RuntimeError and type(played.error.__cause__).__name__ == "ToolAuthenticationError"
    assert str(played.error.__cause__) in str(played.error)
    assert set(played.answers) == {"c1", "c2", "c3"} and played.answers["c2"] == {"result": "there"}
    assert len(librarian.model.requests) == 1


def test_a_fatal_failure_ends_a_run_that_calls_no_model_again():
    def look_up(tool_context) -> str:
        """Look up."""
        tool_context.actions.skip_summarization = True
        raise ToolQuotaError("The credit is used up.")

    played = play(agent([("c1", "look_up", {})], "never said", tools=[look_up]), MulliganPlugin())
    assert str(played.error).endswith("'after_run_callback' callback: The credit is used up.")
    assert "c1" in played.answers


def test_the_next_message_of_a_person_begins_anew_after_a_fatal_failure():
    calls = []

    def look_up() -> str:
        """Look up."""
        calls.append(1)
        if len(calls) == 1:
            raise ToolQuotaError("The credit is used up.")
        return "found"

    plugin = MulliganPlugin()
    librarian = agent([("c1", "look_up", {})], [("c2", "look_up", {})], "ok", tools=[look_up])
    assert play(librarian, plugin).error is not None
    assert play(librarian, plugin).answers["c2"] == {"result": "found"}


def test_a_model_that_errs_reads_corrects_itself_and_finishes():
    def find_book(title: str, year: int) -> dict:
        """Find a book."""
        return {"shelf": "B7", "title": title, "year": year}

    def corrected_name(request):
        told = answered(request, "c1")["error"]
        return [("c2", re.search(r'"name": "(\w+)"', told)[1], {"title": "Emma", "year": "soon"})]

    def corrected_arguments(request):
        told = answered(request, "c2")["error"]
        field = re.search(r"/(\w+): wrong type; expected integer", told)[1]
        return [("c3", "find_book", {"title": "Emma", field: 1815})]

    librarian = agent(
        [("c1", "findbook", {"title": "Emma", "year": 1815})],
        corrected_name,
        corrected_arguments,
        lambda request: f"It stands on {answered(request, 'c3')['shelf']}.",
        tools=[find_book],
    )
    played = play(librarian, MulliganPlugin())
    assert played.error is None and played.last == "It stands on B7."
    assert played.asked == list(played.answers) == ["c1", "c2", "c3"]


def test_calls_of_one_message_do_not_end_the_run():
    calls = [(f"c{line}", "read_page", {"title": "gone.md", "lines": line}) for line in range(8)]
    played = play(agent(calls, "ok", tools=[read_page]), MulliganPlugin())
    assert played.last == "ok" and len(played.answers) == 8


def test_the_same_failing_call_is_refused_and_then_ends_the_run():
    runs = []

    def print_it(number: int) -> str:
        """Print."""
        runs.append(number)
        raise RuntimeError("the printer is on fire")

    turns = [[(f"c{turn}", "print_it", {"number": 7})] for turn in range(9)]
    plugin = MulliganPlugin()
    played = play(agent(*turns, tools=[print_it]), plugin)
    assert len(runs) == 3 and type(played.error.__cause__).__name__ == "RepeatedCallError"
    assert set(played.asked) == set(played.answers)
    assert len(plugin._runs) == 0


def test_a_read_only_tool_gets_another_attempt_where_the_policy_wants_it():
    runs = []

    def fetch() -> str:
        """Fetch."""
        runs.append(1)
        if len(runs) < 3:
            raise ConnectionResetError("dropped")
        return "page"

    plugin = MulliganPlugin(pipeline=Pipeline(), tool_options={"fetch": {"read_only": True}})
    assert play(agent([("c1", "fetch", {})], "ok", tools=[fetch]), plugin).answers["c1"] == {"result": "page"}
    assert len(runs) == 3


def test_plugins_policy_and_format_of_a_pipeline_count():
    class Acme:
        @hookimpl
        def classify(self, failure):
            if failure.matches("builtins.KeyError"):
                return ToolQuotaError("Acme's quota is used up.")

    def look_up() -> str:
        """Look up."""
        raise KeyError("q")

    pipeline = Pipeline(plugins=[Acme()], policy=Policy.feed_back_everything(), format="json")
    played = play(agent([("c1", "look_up", {})], "ok", tools=[look_up]), MulliganPlugin(pipeline=pipeline))
    assert '"toolName"' in played.text("c1") and "Acme's quota" in played.text("c1") and played.last == "ok"


def test_tools_that_change_are_known_as_they_are_now():
    class Growing(BaseToolset):
        names = ["alpha"]

        async def get_tools(self, readonly_context=None):
            def make(name):
                def function() -> str:
                    """Does something."""
                    Growing.names.append("beta")
                    return name

                function.__name__ = name
                return function

            return [FunctionTool(make(name)) for name in dict.fromkeys(self.names)]

        async def close(self):
            pass

    turns = [[("c1", "beta", {})], [("c2", "alpha", {})], "ok", [("c3", "beta", {})], "ok"]
    played = play(agent(*turns, tools=[Growing()]), MulliganPlugin(), messages=("go", "go on"))
    assert "Available tools (1): alpha" in played.text("c1")
    assert played.answers["c3"] == {"result": "beta"}


def test_a_schema_that_cannot_be_used_checks_nothing():
    class Odd(BaseTool):
        def _get_declaration(self):
            schema = {"type": "object", "properties": {"a": {"$ref": "https://example.org/none"}}}
            return types.FunctionDeclaration(name=self.name, parameters_json_schema=schema)

        async def run_async(self, *, args, tool_context):
            return args

    played = play(agent([("c1", "odd", {"a": 1})], "ok", tools=[Odd(name="odd", description="")]), MulliganPlugin())
    assert played.answers["c1"] == {"a": 1}


def test_choices_that_gemini_writes_as_texts_do_not_refuse_numbers():
    class Counting(BaseTool):
        def _get_declaration(self):
            number = types.Schema(type="INTEGER", enum=["1", "2"], nullable=True)
            kind = types.Schema(type="STRING", enum=["a", "b"])
            schema = types.Schema(type="OBJECT", properties={"number": number, "kind": kind}, required=["number"])
            return types.FunctionDeclaration(name=self.name, parameters=schema)

        async def run_async(self, *, args, tool_context):
            return args

    calls = [("c1", "counting", {"number": 1}), ("c2", "counting", {"number": 2, "kind": "c"})]
    played = play(agent(calls, "ok", tools=[Counting(name="counting", description="")]), MulliganPlugin())
    assert played.answers["c1"] == {"number": 1} and '"a", "b"' in played.text("c2")


def test_huge_arguments_are_refused_unrun():
    played = play(agent([("c1", "read_page", {"title": "x" * 2_000_000})], "ok", tools=[read_page]), MulliganPlugin())
    assert "nothing was run" in played.text("c1") and len(played.text("c1")) < 2_000 and played.last == "ok"


def test_names_that_look_like_parameters_are_arguments_like_others():
    def odd(self: str, name: str, arguments: str, tool: str, args: str) -> str:
        """Odd names."""
        return self + name + arguments + tool + args

    given = dict(zip(("self", "name", "arguments", "tool", "args"), "abcde", strict=True))
    assert play(agent([("c1", "odd", given)], "ok", tools=[odd]), MulliganPlugin()).answers["c1"] == {"result": "abcde"}


def test_wrong_options_are_refused_with_their_name():
    with pytest.raises(UsageError, match=r"MulliganPlugin\(pipeline='x'\)"):
        MulliganPlugin(pipeline="x")
    with pytest.raises(UsageError, match="readonly"):
        MulliganPlugin(tool_options={"fetch": {"readonly": True}})
    with pytest.raises(UsageError, match="timeout"):
        MulliganPlugin(timeout=-1)


def test_what_was_never_run_is_not_in_the_answers_of_others():
    librarian = agent([("c1", "read_page", {"title": "a"}), ("c2", "gone", {})], "ok", tools=[read_page])
    play(librarian, MulliganPlugin())
    assert [one.name for one in seen(librarian.model.requests[1])] == ["read_page", "gone"]


@pytest.mark.parametrize("is_async", [False, True])
def test_failures_of_one_message_neither_refuse_nor_stop_its_other_calls(is_async):
    ran = []

    def check(number: int) -> str:
        """Check a record."""
        ran.append(number)
        if number < 25:
            raise FileNotFoundError(2, "No such file or directory", f"record-{number}")
        return f"found {number}"

    async def acheck(number: int) -> str:
        """Check a record."""
        return check(number)

    tool = acheck if is_async else check
    calls = [(f"c{number}", tool.__name__, {"number": number}) for number in range(40)]
    played = play(agent(calls, "ok", tools=[tool]), MulliganPlugin())
    assert (played.error, played.last) == (None, "ok")
    assert sorted(ran) == list(range(40))
    assert all("Resource not found: record-" in played.text(f"c{number}") for number in range(25))
    assert all(played.answers[f"c{number}"] == {"result": f"found {number}"} for number in range(25, 40))


@pytest.mark.parametrize("record", [*REPORTS, *DATA])
def test_data_that_a_tool_returned_never_stops_the_run(record):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    played = play(agent([("c1", "last_entry", {})], "ok", tools=[last_entry]), MulliganPlugin())
    assert (played.error, played.last) == (None, "ok")
    if record in DATA:
        assert played.answers["c1"] == record
    else:
        assert reason_of(record) in played.text("c1")


def test_what_the_author_says_to_the_model_is_shown_as_the_authors_words():
    words = "Unauthorized: order 77 is locked; call unlock_order first."

    def ship(number: int) -> dict:
        """Ship an order."""
        return {"status": "error", "error_message": words}

    played = play(agent([("c1", "ship", {"number": 77})], "ok", tools=[ship]), MulliganPlugin())
    assert (played.error, played.last) == (None, "ok")
    assert f'The tool says: "{words}"' in played.text("c1")
    assert "not instructions" not in played.text("c1")
    unread = MulliganPlugin(tool_options={"ship": {"detect": False}})
    played = play(agent([("c1", "ship", {"number": 77})], "ok", tools=[ship]), unread)
    assert played.answers["c1"] == {"status": "error", "error_message": words}


@pytest.mark.parametrize("more", [{"at": "12:01"}, {"error_message": ["a", "b"]}, {"status": "failed"}])
def test_a_failure_of_another_shape_is_quoted(more):
    def ship(number: int) -> dict:
        """Ship an order."""
        return {"status": "error", "error_message": "Unauthorized: the order is locked", **more}

    played = play(agent([("c1", "ship", {"number": 77})], "ok", tools=[ship]), MulliganPlugin())
    assert (played.error, played.last) == (None, "ok")
    assert "The tool says" not in played.text("c1")
