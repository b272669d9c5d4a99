"""Build the corrected call for a failed one: complete and valid, with the source of each name and value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.calls import ToolCall
from mulligan.classify.resources import find_resource_in_text
from mulligan.errors import Problem, ResourceNotFoundError, ToolArgumentError, ToolError, ToolNotFoundError
from mulligan.lazy import lazy
from mulligan.pointers import escape
from mulligan.policy import Limits
from mulligan.repair.identifiers import argument_with_address, find_identifier
from mulligan.repair.provenance import (
    Source,
    argument_forms,
    is_plain_identifier,
    name_source,
    preserves_meaning,
    sources_of,
)
from mulligan.repair.text_styles import is_iso_date
from mulligan.resolve.words import canonical
from mulligan.tools import Tool, builds_objects, takes_as_sent
from mulligan.validate.arguments import are_within_limits, dump, read_arguments
from mulligan.validate.numbers import read_exact

if TYPE_CHECKING:
    from mulligan.classify.failure import Failure
    from mulligan.repair.arguments import FixedArguments

_NOT_TEXT = frozenset((int, float, bool, type(None)))


class Correction(NamedTuple):
    """The most likely meaning of a failed call.

    Attributes:
        name: the tool name.
        arguments: all arguments; they match the tool's schema.
        name_source: the source of the tool name.
        readings: the source of each value that was not sent as it is, by JSON Pointer within the arguments.
        renamed: argument names as sent, mapped to the names that replaced them.
        sent: the arguments as sent; empty if they are not a JSON object.
        is_ready: whether the call may be proposed as is; otherwise the feedback asks whether it is what was meant.
        is_from_json: whether the arguments are plain JSON values.
    """

    name: str
    arguments: Mapping[str, Any]
    name_source: Source
    readings: Mapping[str, Source]
    renamed: Mapping[str, str]
    sent: Mapping[str, Any]
    is_ready: bool
    is_from_json: bool = True

    @property
    def sources(self) -> dict[str, Source]:
        """The source of each name and value, by JSON Pointer."""
        return sources_of(self.name_source, self.arguments, self.readings)


def correct(
    error: ToolError,
    call: ToolCall,
    tool: Tool | None,
    failure: Failure | None,
    tools: Mapping[str, Tool],
    limits: Limits,
    resources: Sequence[str] = (),
    *,
    sent: SentArguments | None = None,
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
        sent: the arguments of the call, if they were read before.

    Returns:
        The correction, or None if the meaning is ambiguous or the tool takes secrets.
    """
    if isinstance(error, ToolNotFoundError):
        tool = tools.get(error.suggestions[0]) if error.proposal != "listed" and error.suggestions else None
    if tool is None or tool.secret:
        return None
    sent = sent or SentArguments(call, limits)
    correction = _find_correction(error, tool, failure, sent, resources)
    if correction is None or not _is_useful(correction, tool, sent):
        return None
    return correction if resources or _is_sent_or_plain(correction, sent) else None


