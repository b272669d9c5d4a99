"""Read a conversation from a file with one message per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
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
    """

    where: str
    number: int
    text: str
    message: Mapping[str, Any]


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


def read_lines(stream: IO[bytes], name: str) -> Iterator[Line]:
    """Yield the messages one by one; blank lines are skipped.

    Args:
        stream: the file.
        name: its name in errors.

    Raises:
        UsageError: a line is not a message; names the line, the column and the next step. The lines before it were yielded.
    """
    for number, raw in enumerate(stream, 1):
        where = f"{name}, line {number}"
        text = decode(raw, where, "save the file as UTF-8")
        if text.strip():
            yield Line(where, number, text.strip(), _parse_message(text, where))


def _parse_message(text: str, where: str) -> Mapping[str, Any]:
    try:
        message = json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise UsageError(f"{where} column {error.colno}: {reason}; write one JSON message per line") from None
    except RecursionError:
        raise UsageError(f"{where} column 1: nested too deeply; write one JSON message per line") from None
    except ValueError as error:
        raise UsageError(f"{where} column 1: {error}; write a smaller number") from None
    if not isinstance(message, dict):
        found = "a list" if isinstance(message, list) else "not a JSON object"
        raise UsageError(f"{where} column 1: {found}; write one message per line, each a JSON object")
    return message
