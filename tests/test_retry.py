"""Retry: again only where it does no harm, with growing waits, within one deadline; and what a pipeline does by itself."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from middleware_driver import Clock, call_by_hand, drive_by_hand, make_tool

from mulligan import Policy, Tool, errors
from mulligan.middleware import retry
from mulligan.plugin import AttemptFailed, CallRetried, DeadlineExceeded, Outcome, Run, Waiting

BUSY = errors.ToolUnavailableError
SAFE = [{"read_only": True}, {"idempotent": True}]
UNSAFE: list[dict[str, Any]] = [{}, {"destructive": True}, {"read_only": False, "idempotent": False}]


def no_luck() -> float:
    return 0.0


def plain(**options: Any) -> retry:
    """Without jitter, so that waits can be told."""
    return retry(**{"rng": no_luck, "clock": Clock(), **options})


def timed(**options: Any) -> tuple[retry, Clock]:
    clock = Clock()
    return retry(**{"rng": no_luck, "clock": clock, **options}), clock


# --- how often, and how long it waits


def test_a_success_runs_once():
    driven = drive_by_hand(plain(), [None])
    assert (driven.outcome.value, driven.runs, driven.waits) == ("fine", [None], [])


@pytest.mark.parametrize("flags", SAFE)
def test_a_failure_that_passes_is_tried_again(flags):
    driven = drive_by_hand(plain(), [BUSY("Busy."), BUSY("Busy."), None], tool=make_tool(**flags))
    assert (driven.outcome.value, len(driven.runs), driven.waits) == ("fine", 3, [0.1, 0.2])


def test_the_last_failure_stands():
    driven = drive_by_hand(plain(attempts=2), [BUSY("First."), BUSY("Second.")])
    assert (driven.outcome.error.message, driven.waits) == ("Second.", [0.1])


def test_one_attempt_is_no_retry():
    assert drive_by_hand(plain(attempts=1), [BUSY("Busy.")]).waits == []


def test_waits_grow_up_to_a_bound():
    driven = drive_by_hand(plain(attempts=7, wait_initial=1, wait_max=6, wait_exp_base=3), [BUSY("Busy.")] * 7)
    assert driven.waits == [1, 3, 6, 6, 6, 6]


def test_a_wait_of_a_thousand_doublings_is_still_a_number():
    driven = drive_by_hand(plain(attempts=2_000, timeout=1e9, wait_max=1, budget=None), [BUSY("Busy.")] * 2_000)
    assert (len(driven.runs), driven.waits[-1]) == (2_000, 1)


def test_jitter_is_added_within_the_bound():
    driven = drive_by_hand(plain(attempts=4, wait_jitter=2, wait_max=1.5, rng=lambda: 0.5), [BUSY("Busy.")] * 4)
    assert driven.waits == [1.1, 1.2, 1.4]


def test_the_service_says_how_long_to_wait():
    limited = errors.ToolRateLimitError("Too many.", retry_after=7.5)
    assert drive_by_hand(plain(wait_max=1), [limited, None]).waits == [7.5]
    assert drive_by_hand(plain(wait_max=1, wait_jitter=9, rng=lambda: 1.0), [limited, None]).waits == [8.5]


def test_a_service_that_asks_for_too_much_is_not_waited_for():
    limited = errors.ToolRateLimitError("Too many.", retry_after=46)
    driven = drive_by_hand(plain(), [limited])
    assert (driven.waits, driven.outcome.error) == ([], limited)


# --- one deadline


def test_no_attempt_begins_after_the_total():
    middleware, clock = timed(attempts=99, timeout=10, wait_initial=1, wait_max=1)
    driven = drive_by_hand(middleware, [BUSY("Busy.")] * 99, clock=clock, takes=3)
    assert (len(driven.runs), clock.now - 1000) == (3, 11)  # begun at 0, 4 and 8; the next would be at 12


def test_the_timeout_of_the_tool_is_shared_by_all_attempts():
    middleware, clock = timed(attempts=9, wait_initial=1, wait_max=1)
    driven = drive_by_hand(
        middleware, [BUSY("Busy.")] * 9, tool=make_tool(read_only=True, timeout=10), clock=clock, takes=2
    )
    assert driven.runs == [10, 7, 4, 1]


def test_a_timeout_is_not_waited_for_twice():
    middleware, clock = timed(attempts=9)
    tool = make_tool(read_only=True, timeout=10)
    late = errors.ToolTimeoutError("It took too long.")
    assert drive_by_hand(middleware, [late], tool=tool, clock=clock, takes=10).runs == [10]


def test_an_attempt_that_hangs_leaves_time_for_another():
    middleware, clock = timed(attempts=9, attempt_timeout=4, wait_initial=1, wait_max=1)
    tool = make_tool(read_only=True, timeout=11)
    late = errors.ToolTimeoutError("It took too long.")
    assert drive_by_hand(middleware, [late] * 3, tool=tool, clock=clock, takes=4).runs == [4, 4, 1]


def test_a_wait_that_took_longer_than_it_should_ends_it():
    clock = Clock()
    steps = plain(clock=clock)(Run(str, 5.0), make_tool(read_only=True), None)
    next(steps)
    steps.send(Outcome(error=BUSY("Busy.")))
    clock.now += 6
    with pytest.raises(StopIteration) as stop:
        steps.send(Outcome())
    assert stop.value.value.error.message == "Busy."


def test_what_else_is_said_of_a_run_is_kept():
    given = Run(str, 5.0, False, True)
    steps = plain(attempt_timeout=2)(given, make_tool(read_only=True), None)
    made = next(steps)
    assert (made.timeout, made.executor, made.offload, made.is_async) == (2, str, False, True)
    assert given.timeout == 5.0


# --- what is tried again


HOPELESS = [
    errors.ToolArgumentError("Wrong.", transient=True),
    errors.ToolAuthenticationError("No."),
    errors.ToolPermissionError("No."),
    errors.ToolQuotaError("Empty."),
    errors.ToolUnavailableError("Down.", fatal=True),
    errors.ToolConnectionError("Failed."),
    errors.ToolConnectionError("Failed.", effect="done"),
]


@pytest.mark.parametrize("error", HOPELESS, ids=repr)
@pytest.mark.parametrize("on", [None, errors.ToolError])
@pytest.mark.parametrize("before_effect", [True, False])
def test_what_is_fatal_or_about_arguments_is_never_tried_again(error, on, before_effect):
    driven = drive_by_hand(plain(on=on, before_effect=before_effect), [error])
    assert (len(driven.runs), driven.outcome.error) == (1, error)


@pytest.mark.parametrize(
    "error",
    [
        errors.ToolNotFoundError("x"),
        errors.ResourceNotFoundError("x"),
        errors.ResourceConflictError("x"),
        errors.ToolExecutionError("x"),
        errors.ToolCancelledError("x"),
        errors.RepeatedCallError("x"),
    ],
    ids=repr,
)
def test_what_does_not_pass_is_not_tried_again(error):
    assert len(drive_by_hand(plain(), [error]).runs) == 1


@pytest.mark.parametrize(
    "error",
    [
        errors.ToolTimeoutError("x"),
        errors.ToolRateLimitError("x"),
        errors.ToolUnavailableError("x"),
        errors.ToolConnectionError("x", fatal=False, transient=True),
        errors.ResourceConflictError("x", transient=True),
        errors.ToolConnectionError("x", effect="none"),
    ],
    ids=repr,
)
def test_what_passes_is_tried_again_and_so_is_a_service_that_cannot_be_reached(error):
    assert len(drive_by_hand(plain(), [error, None]).runs) == 2


def test_the_classes_can_be_named():
    named = plain(on=(errors.ToolExecutionError, errors.ToolTimeoutError))
    assert len(drive_by_hand(named, [errors.ToolExecutionError("x"), None]).runs) == 2
    assert len(drive_by_hand(named, [errors.ToolUnavailableError("x")]).runs) == 1
    assert len(drive_by_hand(plain(on=errors.ToolTimeoutError), [errors.ToolTimeoutError("x"), None]).runs) == 2


@pytest.mark.parametrize("flags", UNSAFE)
@pytest.mark.parametrize("effect", ["none", "possible", "done"])
def test_a_tool_that_may_write_runs_once(flags, effect):
    assert len(drive_by_hand(plain(), [BUSY("x", effect=effect)], tool=make_tool(**flags)).runs) == 1


@pytest.mark.parametrize("flags", UNSAFE)
def test_before_any_effect_it_runs_again_where_its_author_says_so(flags):
    opted, tool = plain(before_effect=True), make_tool(**flags)
    for error in (
        errors.ToolRateLimitError("x"),
        BUSY("x", effect="none"),
        errors.ToolConnectionError("x", effect="none"),
    ):
        assert len(drive_by_hand(opted, [error, None], tool=tool).runs) == 2
    for error in (BUSY("x"), BUSY("x", effect="done"), errors.ResourceNotFoundError("x"), errors.ToolTimeoutError("x")):
        assert len(drive_by_hand(opted, [error], tool=tool).runs) == 1
    assert len(drive_by_hand(opted, [BUSY("x", effect="none"), BUSY("x")], tool=tool).runs) == 2


def test_what_an_earlier_attempt_may_have_done_stays_possible():
    driven = drive_by_hand(plain(), [BUSY("x"), errors.ToolRateLimitError("x"), errors.ToolRateLimitError("y")])
    assert (driven.outcome.error.message, driven.outcome.error.effect) == ("y", "possible")


# --- what is reported of attempts that ran out of time


def run_out_of_time(failures: list[Outcome], each: float, timeout: float = 10.0) -> Outcome:
    """What is reported after failures, each after some seconds, and a last attempt that is cut off at the timeout."""
    clock = Clock()
    steps = plain(clock=clock, attempts=9, wait_initial=0)(Run(str, timeout), make_tool(read_only=True), None)
    step = next(steps)
    for outcome in failures:
        clock.now += each
        assert steps.send(outcome).seconds == 0
        step = steps.send(Outcome())
    clock.now += step.timeout
    late = errors.ToolTimeoutError(f"No response within {step.timeout} s.")
    with pytest.raises(StopIteration) as stop:
        steps.send(Outcome(exception=DeadlineExceeded(step.timeout), error=late))
    return stop.value.value


@pytest.mark.parametrize("runs", [2, 3, 4])
@pytest.mark.parametrize("kind", [BUSY, errors.ToolRateLimitError, errors.ToolConnectionError])
def test_what_failed_before_is_reported_with_the_whole_time(kind, runs):
    first = kind("The archive is closed.", transient=True, fatal=False)
    reported = run_out_of_time([Outcome(error=first)] * (runs - 1), each=3.0).error
    whole = f"The archive is closed. Tried {runs} times in 10 s; the last attempt timed out."
    assert (type(reported), reported.message, first.message) == (kind, whole, "The archive is closed.")


def test_what_the_last_attempt_may_have_done_counts():
    refused = errors.ToolConnectionError("Refused.", effect="none", fatal=False, transient=True)
    assert run_out_of_time([Outcome(error=refused)], each=3.0).error.effect == "possible"


def test_where_no_attempt_answered_the_whole_time_is_reported():
    late = Outcome(exception=DeadlineExceeded(4.0), error=errors.ToolTimeoutError("No response within 4 s."))
    assert run_out_of_time([late, late], each=4.0).exception.told == "10 s"


def test_the_failure_that_is_reported_is_the_one_that_is_quoted(make_pipeline, run):
    """A tool that fails quickly, then hangs: the text names the service, not the last slice of the tool's time."""

    class Closed(Exception):
        status_code = 503

    ends, runs = threading.Event(), []

    def search() -> str:
        runs.append(1)
        if len(runs) > 1:
            ends.wait(30)
        raise Closed("the archive in Delft is closed")

    result = run(make_pipeline(Tool.from_function(search, read_only=True, timeout=0.5)), "search")
    ends.set()
    assert (result.attempts, type(result.error)) == (2, errors.ToolUnavailableError)
    assert "Tried 2 times in" in result.content and "the archive in Delft is closed" in result.content
    assert "No response within" not in result.content


