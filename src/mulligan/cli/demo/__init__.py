"""`mulligan demo`: a conversation in which everything goes wrong, with real tools and a scripted model."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from mulligan.cli.demo.play import Conversation
from mulligan.cli.demo.script import TURNS
from mulligan.cli.demo.server import serving
from mulligan.cli.demo.show import Show
from mulligan.cli.demo.tools import FILES, make_tools
from mulligan.cli.output import FAILED, OK, console, is_styled
from mulligan.cli.settings import Settings
from mulligan.pipeline import Pipeline

_PAUSE = 0.15


def demo(
    *,
    plain: Annotated[bool, Parameter(negative=())] = False,
    fast: Annotated[bool, Parameter(negative=())] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Play a conversation in which everything goes wrong: real tools, a scripted model, nine second chances.

    It works in a temporary folder, starts a Python process, and serves HTTP on 127.0.0.1 to itself; it needs no network. Exit
    code 0 when all went as scripted, 1 otherwise.

    Args:
        plain: no colours and no pauses, also on a terminal.
        fast: leave out all waiting.
        settings: the common options.

    Returns:
        The exit code.
    """
    styled = is_styled(sys.stdout) and not plain
    show = Show(console(sys.stdout, styled=styled))
    paced = sys.stdout.isatty() and not plain and not fast
    with tempfile.TemporaryDirectory(prefix="mulligan-demo-") as folder, serving() as port:
        workspace = Path(folder)
        for name, text in FILES.items():
            (workspace / name).write_text(text, encoding="utf-8")
        with settings.pipeline(make_tools(workspace, port), autoload=False, log="OFF") as pipeline:
            return _play(pipeline, show, pause=_PAUSE if paced else 0.0, wait=_no_wait if fast else time.sleep)


def _play(pipeline: Pipeline, show: Show, *, pause: float, wait: Callable[[float], None]) -> int:
    started = time.monotonic()
    conversation = Conversation(pipeline.session(), wait)
    played = []
    show.opening(pipeline.tools)
    for number, turn in enumerate(TURNS, 1):
        show.heading(number, turn)
        time.sleep(pause)
        one = conversation.play(turn)
        show.asked(one)
        time.sleep(pause)
        show.followed(one, skipped=wait is _no_wait)
        played.append(one)
    show.closing(played, conversation, time.monotonic() - started)
    as_scripted = not any(one.surprises for one in played) and conversation.asked == conversation.answered
    return OK if as_scripted else FAILED


def _no_wait(_: float) -> None:
    return None
