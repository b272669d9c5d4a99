"""Log lines: what a pipeline writes of what happens, and how severe it is. Only redacted text, never an exception object."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.errors import UsageError
from mulligan.events import (
    ApprovalDecided,
    ApprovalRequested,
    AttemptFailed,
    BudgetSpent,
    CallAbandoned,
    CallFinished,
    Event,
    Notice,
    PluginFaulted,
    StepFinished,
)
from mulligan.hookimpl import hookimpl
from mulligan.pipeline.log_sinks import SINKS, LogLine, Sink
from mulligan.results import ToolResult
from mulligan.untrusted.text import clean, safe_str

LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR")
_UNCLASSIFIED = "host:unclassified"
_MOST_CAUSES = 5
_CAUSE = BaseException.__cause__.__get__  # type: ignore[union-attr]


class TextRenderer(Protocol):
    """What log lines need of the pipeline's renderer. A protocol, since a built-in plugin imports public names only."""

    @property
    def sanitize_line(self) -> Callable[[str], str]:
        """Makes one clean, redacted, bounded line of a text."""

    def display_name(self, call: ToolCall) -> str:
        """The name that was called, redacted and safe to show."""


class Logging:
    """The built-in observer that writes lines.

    Args:
        renderer: makes clean, redacted, bounded lines of foreign texts.

    Attributes:
        only_failures: whether it needs no event of a call that succeeds.
    """

    def __init__(self, renderer: TextRenderer) -> None:
        self._renderer = renderer
        self._sink_name = "logging"
        self._sink: Sink | None = None
        self._lowest = 0
        self.only_failures = True

    def set(self, level: str, sink: str) -> None:
        """Writes lines of this level and above to this sink from now on, also of calls that succeed.

        Args:
            level: `INFO`, `SUCCESS`, `WARNING`, `ERROR`, or `OFF` for no line at all.
            sink: `loguru`, `logging` or `json`.

        Raises:
            UsageError: no such level or sink.
        """
        if level not in (*LEVELS, "OFF"):
            raise UsageError(f"unknown log level {level!r}; available: {', '.join(LEVELS)}, OFF")
        if sink not in SINKS:
            raise UsageError(f"unknown log sink {sink!r}; available: {', '.join(SINKS)}")
        self._lowest = (*LEVELS, "OFF").index(level)
        self.only_failures = self._lowest > LEVELS.index("SUCCESS")
        if sink != self._sink_name or self._sink is None:
            self._sink_name, self._sink = sink, SINKS[sink]()

    @hookimpl(trylast=True)
    def observe(self, event: Event) -> None:
        """Writes a line for each event that has a reader and a level that is on."""
        read = _READERS.get(type(event))
        if read is None or self._lowest == len(LEVELS):
            return
        level = read.level(event)
        if level is None or LEVELS.index(level) < self._lowest or (level == "SUCCESS" and self.only_failures):
            return
        if self._sink is None:
            self._sink = SINKS[self._sink_name]()
        if self._sink.is_on(level):
            self._sink.write(read.line(level, event, self._renderer))


class _Reader(NamedTuple):
    """How the line of an event is made.

    Attributes:
        level: how severe it is; None for no line.
        line: the line.
    """

    level: Callable[[Any], str | None]
    line: Callable[[str, Any, TextRenderer], LogLine]


def _level_of_result(event: CallFinished) -> str:
    if not event.is_error:
        return "SUCCESS"
    result = event.result
    if result.fatal:
        return "ERROR"
    return "WARNING" if result.error is not None and result.error.rule == _UNCLASSIFIED else "INFO"


