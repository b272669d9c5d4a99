"""Killable tools: each call runs in a process of its own, which is killed at the deadline."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mulligan.deadline import current_deadline
from mulligan.errors import UsageError
from mulligan.execute.retelling import opened, rebuilt
from mulligan.execute.steps import ExecutorSaturated, ProcessFailed
from mulligan.execute.thread_pool import current_job
from mulligan.policy import Limits
from mulligan.tools import Tool
from mulligan.untrusted.objects import leaves
from mulligan.untrusted.text import safe_str

_CHILD = str(Path(__file__).with_name("process_child.py"))
_ENDING_SECONDS = 1.0
_MOST_BYTES = 256 << 20
_PASSING = (KeyboardInterrupt, GeneratorExit)


def process_of(tool: Tool, bound: Mapping[str, Any], limits: Limits) -> Process:
    """The executor that runs a killable tool.

    Args:
        tool: the tool.
        bound: its keyword arguments.
        limits: bounds on memory, CPU time and yielded values.

    Raises:
        UsageError: the tool's function or one of the arguments cannot be sent to another process.
    """
    reference = _reference(tool.handler)
    return Process(
        {
            "path": list(sys.path),
            "memory": limits.process_memory,
            "cpu": limits.process_cpu,
            "yielded": limits.yielded_values,
            "reference": reference,
            "handler": _pickled_handler(tool) if reference is None else None,
            "arguments": _pickled_arguments(tool, dict(bound)),
        }
    )


def _reference(handler: Any) -> tuple[str, str] | None:
    """Module and name by which another process finds a function, or None."""
    module, qualname = getattr(handler, "__module__", None), getattr(handler, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(qualname, str) or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return (module, qualname) if found is handler or getattr(found, "handler", None) is handler else None


def _pickled_handler(tool: Tool) -> bytes:
    try:
        return _pickled(tool.handler)
    except Exception as error:
        raise UsageError(
            f"tool {tool.name!r} is killable, but its function cannot be sent to a separate process "
            f"({type(error).__name__}: {safe_str(error, 200)}); define it at the top level of a module"
        ) from error


def _pickled_arguments(tool: Tool, bound: dict[str, Any]) -> bytes:
    try:
        return _pickled(bound)
    except Exception as failed:
        for name, value in bound.items():
            try:
                _pickled(value)
            except Exception as error:
                raise UsageError(
                    f"tool {tool.name!r} is killable, but the value for its parameter {name!r} cannot be sent to a "
                    f"separate process ({type(error).__name__}: {safe_str(error, 200)}); create it inside the tool"
                ) from error
        raise UsageError(f"tool {tool.name!r}: its arguments cannot be sent to a separate process") from failed


def _pickled(value: Any) -> bytes:
    """Pickles a value, by reference if possible; classes and functions of a script by value."""
    try:
        known = pickle.dumps(value)
        if b"__main__" not in known:
            return known
    except Exception:
        known = b""
    import cloudpickle

    return bytes(cloudpickle.dumps(value))


class Process:
    """Runs a tool once for each time it is called, in a new process.

    Args:
        request: the message to the process.
    """

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request

    def __call__(self) -> Any:
        """What the tool returns.

        Raises:
            ProcessFailed: the process gave no answer.
            ExecutorSaturated: no process can be started.
            BaseException: the tool's exception.
        """
        deadline, job, child = current_deadline(), current_job(), _Child()
        request = pickle.dumps({**self._request, "deadline": None if deadline is None else deadline.at})
        if job is not None:
            job.stopped_by(child.kill)
        try:
            answer = child.ask(request)
        finally:
            child.end()
            if job is not None:
                job.stopped_by(None)
        return _understood(answer)


class _Child:
    """One process, which can be killed from any thread, together with those that it started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def ask(self, request: bytes) -> bytes:
        """Starts the process, and waits for its answer.

        Args:
            request: the message to it.

        Raises:
            ProcessFailed: there is no answer.
            ExecutorSaturated: it cannot be started.
        """
        process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(len(request).to_bytes(8, "big") + request)
            process.stdin.flush()
        except OSError:
            raise self._dead(process) from None
        header = process.stdout.read(8)
        size = int.from_bytes(header, "big") if len(header) == 8 else 0
        if size > _MOST_BYTES:
            raise ProcessFailed("unsent", text=f"a result of {size:,} bytes; at most {_MOST_BYTES:,} are allowed")
        answer = process.stdout.read(size)
        if not size or len(answer) < size:
            raise self._dead(process)
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
    def _dead(process: subprocess.Popen[bytes]) -> ProcessFailed:
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
        """Kills the process and its own; does not wait."""
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
                return  # it is gone already

    def end(self) -> None:
        """Kills what is left of it and reaps it, so that no zombie stays."""
        self.kill()
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                try:
                    if stream is not None:
                        stream.close()
                except OSError:
                    continue
            self._process.wait()


def _understood(answer: bytes) -> Any:
    try:
        kind, told = opened(answer)
        raised = rebuilt(told) if kind == "raised" else None
    except Exception as error:
        raise ProcessFailed("unsent", text=f"{type(error).__name__}: {safe_str(error, 500)}") from None
    if kind == "value":
        return told
    if raised is not None:
        if any(issubclass(type(one), _PASSING) for one in leaves(raised)):
            raise ProcessFailed("died", told["classes"][0][1], told["text"])
        raise raised
    raise ProcessFailed(safe_str(kind, 20), text=safe_str(told, 500))
