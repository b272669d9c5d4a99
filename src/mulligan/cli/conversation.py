"""Reads a conversation from a file with one message per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import attrs

from mulligan.cli import streams
from mulligan.cli.streams import decode
from mulligan.errors import UsageError


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
def opened(file: str, *, stdin: bool) -> Iterator[IO[bytes]]:
    """The file, or stdin.

    Args:
        file: its name.
        stdin: whether to read stdin instead.

    Raises:
        UsageError: it cannot be read.
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
    """The messages, one by one; blank lines are skipped.

    Args:
        stream: the file.
        name: its name in errors.

    Raises:
        UsageError: a line is not a message; names the line, the column and the next step. Earlier lines were yielded.
    """
    for number, raw in enumerate(stream, 1):
        where = f"{name}, line {number}"
        text = decode(raw, where, "save the file as UTF-8")
        if text.strip():
            yield Line(where, number, text.strip(), _read(text, where))


def _read(text: str, where: str) -> Mapping[str, Any]:
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