@pytest.mark.parametrize(("wait", "waits"), [(3.9, [3.9]), (4.0, []), (4.1, []), (1e9, [])])
def test_no_wait_reaches_the_deadline_of_the_call(wait, waits):
    """There would be no time left for the attempt after it."""
    middleware, clock = timed(attempts=2, timeout=1e12)
    tool = make_tool(read_only=True, timeout=6)
    ends = [errors.ToolRateLimitError("Too many.", retry_after=wait), None]
    assert drive_by_hand(middleware, ends, tool=tool, clock=clock, takes=2).waits == waits


# --- not more than helps


def test_while_nothing_helps_there_are_fewer_attempts():
    middleware, runs = plain(), []
    for _ in range(100):
        runs.append(len(drive_by_hand(middleware, iter(lambda: BUSY("x"), None)).runs))
    assert runs[:4] == [3, 3, 3, 3]
    assert sum(runs) - 100 <= 10 + 0.2 * 100
    assert (
        len(drive_by_hand(middleware, iter(lambda: BUSY("x"), None), tool=make_tool("other", read_only=True)).runs) == 3
    )


@pytest.mark.parametrize("kind", ["helped", "was not needed", "failed for good"])
def test_what_was_saved_up_before_an_outage_is_bounded(kind):
    """However long it went well before: an outage gets its ten further attempts, and one for every five calls."""
    ends = {"helped": [BUSY("x"), None], "was not needed": [None], "failed for good": [errors.ToolExecutionError("x")]}
    middleware = plain()
    for _ in range(1_000):
        drive_by_hand(middleware, ends[kind])
    runs = sum(len(drive_by_hand(middleware, iter(lambda: BUSY("x"), None)).runs) for _ in range(100))
    assert runs - 100 <= 10 + 0.2 * 100


