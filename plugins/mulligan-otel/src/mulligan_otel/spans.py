"""Spans: one around each call, and one for each attempt if there is more than one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import Token
from typing import Any, Protocol

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, NoOpTracer, Span, Status, StatusCode, TracerProvider

from mulligan.plugin import (
    ApprovalDecided,
    AttemptFailed,
    CallAbandoned,
    CallFinished,
    CallRepaired,
    CallRetried,
    CallStarted,
    Redactor,
    Tool,
    ToolError,
    clean,
    safe_str,
    show_name,
)
from mulligan_otel.attributes import OPERATION, TRACER_PROVIDER, VERSION, PerTool, plain, provided, stage_of

_KEY = context.create_key("mulligan-call")
_NAME_CHARS = 64
_ID_CHARS = 100
_CONTENT_CHARS = 2_000
_READ = 4  # times the displayed characters, since some are omitted


class _Located(Protocol):
    """The attributes that every event about a call has."""

    @property
    def call_id(self) -> str | None:
        """The model's ID of the call, or None."""

    @property
    def session_id(self) -> str | None:
        """The conversation's ID, or None."""


class _Call:
    """The spans of one call.

    Attributes:
        owner: the `Spans` that created them: a pipeline may have two plugins of this kind.
        outer: the call that was current before, or None.
        span: the span of the call.
        token: resets the context to the one before.
        started: when the call began, in nanoseconds.
        event: the event of its beginning.
        is_repaired: whether it was read differently from how it was sent.
        failed: the first attempt that failed, and when, in nanoseconds; or None.
        attempt: the span of the present attempt and the token of the context before; or None.
        is_below: whether it ended while the inner span of another plugin was still current.
    """

    __slots__ = (
        *("attempt", "event", "failed", "is_below", "is_repaired"),
        *("outer", "owner", "span", "started", "token"),
    )

    def __init__(self, owner: Spans, span: Span, event: CallStarted) -> None:
        self.owner = owner
        self.outer = _current()
        self.span = span
        self.event = event
        self.started = time.time_ns()
        self.is_repaired = self.is_below = False
        self.failed: tuple[AttemptFailed, int] | None = None
        self.attempt: tuple[Span, Token[Context]] | None = None
        self.token: Token[Context]