class SentArguments:
    """The arguments of a call, read once.

    Args:
        call: the call.
        limits: bounds on size and depth.
    """

    def __init__(self, call: ToolCall, limits: Limits) -> None:
        self.call = call
        self.limits = limits

    @lazy
    def arguments(self) -> dict[str, Any] | None:
        """The arguments as JSON values; None if they are not a JSON object."""
        try:
            return read_arguments(self.call.arguments, self.limits)
        except ToolArgumentError:
            return None

    @property
    def has_rounded_number(self) -> bool:
        """Whether a number of the arguments lost digits when it was read. Raises if one is out of range."""
        if not _holds_float(self.arguments):
            return False
        return read_arguments(self.call.arguments, self.limits, numbers=read_exact) != self.arguments

    def fixed(self, *, read_only: bool) -> dict[str, Any] | None:
        """The arguments, with their JSON repaired if that is needed and possible.

        Args:
            read_only: whether the tool is read-only.
        """
        if self.arguments is not None:
            return self.arguments
        from mulligan.repair.json_text import read_fixed_arguments

        return read_fixed_arguments(self.call.arguments, self.limits, read_only=read_only)

    def guessed(self, schema: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the arguments were most likely meant to be, if their JSON cannot be repaired with certainty.

        Args:
            schema: the schema of the tool's arguments.
        """
        from mulligan.repair.json_guess import guess_arguments

        text = self.call.arguments
        guess = guess_arguments(text, schema) if isinstance(text, str) else None
        try:
            return None if guess is None else read_arguments(guess, self.limits)
        except ToolArgumentError:
            return None


def _holds_float(value: Any) -> bool:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        kind = type(part)
        if kind is dict:
            waiting += part.values()
        elif kind is list:
            waiting += part
        elif kind is float:
            return True
    return False


def _is_useful(correction: Correction, tool: Tool, sent: SentArguments) -> bool:
    """Whether the corrected call differs from the failed one, and the tool accepts its arguments."""
    if correction.name == sent.call.name and sent.arguments is not None:
        try:
            if sent.has_rounded_number:
                return False
        except ToolArgumentError:
            return _accepts(correction, tool, sent)
        if correction.arguments == sent.arguments and dump(correction.arguments) == dump(sent.arguments):
            return False
    return _accepts(correction, tool, sent)


def _accepts(correction: Correction, tool: Tool, sent: SentArguments) -> bool:
    """Whether the tool accepts the corrected arguments.

    The tool author's validators may build Python objects for this check, as they will for the call itself. They receive
    a copy, and the objects are discarded.
    """
    arguments = correction.arguments
    if arguments is sent.arguments and not builds_objects(tool):
        return not isinstance(tool.fit(dict(arguments)), ToolArgumentError)
    may_share = type(arguments) is dict and correction.is_from_json and not builds_objects(tool)
    text = dump(arguments) if may_share else ""
    if not may_share or "null" in text or not are_within_limits(text, sent.limits):  # null may be an infinite number
        arguments = read_arguments(arguments, sent.limits)
    return not isinstance(tool.fit(dict(arguments)), ToolArgumentError)


def _is_sent_or_plain(correction: Correction, sent_arguments: SentArguments) -> bool:
    """Whether each text in a corrected call was sent by the model, in some style, or is a plain identifier."""
    given = sent_arguments.call.arguments
    sent = given if isinstance(given, str) else dump(given)
    others: list[str] = []
    waiting: list[Any] = [correction.name]
    is_unchanged = correction.arguments is sent_arguments.arguments and isinstance(given, (str, dict))
    if not is_unchanged or "\\" in sent:  # otherwise, each text is written there as it is
        waiting.append(correction.arguments)
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if not (part in sent or is_plain_identifier(part) or is_iso_date(part)):
                others.append(part)
        elif isinstance(part, list):
            waiting += part
        elif type(part) not in _NOT_TEXT and isinstance(part, (dict, Mapping)):
            waiting += [*part, *part.values()]
    if others and isinstance(given, str) and sent_arguments.arguments is not None:
        compact = dump(sent_arguments.arguments)  # a text of JSON that was sent as an object, perhaps with spaces
        others = [part for part in others if part not in compact]
    if not others:
        return True
    canonical_sent = canonical(sent)
    return all(_was_sent(part, sent, canonical_sent) for part in others)


def _was_sent(part: str, sent: str, canonical_sent: str) -> bool:
    """Whether a text that does not occur in the arguments does so in another style, or as JSON writes it."""
    if canonical(part) in canonical_sent:
        return True
    try:
        return dump(part)[1:-1] in sent
    except Exception:  # a lone surrogate, as in file names, cannot have been sent
        return False


def _find_correction(
    error: ToolError,
    tool: Tool,
    failure: Failure | None,
    sent: SentArguments,
    resources: Sequence[str],
) -> Correction | None:
    if isinstance(error, ToolNotFoundError):
        return _correct_arguments(tool, sent) if error.confident else _with_same_arguments(tool, sent)
    if not isinstance(error, (ToolArgumentError, ResourceNotFoundError)):
        return None
    if isinstance(error, ToolArgumentError) and error.corrected is not None:
        return _correction_from_plugin(error.corrected, tool, sent)
    if failure is None:
        return _correct_arguments(tool, sent, error.problems) if isinstance(error, ToolArgumentError) else None
    return _correct_resource_name(error, tool, sent, failure, resources) or _identifier_alone(tool, sent)


def _correction_from_plugin(corrected: Mapping[str, Any], tool: Tool, sent: SentArguments) -> Correction | None:
    """A plugin's proposal; the same rules apply to it as to mulligan's own."""
    arguments = sent.fixed(read_only=tool.read_only)
    if arguments is None:
        return None
    changed = {
        f"/{escape(name)}": "author"
        for name in corrected
        if name not in arguments or arguments[name] != corrected[name]
    }
    preserved = any(preserves_meaning(tool, form, corrected) for form in argument_forms(tool, arguments))
    readings: Mapping[str, Source] = {} if preserved else changed  # type: ignore[assignment]
    is_ready = tool.read_only or preserved
    return Correction(
        sent.call.name, corrected, "sent", readings, {}, sent.arguments or {}, is_ready, is_from_json=False
    )


def _correct_arguments(tool: Tool, sent: SentArguments, problems: Sequence[Problem] = ()) -> Correction | None:
    """Correct a call by repairing its JSON first, then its arguments by the tool's schema."""
    fixed_arguments, fix_arguments, has_minus_zero = _fixing()
    if has_minus_zero(sent.call.arguments):
        return None
    if sent.arguments is None:
        problems = ()
    arguments = sent.fixed(read_only=tool.read_only)
    is_unreadable = arguments is None
    if arguments is None:
        arguments = sent.guessed(tool.parameters)
    if arguments is None:
        return None
    if not problems and tool.validator.is_valid(arguments):
        fixed: FixedArguments | None = fixed_arguments(arguments, True, {}, {})
    else:
        fixed = fix_arguments(tool, arguments, problems or None)
    if fixed is None:
        return None
    source = name_source(tool, sent.call.name)
    is_ready = not (is_unreadable or fixed.is_guess) and (tool.read_only or (source is not None and fixed.is_lossless))
    return Correction(
        tool.name, fixed.arguments, source or "toolset", fixed.readings, fixed.renamed, sent.arguments or {}, is_ready
    )


@cache
def _fixing() -> tuple[type[FixedArguments], Callable[..., FixedArguments | None], Callable[[object], bool]]:
    """What fixes arguments, imported with the first that are wrong: an import statement is slow each time."""
    from mulligan.repair.arguments import FixedArguments, fix_arguments
    from mulligan.repair.json_tokens import has_minus_zero

    return FixedArguments, fix_arguments, has_minus_zero


def _with_same_arguments(tool: Tool, sent: SentArguments) -> Correction | None:
    """The call of a tool that is only likely to be meant, if it takes the arguments as they were sent."""
    arguments = sent.arguments
    if not arguments or not takes_as_sent(tool, arguments):
        return None
    return Correction(tool.name, arguments, "toolset", {}, {}, arguments, is_ready=False)


def _identifier_alone(tool: Tool, sent: SentArguments) -> Correction | None:
    """The same call with the identifier within the address that was sent for it: to be asked, since the rest is dropped."""
    given = sent.call.arguments
    if tool.destructive or (isinstance(given, str) and "http" not in given):  # as nearly always
        return None
    arguments = sent.arguments or {}
    name = argument_with_address(arguments)
    identifier = None if name is None else find_identifier(arguments[name])
    if name is None or identifier is None:
        return None
    return Correction(tool.name, {**arguments, name: identifier}, "sent", {}, {}, arguments, is_ready=False)


def _correct_resource_name(
    error: ToolError, tool: Tool, sent: SentArguments, failure: Failure, resources: Sequence[str]
) -> Correction | None:
    """Replace a missing name in a call with the one similar name that exists."""
    if not (tool.read_only or resources):
        return None
    from mulligan.repair.reported_names import near_names, near_reported_names, replace_name

    missing = error.resource or find_resource_in_text(failure.text)
    if missing is None:
        return None
    text, detail = failure.text, failure.detail
    reported = text if detail in text else f"{text}\n{detail}"
    near = near_names(missing, resources) if resources else near_reported_names(missing, reported)
    if len(near) != 1:
        return None
    replaced = replace_name(missing, near[0], sent.arguments or {})
    if replaced is None:
        return None
    argument, arguments = replaced
    readings: dict[str, Source] = {f"/{escape(argument)}": "author" if resources else "reported"}
    return Correction(tool.name, arguments, "sent", readings, {}, sent.arguments or {}, tool.read_only)
