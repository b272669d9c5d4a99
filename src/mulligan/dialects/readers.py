"""What the dialects share for reading: calls, arguments that a stream cut off, and the chunks of a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, SupportsIndex

from mulligan.calls import ToolCall, id_or_none
from mulligan.dialects.base import plain
from mulligan.errors import Problem, ToolArgumentError, UsageError
from mulligan.untrusted.text import plain_str

LIMIT = "by the output token limit"
FILTER = "by a content filter"
STREAM = "by the end of the stream"
EARLY = "because the answer ended early"
_LONGEST_NAME = 1_000
_NEXT_STEPS = {
    LIMIT: "shorter, complete arguments; split the work into several calls if necessary",
    FILTER: "other arguments",
    STREAM: "all of its arguments",
    EARLY: "all of its arguments",
}


class ParsedCall(ToolCall):
    """A call with the part of the message that requested it, since its answer must match that part.

    Attributes:
        part: the part of the message.
    """

    part: Mapping[str, Any]

    def _replace(self, **changes: Any) -> ParsedCall:
        replaced: ParsedCall = super()._replace(**changes)
        replaced.part = part_of(self)
        return replaced

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Copies and pickles the part too."""
        return make_call, (part_of(self), *self)


def make_call(part: Mapping[str, Any], id: Any, name: Any, arguments: Any) -> ParsedCall:
    """A call of a message, with any values as its id and name.

    Args:
        part: the part of the message.
        id: the call's id; any value other than a non-empty text or a whole number becomes None.
        name: the tool's name; empty if it is missing.
        arguments: the arguments.
    """
    known = id if isinstance(id, (str, int)) and not isinstance(id, bool) else None
    call = ParsedCall(id_or_none(known), name_text(name), arguments)
    call.part = part
    return call


def answer_id(call: ToolCall, member: str) -> Any:
    """The id for the answer: that of the call, or an empty text for a server without ids.

    Args:
        call: the call.
        member: the member of the call's part that holds the id.
    """
    sent = part_of(call).get(member)
    return sent if call.id is None and isinstance(sent, str) else call.id


def name_text(name: Any) -> str:
    """The name of a tool as a plain str, so that it can be looked up.

    Args:
        name: the value sent as the name: usually a str; None becomes an empty text.
    """
    if isinstance(name, str):
        return str.__str__(name)
    return "" if name is None else plain_str(name, _LONGEST_NAME)


def part_of(call: ToolCall) -> Mapping[str, Any]:
    """The part of a message that requested a call; empty if the call did not come from a message."""
    return call.part if isinstance(call, ParsedCall) else {}


class CutOff(Mapping[str, Any]):
    """Truncated arguments: reading them is an error, and nothing runs.

    Args:
        arrived: the arguments that arrived.
        how: `LIMIT`, `FILTER`, `STREAM` or `EARLY`.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, arrived: Any, how: str) -> None:
        self._arrived = arrived if isinstance(arrived, str) else ""
        self._how = how

    def _error(self) -> ToolArgumentError:
        problem_text = f"the call was cut off {self._how}"
        if self._arrived:
            problem_text += f", after {len(self._arrived):,} characters of its arguments"
        problem = Problem("", problem_text, _NEXT_STEPS[self._how])
        message = f"Invalid arguments: {problem_text}; nothing was run."
        return ToolArgumentError(message, problems=(problem,), rule="host:cut-off")

    def __getitem__(self, key: str) -> Any:
        raise self._error()

    def __iter__(self) -> Iterator[str]:
        raise self._error()

    def __len__(self) -> int:
        raise self._error()

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return self._arrived

    def __repr__(self) -> str:
        return f"CutOff({len(self._arrived)} characters, {self._how})"


def mark_cut_off(arguments: Any, how: str | None) -> Any:
    """Marks incomplete JSON text as cut off if its message ended early; returns other arguments unchanged.

    If a content filter ended the message, all arguments are marked, since it withdraws the whole answer.

    Args:
        arguments: the arguments in the message.
        how: how the message ended early, or None if it did not.
    """
    if how == FILTER:
        return CutOff(arguments, how)
    if how is None or not (arguments is None or isinstance(arguments, str)) or _is_complete(arguments or ""):
        return arguments
    return CutOff(arguments, how)


def _is_complete(text: str) -> bool:
    """Whether a text is complete, valid JSON or not; other errors are reported separately."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.rstrip().endswith("}") and text.count("{") == text.count("}")
    return True


def mappings(values: Any) -> list[Mapping[str, Any]]:
    """The mappings in a list; empty if the value is not a list."""
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, (list, tuple)) else []


def mapping(value: Any) -> Mapping[str, Any]:
    """A mapping unchanged; an empty one for any other value."""
    return value if isinstance(value, Mapping) else {}


def kind_of(part: Mapping[str, Any]) -> str:
    """The `type` of a part; empty if it has none."""
    kind = part.get("type")
    return kind if isinstance(kind, str) else ""


def index_of(part: Mapping[str, Any], name: str = "index") -> int | None:
    """The index of a part; None if it has none.

    Args:
        part: the part.
        name: the member that holds the index.
    """
    index = part.get(name)
    return index if isinstance(index, int) else None


def without_none(value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping without the members that are None, which objects of an SDK have for missing fields."""
    return {name: item for name, item in value.items() if item is not None}


def read_chunks(
    chunks: Iterable[Any], dialect: str, belongs: Callable[[Mapping[str, Any]], bool]
) -> list[dict[str, Any]]:
    """The chunks of a stream as plain values; chunks that do not belong to the stream are skipped.

    Args:
        chunks: the chunks that arrived.
        dialect: the dialect's name, for the error.
        belongs: whether a chunk has the shape that the provider streams.

    Raises:
        UsageError: the values are not chunks, or none of them belongs to the stream.
    """
    if isinstance(chunks, (str, bytes, Mapping)) or not isinstance(chunks, Iterable):
        raise UsageError(f"assemble() takes the chunks of a stream as a list, not {type(chunks).__name__}")
    read, first = [], ""
    for chunk in chunks:
        values = plain(chunk)
        first = first or type(chunk).__name__
        if isinstance(values, Mapping) and belongs(values):
            read.append(without_none(values))
    if first and not read:
        raise UsageError(
            f"these chunks ({first}) are not a stream of the dialect {dialect}; use their provider's dialect"
        )
    return read
