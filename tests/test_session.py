"""Conversations: a call that fails again and again is noticed, told, refused, and at last fatal; nothing else is."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Approve, Budget, FeedbackFormat, Pipeline, Session, Tool, ToolCall, errors
from mulligan.session.memory import SessionMemory


class Shop:
    """Tools that work, or fail as they are told."""

    def __init__(self) -> None:
        self.ran: list[Any] = []
        self.open = False
        self.error: BaseException | None = None

    def tools(self) -> list[Any]:
        def read(path: str, line: int = 1) -> str:
            self.ran.append(path)
            if self.open or path.startswith("ok"):
                return f"read {path}"
            raise FileNotFoundError(path)

        def buy(item: str, count: int = 1) -> str:
            self.ran.append(item)
            if self.error is not None:
                raise self.error
            if self.open:
                return "bought"
            raise ValueError(f"no {item}")

        def poll() -> str:
            self.ran.append("poll")
            return "pending"

        return [read, buy, poll]


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def pipeline(make_pipeline, shop) -> Pipeline:
    return make_pipeline(*shop.tools())


def ask(session: Session, name: str, arguments: Any, way: str = "call") -> Any:
    return session.call(name, arguments) if way == "call" else asyncio.run(session.acall(name, arguments))


LADDER = [
    "",
    "has already failed",
    r"has failed 3 times and will not run again\.|Only the corrected call will run\.",
    "",
    "",
]


@pytest.mark.parametrize("way", ["call", "acall"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "gone.md"}),
        ("buy", {"item": "tea"}),
        ("nope", {"a": 1}),
        ("read", {"path": 3}),
        ("read", {}),
        ("read", '{"path": '),
        ("read", "{'path': 'x'}"),
    ],
)
def test_the_ladder(pipeline, shop, name, arguments, way):
    session = pipeline.session()
    results = [ask(session, name, arguments, way) for _ in range(7)]
    for result, sentence in zip(results, LADDER, strict=False):
        assert re.search(sentence, result.content), result.content
    assert "This same call has already failed." not in results[0].content
    assert [isinstance(result.error, errors.RepeatedCallError) for result in results] == [False] * 3 + [True] * 4
    assert [result.fatal for result in results] == [False] * 4 + [True] * 3
    assert len(shop.ran) <= 3
    assert [result.attempts for result in results[3:]] == [0] * 4
    assert "This call was not run: it has already failed 3 times." in results[3].content
    assert results[3].error.code == "ABORTED"
    assert results[3].error.rule == "session:repeated"


def test_without_a_session_nothing_is_remembered(pipeline, shop):
    for _ in range(10):
        assert isinstance(pipeline.call("read", {"path": "gone.md"}).error, errors.ResourceNotFoundError)
    assert len(shop.ran) == 10


def test_equal_arguments_are_the_same_however_they_are_written(pipeline):
    session = pipeline.session()
    for arguments in ({"item": "tea", "count": 1}, '{"count": 1, "item": "tea"}', '{ "item":"tea",\n"count":1 }'):
        assert isinstance(ask(session, "buy", arguments).error, errors.ToolExecutionError)
    assert isinstance(ask(session, "buy", '{"item": "\\u0074ea", "count": 1}').error, errors.RepeatedCallError)


def test_the_same_failing_value_counts_though_corrected_arguments_differ(pipeline, shop):
    session = pipeline.session()
    for line in range(1, 4):
        assert isinstance(ask(session, "read", {"path": "gone.md", "line": line}).error, errors.ResourceNotFoundError)
    assert isinstance(ask(session, "read", {"path": "gone.md", "line": 4}).error, errors.RepeatedCallError)
    assert len(shop.ran) == 3


def test_different_missing_files_never_trip_it(pipeline, shop):
    session = pipeline.session()
    for number in range(11):
        result = ask(session, "read", {"path": f"gone{number}.md"})
        assert isinstance(result.error, errors.ResourceNotFoundError)
        assert not result.fatal
    assert len(shop.ran) == 11


def test_many_failures_in_a_row_refuse_the_tool_and_no_other(pipeline, shop):
    session = pipeline.session()
    for number in range(23):
        assert isinstance(ask(session, "read", {"path": f"gone{number}.md"}).error, errors.ResourceNotFoundError)
    result = ask(session, "read", {"path": "gone99.md"})
    assert isinstance(result.error, errors.RepeatedCallError)
    assert "read failed 23 times in a row" in result.content
    assert (result.error.rule, result.fatal) == ("session:in-a-row", True)
    assert not ask(session, "poll", {}).is_error


def test_a_success_between_resets_the_row(pipeline):
    session = pipeline.session()
    for number in range(40):
        result = ask(session, "read", {"path": f"ok{number}" if number % 8 == 7 else f"gone{number}.md"})
        assert not isinstance(result.error, errors.RepeatedCallError)


def test_a_success_resets_the_count_of_that_call(pipeline, shop):
    session = pipeline.session()
    for _ in range(4):
        for _ in range(2):
            assert isinstance(ask(session, "read", {"path": "gone.md"}).error, errors.ResourceNotFoundError)
        shop.open = True
        assert not ask(session, "read", {"path": "gone.md"}).is_error
        shop.open = False


def test_a_corrected_call_always_runs(pipeline):
    session = pipeline.session()
    for _ in range(5):
        ask(session, "read", {"path": "gone.md"})
        ask(session, "nope", {})
        ask(session, "read", '{"path"')
    assert ask(session, "read", {"path": "ok.md"}).content == "read ok.md"


def test_a_corrected_call_runs_though_another_argument_has_the_failing_value(make_pipeline):
    def copy(source: str, target: str) -> str:
        if source == "a.md":
            raise FileNotFoundError(2, "No such file", "a.md")
        return f"{source} to {target}"

    session = make_pipeline(copy).session()
    for number in range(3):
        assert isinstance(
            session.call("copy", {"source": "a.md", "target": f"t{number}"}).error, errors.ResourceNotFoundError
        )
    assert session.call("copy", {"source": "b.md", "target": "a.md"}).content == "b.md to a.md"


def test_polling_never_trips_it(pipeline, shop):
    session = pipeline.session()
    for _ in range(100):
        assert ask(session, "poll", {}).content == "pending"
    for page in range(100):
        assert not ask(session, "read", {"path": "ok.md", "line": page}).is_error
    assert len(shop.ran) == 200


def test_a_fatal_error_is_not_run_again_until_it_is_forgiven(pipeline, shop):
    shop.error = errors.ToolAuthenticationError("Bad key.")
    session = pipeline.session()
    first = ask(session, "buy", {"item": "tea"})
    assert (first.fatal, type(first.error)) == (True, errors.ToolAuthenticationError)
    for _ in range(2):
        again = ask(session, "buy", {"item": "tea"})
        assert (again.fatal, again.attempts) == (True, 0)
        assert (
            "This call was not run: it failed before, and repeating it cannot help (ToolAuthenticationError)."
            in again.content
        )
        assert again.error.rule == "session:fatal-before"
    assert len(shop.ran) == 1
    shop.error, shop.open = None, True
    session.forgive()
    assert ask(session, "buy", {"item": "tea"}).content == "bought"


def test_sessions_do_not_see_each_other(pipeline):
    first, second = pipeline.session("a"), pipeline.session("b")
    for _ in range(4):
        ask(first, "read", {"path": "gone.md"})
    assert isinstance(ask(second, "read", {"path": "gone.md"}).error, errors.ResourceNotFoundError)
    assert (first.id, second.id, pipeline.session().id) == ("a", "b", None)


def test_every_way_to_call_has_the_memory(pipeline):
    message = {"tool_calls": [{"id": "1", "function": {"name": "read", "arguments": '{"path": "gone.md"}'}}]}
    call = ToolCall("1", "read", {"path": "gone.md"})
    ways = [
        lambda session: session.call("read", {"path": "gone.md"}, call_id="1"),
        lambda session: session.call(call),
        lambda session: asyncio.run(session.acall(call)),
        lambda session: session.call_many([call])[0],
        lambda session: asyncio.run(session.acall_many([call]))[0],
        lambda session: session.answer(message).results[0],
        lambda session: asyncio.run(session.aanswer(message)).results[0],
        lambda session: pipeline.call(call, session=session),
        lambda session: pipeline.call_many([("read", {"path": "gone.md"})], session=session)[0],
    ]
    for way in ways:
        session = pipeline.session()
        for _ in range(3):
            ask(session, "read", {"path": "gone.md"})
        assert isinstance(way(session).error, errors.RepeatedCallError)


def test_calls_at_once_are_all_counted(make_pipeline):
    async def fail(n: int) -> None:
        await asyncio.sleep(0)
        raise ValueError("x")

    async def main(session: Session) -> list[Any]:
        return await session.acall_many([("fail", {"n": 1})] * 6)

    session = make_pipeline(fail).session()
    results = asyncio.run(main(session))
    assert len(results) == 6
    assert all(result.is_error for result in results)
    assert "This same call has already failed." in session.call("fail", {"n": 1}).content


def test_threads_share_a_session(make_pipeline):
    def fail(n: int) -> None:
        raise ValueError("x")

    session = make_pipeline(fail).session()

    def ask_often(start: int) -> None:
        for number in range(100):
            session.call("fail", {"n": start * 1_000 + number % 10})

    threads = [threading.Thread(target=ask_often, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results = [session.call("fail", {"n": start * 1_000 + number}) for start in range(4) for number in range(10)]
    assert all(isinstance(result.error, errors.RepeatedCallError) for result in results)


class Hostile:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize(
    "arguments", [Hostile(), {"a": Hostile()}, 3, [1], {1: 2}, b"\xff", "\ud800", "[" * 100_000, float("nan")]
)
def test_odd_arguments_never_end_a_conversation(pipeline, arguments):
    session = pipeline.session()
    for _ in range(6):
        assert ask(session, "read", arguments).is_error
        assert ask(session, "nope", arguments).is_error


@pytest.mark.parametrize("name", [None, 3, ["read"], {"a": 1}, "\ud800", "x" * 100_000])
def test_odd_names_never_end_a_conversation(pipeline, name):
    session = pipeline.session()
    results = [session.call(ToolCall("1", name, {})) for _ in range(6)]
    assert all(result.is_error for result in results)
    json.dumps(session.to_dict())


def test_memory_is_bounded(make_pipeline):
    def fail(path: str) -> None:
        raise FileNotFoundError(2, "x", path)

    pipeline = make_pipeline(fail)
    session = pipeline.session()
    for number in range(3_000):
        session.call("fail", {"path": f"p{number}"})
        session.call(f"unknown{number}", {})
    saved = session.to_dict()["guard"]
    assert 900 <= sum(map(len, saved["failed"].values())) <= 1_000
    assert set(saved["streaks"]) == {"fail", ""}


# --- saved and gone on with


def test_a_conversation_goes_on_in_another_process(make_pipeline, pipeline, shop):
    session = pipeline.session("talk-1")
    shop.error = errors.ToolAuthenticationError("Bad key.")
    ask(session, "buy", {"item": "gold"})
    for _ in range(3):
        ask(session, "read", {"path": "gone.md"})
    saved = json.loads(json.dumps(session.to_dict()))
    other = make_pipeline(*shop.tools())
    again = Session.from_dict(other, saved)
    assert again.id == "talk-1"
    assert isinstance(ask(again, "read", {"path": "gone.md"}).error, errors.RepeatedCallError)
    assert ask(again, "buy", {"item": "gold"}).error.rule == "session:fatal-before"
    assert ask(again, "read", {"path": "ok.md"}).content == "read ok.md"


def test_a_conversation_goes_on_in_its_format(pipeline):
    saved = json.loads(json.dumps(pipeline.session(format="json").to_dict()))
    again = Session.from_dict(pipeline, saved)
    assert json.loads(again.call("nope").content)["error"] is True


def test_a_saved_conversation_holds_no_arguments_of_what_failed(pipeline, make_pipeline):
    secret = "xK9-vault-77-combination"

    def unlock(phrase: str, n: int) -> None:
        raise ValueError(phrase)

    session = make_pipeline(Tool.from_function(unlock, secret="phrase")).session()
    session.call("unlock", {"phrase": secret, "n": 1})
    session.call("unlock", {"phrase": secret, "n": "x"})
    session.call("unlock", f'{{"phrase": "{secret}')
    assert secret not in json.dumps(session.to_dict())


@pytest.mark.parametrize("saved", [{}, None, 3, "text", [], {"id": "a"}, {"version": 1}, {"version": 1, "id": "a"}])
def test_something_else_is_refused(pipeline, saved):
    with pytest.raises(errors.UsageError, match=r"this is not a result of Session.to_dict\(\): it (is|has) "):
        Session.from_dict(pipeline, saved)


def broken(path: str, value: object):
    """A saved conversation in which one thing is something else."""

    def change(saved: dict[str, Any]) -> None:
        *way, last = path.split("/")
        for name in way:
            saved = saved[next(iter(saved)) if name == "*" else name]
        if value is ...:
            del saved[last]
        else:
            saved[last] = value

    return change


SAVED = (Path(__file__).parent / "data" / "session_version_1.json").read_text().strip()
BROKEN = [
    ("id", 3, "/id is 3; expected a string"),
    ("id", ..., "it has no 'id'"),
    ("version", ..., "it has no 'version'"),
    ("format", ["x"], "/format is ['x']; expected a string"),
    ("format_is_own", 1, "/format_is_own is 1; expected true or false"),
    ("guard", None, "/guard is None; expected an object"),
    ("guard", {}, "/guard has no 'failed'"),
    ("guard/failed", [], "/guard/failed is []; expected an object"),
    ("guard/failed", {"read": 3}, "/guard/failed/read is 3; expected an object"),
    ("guard/failed", {3: {}}, "/guard/failed/3 is 3; expected a string"),
    (
        "guard/failed",
        {str(number): {} for number in range(100_001)},
        "/guard/failed is 100,001 long; expected at most 100,000",
    ),
    (
        "guard/failed/*/*/count",
        "many",
        "/guard/failed/read/*/count is 'many'; expected a whole number from 0 to 1,000,000,000",
    ),
    (
        "guard/failed/*/*/count",
        10**9 + 1,
        "/guard/failed/read/*/count is 1000000001; expected a whole number from 0 to 1,000,000,000",
    ),
    ("guard/failed/*/*/count", -1, "/guard/failed/read/*/count is -1; expected a whole number from 0 to 1,000,000,000"),
    (
        "guard/failed/*/*/count",
        True,
        "/guard/failed/read/*/count is True; expected a whole number from 0 to 1,000,000,000",
    ),
    (
        "guard/failed/*/*/count",
        10**5000,
        "/guard/failed/read/*/count is a value of type int; expected a whole number from 0 to 1,000,000,000",
    ),
    (
        "guard/failed/*/*/count",
        -(10**5000),
        "/guard/failed/read/*/count is a value of type int; expected a whole number from 0 to 1,000,000,000",
    ),
    ("guard/failed/*/*/results", ["x"] * 1_001, "/guard/failed/read/*/results is 1,001 long; expected at most 1,000"),
    ("guard/failed/*/*", None, "/guard/failed/read/* is None; expected an object"),
    ("guard/failed/*/*/results", [3], "/guard/failed/read/*/results/0 is 3; expected a string"),
    ("guard/failed/*/*/traces", ..., "/guard/failed/read/* has no 'traces'"),
    ("guard/failed/*/*/invalid", None, "/guard/failed/read/*/invalid is None; expected true or false"),
    ("guard/streaks/*/steps", 1.5, "/guard/streaks/read/steps is 1.5; expected a whole number from 0 to 1,000,000,000"),
    ("guard/streaks/*/kind", "x" * 10_001, "/guard/streaks/read/kind is 10,001 long; expected at most 10,000"),
    ("guard/streaks/*/proposed", "abc", "/guard/streaks/read/proposed is 'abc'; expected a list"),
    ("guard/streaks", None, "/guard/streaks is None; expected an object"),
    ("guard/proposed", -1, "/guard/proposed is -1; expected a list"),
    ("guard/fatal", None, "/guard/fatal is None; expected an object"),
    ("guard/fatal", {"read": {"k": 3}}, "/guard/fatal/read/k is 3; expected a string"),
    ("answered", ..., "it has no 'answered'"),
    ("answered", [], "/answered is []; expected an object"),
    ("answered/older", None, "/answered/older is None; expected a list"),
    ("answered/older", [3], "/answered/older/0 is 3; expected a string"),
    ("answered/answers", "x", "/answered/answers is 'x'; expected an object"),
    ("answered/answers/*", None, "/answered/answers/* is None; expected an object"),
    ("answered/answers/*/content", 3, "/answered/answers/*/content is 3; expected a string"),
    ("answered/answers/*/content", ..., "/answered/answers/* has no 'content'"),
    ("answered/answers/*/is_error", "yes", "/answered/answers/*/is_error is 'yes'; expected true or false"),
    ("answered/answers/*/is_error", False, "/answered/answers/* has is_error true without an error, or false with one"),
    ("answered/answers/*/error", None, "/answered/answers/* has is_error true without an error, or false with one"),
    ("answered/answers/*/error/type", "SystemExit", "/answered/answers/*/error has the unknown type 'SystemExit'"),
    (
        "answered/answers/*/error/effect",
        "all",
        "/answered/answers/*/error/effect is 'all'; expected one of none, possible, done",
    ),
    (
        "answered/answers/*/error/effect",
        [],
        "/answered/answers/*/error/effect is []; expected one of none, possible, done",
    ),
    (
        "answered/answers/*/error/retry_after",
        float("nan"),
        "/answered/answers/*/error/retry_after is nan; expected a number from 0 to 1e+300",
    ),
    (
        "answered/answers/*/error/http_status",
        10**5000,
        "/answered/answers/*/error/http_status is a value of type int; expected a whole number from 0 to 1e+300",
    ),
    ("answered/answers/*/error/fatal", 1, "/answered/answers/*/error/fatal is 1; expected true or false"),
    ("budget", 3, "/budget is 3; expected an object"),
    ("budget", {}, "/budget has no 'limits'"),
    ("budget/limits/calls", ..., "/budget/limits has no 'calls'"),
    ("budget/used/calls", "x", "/budget/used/calls is 'x'; expected a number from 0 to 1e+300"),
    ("budget/used/calls", float("nan"), "/budget/used/calls is nan; expected a number from 0 to 1e+300"),
    ("budget/used/calls", 1.5, "/budget has 1.5 used calls; expected a whole number"),
    ("budget/used_by_tool/read/failures", 0.5, "/budget has 0.5 used failures; expected a whole number"),
    (
        "budget/used/money",
        3,
        "/budget/used/money is 'money'; expected one of calls, failures, seconds, feedback_chars",
    ),
    ("budget/used_by_tool", {"read": 3}, "/budget/used_by_tool/read is 3; expected an object"),
    ("budget/limits", None, "/budget/limits is None; expected an object"),
    ("budget/limits/tools", [], "/budget/limits/tools is []; expected an object"),
    ("budget/limits/tools/read", 3, "/budget/limits/tools/read is 3; expected an object"),
]


@pytest.mark.parametrize(("path", "value", "told"), BROKEN, ids=[f"{at}-{one[0]}" for at, one in enumerate(BROKEN)])
def test_what_is_broken_in_a_saved_conversation_is_named(pipeline, path, value, told):
    session = pipeline.session("a", budget=Budget(calls=9, tools={"read": Budget(calls=3)}))
    session.call("read", {"path": "gone.md"}, call_id="c1")
    saved = json.loads(json.dumps(session.to_dict()))
    Session.from_dict(pipeline, saved)
    broken(path, value)(saved)
    with pytest.raises(errors.UsageError) as raised:
        Session.from_dict(pipeline, saved)
    assert re.sub("/[0-9a-f]{40}", "/*", str(raised.value)) == f"this is not a result of Session.to_dict(): {told}"


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value in a JSON value."""
    yield place
    for key, member in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(member, (*place, key))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.data())
