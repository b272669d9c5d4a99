"""Circuit breaker: against a reference model, with sixteen threads, and as a model reads it."""

from __future__ import annotations

import random
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from middleware_driver import CALL, Clock, drive_by_hand, make_tool

from mulligan import Tool, errors
from mulligan.middleware import circuit_breaker, concurrency, rate_limit, retry
from mulligan.middleware.breaker import Circuit, Settings
from mulligan.plugin import DeadlineExceeded, ExecutorSaturated, Outcome, Run, ToolCall

DOWN = errors.ToolUnavailableError("Down.")


class Model:
    """What a circuit does, in the plainest words: it keeps every call."""

    def __init__(self, settings: Settings) -> None:
        self.s = settings
        self.state, self.round, self.until, self.asked = "closed", 0, 0.0, 0.0
        self.calls: list[tuple[int, bool]] = []
        self.out = self.served = 0

    def become(self, state: str) -> None:
        self.state, self.round, self.calls, self.out, self.served = state, self.round + 1, [], 0, 0

    def admit(self, now: float) -> bool:
        if self.state == "closed":
            return True
        if self.state == "open" and now >= self.until:
            self.become("half-open")
        elif (
            self.state == "half-open"
            and self.out + self.served == self.s.permits
            and now >= self.asked + self.s.open_seconds
        ):
            self.become("half-open")
        if self.state == "open" or self.out + self.served == self.s.permits:
            return False
        self.out, self.asked = self.out + 1, now
        return True

    def settle(self, round: int, served: bool | None, now: float) -> None:
        if round != self.round:
            return
        if self.state == "half-open":
            self.out -= 1
            self.served += served is True
        elif served is not None:
            self.calls.append((int(now * 10 // self.s.window), served))
        bucket = int(now * 10 // self.s.window)
        recent = [fine for when, fine in self.calls if when > bucket - 10]
        failed = recent.count(False)
        if served is False and (
            self.state == "half-open" or (failed >= self.s.failures and failed >= self.s.rate * len(recent))
        ):
            self.until = now + self.s.open_seconds
            self.become("open")
        elif self.state == "half-open" and self.served == self.s.permits:
            self.become("closed")


class Pair:
    """A circuit beside its model."""

    def __init__(self, settings: Settings) -> None:
        self.circuit, self.model, self.now = Circuit(settings), Model(settings), 0.0

    def admit(self) -> int | None:
        expected = self.model.admit(self.now)
        round, wait = self.circuit.admit(self.now)
        assert (wait == 0) == expected
        assert round == self.model.round
        if not expected and self.model.state == "open":
            assert wait == pytest.approx(self.model.until - self.now)
        return round if expected else None

    def settle(self, round: int, served: bool | None) -> None:
        self.model.settle(round, served, self.now)
        self.circuit.record(round, served, self.now)

    def check(self) -> None:
        state = self.model.state
        assert self.circuit.state(self.now) == (
            "half-open" if state == "open" and self.now >= self.model.until else state
        )
        assert 0 <= self.model.out <= self.model.s.permits


class Machine(RuleBasedStateMachine):
    out = Bundle("out")

    def __init__(self) -> None:
        super().__init__()
        self.pair: Pair | None = None
        self.settings = Settings(2, 0.5, 10.0, 5.0, 2)

    @rule(failures=st.integers(1, 4), rate=st.sampled_from([0.1, 0.5, 1.0]), permits=st.integers(1, 3))
    def begin_anew(self, failures: int, rate: float, permits: int) -> None:
        if self.pair is None:
            self.settings = Settings(failures, rate, 10.0, 5.0, permits)

    @rule(target=out)
    def admit(self) -> Any:
        self.pair = self.pair or Pair(self.settings)
        return self.pair.admit()

    @rule(round=consumes(out), served=st.sampled_from([True, False, False, None]))
    def settle(self, round: int | None, served: bool | None) -> None:
        if self.pair is not None and round is not None:
            self.pair.settle(round, served)

    @rule(seconds=st.sampled_from([0.0, 0.5, 1.0, 4.9, 5.0, 10.0, 11.0]))
    def wait(self, seconds: float) -> None:
        if self.pair is not None:
            self.pair.now += seconds

    @invariant()
    def agree(self) -> None:
        if self.pair is not None:
            self.pair.check()


TestAgainstTheModel = Machine.TestCase
TestAgainstTheModel.settings = settings(max_examples=200, stateful_step_count=60, deadline=None)


def test_a_hundred_thousand_steps_against_the_model():
    chance = random.Random(7)
    steps = opened = 0
    while steps < 100_000:
        pair = Pair(Settings(chance.randint(1, 5), chance.choice([0.2, 0.5, 1]), 10.0, 5.0, chance.randint(1, 3)))
        out: list[int] = []
        for _ in range(500):
            steps += 1
            if chance.random() < 0.5 or not out:
                admitted = pair.admit()
                out += [] if admitted is None else [admitted]
            else:
                pair.settle(out.pop(chance.randrange(len(out))), chance.choice([True, False, False, None]))
            pair.now += chance.choice([0, 0, 0.1, 0.7, 3])
            pair.check()
            opened += pair.model.state == "open"
    assert opened > 1_000


def test_sixteen_threads_never_get_more_permits_than_there_are():
    permits, clock = 3, Clock()
    circuit = Circuit(Settings(1, 0.1, 10.0, 5.0, permits))
    circuit.record(circuit.admit(clock()).round, False, clock())
    lock, admitted = threading.Lock(), Counter()
    start = threading.Barrier(16)

    def work(number: int) -> None:
        chance = random.Random(number)
        start.wait()
        for _ in range(5_000):
            with lock:
                clock.now += 0.01
                now = clock.now
            round, wait = circuit.admit(now)
            if wait == 0:
                with lock:
                    admitted[round] += 1
                circuit.record(round, chance.random() < 0.8, now)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    half_open = [count for round, count in admitted.items() if round - 1 not in admitted]  # the round before was open
    assert len(half_open) > 10
    assert max(half_open) <= permits


def test_sixteen_threads_at_once_get_exactly_the_permits():
    for _ in range(200):
        circuit, got = Circuit(Settings(1, 0.1, 10.0, 5.0, 3)), []
        circuit.record(circuit.admit(0.0).round, False, 0.0)
        start = threading.Barrier(16)

        def ask(circuit=circuit, got=got, start=start) -> None:
            start.wait()
            got.append(circuit.admit(5.0))

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(admission.wait == 0 for admission in got) == 3
        rounds = {admission.round for admission in got}
        assert len(rounds) == 1
        for _ in range(3):
            circuit.record(rounds.copy().pop(), True, 5.0)
        assert circuit.state(5.0) == "closed"


def test_counts_of_sixteen_threads_are_exact():
    circuit = Circuit(Settings(16_000, 1.0, 1e9, 5.0, 1))

    def fail(times: int) -> None:
        for _ in range(times):
            circuit.record(circuit.admit(0.0).round, False, 0.0)

    threads = [threading.Thread(target=fail, args=(1_000 - (number == 0),)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert circuit.state(0.0) == "closed"
    fail(1)
    assert circuit.state(0.0) == "open"


# --- as a middleware


def breaker(**options: Any) -> tuple[circuit_breaker, Clock]:
    clock = Clock()
    return circuit_breaker(**{"failure_threshold": 2, "clock": clock, **options}), clock


def fail(middleware: Any, times: int = 2, error: Any = DOWN, tool: Tool | None = None) -> None:
    for _ in range(times):
        drive_by_hand(middleware, [error], tool=tool)


def state(middleware: circuit_breaker) -> list[str]:
    return list(middleware.states.values())


def test_a_service_that_fails_again_and_again_is_set_aside_and_tried_anew():
    middleware, clock = breaker(recovery_timeout=30)
    fail(middleware)
    assert middleware.states == {"work": "open"}
    clock.now += 6.2
    driven = drive_by_hand(middleware, [])
    error = driven.outcome.error
    assert driven.runs == []
    assert type(error) is errors.ToolUnavailableError
    assert (error.effect, error.retry_after, error.fatal, error.rule) == ("none", 24, False, "host:circuit-breaker")
    assert error.message == ("work is paused for 24 s after repeated failures. The tool was not run.")
    clock.now += 24
    assert state(middleware) == ["half-open"]
    assert drive_by_hand(middleware, [None]).outcome.value == "fine"
    assert state(middleware) == ["closed"]


def test_a_trial_that_fails_sets_it_aside_again():
    middleware, clock = breaker(recovery_timeout=30)
    fail(middleware)
    clock.now += 30
    fail(middleware, 1)
    assert state(middleware) == ["open"]
    assert drive_by_hand(middleware, []).outcome.error.retry_after == 30


def test_while_one_call_tries_it_the_others_are_told_to_come_back_soon():
    middleware, clock = breaker()
    fail(middleware)
    clock.now += 30
    trial = middleware(Run(str), make_tool(), CALL)
    next(trial)
    assert drive_by_hand(middleware, []).outcome.error.retry_after == 1
    trial.close()  # cancelled: the permit is free again, and nothing was learnt
    assert drive_by_hand(middleware, [None]).outcome.error is None
    assert state(middleware) == ["closed"]


def test_a_trial_that_never_comes_back_does_not_keep_it_set_aside():
    middleware, clock = breaker()
    fail(middleware)
    clock.now += 30
    trial = middleware(Run(str), make_tool(), CALL)
    next(trial)
    clock.now += 30
    assert drive_by_hand(middleware, [None]).outcome.error is None
    trial.close()
    assert state(middleware) == ["closed"]


def test_old_failures_do_not_count():
    middleware, clock = breaker(window=60)
    fail(middleware, 1)
    clock.now += 67
    fail(middleware, 1)
    assert state(middleware) == ["closed"]


def test_a_busy_service_that_fails_now_and_then_is_not_set_aside():
    middleware, _ = breaker(failure_rate=0.5)
    for _ in range(50):
        drive_by_hand(middleware, [None])
        drive_by_hand(middleware, [None])
        fail(middleware, 1)
    assert state(middleware) == ["closed"]


SERVED = [
    errors.ToolArgumentError("x"),
    errors.ResourceNotFoundError("x"),
    errors.ResourceConflictError("x"),
    errors.ToolRateLimitError("x"),
    errors.ToolPermissionError("x"),
    errors.ToolQuotaError("x"),
]
UNCLEAR = [errors.ToolExecutionError("x"), errors.ToolCancelledError("x")]


@pytest.mark.parametrize("error", [DOWN, errors.ToolTimeoutError("x"), errors.ToolConnectionError("x")], ids=repr)
def test_what_the_service_fails_at_counts(error):
    middleware, _ = breaker()
    fail(middleware, 2, error)
    assert state(middleware) == ["open"]


@pytest.mark.parametrize("error", SERVED + UNCLEAR, ids=repr)
def test_what_the_caller_does_wrong_does_not_count(error):
    middleware, clock = breaker()
    fail(middleware, 20, error)
    assert state(middleware) == ["closed"]
    fail(middleware, 20)
    clock.now += 30
    fail(middleware, 1, error)
    assert state(middleware) == ["closed" if error in SERVED else "half-open"]


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(None, ExecutorSaturated("x"), DOWN),
        Outcome(None, DeadlineExceeded(1, started=False), errors.ToolTimeoutError("x")),
        Outcome(None, DeadlineExceeded(1, started=False)),
    ],
    ids=["saturated", "never begun", "no time left"],
)
def test_our_own_shortage_is_not_the_services_fault(outcome):
    middleware, clock = breaker()
    for _ in range(5):
        drive_by_hand(middleware, lambda: outcome)
    assert state(middleware) == ["closed"]
    fail(middleware)
    clock.now += 30
    drive_by_hand(middleware, lambda: outcome)
    assert state(middleware) == ["half-open"]


def test_the_classes_can_be_named():
    middleware, _ = breaker(on=errors.ToolExecutionError)
    fail(middleware, 5)
    assert state(middleware) == ["closed"]
    fail(middleware, 12, errors.ToolExecutionError("x"))
    assert state(middleware) == ["open"]


def tools() -> list[Tool]:
    return [
        make_tool("a", provider="github", tags="web"),
        make_tool("b", provider="github"),
        make_tool("c", provider="x", tags="web"),
        make_tool("d"),
    ]


@pytest.mark.parametrize(
    ("key", "aside", "label"),
    [
        ("tool", "a", "a is"),
        ("tool:a", "a", "a is"),
        ("tool:b", "", ""),
        ("provider", "ab", "github is"),
        ("provider:github", "ab", "github is"),
        ("provider:x", "", ""),
        ("tag:web", "ac", "The tag web is"),
        ("all", "abcd", "a is"),
        (lambda tool, call: call.id, "abcd", "a is"),
        (lambda tool, call: None, "", ""),
    ],
)
def test_what_is_counted_together(key, aside, label):
    middleware, _ = breaker(key=key)
    fail(middleware, 2, tool=tools()[0])
    ends = {tool.name: drive_by_hand(middleware, [None], tool=tool).outcome for tool in tools()}
    assert "".join(name for name, outcome in ends.items() if outcome.error is not None) == aside
    assert not aside or ends["a"].error.message.startswith(label)


def test_a_service_of_each_call():
    middleware, _ = breaker(key=lambda tool, call: call.arguments["host"])
    for host, error in (("bad", DOWN), ("bad", DOWN), ("good", None)):
        steps = middleware(Run(str), make_tool(), ToolCall(None, "work", {"host": host}))
        next(steps)
        with pytest.raises(StopIteration):
            steps.send(Outcome(error=error))
    assert middleware.states == {"bad": "open", "good": "closed"}


def test_circuits_that_nobody_needs_are_forgotten():
    middleware, clock = breaker(key=lambda tool, call: tool.name)
    fail(middleware, 2, tool=make_tool("broken"))
    for number in range(5_000):
        clock.now += 1
        drive_by_hand(middleware, [None], tool=make_tool(f"t{number}"))
    assert len(middleware.states) <= 1_100
    assert middleware.states["broken"] == "half-open"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"failure_threshold": 0}, r"circuit_breaker\(failure_threshold=0\): use a whole number of at least 1"),
        ({"failure_rate": 1.5}, r"circuit_breaker\(failure_rate=1\.5\): use a number above 0, at most 1"),
        ({"window": 0}, r"circuit_breaker\(window=0\)"),
        ({"recovery_timeout": "x"}, r"circuit_breaker\(recovery_timeout='x'\)"),
        ({"half_open_permits": 0}, r"circuit_breaker\(half_open_permits=0\)"),
        ({"key": "tag"}, r"circuit_breaker\(key='tag'\): use 'tool', 'tool:NAME', 'provider'"),
        ({"key": "tag:"}, r"circuit_breaker\(key='tag:'\)"),
        ({"key": "host"}, r"circuit_breaker\(key='host'\)"),
        ({"key": 3}, r"circuit_breaker\(key=3\)"),
        ({"on": [OSError]}, r"circuit_breaker\(on="),
    ],
)
def test_wrong_settings_are_named(options, text):
    with pytest.raises(errors.UsageError, match=text):
        circuit_breaker(**options)