def _line_of_result(level: str, event: CallFinished, renderer: TextRenderer) -> LogLine:
    result, error = event.result, event.result.error
    renderer = _renderer_of(result, renderer)
    name, inputs = renderer.display_name(result.call), event.arguments
    fields: dict[str, Any] = {
        **_position(renderer, event, "call_finished", name),
        "call_id": _safe_id(renderer, event.call_id),
        "attempts": result.attempts,
        "duration": round(result.duration, 6),
        "invalid": result.invalid,
        "inputs": inputs,
    }
    label = _label(renderer, event, name)
    if result.repairs:
        fields["repairs"] = [f"{repair.before} was read as {repair.after}" for repair in result.repairs]
    extras = [f"inputs: {inputs or 'none'}", *(renderer.sanitize_line(text) for text in fields.get("repairs", ()))]
    retried = _failed_before(result, renderer)
    if retried:
        extras.append(f"attempts: {result.attempts}, after {retried}")
    if error is None:
        outcome = f"ended after {result.duration:.3f} s, {len(result.content)} characters"
        return LogLine(level, f"{label} {outcome}; {'; '.join(extras)}", fields)
    fields.update(
        error=type(error).__name__, code=error.code, rule=renderer.sanitize_line(error.rule or ""), fatal=result.fatal
    )
    default = "" if result.feedback is None else result.feedback.message
    message = renderer.sanitize_line(error.message or default).rstrip(".")
    outcome = "was not run" if result.attempts == 0 else f"failed after {result.duration:.3f} s"
    text = f"{label} {outcome}: {type(error).__name__}: {message}; {'; '.join(extras)}"
    details = () if level == "INFO" else _details(result, renderer)
    return LogLine(level, text, fields, details)


def _failed_before(result: ToolResult, renderer: TextRenderer) -> str:
    """The failures of the attempts before the last one."""
    errors = [
        event.error for event in result.events if isinstance(event, AttemptFailed) and event.attempt < result.attempts
    ]
    return ", ".join(
        f"{type(error).__name__}: {renderer.sanitize_line(error.message or type(error).user_message)}"
        for error in errors[-3:]
    )


def _details(result: ToolResult, renderer: TextRenderer) -> tuple[str, ...]:
    """The tool's own exception with its causes and, for a crash, the frames of the tool's code."""
    error = result.error
    assert error is not None
    lines = [f"{'caused by ' if place else ''}{line}" for place, line in enumerate(_causes(error, renderer))]
    failed = next((event for event in reversed(result.events) if isinstance(event, AttemptFailed)), None)
    if failed is not None and error.rule == _UNCLASSIFIED:
        lines += clean(failed.traceback).splitlines()
    return tuple(lines)


def _causes(error: BaseException, renderer: TextRenderer) -> Iterator[str]:
    """The exceptions behind an error, the nearest first."""
    cause = error.__cause__
    for _ in range(_MOST_CAUSES):
        if cause is None:
            return
        yield renderer.sanitize_line(f"{Failure(cause).type_name}: {safe_str(cause, 300)}")
        cause = _CAUSE(cause)


def _line_of_step(level: str, event: StepFinished, renderer: TextRenderer) -> LogLine:
    labels = [
        f"{name}{_id_label(_renderer_of(result, renderer), result.call.id)}"
        for name, result in zip(event.names, event.results, strict=True)
    ]
    marked = {"invalid": event.invalid, "repaired": event.repaired, "failed": event.failed}
    calls = []
    for label, result in zip(labels, event.results, strict=True):
        marks = [word for word, results in marked.items() if any(marked_result is result for marked_result in results)]
        calls.append(f"{label} {', '.join(marks)}" if marks else label)
    number = f"step {event.step}" if event.step else "step"
    text = f"{_session(renderer, event)}{number} ended after {event.duration:.3f} s: {'; '.join(calls)}"
    fields = {
        **_position(renderer, event, "step_finished"),
        "tools": list(event.names),
        "call_ids": [_safe_id(renderer, id) for id in event.ids],
        **{word: [_safe_id(renderer, result.call.id) for result in results] for word, results in marked.items()},
        "fatal": event.fatal,
        "duration": round(event.duration, 6),
    }
    return LogLine(level, text, fields)


def _line_of_notice(level: str, event: Notice, renderer: TextRenderer) -> LogLine:
    text = renderer.sanitize_line(event.text)
    fields = {**_position(renderer, event, "notice"), "text": text, "fatal": event.fatal}
    return LogLine(level, f"{_session(renderer, event)}for the user: {text}", fields)


def _line_of_abandoned(level: str, event: CallAbandoned, renderer: TextRenderer) -> LogLine:
    fields = _position(renderer, event, "call_abandoned", event.tool_name)
    return LogLine(level, f"{_label(renderer, event, event.tool_name)} ended without an answer", fields)


