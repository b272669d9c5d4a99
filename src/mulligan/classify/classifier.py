"""Classifies failures: the tool's own error, else a plugin's. Also completes the error and decides whether it is fatal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, cast

from mulligan.calls import ToolCall
from mulligan.classify.call_arguments import sent_text, was_sent
from mulligan.classify.failure import Failure, stored_filename
from mulligan.classify.user_message import SERVICE_ERRORS, default_user_message
from mulligan.errors import MulliganError, Problem, ResourceNotFoundError, ToolError, ToolExecutionError
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, ProcessFailed
from mulligan.policy import Policy
from mulligan.secrets.redaction import redacted_pointer
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import is_name, plain_str, show_type_name

_TEXTS = ("message", "user_message", "code", "tool_name", "resource", "provider", "rule", "effect", "tool_type")
_ENDLESS = float("inf")


def normalize_fields(error: ToolError) -> None:
    """Converts text fields to strings, and drops invalid numbers and items that are not a `Problem`.

    Args:
        error: the error; changed in place.
    """
    fields = error.__dict__
    if "message" not in fields:
        fields["message"] = plain_str(error.args[0]) if error.args else ""
    suspects = [
        name
        for name, value in fields.items()
        if name in _NORMALIZERS and (type(value) is not str or name not in _TEXTS)
    ]
    for name in suspects:  # usually empty: most fields already hold text
        if fields[name] is None:
            del fields[name]  # unset: the default of the class applies
        else:
            fields[name] = _NORMALIZERS[name](fields[name])


def _seconds(value: Any) -> float | None:
    return value if type(value) in (int, float) and 0 <= value < _ENDLESS else None


def _problems(value: Any) -> tuple[Problem, ...]:
    items = value if isinstance(value, (list, tuple)) else ()
    return tuple(problem for problem in items if isinstance(problem, Problem))


def _status(value: Any) -> int | None:
    return value if type(value) is int else None


_NORMALIZERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_TEXTS, plain_str),
    "retry_after": _seconds,
    "problems": _problems,
    "http_status": _status,
}


def detached_copy(error: ToolError) -> ToolError:
    """Copies an error that already belongs to another call, without the fields that were filled in for that call."""
    copy = type(error).__new__(type(error), error.message)
    copy.__dict__.update(error.__dict__)
    for name in (*copy.__dict__.pop("_filled", ()), "_owner"):
        copy.__dict__.pop(name, None)
    copy.__cause__ = error.__cause__
    return copy


def _without_contradictions(error: ToolError, failure: Failure) -> ToolError:
    """The error of a known service, if its problems fit what was sent; otherwise a copy, since a plugin may return it again.

    Elsewhere a contradiction stays: it shows that the error may be about the response and not about the arguments.
    """
    from mulligan.classify.field_errors import without_contradictions

    stated = _problems(error.problems)
    problems = without_contradictions(stated, failure.arguments)
    if problems == stated:
        return error
    copy = detached_copy(error)
    copy.problems = problems
    return copy


_MOST_REDACTED_PROBLEMS, _LONGEST_RESOURCE = 1_000, 200

Classify = Callable[[Failure], ToolError | None]


class Classifier:
    """Maps failures to errors.

    Args:
        policy: decides which errors are fatal.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def classify(
        self,
        failure: Failure,
        classify: Classify,
        provider_of: Callable[[Failure], str | None],
        *,
        is_one_request: Callable[[], bool] = lambda: False,
    ) -> ToolError:
        """The error for a failure: the tool's own, else a plugin's, else what its text complains of.

        Args:
            failure: the failure to classify.
            classify: asks the plugins about a failure; returns None if all abstain.
            provider_of: the provider whose library raised a failure, or None.
            is_one_request: whether the tool's author declared that the tool makes only the one request that failed.
        """
        exception, call = failure.exception, failure.call
        provider = failure.__dict__["_provider"] = provider_of(failure)
        error = (
            _error_raised_by_tool(exception)
            if issubclass(type(exception), MulliganError)
            else self._classify_with_plugins(failure, classify)
        )
        if error is None:
            error = _complaint_error()(failure) or unclassified_error(failure)
        if failure.is_data and call is not None:
            error.__dict__["fatal"] = False
        if isinstance(error, SERVICE_ERRORS):
            error.__dict__["_host"] = next(filter(None, (one.host for one in (failure, *failure.inner))), None)
        if isinstance(error, ResourceNotFoundError):
            error.__dict__["_filename"] = stored_filename(failure)
        if error.problems and error is not exception and (error.provider or provider):
            error = _without_contradictions(error, failure)
        if error.resource is not None and error is not exception:
            is_stored = error.resource == error.__dict__.get("_filename") == failure.resource
            error.__dict__["_from_prose"] = (
                not is_stored and call_safely(partial(_is_from_prose, error.resource, failure)) is not False
            )
        if call is None and failure.tool_name is not None:
            call = ToolCall(None, failure.tool_name)
        error = self.complete(error, call, failure.tool, failure.arguments, provider=provider)
        if error.effect == "none" and _may_write(failure.tool) and not _knows_effect(error, exception, is_one_request):
            error.__dict__["effect"] = "possible"
        if exception is not None and error is not exception and error.__cause__ is None:
            error.__cause__ = exception
        return error

    @staticmethod
    def _classify_with_plugins(failure: Failure, classify: Classify) -> ToolError | None:
        """The plugins' error for the exception; else for one of its causes or group members."""
        error = classify(failure)
        if error is not None:
            return error
        for inner in failure.inner:
            error = _error_raised_by_tool(inner.exception) or classify(inner)
            if error is not None:
                return error
        return None

    def complete(
        self,
        error: ToolError,
        call: ToolCall | None,
        tool: Tool | None,
        arguments: Mapping[str, Any] | None,
        *,
        provider: str | None = None,
    ) -> ToolError:
        """Fills in fields that a plugin left unset, and decides fatality. An error that belongs to another call is copied.

        Args:
            error: the classified error.
            call: the call, or None.
            tool: the tool, or None.
            arguments: the validated arguments, or None.
            provider: the service that failed, for an error that names none; by default, that of the tool.
        """
        fields = error.__dict__
        owner = fields.get("_owner", error)
        if owner is call:
            return error
        if owner is not error:
            error = detached_copy(error)
            fields = error.__dict__
        fields["_owner"] = call
        if error.rule is None or not error.rule.startswith("host:"):
            normalize_fields(error)
        filled = ["fatal"] if "fatal" not in fields else []
        if error.arguments is None:
            fields["arguments"] = arguments
            filled.append("arguments")
        if call is not None:
            fields["call_id"] = call.id
            filled.append("call_id")
        if error.tool_name is None and (tool is not None or call is not None):
            fields["tool_name"] = tool.name if tool is not None else call and str(call.name)
            filled.append("tool_name")
        if tool is not None:
            fields["tool_type"] = tool.tool_type
            filled.append("tool_type")
            provider = provider or tool.provider
        if provider is not None and error.provider is None:
            fields["provider"] = provider
            filled.append("provider")
        if "user_message" not in fields and (sentence := self._make_user_message(error, call, tool)):
            fields["user_message"] = sentence
            filled.append("user_message")
        fields["_filled"] = filled
        fields["fatal"] = self._policy.is_fatal(error)
        return error

    def _make_user_message(self, error: ToolError, call: ToolCall | None, tool: Tool | None) -> str:
        """The user message for an error whose rule sets none; empty if that of its class applies."""
        if isinstance(error, ResourceNotFoundError):
            is_shown = _is_safe_to_show(error.resource) and _is_trusted_resource(error.resource, error, call)
            return f"Resource not found: {error.resource}" if is_shown else ""
        return default_user_message(error, self._policy.catalogue, may_write=tool is None or _may_write(tool))