def test_any_other_value_in_a_saved_conversation_is_refused_or_kept_as_it_is(data):
    saved = {"": json.loads(SAVED)}
    *way, last = data.draw(st.sampled_from(list(places(saved[""], ("",)))))
    target: Any = saved
    for key in way:
        target = target[key]
    target[last] = data.draw(JSON)
    with Pipeline(autoload=False) as pipeline:
        try:
            again = Session.from_dict(pipeline, saved[""]).to_dict()
        except errors.UsageError as error:
            assert re.match(
                r"this is not a result of|this conversation was saved in|the format|unknown feedback", str(error)
            )
        else:
            assert json.dumps(Session.from_dict(pipeline, again).to_dict()) == json.dumps(again)
            known = {place for place in places(again) if place[:1] != ("budget",)}
            assert all(
                at(again, place) == at(saved[""], place)
                for place in known
                if not isinstance(at(again, place), (dict, list))
            )


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def test_a_conversation_of_the_first_version_is_read_and_written_again_as_it_was():
    with Pipeline(autoload=False) as pipeline:
        session = Session.from_dict(pipeline, json.loads(SAVED))
        assert json.dumps(session.to_dict()) == SAVED
        assert session.remaining == Budget(calls=83, tools={"read": Budget(calls=29, seconds=2.5)})


