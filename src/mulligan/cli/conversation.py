"""A conversation in a file, one message a line: reads it, and tells which messages answer a tool call."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import attrs

from mulligan.errors import UsageError


@attrs.frozen
class Line:
    """One message of the conversation.

    Attributes:
        where: file and line, for errors.
        number: the line it stands on, counted from 1.
        text: the line as it was read.
        message: what it says.
    """

    where: str
    number: int
    text: str
    message: Mapping[str, Any]


@contextmanager
def opened(file: str, *, stdin: bool) -> Iterator[IO[bytes]]:
    """The file, or stdin.

    Args:
        file: its name.
        stdin: whether stdin is meant.

    Raises:
        UsageError: it cannot be read.
    """
    if stdin:
        yield sys.stdin.buffer
        return
    with open_file(file, "rb", "give a file with one message a line, or -") as stream:
        yield stream


def open_file(name: str, mode: str, step: str) -> IO[bytes]:
    """A file, opened in binary.

    Args:
        name: its name.
        mode: `rb` or `wb`.
        step: what to do when it cannot be opened.

    Raises:
        UsageError: it cannot be opened.
    """
    try:
        return cast("IO[bytes]", Path(name).open(mode))
    except OSError as error:
        raise UsageError(f"{name} cannot be opened: {error.strerror}; {step}") from None


def read_lines(stream: IO[bytes], name: str) -> Iterator[Line]:
    """The messages, one after the other; blank lines are passed over.

    Args:
        stream: the file.
        name: what it is called, for errors.

    Raises:
        UsageError: a line is no message; names line and column and the next step. All lines before it were given.
    """
    for number, raw in enumerate(stream, 1):
        where = f"{name}, line {number}"
        text = _decode(raw, where)
        if text.strip():
            yield Line(where, number, text.strip(), _read(text, where))


def _decode(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} byte {error.start + 1}: not UTF-8; save the file as UTF-8") from None


def _read(text: str, where: str) -> Mapping[str, Any]:
    try:
        message = json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        told = error.msg[:1].lower() + error.msg[1:]
        raise UsageError(f"{where} column {error.colno}: {told}; write one JSON message a line") from None
    except RecursionError:
        raise UsageError(f"{where} column 1: nested too deeply; write one JSON message a line") from None
    except ValueError as error:
        raise UsageError(f"{where} column 1: {error}; write a smaller number") from None
    if not isinstance(message, dict):
        found = "a list" if isinstance(message, list) else "no JSON object"
        raise UsageError(f"{where} column 1: {found}; write one message, a JSON object, on each line")
    return message


def without_answers(message: Mapping[str, Any], ids: Set[Any]) -> Mapping[str, Any] | None:
    """A message without what it says in answer to some calls.

    Args:
        message: a message of any role.
        ids: the ids of the calls.

    Returns:
        The message itself where it answers none of them, None where nothing else is left of it.
    """
    if message.get("role") == "tool" and _is_one_of(message.get("tool_call_id"), ids):
        return None
    content = message.get("content")
    if message.get("role") != "user" or not isinstance(content, list):
        return message
    kept = [block for block in content if not _answers(block, ids)]
    if len(kept) == len(content):
        return message
    return {**message, "content": kept} if kept else None


def _answers(block: Any, ids: Set[Any]) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result" and _is_one_of(block.get("tool_use_id"), ids)


def _is_one_of(id: object, ids: Set[Any]) -> bool:
    return isinstance(id, str) and id in ids