def _is_from_prose(resource: str, failure: Failure) -> bool:
    """Whether only the text of a failure names the resource; False if a rule read it from a field of its own."""
    failures = (failure, *failure.inner)
    if not any(resource == one.resource for one in failures):
        return False
    return all(resource != one.resource or resource not in one.stated_resources for one in failures)


def _may_write(tool: Tool | None) -> bool:
    return tool is not None and not (tool.read_only or tool.idempotent)


def _knows_effect(error: ToolError, exception: BaseException | None, is_one_request: Callable[[], bool]) -> bool:
    """Whether an error with effect "none" describes the whole call.

    A rule knows only the request that failed. What the tool did before that request, only the tool itself, its author
    or the driver that never started the tool can report.
    """
    if issubclass(type(exception), ToolError):
        return "effect" in error.__dict__
    return issubclass(type(exception), (DeadlineExceeded, ExecutorSaturated, ProcessFailed)) or is_one_request()


def _is_safe_to_show(resource: str | None) -> bool:
    """Whether our message to the user may include the resource: a short name, not a sentence."""
    if not resource or len(resource) > _LONGEST_RESOURCE:
        return False
    return (resource.isascii() and resource.isprintable() and " " not in resource) or is_name(resource, blanks=2)


def _is_trusted_resource(resource: str | None, error: ToolError, call: ToolCall | None) -> bool:
    """Whether the resource occurs in the call or in the file name field of an exception.

    A resource that only the text of a failure names may be a link or a message planted for the user.
    """
    if resource is None:
        return False
    if resource == error.__dict__.get("_filename"):
        return True
    return call is not None and was_sent(resource, sent_text(call))


