"""Output and exit codes of the commands."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any, TextIO

from rich.console import Console
from rich.table import Table

from mulligan.errors import UsageError
from mulligan.results import ToolResult
from mulligan.secrets.redaction import Redactor

_ROOM = "free some space, or write to another place"
_ANSWERS: ContextVar[TextIO | None] = ContextVar("answers", default=None)


class Written(io.FileIO):
    """An output file. A failed write raises a `UsageError` that names the file.

    Args:
        file: the name of the file, or a descriptor.
        name: its name in errors.
        step: what to do if a write fails.
    """

    def __init__(self, file: str | int, name: str, step: str) -> None:
        super().__init__(file, "w")
        self._called = name
        self._step = step

    def write(self, data: Any, /) -> int:
        """Write bytes.

        Raises:
            UsageError: the write fails.
            BrokenPipeError: the reader closed the pipe.
        """
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"cannot write to {self._called}: {error.strerror}; {self._step}") from None


def stdout() -> TextIO:
    """Return the stream for the output of a command."""
    return _ANSWERS.get() or sys.stdout


@contextmanager
def answers_apart() -> Iterator[None]:
    """Reserve stdout for `stdout()`: all other output, also that of child processes, goes to stderr.

    Raises:
        UsageError: writing to stdout fails.
    """
    real = sys.stdout
    answers = _apart(real)
    token = _ANSWERS.set(answers)
    sys.stdout = sys.stderr
    try:
        yield
        answers.flush()
    finally:
        sys.stdout = real
        _ANSWERS.reset(token)
        if answers is not real:
            os.dup2(answers.fileno(), real.fileno())
            with contextlib.suppress(OSError, UsageError):
                answers.close()


def _apart(real: TextIO) -> TextIO:
    """Open a new stream to the target of stdout and point stdout at stderr; if that is impossible, return stdout."""
    try:
        descriptor, prints = real.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):
        return real  # not a file, as in a test that captures it
    if os.name == "nt":
        return real  # Windows writes to a console with special calls
    real.flush()
    file = Written(os.dup(descriptor), "stdout", _ROOM)
    os.dup2(prints, descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=real.encoding,
        errors="backslashreplace",
        line_buffering=getattr(real, "line_buffering", False),
    )


def ready() -> None:
    """Prepare the streams: characters that their encoding lacks are written as escapes.

    Raises:
        UsageError: stdout is closed.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        raise UsageError(
            "stdout is closed, so there is nowhere to write the output; keep it open, or redirect it: > FILE"
        )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def stdin(wanted: str) -> IO[bytes]:
    """Return the binary stream of stdin.

    Args:
        wanted: what it should contain, for the error.

    Raises:
        UsageError: stdin is closed.
    """
    if sys.stdin is None:
        raise UsageError(f"stdin is closed; pass {wanted} with < FILE or |")
    return sys.stdin.buffer


def flush() -> None:
    """Flush stdout.

    Raises:
        UsageError: writing to stdout fails.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _abandon(sys.stdout)
        raise UsageError(f"cannot write to stdout: {error.strerror}; {_ROOM}") from None


def tell(text: str) -> None:
    """Write lines to the current stderr (a progress bar may replace it), and ignore a failed write.

    Args:
        text: the lines, with newlines.
    """
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def leave_pipe() -> None:
    """Discard buffered output after the reader closed the pipe, so that Python does not complain at exit."""
    _abandon(sys.stdout)


def _abandon(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def decode(raw: bytes, where: str, step: str) -> str:
    """Decode UTF-8.

    Args:
        raw: the bytes.
        where: their source, with the line number for a file, for the error.
        step: what to do if they are not UTF-8.

    Raises:
        UsageError: they are not UTF-8; names the byte.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} byte {error.start + 1}: not UTF-8; {step}") from None


def typed(word: str, what: str) -> str:
    """Read a word of the command line as UTF-8, independent of the locale.

    Args:
        word: the word, as Python read it.
        what: its name in errors.

    Raises:
        UsageError: it is not UTF-8.
    """
    try:
        raw = word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"{what}: contains a lone surrogate; write the whole character, or a JSON escape") from None
    return decode(raw, f"{what},", "use a terminal that writes UTF-8")


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
    """Return the exit code for a result.

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
    """Return a console of at most 100 columns, and of exactly 100 if the stream is not a terminal.

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
    """Write a text and a newline to stdout.

    Args:
        text: any text.
    """
    stdout().write(f"{text}\n")


def write_json(value: Any) -> None:
    """Write a JSON value to stdout, indented.

    Args:
        value: a JSON value.
    """
    write(json.dumps(value, ensure_ascii=False, indent=2))


def complain(text: str) -> None:
    """Write one line to stderr. Secrets are redacted, since the line may quote the command line or a file.

    Args:
        text: the problem and the next step.
    """
    tell(f"mulligan: {' '.join(Redactor().redact(text).split())}\n")


def print_table(
    screen: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> None:
    """Print aligned columns; long cells wrap inside their column.

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
