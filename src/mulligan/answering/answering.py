"""Makes the results of one pipeline: errors are completed, classified, worded and rendered here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mulligan.answering.classification import Classifier, sealed
from mulligan.answering.rendering import rendered
from mulligan.arguments.reading import dump, read_arguments
from mulligan.calls import Repair, ToolCall
from mulligan.dialects import Dialect
from mulligan.errors import (
    PluginError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolNotFoundError,
    UsageError,
)
from mulligan.events import AttemptFailed
from mulligan.failures.failure import Failure
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.foreign.containment import clean, is_name, safe_str
from mulligan.foreign.facts import guarded
from mulligan.foreign.values import as_content
from mulligan.plugging.copies import copied_error
from mulligan.policy import Limits, Policy
from mulligan.results import ToolResult
from mulligan.secrets.redaction import Redactor, cut
from mulligan.suggesting.nearby import near_resources
from mulligan.tools import Tool
from mulligan.toolset import Toolset
from mulligan.wording.correction import Correction, correct
from mulligan.wording.wording import Wording, says_the_same

if TYPE_CHECKING:
    from mulligan.running.invocation import Invocation

_SHOWN = 200
_NOTE = 60


class Answering:
    """Makes results.

    Args:
        policy: what counts as fatal, and how much of a foreign text is told.
        limits: bounds.
        redactor: removes secrets.

    Attributes:
        redactor: removes secrets.
        line: makes one clean, redacted, bounded line of a foreign text.
        classifier: says what failures mean.
        formats: the feedback formats by name.
        format: the one that is used where nobody asked for another.
        dialects: the message shapes by name.
        on_silence: called with a format that gave no text, so that the text format was taken.
    """

    def __init__(self, policy: Policy, limits: Limits, redactor: Redactor) -> None:
        self.classifier = Classifier(policy)
        self._limits = limits
        self.redactor = redactor
        self._wording = Wording(policy, limits, redactor)
        self.line: Callable[[str], str] = self._wording.line
        self.formats: Mapping[str, FeedbackFormat] = {}
        self.format: FeedbackFormat | None = None
        self.dialects: Mapping[str, Dialect] = {}
        self.on_silence: Callable[[FeedbackFormat], None] = lambda _: None

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """A result that is pickled leaves its pipeline behind."""
        return type(None), ()

    def format_named(self, format: Any) -> FeedbackFormat:
        """The feedback format of that name.

        Args:
            format: a name, or the format itself.

        Raises:
            UsageError: there is none of that name.
        """
        if isinstance(format, FeedbackFormat):
            return format
        if not isinstance(format, str) or format not in self.formats:
            raise UsageError(f"unknown feedback format {format!r}; there are {', '.join(sorted(self.formats))}")
        return self.formats[format]

    def not_found(self, call: ToolCall, toolset: Toolset) -> ToolNotFoundError:
        """The error for a name that no tool has.

        Args:
            call: the call.
            toolset: the tools.
        """
        shown = self.shown_name(call)
        error = ToolNotFoundError(f"Tool '{shown}' not found.", rule="host:unknown-name")
        try:
            arguments = read_arguments(call.arguments, self._limits)
        except ToolArgumentError:
            arguments = {}
        error.suggestions, error.confident = toolset.suggest(safe_str(call.name, 400), arguments)
        return error

    def failed(self, state: Invocation, error: ToolError, note: str = "") -> ToolResult:
        """The result of a call that failed. It always comes back, whatever is wrong with the words.

        Args:
            state: the call.
            error: what the failure means.
            note: a sentence on how often this has happened, or nothing.
        """
        error = self.classifier.complete(error, state.call, state.tool, state.arguments)
        if isinstance(error, ResourceNotFoundError):
            self._add_near(error, state.tool, state.arguments or {})
            error.suggestions = tuple(filter(partial(self._may_suggest, error.resource or ""), error.suggestions))
        try:
            feedback, content = self._worded(state, error, note)
        except PluginError:
            raise
        except Exception:
            feedback, content = None, f"Error: the tool failed ({type(error).__name__})."
        if feedback is None or not says_the_same(feedback, error):
            error = self.sealed(error)
            if feedback is not None:
                error.user_message = feedback.user_message
        return ToolResult(
            state.call,
            state.tool,
            True,
            None,
            error,
            error.fatal,
            feedback,
            content,
            state.attempts,
            state.repairs,
            0.0,
            state.events,
            self,
        )

    def _may_suggest(self, missing: str, name: str) -> bool:
        """Whether a thing's name can stand among our own words: it holds no secret and is no sentence."""
        return self.redactor.redact(name) == name and is_name(name, missing, blanks=2)

    def shown_name(self, call: ToolCall) -> str:
        """The name that was called, redacted and safe to show.

        Args:
            call: the call.
        """
        return self._wording.shown_name(call)

    def sealed(self, error: ToolError) -> ToolError:
        """The error without secrets in what it says: a copy, where it says any.

        Args:
            error: what the failure means.
        """
        return sealed(error, self.redactor.redact)

    def _add_near(self, error: ResourceNotFoundError, tool: Tool | None, arguments: Mapping[str, Any]) -> None:
        if tool is not None and tool.resources is not None and error.resource and not error.suggestions:
            error.suggestions = near_resources(tool, arguments, error.resource)

    def _worded(self, state: Invocation, error: ToolError, note: str) -> tuple[Feedback, str]:
        tool = state.tool
        failure = state.failure
        hints = state.stages.hints(error, failure)
        correction = guarded(lambda: self._correction(state, error))
        if correction is not None and isinstance(error, ToolArgumentError) and error.corrected is None:
            error.corrected = correction.arguments
        feedback = self._wording.compose(
            error,
            state.call,
            tool,
            correction=correction,
            failure=failure,
            tools=state.host.toolset if isinstance(error, ToolNotFoundError) else None,
            hints=hints,
            repairs=state.repairs,
            note=note,
        )
        wanted = (tool.format if tool is not None else None) or state.format
        known = wanted if isinstance(wanted, FeedbackFormat) else self.formats.get(wanted or "")
        return rendered(feedback, known or self.format, state.stages, self._limits, self.on_silence)

    def _correction(self, state: Invocation, error: ToolError) -> Correction | None:
        """The corrected call; none is worked out of a text that holds a secret."""
        failure = state.failure
        mendable = isinstance(error, (ResourceNotFoundError, ToolArgumentError))
        if failure is not None and mendable and self.redactor.redact(failure.text) != failure.text:
            return None
        return correct(error, state.call, state.tool, failure, state.host.toolset, self._limits)

    def register_secrets(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Remembers the values of a tool's secret arguments, so that no text shows them.

        Args:
            tool: the tool.
            arguments: its arguments as JSON values.
        """
        for name in tool.secret:
            if name in arguments:
                self.redactor.register(arguments[name])

    def succeeded(self, state: Invocation, value: Any) -> ToolResult:
        """The result of a call that ended well.

        Args:
            state: the call.
            value: what the tool returned.

        Raises:
            ToolExecutionError: the value cannot be written as text.
        """
        content = as_content(value)
        limit = self._limits.result_chars
        if limit is not None and len(content) > limit:
            content = shortened(content, limit)
        if state.repairs:
            content = "\n".join([content, *self._wording.repair_notes(state.repairs)])
        return ToolResult(
            state.call,
            state.tool,
            False,
            value,
            None,
            False,
            None,
            content,
            state.attempts,
            state.repairs,
            0.0,
            state.events,
            self,
        )

    def repairs(self, sent: ToolCall, read: ToolCall) -> tuple[Repair, ...]:
        """What was read differently from how it was sent.

        Args:
            sent: the call as the model sent it.
            read: the call after the repair.
        """
        found = []
        if sent.name != read.name:
            found.append(Repair("name", f"tool {self.shown_name(sent)}", self.shown_name(read)))
        spaced = read._replace(arguments=_spaced(read.arguments))  # as models write it
        if sent.arguments != read.arguments and _spaced(sent.arguments) != spaced.arguments:
            before, after = self.shown_arguments(sent), self.shown_arguments(spaced)
            found.append(Repair("arguments", before, after, _is_json(sent.arguments)))
        return tuple(found)

    def shown_arguments(self, call: ToolCall, tool: Tool | None = None) -> str:
        """The arguments of a call as one short, redacted line.

        Args:
            call: the call.
            tool: its tool, whose secret arguments are registered first.
        """
        if tool is not None and tool.secret:
            try:
                self.register_secrets(tool, read_arguments(call.arguments, self._limits))
            except ToolArgumentError:
                return "(not shown: they cannot be read, and some of them are secret)"
        text = call.arguments if isinstance(call.arguments, str) else _as_json(call.arguments)
        return cut(clean(self.redactor.redact(text[: 4 * _SHOWN]), newlines=False), _SHOWN)

    def attempt_failed(self, call: ToolCall, attempt: int, error: ToolError, failure: Failure) -> AttemptFailed:
        """The event for an attempt that failed.

        Args:
            call: the call.
            attempt: which attempt it was, counted from 1.
            error: what the failure means.
            failure: what happened.
        """
        return AttemptFailed(
            call.id,
            call.name,
            attempt,
            lambda: (copied_error(self.sealed(error)), self.redactor.redact(failure.traceback)),
        )


def shortened(content: str, limit: int) -> str:
    """A result that is longer than `limit` characters, with a line that says how much was left out."""
    if limit <= _NOTE:
        return cut(content, limit)
    kept = cut(content, limit - _NOTE)
    left_out = len(content) - len(kept.rstrip("…"))
    return f"{kept}\n[{left_out:,} of {len(content):,} characters left out]"


def _spaced(arguments: Any) -> Any:
    import json

    def written() -> str:
        return json.dumps(
            json.loads(arguments) if isinstance(arguments, (str, bytes)) else arguments, ensure_ascii=False
        )

    return guarded(written) or arguments


def _is_json(arguments: Any) -> bool:
    import json

    if not isinstance(arguments, (str, bytes)):
        return True
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True


def _as_json(arguments: Any) -> str:
    if arguments is None:
        return ""
    try:
        return dump(arguments)
    except Exception:
        return safe_str(arguments)