def test_what_a_later_version_may_add_is_ignored(pipeline):
    saved = json.loads(SAVED)
    guard, answered, budget = saved["guard"], saved["answered"], saved["budget"]
    records = [*guard["streaks"].values(), *answered["answers"].values(), *guard["failed"]["read"].values()]
    for part in (saved, guard, answered, budget, budget["limits"], *records):
        part["added"] = {"later": 1}
    assert json.dumps(Session.from_dict(pipeline, saved).to_dict()) == SAVED


def test_a_budget_that_is_none_is_named_as_such(pipeline):
    saved = pipeline.session(budget=Budget(calls=9)).to_dict()
    saved["budget"]["limits"]["calls"] = -3
    with pytest.raises(errors.UsageError, match="/budget/limits/calls is -3; expected a whole number from 0"):
        Session.from_dict(pipeline, saved)


@pytest.mark.parametrize("value", [10**5000, -(10**5000), 10**400, float("inf")], ids=["huge", "low", "large", "inf"])
def test_no_number_of_a_saved_budget_is_too_large_to_be_named(pipeline, value):
    saved = pipeline.session(budget=Budget(calls=9)).to_dict()
    saved["budget"]["limits"]["calls"] = value
    with pytest.raises(errors.UsageError, match=r"/budget/limits/calls is .{1,60}; expected a whole number"):
        Session.from_dict(pipeline, saved)