def test_while_it_helps_there_is_no_bound():
    middleware = plain()
    assert all(len(drive_by_hand(middleware, [BUSY("x"), None]).runs) == 2 for _ in range(1_000))


def test_a_single_call_gets_all_its_attempts():
    assert len(drive_by_hand(plain(attempts=30, timeout=1e9), [BUSY("x")] * 30).runs) == 30


def test_the_bound_can_be_lifted():
    middleware = plain(budget=None)
    assert all(len(drive_by_hand(middleware, [BUSY("x")] * 3).runs) == 3 for _ in range(100))


ERRORS = st.sampled_from(
    [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, errors.ToolError)]
)


@given(
    ends=st.lists(
        st.builds(
            lambda cls, effect, fatal, transient, wait: cls(
                "x", effect=effect, fatal=fatal, transient=transient, retry_after=wait
            ),
            ERRORS,
            st.sampled_from(["none", "possible", "done"]),
            st.booleans(),
            st.booleans(),
            st.none() | st.floats(0, 100),
        ),
        min_size=12,
        max_size=12,
    ),
    flags=st.sampled_from(SAFE + UNSAFE),
    on=st.none() | ERRORS,
    before_effect=st.booleans(),
    attempts=st.integers(1, 10),
    timeout=st.floats(0.1, 60),
    own=st.none() | st.floats(0.1, 60),
    takes=st.floats(0, 10),
)
def test_whatever_goes_wrong_it_does_no_harm(ends, flags, on, before_effect, attempts, timeout, own, takes):
    middleware, clock = timed(on=on, before_effect=before_effect, attempts=attempts, timeout=timeout)
    sure = [end.effect == "none" for end in ends]
    again_asked = [end.retry_after for end in ends]
    driven = drive_by_hand(middleware, ends, tool=make_tool(timeout=own, **flags), clock=clock, takes=takes)
    runs = len(driven.runs)
    assert runs <= attempts and len(driven.waits) in (runs - 1, runs)
    assert all(wait >= (asked or 0) for wait, asked in zip(driven.waits, again_asked))
    assert sum(driven.waits) <= timeout
    if flags not in SAFE:
        assert runs == 1 or before_effect
        assert all(sure[: runs - 1])
    assert not any(isinstance(end, errors.ToolArgumentError) for end in ends[: runs - 1])
    assert not any(end.fatal and not isinstance(end, errors.ToolConnectionError) for end in ends[: runs - 1])
    if own is not None:
        assert all(left <= own + 1e-6 - number * takes for number, left in enumerate(driven.runs))


