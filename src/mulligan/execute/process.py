"""Killable tools: each call runs in a new process, which is killed at the deadline. Its answer is read as data."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from mulligan.deadline import current_deadline
from mulligan.execute.remote import packed_call, value_of_answer
from mulligan.execute.steps import ExecutorSaturated, ProcessFailed
from mulligan.execute.thread_pool import current_job
from mulligan.policy import Limits
from mulligan.tools import Tool

_CHILD = str(Path(__file__).with_name("process_child.py"))
_ENDING_SECONDS = 1.0
_MOST_BYTES = 256 << 20


def make_process(tool: Tool, bound: Mapping[str, Any], limits: Limits) -> Process:
    """The executor that runs a killable tool.

    Args:
        tool: the tool.
        bound: the keyword arguments of the call.
        limits: bounds on memory, CPU time and yielded values.

    Raises:
        UsageError: the tool's function or an argument cannot be sent to another process.
    """
    packed = packed_call(tool, bound, yielded=limits.yielded_values, where="is killable")
    return Process({**packed, "memory": limits.process_memory, "cpu": limits.process_cpu})


class Process:
    """An executor that runs a tool in a new process on each call.

    Args:
        request: the message to the process.
    """

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request

    def within(self, context: Callable[..., AbstractContextManager[Any]], *arguments: Any) -> Process:
        """The same, where the tool runs inside a context manager of its process: for what context variables do elsewhere.

        A middleware of a killable tool can put it around the tool. If the context manager fails, the tool is not run.

        Args:
            context: makes the context manager; a function at the top level of a module, which is imported there.
            arguments: its arguments, which can be pickled.
        """
        entered = (*self._request.get("within", ()), (context.__module__, context.__qualname__, arguments))
        return Process({**self._request, "within": entered})

    def __call__(self) -> Any:
        """Runs the tool, and returns its value.

        Raises:
            ProcessFailed: the process gave no answer.
            ExecutorSaturated: no process can be started.
            BaseException: the tool's exception.
        """
        deadline, job, child = current_deadline(), current_job(), _Child()
        request = pickle.dumps({**self._request, "deadline": None if deadline is None else deadline.at})
        if job is not None:
            job.set_stop(child.kill)
        try:
            answer = child.ask(request)
        finally:
            child.end()
            if job is not None:
                job.set_stop(None)
        return value_of_answer(answer)


class _Child:
    """One process. It can be killed from any thread, together with the processes that it started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def ask(self, request: bytes) -> bytes:
        """Starts the process and waits for its answer.

        Args:
            request: the message to the process.

        Raises:
            ProcessFailed: the process gave no answer.
            ExecutorSaturated: the process cannot be started.
        """
        process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(len(request).to_bytes(8, "big") + request)
            process.stdin.flush()
        except OSError:
            raise self._process_failed(process) from None
        header = process.stdout.read(8)
        size = int.from_bytes(header, "big") if len(header) == 8 else 0
        if size > _MOST_BYTES:
            raise ProcessFailed("unsent", text=f"a result of {size:,} bytes; at most {_MOST_BYTES:,} are allowed")
        answer = process.stdout.read(size)
        if not size or len(answer) < size:
            raise self._process_failed(process)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._killed:
                raise ProcessFailed("died", "SIGKILL")
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
                    [sys.executable, "-P", _CHILD],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise ExecutorSaturated(f"no process can be started ({error}); nothing was run") from None
            return self._process

    @staticmethod
    def _process_failed(process: subprocess.Popen[bytes]) -> ProcessFailed:
        try:
            status = process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return ProcessFailed("died", "it closed its output")
        if status >= 0:
            return ProcessFailed("died", f"exit status {status}")
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return ProcessFailed("cpu" if name == "SIGXCPU" else "died", name)

    def kill(self) -> None:
        """Kills the process and those that it started, without waiting for their end."""
        with self._lock:
            if self._killed:
                return
            self._killed = True
            if self._process is None:
                return
            try:
                if os.name == "posix":
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
            except OSError:
                return  # it has already ended

    def end(self) -> None:
        """Kills the process if it still runs, and reaps it so that no zombie remains."""
        self.kill()
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                try:
                    if stream is not None:
                        stream.close()
                except OSError:
                    continue
            self._process.wait()
