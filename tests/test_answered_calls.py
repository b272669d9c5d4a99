"""One call id runs a tool that may change something at most once in a conversation; a repeat gets the recorded answer."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
import tracemalloc
import weakref
from typing import Any

import pytest

from mulligan import Limits, Pipeline, Policy, Session, Tool, ToolCall, errors

WAYS = ["call", "acall", "call_many", "acall_many", "answer", "aanswer"]


class Bank:
    """Tools that count how often they run."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.error: BaseException | None = None

    def pay(self, amount: int, note: str = "") -> dict[str, Any]:
        """Pays."""
        self.paid.append(amount)
        if self.error is not None:
            raise self.error
        return {"paid": amount, "balance": 100 - sum(self.paid)}

    def look(self) -> str:
        """Looks."""
        self.paid.append(0)
        return f"seen {len(self.paid)}"


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def pipeline(make_pipeline, bank) -> Pipeline:
    return make_pipeline(bank.pay)


def message(*calls: ToolCall) -> dict[str, Any]:
    asked = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": asked}


def make(session: Session, way: str, *calls: ToolCall) -> list[Any]:
    async def each() -> list[Any]:
        return await asyncio.gather(*(session.acall(call) for call in calls))

    if way == "call":
        return [session.call(call) for call in calls]
    if way == "acall":
        return asyncio.run(each())
    if way == "call_many":
        return session.call_many(calls)
    if way == "acall_many":
        return asyncio.run(session.acall_many(calls))
    if way == "answer":
        return list(session.answer(message(*calls)).results)
    return list(asyncio.run(session.aanswer(message(*calls))).results)


def saved_and_loaded(session: Session, pipeline: Pipeline) -> Session:
    return Session.from_dict(pipeline, json.loads(json.dumps(session.to_dict())))


PAY = ToolCall("call_1", "pay", {"amount": 5})


@pytest.mark.parametrize("way", WAYS)
def test_a_repeat_gets_the_recorded_answer(pipeline, bank, way):
    session = pipeline.session()
    first = make(session, way, PAY)[0]
    again = make(session, way, PAY)[0]
    resumed = make(saved_and_loaded(session, pipeline), way, PAY)[0]
    assert bank.paid == [5]
    assert first.content == again.content == resumed.content == '{"paid":5,"balance":95}'
    assert first.value == again.value == resumed.value == {"paid": 5, "balance": 95}
    assert (first.attempts, again.attempts, resumed.attempts) == (1, 0, 0)
    assert again.message("openai") == first.message("openai") == resumed.message("openai")


@pytest.mark.parametrize("way", WAYS)
def test_one_id_twice_in_a_message_runs_once_and_both_are_answered(pipeline, bank, way):
    results = make(pipeline.session(), way, PAY, PAY, PAY)
    assert bank.paid == [5]
    assert [result.content for result in results] == ['{"paid":5,"balance":95}'] * 3
    assert [result.call.id for result in results] == ["call_1"] * 3


@pytest.mark.parametrize("arguments", ['{"amount":5}', '{ "amount" : 5.0 }', {"amount": 5}, '{"\\u0061mount": 5}'])
def test_however_the_arguments_are_written(pipeline, bank, arguments):
    session = pipeline.session()
    session.call("pay", {"amount": 5}, call_id="a")
    assert session.call("pay", arguments, call_id="a").value == {"paid": 5, "balance": 95}
    assert bank.paid == [5]


def test_another_id_other_arguments_or_no_id_are_other_calls(make_pipeline, bank):
    def refund(amount: int) -> str:
        bank.paid.append(-amount)
        return "refunded"

    session = make_pipeline(bank.pay, refund).session()
    for call in (
        PAY,
        PAY._replace(id="call_2"),
        PAY._replace(arguments={"amount": 6}),
        PAY._replace(arguments={"amount": 5, "note": "x"}),
        PAY._replace(name="refund"),
        PAY._replace(id=None),
        PAY._replace(id=None),
    ):
        session.call(call)
    assert bank.paid == [5, 5, 6, 5, -5, 5, 5]


class Held:
    """Something that only the frames of a call refer to."""


@pytest.mark.parametrize("way", ["call", "call_many", "answer"])  # a worker thread keeps its last job for a while
def test_a_recorded_failure_keeps_nothing_of_the_call_alive(make_pipeline, way):
    held: list[weakref.ref[Held]] = []

    def pay(amount: int) -> str:
        local = Held()
        held.append(weakref.ref(local))
        raise KeyError(amount)

    session = make_pipeline(pay).session()
    assert make(session, way, PAY)[0].is_error
    for _ in range(200):  # the worker's thread lets its job go a moment after it has told of the end
        gc.collect()
        if held[0]() is None:
            break
        time.sleep(0.01)
    assert [one() for one in held] == [None]
    assert make(session, way, PAY)[0].is_error
    assert len(held) == 1