# --- in a pipeline


class Flaky:
    def __init__(self, failures: int, error: Any = lambda: errors.ToolUnavailableError("Busy.")) -> None:
        self.failures = failures
        self.error = error
        self.runs = 0

    def work(self, n: int = 1) -> str:
        self.runs += 1
        if self.runs <= self.failures:
            raise self.error()
        return f"worked {n}"


QUICK = {"wait_initial": 0, "wait_jitter": 0}


def test_attempts_and_waits_are_told(make_pipeline, plugin, run):
    seen: list[Any] = []
    flaky = Flaky(2)
    pipeline = make_pipeline(
        Tool.from_function(flaky.work, read_only=True),
        middleware=[retry(**QUICK)],
        plugins=[plugin(observe=lambda event: seen.append(event))],
    )
    result = run(pipeline, "work", {"n": 3}, call_id="7")
    assert (result.content, result.attempts, flaky.runs, pipeline.faults) == ("worked 3", 3, 3, ())
    assert [type(event) for event in result.events] == [AttemptFailed, Waiting, AttemptFailed, Waiting]
    assert [event.attempt for event in result.events if isinstance(event, AttemptFailed)] == [1, 2]
    between = [event for event in seen[1:-1] if not isinstance(event, CallRetried)]
    assert [type(event).__name__ for event in between] == [type(event).__name__ for event in result.events]
    assert [event.attempt for event in seen if isinstance(event, CallRetried)] == [2, 3]