def _line_of_budget(level: str, event: BudgetSpent, renderer: TextRenderer) -> LogLine:
    whose = "the conversation" if event.tool is None else renderer.sanitize_line(event.tool)
    what = f"the budget of {whose} is exhausted ({event.limit:g} {event.part})"
    fields = {**_position(renderer, event, "budget_spent", event.tool_name), "part": event.part, "limit": event.limit}
    return LogLine(level, f"{_label(renderer, event, event.tool_name)}: {what}", fields)


def _line_of_request(level: str, event: ApprovalRequested, renderer: TextRenderer) -> LogLine:
    reason = renderer.sanitize_line(event.reason)
    fields = {**_position(renderer, event, "approval_requested", event.tool_name), "reason": reason}
    text = f"{_label(renderer, event, event.tool_name)} needs approval{f': {reason}' if reason else ''}"
    return LogLine(level, text, fields)


def _line_of_decision(level: str, event: ApprovalDecided, renderer: TextRenderer) -> LogLine:
    detail = renderer.sanitize_line(event.reason or (f"with {event.arguments}" if event.arguments else ""))
    fields = {
        **_position(renderer, event, "approval_decided", event.tool_name),
        "decision": event.decision,
        "detail": detail,
    }
    text = f"{_label(renderer, event, event.tool_name)} was {event.decision}{f': {detail}' if detail else ''}"
    return LogLine(level, text, fields)


def _line_of_fault(level: str, event: PluginFaulted, renderer: TextRenderer) -> LogLine:
    error, plugin = renderer.sanitize_line(event.error), renderer.sanitize_line(event.plugin)
    text = f"plugin {plugin}, hook {event.hook}: {error}{'; the plugin is disabled' if event.set_aside else ''}"
    fields = {"event": "plugin_faulted", "plugin": plugin, "hook": event.hook, "error": error}
    return LogLine(level, text, {**fields, "disabled": event.set_aside})


def _renderer_of(result: ToolResult, default: TextRenderer) -> TextRenderer:
    """The renderer that also hides the secrets of the result's own call."""
    source: Any = result._source  # noqa: SLF001 - a result shows it to no one else
    return default if source is None else source


def _position(renderer: TextRenderer, event: Any, kind: str, tool: str | None = None) -> dict[str, Any]:
    fields: dict[str, Any] = {"event": kind, "session_id": _safe_id(renderer, event.session_id), "step": event.step}
    return fields if tool is None else {**fields, "tool": tool}


def _label(renderer: TextRenderer, event: Any, name: str) -> str:
    return f"{_session(renderer, event)}{renderer.sanitize_line(name)}{_id_label(renderer, event.call_id)}"


def _id_label(renderer: TextRenderer, id: Any) -> str:
    return "" if id is None else f" ({_safe_id(renderer, id)})"


def _safe_id(renderer: TextRenderer, id: Any) -> str | None:
    return None if id is None else renderer.sanitize_line(safe_str(id, 100))


def _session(renderer: TextRenderer, event: Any) -> str:
    return "" if event.session_id is None else f"[{renderer.sanitize_line(safe_str(event.session_id, 100))}] "


_READERS: Mapping[type, _Reader] = {
    CallFinished: _Reader(_level_of_result, _line_of_result),
    CallAbandoned: _Reader(lambda _: "INFO", _line_of_abandoned),
    StepFinished: _Reader(lambda _: "INFO", _line_of_step),
    Notice: _Reader(lambda _: "INFO", _line_of_notice),
    BudgetSpent: _Reader(lambda _: "INFO", _line_of_budget),
    ApprovalRequested: _Reader(lambda _: "INFO", _line_of_request),
    ApprovalDecided: _Reader(lambda _: "INFO", _line_of_decision),
    PluginFaulted: _Reader(lambda _: "ERROR", _line_of_fault),
}


def env_level() -> str | None:
    """The level that `MULLIGAN_LOG` asks for: `1` for `INFO`, `0` or `off` for `OFF`; None if it is not set.

    Raises:
        UsageError: no such level.
    """
    value = os.environ.get("MULLIGAN_LOG", "")
    level = {"1": "INFO", "0": "OFF"}.get(value, value.upper())
    if not level:
        return None
    if level not in (*LEVELS, "OFF"):
        raise UsageError(f"MULLIGAN_LOG={value!r}: unknown log level; use one of {', '.join(LEVELS)}, OFF")
    return level
