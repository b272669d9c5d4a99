"""Build the corrected call for a failed one: complete and valid, with the source of each name and value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.calls import ToolCall
from mulligan.classify.resources import find_resource_in_text
from mulligan.errors import Problem, ResourceNotFoundError, ToolArgumentError, ToolError, ToolNotFoundError
from mulligan.pointers import escape
from mulligan.policy import Limits
from mulligan.repair.provenance import (
    Source,
    argument_forms,
    is_plain_identifier,
    name_source,
    preserves_meaning,
    sources_of,
)
from mulligan.resolve.words import canonical
from mulligan.tools import Tool
from mulligan.validate.arguments import dump, read_arguments
from mulligan.validate.numbers import read_exact

if TYPE_CHECKING:
    from mulligan.classify.failure import Failure


class Correction(NamedTuple):
    """The most likely meaning of a failed call.

    Attributes:
        name: the tool name.
        arguments: all arguments; they match the tool's schema.
        sources: the source of each name and value, by JSON Pointer.
        renamed: argument names as sent, mapped to the names that replaced them.
        is_ready: whether the call may be proposed as is; otherwise the feedback asks whether it is what was meant.
    """

    name: str
    arguments: Mapping[str, Any]
    sources: Mapping[str, Source]
    renamed: Mapping[str, str]
    is_ready: bool


def correct(
    error: ToolError,
    call: ToolCall,
    tool: Tool | None,
    failure: Failure | None,
    tools: Mapping[str, Tool],
    limits: Limits,
    resources: Sequence[str] = (),
) -> Correction | None:
    """Find the most likely meaning of a failed call.

    The tool's own types and validators accept the corrected call, and it differs from the failed one.

    Args:
        error: the classified error.
        call: the call that failed.
        tool: the tool that the call was resolved to, or None.
        failure: the failure, if the tool ran.
        tools: all tools by name.
        limits: bounds on the arguments.
        resources: existing names similar to a missing one, supplied by the tool's author.

    Returns:
        The correction, or None if the meaning is ambiguous or the tool takes secrets.
    """
    if isinstance(error, ToolNotFoundError):
        tool = tools.get(error.suggestions[0]) if error.proposal != "listed" and error.suggestions else None
    if tool is None or tool.secret:
        return None
    correction = _find_correction(error, call, tool, failure, limits, resources)
    if correction is None or not _is_useful(correction, tool, call, limits):
        return None
    return correction if resources or _is_sent_or_plain(correction, call) else None


def _is_useful(correction: Correction, tool: Tool, call: ToolCall, limits: Limits) -> bool:
    """Whether the corrected call differs from the failed one, and the tool accepts its arguments.

    The tool author's validators may build Python objects for this check, as they will for the call itself. They receive
    a copy, and the objects are discarded.
    """
    if correction.name == call.name:
        try:
            sent = read_arguments(call.arguments, limits)
            if read_arguments(call.arguments, limits, numbers=read_exact) != sent:
                return False  # a number lost precision when read
            if correction.arguments == sent and dump(correction.arguments) == dump(sent):
                return False
        except ToolArgumentError:  # not a JSON object, so any JSON object is a different call
            pass
    return not isinstance(tool.fit(read_arguments(correction.arguments, limits)), ToolArgumentError)


def _is_sent_or_plain(correction: Correction, call: ToolCall) -> bool:
    """Whether each text in a corrected call was sent by the model, in some style, or is a plain identifier."""
    sent = call.arguments if isinstance(call.arguments, str) else dump(call.arguments)
    canonical_sent = canonical(sent)
    waiting: list[Any] = [correction.name, correction.arguments]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str) and not (is_plain_identifier(part) or _was_sent(part, sent, canonical_sent)):
            return False
    return True


def _was_sent(part: str, sent: str, canonical_sent: str) -> bool:
    if part in sent or canonical(part) in canonical_sent:
        return True
    try:
        return dump(part)[1:-1] in sent
    except Exception:  # a lone surrogate, as in file names, cannot have been sent
        return False


def _find_correction(
    error: ToolError,
    call: ToolCall,
    tool: Tool,
    failure: Failure | None,
    limits: Limits,
    resources: Sequence[str],
) -> Correction | None:
    if isinstance(error, ToolNotFoundError):
        return _correct_arguments(tool, call, limits) if error.confident else _with_same_arguments(tool, call, limits)
    if not isinstance(error, (ToolArgumentError, ResourceNotFoundError)):
        return None
    if isinstance(error, ToolArgumentError) and error.corrected is not None:
        return _correction_from_plugin(error.corrected, tool, call, limits)
    if failure is None:
        return _correct_arguments(tool, call, limits, error.problems) if isinstance(error, ToolArgumentError) else None
    return _correct_resource_name(error, tool, call, failure, limits, resources)


def _correction_from_plugin(
    corrected: Mapping[str, Any], tool: Tool, call: ToolCall, limits: Limits
) -> Correction | None:
    """A plugin's proposal; the same rules apply to it as to mulligan's own."""
    from mulligan.repair.json_text import read_or_fix_arguments

    sent = read_or_fix_arguments(call.arguments, limits, read_only=tool.read_only)
    if sent is None:
        return None
    changed = {f"/{escape(name)}": "author" for name in corrected if name not in sent or sent[name] != corrected[name]}
    preserved = any(preserves_meaning(tool, form, corrected) for form in argument_forms(tool, sent))
    readings: Mapping[str, Source] = {} if preserved else changed  # type: ignore[assignment]
    return Correction(
        call.name, corrected, sources_of("sent", corrected, readings), {}, is_ready=tool.read_only or preserved
    )


def _correct_arguments(
    tool: Tool, call: ToolCall, limits: Limits, problems: Sequence[Problem] = ()
) -> Correction | None:
    """Correct a call by repairing its JSON first, then its arguments by the tool's schema."""
    from mulligan.repair.arguments import FixedArguments, fix_arguments
    from mulligan.repair.json_text import read_or_fix_arguments
    from mulligan.repair.json_tokens import has_minus_zero

    if has_minus_zero(call.arguments):
        return None
    try:
        sent: dict[str, Any] | None = read_arguments(call.arguments, limits)
    except ToolArgumentError:
        sent, problems = read_or_fix_arguments(call.arguments, limits, read_only=tool.read_only), ()
    if sent is None:
        return None
    if not problems and tool.validator.is_valid(sent):
        fixed: FixedArguments | None = FixedArguments(sent, True, {}, {})
    else:
        fixed = fix_arguments(tool, sent, problems or None)
    if fixed is None:
        return None
    source = name_source(tool, call.name)
    sources = sources_of(source or "toolset", fixed.arguments, fixed.readings)
    is_ready = tool.read_only or (source is not None and fixed.is_lossless)
    return Correction(tool.name, fixed.arguments, sources, fixed.renamed, is_ready)


