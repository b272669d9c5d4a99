"""A counting tool with a fault at nine points: what may write takes effect at most once in every cell."""

from __future__ import annotations

import asyncio
import http.client
import json
import pathlib
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
from killable_tools import fail_at

from mulligan import Tool, ToolCall, errors
from mulligan.middleware import retry

HANGS = object()
POINTS: dict[str, tuple[bool, Any]] = {  # whether it has taken effect by then, and how it fails
    "before connect": (False, lambda: ConnectionRefusedError(111, "refused")),
    "after send": (True, lambda: ConnectionResetError(104, "reset")),
    "mid-response": (True, lambda: http.client.IncompleteRead(b"ab", 10)),
    "after commit": (True, lambda: errors.ToolUnavailableError("Busy.")),
    "timeout": (True, HANGS),
    "cancel": (True, asyncio.CancelledError),
    "worker killed": (True, lambda: BrokenProcessPool("a worker was killed")),
    "decode error": (True, lambda: json.JSONDecodeError("no JSON", "<html>", 0)),
    "plugin crash": (True, lambda: LookupError("only the plugin knows")),
}
KINDS: dict[str, dict[str, Any]] = {
    "read": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False, "idempotent": False, "destructive": True},
    "undeclared": {},
}
HARMLESS = ("read", "idempotent")
EXECUTORS = ("sync", "thread", "thread under acall", "async", "async under call")


def greedy(run, tool, call):
    """A middleware that runs everything again, whatever happened."""
    for _ in range(3):
        outcome = yield run
    return outcome


RETRIES: dict[str, Callable[[], list[Any]]] = {
    "by itself": list,
    "retry": lambda: [retry(attempts=3, wait_initial=0, wait_jitter=0, on=errors.ToolError)],
    "retry before effect": lambda: [retry(attempts=3, wait_initial=0, wait_jitter=0, before_effect=True)],
    "a greedy one": lambda: [greedy],
}


class Counter:
    """Counts how often it is run and takes effect; fails each time at one point."""

    def __init__(self, point: str, released: threading.Event) -> None:
        self.takes_effect, self.fault = POINTS[point]
        self.released = released
        self.runs = self.effects = 0

    def begin(self) -> None:
        self.runs += 1
        self.effects += self.takes_effect
        if self.fault is not HANGS:
            raise self.fault()

    def work(self) -> str:
        self.begin()
        self.released.wait(30)
        raise TimeoutError("no answer")

    async def awork(self) -> str:
        self.begin()
        await asyncio.sleep(30)
        return "never"


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def answer(pipeline: Any, executor: str) -> Any:
    if executor in ("thread under acall", "async"):
        return asyncio.run(pipeline.acall("work", call_id="7"))
    return pipeline.call("work", call_id="7")


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", RETRIES)
@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", POINTS)
def test_a_fault(make_pipeline, plugin, released, point, kind, executor, way):
    def crash():
        raise RuntimeError("the plugin's own bug")

    counter = Counter(point, released)
    if executor == "sync":
        released.set()  # nothing bounds a sync tool in the caller's own thread, so it gives up by itself
    timeout = 0.01 if executor != "sync" and POINTS[point][1] is HANGS else 30 if executor == "thread" else None
    handler = counter.awork if "async" in executor else counter.work
    tool = Tool.from_function(handler, name="work", timeout=timeout, **KINDS[kind])
    plugins = [plugin(classify=crash, detect=crash, observe=crash)] if point == "plugin crash" else []
    result = answer(make_pipeline(tool, middleware=RETRIES[way](), plugins=plugins), executor)
    assert (result.is_error, result.call.id) == (True, "7")
    assert counter.runs == result.attempts or timeout == 0.01  # a busy machine may not even have begun by then
    assert counter.effects == counter.runs * POINTS[point][0]
    assert counter.effects == 0 or result.error.effect != "none"
    if kind not in HARMLESS:
        assert counter.effects <= 1
        assert counter.runs <= 1 or (point == "before connect" and way == "retry before effect")
    elif way == "a greedy one" and timeout != 0.01:  # otherwise the first has used up the deadline of the call
        assert counter.runs == 3