def test_a_write_that_is_not_tried_again_is_no_fault(make_pipeline, run):
    flaky = Flaky(9)
    pipeline = make_pipeline(flaky.work, middleware=[retry(**QUICK)])
    result = run(pipeline, "work")
    assert (result.attempts, flaky.runs, pipeline.faults, result.error.effect) == (1, 1, (), "possible")


def test_a_service_that_cannot_be_reached_is_fatal_once_every_attempt_is_used_up(make_pipeline, run):
    flaky = Flaky(9, lambda: ConnectionRefusedError(111, "refused"))
    pipeline = make_pipeline(flaky.work, middleware=[retry(before_effect=True, **QUICK)])
    result = run(pipeline, "work")
    assert (result.attempts, result.fatal, type(result.error)) == (3, True, errors.ToolConnectionError)


def test_a_sync_tool_that_hangs_gets_another_attempt(make_pipeline, run):
    ends, runs = threading.Event(), []

    def hang() -> str:
        runs.append(1)
        if len(runs) == 1:
            ends.wait(30)
        return "back"

    pipeline = make_pipeline(
        Tool.from_function(hang, read_only=True), middleware=[retry(attempt_timeout=0.02, **QUICK)]
    )
    result = run(pipeline, "hang")
    ends.set()
    assert (result.content, result.attempts) == ("back", 2)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"attempts": 0}, r"retry\(attempts=0\): use a whole number of at least 1"),
        ({"attempts": 2.0}, r"retry\(attempts=2\.0\): use a whole number of at least 1"),
        ({"attempts": True}, r"retry\(attempts=True\)"),
        ({"timeout": 0}, r"retry\(timeout=0\): use a number above 0"),
        ({"timeout": float("inf")}, r"retry\(timeout=inf\)"),
        ({"attempt_timeout": -1}, r"retry\(attempt_timeout=-1\)"),
        ({"wait_initial": "1"}, r"retry\(wait_initial='1'\)"),
        ({"wait_max": -1}, r"retry\(wait_max=-1\)"),
        ({"wait_jitter": None}, r"retry\(wait_jitter=None\)"),
        ({"wait_exp_base": 0}, r"retry\(wait_exp_base=0\)"),
        ({"budget": 0}, r"retry\(budget=0\)"),
        ({"before_effect": 1}, r"retry\(before_effect=1\): use True or False"),
        ({"on": ValueError}, r"retry\(on=.*ValueError.*\): use classes of mulligan\.errors"),
        ({"on": ()}, r"retry\(on=\(\)\)"),
        ({"on": "timeout"}, r"retry\(on='timeout'\)"),
    ],
)
def test_wrong_settings_are_named(options, text):
    with pytest.raises(errors.UsageError, match=text):
        retry(**options)


