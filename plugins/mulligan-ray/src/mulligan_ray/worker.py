"""What runs on a worker of the cluster, and the context that travels with a call: its deadline and its trace."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import current_deadline, run_packed_call


def context_here() -> dict[str, Any]:
    """The context of the current call as data: the seconds until its deadline, and its trace if OpenTelemetry is in use."""
    deadline = current_deadline()
    trace: dict[str, str] = {}
    if "opentelemetry" in sys.modules:
        from opentelemetry import propagate

        propagate.inject(trace)
    return {"seconds": None if deadline is None else deadline.remaining, "trace": trace}


def run(request: Mapping[str, Any], context: Mapping[str, Any]) -> bytes:
    """Runs a packed call on this worker, as a task of Ray.

    Args:
        request: what `packed_call` returned.
        context: what `context_here` returned on the side of the caller.
    """
    token = _attach(context["trace"])
    try:
        return run_packed_call(request, seconds=context["seconds"])
    finally:
        if token is not None:
            from opentelemetry import context as contexts

            contexts.detach(token)


class Worker:
    """An actor that runs one call at a time, and keeps the modules of its tools loaded."""

    def run(self, request: Mapping[str, Any], context: Mapping[str, Any]) -> bytes:
        """`run`, on this actor."""
        return run(request, context)


def _attach(trace: Mapping[str, str]) -> Any:
    """Continues the caller's trace; returns what ends it, or None if there is none."""
    if not trace:
        return None
    try:
        from opentelemetry import context, propagate
    except ImportError:  # not installed on this node
        return None
    return context.attach(propagate.extract(trace))