# --- in a pipeline


def test_the_model_reads_that_the_service_is_set_aside_and_for_how_long(make_pipeline, run):
    runs = []

    def search() -> str:
        runs.append(1)
        raise ConnectionResetError(104, "reset")

    clock = Clock()
    pipeline = make_pipeline(
        Tool.from_function(search, provider="acme"),
        middleware=[circuit_breaker(failure_threshold=2, key="provider", clock=clock)],
    )
    run(pipeline, "search")
    run(pipeline, "search")
    result = run(pipeline, "search")
    assert (len(runs), result.attempts, result.fatal, result.error.effect) == (2, 0, False, "none")
    assert result.error.provider == "acme"
    assert result.content.startswith("Error executing tool search: acme is paused for 30 s")
    assert "wait 30 s" in result.content.lower() or "30 s" in result.content.split("Next:")[1]
    assert pipeline.faults == ()


def test_each_attempt_of_a_retry_counts(make_pipeline, run):
    runs = []

    def search() -> str:
        runs.append(1)
        raise ConnectionResetError(104, "reset")

    middleware = [
        retry(attempts=9, wait_initial=0, wait_jitter=0, timeout=5),
        circuit_breaker(failure_threshold=3),
        concurrency(1),
        rate_limit(99),
    ]
    pipeline = make_pipeline(Tool.from_function(search, read_only=True), middleware=middleware)
    result = run(pipeline, "search")
    assert (len(runs), result.attempts) == (3, 3)
    assert result.error.rule == "host:circuit-breaker"
    assert result.error.effect == "possible"  # what the attempts before may have done


def test_limits_inside_say_nothing_of_the_service():
    clock = Clock()
    outer = circuit_breaker(failure_threshold=1, on=errors.ToolError, clock=clock)
    inner = rate_limit(1, per=60, max_wait=0, clock=clock)
    drive_by_hand(inner, [None])
    refused = drive_by_hand(inner, []).outcome
    drive_by_hand(outer, lambda: refused)
    assert state(outer) == ["closed"]


def test_it_shows_its_states():
    middleware, _ = breaker()
    fail(middleware)
    assert repr(middleware) == "CircuitBreaker({'work': 'open'})"