def _error_raised_by_tool(exception: BaseException | None) -> ToolError | None:
    """The `ToolError` that the tool itself raised; None for other exceptions, including misuse of mulligan."""
    if not issubclass(type(exception), ToolError):
        return None
    error = cast("ToolError", exception)
    error.__dict__.setdefault("rule", "tool:raised")
    return error


def redacted_error(error: ToolError, redact: Callable[[str], str]) -> ToolError:
    """The error with secrets redacted from its texts: a copy if it contains any, otherwise the error itself.

    Args:
        error: the classified error.
        redact: removes secrets from a text.
    """
    fields = error.__dict__
    if len(error.problems) > 1:
        redact = cache(redact)  # the items of one list say the same of each wrong value
    redacted = {name: redact(fields[name]) for name in ("message", "user_message", "resource") if fields.get(name)}
    problems = tuple(_redacted_problem(problem, redact) for problem in error.problems[:_MOST_REDACTED_PROBLEMS])
    is_same = all(fields[name] == text for name, text in redacted.items())
    if is_same and problems == tuple(error.problems[:_MOST_REDACTED_PROBLEMS]):
        return error
    copy = type(error).__new__(type(error), redacted.get("message", ""))
    copy.__dict__.update(fields, **redacted, problems=(*problems, *error.problems[_MOST_REDACTED_PROBLEMS:]))
    copy.__cause__ = error.__cause__
    return copy.with_traceback(error.__traceback__)


def _redacted_problem(problem: Problem, redact: Callable[[str], str]) -> Problem:
    pointer, message, expected, got = problem
    pointer, message = redacted_pointer(pointer, redact), redact(message)
    return Problem(pointer, message, expected and redact(expected), got and redact(got))


@cache
def _complaint_error() -> Callable[[Failure], ToolError | None]:
    """`complaint_error`, imported with the first exception that no rule knows."""
    from mulligan.classify.complaints import complaint_error

    return complaint_error


def unclassified_error(failure: Failure) -> ToolError:
    """The error for a failure that no rule covers."""
    what = f" with {name}" if (name := show_type_name(failure.type_name)) else ""
    return ToolExecutionError(f"The tool failed{what}.", rule="host:unclassified")