def test_no_depth_of_a_saved_budget_ends_the_process(pipeline):
    saved = pipeline.session(budget=Budget(calls=9)).to_dict()
    for _ in range(100_000):
        saved["budget"]["limits"] = {"tools": {"read": saved["budget"]["limits"]}}
    with pytest.raises(errors.UsageError, match="/budget/limits has no 'calls'"):
        Session.from_dict(pipeline, saved)
    with pytest.raises(errors.UsageError, match="it has no 'calls'"):
        Budget.from_dict(saved["budget"]["limits"])
    limits = Budget().to_dict()
    for _ in range(100_000):
        limits = {**Budget().to_dict(), "tools": {"read": limits}}
    with pytest.raises(errors.UsageError, match="/tools/read/tools/read"):
        Budget.from_dict(limits)


@pytest.mark.parametrize("saved", [None, 3, [], {}, {"calls": 3}, {"tools": 3}, {3: 4}])
def test_what_is_no_saved_budget_is_refused(saved):
    with pytest.raises(errors.UsageError, match=r"this is not a result of Budget.to_dict\(\): it (is|has) "):
        Budget.from_dict(saved)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_refused_by_its_number(pipeline, version):
    saved = {**pipeline.session().to_dict(), "version": version}
    with pytest.raises(errors.UsageError) as raised:
        Session.from_dict(pipeline, saved)
    assert f"saved in version {version!r}; this mulligan reads version 1" in str(raised.value)


