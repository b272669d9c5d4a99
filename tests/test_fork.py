"""What a forked process does with a pipeline that its parent has used: it works, and the parent's goes on working."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Approve, Budget, Limits, Pipeline, Tool
from mulligan.middleware import concurrency, rate_limit, retry

pytestmark = pytest.mark.filterwarnings("ignore:.*fork")
HANGS = 30


def in_child(function: Callable[[], Any]) -> None:
    """Calls a function in a forked process; fails where that raises, ends otherwise, or never ends."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(HANGS)
        try:
            function()
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def plain() -> str:
    return "ok"


async def threaded() -> str:
    return await asyncio.to_thread(plain)


def generating() -> Any:
    yield "ok"


TOOLS = [
    Tool.from_function(plain),
    Tool.from_function(plain, name="bounded", timeout=20),
    Tool.from_function(threaded),
    Tool.from_function(threaded, name="threaded_bounded", timeout=20),
    Tool.from_function(generating, timeout=20),
]


def call_each(pipeline: Pipeline) -> None:
    async def each() -> list[Any]:
        return [(await pipeline.acall(name)).content for name in pipeline.tools]

    contents = [pipeline.call(name).content for name in pipeline.tools] + asyncio.run(each())
    assert {content.strip('[]"') for content in contents} == {"ok"}, contents


@pytest.fixture
def pipeline(make_pipeline: Callable[..., Pipeline]) -> Pipeline:
    middleware = [retry(), concurrency(1), rate_limit(10_000, per=1)]
    return make_pipeline(*TOOLS, middleware=middleware, limits=Limits(threads=4))


def test_a_used_pipeline_works_in_a_forked_process_and_in_the_parent_after_it(pipeline):
    call_each(pipeline)
    for _ in range(2):
        in_child(lambda: call_each(pipeline))
        call_each(pipeline)


def held_locks(*roots: Any) -> list[Any]:
    """All locks in the objects that belong to some, to be taken by a thread that a forked process does not have."""
    found, waiting, seen = [], list(roots), set()
    while waiting:
        item = waiting.pop()
        if id(item) in seen or not type(item).__module__.startswith(("mulligan", "_thread", "builtins")):
            continue
        seen.add(id(item))
        if type(item).__module__ == "_thread":
            found.append(item)
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple)):
            waiting += item
        elif type(item).__module__.startswith("mulligan") and not isinstance(item, type):
            slots = [name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ())]
            waiting += [*getattr(item, "__dict__", {}).values(), *(getattr(item, name, None) for name in slots)]
    return [lock for lock in found if hasattr(lock, "acquire")]


def test_a_lock_that_is_held_while_another_thread_forks_is_open_in_the_child(make_pipeline):
    pipeline = make_pipeline(*TOOLS[:1], Tool.from_schema("fails", "", {"type": "object"}, lambda: 1 / 0))
    session = pipeline.session(budget=Budget(calls=100))

    def use() -> None:
        session.call("plain", call_id="1")
        session.call("fails")
        session.call("nope")
        session.to_dict()
        pipeline.call("fails")

    use()
    locks = held_locks(session, pipeline)
    assert len(locks) >= 5
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in locks:
            lock.acquire()
        held.set()
        done.wait(HANGS)
        for lock in locks:
            lock.release()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(HANGS)
    try:
        in_child(use)
    finally:
        done.set()
        thread.join()


def test_a_fork_waits_for_an_import_in_another_thread():
    program = """
import importlib.abc, importlib.machinery, os, signal, sys, threading, time
from mulligan import Pipeline
class Slow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "msgspec" else None
    def exec_module(self, module):
        sys.meta_path.remove(self)
        started.set()
        time.sleep(0.3)
        module.VALUE = 1
started = threading.Event()
sys.meta_path.insert(0, Slow())
threading.Thread(target=lambda: __import__("msgspec")).start()
started.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(10)
    import msgspec
    os._exit(msgspec.VALUE - 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=HANGS, check=False).returncode == 0


def test_a_forked_process_may_start_processes_of_its_own(make_pipeline):
    pipeline = make_pipeline(Tool.from_function(plain, timeout=HANGS, killable=True))
    call_each(pipeline)
    in_child(lambda: call_each(pipeline))


def test_a_forked_process_that_closes_leaves_the_parents_loops_alone(pipeline):
    call_each(pipeline)
    in_child(pipeline.close)
    call_each(pipeline)


def test_a_forked_process_that_ends_like_a_program_leaves_the_parents_loops_alone():
    """Its interpreter is torn down, with everything that it has inherited."""
    program = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from test_fork import *
pipeline = Pipeline(TOOLS, autoload=False)
call_each(pipeline)
pid = os.fork()
if pid == 0:
    call_each(pipeline)
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
call_each(pipeline)
print("fine")
"""
    import subprocess

    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("fine\n", "")


