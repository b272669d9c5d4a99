"""Output and exit codes of the commands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import IO, Any

from rich.console import Console
from rich.table import Table

from mulligan.cli.streams import stdout, tell
from mulligan.results import ToolResult
from mulligan.secrets.redaction import Redactor

OK = 0
FAILED = 1
USAGE = 2
FATAL = 3
INTERRUPTED = 130
PIPE_CLOSED = 141
WIDEST = 100
DASH = "<->"
"""Replaces the word `-` (stdin, or stdout for `--out`), which the parser would read as an option."""


def code_of(result: ToolResult) -> int:
    """The exit code for a result.

    Args:
        result: the result of a call.
    """
    if result.fatal:
        return FATAL
    return FAILED if result.is_error else OK


def is_styled(stream: IO[str]) -> bool:
    """Whether a stream gets colours: only a terminal does, unless `NO_COLOR` is set or the terminal is dumb.

    Args:
        stream: stdout or stderr.
    """
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _Screen(Console):
    """A console that raises `BrokenPipeError` if the reader closes the pipe."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(stream: IO[str], *, styled: bool) -> Console:
    """A console of at most 100 columns, and of exactly 100 if the stream is not a terminal.

    Args:
        stream: stdout or stderr.
        styled: whether to use colours.
    """
    found = _Screen(
        file=stream, highlight=False, markup=False, emoji=False, color_system="standard" if styled else None
    )
    wide = stream.isatty() or "COLUMNS" in os.environ
    found.width = min(found.width, WIDEST) if wide else WIDEST
    return found


def write(text: str) -> None:
    """Writes a text and a newline to stdout.

    Args:
        text: any text.
    """
    stdout().write(f"{text}\n")


def write_json(value: Any) -> None:
    """Writes a JSON value to stdout, indented.

    Args:
        value: a JSON value.
    """
    write(json.dumps(value, ensure_ascii=False, indent=2))


def complain(text: str) -> None:
    """Writes one line to stderr, without secrets: it may repeat what was typed, or what a file holds.

    Args:
        text: the problem and the next step.
    """
    tell(f"mulligan: {' '.join(Redactor().redact(text).split())}\n")


def print_table(
    screen: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> None:
    """Prints aligned columns; long cells wrap inside their column.

    Args:
        screen: the console.
        heads: the column headers.
        rows: the cells.
        right: the headers of right-aligned columns.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in heads:
        table.add_column(head, justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    with screen.capture() as captured:
        screen.print(table)
    for line in captured.get().splitlines():
        screen.out(line.rstrip(), highlight=False)
