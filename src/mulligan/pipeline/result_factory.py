"""Makes the results of one pipeline: completes, classifies and renders errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mulligan.calls import Repair, ToolCall
from mulligan.classify.classifier import Classifier, redacted_error
from mulligan.classify.failure import Failure
from mulligan.copies import copy_error
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
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.policy import Limits, Policy
from mulligan.render.composer import FeedbackComposer, is_unchanged
from mulligan.render.fitting import render_to_fit
from mulligan.repair.correction import Correction, correct
from mulligan.repair.provenance import may_propose_name
from mulligan.resolve.suggestions import resource_candidates, similar_names
from mulligan.resolve.toolset import Toolset
from mulligan.results import ToolResult
from mulligan.secrets.arguments import SecretNames, outline, redact_arguments
from mulligan.secrets.redaction import Redactor, truncate
from mulligan.secrets.values import short_secrets_of
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.serialize import as_content
from mulligan.untrusted.text import clean, is_name, safe_str
from mulligan.validate.arguments import dump, read_arguments
from mulligan.validate.validator import SchemaError

if TYPE_CHECKING:
    from mulligan.pipeline.invocation import Invocation

_SHOWN_CHARS = 200
_NOTE_CHARS = 60


class ResultFactory:
    """Makes results.

    Args:
        policy: what counts as fatal, and how much of a foreign text the model reads.
        limits: bounds.
        redactor: removes secrets.

    Attributes:
        redactor: removes secrets.
        sanitize_line: makes one clean, redacted, bounded line of a foreign text.
        classifier: says what failures mean.
        formats: the feedback formats by name.
        format: the default.
        dialects: the message shapes by name.
        is_unclear: whether any argument of the call may be secret, since no tool has its name.
        on_silent_format: called with a format that returned no text, so that the text format was used.
    """

    def __init__(self, policy: Policy, limits: Limits, redactor: Redactor) -> None:
        self.classifier = Classifier(policy)
        self._policy = policy
        self._limits = limits
        self.redactor = redactor
        self._composer = FeedbackComposer(policy, limits, redactor)
        self.sanitize_line: Callable[[str], str] = self._composer.sanitize_line
        self.formats: Mapping[str, FeedbackFormat] = {}
        self.format: FeedbackFormat | None = None
        self.dialects: Mapping[str, Dialect] = {}
        self.is_unclear = False
        self.on_silent_format: Callable[[FeedbackFormat], None] = lambda _: None

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """A result that is pickled leaves its pipeline behind."""
        return type(None), ()

    def find_format(self, format: Any) -> FeedbackFormat:
        """The feedback format of that name.

        Args:
            format: a name, or the format itself.

        Raises:
            UsageError: there is none of that name.
        """
        if isinstance(format, FeedbackFormat):
            return format
        if not isinstance(format, str) or format not in self.formats:
            raise UsageError(f"unknown feedback format {format!r}; available: {', '.join(sorted(self.formats))}")
        return self.formats[format]

    def not_found_error(self, call: ToolCall, toolset: Toolset) -> ToolNotFoundError:
        """The error for a name that no tool has.

        Args:
            call: the call.
            toolset: the tools.
        """
        shown = self.display_name(call)
        error = ToolNotFoundError(f"Tool '{shown}' not found.", rule="host:unknown-name")
        try:
            arguments = read_arguments(call.arguments, self._limits)
        except ToolArgumentError:
            arguments = {}
        called = safe_str(call.name, 400)
        names, is_clear = toolset.suggest(called, arguments)
        if names:
            from mulligan.resolve.proposals import proposal
            from mulligan.resolve.words import is_ambiguous, is_same_tool

            is_clear = is_clear and sum(is_same_tool(called, name) for name in names) <= 1
            is_clear = is_clear and not is_ambiguous(called, names)
            proposals = {
                name: proposal(toolset[name], called, is_clear=is_clear and name == names[0]) for name in names
            }
            error.suggestions = tuple(name for name in names if proposals[name] and may_propose_name(name, called))
            # a name that may not be proposed is not replaced by another
            best = proposals[names[0]] if names[0] in error.suggestions else None
            error.proposal = best or "listed"
            error.confident = error.proposal == "clear"
        return error

    def failure_result(self, invocation: Invocation, error: ToolError, note: str = "") -> ToolResult:
        """The result of a call that failed. It is always returned, even if rendering fails.

        Args:
            invocation: the call.
            error: what the failure means.
            note: a sentence on how often this has happened, or nothing.
        """
        error = self.classifier.complete(error, invocation.call, invocation.tool, invocation.arguments)
        resources: tuple[str, ...] = ()
        if isinstance(error, ResourceNotFoundError):
            resources = self._near_resources(error, invocation)
            error.suggestions = resources or tuple(filter(partial(self._may_suggest, ""), error.suggestions))
        try:
            feedback, content = self._render(invocation, error, note, resources)
        except PluginError:
            raise
        except Exception:
            feedback, content = None, f"Error: the tool failed ({type(error).__name__})."
        if feedback is None or not is_unchanged(feedback, error):
            error = self.redacted_error(error)
            if feedback is not None:
                error.user_message = feedback.user_message
        return ToolResult(
            invocation.call,
            invocation.tool,
            True,
            None,
            error,
            error.fatal,
            feedback,
            content,
            invocation.attempts,
            invocation.repairs,
            0.0,
            invocation.events,
            self,
        )

    def _may_suggest(self, missing: str, name: str) -> bool:
        """Whether a resource's name may appear in our own text: it holds no secret and is not a sentence."""
        return self.redactor.redact(name) == name and is_name(name, missing, blanks=2)

    def display_name(self, call: ToolCall) -> str:
        """The name that was called, redacted and safe to show.

        Args:
            call: the call.
        """
        return self._composer.display_name(call)

    def redacted_error(self, error: ToolError) -> ToolError:
        """The error with its texts redacted; a copy if it holds any secrets.

        Args:
            error: what the failure means.
        """
        return redacted_error(error, self.redactor.redact)

    def _near_resources(self, error: ResourceNotFoundError, invocation: Invocation) -> tuple[str, ...]:
        """The names similar to a missing one that the tool's author gave, and that may appear in our own text."""
        tool = invocation.tool
        if tool is None or tool.resources is None or not error.resource:
            return ()
        listed = (
            resource_candidates(tool, invocation.arguments or {})
            if invocation.candidates is None
            else invocation.candidates
        )
        names = similar_names(error.resource, listed)
        return tuple(filter(partial(self._may_suggest, error.resource), names))

    def _render(
        self, invocation: Invocation, error: ToolError, note: str, resources: tuple[str, ...]
    ) -> tuple[Feedback, str]:
        tool = invocation.tool
        failure = invocation.failure
        hints = invocation.hooks.hints(error, failure)
        correction = call_safely(lambda: self._correction(invocation, error, resources))
        feedback = self._composer.compose(
            error,
            invocation.call,
            tool,
            correction=correction,
            failure=failure,
            tools=invocation.runtime.toolset if isinstance(error, ToolNotFoundError) else None,
            hints=hints,
            repairs=invocation.repairs,
            note=note,
            resources=resources,
        )
        wanted = (tool.format if tool is not None else None) or invocation.format
        known = wanted if isinstance(wanted, FeedbackFormat) else self.formats.get(wanted or "")
        hooks = invocation.hooks
        fitted, content = render_to_fit(
            feedback,
            known or self.format,
            self._limits,
            self.on_silent_format,
            by_hook=hooks.render_feedback if hooks.has_render else None,
            count_tokens=hooks.count_tokens,
        )
        if correction is not None and fitted.corrected:
            _keep_correction(error, correction)
        return fitted, content

    def _correction(self, invocation: Invocation, error: ToolError, resources: tuple[str, ...]) -> Correction | None:
        """The corrected call; None if the text holds a secret."""
        failure = invocation.failure
        is_correctable = isinstance(error, (ResourceNotFoundError, ToolArgumentError))
        if failure is not None and is_correctable and self.redactor.redact(failure.text) != failure.text:
            return None
        return correct(
            error, invocation.call, invocation.tool, failure, invocation.runtime.toolset, self._limits, resources
        )

    def hide_secrets(self, call: ToolCall, tool: Tool | None, toolset: Toolset, arguments: Any) -> ResultFactory:
        """Remembers the secrets of a call, including misplaced ones.

        Args:
            call: the call.
            tool: its tool, or None; then every tool's secret arguments count.
            toolset: the tools.
            arguments: the arguments as JSON values; None where they cannot be read.

        Returns:
            The factory for this call's result: itself, or one that also hides the call's short secrets.
        """
        names = toolset.secrets if tool is None or not tool.secret else _secret_names(tool)
        if arguments is None:
            try:
                arguments = read_arguments(call.arguments, self._limits)
            except ToolArgumentError:
                arguments = call.arguments
        short: set[str] = set()
        for value in names.find_values(arguments):
            self.redactor.register(value)
            short.update(short_secrets_of(value))
        is_unclear = tool is None and bool(names)
        if not short and not is_unclear:
            return self
        other = object.__new__(ResultFactory)
        vars(other).update(vars(self), is_unclear=is_unclear)
        if short:
            other.redactor = self.redactor.with_values(short)
        other._composer = FeedbackComposer(self._policy, self._limits, other.redactor)
        other.sanitize_line = other._composer.sanitize_line
        return other

    def success_result(self, invocation: Invocation, value: Any) -> ToolResult:
        """The result of a call that ended well.

        Args:
            invocation: the call.
            value: what the tool returned.

        Raises:
            ToolExecutionError: the value cannot be written as text.
        """
        content = as_content(value, invocation.deadline)
        limit = self._limits.result_chars
        if limit is not None and len(content) > limit:
            content = truncate_content(content, limit)
        if invocation.repairs:
            content = "\n".join([content, *self._composer.repair_notes(invocation.repairs)])
        return ToolResult(
            invocation.call,
            invocation.tool,
            False,
            value,
            None,
            False,
            None,
            content,
            invocation.attempts,
            invocation.repairs,
            0.0,
            invocation.events,
            self,
        )

    def describe_repairs(
        self, sent: ToolCall, read: ToolCall, tools: tuple[Tool | None, Tool], toolset: Toolset
    ) -> tuple[Repair, ...]:
        """What was read differently from how it was sent.

        Args:
            sent: the call as the model sent it.
            read: the call after the repair.
            tools: their tools; None if no tool has the name that was sent.
            toolset: all tools.
        """
        found = []
        if sent.name != read.name:
            found.append(Repair("name", f"tool {self.display_name(sent)}", self.display_name(read)))
        spaced = read._replace(arguments=_spaced_json(read.arguments))  # as models write it
        if sent.arguments != read.arguments and _spaced_json(sent.arguments) != spaced.arguments:
            before, after = tools
            shown = self.display_arguments(sent, before, toolset), self.display_arguments(spaced, after, toolset)
            found.append(Repair("arguments", *shown, _is_json(sent.arguments)))
        return tuple(found)

    def display_arguments(self, call: ToolCall, tool: Tool | None, toolset: Toolset) -> str:
        """The arguments of a call as one short, redacted line.

        Where some of them are secret, and the call does not fit its tool, it is not clear which: then the line has their
        names and types only.

        Args:
            call: the call.
            tool: its tool, or None.
            toolset: all tools.
        """
        text = call.arguments if isinstance(call.arguments, str) else None
        if toolset.secrets:
            try:
                arguments = read_arguments(call.arguments, self._limits)
            except ToolArgumentError:
                return "(not shown: invalid arguments that may contain secrets)"
            self.hide_secrets(call, tool, toolset, arguments)
            if tool is None or (tool.secret and not _is_valid(tool, arguments)):
                text = outline(arguments)
            elif tool.secret:
                text = dump(redact_arguments(arguments, tool.secret, str))
        text = _as_json(call.arguments) if text is None else text
        return truncate(clean(self.redactor.redact(text[: 4 * _SHOWN_CHARS]), newlines=False), _SHOWN_CHARS)

    def attempt_event(self, call: ToolCall, attempt: int, error: ToolError, failure: Failure) -> AttemptFailed:
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
            lambda: (copy_error(self.redacted_error(error)), self.redactor.redact(failure.traceback)),
        )