def test_the_guard_goes_on_where_it_was(pipeline, make_pipeline, shop):
    session = pipeline.session()
    for number in range(23):
        ask(session, "read", {"path": f"gone{number}.md"})
    ask(session, "nope", {})
    again = Session.from_dict(make_pipeline(*shop.tools()), json.loads(json.dumps(session.to_dict())))
    assert again.to_dict() == session.to_dict()
    assert ask(again, "read", {"path": "gone99.md"}).error.rule == "session:in-a-row"
    assert "has already failed" in ask(again, "nope", {}).content


def test_a_saved_conversation_is_a_copy(pipeline):
    session = pipeline.session()
    ask(session, "read", {"path": "gone.md"})
    saved = session.to_dict()
    before = json.dumps(saved)
    again = Session.from_dict(pipeline, saved)
    for one in (session, again):
        ask(one, "read", {"path": "gone.md"})
        ask(one, "read", {"path": 3})
    assert json.dumps(saved) == before


class Loud(FeedbackFormat):
    name = "loud"

    def __init__(self, mark: str = "!") -> None:
        self.mark = mark

    def render(self, feedback):
        return feedback.headline.upper() + self.mark


def test_a_format_of_its_own_has_to_be_given_again(pipeline):
    saved = json.loads(json.dumps(pipeline.session(format=Loud("!!!")).to_dict()))
    with pytest.raises(errors.UsageError) as raised:
        Session.from_dict(pipeline, saved)
    assert "the format 'loud' of this conversation is an object, which cannot be saved" in str(raised.value)
    assert "pass it again, Session.from_dict(pipeline, saved, format=...)" in str(raised.value)
    again = Session.from_dict(pipeline, saved, format=Loud("???"))
    assert again.call("nope").content == "ERROR: TOOL 'NOPE' NOT FOUND.???"


