"""The standard streams: stdout has only the output of the command; what tools and plugins print goes to stderr."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any, TextIO

from mulligan.errors import UsageError

_ROOM = "free some space, or write to another place"
_ANSWERS: ContextVar[TextIO | None] = ContextVar("answers", default=None)


class Written(io.FileIO):
    """An output file. A failed write raises a `UsageError` that names the file.

    Args:
        file: its name, or a descriptor.
        name: its name in errors.
        step: what to do if a write fails.
    """

    def __init__(self, file: str | int, name: str, step: str) -> None:
        super().__init__(file, "w")
        self._called = name
        self._step = step

    def write(self, data: Any, /) -> int:
        """Writes bytes.

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
    """The stream for the output of a command."""
    return _ANSWERS.get() or sys.stdout


@contextmanager
def answers_apart() -> Iterator[None]:
    """Reserves stdout for `stdout()`: everything else that prints, including child processes, goes to stderr.

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
    """A new stream to the target of stdout, whose descriptor then leads to stderr; stdout itself if that is not possible."""
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
    """Prepares the streams: characters that their encoding lacks are written as escapes.

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
    """The bytes of stdin.

    Args:
        wanted: what it should contain, for the error.

    Raises:
        UsageError: stdin is closed.
    """
    if sys.stdin is None:
        raise UsageError(f"stdin is closed; pass {wanted} with < FILE or |")
    return sys.stdin.buffer


def flush() -> None:
    """Flushes stdout.

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
    """Writes lines to the current stderr (a progress bar may replace it), and ignores a failed write.

    Args:
        text: the lines, with newlines.
    """
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def leave_pipe() -> None:
    """Discards buffered output after the reader closed the pipe, so that Python does not complain at exit."""
    _abandon(sys.stdout)


def _abandon(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def decode(raw: bytes, where: str, step: str) -> str:
    """Decodes UTF-8.

    Args:
        raw: the bytes.
        where: what they are, with the line number for a file, for the error.
        step: what to do if they are not UTF-8.

    Raises:
        UsageError: they are not UTF-8; names the byte.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} byte {error.start + 1}: not UTF-8; {step}") from None


def typed(word: str, what: str) -> str:
    """A word of the command line as UTF-8, independent of the locale.

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