class Status(Exception):
    """What a client raises for an answer of that status."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code, self.headers = status, headers


class RpcError(Exception):
    code = "RESOURCE_EXHAUSTED"


UNAPPLIED: dict[str, Callable[[], Any]] = {  # what a rule says of the one request that failed: it was not applied
    "429": lambda: Status(429),
    "401": lambda: Status(401),
    "404": lambda: Status(404),
    "409": lambda: Status(409),
    "503 and a time": lambda: Status(503, **{"retry-after": "0"}),
    "refused": lambda: ConnectionRefusedError(111, "refused"),
    "unreachable": lambda: OSError(113, "No route to host"),
    "DNS": lambda: socket.gaierror(-3, "Temporary failure in name resolution"),
    "TLS": lambda: ssl.SSLCertVerificationError("certificate verify failed"),
    "queue": queue.Full,
    "out of files": lambda: OSError(24, "Too many open files"),
    "gRPC": RpcError,
    "a plugin's rule": lambda: LookupError("only the plugin knows"),
    "returned": lambda: {"isError": True, "content": "HTTP 429: too many requests"},
    "of its cause": lambda: caused(ConnectionRefusedError(111, "refused")),
    "of one of a group": lambda: ExceptionGroup("two", [Status(429), ConnectionRefusedError(111, "refused")]),
}


def caused(by: BaseException) -> BaseException:
    error = RuntimeError("the notification failed")
    error.__cause__ = by
    return error


def known_to_a_plugin(failure: Any) -> errors.ToolError | None:
    return errors.ToolRateLimitError("Busy.", effect="none") if isinstance(failure.exception, LookupError) else None


def pay(fault: Callable[[], Any], paid: list[int]) -> Any:
    """Two requests: the first takes effect, the second fails."""
    paid.append(1)
    failure = fault()
    if isinstance(failure, BaseException):
        raise failure
    return failure


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in HARMLESS])
@pytest.mark.parametrize("fault", UNAPPLIED)
def test_what_a_rule_says_of_one_request_is_not_said_of_the_call(make_pipeline, run, plugin, fault, kind):
    paid: list[int] = []
    tool = Tool.from_function(lambda: pay(UNAPPLIED[fault], paid), name="pay", description="", **KINDS[kind])
    for middleware in ([], [greedy], [retry(wait_initial=0, wait_jitter=0)]):
        paid.clear()
        pipeline = make_pipeline(tool, middleware=middleware, plugins=[plugin(classify=known_to_a_plugin)])
        result = run(pipeline, "pay")
        assert (len(paid), result.error.effect) == (1, "possible")
        assert "exactly the same arguments" not in result.content
        known = pipeline.classify(UNAPPLIED[fault](), tool="pay")
        assert known.effect == "possible"


@pytest.mark.parametrize("kind", ("write", "undeclared"))
@pytest.mark.parametrize("fault", ("429", "refused", "DNS"))
def test_who_declares_that_the_tool_makes_one_request_is_believed(make_pipeline, run, fault, kind):
    tool = Tool.from_function(lambda: pay(UNAPPLIED[fault], []), name="pay", description="", **KINDS[kind])
    declared = retry(before_effect=True, attempts=3, wait_initial=0, wait_max=0, wait_jitter=0)
    result = run(make_pipeline(tool, middleware=[declared]), "pay")
    assert (result.attempts, result.error.effect) == (3, "none")


@pytest.mark.parametrize("is_declared", [True, False])
@pytest.mark.parametrize(("status", "is_refused"), [(400, True), (422, True), (429, True), (408, False), (500, False)])
def test_a_request_that_the_service_refused_by_its_status(make_pipeline, run, plugin, status, is_refused, is_declared):
    def classify(failure: Any) -> errors.ToolError | None:
        return errors.ToolArgumentError("No.", http_status=status) if isinstance(failure.exception, KeyError) else None

    declared = [retry(before_effect=True, attempts=1)] if is_declared else []
    tool = Tool.from_function(lambda: {}["x"], name="pay", description="")
    result = run(make_pipeline(tool, middleware=declared, plugins=[plugin(classify=classify)]), "pay")
    assert result.error.effect == ("none" if is_refused and is_declared else "possible")


@pytest.mark.parametrize("kind", KINDS)
def test_the_tool_itself_knows(make_pipeline, run, kind):
    def work(knows: bool) -> None:
        raise errors.ToolRateLimitError("Busy.", **({"effect": "none"} if knows else {}))

    pipeline = make_pipeline(Tool.from_function(work, description="", **KINDS[kind]))
    assert run(pipeline, "work", {"knows": True}).error.effect == "none"
    assert run(pipeline, "work", {"knows": False}).error.effect == "possible"


def lines(path: pathlib.Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", RETRIES)
@pytest.mark.parametrize("point", POINTS)
def test_a_fault_in_a_process_of_its_own(make_pipeline, plugin, tmp_path, point, way):
    def crash():
        raise RuntimeError("the plugin's own bug")

    plugins = [plugin(classify=crash, detect=crash, observe=crash)] if point == "plugin crash" else []
    tools = [
        Tool.from_function(fail_at, name=kind, killable=True, timeout=2 if point == "timeout" else 60, **declared)
        for kind, declared in KINDS.items()
    ]
    pipeline = make_pipeline(*tools, middleware=RETRIES[way](), plugins=plugins)
    files = {kind: (tmp_path / f"{kind} runs", tmp_path / f"{kind} effects") for kind in KINDS}
    asked = [(kind, {"point": point, "runs": str(runs), "effects": str(done)}) for kind, (runs, done) in files.items()]
    for result in asyncio.run(pipeline.acall_many(asked)):
        kind = result.call.name
        ran, effects = map(lines, files[kind])
        assert result.is_error
        assert ran == result.attempts or point == "timeout"  # a busy machine may not even have begun by then
        assert effects == ran * POINTS[point][0]
        assert effects == 0 or result.error.effect != "none"
        if kind not in HARMLESS:
            assert effects <= 1
            assert ran <= 1 or (point == "before connect" and way == "retry before effect")


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_that_the_host_cancels_is_not_run_again(make_pipeline, released, kind):
    counter = Counter("timeout", released)
    pipeline = make_pipeline(
        Tool.from_function(counter.awork, name="work", **KINDS[kind]), middleware=[retry(wait_initial=0, wait_jitter=0)]
    )

    async def main() -> None:
        task = asyncio.ensure_future(pipeline.acall("work"))
        while not counter.runs:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert counter.effects == 1


@pytest.mark.parametrize("id", ["", " "])
def test_an_empty_call_id_is_no_id(make_pipeline, id):
    ran = []

    def pay(amount: int) -> str:
        """Pays."""
        ran.append(amount)
        return f"payment {len(ran)}"

    session = make_pipeline(pay).session()
    assert [session.call("pay", {"amount": 5}, call_id=id).content for _ in range(2)] == ["payment 1", "payment 2"]
    assert session.call(ToolCall(id, "pay", {"amount": 5})).call.id is None
    messages = {
        "openai": {
            "tool_calls": [{"id": id, "type": "function", "function": {"name": "pay", "arguments": '{"amount": 5}'}}]
        },
        "anthropic": {"content": [{"type": "tool_use", "id": id, "name": "pay", "input": {"amount": 5}}]},
        "ai-sdk": {
            "parts": [{"type": "tool-pay", "toolCallId": id, "state": "input-available", "input": {"amount": 5}}]
        },
    }
    for made in messages.values():
        before = len(ran)
        for _ in range(2):
            answers = session.answer({"role": "assistant", **made})
            assert answers.results[0].call.id is None
            assert repr(id) in str(answers)  # a server that sends one wants it back
        assert len(ran) == before + 2
    call = {"type": "function_call", "call_id": id, "name": "pay", "arguments": '{"amount": 5}'}
    answers = session.answer({"object": "response", "output": [call, call]})
    assert [answer["output"] for answer in answers] == ["payment 10", "payment 11"]
    assert {answer["call_id"] for answer in answers} == {id}
