"""What runs on a worker of the cluster, and the context that travels with a call: its deadline and its trace."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
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
    """
    request, seconds, trace = pickle.loads(packed)  # noqa: S301 - the caller may run any code here
    token = _attach(trace)
    try:
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


def _attach(trace: Mapping[str, str]) -> Any:
    """Continues the caller's trace; returns what ends it, or None if there is none."""
    if not trace:
        return None
    try:
        from opentelemetry import context, propagate
    except ImportError:  # not installed on this node
        return None
    return context.attach(propagate.extract(trace))