class Paused(Exception):
    """A framework raises it to come back to this call later."""


class PausedHard(BaseException):
    """The same, past every `except Exception`."""


@pytest.mark.parametrize("pause", [Paused, PausedHard])
@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_its_framework_pauses_runs_when_the_framework_comes_back_to_it(make_pipeline, bank, pause, way):
    session = make_pipeline(bank.pay, policy=Policy(control_flow=(Paused, PausedHard))).session()
    bank.error = pause()
    for _ in range(2):  # it may pause more than once
        with pytest.raises((pause, BaseExceptionGroup)):
            make(session, way, PAY)
    assert session.to_dict()["answered"] == {"answers": {}, "older": []}
    bank.error = None
    assert [made.is_error for _ in range(2) for made in make(session, way, PAY)] == [False, False]
    assert bank.paid == [5, 5, 5]


def test_conversations_do_not_share_their_ids(pipeline, bank):
    pipeline.session().call(PAY)
    pipeline.session().call(PAY)
    pipeline.call(PAY)
    pipeline.call(PAY)
    assert bank.paid == [5] * 4


@pytest.mark.parametrize("declared", [{"read_only": True}, {"idempotent": True}])
def test_a_tool_that_may_run_twice_does(make_pipeline, bank, declared):
    session = make_pipeline(Tool.from_function(bank.look, **declared)).session()
    assert [session.call("look", {}, call_id="a").content for _ in range(3)] == ["seen 1", "seen 2", "seen 3"]
    assert session.to_dict()["answered"] == {"answers": {}, "older": []}


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("the socket broke"),
        errors.ToolAuthenticationError("Bad key.", user_message="Log in.", provider="acme"),
        errors.ToolRateLimitError("Slow down.", retry_after=3, http_status=429, effect="done"),
        FileNotFoundError(2, "No such file", "a.md"),
    ],
)
def test_a_failure_after_the_run_is_recorded_too(pipeline, bank, error):
    bank.error = error
    session = pipeline.session()
    first = session.call(PAY)
    bank.error = None
    again, resumed = session.call(PAY), saved_and_loaded(session, pipeline).call(PAY)
    assert bank.paid == [5]
    assert first.content == again.content == resumed.content
    for result in (again, resumed):
        assert (result.is_error, result.fatal, type(result.error)) == (True, first.fatal, type(first.error))
        kept = ("message", "code", "effect", "transient", "user_message", "retry_after", "http_status", "provider")
        assert [getattr(result.error, name) for name in kept] == [getattr(first.error, name) for name in kept]
        assert json.dumps(result.to_dict())


def test_what_did_not_run_may_be_called_again_with_its_id(make_pipeline, bank, plugin):
    objections = [errors.ToolPermissionError("Ask first.", fatal=False, effect="none")]
    guard = plugin(authorize=lambda tool, arguments, call: objections.pop() if objections else None)
    session = make_pipeline(bank.pay, plugins=[guard]).session()
    assert session.call(PAY).is_error
    assert session.call(PAY._replace(arguments={"amount": "many"})).is_error
    assert session.call(PAY).value == {"paid": 5, "balance": 95}
    assert bank.paid == [5]


def test_a_model_that_insists_on_a_recorded_failure_is_stopped(pipeline, bank):
    bank.error = RuntimeError("no")
    session = pipeline.session()
    results = [session.call(PAY) for _ in range(5)]
    assert bank.paid == [5]
    assert [result.fatal for result in results] == [False] * 4 + [True]


def test_forgiving_lets_only_those_run_again_that_had_no_effect(pipeline, bank):
    harmless, harmful = PAY, PAY._replace(id="call_2", arguments={"amount": 7})
    session = pipeline.session()
    bank.error = errors.ToolAuthenticationError("Bad key.", effect="none")
    assert session.call(harmless).fatal
    bank.error = errors.ToolExecutionError("Broke midway.", effect="possible")
    assert session.call(harmful).is_error
    bank.error = None
    session.note_request("The key is right now.")
    assert not session.call(harmless).is_error
    assert session.call(harmful).is_error
    assert bank.paid == [5, 7, 5]


# --- at the same time


def test_two_threads_with_one_id_run_it_once(make_pipeline, bank):
    entered, leave = threading.Event(), threading.Event()

    def pay(amount: int) -> str:
        bank.paid.append(amount)
        entered.set()
        assert leave.wait(30)
        return "paid"

    session = make_pipeline(pay).session()
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(session.call(PAY))) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert entered.wait(30)
    leave.set()
    for thread in threads:
        thread.join()
    assert bank.paid == [5]
    assert [result.content for result in results] == ["paid"] * 8


