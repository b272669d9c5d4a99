"""Runs a command on a terminal of its own, and reads what that terminal shows at the end."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def run_on_terminal(words: Sequence[str], folder: Path) -> tuple[int, list[str]]:
    """Runs a command whose output and errors go to a terminal.

    Args:
        words: the command.
        folder: the folder in which it runs.

    Returns:
        The exit code, and the lines on the terminal at the end; of a line that was overwritten, the last text.
    """
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "TERM": "xterm"}
    run = subprocess.Popen(words, cwd=folder, stdout=theirs, stderr=theirs, env=environment)  # noqa: S603
    os.close(theirs)
    written = b""
    with suppress(OSError):  # the program has closed the terminal
        while chunk := os.read(ours, 4_096):
            written += chunk
    os.close(ours)
    lines = [line.rstrip("\r").split("\r")[-1] for line in written.decode().split("\n")]
    return run.wait(60), [shown for line in lines if (shown := _CONTROL.sub("", line).strip())]
