"""Results of tool calls: `ToolResult`, one for each call, and `Answers`, the messages that answer one of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from mulligan import standalone
from mulligan.calls import CallEvent, Repair, ToolCall
from mulligan.catalogue import ENGLISH
from mulligan.errors import (
    RepeatedCallError,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    UsageError,
)
from mulligan.feedback import Feedback, body
from mulligan.policy import Limits
from mulligan.secrets import REDACTED
from mulligan.standalone import MessageShape
from mulligan.untrusted.text import safe_repr, safe_str, show_name

if TYPE_CHECKING:
    from mulligan.secrets.redaction import Redactor
    from mulligan.tools import Tool


class Source(Protocol):
    """The pipeline's part that a result came from.

    Attributes:
        redactor: removes secrets.
        dialects: the message shapes by name.
        any_may_be_secret: whether any argument of the call may be secret, since no tool has its name.
    """

    redactor: Redactor
    dialects: Mapping[str, Any]
    any_may_be_secret: bool


@attrs.define(eq=False, repr=False)
class ToolResult:
    """The one answer to one tool call.

    Attributes:
        call: the call that was made; after a repair, the repaired one.
        tool: the tool it was resolved to, or None.
        is_error: whether the call failed.
        value: what the tool returned; None after a failure.
        error: what the failure means, or None.
        fatal: whether the run must stop.
        feedback: the parts of the text that the model reads, or None after a success.
        content: what the model reads, always text.
        attempts: how often the tool was run; 0 when it never was.
        repairs: what was repaired before it ran.
        duration: seconds from call to result.
        events: the events of the call, except start and finish.
    """

    call: ToolCall
    tool: Tool | None = None
    is_error: bool = False
    value: Any = None
    error: ToolError | None = None
    fatal: bool = False
    feedback: Feedback | None = None
    content: str = ""
    attempts: int = 0
    repairs: tuple[Repair, ...] = ()
    duration: float = 0.0
    events: tuple[CallEvent, ...] = ()
    _source: Source | None = None

    @classmethod
    def from_error(cls, error: ToolError | str, *, call: ToolCall | None = None) -> ToolResult:
        """A result that reports an error, rendered as in a default pipeline. It lists only what the error knows.

        Args:
            error: what went wrong. A text, such as `str(exc)`, may come from anyone, so it is quoted; for your own
                text, pass a `ToolError`.
            call: the call that failed; without it, one is made from the error's attributes.

        Raises:
            UsageError: `error` is neither a text nor a `ToolError`.
        """
        from mulligan.secrets.redaction import truncate

        text = None
        if isinstance(error, str):
            text = str.__str__(error)
            error = ToolExecutionError("The tool failed.", tool_name=None if call is None else call.name)
        if not isinstance(error, ToolError):
            raise UsageError(
                f"ToolResult.from_error() takes a ToolError or a string, not {safe_repr(error)}; "
                "Pipeline.recover() takes any exception"
            )
        call = call or ToolCall(error.call_id, error.tool_name or "", None)
        feedback = standalone.load().feedback(error, call, text)
        if call.name and not isinstance(error, ToolNotFoundError):
            feedback.headline = ENGLISH["headline"].format(tool=feedback.tool_name, message=feedback.message)
        content = truncate("\n".join([feedback.headline, *body(feedback)]), Limits().feedback_chars)
        return cls(call, None, True, None, error, error.fatal, feedback, content)

    def __copy__(self) -> ToolResult:
        return ToolResult(
            self.call,
            self.tool,
            self.is_error,
            self.value,
            self.error,
            self.fatal,
            self.feedback,
            self.content,
            self.attempts,
            self.repairs,
            self.duration,
            self.events,
            self._source,
        )

    @property
    def invalid(self) -> bool:
        """Whether the call named no tool, or its arguments did not fit, so that nothing was run for it."""
        error = self.error
        if error is None or self.attempts:
            return False
        if isinstance(error, RepeatedCallError):
            return self.tool is None or isinstance(error.__cause__, ToolArgumentError)
        return isinstance(error, (ToolArgumentError, ToolNotFoundError))

    def raise_if_fatal(self) -> ToolResult:
        """Returns itself, so that it can be chained.

        Raises:
            ToolError: the result's error, if it is fatal.
        """
        if self.fatal and self.error is not None:
            raise self.error
        return self

    def message(self, dialect: str | MessageShape = "openai") -> dict[str, Any]:
        """The provider's message that answers the call.

        Args:
            dialect: the message shape, or its name.

        Raises:
            UsageError: no dialect of that name.
        """
        known = self._source.dialects if self._source else None
        return standalone.load().shape(dialect, known).message(self)

    def without_secrets(self, sent: Any) -> Any:
        """The arguments with secrets replaced by a mark, for a message that repeats them.

        Args:
            sent: the arguments as JSON values, or their text.
        """
        from mulligan.secrets.arguments import redact_arguments

        redactor = _redactor_of(self._source)
        secret = () if self.tool is None else self.tool.secret
        any_may_be_secret = self._source is not None and self._source.any_may_be_secret
        if any_may_be_secret or (secret and isinstance(self.error, ToolArgumentError)):  # a misplaced one may be secret
            return dict.fromkeys(sent, REDACTED) if isinstance(sent, dict) else REDACTED
        try:
            return redact_arguments(sent, secret, redactor.redact_values)
        except RecursionError:
            return REDACTED

    def to_dict(self) -> dict[str, Any]:
        """Everything about the result as JSON values, redacted."""
        redact = _redactor_of(self._source).redact
        return {
            "call": {"id": self.call.id, "name": show_name(redact(safe_str(self.call.name)))},
            "is_error": self.is_error,
            "fatal": self.fatal,
            "content": self.content if self.is_error else redact(self.content),
            "error": None if self.error is None else _error_to_dict(self.error, self.feedback, redact),
            "attempts": self.attempts,
            "repairs": [attrs.asdict(repair) for repair in self.repairs],
            "duration": self.duration,
        }

    def __repr__(self) -> str:
        what = type(self.error).__name__ if self.error is not None else "ok"
        name = self.call.name if self.tool is not None and self.tool.name == self.call.name else self._display_name()
        return f"ToolResult({name!r}, id={self.call.id!r}, {what}, fatal={self.fatal})"

    def _display_name(self) -> str:
        """The name that was called, which may be anything if no tool has it."""
        if self.feedback is not None:
            return self.feedback.tool_name
        return _redactor_of(None).redact(safe_str(self.call.name))


def _redactor_of(source: Source | None) -> Redactor:
    """What removes secrets from the texts of a result, also of one that was made outside a pipeline."""
    if source is not None:
        return source.redactor
    from mulligan.secrets.redaction import Redactor

    return Redactor()


def _error_to_dict(error: ToolError, feedback: Feedback | None, redact: Callable[[str], str]) -> dict[str, Any]:
    problems = error.problems if feedback is None else feedback.problems
    return {
        "type": type(error).__name__,
        "code": error.code,
        "message": redact(error.message),
        "user_message": redact(error.user_message),
        "resource": None if error.resource is None else redact(error.resource),
        "retry_after": error.retry_after,
        "http_status": error.http_status,
        "provider": error.provider,
        "transient": error.transient,
        "effect": error.effect,
        "rule": error.rule,
        "problems": [problem._asdict() for problem in problems],
    }


class Answers(list[dict[str, Any]]):
    """The messages that answer one message of a model, in the provider's shape.

    Attributes:
        results: the result of each tool call, in order.
    """

    def __init__(self, messages: Iterable[dict[str, Any]] = (), results: Iterable[ToolResult] = ()) -> None:
        super().__init__(messages)
        self.results = tuple(results)

    @property
    def fatal(self) -> bool:
        """Whether the failure of one of the calls is fatal, so that the run must stop."""
        return any(result.fatal for result in self.results)

    def raise_if_fatal(self) -> Answers:
        """Returns itself; every call is answered already, so the transcript can be completed first.

        Raises:
            ToolError: the error of the first fatal result.
        """
        for result in self.results:
            result.raise_if_fatal()
        return self