def test_tasks_with_one_id_wait_for_the_one_that_runs(make_pipeline, bank):
    async def pay(amount: int) -> str:
        bank.paid.append(amount)
        for _ in range(20):
            await asyncio.sleep(0)
        return "paid"

    results = asyncio.run(make_pipeline(pay).session().acall_many([PAY] * 20))
    assert bank.paid == [5]
    assert [result.content for result in results] == ["paid"] * 20


def test_a_call_that_was_cancelled_midway_is_not_run_again(make_pipeline, bank):
    async def pay(amount: int) -> str:
        bank.paid.append(amount)
        await asyncio.sleep(60)
        return "paid"

    async def main(session: Session) -> list[Any]:
        first = asyncio.ensure_future(session.acall(PAY))
        while not bank.paid:
            await asyncio.sleep(0)
        second = asyncio.ensure_future(session.acall(PAY))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        return [await second, await session.acall(PAY)]

    pipeline = make_pipeline(pay)
    session = pipeline.session()
    results = asyncio.run(main(session))
    results.append(saved_and_loaded(session, pipeline).call(PAY))
    assert bank.paid == [5]
    for result in results:
        assert "This call was not run: a call with this id was made before" in result.content
        assert (result.attempts, result.error.effect, result.fatal) == (0, "possible", False)


def test_a_conversation_saved_midway_does_not_run_the_call_again(make_pipeline, bank):
    saved: list[Any] = []

    def pay(amount: int) -> str:
        bank.paid.append(amount)
        saved.append(json.loads(json.dumps(session.to_dict())))
        return "paid"

    pipeline = make_pipeline(pay)
    session = pipeline.session()
    session.call(PAY)
    assert Session.from_dict(pipeline, saved[0]).call(PAY).error.effect == "possible"
    assert bank.paid == [5]


def test_who_waits_for_the_same_id_keeps_to_the_deadline(make_pipeline, bank):
    async def pay(amount: int) -> str:
        bank.paid.append(amount)
        await leave.wait()
        return "paid"

    async def main() -> list[Any]:
        first = asyncio.ensure_future(session.acall(PAY))
        while not bank.paid:
            await asyncio.sleep(0)
        late = await session.acall(PAY, context={"deadline": Deadline.after(0.05)})
        leave.set()
        return [await first, late]

    from mulligan import Deadline

    leave = asyncio.Event()
    session = make_pipeline(pay).session()
    first, late = asyncio.run(main())
    assert first.content == "paid"
    assert isinstance(late.error, errors.ToolTimeoutError)
    assert "a call with the same id is still running" in late.content
    assert bank.paid == [5]


# --- how much is kept


def test_of_the_oldest_calls_only_hashes_are_kept(pipeline, bank):
    session = pipeline.session()
    for number in range(1_003):
        session.call("pay", {"amount": number}, call_id=f"c{number}")
    for one in (session, saved_and_loaded(session, pipeline)):
        results = [one.call("pay", {"amount": number}, call_id=f"c{number}") for number in (0, 2, 3, 1_002)]
        assert ["was not run" in result.content for result in results] == [True, True, False, False]
        assert [result.error and result.error.effect for result in results] == ["possible", "possible", None, None]
    assert len(bank.paid) == 1_003
    saved = session.to_dict()["answered"]
    assert (len(saved["answers"]), len(saved["older"])) == (1_000, 3)


def test_a_long_conversation_keeps_few_bytes_of_each_call(make_pipeline):
    def note(number: int) -> str:
        nonlocal runs
        runs += 1
        return "noted"

    def make_calls(first: int, end: int, step: int = 1) -> list[str]:
        return [session.call("note", {"number": n}, call_id=f"c{n}").content for n in range(first, end, step)]

    runs, pipeline = 0, make_pipeline(note)
    session = pipeline.session()
    make_calls(0, 1_200)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    make_calls(1_200, 11_200)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / 10_000 < 60
    session = saved_and_loaded(session, pipeline)
    assert all("was not run" in content for content in make_calls(0, 10_000, 97))
    assert runs == 11_200
    assert make_calls(11_200, 11_201) == ["noted"]


@pytest.mark.parametrize("hash", ["", "12ab", "x" * 64])
def test_what_is_no_hash_is_refused_by_name(pipeline, hash):
    saved = pipeline.session().to_dict()
    saved["answered"] = {"answers": {}, "older": [hash]}
    with pytest.raises(errors.UsageError, match="is not a hash of at least 16 hexadecimal digits"):
        Session.from_dict(pipeline, saved)