def test_it_shows_what_it_is():
    assert repr(retry(attempts=4)) == "Retry(attempts=4, timeout=45)"


def test_a_middleware_that_was_not_made_is_named(make_pipeline):
    with pytest.raises(
        errors.UsageError, match=r"Retry is a class; pass an instance, as in middleware=\[Retry\(\.\.\.\)\]"
    ):
        make_pipeline(middleware=[retry])


# --- what a pipeline does by itself


@pytest.mark.parametrize("flags", SAFE)
def test_a_failure_that_passes_gets_a_second_chance(make_pipeline, flags):
    flaky = Flaky(2)
    result, waits = call_by_hand(make_pipeline(Tool.from_function(flaky.work, **flags)), "work")
    assert (result.content, result.attempts) == ("worked 1", 3)
    assert 0.1 <= waits[0] <= 0.2 <= waits[1] <= 0.3


def test_a_second_chance_through_the_drivers(make_pipeline, run):
    flaky = Flaky(1)
    result = run(make_pipeline(Tool.from_function(flaky.work, read_only=True)), "work")
    assert (result.content, result.attempts) == ("worked 1", 2)


@pytest.mark.parametrize("flags", UNSAFE)
@pytest.mark.parametrize(
    "error", [BUSY, errors.ToolRateLimitError, lambda: ConnectionRefusedError(111, "x"), ConnectionResetError]
)
def test_a_tool_that_may_write_gets_none(make_pipeline, flags, error):
    flaky = Flaky(1, error)
    result, waits = call_by_hand(make_pipeline(Tool.from_function(flaky.work, **flags)), "work")
    assert (result.attempts, flaky.runs, waits) == (1, 1, [])


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError,
        lambda: DeadlineExceeded(30.0),
        lambda: ConnectionRefusedError(111, "refused"),
        lambda: FileNotFoundError("a.md"),
        lambda: ValueError("x"),
        lambda: errors.ToolUnavailableError("Down for a week.", retry_after=6),
        lambda: errors.ToolUnavailableError("Down.", fatal=True),
    ],
    ids=lambda make: repr(make()),
)
def test_what_would_only_cost_time_gets_none(make_pipeline, error):
    flaky = Flaky(1, error)
    result, waits = call_by_hand(make_pipeline(Tool.from_function(flaky.work, read_only=True)), "work")
    assert (result.is_error, result.attempts, waits) == (True, 1, [])


