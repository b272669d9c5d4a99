"""Worker threads: few, reused, counted when a call does not come back."""

from __future__ import annotations

import contextvars
import subprocess
import sys
import threading

import pytest

from mulligan.execute.thread_pool import Job, ThreadPool
from mulligan.plugin import ExecutorSaturated


def wait(job: Job) -> object:
    assert job.wait(20)
    assert job.outcome is not None
    if job.outcome.exception is not None:
        raise job.outcome.exception
    return job.outcome.value


@pytest.fixture
def pools():
    made: list[ThreadPool] = []

    def make(size: int) -> ThreadPool:
        made.append(ThreadPool(size))
        return made[-1]

    yield make
    for pool in made:
        pool.close()
    for thread in threading.enumerate():
        if thread.name == "mulligan":
            thread.join(10)
    assert all(pool.threads == 0 for pool in made)


def test_a_function_is_run_in_another_thread(pools):
    pool = pools(4)
    job = pool.submit(threading.get_ident)
    assert wait(job) != threading.get_ident()
    assert job.started
    assert (pool.threads, pool.abandoned) == (1, 0)


def test_threads_are_daemons_with_a_name(pools):
    thread = wait(pools(1).submit(threading.current_thread))
    assert isinstance(thread, threading.Thread)
    assert (thread.daemon, thread.name) == (True, "mulligan")


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration(1), MemoryError()]
)
def test_whatever_is_raised_is_an_outcome_and_the_worker_lives(pools, error):
    def fail() -> None:
        raise error

    pool = pools(1)
    job = pool.submit(fail)
    with pytest.raises(type(error)) as caught:
        wait(job)
    assert caught.value is error
    assert wait(pool.submit(lambda: 1)) == 1
    assert pool.threads == 1


def test_idle_workers_are_reused(pools):
    pool = pools(8)
    for _ in range(50):
        wait(pool.submit(lambda: None))
    assert pool.threads <= 2


def test_there_are_never_more_threads_than_allowed(pools):
    pool, go = pools(3), threading.Event()
    jobs = [pool.submit(lambda: go.wait(20)) for _ in range(20)]
    assert pool.threads == 3
    assert sum(job.started for job in jobs) <= 3
    go.set()
    assert [wait(job) for job in jobs] == [True] * 20


def test_jobs_are_run_in_order(pools):
    pool, order = pools(1), []
    jobs = [pool.submit(lambda number=number: order.append(number)) for number in range(20)]
    for job in jobs:
        wait(job)
    assert order == list(range(20))


def begun(pool, go, lane=None):
    """A job that a worker is running, until `go` is set."""
    began = threading.Event()
    job = pool.submit(lambda: began.set() or go.wait(20), lane=lane)
    assert began.wait(20)
    return job


def test_a_worker_that_does_not_come_back_is_counted(pools):
    pool, go = pools(2), threading.Event()
    stuck = begun(pool, go)
    pool.abandon(stuck)
    assert pool.abandoned == 1
    assert wait(pool.submit(lambda: "the other one")) == "the other one"
    go.set()
    assert wait(stuck) is True
    assert wait(pool.submit(lambda: pool.abandoned)) in (0, 1)
    for _ in range(1_000):
        if pool.abandoned == 0:
            break
        wait(pool.submit(lambda: None))
    assert pool.abandoned == 0


def test_when_all_are_left_behind_nothing_is_run(pools):
    pool, go = pools(2), threading.Event()
    stuck = [begun(pool, go) for _ in range(2)]
    for job in stuck:
        pool.abandon(job)
    with pytest.raises(ExecutorSaturated, match="2 calls are still running; nothing was run"):
        pool.submit(lambda: None)
    go.set()
    for job in stuck:
        wait(job)
    for _ in range(10_000):
        if pool.abandoned < 2:
            break
        threading.Event().wait(0.001)
    assert wait(pool.submit(lambda: "again")) == "again"


def test_jobs_that_are_refused_in_the_queue_take_up_no_thread_later(pools):
    pool, go = pools(2), threading.Event()
    stuck = [begun(pool, go, "stuck") for _ in range(2)]
    queued = [pool.submit(lambda: "queued", lane="other") for _ in range(2)]
    for job in stuck:
        pool.abandon(job)
    for job in queued:
        with pytest.raises(ExecutorSaturated):
            wait(job)
    go.set()
    for job in stuck:
        wait(job)
    while pool.abandoned:
        threading.Event().wait(0.001)
    assert wait(pool.submit(lambda: "again", lane="other")) == "again"


def test_a_job_that_has_not_begun_is_taken_back(pools):
    pool, go, ran = pools(1), threading.Event(), []
    busy = pool.submit(lambda: go.wait(20))
    waiting = pool.submit(lambda: ran.append(1))
    pool.abandon(waiting)
    assert (waiting.started, pool.abandoned) == (False, 0)
    go.set()
    wait(busy)
    wait(pool.submit(lambda: None))
    assert ran == []


def test_a_job_that_has_ended_is_not_counted(pools):
    pool = pools(1)
    job = pool.submit(lambda: 1)
    wait(job)
    pool.abandon(job)
    assert pool.abandoned == 0


def test_the_context_is_the_callers(pools):
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    pool = pools(1)
    variable.set("seen")
    assert wait(pool.submit(variable.get)) == "seen"
    wait(pool.submit(lambda: variable.set("changed")))
    assert variable.get() == "seen"
    assert wait(pool.submit(variable.get)) == "seen"
    assert wait(contextvars.Context().run(pool.submit, variable.get)) == "unset"


def test_whoever_waits_is_told(pools):
    told = threading.Event()
    job = pools(1).submit(lambda: 5, told.set)
    assert told.wait(20)
    assert job.outcome is not None
    assert job.outcome.value == 5


def test_what_is_queued_when_it_is_closed_is_still_run(pools):
    pool, go = pools(1), threading.Event()
    jobs = [pool.submit(lambda: go.wait(20)), pool.submit(lambda: "queued")]
    pool.close()
    go.set()
    assert [wait(job) for job in jobs] == [True, "queued"]


def test_many_callers_at_once(pools):
    pool = pools(8)
    results: list[object] = []

    def ask(start: int) -> None:
        for number in range(start, start + 200):
            results.append(wait(pool.submit(lambda number=number: number)))

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(0, 1_000, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(1_000))
    assert pool.threads <= 8
    assert pool.abandoned == 0


def test_when_no_thread_can_be_started_the_call_is_answered():
    program = """
import threading
from mulligan import Pipeline, Tool

def work() -> int:
    return 1

pipeline = Pipeline([Tool.from_function(work, timeout=20), Tool.from_function(work, name="plain")], autoload=False)
pipeline.call("plain")
before = threading.stack_size(1 << 47)  # more than there is
for _ in range(3):
    result = pipeline.call("work", call_id="7")
    assert result.is_error and result.call.id == "7" and result.error.effect == "none", result
threading.stack_size(before)
print(pipeline.call("work").content)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "1\n"), ended.stderr


def test_a_hanging_tool_does_not_keep_the_process_alive():
    program = """
import time
from mulligan import Pipeline, Tool
pipeline = Pipeline([Tool.from_function(lambda: time.sleep(600), name="hang", timeout=0.05)], autoload=False)
print(type(pipeline.call("hang").error).__name__)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ToolTimeoutError\n", "")
