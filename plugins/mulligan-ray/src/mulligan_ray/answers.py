"""The answers of calls that run on the cluster. One thread waits for all of them, and event loops get them in batches.

With a callback of Ray for each call, its threads and the event loop wait for each other, which takes the caller half as much
processor time again.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from mulligan_ray.connection import connection

_LOOK_SECONDS = 0.02  # after this time the thread also waits for calls that were sent meanwhile
_FEW = 32  # up to so many calls, each is delivered at once, and of more an eighth together


class Answers:
    """The calls of this process that wait for their answers."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)  # the thread stays in the parent process

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Any, asyncio.Future[Any]] = {}
        self._thread: threading.Thread | None = None  # there is one while calls wait

    def expect(self, reference: Any) -> asyncio.Future[Any]:
        """The answer of a call: its value, or Ray's exception as a value. Expected again, it replaces the first future.

        Args:
            reference: what Ray returned when the call was sent.
        """
        answer = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiting[reference] = answer
            if self._thread is None:
                self._thread = threading.Thread(target=self._collect, name="mulligan-ray-answers", daemon=True)
                self._thread.start()
        return answer

    def forget(self, reference: Any) -> None:
        """No longer waits for a call.

        Args:
            reference: what Ray returned when the call was sent.
        """
        with self._lock:
            self._waiting.pop(reference, None)

    def end(self, error: BaseException) -> None:
        """Ends all calls that wait, and returns when the thread no longer uses Ray.

        Args:
            error: the answer to each of them.
        """
        with self._lock:
            thread = self._thread
        self._take(error, None)
        if thread is not None:
            thread.join(1.0)

    def _collect(self) -> None:
        ray, known = sys.modules["ray"], connection()
        while True:
            with self._lock:
                references = list(self._waiting)
                if not references:
                    self._thread = None
                    return
            try:
                ended = _wait(ray, references, known)
            except BaseException as error:  # the connection has ended, for which Ray also raises SystemExit
                reason = f"this process was disconnected from the cluster ({type(error).__name__})"
                self._take(ray.exceptions.RaySystemError(reason), references)
                known = connection()
            else:
                self._give(ended)

    def _take(self, error: BaseException, references: Iterable[Any] | None) -> None:
        with self._lock:
            some = list(self._waiting) if references is None else references
        self._give([(reference, error) for reference in some])

    def _give(self, ended: Iterable[tuple[Any, Any]]) -> None:
        """Resolves the futures of calls, each in its event loop, which is woken once."""
        loops: defaultdict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = defaultdict(list)
        with self._lock:
            for reference, value in ended:
                if (answer := self._waiting.pop(reference, None)) is not None:
                    loops[answer.get_loop()].append((answer, value))
        for loop, answers in loops.items():
            with suppress(RuntimeError):  # the loop is closed, so nothing waits any more
                loop.call_soon_threadsafe(_resolve, answers)


ANSWERS = Answers()


def _wait(ray: Any, references: list[Any], known: str | None) -> list[tuple[Any, Any]]:
    """The calls that have ended, each with its value or exception. There may be none.

    Raises:
        BaseException: the connection has ended.
    """
    _check_connected(known)
    count = len(references)  # each look costs time for each of them
    most, seconds = (1, _LOOK_SECONDS) if count <= _FEW else (count // 8, _LOOK_SECONDS * (1 + count / 250))
    ended, _ = ray.wait(references, num_returns=most, timeout=seconds)
    _check_connected(known)
    try:
        return list(zip(ended, ray.get(ended, timeout=_LOOK_SECONDS), strict=True))
    except Exception:  # that of one call, or a large answer is not here yet
        return [(reference, value) for reference in ended if (value := _value(ray, reference)) is not None]


def _check_connected(known: str | None) -> None:
    """Checks the connection before a function of Ray is called that would connect again."""
    if known is None or connection() != known:
        raise ConnectionError


def _value(ray: Any, reference: Any) -> Any:
    """The value of a call that has ended, or its exception; None if the value is on its way."""
    try:
        return ray.get(reference, timeout=_LOOK_SECONDS)
    except Exception as error:
        return None if type(error) is ray.exceptions.GetTimeoutError else error


def _resolve(answers: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for answer, value in answers:
        if not answer.done():
            answer.set_result(value)