def test_a_text_stays_a_text_and_what_json_cannot_hold_is_only_content(make_pipeline):
    values: list[Any] = ["5", '{"a": 1}', None, [1, {"b": 2.5}], {1, 2}, "\ud800"]

    def give(at: int) -> Any:
        return values[at]

    pipeline = make_pipeline(give)
    session = pipeline.session()
    first = [session.call("give", {"at": at}, call_id="x") for at in range(len(values))]
    resumed = saved_and_loaded(session, pipeline)
    again = [resumed.call("give", {"at": at}, call_id="x") for at in range(len(values))]
    assert [result.content for result in again] == [result.content for result in first]
    assert [result.value for result in again] == ["5", '{"a": 1}', None, [1, {"b": 2.5}], [1, 2], "\ufffd"]


@pytest.mark.parametrize("id", ["0", "x" * 100_000, "\ud800", 3])
def test_odd_ids(pipeline, bank, id):
    session = pipeline.session()
    for _ in range(2):
        assert session.call(ToolCall(id, "pay", {"amount": 5})).content == '{"paid":5,"balance":95}'
    assert bank.paid == [5]


def test_ids_that_are_long_and_alike_are_told_apart(pipeline, bank):
    session = pipeline.session()
    for end in "ab":
        session.call(ToolCall("x" * 100_000 + end, "pay", {"amount": 5}))
    assert bank.paid == [5, 5]


def test_a_default_that_is_spelt_out_makes_no_other_call(run):
    ran = []

    def pay(amount: int, to: str = "bob", tags: list[str] | None = None) -> str:
        ran.append((amount, to, tags))
        return "paid"

    with Pipeline([pay], autoload=False) as pipeline:
        session = pipeline.session()
        for arguments in ({"amount": 5}, {"amount": 5, "to": "bob"}, {"tags": None, "to": "bob", "amount": 5.0}):
            assert run(session, "pay", arguments, call_id="1").content == "paid"
        assert len(ran) == 1
        run(session, "pay", {"amount": 5, "to": "ann"}, call_id="1")
        assert len(ran) == 2


def test_a_default_of_a_json_schema_makes_no_other_call():
    ran = []
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 3}, "x": True}}
    with Pipeline([Tool.from_schema("act", "", schema, lambda **given: ran.append(given))], autoload=False) as pipeline:
        session = pipeline.session()
        session.call("act", {}, call_id="1")
        session.call("act", {"n": 3}, call_id="1")
    assert ran == [{}]


def test_a_session_keeps_no_more_of_a_value_than_the_model_read():
    def fetch(page: int) -> Any:
        return "y" * 2_000_000 if page % 2 else ["x" * 1_000 for _ in range(2_000)]

    with Pipeline([fetch], autoload=False, limits=Limits(result_chars=500)) as pipeline:
        session = pipeline.session()
        session.call("fetch", {"page": 0}, call_id="first")
        tracemalloc.start()
        for page in range(30):
            session.call("fetch", {"page": page}, call_id=str(page))
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert kept < 5_000_000


def test_all_answers_of_a_session_together_are_bounded():
    def fetch(page: int) -> str:
        return str(page) * 2_000_000

    with Pipeline([fetch], autoload=False) as pipeline:
        session = pipeline.session()
        for page in range(40):
            session.call("fetch", {"page": page % 10}, call_id=str(page))
        assert sum(len(one["content"]) for one in session.to_dict()["answered"]["answers"].values()) <= 50_000_000
        assert session.call("fetch", {"page": 0}, call_id="0").error.rule == "session:same-id"
        assert session.call("fetch", {"page": 9}, call_id="39").content == "9" * 2_000_000


def test_a_repeat_of_a_large_answer_reads_as_the_first_did():
    def fetch(rows: int) -> Any:
        return [{"row": number} for number in range(rows)]

    for limit, rows in ((200, 500), (None, 20_000), (None, 3)):
        with Pipeline([fetch], autoload=False, limits=Limits(result_chars=limit) if limit else Limits()) as pipeline:
            session = pipeline.session()
            first, second = (session.call("fetch", {"rows": rows}, call_id="1") for _ in range(2))
            assert first.content == second.content
            assert second.value == (first.content if limit else first.value)


def test_a_failure_that_was_awaited_leaves_nothing_to_the_garbage_collector(make_pipeline):
    held: list[weakref.ref[Held]] = []

    async def pay(amount: int) -> str:
        local = Held()
        held.append(weakref.ref(local))
        raise KeyError(amount)

    async def fail() -> bool:
        return (await make_pipeline(pay).acall(PAY)).is_error

    gc.disable()
    try:
        assert asyncio.run(fail())
        assert [one() for one in held] == [None]
    finally:
        gc.enable()


def test_a_failure_of_a_sync_tool_leaves_nothing_to_the_garbage_collector(make_pipeline):
    held: list[weakref.ref[Held]] = []

    def pay(amount: int) -> str:
        local = Held()
        held.append(weakref.ref(local))
        raise KeyError(amount)

    gc.disable()
    try:
        assert make_pipeline(pay).call(PAY).is_error
        assert [one() for one in held] == [None]
    finally:
        gc.enable()
