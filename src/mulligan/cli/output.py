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

_FREE_SPACE = "free some space, or write to another place"
_OUTPUT: ContextVar[TextIO | None] = ContextVar("answers", default=None)
OK = 0
FAILED = 1
USAGE_ERROR = 2
FATAL = 3
INTERRUPTED = 130
PIPE_CLOSED = 141
MAX_WIDTH = 100
DASH = "<->"
"""Replaces the word `-` (stdin, or stdout for `--out`), which the parser would read as an option."""


class OutputFile(io.FileIO):
    """An output file. A failed write raises a `UsageError` that names the file.

    Args:
        file: the name of the file, or a descriptor.
        name: its name in errors.
        step: what to do if a write fails.
    """

    def __init__(self, file: str | int, name: str, step: str) -> None:
        super().__init__(file, "w")
        self._label = name
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
            raise UsageError(f"cannot write to {self._label}: {error.strerror}; {self._step}") from None


def stdout() -> TextIO:
    """Return the stream for the output of a command."""
    return _OUTPUT.get() or sys.stdout


@contextmanager
def reserve_stdout() -> Iterator[None]:
    """Reserve stdout for `stdout()`: all other output, also that of child processes, goes to stderr.

    Raises:
        UsageError: writing to stdout fails.
    """
    real = sys.stdout
    output = _redirect_to_stderr(real)
    token = _OUTPUT.set(output)
    sys.stdout = sys.stderr
    try:
        yield
        output.flush()
    finally:
        sys.stdout = real
        _OUTPUT.reset(token)
        if output is not real:
            os.dup2(output.fileno(), real.fileno())
            with contextlib.suppress(OSError, UsageError):
                output.close()


def _redirect_to_stderr(real: TextIO) -> TextIO:
    """Open a new stream to the target of stdout and point stdout at stderr; if that is impossible, return stdout."""
    try:
        descriptor, stderr_descriptor = real.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):
        return real  # not a file, as in a test that captures it
    if os.name == "nt":
        return real  # Windows writes to a console with special calls
    real.flush()
    file = OutputFile(os.dup(descriptor), "stdout", _FREE_SPACE)
    os.dup2(stderr_descriptor, descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=real.encoding,
        errors="backslashreplace",
        line_buffering=getattr(real, "line_buffering", False),
    )


def prepare_streams() -> None:
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
        _redirect_to_devnull(sys.stdout)
        raise UsageError(f"cannot write to stdout: {error.strerror}; {_FREE_SPACE}") from None


def write_stderr(text: str) -> None:
    """Write lines to the current stderr (a progress bar may replace it), and ignore a failed write.

    Args:
        text: the lines, with newlines.
    """
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _redirect_to_devnull(sys.stderr)


def discard_output() -> None:
    """Discard buffered output after the reader closed the pipe, so that Python does not complain at exit."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
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


def decode_argument(word: str, what: str) -> str:
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


def exit_code(result: ToolResult) -> int:
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
    screen = _Screen(
        file=stream, highlight=False, markup=False, emoji=False, color_system="standard" if styled else None
    )
    wide = stream.isatty() or "COLUMNS" in os.environ
    screen.width = min(screen.width, MAX_WIDTH) if wide else MAX_WIDTH
    return screen


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


def report_problem(text: str) -> None:
    """Write one line to stderr. Secrets are redacted, since the line may quote the command line or a file.

    Args:
        text: the problem and the next step.
    """
    write_stderr(f"mulligan: {' '.join(Redactor().redact(text).split())}\n")


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