def test_a_format_that_only_has_the_name_of_a_known_one_has_to_be_given_again(pipeline):
    class Text(Loud):
        name = "text"

    saved = pipeline.session(format=Text()).to_dict()
    with pytest.raises(
        errors.UsageError, match="the format 'text' of this conversation is an object, which cannot be saved"
    ):
        Session.from_dict(pipeline, saved)


def test_a_format_of_a_plugin_is_found_by_its_name_or_missed(make_pipeline, plugin):
    loud = plugin(feedback_formats=lambda: [Loud("!")])
    first = make_pipeline(plugins=[loud])
    saved = first.session(format="loud").to_dict()
    assert Session.from_dict(make_pipeline(plugins=[loud]), saved).call("nope").content.endswith("NOT FOUND.!")
    with pytest.raises(errors.UsageError, match="unknown feedback format 'loud'; available: block, json, text"):
        Session.from_dict(make_pipeline(), saved)
    assert Session.from_dict(make_pipeline(), saved, format="text").call("nope").content.startswith("Error: Tool")


# --- what another runtime said


def test_recover_words_a_failure_in_the_format_of_the_session(pipeline):
    session = pipeline.session(format="json")
    result = session.recover("Model tried to call unavailable tool 'raed'.")
    assert json.loads(result.content)["error"] is True
    assert isinstance(result.error, errors.ToolNotFoundError)
    assert session.recover(FileNotFoundError(2, "No such file", "a.md")).error.resource == "a.md"
    assert pipeline.recover("Model tried to call unavailable tool 'raed'.").content.startswith(
        "Error: Tool 'raed' not found."
    )


