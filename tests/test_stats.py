"""What a session and a pipeline count: `session.summary()`, its `repr`, and `pipeline.stats()`."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mulligan import Policy, Tool, ToolCall, errors
from mulligan.pipeline.stats import Stats
from mulligan.results import ToolResult


def scripted(*outcomes: Any, **options: Any) -> Tool:
    """A tool that does one after the other."""
    following = iter(outcomes)

    def work(n: int = 0) -> Any:
        outcome = next(following, "ok")
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return Tool.from_function(work, **options)


def read(path: str) -> str:
    return path


def counts(session: Any) -> tuple[int, ...]:
    told = session.summary()
    return told.calls, told.failures, told.recovered, told.repeated, told.fatal


def test_a_summary_counts_failures_and_what_became_of_them(make_pipeline, run):
    session = make_pipeline(scripted(ValueError("a"), ValueError("b"), "ok", ValueError("c"))).session("talk")
    assert counts(session) == (0, 0, 0, 0, 0)
    for number, expected in enumerate([(1, 1, 0, 0, 0), (2, 2, 0, 0, 0), (3, 2, 2, 0, 0), (4, 3, 2, 0, 0)]):
        run(session, "work", {"n": number})
        assert counts(session) == expected
    assert repr(session) == "Session(id='talk', 4 calls, 3 failures, 2 recovered, 0 repeated, 0 fatal)"


def test_an_unknown_name_has_recovered_once_any_tool_works(make_pipeline, run):
    session = make_pipeline(scripted()).session()
    run(session, "wrk")
    assert counts(session) == (1, 1, 0, 0, 0)
    run(session, "work")
    assert counts(session) == (2, 1, 1, 0, 0)


def test_refused_repetitions_and_the_fatal_end_are_counted(make_pipeline, run):
    session = make_pipeline(scripted(*[ValueError("same")] * 9)).session()
    results = [run(session, "work", {"n": 1}) for _ in range(5)]
    repeated = sum(isinstance(result.error, errors.RepeatedCallError) for result in results)
    assert repeated >= 1
    assert counts(session) == (5, 5, 0, repeated, sum(result.fatal for result in results))
    assert results[-1].fatal


def test_a_call_that_waits_for_approval_is_no_failure(make_pipeline, run):
    session = make_pipeline(scripted(approve=True)).session()
    run(session, "work", call_id="c1")
    assert counts(session) == (1, 0, 0, 0, 0)


def test_statistics_of_each_tool(make_pipeline, run):
    flaky = scripted(errors.ToolUnavailableError("Busy.", retry_after=0.001), "ok", read_only=True)
    pipeline = make_pipeline(flaky, read, policy=Policy(repair="json"))
    run(pipeline, "work")
    run(pipeline, "work", '{"n": 1,}')
    run(pipeline, "read", {})
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "wrok")
    run(pipeline, "raed")
    told = pipeline.stats()
    assert list(told) == ["(unknown)", "read", "work"]
    assert (told["work"].calls, told["work"].failures, told["work"].repairs, told["work"].retries) == (2, {}, 1, 1)
    assert (told["read"].calls, told["read"].failures) == (2, {"ToolArgumentError": 1})
    assert told["(unknown)"].failures == {"ToolNotFoundError": 2}
    assert 0 < told["read"].p50 <= told["read"].p95


@pytest.mark.parametrize(
    ("durations", "p50", "p95"),
    [
        ([1.0], 1.0, 1.0),
        ([float(n) for n in range(1, 101)], 50.0, 95.0),
        ([3.0, 1.0], 1.0, 3.0),
        ([0.0] * 19 + [9.0], 0.0, 0.0),
    ],
)
def test_percentiles(durations, p50, p95):
    stats = Stats()
    for seconds in durations:
        stats.add(ToolResult(ToolCall(None, "x"), duration=seconds))
    told = stats.read()["(unknown)"]
    assert (told.p50, told.p95) == (p50, p95)


def test_only_the_last_thousand_durations_count():
    stats = Stats()
    for seconds in itertools.chain([99.0] * 500, [1.0] * 1_000):
        stats.add(ToolResult(ToolCall(None, "x"), duration=seconds))
    told = stats.read()["(unknown)"]
    assert (told.calls, told.p95) == (1_500, 1.0)


def test_views_and_threads_are_counted_together(make_pipeline):
    pipeline = make_pipeline(scripted())
    view = pipeline.with_tools([scripted(*[ValueError("x")] * 1_000)])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: (view if n % 2 else pipeline).call("work"), range(400)))
    told = pipeline.stats()["work"]
    assert (told.calls, told.failures) == (400, {"ToolExecutionError": 200})
