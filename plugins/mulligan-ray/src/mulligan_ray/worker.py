"""What runs on a worker of the cluster, and the context that travels with a call: its deadline and its trace."""

from __future__ import annotations

import pickle
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from mulligan.plugin import current_deadline, run_packed_call


def pack(request: Mapping[str, Any]) -> bytes:
    """A packed call with its context, for `run`: Ray sends bytes as they are, and all else in several times the time.

    Args:
        request: what `packed_call` returned.
    """
    deadline = current_deadline()
    trace: dict[str, str] = {}
    if "opentelemetry" in sys.modules:
        from opentelemetry import propagate

        propagate.inject(trace)
    return pickle.dumps((request, None if deadline is None else deadline.remaining, trace))


def run(packed: bytes) -> bytes:
    """Runs a packed call on this worker, as a task of Ray.

    Args:
        packed: what `pack` returned on the side of the caller.

    Raises:
        SystemExit: the node ends this worker, for instance for lack of memory. Only the node can tell the caller why.
    """
    request, seconds, trace = pickle.loads(packed)  # noqa: S301 - the caller may run any code here
    token = _attach(trace)
    try:
        with _ends_with_the_node():
            return run_packed_call(request, seconds=seconds)
    finally:
        if token is not None:
            from opentelemetry import context as contexts

            contexts.detach(token)


class Worker:
    """An actor that runs one call at a time, and keeps the modules of its tools loaded."""

    def run(self, packed: bytes) -> bytes:
        """`run`, on this actor."""
        return run(packed)


@contextmanager
def _ends_with_the_node() -> Iterator[None]:
    """Repeats, after the tool, the exit that Ray raised in it when the node told this worker to end.

    Otherwise it would be taken for the tool's own exit, or the tool could ignore it.
    """
    ray_handler = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(ray_handler):
        yield
        return
    received: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> Any:
        received.append((number, frame))
        return ray_handler(number, frame)

    signal.signal(signal.SIGTERM, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, ray_handler)
    if received:
        ray_handler(*received[-1])


def _attach(trace: Mapping[str, str]) -> Any:
    """Continues the caller's trace; returns what ends it, or None if there is none."""
    if not trace:
        return None
    try:
        from opentelemetry import context, propagate
    except ImportError:  # not installed on this node
        return None
    return context.attach(propagate.extract(trace))
