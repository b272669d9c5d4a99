"""The loop guard: twelve models that are stuck are stopped, a hundred conversations that go well are not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from itertools import product
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
        self.failing: list[Any] = []
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
            failure = self.failing.pop(0)
            raise failure if isinstance(failure, Exception) else RuntimeError(failure)
        return "passed"

    def session(self, pipeline: Pipeline) -> Session:
        pipeline._runtime.clock = lambda: self.now
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
CASES = ["".join(letters) for letters in product("gG", "oO", "nN", "eE", [".md", ".MD"])]

STUCK: dict[str, tuple[Callable[[int], Call], int, int, int]] = {
    # what the model does, which call is refused at the latest, which one ends the run, how often a tool runs at most
    "identical": (lambda n: ("read", {"path": "gone.md"}), 4, 5, 3),
    "alternating": (lambda n: ("read", {"path": ("gone.md", "lost.md")[n % 2]}), 7, 9, 6),
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
    "two tools in turn": (lambda n: (("read", "stat")[n % 2], {"path": "gone.md"}), 7, 9, 6),
    "near-identical values": (lambda n: ("read", {"path": f"gone{n}.md"}), 24, 24, 23),
    "numbers as text": (lambda n: ("pay", {"item": f"tea {n}", "count": NUMBERS[n % 7]}), 4, 5, 0),
    "case changes": (lambda n: ("read", {"path": CASES[n]}), 24, 24, 23),
}


@pytest.mark.parametrize("way", ["call", "acall"])
@pytest.mark.parametrize("name", STUCK)
def test_a_stuck_model_is_stopped(talk, name, way):
    model, refused_by, fatal_by, most = STUCK[name]
    world, session = talk()
    results = []
    for number in range(30):
        asked = model(number)
        results.append(session.call(*asked) if way == "call" else asyncio.run(session.acall(*asked)))
        if name.startswith("reworded") and results[-1].fatal:
            break
    first = next(index for index, result in enumerate(results, 1) if is_refused(result))
    fatal = next(index for index, result in enumerate(results, 1) if result.fatal)
    assert (first, fatal, len(world.ran)) == (refused_by, fatal_by, most)
    assert all(is_refused(result) and result.fatal for result in results[fatal + 2 :])
    for result in results:
        assert not result.content.startswith("Error: This call was not run") or result.attempts == 0


@pytest.mark.parametrize("name", ["alternating", "two tools in turn"])
def test_of_two_failures_in_turn_each_has_its_three_attempts(talk, name):
    world, session = talk()
    results = [session.call(*STUCK[name][0](number)) for number in range(10)]
    assert [is_refused(result) for result in results] == [False] * 6 + [True] * 4
    for one in (results[::2], results[1::2]):
        assert [result.fatal for result in one] == [False] * 4 + [True]


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
    assert "This has failed repeatedly. Change the call, or take another approach." in results[3].content
    assert results[4].content.startswith("Error executing tool search: This has failed 5 times.")
    assert "not run" not in results[4].content
    assert (results[4].fatal, results[4].attempts, len(world.ran)) == (True, 1, 5)
    assert session.call("search", {"query": "ok.md"}).content == "ok.md"


def test_the_same_class_with_other_values_only_sharpens_the_words(talk):
    _, session = talk()
    told = [session.call("read", {"path": f"gone{number}.md"}).content for number in range(5)]
    sharper = "Other values have failed in the same way. Find out which values exist before you try another."
    assert [sharper in text for text in told] == [False, False, True, True, True]


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


def test_failures_of_two_classes_in_turn_are_not_progress(talk):
    world, session = talk()
    world.failing = [RuntimeError("no disk"), LookupError("no entry")] * 10
    results = [session.call("run_tests") for _ in range(8)]
    assert any(is_refused(result) for result in results)
    assert len(world.ran) <= 5


@pytest.mark.parametrize(
    "text",
    [
        "timeout after {n}.{n} s at 0x7f{n}ab, request 3fa85f64-{n}717",
        "the words of {word} are others every time",
        "{word}",
    ],
)
def test_a_failure_whose_text_alone_changes_is_the_same(talk, text):
    world, session = talk()
    world.failing = [text.format(n=n, word="abcdefghi"[n] * 9) for n in range(9)]
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


def results_that_change(world: World, rounds: int) -> Model:
    kinds = [ValueError, OSError, LookupError, ArithmeticError, RuntimeError, AttributeError, BufferError, EOFError]
    world.failing = [kind("the tests failed") for kind in kinds[:rounds]]
    for _ in range(rounds + 1):
        yield "run_tests", {}


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
        if number % 20 == 0:
            yield "listing", {}
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
    (missing_then_a_hit, (*range(1, 11), 11, 12, 22)),
    (corrected, range(1, 5)),
    (retry_after_a_fix, range(1, 4)),
    (wait_as_told, range(1, 11)),
    (read_after_write, (1, 5, 20)),
    (edit_and_test, (*range(1, 11), 12, 30)),
    (results_that_change, range(1, 9)),
    (wrong_name_again_and_again, (1, 3, 5, 20)),
    (wrong_argument_again_and_again, (1, 3, 5, 20)),
    (broken_json_again_and_again, (1, 3, 5, 20)),
    (step_by_step, range(1, 7)),
    (until_it_is_there, (*range(1, 11), 30)),
    (look_it_up, (1, 5, 11, 23, 24, 40)),
    (take_the_proposal, (1, 5, 10, 23)),
    (valid_at_last, (1, 5, 11, 23)),
    (services_in_turn, (1,)),
    (mixed, (1, 3, 5, 20)),
]
CASES_FINE = [(model, times, read_only) for model, many in FINE for times in many for read_only in (False, True)]


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


# --- different values: the twelfth step asks to stop, the twenty-fourth ends the run; a corrected call always runs

STOP = "At least 12 attempts in a row have failed. Stop, and tell the user what is needed."


def fail_in_steps(session: Session, steps: int) -> list[ToolResult]:
    results = [session.call("read", {"path": f"gone{number}.txt"}) for number in range(steps)]
    assert not any(is_refused(result) for result in results)
    return results


def test_from_the_twelfth_step_in_a_row_on_it_asks_to_stop(talk):
    _, session = talk()
    results = fail_in_steps(session, 23)
    assert [STOP in result.content for result in results] == [False] * 11 + [True] * 12
    assert results[11].content.endswith("Next: stop calling read, and tell the user what is needed.")
    assert not any(result.fatal for result in results)


def test_the_twenty_fourth_step_in_a_row_is_refused_and_ends_the_run(talk):
    world, session = talk()
    fail_in_steps(session, 23)
    result = session.call("read", {"path": "ok.md"})
    assert (is_refused(result), result.fatal, result.attempts) == (True, True, 0)
    assert "This call was not run: read failed 23 times in a row." in result.content
    assert session.call("read", {"path": "other.md"}).fatal
    assert len(world.ran) == 23
    assert not session.call("listing").is_error


@pytest.mark.parametrize("way", ["call_many", "acall_many", "step", "tasks in a step", "answer"])
def test_many_different_calls_of_one_message_count_once(talk, way):
    world, session = talk()
    world.files |= {f"rec{number}.md": "" for number in range(30, 40)}
    for turn in range(3):
        calls = [("read", {"path": f"rec{number + 100 * turn * (number < 30)}.md"}) for number in range(40)]
        results = in_one_step(session, calls, way, f"turn {turn}, ")
        assert [result.attempts for result in results] == [1] * 40
        assert [result.is_error for result in results] == [True] * 30 + [False] * 10
        assert not any(result.fatal or STOP in result.content for result in results)


def in_one_step(session: Session, calls: list[Any], way: str, ids: str = "") -> list[ToolResult]:
    async def tasks() -> list[ToolResult]:
        with session.step():
            return await asyncio.gather(*(session.acall(*call) for call in calls))

    if way == "call_many":
        return session.call_many(calls)
    if way == "acall_many":
        return asyncio.run(session.acall_many(calls))
    if way == "tasks in a step":
        return asyncio.run(tasks())
    if way == "step":
        with session.step():
            return [session.call(*call) for call in calls]
    asked = [
        {"id": f"{ids}{index}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for index, (name, arguments) in enumerate(calls)
    ]
    return list(session.answer({"role": "assistant", "tool_calls": asked}).results)


@pytest.mark.parametrize("way", ["call_many", "acall_many", "step"])
def test_steps_are_counted_not_calls(talk, way):
    world, session = talk()
    for turn in range(23):
        calls = [("read", {"path": f"guess{turn}-{number}.md"}) for number in range(5)]
        results = in_one_step(session, calls, way)
        assert not any(is_refused(result) for result in results)
        assert [STOP in result.content for result in results] == [turn >= 11] * 5
    assert all(
        result.fatal for result in in_one_step(session, [("read", {"path": f"last{n}.md"}) for n in range(5)], way)
    )
    assert len(world.ran) == 23 * 5


def test_a_success_of_any_tool_ends_the_row(talk):
    _, session = talk()
    fail_in_steps(session, 23)
    assert not session.call("listing").is_error
    assert not is_refused(session.call("read", {"path": "x.txt"}))
    assert STOP not in session.call("read", {"path": "y.txt"}).content


def test_after_many_wrong_calls_in_a_row_a_right_one_runs(talk):
    world, session = talk()
    results = [session.call("pay", {"item": number, "count": [number]}) for number in range(25)]
    assert [is_refused(result) for result in results] == [False] * 23 + [True] * 2
    assert [result.fatal for result in results] == [False] * 23 + [True] * 2
    assert "pay failed 23 times in a row" in results[23].content
    assert session.call("pay", {"item": "tea", "count": 1}).content == "paid"
    assert not is_refused(session.call("pay", {"item": 1, "count": 1}))


def test_after_many_unknown_names_a_known_one_runs(talk):
    _, session = talk()
    words = "apple quince violet moss zebra kettle jumper orchid walnut brick cloud fjord hobby ink jelly kiwi lamp "
    words += "mango nest oboe pear quilt rose sand tulip urn"
    results = [session.call(word) for word in words.split()]
    assert [is_refused(result) for result in results] == [False] * 23 + [True] * 3
    assert "calls of tools that do not exist failed 23 times in a row" in results[23].content
    assert not session.call("listing").is_error
    assert not is_refused(session.call("jumper"))


@pytest.mark.parametrize("name", ["plan-a.md", "plan-b.md", "plan-c.md"])
def test_each_name_that_the_feedback_lists_may_be_tried(make_pipeline, name):
    def read(path: str) -> str:
        if path in names:
            return "found"
        raise FileNotFoundError(2, "No such file or directory", path)

    names = ["plan-a.md", "plan-b.md", "plan-c.md"]
    session = make_pipeline(Tool.from_function(read, read_only=True, resources=lambda _: names)).session()
    for number in range(23):
        session.call("read", {"path": f"plan-x{number}.md"})
    assert session.call("read", {"path": name}).content == "found"


def test_the_call_that_the_feedback_proposed_is_never_refused(make_pipeline):
    def order(count: int, size: str) -> str:
        ran.append(count)
        if len(ran) <= 3:
            raise RuntimeError("out of stock")
        return "ordered"

    ran: list[int] = []
    session = make_pipeline(order).session()
    for _ in range(3):
        assert session.call("order", {"count": 3, "size": "m"}).is_error
    proposing = session.call("order", {"count": "3", "size": "m"})
    assert proposing.feedback.corrected == '{"name": "order", "arguments": {"count": 3, "size": "m"}}'
    assert session.call("order", json.loads(proposing.feedback.corrected)["arguments"]).content == "ordered"
    assert len(ran) == 4


def test_a_proposal_is_good_for_one_call(make_pipeline):
    def order(count: int, size: str) -> str:
        raise RuntimeError("out of stock")

    session = make_pipeline(order).session()
    right = {"count": 3, "size": "m"}
    assert session.call("order", {**right, "count": "3"}).feedback.corrected
    assert [is_refused(session.call("order", right)) for _ in range(5)] == [False] * 3 + [True] * 2
    assert session.call("order", {**right, "count": "3"}).is_error


def test_a_saved_conversation_knows_what_was_proposed(make_pipeline):
    def order(count: int, size: str) -> str:
        raise RuntimeError("out of stock")

    pipeline = make_pipeline(order)
    session = pipeline.session()
    right = {"count": 3, "size": "m"}
    assert all(session.call("order", right).is_error for _ in range(3))
    assert session.call("order", {**right, "count": "3"}).feedback.corrected
    saved = json.loads(json.dumps(session.to_dict()))
    again = type(session).from_dict(pipeline, saved)
    assert [is_refused(again.call("order", right)) for _ in range(2)] == [False, True]


def test_what_is_missing_is_the_same_however_it_is_reported(make_pipeline):
    """Another exception is a new result of a call; the file is still the one that is missing."""

    def read(path: str, line: int) -> str:
        raise type(f"Gone{line}", (FileNotFoundError,), {})(2, "No such file or directory", path)

    session = make_pipeline(read).session()
    results = [session.call("read", {"path": "gone.md", "line": line}) for line in range(4)]
    assert [is_refused(result) for result in results] == [False] * 3 + [True]


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
    for _ in range(26):
        results.append(session.call("ask", {"what": "x"}))
        world.now += 10
    assert [is_refused(result) for result in results] == [False] * 23 + [True] * 3
    assert [STOP in result.content for result in results[:23]] == [False] * 11 + [True] * 12


def test_a_waiting_time_of_less_than_a_second_is_no_excuse(make_pipeline):
    def ask() -> None:
        raise errors.ToolRateLimitError("Slow down.", retry_after=0.0001)

    session = make_pipeline(ask).session()
    assert [is_refused(session.call("ask")) for _ in range(5)] == [False] * 3 + [True] * 2


def slices(number: int) -> list[Call]:
    return [("read", {"path": "gone.md", "line": line}) for line in range(number)]


@pytest.mark.parametrize("way", ["call_many", "acall_many", "step"])
def test_the_failures_of_one_message_count_once(talk, way):
    """The model has not read of the first failure when it makes the other calls."""
    world, session = talk()
    steps = [in_one_step(session, slices(8), way) for _ in range(5)]
    assert [{is_refused(result) for result in step} for step in steps] == [{False}] * 3 + [{True}] * 2
    assert [{result.fatal for result in step} for step in steps] == [{False}] * 4 + [{True}]
    assert all("has already failed" in result.content for result in steps[1])
    assert len(world.ran) == 24
    assert session.call("read", {"path": "ok.md"}).content == "fine"


def test_a_step_inside_a_step_is_part_of_it(talk):
    _, session = talk()
    for turn in range(4):
        with session.step():
            results = [*session.call_many(slices(2)), session.call("read", {"path": "gone.md"})]
            results += asyncio.run(session.acall_many(slices(2)))
        assert [is_refused(result) for result in results] == [turn == 3] * 5


def test_steps_of_two_agents_that_overlap_are_counted(talk):
    """Each keeps its step open while its model thinks, so one is open at any time."""
    world, session = talk()
    open_steps: list[Any] = []
    results = []
    for _ in range(5):
        open_steps.append(session.step())
        open_steps[-1].__enter__()
        results.append(session.call("read", {"path": "gone.md"}))
        if len(open_steps) == 2:
            open_steps.pop(0).__exit__(None, None, None)
    assert [is_refused(result) for result in results] == [False] * 3 + [True] * 2
    assert results[4].fatal


def test_calls_at_once_that_ran_never_say_that_they_did_not(talk):
    world, session = talk()
    for turn in range(1, 4):
        results = asyncio.run(session.acall_many([("read", {"path": "gone.md"})] * 6))
        assert len(world.ran) == 6 * turn
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


def test_a_missing_file_is_refused_in_each_spelling_that_has_failed(make_pipeline):
    ran = []

    def read(path: str, line: int) -> None:
        ran.append(path)
        raise FileNotFoundError(2, "No such file", "/srv/data/a/gone.md")

    session = make_pipeline(read).session()
    paths = ["a/gone.md", "./a/gone.md"] * 2
    results = [session.call("read", {"path": path, "line": line}) for line, path in enumerate(paths)]
    assert [is_refused(result) for result in results] == [False] * 3 + [True]
    assert ran == paths[:3]


def test_another_file_whose_name_ends_alike_is_not_refused(make_pipeline):
    ran = []

    def build(path: str, line: int) -> str:
        ran.append(line)
        if line < 5:
            raise FileNotFoundError(2, "No such file", "/srv/data/bygone.md")
        return "built"

    session = make_pipeline(build).session()
    results = [session.call("build", {"path": "gone.md", "line": line}) for line in range(4)]
    assert not any(is_refused(result) for result in results)
    assert session.call("build", {"path": "gone.md", "line": 9}).content == "built"


def test_a_call_with_one_of_several_wrong_values_corrected_is_another_failure(talk):
    _, session = talk()
    wrong = {"item": 1, "count": "many", "kind": 2, "to": 3, "on": 4, "by": 5}
    right = {"item": "tea", "count": 1, "kind": "card", "to": "me", "on": "now", "by": "car"}
    for name in wrong:
        assert not is_refused(session.call("pay", wrong))
        wrong[name] = right[name]
    assert session.call("pay", wrong).content == "paid"


# --- polling


class Job:
    """A job that is ready after some questions, and other tools."""

    def __init__(self, make_pipeline: Any, ready: int = 10**9, **declared: Any) -> None:
        self.asked = 0
        self.ready = ready

        def status(job: int) -> str:
            self.asked += 1
            if self.asked < self.ready:
                raise errors.ToolUnavailableError("The job is not ready.", transient=True)
            return "done"

        def look() -> str:
            return "nothing new"

        def broken() -> str:
            raise ValueError("broken")

        tools = [Tool.from_function(status, **declared), Tool.from_function(look, read_only=True), broken]
        self.session = make_pipeline(*tools, policy=Policy(retry=False)).session()


def test_a_model_that_polls_is_never_told_that_it_repeats_itself(make_pipeline):
    job = Job(make_pipeline, ready=40, read_only=True)
    results = []
    for _ in range(40):
        results.append(job.session.call("status", {"job": 7}))
        job.session.call("look")
    assert results[-1].content == "done"
    assert {result.content for result in results[:-1]} == {
        (
            "Error executing tool status: The job is not ready.\nNext: this is temporary; call status again with exactly the "
            "same arguments, or do something else first."
        )
    }


def test_polling_after_refusals_runs_again(make_pipeline):
    job = Job(make_pipeline, read_only=True)
    assert [is_refused(job.session.call("status", {"job": 7})) for _ in range(4)] == [False] * 3 + [True]
    job.session.call("look")
    assert not is_refused(job.session.call("status", {"job": 7}))
    assert job.session.call("status", {"job": 7}).fatal


def test_polling_after_the_run_was_to_end_is_no_repetition_either(make_pipeline):
    job = Job(make_pipeline, read_only=True)
    assert [job.session.call("status", {"job": 7}).fatal for _ in range(5)] == [False] * 4 + [True]
    job.session.call("look")
    result = job.session.call("status", {"job": 7})
    assert isinstance(result.error, errors.ToolUnavailableError)
    assert not result.fatal


def test_the_step_agrees_with_the_note(make_pipeline):
    job = Job(make_pipeline, read_only=True)
    told = [job.session.call("status", {"job": 7}).content.split("\n", 1)[1] for _ in range(4)]
    assert told == [
        "Next: this is temporary; call status again with exactly the same arguments, or do something else first.",
        "This same call has already failed.\nNext: this is temporary; do something else first, then call status again.",
        (
            "This has failed 3 times and will not run again. Change the call, or take another approach.\n"
            "Next: use another tool or other arguments, or tell the user what the problem is."
        ),
        "Next: use another tool or other arguments, or tell the user what the problem is.",
    ]


@pytest.mark.parametrize(
    "error",
    [
        errors.ToolUnavailableError("Busy.", transient=True),
        errors.ToolUnavailableError("Busy.", transient=True, retry_after=30),
        errors.ToolRateLimitError("Slow down."),
        errors.ToolTimeoutError("Too slow."),
    ],
)
def test_no_text_says_both_that_a_call_has_failed_and_to_make_it_again_unchanged(make_pipeline, error):
    def ask() -> None:
        raise error

    session = make_pipeline(Tool.from_function(ask, read_only=True), policy=Policy(retry=False)).session()
    told = [session.call("ask").content for _ in range(5)]
    assert "with exactly the same arguments" in told[0]
    assert not any("exactly the same" in text for text in told[1:])


def test_a_tool_that_may_write_is_not_polled(make_pipeline):
    job = Job(make_pipeline)
    results = []
    for _ in range(5):
        results.append(job.session.call("status", {"job": 7}))
        job.session.call("look")
    assert [is_refused(result) for result in results] == [False] * 3 + [True] * 2


def test_polling_between_calls_that_all_fail_ends_too(make_pipeline):
    job = Job(make_pipeline, read_only=True)
    results = []
    for number in range(24):
        results.append(job.session.call("status", {"job": 7}))
        job.session.call(f"nothing_{number}")
    assert [is_refused(result) for result in results] == [False] * 23 + [True]
    assert results[-1].fatal


# --- the user and the host


@pytest.mark.parametrize(
    "reset", [lambda session: session.forgive(), lambda session: session.note_request("Try again.")]
)
def test_a_new_message_of_the_user_resets_what_failed(talk, reset):
    world, session = talk(policy=Policy(fatal={"stat": True}))
    for _ in range(5):
        session.call("read", {"path": "new.md"})
    assert session.call("stat", {"path": "new.md"}).fatal
    world.files["new.md"] = "here"
    assert session.call("read", {"path": "new.md"}).fatal
    reset(session)
    assert session.call("read", {"path": "new.md"}).content == "here"
    assert session.call("stat", {"path": "new.md"}).content == "4 bytes"


def test_a_message_of_the_user_is_text(talk):
    _, session = talk()
    with pytest.raises(errors.UsageError, match="note_request takes the user's message as a string, not 3"):
        session.note_request(3)


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
    assert session.memory._open_steps == 0
    assert is_refused(session.call("fail", {"n": 0, "thread": 0}))


def test_calls_in_flight_at_the_same_time_count_once(make_pipeline):
    """The model could not read of one failure before it made the others, whether or not the host says so."""

    async def fail(n: int) -> None:
        await asyncio.sleep(0)
        raise ValueError("x")

    async def main(session: Session) -> list[ToolResult]:
        return await asyncio.gather(*(session.acall("fail", {"n": number % 20}) for number in range(100)))

    session = make_pipeline(fail).session()
    for turn in range(4):
        results = asyncio.run(main(session))
        assert {is_refused(result) for result in results} == {turn == 3}


SHARPER = "Other values have failed in the same way."


def add_item(name: str, stock: int) -> str:
    return name


@pytest.mark.parametrize(
    "calls",
    [
        ['{"name":"a"', '{"name":"a","stock":"x"}', '{"name":"a","stock":3,"x":1}'],
        [{"stock": "x"}, {"stock": []}, {"name": None}],
        ['{"name":"a"', '{"name":"b"', '{"name":"c"'],
        [{"name": "a", "stock": 1, letter: 1} for letter in "xyz"],
        [{"stock": number} for number in range(3)],
        [{"name": "a", "stock": text} for text in ("x", "y", "z")],
    ],
)
def test_no_list_of_values_helps_against_a_wrong_form(calls):
    session = Pipeline([add_item], autoload=False).session()
    assert not any(SHARPER in session.call("add_item", arguments).content for arguments in calls)


@pytest.mark.parametrize(
    ("blamed", "is_sharper"),
    [(["city"] * 3, True), (["city", "unit", "city"], False), (["unit", "city", "city"], False)],
)
def test_only_the_same_argument_makes_other_values(blamed, is_sharper):
    def weather(city: str, unit: str) -> str:
        name = blamed[len(seen)]
        seen.append(name)
        raise errors.ToolArgumentError(
            "Refused.", problems=[errors.Problem(f"/{name}", "not valid", got=str(len(seen)))]
        )

    seen: list[str] = []
    session = Pipeline([weather], autoload=False).session()
    told = [session.call("weather", {"city": f"c{n}", "unit": f"u{n}"}).content for n in range(3)]
    assert [SHARPER in text for text in told] == [False, False, is_sharper]


@pytest.mark.parametrize("cls", [errors.ToolUnavailableError, errors.ToolRateLimitError, errors.ToolTimeoutError])
def test_no_list_of_values_helps_against_a_service_that_is_down(cls):
    def look(query: str) -> str:
        raise cls("Busy.")

    session = Pipeline([look], autoload=False).session()
    assert not any(SHARPER in session.call("look", {"query": query}).content for query in "abcd")