def _keep_correction(error: ToolError, correction: Correction) -> None:
    """Notes on the error which call the model was given, and where each word of it comes from."""
    fields = error.__dict__
    fields["corrected_from"] = dict(correction.sources)
    fields["_filled"] = [*fields.get("_filled", ()), "corrected_from"]
    if isinstance(error, ToolArgumentError) and error.corrected is None:
        fields["corrected"] = correction.arguments
        fields["_filled"].append("corrected")


def truncate_content(content: str, limit: int) -> str:
    """A result that is longer than `limit` characters, with a line that says how much was left out."""
    if limit <= _NOTE_CHARS:
        return truncate(content, limit)
    kept = truncate(content, limit - _NOTE_CHARS)
    left_out = len(content) - len(kept.rstrip("…"))
    return f"{kept}\n[{left_out:,} of {len(content):,} characters left out]"


def _secret_names(tool: Tool) -> SecretNames:
    return SecretNames(tool.secret, frozenset(tool.parameters.get("properties") or ()))


def _is_valid(tool: Tool, arguments: dict[str, Any]) -> bool:
    try:
        return tool.validator.is_valid(arguments)
    except SchemaError:
        return False


def _spaced_json(arguments: Any) -> Any:
    import json

    def written() -> str:
        return json.dumps(
            json.loads(arguments) if isinstance(arguments, (str, bytes)) else arguments, ensure_ascii=False
        )

    return call_safely(written) or arguments


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
