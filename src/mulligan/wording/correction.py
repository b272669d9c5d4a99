"""The corrected call for one that failed: what the model most likely meant to send, whole and valid, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.arguments.reading import read_arguments
from mulligan.calls import ToolCall
from mulligan.errors import Problem, ResourceNotFoundError, ToolArgumentError, ToolError, ToolNotFoundError
from mulligan.failures.resources import named_in
from mulligan.foreign.containment import is_name
from mulligan.policy import Limits
from mulligan.tools import Tool
from mulligan.wording.quoting import was_sent

if TYPE_CHECKING:
    from mulligan.failures.failure import Failure


class Correction(NamedTuple):
    """A call in the place of one that failed.

    Attributes:
        name: the tool.
        arguments: the whole arguments; they fit the tool.
        meant: the names and values in it that were chosen for others, and so are only likely.
    """

    name: str
    arguments: Mapping[str, Any]
    meant: tuple[str, ...] = ()


def correct(
    error: ToolError,
    call: ToolCall,
    tool: Tool | None,
    failure: Failure | None,
    tools: Mapping[str, Tool],
    limits: Limits,
) -> Correction | None:
    """The corrected call; None where it is not clear what was meant, or the tool takes secrets.

    It would be let in: the tool's own types and validators accept it, and it is not the call that was just refused.

    Args:
        error: what the failure means.
        call: the call that failed.
        tool: the tool it was resolved to, or None.
        failure: what happened, where the tool ran.
        tools: all tools by name.
        limits: bounds on the arguments.
    """
    if isinstance(error, ToolNotFoundError):
        tool = tools.get(error.suggestions[0]) if error.confident and error.suggestions else None
    if tool is None or tool.secret:
        return None
    found = _worked_out(error, call, tool, failure, limits)
    return found if found is not None and _is_of_use(found, tool, call, limits) else None


def _is_of_use(correction: Correction, tool: Tool, call: ToolCall, limits: Limits) -> bool:
    """Whether a call is another than the one that failed, and its arguments become what the tool's function takes.

    Python objects may be built for that by validators of the tool's author, as they will be when the call is made. They
    are given a copy, and what they make is thrown away.
    """
    if correction.name == call.name:
        try:
            sent = read_arguments(call.arguments, limits)
            if correction.arguments == sent and _same(correction.arguments, sent):
                return False
        except ToolArgumentError:  # no JSON object, so whatever is one is another call
            pass
    return not isinstance(tool.fit(read_arguments(correction.arguments, limits)), ToolArgumentError)


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values that are equal are the same; 1, 1.0 and true are not."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _worked_out(
    error: ToolError, call: ToolCall, tool: Tool, failure: Failure | None, limits: Limits
) -> Correction | None:
    if isinstance(error, ToolNotFoundError):
        return _read(tool, call, limits)
    if not isinstance(error, (ToolArgumentError, ResourceNotFoundError)):
        return None
    if isinstance(error, ToolArgumentError) and error.corrected is not None:
        return Correction(call.name, error.corrected)
    if failure is None:
        return _read(tool, call, limits, error.problems) if isinstance(error, ToolArgumentError) else None
    return _named(error, tool, call, failure, limits)


def _read(tool: Tool, call: ToolCall, limits: Limits, problems: Sequence[Problem] = ()) -> Correction | None:
    """The call with its arguments mended by the tool's schema, and before that the JSON they stand in."""
    from mulligan.mending.arguments import mend_arguments
    from mulligan.mending.faithful import unfenced, unwrapped
    from mulligan.mending.syntax import mend_syntax

    try:
        arguments = read_arguments(call.arguments, limits)
    except ToolArgumentError:
        text = mend_syntax(unwrapped(unfenced(call.arguments))) if isinstance(call.arguments, str) else None
        if text is None:
            return None
        try:
            arguments, problems = read_arguments(text, limits), ()
        except ToolArgumentError:
            return None
    if not problems and tool.validator.is_valid(arguments):
        return Correction(tool.name, arguments)
    mended = mend_arguments(tool, arguments, problems or None)
    return None if mended is None else Correction(tool.name, mended.arguments, mended.meant)


def is_own(correction: Correction, sent: str) -> bool:
    """Whether all that a corrected call says was sent by the model, or is a name and no sentence.

    Args:
        correction: the corrected call.
        sent: the arguments that the model sent, as text.
    """
    waiting: list[Any] = [correction.name, correction.arguments]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str) and not (was_sent(part, sent) or is_name(part, blanks=2)):
            return False
    return True


def _named(error: ToolError, tool: Tool, call: ToolCall, failure: Failure, limits: Limits) -> Correction | None:
    """The call with the name of something that exists in the place of one that does not."""
    from mulligan.mending.reported import mend_name, put_name

    arguments = read_arguments(call.arguments, limits)
    missing = error.resource or named_in(failure.text)
    if missing is None:
        return None
    known = error.suggestions if isinstance(error, ResourceNotFoundError) else ()
    named = put_name(missing, known[0], arguments) if known else mend_name(missing, failure.text, arguments)
    if named is None or not is_name(named.name, missing):
        return None
    return Correction(tool.name, named.arguments, (named.name,))
