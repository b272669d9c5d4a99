"""The loop guard: twelve models that are stuck are stopped, a hundred conversations that go well are not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mulligan import Pipeline, Policy, Session, Tool, ToolResult, errors

Call = tuple[str, Any]


class World:
    """Tools over a few files, with a clock that is turned by hand."""

    def __init__(self, *, read_only: bool = False) -> None:
        self.files = {"ok.md": "fine"}
        self.ran: list[str] = []
        self.now = 1_000.0
        self.free_at = 0.0
        self.failing: list[str] = []
        self.tools = [
            Tool.from_function(self.read, read_only=read_only, resources=self.names),
            Tool.from_function(self.search, read_only=read_only),
            Tool.from_function(self.listing, read_only=True),
            self.write,
            self.pay,
            self.stat,
            self.ask,
            self.run_tests,
        ]

    def names(self, arguments: Any) -> list[str]:
        return list(self.files)

    def read(self, path: str, line: int = 1, note: str = "") -> str:
        """Reads a file."""
        self.ran.append(f"read {path}")
        if path not in self.files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return self.files[path]

    def stat(self, path: str) -> str:
        """Says how large a file is."""
        self.ran.append(f"stat {path}")
        if path not in self.files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "4 bytes"

    def search(self, query: str) -> str:
        """Looks into the file that the query is about."""
        self.ran.append(f"search {query}")
        if "gone.md" in query:
            raise FileNotFoundError(2, "No such file or directory", "gone.md")
        return query

    def listing(self, page: int = 1) -> str:
        """Lists files."""
        return " ".join(self.files)

    def write(self, path: str, text: str = "") -> str:
        """Writes a file."""
        self.files[path] = text
        return "written"

    def pay(self, item: str, count: int, kind: str = "card", to: str = "", on: str = "", by: str = "") -> str:
        """Pays."""
        self.ran.append(f"pay {item}")
        return "paid"

    def ask(self, what: str) -> str:
        """Asks a service that is busy until a moment."""
        self.ran.append(f"ask {what}")
        if self.now < self.free_at:
            raise errors.ToolRateLimitError("Slow down.", retry_after=10)
        return "answered"

    def run_tests(self) -> str:
        """Runs the tests."""
        self.ran.append("run_tests")
        if self.failing:
            raise RuntimeError(self.failing.pop(0))
        return "passed"

    def session(self, pipeline: Pipeline) -> Session:
        pipeline._host.clock = lambda: self.now
        return pipeline.session()


@pytest.fixture
def talk(make_pipeline) -> Iterator[Callable[..., tuple[World, Session]]]:
    def begin(*, read_only: bool = False, **options: Any) -> tuple[World, Session]:
        world = World(read_only=read_only)
        return world, world.session(make_pipeline(*world.tools, **options))

    yield begin


def is_refused(result: ToolResult) -> bool:
    return isinstance(result.error, errors.RepeatedCallError)


# --- models that are stuck


def keys_in_turn(n: int) -> Call:
    fields = [("path", "gone.md"), ("line", 3), ("note", "x")]
    return "read", json.dumps(dict(fields[n % 3 :] + fields[: n % 3]))


def spaced(n: int) -> Call:
    return "read", '{%s"path":%s"gone.md"%s}' % (" " * n, "\n" * (n % 3), "\t" * (n % 2))


UNKNOWN = ["fetch_page", "fetchPage", "FETCH-PAGE", "fetch page", "Fetch_Page", "fetch.page", "fetchpage"]
BROKEN = [
    '{"path": "a',
    "{'path': 'a'}",
    '{"path": "a",}',
    "path=a",
    '{"path" "a"}',
    '{"path": a}',
    "",
    "[",
    '{"path":',
]
NUMBERS = ["5", " 5", "5.0", "05", "5 ", "5.00", "+5"]
CASES = ["Gone.md", "gone.md", "GONE.MD", "gone.MD", "GoNe.md", "gOne.md", "goNe.md", "GOne.md", "gonE.md", "Gone.MD"]
CASES += ["GONE.md", "gONE.md", "GONe.md", "gone.Md", "gone.mD"]

STUCK: dict[str, tuple[Callable[[int], Call], int, int, int]] = {
    # what the model does, which call is refused at the latest, which one ends the run, how often a tool runs at most
    "identical": (lambda n: ("read", {"path": "gone.md"}), 4, 5, 3),
    "alternating": (lambda n: ("read", {"path": ("gone.md", "lost.md")[n % 2]}), 5, 9, 4),
    "permuted keys": (keys_in_turn, 4, 5, 3),
    "white space": (spaced, 4, 5, 3),
    "reworded around the same missing resource": (
        lambda n: ("search", {"query": f"look {'again ' * n}into gone.md"}),
        5,
        5,
        5,
    ),
    "changed irrelevant argument": (lambda n: ("read", {"path": "gone.md", "line": n, "note": "x" * n}), 4, 5, 3),
    "name variants of an unknown tool": (lambda n: (UNKNOWN[n % 7], {"n": n}), 4, 5, 0),
    "broken JSON in variants": (lambda n: ("read", BROKEN[n % 6]), 4, 5, 0),
    "two tools in turn": (lambda n: (("read", "stat")[n % 2], {"path": "gone.md"}), 5, 9, 4),
    "near-identical values": (lambda n: ("read", {"path": f"gone{n}.md"}), 12, 25, 11),
    "numbers as text": (lambda n: ("pay", {"item": f"tea {n}", "count": NUMBERS[n % 7]}), 4, 5, 0),
    "case changes": (lambda n: ("read", {"path": CASES[n % 15]}), 12, 25, 11),
}


def test_there_are_twelve_stuck_models():
    assert len(STUCK) == 12


@pytest.mark.parametrize("way", ["call", "acall"])
@pytest.mark.parametrize("name", STUCK)
def test_a_stuck_model_is_stopped(talk, name, way):
    model, refused_by, fatal_by, most = STUCK[name]
    world, session = talk()
    results = []
    for number in range(30):
        asked = model(number)
        results.append(session.call(*asked) if way == "call" else asyncio.run(session.acall(*asked)))
    first = next(index for index, result in enumerate(results, 1) if is_refused(result))
    fatal = next(index for index, result in enumerate(results, 1) if result.fatal)
    assert (first, fatal, len(world.ran)) == (refused_by, fatal_by, most)
    assert all(is_refused(result) and result.fatal for result in results[fatal + 2 :])
    for result in results:
        assert not result.content.startswith("Error: This call was not run") or result.attempts == 0


@pytest.mark.parametrize("name", ["alternating", "two tools in turn"])
def test_the_third_repetition_in_a_row_is_refused_whichever_of_two_failures_it_repeats(talk, name):
    world, session = talk()
    results = [session.call(*STUCK[name][0](number)) for number in range(10)]
    assert [is_refused(result) for result in results] == [False] * 4 + [True] * 6
    assert "the same has failed 2 times" in results[4].content
    for one in (results[::2], results[1::2]):
        assert [result.fatal for result in one] == [False] * 4 + [True]


def test_failures_in_turn_are_noticed_in_a_conversation_that_goes_on_elsewhere(talk):
    world, session = talk()
    for number in range(4):
        session.call(*STUCK["alternating"][0](number))
    again = Session.from_dict(session._pipeline, json.loads(json.dumps(session.to_dict())))
    assert is_refused(again.call("read", {"path": "gone.md"}))
    session.forgive()
    assert not is_refused(session.call("read", {"path": "gone.md"}))


def test_a_success_between_two_failures_in_turn_leaves_each_its_three_attempts(talk):
    _, session = talk()
    results = []
    for number in range(8):
        results.append(session.call(*STUCK["alternating"][0](number)))
        assert not session.call("listing").is_error
    assert [is_refused(result) for result in results] == [False] * 6 + [True] * 2


def test_two_failures_in_one_message_are_repeated_twice_like_one(talk):
    _, session = talk()
    results = [session.call_many([STUCK["alternating"][0](number) for number in range(2)]) for _ in range(4)]
    assert [[is_refused(result) for result in step] for step in results] == [[False] * 2] * 3 + [[True] * 2]


def test_what_the_model_was_told_to_try_again_is_no_idle_repetition(make_pipeline):
    def first() -> None:
        raise errors.ToolUnavailableError("Busy.", transient=True)

    def second() -> None:
        raise errors.ToolUnavailableError("Busy.", transient=True)

    session = make_pipeline(first, second).session()
    results = [session.call(("first", "second")[number % 2]) for number in range(8)]
    assert [is_refused(result) for result in results] == [False] * 6 + [True] * 2


def test_one_that_is_known_only_afterwards_says_that_it_ran(talk):
    world, session = talk()
    results = [session.call("search", {"query": f"gone.md {'x' * number}"}) for number in range(5)]
    assert [type(result.error) for result in results[:4]] == [errors.ResourceNotFoundError] * 4
    assert "The same has failed again and again: change the call, or take another approach." in results[3].content
    assert results[4].content.startswith("Error executing tool search: The same has failed 5 times.")
    assert "not run" not in results[4].content
    assert (results[4].fatal, results[4].attempts, len(world.ran)) == (True, 1, 5)
    assert session.call("search", {"query": "ok.md"}).content == "ok.md"


def test_the_same_class_with_other_values_only_sharpens_the_words(talk):
    _, session = talk()
    told = [session.call("read", {"path": f"gone{number}.md"}).content for number in range(5)]
    sharper = "It failed in the same way with other values before: find out what is there before you try the next one."
    assert [sharper in text for text in told] == [False, False, True, True, True]


def test_one_who_fails_and_writes_in_turn_is_stopped_by_the_twelfth_failure(talk):
    world, session = talk()
    refused = []
    for number in range(14):
        refused.append(is_refused(session.call("read", {"path": "gone.md"})))
        assert not session.call("write", {"path": f"note{number}"}).is_error
    assert refused == [False] * 11 + [True] * 3
    assert len(world.ran) == 11


def test_one_who_fails_and_only_looks_in_turn_is_stopped_by_the_fifth(talk):
    _, session = talk()
    results = []
    for _ in range(5):
        results.append(session.call("read", {"path": "gone.md"}))
        assert not session.call("listing").is_error
    assert [is_refused(result) for result in results] == [False] * 3 + [True] * 2
    assert results[4].fatal


def test_a_tool_that_flaps_between_two_failures_is_stopped(talk):
    world, session = talk()
    world.failing = ["no disk", "no memory"] * 10
    results = [session.call("run_tests") for _ in range(8)]
    assert any(is_refused(result) for result in results)
    assert len(world.ran) <= 5


def test_a_text_that_changes_only_in_its_numbers_is_the_same_failure(talk):
    world, session = talk()
    world.failing = [f"timeout after {n}.{n} s at 0x7f{n}ab, request 3fa85f64-{n}717" for n in range(9)]
    assert [is_refused(session.call("run_tests")) for _ in range(5)] == [False] * 3 + [True] * 2


# --- conversations that go well: what the model does, as a generator that is sent each result

Model = Iterator[Any]


def polling(world: World, times: int) -> Model:
    for _ in range(times):
        yield "listing", {}


def paging(world: World, pages: int) -> Model:
    for page in range(pages):
        yield "listing", {"page": page}


def missing_then_a_hit(world: World, missing: int) -> Model:
    for number in range(missing):
        yield "read", {"path": f"gone{number}.md"}
    yield from hit()


def hit(path: str = "ok.md") -> Model:
    result = yield "read", {"path": path}
    assert not result.is_error, result.content


def corrected(world: World, wrong: int) -> Model:
    for arguments in ({"item": "tea", "count": "many"}, {"item": "tea"}, {"items": 1}, '{"item": "tea",')[:wrong]:
        yield "pay", arguments
    assert not (yield "pay", {"item": "tea", "count": 1}).is_error


def retry_after_a_fix(world: World, failures: int) -> Model:
    for _ in range(failures):
        yield "read", {"path": "new.md"}
    yield "write", {"path": "new.md"}
    yield from hit("new.md")


def wait_as_told(world: World, times: int) -> Model:
    world.free_at = world.now + 10 * times
    for _ in range(times):
        result = yield "ask", {"what": "x"}
        world.now += result.error.retry_after
    assert not (yield "ask", {"what": "x"}).is_error


def read_after_write(world: World, times: int) -> Model:
    for number in range(times):
        yield from hit()
        yield "write", {"path": "ok.md", "text": str(number)}
        yield from hit()


def edit_and_test(world: World, rounds: int) -> Model:
    world.failing = ["assertion failed in test_it"] * rounds
    for number in range(rounds):
        yield "run_tests", {}
        yield "write", {"path": "code.py", "text": str(number)}
    assert not (yield "run_tests", {}).is_error


def test_results_that_change(world: World, rounds: int) -> Model:
    world.failing = [f"failed: {'abcdefghijkl'[number]} is wrong" for number in range(rounds)]
    for _ in range(rounds + 1):
        yield "run_tests", {}


test_results_that_change.__test__ = False  # type: ignore[attr-defined]


def wrong_name_again_and_again(world: World, times: int) -> Model:
    for _ in range(times):
        yield "read_fiel", {"path": "ok.md"}
        yield from hit()


def wrong_argument_again_and_again(world: World, times: int) -> Model:
    for number in range(times):
        yield "read", {"path": 3}
        yield "listing", {"page": number}
        yield from hit()


def broken_json_again_and_again(world: World, times: int) -> Model:
    for _ in range(times):
        yield "read", '{"path": "ok.md'
        yield from hit()


def step_by_step(world: World, problems: int) -> Model:
    wrong = dict(zip(["item", "count", "kind", "to", "on", "by"], [1, "many", 2, 3, 4, 5], strict=True))
    right = dict(zip(wrong, ["tea", 1, "card", "me", "now", "car"], strict=True))
    names = list(wrong)[:problems]
    for number in range(problems):
        given = {**right, **{name: wrong[name] for name in names[number:]}}
        assert (yield "pay", given).is_error
    assert not (yield "pay", right).is_error


def until_it_is_there(world: World, times: int) -> Model:
    for number in range(times):
        yield "read", {"path": "out.json"}
        yield "write", {"path": "log", "text": f"waiting {number}"}
    world.files["out.json"] = "{}"
    yield from hit("out.json")


def look_it_up(world: World, missing: int) -> Model:
    for number in range(missing):
        yield "read", {"path": f"gone{number}.md"}
    yield "listing", {}
    yield from hit()


def take_the_proposal(world: World, missing: int) -> Model:
    for number in range(missing):
        yield "read", {"path": f"ok.md{number}"}
    yield from hit()


def valid_at_last(world: World, wrong: int) -> Model:
    for number in range(wrong):
        yield "read", {"path": number}
    yield from hit()


def services_in_turn(world: World, times: int) -> Model:
    for _ in range(times):
        for name in ("a.md", "b.md"):
            yield "read", {"path": name}
    world.files |= {"a.md": "", "b.md": ""}
    for name in ("a.md", "b.md"):
        yield from hit(name)


def mixed(world: World, rounds: int) -> Model:
    for number in range(rounds):
        yield "read", {"path": f"gone{number}.md"}
        yield "nothing_like_it", {}
        yield "pay", {"count": number}
        yield "pay", {"item": "tea", "count": number}
        yield from hit()


FINE: list[tuple[Callable[[World, int], Model], range | tuple[int, ...]]] = [
    (polling, (1, 10, 100)),
    (paging, (1, 10, 100)),
    (missing_then_a_hit, range(1, 11)),
    (corrected, range(1, 5)),
    (retry_after_a_fix, range(1, 4)),
    (wait_as_told, range(1, 11)),
    (read_after_write, (1, 5, 20)),
    (edit_and_test, range(1, 11)),
    (test_results_that_change, range(1, 11)),
    (wrong_name_again_and_again, (1, 3, 5, 20)),
    (wrong_argument_again_and_again, (1, 3, 5, 20)),
    (broken_json_again_and_again, (1, 3, 5, 20)),
    (step_by_step, range(1, 7)),
    (until_it_is_there, range(1, 11)),
    (look_it_up, (1, 5, 10, 11)),
    (take_the_proposal, (1, 5, 10, 11)),
    (valid_at_last, (1, 5, 11)),
    (services_in_turn, (1,)),
    (mixed, (1, 3, 5, 20)),
]
CASES_FINE = [(model, times, read_only) for model, many in FINE for times in many for read_only in (False, True)]


def test_there_are_a_hundred_fine_conversations():
    assert len(CASES_FINE) >= 200
    assert len(FINE) >= 15


@pytest.mark.parametrize(("model", "times", "read_only"), CASES_FINE)
def test_a_conversation_that_goes_well_is_not_stopped(talk, model, times, read_only):
    world, session = talk(read_only=read_only)
    asks = model(world, times)
    result = None
    while True:
        try:
            call = asks.send(result) if result is not None else next(asks)
        except StopIteration:
            break
        result = session.call(*call)
        assert not is_refused(result), (call, result.content)
        assert not result.fatal


# --- eleven in a row, and the corrected call


def eleven(session: Session, name: str = "gone") -> None:
    for number in range(11):
        assert not is_refused(session.call("read", {"path": f"{name}{number}.txt"}))


def test_after_eleven_in_a_row_another_guess_is_refused(talk):
    world, session = talk()
    eleven(session)
    results = [session.call("read", {"path": f"guess{number}.txt"}) for number in range(14)]
    assert all(is_refused(result) for result in results)
    assert [result.fatal for result in results] == [False] * 13 + [True]
    assert "read failed 11 times in a row" in results[0].content
    assert len(world.ran) == 11


def test_after_eleven_in_a_row_a_call_runs_that_something_else_has_prepared(talk):
    world, session = talk()
    eleven(session)
    assert is_refused(session.call("read", {"path": "ok.md"}))
    assert not session.call("listing").is_error
    assert session.call("read", {"path": "ok.md"}).content == "fine"
    assert not is_refused(session.call("read", {"path": "next.txt"}))
    assert session.memory.guard.to_dict()["rows"]["read"]["failures"] == 1


def test_what_was_prepared_is_good_for_one_call(talk):
    _, session = talk()
    eleven(session)
    assert not session.call("listing").is_error
    assert not is_refused(session.call("read", {"path": "x.txt"}))
    assert is_refused(session.call("read", {"path": "y.txt"}))
    assert not session.call("listing").is_error
    assert is_refused(session.call("read", {"path": "x.txt"})), "it has failed before"


def test_one_who_looks_and_guesses_in_turn_is_stopped_in_the_end(talk):
    world, session = talk()
    results = []
    for number in range(30):
        assert not session.call("listing").is_error
        results.append(session.call("read", {"path": f"guess{number}.txt"}))
    assert [is_refused(result) for result in results] == [False] * 24 + [True] * 6
    assert [result.fatal for result in results] == [False] * 24 + [True] * 6


def test_after_eleven_wrong_calls_in_a_row_a_right_one_runs(talk):
    world, session = talk()
    results = [session.call("pay", {"item": number, "count": [number]}) for number in range(15)]
    assert [is_refused(result) for result in results] == [False] * 11 + [True] * 4
    assert "pay failed 11 times in a row" in results[11].content
    assert session.call("pay", {"item": "tea", "count": 1}).content == "paid"
    assert not is_refused(session.call("pay", {"item": 1, "count": 1}))


def test_after_eleven_unknown_names_a_known_one_runs(talk):
    _, session = talk()
    words = [
        "apple",
        "quince",
        "violet",
        "moss",
        "zebra",
        "kettle",
        "jumper",
        "orchid",
        "walnut",
        "brick",
        "cloud",
        "fjord",
        "hobby",
    ]
    results = [session.call(word) for word in words]
    assert [is_refused(result) for result in results] == [False] * 11 + [True] * 2
    assert "calls of tools that do not exist failed 11 times in a row" in results[11].content
    assert not session.call("listing").is_error
    assert not is_refused(session.call("jumper"))


# --- what has changed, what was waited for, what was read


def test_a_wait_that_was_not_kept_counts(talk):
    world, session = talk()
    world.free_at = world.now + 1_000
    assert [is_refused(session.call("ask", {"what": "x"})) for _ in range(5)] == [False] * 3 + [True] * 2


def test_a_refused_call_runs_after_the_wait_that_was_asked_for(talk):
    world, session = talk()
    world.free_at = world.now + 10
    for _ in range(3):
        session.call("ask", {"what": "x"})
    assert is_refused(session.call("ask", {"what": "x"}))
    world.now += 10
    assert session.call("ask", {"what": "x"}).content == "answered"


def test_a_service_that_is_always_busy_ends_a_patient_conversation_too(talk):
    world, session = talk()
    world.free_at = float("inf")
    results = []
    for _ in range(14):
        results.append(session.call("ask", {"what": "x"}))
        world.now += 10
    assert [is_refused(result) for result in results] == [False] * 11 + [True] * 3


def test_a_waiting_time_of_less_than_a_second_is_no_excuse(make_pipeline):
    def ask() -> None:
        raise errors.ToolRateLimitError("Slow down.", retry_after=0.0001)

    session = make_pipeline(ask).session()
    assert [is_refused(session.call("ask")) for _ in range(5)] == [False] * 3 + [True] * 2


def slices(number: int) -> list[Call]:
    return [("read", {"path": "gone.md", "line": line}) for line in range(number)]


def test_what_one_message_asks_for_never_ends_the_run_by_itself(talk):
    """The model has not read of the first failure when it makes the other calls."""
    _, session = talk()
    assert not any(result.fatal for result in asyncio.run(session.acall_many(slices(8))))
    session.forgive()
    assert not any(result.fatal for result in session.call_many(slices(8)))
    assert session.call("read", {"path": "gone.md", "line": 99}).fatal
    assert session.call("read", {"path": "ok.md"}).content == "fine"


def test_the_same_call_six_times_in_one_message_does_not_end_the_run_either(talk):
    world, session = talk()
    results = session.call_many([("read", {"path": "gone.md"})] * 6)
    assert [is_refused(result) for result in results] == [False] * 3 + [True] * 3
    assert not any(result.fatal for result in results)
    assert session.call("read", {"path": "gone.md"}).fatal
    assert len(world.ran) == 3


def test_a_loop_that_makes_one_call_for_ever_ends_the_run_within_a_message(talk):
    world, session = talk()
    with session.step():
        results = [session.call("read", {"path": "gone.md"}) for _ in range(14)]
    assert [result.fatal for result in results] == [False] * 11 + [True] * 3
    assert len(world.ran) == 3


def test_twenty_guesses_in_one_message_do_not_end_the_run(talk):
    _, session = talk()
    results = session.call_many([("read", {"path": f"guess{number}.md"}) for number in range(20)])
    assert [is_refused(result) for result in results] == [False] * 11 + [True] * 9
    assert not any(result.fatal for result in results)


def test_calls_at_once_that_ran_never_say_that_they_did_not(talk):
    world, session = talk()
    results = asyncio.run(session.acall_many([("read", {"path": "gone.md"})] * 6))
    assert len(world.ran) == 6
    assert not any("not run" in result.content.split("\n")[0] for result in results)
    assert is_refused(session.call("read", {"path": "gone.md"}))


def test_a_fatal_error_by_the_policy_alone_is_remembered_too(talk):
    world, session = talk(policy=Policy(fatal={"read": True}))
    assert session.call("read", {"path": "gone.md"}).fatal
    assert session.call("read", {"path": "gone.md"}).error.rule == "session:fatal-before"
    assert len(world.ran) == 1


def test_where_nothing_is_fatal_a_repeated_call_is_refused_and_not_fatal(talk):
    world, session = talk(policy=Policy.feed_back_everything())
    results = [session.call("read", {"path": "gone.md"}) for _ in range(8)]
    assert [is_refused(result) for result in results] == [False] * 3 + [True] * 5
    assert not any(result.fatal for result in results)


def test_whole_numbers_are_the_same_however_they_are_written(make_pipeline):
    def take(n: float) -> None:
        raise ValueError("no")

    session = make_pipeline(take).session()
    assert [
        is_refused(session.call("take", text)) for text in ('{"n": 1}', '{"n": 1.0}', '{"n": 1e0}', '{"n": 1}')
    ] == [
        False,
        False,
        False,
        True,
    ]


def test_a_tool_that_reports_a_wrong_argument_itself_is_counted_by_its_value(make_pipeline):
    def book(day: str, room: int) -> None:
        raise errors.ToolArgumentError("No such day.", problems=(errors.Problem("/day", "unknown", None, day),))

    session = make_pipeline(book).session()
    results = [session.call("book", {"day": "someday", "room": room}) for room in range(5)]
    assert (results[4].fatal, is_refused(results[4]), results[4].attempts) == (True, True, 1)


def test_a_path_below_the_folder_of_the_tool_is_known_by_its_end(make_pipeline):
    ran = []

    def read(path: str, line: int) -> None:
        ran.append(path)
        raise FileNotFoundError(2, "No such file", f"/srv/data/{path}")

    session = make_pipeline(read).session()
    results = [session.call("read", {"path": "a/gone.md", "line": line}) for line in range(5)]
    assert [is_refused(result) for result in results] == [False] * 3 + [True] * 2
    assert (results[4].fatal, len(ran)) == (True, 3)


# --- threads and tasks


def test_sixteen_threads_count_every_failure(make_pipeline):
    def fail(n: int, thread: int) -> None:
        raise ValueError("x")

    def look() -> str:
        return "fine"

    pipeline = make_pipeline(fail, Tool.from_function(look, read_only=True))
    session = pipeline.session()
    barrier, raised = threading.Barrier(16), []

    def work(thread: int) -> None:
        barrier.wait()
        try:
            for number in range(50):
                assert session.call("fail", {"n": number % 5, "thread": thread}).is_error
                json.dumps(session.to_dict())
                if number % 10 == 0:
                    session.call_many([("look", {})])
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []
    saved = session.to_dict()["guard"]
    assert saved["rows"]["fail"]["failures"] == 16 * 50
    assert session.memory._open_steps == 0
    assert is_refused(session.call("fail", {"n": 0, "thread": 0}))


def test_a_hundred_tasks_count_every_failure(make_pipeline):
    async def fail(n: int) -> None:
        await asyncio.sleep(0)
        raise ValueError("x")

    async def main(session: Session) -> list[ToolResult]:
        return await asyncio.gather(*(session.acall("fail", {"n": number % 20}) for number in range(100)))

    session = make_pipeline(fail).session()
    results = asyncio.run(main(session))
    assert all(result.is_error for result in results)
    saved = session.to_dict()["guard"]
    assert saved["rows"]["fail"]["failures"] == 100
    assert sorted(record["total"] for record in saved["failed"]["fail"].values()) == [5] * 20