def test_a_policy_may_want_none(make_pipeline):
    flaky = Flaky(1)
    pipeline = make_pipeline(Tool.from_function(flaky.work, read_only=True), policy=Policy(retry=False))
    assert call_by_hand(pipeline, "work")[0].attempts == 1
    with pytest.raises(errors.UsageError, match=r"Policy\(retry=3\): use True or False"):
        Policy(retry=3)  # type: ignore[arg-type]


def test_a_policy_that_makes_it_fatal_wants_none(make_pipeline):
    flaky = Flaky(1)
    pipeline = make_pipeline(
        Tool.from_function(flaky.work, read_only=True), policy=Policy(fatal={errors.ToolUnavailableError: True})
    )
    assert call_by_hand(pipeline, "work")[0].attempts == 1


def test_a_retry_of_ones_own_takes_its_place(make_pipeline, plugin):
    for options in (
        {"middleware": [retry(attempts=1)]},
        {"plugins": [plugin(middlewares=lambda tool: [retry(attempts=1)])]},
    ):
        flaky = Flaky(9)
        pipeline = make_pipeline(Tool.from_function(flaky.work, read_only=True), **options)
        assert call_by_hand(pipeline, "work")[0].attempts == 1


def test_a_middleware_that_retries_by_itself_is_not_multiplied(make_pipeline):
    def thrice(run, tool, call):
        for _ in range(3):
            outcome = yield run
        return outcome

    flaky = Flaky(9)
    pipeline = make_pipeline(Tool.from_function(flaky.work, read_only=True), middleware=[thrice])
    assert call_by_hand(pipeline, "work")[0].attempts == 3


def test_a_middleware_that_decided_has_decided(make_pipeline):
    asked = []

    def refuse(run, tool, call):
        asked.append(1)
        raise errors.ToolRateLimitError("Not now.", retry_after=1)
        yield

    pipeline = make_pipeline(Tool.from_function(Flaky(0).work, read_only=True), middleware=[refuse])
    result, waits = call_by_hand(pipeline, "work")
    assert (result.error.message, result.attempts, asked, waits) == ("Not now.", 0, [1], [])


def test_each_attempt_goes_through_the_middleware(make_pipeline):
    passed = []

    def count(run, tool, call):
        passed.append(1)
        return (yield run)

    flaky = Flaky(2)
    pipeline = make_pipeline(Tool.from_function(flaky.work, read_only=True), middleware=[count])
    assert call_by_hand(pipeline, "work")[0].content == "worked 1"
    assert len(passed) == 3


def test_two_pipelines_do_not_share_what_is_left_of_it(make_pipeline):
    for _ in range(2):
        pipeline = make_pipeline(Tool.from_function(Flaky(999).work, read_only=True))
        attempts = [call_by_hand(pipeline, "work")[0].attempts for _ in range(12)]
        assert (attempts[:4], min(attempts)) == ([3, 3, 3, 3], 1)


def test_nothing_of_it_is_imported_before_the_first_failure():
    program = (
        "import sys, mulligan\n"
        "pipeline = mulligan.Pipeline([mulligan.Tool.from_function(lambda: 'x', name='t')], autoload=False)\n"
        "pipeline.call('t'); pipeline.call('nope')\n"
        "print([name for name in sys.modules if name.startswith('mulligan.middleware')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_attempt_is_an_event_though_nobody_observes(make_pipeline, run):
    import pickle

    flaky = Flaky(1, lambda: errors.ToolUnavailableError("Busy with api_key=sk-live-0123456789abcdef."))
    result = run(make_pipeline(Tool.from_function(flaky.work, read_only=True)), "work")
    assert [type(event) for event in result.events] == [AttemptFailed, Waiting]
    for failed in (result.events[0], pickle.loads(pickle.dumps(result.events[0]))):
        assert (failed.tool_name, failed.attempt, str(failed.error)) == ("work", 1, "Busy with api_key=[redacted].")
        assert "in work" in failed.traceback and "sk-live" not in failed.traceback
        assert repr(failed) == "AttemptFailed(call_id=None, tool_name='work', attempt=1)"
