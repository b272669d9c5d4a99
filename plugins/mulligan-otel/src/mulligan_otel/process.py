"""Continues the trace in the process of a killable tool."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from opentelemetry import context, propagate, trace

_FLUSH_SECONDS = 1.0


@contextmanager
def in_trace(carrier: Mapping[str, str]) -> Iterator[None]:
    """Continues the trace of another process; at the end exports the spans, since the process ends immediately.

    Args:
        carrier: the trace context, as the propagator of the other process wrote it.
    """
    parent = context.get_current()
    with suppress(Exception):  # if a propagator fails, only the parent span is lost
        parent = propagate.extract(carrier)
    token = context.attach(parent)
    try:
        yield
    finally:
        context.detach(token)
        flush = getattr(trace.get_tracer_provider(), "force_flush", None)
        if flush is not None:
            _run_briefly(flush)


def _run_briefly(flush: Callable[[], object]) -> None:
    """Exports all pending data. An unreachable collector must not consume the tool's time.

    `force_flush` has a timeout, but an exporter that retries ignores it.
    """

    def run() -> None:
        with suppress(Exception):
            flush()

    thread = threading.Thread(target=run, name="mulligan-otel-flush", daemon=True)
    thread.start()
    thread.join(_FLUSH_SECONDS)
