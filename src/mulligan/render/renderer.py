"""What a pipeline may show of a call: its formats and dialects, and texts without secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.calls import Repair, ToolCall
from mulligan.classify.classifier import redacted_error
from mulligan.classify.failure import Failure
from mulligan.copies import copy_error
from mulligan.dialects import Dialect
from mulligan.errors import ToolArgumentError, ToolError, UsageError
from mulligan.feedback import FeedbackFormat
from mulligan.lazy import lazy
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.secrets.arguments import SecretNames, outline, redact_arguments
from mulligan.secrets.redaction import Redactor, truncate
from mulligan.secrets.values import short_secrets_of
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import clean, is_name, safe_str
from mulligan.validate.arguments import dump, read_arguments
from mulligan.validate.schema_errors import SchemaError

if TYPE_CHECKING:
    from mulligan.render.composer import FeedbackComposer

_SHOWN_CHARS = 200
_DERIVED_FROM_REDACTOR = ("composer", "sanitize_line")


class Renderer:
    """Shows calls and errors: the formats and dialects of one pipeline, without secrets.

    Args:
        policy: how much of a foreign text the model reads.
        limits: bounds.
        redactor: removes secrets.

    Attributes:
        redactor: removes secrets.
        formats: the feedback formats by name.
        format: the default.
        dialects: the message shapes by name.
        any_may_be_secret: whether any argument of the call may be secret, since no tool has its name.
        on_silent_format: called with a format that returned no text, so that the text format was used.
    """

    def __init__(self, policy: Policy, limits: Limits, redactor: Redactor) -> None:
        self._policy = policy
        self._limits = limits
        self.redactor = redactor
        self.formats: Mapping[str, FeedbackFormat] = {}
        self.format: FeedbackFormat | None = None
        self.dialects: Mapping[str, Dialect] = {}
        self.any_may_be_secret = False
        self.on_silent_format: Callable[[FeedbackFormat], None] = lambda _: None

    @lazy
    def composer(self) -> FeedbackComposer:
        """Makes the parts of a feedback."""
        from mulligan.render.composer import FeedbackComposer

        return FeedbackComposer(self._policy, self._limits, self.redactor)

    @lazy
    def sanitize_line(self) -> Callable[[str], str]:
        """Makes one clean, redacted, bounded line of a foreign text."""
        return self.composer.sanitize_line

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

    def display_name(self, call: ToolCall) -> str:
        """The name that was called, redacted and safe to show.

        Args:
            call: the call.
        """
        return self.composer.display_name(call)

    def redacted_error(self, error: ToolError) -> ToolError:
        """The error with its texts redacted; a copy if it holds any secrets.

        Args:
            error: what the failure means.
        """
        return redacted_error(error, self.redactor.redact)

    def may_suggest(self, missing: str, name: str) -> bool:
        """Whether a resource's name may appear in our own text: it holds no secret and is not a sentence.

        Args:
            missing: the name of the resource that does not exist, or nothing.
            name: the other name.
        """
        return self.redactor.redact(name) == name and is_name(name, missing, blanks=2)

    def hide_secrets(self, call: ToolCall, tool: Tool | None, toolset: Toolset, arguments: Any) -> Renderer:
        """Remembers the secrets of a call, including misplaced ones.

        Args:
            call: the call.
            tool: its tool, or None; then every tool's secret arguments count.
            toolset: the tools.
            arguments: the arguments as JSON values; None if they are not read yet.

        Returns:
            The renderer for this call: itself, or one that also hides the call's short secrets.
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
        any_may_be_secret = tool is None and bool(names)
        if not short and not any_may_be_secret:
            return self
        other = object.__new__(Renderer)
        vars(other).update(vars(self), any_may_be_secret=any_may_be_secret)
        if short:
            other.redactor = self.redactor.with_values(short)
        for name in _DERIVED_FROM_REDACTOR:
            vars(other).pop(name, None)
        return other

    def describe_repairs(
        self, sent: ToolCall, read: ToolCall, tools: tuple[Tool | None, Tool | None], toolset: Toolset
    ) -> tuple[Repair, ...]:
        """What was read differently from how it was sent.

        Args:
            sent: the call as the model sent it.
            read: the call after the repair.
            tools: their tools; None if no tool has the name that was sent.
            toolset: all tools.
        """
        repairs = []
        if sent.name != read.name:
            repairs.append(Repair("name", f"tool {self.display_name(sent)}", self.display_name(read)))
        spaced = read._replace(arguments=_spaced_json(read.arguments))  # as models write it
        if sent.arguments != read.arguments and _spaced_json(sent.arguments) != spaced.arguments:
            before, after = tools
            shown = self.display_arguments(sent, before, toolset), self.display_arguments(spaced, after, toolset)
            repairs.append(Repair("arguments", *shown, _is_json(sent.arguments)))
        return tuple(repairs)

    def display_arguments(self, call: ToolCall, tool: Tool | None, toolset: Toolset) -> str:
        """The arguments of a call as one short, redacted line.

        If some of them are secret and the call does not match its tool, it is unclear which; the line then has only their
        names and types.

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

    def attempt_details(self, error: ToolError, failure: Failure) -> tuple[ToolError, str]:
        """The error of an attempt that failed, and its traceback, both without secrets.

        Args:
            error: what the failure means.
            failure: what happened.
        """
        return copy_error(self.redacted_error(error)), self.redactor.redact(failure.traceback)


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
