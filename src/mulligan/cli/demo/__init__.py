"""`mulligan demo`: a conversation full of failures, with real tools and a scripted model."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from mulligan.cli.demo.script import POLICY, TURNS, Conversation, PlayedTurn, Turn
from mulligan.cli.demo.show import Show
from mulligan.cli.demo.tools import FILES, make_tools, run_server
from mulligan.cli.output import FAILED, OK, console, is_styled, stdout
from mulligan.cli.settings import Settings
from mulligan.pipeline import Pipeline

_PAUSE = 0.15


def demo(
    *,
    plain: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    fast: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Play a conversation full of failures, with real tools and a scripted model.

    The demo works in a temporary folder, starts a Python process, and serves HTTP on 127.0.0.1. It uses no other
    network. The exit code is 0 if everything went as scripted, else 1.

    Args:
        plain: no colours and no pauses, even on a terminal.
        fast: skip all waiting.
        settings: the common options.

    Returns:
        The exit code.
    """
    styled = is_styled(stdout()) and not plain
    show = Show(console(stdout(), styled=styled))
    paced = stdout().isatty() and not plain and not fast
    with tempfile.TemporaryDirectory(prefix="mulligan-demo-") as folder, run_server() as port:
        workspace = Path(folder)
        for name, text in FILES.items():
            (workspace / name).write_text(text, encoding="utf-8")
        with settings.pipeline(make_tools(workspace, port), bare=True, log="OFF", policy=POLICY) as pipeline:
            return _Player(pipeline, show, pause=_PAUSE if paced else 0.0, waits=not fast).play()


class _Player:
    """Plays the script and shows it, step by step."""

    def __init__(self, pipeline: Pipeline, show: Show, *, pause: float, waits: bool) -> None:
        self._tools = pipeline.tools
        self._conversation = Conversation(pipeline.session())
        self._show = show
        self._pause = pause
        self._waits = waits

    def play(self) -> int:
        """Play all turns, and return whether they went as scripted, as an exit code."""
        started = time.monotonic()
        self._show.show_opening(self._tools)
        played = [self._turn(number, turn) for number, turn in enumerate(TURNS, 1)]
        self._show.show_summary(played, self._conversation, time.monotonic() - started)
        conversation = self._conversation
        as_scripted = not any(one.surprises for one in played) and conversation.call_ids == conversation.answer_ids
        return OK if as_scripted else FAILED

    def _turn(self, number: int, turn: Turn) -> PlayedTurn:
        self._show.show_calls(number, turn)
        time.sleep(self._pause)
        played = self._conversation.ask(turn)
        self._show.show_results(played, skips=not self._waits)
        time.sleep(self._pause + (played.wait if self._waits else 0.0))
        self._conversation.follow(played)
        self._show.show_end(played)
        return played
