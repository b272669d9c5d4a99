"""What runs in the process of a killable tool: the trace continues there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from opentelemetry import context, propagate, trace

_FLUSH_MILLISECONDS = 2_000


@contextmanager
def in_trace(carrier: Mapping[str, str]) -> Iterator[None]:
    """Makes a trace of another process the present one; at the end exports the spans, since the process ends at once.

    Args:
        carrier: the trace context, as the propagator of the other process wrote it.
    """
    token = context.attach(propagate.extract(carrier))
    try:
        yield
    finally:
        context.detach(token)
        flush = getattr(trace.get_tracer_provider(), "force_flush", None)
        if flush is not None:
            with suppress(Exception):
                flush(_FLUSH_MILLISECONDS)
