"""Copies for each hookimpl, so that its changes have no effect on the call.

Tools cannot be changed at all, and toolsets are passed as a read-only view. Objects that cannot be copied without
running their code are passed as they are: exceptions, injected values, and a tool's return value that is neither plain
data nor a record.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import wraps
from operator import attrgetter
from typing import Any

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.classify.rules import get_rules
from mulligan.dialects.readers import ParsedCall, make_call, part_of
from mulligan.errors import ToolError
from mulligan.events import CallFinished, Event, StepFinished
from mulligan.feedback import Feedback
from mulligan.lazy import lazy
from mulligan.results import ToolResult
from mulligan.untrusted.copies import copy_call_arguments, copy_data, freeze
from mulligan.untrusted.objects import call_safely

Copier = Callable[[Any], Any]


def with_copies(function: Callable[..., Any], parameters: Sequence[str]) -> Callable[..., Any]:
    """A hookimpl that receives copies, and read-only views.

    Args:
        function: the hookimpl.
        parameters: the names of its parameters.
    """
    rules = get_rules(function)
    if rules is not None:  # rules are not called if none of them is about the failure
        return lambda failure: function(copy_failure(failure)) if rules.asked(failure) else None
    copies = [_COPIES.get(name) for name in parameters]
    if not any(copies):
        return function
    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def wrapper(*given: Any) -> Any:
            return (yield from function(*[_apply(make, item) for make, item in zip(copies, given, strict=True)]))

        return wrapper
    match copies:  # most hookimpls ask for one or two parameters, and these are asked in every call
        case [only]:
            return lambda given: function(only(given))  # type: ignore[misc]
        case [None, second]:
            return lambda one, two: function(one, second(two))  # type: ignore[misc]
        case [first, None]:
            return lambda one, two: function(first(one), two)  # type: ignore[misc]
        case [first, second]:
            return lambda one, two: function(first(one), second(two))  # type: ignore[misc]
    return lambda *given: function(*[_apply(make, item) for make, item in zip(copies, given, strict=True)])


def _apply(make: Copier | None, given: Any) -> Any:
    return given if make is None else make(given)


def copy_call(call: ToolCall) -> ToolCall:
    """A call whose arguments are a copy.

    Args:
        call: the call.
    """
    if type(call) is ToolCall and type(call.arguments) is str:
        return call
    return ToolCall(call.id, call.name, copy_call_arguments(call.arguments))


def _copy_answered_call(call: ToolCall) -> ToolCall:
    """Like `copy_call`, with the fields that its dialect needs to answer it."""
    if not isinstance(call, ParsedCall):
        return copy_call(call)
    return make_call(copy_data(part_of(call)), call.id, call.name, copy_call_arguments(call.arguments))


def copy_error(error: ToolError) -> ToolError:
    """An error that can be changed without the original.

    Args:
        error: the error.
    """
    twin = type(error).__new__(type(error), error.message)
    twin.__dict__.update((name, copy_data(value)) for name, value in error.__dict__.items())
    twin.__cause__, twin.__suppress_context__ = error.__cause__, error.__suppress_context__
    return twin.with_traceback(error.__traceback__)


class _FailureCopy(Failure):
    """A failure that can be changed without the original; what it holds is copied when it is first read."""

    _original: Failure

    @lazy
    def value(self) -> Any:
        return copy_data(self._original.value)

    @lazy
    def arguments(self) -> Mapping[str, Any] | None:
        copied: Mapping[str, Any] | None = copy_call_arguments(self._original.arguments)
        return copied

    @lazy
    def call(self) -> ToolCall | None:
        call = self._original.call
        return None if call is None else copy_call(call)

    @lazy
    def outer(self) -> Failure | None:
        outer = self._original.outer
        return None if outer is None else copy_failure(outer)


_NOT_SHARED = ("value", "arguments", "call", "outer", "body", "inner")


def copy_failure(failure: Failure) -> Failure:
    """A failure that can be changed without the original; the exception is the same.

    Args:
        failure: the failure.
    """
    twin = object.__new__(_FailureCopy)
    own = twin.__dict__
    own.update(failure.__dict__, _original=failure)
    for name in _NOT_SHARED:
        own.pop(name, None)
    return twin


def copy_result(result: ToolResult) -> ToolResult:
    """A result that can be changed without the original.

    Args:
        result: the result.
    """
    twin = result.__copy__()
    if type(result.call) is not ToolCall or type(result.call.arguments) is not str:
        twin.call = _copy_answered_call(result.call)
    if type(result.value) is not str:
        twin.value = copy_data(result.value)
    if result.error is not None:
        twin.error = copy_error(result.error)
    if result.feedback is not None:
        twin.feedback = copy_feedback(result.feedback)
    return twin


def copy_feedback(feedback: Feedback) -> Feedback:
    """Feedback that can be changed without the original.

    Args:
        feedback: the parts.
    """
    twin = copy(feedback)
    twin.problems, twin.catalogue = tuple(feedback.problems), freeze(feedback.catalogue)
    return twin


def copy_event(event: Event) -> Event:
    """Events that hold results are copied; nothing in the others can be changed.

    Args:
        event: the event.
    """
    kind = type(event)
    if kind is CallFinished:
        return event.copied(copy_result, copy_call)  # type: ignore[union-attr]
    if kind is StepFinished:
        results = tuple(map(copy_result, event.results))  # type: ignore[union-attr]
        return StepFinished(event.session_id, event.names, results, event.duration, event.step)  # type: ignore[union-attr]
    return event


def _copy_arguments(given: Any) -> Any:
    """Copies with a function that the flow passes, since it knows how to rebuild the objects."""
    return given() if callable(given) else copy_data(given)


def _wrap_redact(redact: Callable[[str], str]) -> Callable[[str], str]:
    def redacted(text: str) -> str:
        return redact(text)

    return redacted


def _copy_format(format: Any) -> Any:
    return call_safely(lambda: copy(format)) or format


_COPIES: Mapping[str, Copier] = {
    "call": copy_call,
    "toolset": attrgetter("view"),
    "arguments": _copy_arguments,
    "error": lambda error: error and copy_error(error),
    "failure": lambda failure: failure and copy_failure(failure),
    "value": copy_data,
    "feedback": copy_feedback,
    "format": _copy_format,
    "event": copy_event,
    "redact": _wrap_redact,
}