def _with_same_arguments(tool: Tool, call: ToolCall, limits: Limits) -> Correction | None:
    """The call of a tool that is only likely to be meant, if it takes the arguments as they were sent."""
    try:
        sent = read_arguments(call.arguments, limits)
    except ToolArgumentError:
        return None
    if not sent or not takes_as_sent(tool, sent):
        return None
    return Correction(tool.name, sent, sources_of("toolset", sent, {}), {}, is_ready=False)


def takes_as_sent(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a tool declares all these arguments, and they are valid.

    Args:
        tool: the tool.
        arguments: the arguments as they were sent.
    """
    known = tool.parameters.get("properties")
    return isinstance(known, Mapping) and arguments.keys() <= known.keys() and tool.validator.is_valid(arguments)


def _correct_resource_name(
    error: ToolError, tool: Tool, call: ToolCall, failure: Failure, limits: Limits, resources: Sequence[str]
) -> Correction | None:
    """Replace a missing name in a call with the one similar name that exists."""
    from mulligan.repair.reported_names import near_names, near_reported_names, replace_name

    missing = error.resource or find_resource_in_text(failure.text)
    if missing is None:
        return None
    text, detail = failure.text, failure.detail
    reported = text if detail in text else f"{text}\n{detail}"
    near = near_names(missing, resources) if resources else near_reported_names(missing, reported)
    if len(near) != 1 or not (tool.read_only or resources):
        return None
    replaced = replace_name(missing, near[0], read_arguments(call.arguments, limits))
    if replaced is None:
        return None
    argument, arguments = replaced
    readings: dict[str, Source] = {f"/{escape(argument)}": "author" if resources else "reported"}
    return Correction(tool.name, arguments, sources_of("sent", arguments, readings), {}, is_ready=tool.read_only)