def test_a_process_forked_while_others_run_waits_for_none_of_them(make_pipeline):
    """Workers, permits and places in a line of threads that the forked process does not have."""
    begun, over = threading.Barrier(3), threading.Event()

    def hold() -> str:
        begun.wait(HANGS)
        over.wait(HANGS)
        return "held"

    tools = (*TOOLS, Tool.from_function(hold, timeout=HANGS))
    pipeline = make_pipeline(*tools, middleware=[concurrency(2, key="all", max_wait=HANGS)], limits=Limits(threads=2))
    holding = [threading.Thread(target=pipeline.call, args=("hold",)) for _ in range(2)]
    waiting = threading.Thread(target=pipeline.call, args=("plain",))
    for thread in (*holding, waiting):
        thread.start()
    begun.wait(HANGS)
    try:
        in_child(lambda: call_each(pipeline.with_tools(TOOLS)))
    finally:
        over.set()
        for thread in (*holding, waiting):
            thread.join()


def test_a_multiprocessing_worker_may_use_what_its_parent_has_used(pipeline):
    call_each(pipeline)
    worker = multiprocessing.get_context("fork").Process(target=call_each, args=(pipeline,))
    worker.start()
    worker.join(HANGS)
    assert worker.exitcode == 0


def test_a_tool_may_fork(make_pipeline):
    def forking() -> str:
        in_child(lambda: call_each(pipeline.with_tools(TOOLS)))
        return "ok"

    async def aforking() -> str:
        return forking()

    pipeline = make_pipeline(
        Tool.from_function(forking),
        Tool.from_function(forking, name="bounded", timeout=HANGS),
        Tool.from_function(aforking),
        Tool.from_function(aforking, name="abounded", timeout=HANGS),
    )
    assert [pipeline.call(name).content for name in pipeline.tools] == ["ok"] * 4
    assert [asyncio.run(pipeline.acall(name)).content for name in ("forking", "bounded")] == ["ok"] * 2


def test_a_forked_process_does_not_wait_for_a_call_that_only_its_parent_makes(make_pipeline):
    started, finish = threading.Barrier(3), threading.Event()
    ran: list[str] = []

    def pay(to: str) -> str:
        ran.append(to)
        started.wait(HANGS)
        finish.wait(HANGS)
        return f"paid {to}"

    pipeline = make_pipeline(Tool.from_function(pay), Tool.from_function(pay, name="ask", approve=True))
    session = pipeline.session()
    session.call("ask", {"to": "bob"}, call_id="b")
    calls = [lambda: session.call("pay", {"to": "ann"}, call_id="a"), lambda: session.resume("b", Approve())]
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    started.wait(HANGS)

    def repeat() -> None:
        for result in (calls[0](), calls[1]()):
            assert result.is_error
            assert "its result is unknown" in result.content
        assert len(ran) == 2
        assert not session.pending

    in_child(repeat)
    finish.set()
    for thread in threads:
        thread.join(HANGS)
    assert [call().content for call in calls] == ["paid ann", "paid bob"]
    assert sorted(ran) == ["ann", "bob"]


def test_a_call_that_forks_ends_in_both_processes(make_pipeline):
    def pay() -> str:
        pid = os.fork()
        if pid == 0:
            return "child"
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return "parent"

    session = make_pipeline(Tool.from_function(pay), Tool.from_function(pay, name="ask", approve=True)).session()
    session.call("ask", call_id="b")
    parent = os.getpid()
    for call in (lambda: session.call("pay", call_id="a"), lambda: session.resume("b", Approve())):
        first, again = call().content, call().content
        if os.getpid() != parent:
            os._exit(0 if (first, again) == ("child", "child") else 1)
        assert (first, again) == ("parent", "parent")
