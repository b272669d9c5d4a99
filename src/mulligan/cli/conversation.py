"""Read conversations from a file with one message per line, or from arrays of messages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

import attrs

from mulligan.calls import ToolCall
from mulligan.cli import output as streams
from mulligan.cli.output import decode
from mulligan.dialects.readers import mapping, part_of
from mulligan.errors import UsageError
from mulligan.results import ToolResult

_OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output")
_RESPONSE_KEYS = ("function_response", "functionResponse")
_MOST_NAMES = 20


class AnsweredCalls:
    """The calls so far. A Gemini call may have no id; then the next response with its name answers it."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._names: Counter[str] = Counter()

    def add(self, call: ToolCall) -> None:
        """Record a call.

        Args:
            call: the call.
        """
        if call.id is None:
            self._names[call.name] += 1
        else:
            self._ids.add(call.id)

    def without(self, message: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Remove the answers to these calls from a message.

        Args:
            message: a message of any role.

        Returns:
            The same object if it answers none of them; None if nothing remains.
        """
        if self._is_answer(message):
            return None
        if message.get("role") not in ("user", "function"):
            return message
        for member, answers in (("content", self._is_result), ("parts", self._is_response)):
            parts = message.get(member)
            if isinstance(parts, list):
                remaining = [part for part in parts if not (isinstance(part, dict) and answers(part))]
                if len(remaining) < len(parts):
                    return {**message, member: remaining} if remaining else None
        return message

    def _is_answer(self, message: Mapping[str, Any]) -> bool:
        """Whether the whole message is the answer to one of the calls."""
        if message.get("role") == "tool":
            return self._has_id(message.get("tool_call_id"))
        if message.get("type") in _OUTPUT_TYPES:
            return self._has_id(message.get("call_id"))
        is_response = "jsonrpc" in message and ("result" in message or "error" in message)
        return is_response and self._has_id(message.get("id"))

    def _is_result(self, block: Mapping[str, Any]) -> bool:
        return block.get("type") == "tool_result" and self._has_id(block.get("tool_use_id"))

    def _is_response(self, part: Mapping[str, Any]) -> bool:
        response = next((mapping(part[member]) for member in _RESPONSE_KEYS if member in part), {})
        name = response.get("name")
        if response.get("id") is not None or not isinstance(name, str) or not self._names[name]:
            return self._has_id(response.get("id"))
        self._names[name] -= 1
        return True

    def _has_id(self, id: object) -> bool:
        return isinstance(id, (str, int)) and id in self._ids


def insert_answers(
    message: Mapping[str, Any], results: Iterable[ToolResult], parts: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Replace each call in a UI message of the Vercel AI SDK by the part that answers it.

    Args:
        message: the message.
        results: the results of its calls.
        parts: the parts that answer them, in the same order.
    """
    places = {id(part_of(result.call)): part for result, part in zip(results, parts, strict=True)}
    return {**message, "parts": [places.get(id(part), part) for part in message["parts"]]}


@attrs.frozen
class Line:
    """One message of the conversation.

    Attributes:
        where: file and line, for errors.
        number: its line number, counted from 1.
        text: the line as it was read.
        message: the parsed message.
        array: which array of messages it is from, counted from 1; 0 if it has a line of its own.
    """

    where: str
    number: int
    text: str
    message: Mapping[str, Any]
    array: int = 0


@contextmanager
def open_conversation(file: str, *, stdin: bool) -> Iterator[IO[bytes]]:
    """Open the file, or stdin.

    Args:
        file: the name of the file.
        stdin: whether to read stdin instead.

    Raises:
        UsageError: the file cannot be read.
    """
    if stdin:
        yield streams.stdin("a conversation")
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 - closed below; only errors of opening are reported here
    except OSError as error:
        step = "pass a file with one message per line, or -"
        raise UsageError(f"cannot open {file}: {error.strerror}; {step}") from None
    with stream:
        yield stream


def read_lines(stream: IO[bytes], name: str, skip: Callable[[UsageError], None] | None = None) -> Iterator[Line]:
    """Yield the messages one by one; blank lines are skipped. A file that begins with an array is read whole.

    Args:
        stream: the file.
        name: its name in errors.
        skip: called with the error of a line that is not a message, which is then left out; None to raise it.

    Raises:
        UsageError: a line is not a message; names the line, the column and the next step. The lines before it were yielded.
    """
    is_first = True
    for number, raw in enumerate(stream, 1):
        where = f"{name}, line {number}"
        try:
            text = decode(raw, where, "save the file as UTF-8")
        except UsageError as error:
            _skip_or_raise(error, skip)
            continue
        if is_first and text.lstrip().startswith("["):
            rest = decode(stream.read(), f"{name} after line {number}", "save the file as UTF-8")
            yield from _read_arrays(text, rest, name, number)
            return
        if not text.strip():
            continue
        is_first = False
        try:
            message = _check_message(_parse(text, where), where)
        except UsageError as error:
            _skip_or_raise(error, skip)
        else:
            yield Line(where, number, text.strip(), message)


def _skip_or_raise(error: UsageError, skip: Callable[[UsageError], None] | None) -> None:
    if skip is None:
        raise error
    skip(error)


def _read_arrays(first: str, rest: str, name: str, number: int) -> Iterator[Line]:
    """The messages of one array, of an array of arrays, or of a file with one array per line: each is a conversation."""
    arrays: list[tuple[str, int, Any]]
    try:
        whole = json.loads(first + rest)
    except (ValueError, RecursionError):
        texts = [first, *rest.splitlines()]
        lines = [(f"{name}, line {at}", at, text) for at, text in enumerate(texts, number) if text.strip()]
        if len(lines) > 1 and not _is_json(first):  # one array over several lines
            lines = [(f"{name}, line {number}", number, first + rest)]
        arrays = [(where, at, _parse(text, where)) for where, at, text in lines]
    else:
        several = bool(whole) and all(isinstance(one, list) for one in whole)
        arrays = (
            [(f"{name}, array {at}", number, one) for at, one in enumerate(whole, 1)]
            if several
            else [(name, number, whole)]
        )
    for at, (where, line, array) in enumerate(arrays, 1):
        for place, message in enumerate(array if isinstance(array, list) else [array], 1):
            text = json.dumps(message, ensure_ascii=False)
            yield Line(
                f"{where}, message {place}", line, text, _check_message(message, f"{where}, message {place}"), at
            )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise UsageError(f"{where} column {error.colno}: {reason}; write one JSON message per line") from None
    except RecursionError:
        raise UsageError(f"{where} column 1: nested too deeply; write one JSON message per line") from None
    except ValueError as error:
        raise UsageError(f"{where} column 1: {error}; write a smaller number") from None


def _check_message(message: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(message, dict):
        found = "a list" if isinstance(message, list) else "not a JSON object"
        raise UsageError(f"{where} column 1: {found}; write one message per line, each a JSON object")
    return message


def conversations(lines: Iterable[Line], session_field: str | None) -> Iterator[tuple[str | None, Iterable[Line]]]:
    """Yield each conversation with its id, if it has one.

    Args:
        lines: the messages.
        session_field: the member of each message that holds the id of its conversation, or None: then each array is a
            conversation, or all lines are.

    Raises:
        UsageError: a message has no such member.
    """
    if session_field is None:
        for _, group in groupby(lines, key=attrgetter("array")):
            yield None, group
        return
    found: dict[str, list[Line]] = {}
    for line in lines:
        id = line.message.get(session_field)
        if not isinstance(id, (str, int)) or isinstance(id, bool):
            names = ", ".join(sorted(line.message)[:_MOST_NAMES])
            raise UsageError(f"{line.where}: has no {session_field!r}, which --session-field names; it has {names}")
        found.setdefault(str(id), []).append(line)
    yield from found.items()