def test_recover_remembers_a_name_that_does_not_exist(pipeline):
    session = pipeline.session()
    results = [session.recover("Error: Unknown tool: buyy") for _ in range(5)]
    assert "A similar call has already failed in the same way." in results[1].content
    assert [isinstance(result.error, errors.RepeatedCallError) for result in results] == [False] * 3 + [True] * 2
    assert [result.fatal for result in results] == [False] * 4 + [True]


def test_recover_holds_nothing_against_calls_that_it_does_not_know(pipeline, shop):
    session = pipeline.session()
    for _ in range(6):
        assert not session.recover("poll: connection reset by peer").fatal
        assert not session.recover(TimeoutError("poll")).fatal
    assert ask(session, "poll", {}).content == "pending"


def test_a_session_with_an_unknown_format(pipeline):
    with pytest.raises(errors.UsageError, match="unknown feedback format 'xml'"):
        pipeline.session(format="xml")


def test_the_format_of_a_session(pipeline):
    session = pipeline.session(format="json")
    assert json.loads(ask(session, "nope", {}).content)["error"] is True
    assert (
        json.loads(ask(session, "nope", {}).content)["feedback"].count(
            "A similar call has already failed in the same way."
        )
        == 1
    )


def test_memory_of_many_failing_tools_is_bounded(make_pipeline):
    def fail(path: str) -> None:
        raise FileNotFoundError(2, "x", path)

    session = make_pipeline(*(Tool.from_function(fail, name=f"t{number}") for number in range(120))).session()
    for number in range(120):
        for path in range(11):
            assert session.call(f"t{number}", {"path": f"p{path}"}).is_error
    saved = session.to_dict()["guard"]
    assert 900 <= sum(map(len, saved["failed"].values())) <= 1_000
    assert len(saved["streaks"]) == 120