class Spans:
    """Creates the spans of a pipeline's calls. The span of a call is current while its tool runs.

    Args:
        provider: creates the tracer; None for that of the program, which may be set later.
        capture: whether spans contain arguments and results.

    Attributes:
        is_used: whether any span was started.
        provided: holds the provider under `TRACER_PROVIDER`; while it is None, no span needs to be started.
    """

    def __init__(self, provider: TracerProvider | None, *, capture: bool) -> None:
        self._capture = capture
        self.is_used = False
        trace.get_tracer_provider()  # loads the provider that the environment names, if any
        self._tracer = trace.get_tracer("mulligan", VERSION, provider)
        self.provided = provided(vars(trace), TRACER_PROVIDER, provider, is_off=isinstance(self._tracer, NoOpTracer))
        self._redact = Redactor().redact
        self._by_tool = PerTool(self._describe_tool)

    def start(self, event: CallStarted) -> None:
        """Starts the span of a call, and makes it current."""
        tool = event.tool
        if tool is None:
            name, attributes = _unknown(self._redact(event.tool_name)[:_NAME_CHARS])
        else:
            name, attributes = self._by_tool.get(tool)
        if event.call_id is not None or event.session_id is not None:
            attributes = {**attributes, **self._ids(event)}
        self.is_used = True
        span, within = INVALID_SPAN, None
        try:
            span = self._tracer.start_span(name, attributes=attributes)
            within = None if span is INVALID_SPAN else trace.set_span_in_context(span)
        finally:  # even without a span: the end of this call must not be mistaken for that of the outer call
            call = _Call(self, span, event)
            call.token = context.attach(context.set_value(_KEY, call, within))

    def _ids(self, event: CallStarted) -> dict[str, Any]:
        attributes: dict[str, Any] = {}
        if event.call_id is not None:
            attributes["gen_ai.tool.call.id"] = _shown(event.call_id, _ID_CHARS, self._redact)
        if event.session_id is not None:
            attributes["gen_ai.conversation.id"] = _shown(event.session_id, _ID_CHARS, self._redact)
            attributes["mulligan.step"] = event.step
        return attributes

    def resume(self, event: ApprovalDecided) -> None:
        """Starts a new span for a call that was interrupted until a person decided; no event says that it starts again."""
        if self.provided[TRACER_PROVIDER] is not None and self._call_of(event) is None:
            self.start(CallStarted(event.call_id, show_name(event.tool_name), str, event.session_id, event.step))

    def repair(self, event: CallRepaired) -> None:
        """Records that the call was repaired."""
        call = self._call_of(event)
        if call is not None:
            call.is_repaired = True

    def fail_attempt(self, event: AttemptFailed) -> None:
        """Ends the span of an attempt that failed."""
        call = self._call_of(event)
        if call is None:
            return
        if call.attempt is not None:
            _end_attempt(call, event.error)
        elif call.failed is None:
            call.failed = event, time.time_ns()

    def start_attempt(self, event: CallRetried) -> None:
        """Starts the span of an attempt. The span of the first attempt is created now too: one attempt alone needs none."""
        call, start_span = self._call_of(event), self._tracer.start_span
        if call is None:
            return
        parent = trace.set_span_in_context(call.span)
        if call.failed is not None:
            failed, ended = call.failed
            call.failed = None
            first = start_span("attempt 1", parent, attributes={"mulligan.attempt": 1}, start_time=call.started)
            _set_error(first, failed.error)
            first.end(ended)
        span = start_span(f"attempt {event.attempt}", parent, attributes={"mulligan.attempt": event.attempt})
        call.attempt = span, context.attach(trace.set_span_in_context(span))

    def finish(self, event: CallFinished) -> None:
        """Ends the span of a call."""
        call = self._call_of(event)
        if call is None:
            return  # a framework interrupted this call, and its span has ended
        try:
            is_told = not (event.is_error or call.is_repaired or self._capture) and event.attempt == 1
            is_plain = is_told and call.event.tool is not None
            if not is_plain and call.span.is_recording():
                call.span.set_attributes(self._describe(call, event))
                if event.result.error is not None:
                    _set_error(call.span, event.result.error)
        finally:
            _end(call)

    def abandon(self, event: CallAbandoned) -> None:
        """Ends the span of a call without a result."""
        call = self._call_of(event)
        if call is None:
            return
        try:
            call.span.set_attribute("error.type", "CallAbandoned")
            call.span.set_status(Status(StatusCode.ERROR))
        finally:
            _end(call)

    def _describe(self, call: _Call, event: CallFinished) -> Mapping[str, Any]:
        result = event.result
        attributes: dict[str, Any] = {"mulligan.attempts": result.attempts}
        if result.repairs:
            attributes["mulligan.repairs"] = len(result.repairs)
        if result.tool is not None and result.tool is not call.event.tool:
            attributes = {**self._by_tool.get(result.tool)[1], **attributes}
        error = result.error
        if error is not None:
            attributes["mulligan.stage"] = stage_of(error, result.attempts)
            attributes["mulligan.code"] = plain(error.code)
            attributes["mulligan.effect"] = error.effect
            attributes["mulligan.fatal"] = result.fatal
            attributes["mulligan.rule"] = plain(error.rule)
            attributes["mulligan.feedback.length"] = len(result.content)
        if self._capture:
            attributes["gen_ai.tool.call.arguments"] = call.event.arguments or event.arguments
            attributes["gen_ai.tool.call.result"] = _shown(result.content, _CONTENT_CHARS, event.redact)
        return attributes

    def _describe_tool(self, tool: Tool) -> tuple[str, dict[str, Any]]:
        """The name of the span and the attributes of every call of a tool."""
        name = self._redact(show_name(tool.name))[:_NAME_CHARS]
        attributes: dict[str, Any] = {**_unknown(name)[1], "gen_ai.tool.type": tool.tool_type, "mulligan.attempts": 1}
        if tool.description:
            attributes["gen_ai.tool.description"] = _shown(tool.description, _CONTENT_CHARS, self._redact)
        return f"{OPERATION} {name}", attributes

    def _call_of(self, event: _Located) -> _Call | None:
        """The current call, if the event is about it."""
        call = _current()
        while call is not None and call.owner is not self:
            call = call.outer
        if call is None or call.event.call_id != event.call_id or call.event.session_id != event.session_id:
            return None
        return call


def _current() -> _Call | None:
    call = context.get_value(_KEY)
    return call if isinstance(call, _Call) else None


def _end(call: _Call) -> None:
    """Ends the spans of a call. Even if an exporter fails, the previous context is restored."""
    try:
        if call.attempt is not None:
            _end_attempt(call, None)
    finally:
        try:
            call.span.end()
        finally:
            _detach(call)


def _detach(call: _Call) -> None:
    if _current() is not call:
        call.is_below = True
        return
    context.detach(call.token)
    outer = call.outer
    while outer is not None and outer.is_below:
        context.detach(outer.token)
        outer = outer.outer


def _end_attempt(call: _Call, error: ToolError | None) -> None:
    assert call.attempt is not None
    (span, token), call.attempt = call.attempt, None
    try:
        if error is not None:
            _set_error(span, error)
        span.end()
    finally:
        context.detach(token)


def _shown(value: Any, limit: int, redact: Callable[[str], str]) -> str:
    """The beginning of a foreign text, without secrets, in a form that any exporter can encode."""
    return clean(redact(safe_str(value, _READ * limit)))[:limit]


def _unknown(name: str) -> tuple[str, dict[str, Any]]:
    """The name of the span and the attributes of a call about which nothing else is known."""
    attributes = {
        "gen_ai.operation.name": OPERATION,
        "gen_ai.tool.name": name,
        "openinference.span.kind": "TOOL",
        "mulligan.repairs": 0,
    }
    return f"{OPERATION} {name}", attributes


def _set_error(span: Span, error: ToolError) -> None:
    name = plain(type(error).__name__)
    span.set_attribute("error.type", name)
    span.set_status(Status(StatusCode.ERROR, name))
