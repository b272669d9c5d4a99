"""The caller's trace, which travels with a call: its headers, if OpenTelemetry is in use here and installed there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


def trace_here() -> dict[str, str]:
    """The headers of the current trace, such as `traceparent`; empty without OpenTelemetry."""
    headers: dict[str, str] = {}
    if "opentelemetry" in sys.modules:
        from opentelemetry.propagate import inject

        inject(headers)
    return headers


@contextmanager
def continued_trace(request: Mapping[str, Any]) -> Iterator[None]:
    """Continues the caller's trace on a worker, unless an interceptor of the worker has done so.

    Args:
        request: the call, with the headers of its trace.
    """
    headers = request.get("trace")
    if not headers:
        yield
        return
    try:
        from opentelemetry.context import attach, detach
        from opentelemetry.propagate import extract
        from opentelemetry.trace import get_current_span
    except ImportError:  # not installed on this worker
        yield
        return
    if get_current_span().get_span_context().is_valid:
        yield
        return
    token = attach(extract(headers))
    try:
        yield
    finally:
        detach(token)