def test_a_mapping_that_is_no_dict_is_fine_in_a_conversation(pipeline):
    session = pipeline.session()
    for _ in range(3):
        assert session.call("buy", MappingProxyType({"item": "tea"})).is_error
    assert isinstance(session.call("buy", {"item": "tea"}).error, errors.RepeatedCallError)


def test_its_repr_tells_what_has_happened():
    pipeline = Pipeline([Tool.from_schema("a", "", {}, dict)], autoload=False)
    session = pipeline.session("chat-7")
    assert repr(session) == "Session(id='chat-7', 0 calls, 0 failures, 0 recovered, 0 repeated, 0 fatal)"
    session.call("a")
    session.call("b")
    assert repr(session) == "Session(id='chat-7', 2 calls, 1 failures, 0 recovered, 0 repeated, 0 fatal)"
    assert repr(pipeline.session()) == "Session(id=None, 0 calls, 0 failures, 0 recovered, 0 repeated, 0 fatal)"


@pytest.mark.parametrize("id", [7, UUID(int=7), "talk"])
def test_an_id_is_saved_as_text(pipeline, id):
    saved = json.loads(json.dumps(pipeline.session(id).to_dict()))
    assert Session.from_dict(pipeline, saved).id == str(id)


@pytest.mark.parametrize("session", ["talk", 7, {}, SessionMemory])
def test_what_is_no_conversation_is_named(pipeline, session):
    for make in (
        lambda: pipeline.call("read", {"path": "a"}, session=session),
        lambda: asyncio.run(pipeline.acall("read", {"path": "a"}, session=session)),
        lambda: pipeline.call_many([ToolCall("a", "read", {"path": "a"})], session=session),
        lambda: asyncio.run(pipeline.acall_many([ToolCall("a", "read", {"path": "a"})], session=session)),
        lambda: pipeline.answer({"role": "assistant", "tool_calls": []}, session=session),
        lambda: pipeline.resume("a", Approve(), session=session),
    ):
        with pytest.raises(errors.UsageError, match=r"session must be a conversation from Pipeline.session\(\), not "):
            make()
