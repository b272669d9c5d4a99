"""The standard streams: stdout holds what a command answers and nothing else; what tools and plugins print is for stderr."""

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

_ROOM = "make room, or write to another place"
_ANSWERS: ContextVar[TextIO | None] = ContextVar("answers", default=None)


class Written(io.FileIO):
    """A file that is written. Where it takes no more, it says so by its name, in a `UsageError`.

    Args:
        file: its name, or a descriptor.
        name: what it is called, for errors.
        step: what to do when it takes no more.
    """

    def __init__(self, file: str | int, name: str, step: str) -> None:
        super().__init__(file, "w")
        self._called = name
        self._step = step

    def write(self, data: Any, /) -> int:
        """Writes bytes.

        Raises:
            UsageError: they do not go in.
            BrokenPipeError: whoever reads them has gone.
        """
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"{self._called} cannot be written: {error.strerror}; {self._step}") from None


def stdout() -> TextIO:
    """Where a command writes what it answers."""
    return _ANSWERS.get() or sys.stdout


@contextmanager
def answers_apart() -> Iterator[None]:
    """Keeps stdout for `stdout()`: what anything else prints, child processes among them, goes to stderr.

    Raises:
        UsageError: stdout takes no more.
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
    """A stream of its own to where stdout leads, whose descriptor leads to stderr from now on; else stdout itself."""
    try:
        descriptor, prints = real.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):
        return real  # it is no file, as where a test takes it down
    if os.name == "nt":
        return real  # a console there is written by calls of its own
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
    """Makes the streams fit to be used: what their encoding cannot say is written as an escape.

    Raises:
        UsageError: stdout is closed.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        raise UsageError("stdout is closed, so nobody can read an answer; leave it open, or write to a file: > FILE")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def stdin(wanted: str) -> IO[bytes]:
    """What is piped in.

    Args:
        wanted: what it should hold, for the error.

    Raises:
        UsageError: stdin is closed.
    """
    if sys.stdin is None:
        raise UsageError(f"stdin is closed: give {wanted} with < FILE or |")
    return sys.stdin.buffer


def flush() -> None:
    """Sends on its way what is left on stdout itself.

    Raises:
        UsageError: it takes no more.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _abandon(sys.stdout)
        raise UsageError(f"stdout cannot be written: {error.strerror}; {_ROOM}") from None


def tell(text: str) -> None:
    """Writes lines to what stderr is at this moment (a progress bar takes its place for a while), as far as it takes them.

    Args:
        text: the lines, with their ends.
    """
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def leave_pipe() -> None:
    """Whoever read the output has gone: what is still buffered goes nowhere, without a complaint at exit."""
    _abandon(sys.stdout)


def _abandon(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def decode(raw: bytes, where: str, step: str) -> str:
    """A text that came as bytes.

    Args:
        raw: its bytes.
        where: what it is, and for a line of a file which one, for the error.
        step: what to do when it is no UTF-8.

    Raises:
        UsageError: it is not; names the byte.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} byte {error.start + 1}: not UTF-8; {step}") from None


def typed(word: str, what: str) -> str:
    """A word of the command line that is text, whatever encoding the locale claims that it has.

    Args:
        word: the word, as Python read it.
        what: what it is called, for the error.

    Raises:
        UsageError: it is not UTF-8.
    """
    try:
        raw = word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"{what}: half a character; write it as a JSON escape, or as a whole one") from None
    return decode(raw, f"{what},", "use a terminal that writes UTF-8")
