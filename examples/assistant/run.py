"""An assistant at work: real tools, a scripted model, and everything that goes wrong on the way.

Run it with `python examples/assistant/run.py`. Exit code 0 when each call ended as scripted, 1 otherwise.
"""

from __future__ import annotations

import json
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from scenes import SCENES, Move, Scene
from services import serving
from tools import make_tools

from mulligan import Limits, Pipeline, Policy, Session, ToolResult
from mulligan.errors import ToolError, ToolQuotaError, ToolRateLimitError, ToolUnavailableError
from mulligan.middleware import retry
from mulligan.plugin import AttemptFailed, Event, Waiting, hookimpl

WIDTH = 100
LABEL = 11
MEMORY = 256 << 20
TOKEN = "push-7d31f0c85e"


def may_go_on(error: ToolError) -> bool | None:
    """A full disk stops a run by default; this assistant can delete files, so it may try."""
    return False if isinstance(error, ToolQuotaError) and error.tool_name == "write_file" else None


class Watch:
    """Prints which attempt fails and is followed by another, since the model reads nothing of it."""

    def __init__(self) -> None:
        self._failed = ""

    @hookimpl
    def observe(self, event: Event) -> None:
        """Is told what happens.

        Args:
            event: what happens.
        """
        if isinstance(event, AttemptFailed):
            self._failed = f"attempt {event.attempt} fails with {type(event.error).__name__}"
        elif isinstance(event, Waiting):
            show("meanwhile", f"{self._failed}; the call is made again")


def make_pipeline(address: str, folder: Path) -> Pipeline:
    """The assistant's tools, with what it is allowed.

    Args:
        address: where the services are.
        folder: the workspace.
    """
    return Pipeline(
        make_tools(address, folder, TOKEN),
        plugins=[Watch()],
        autoload=False,
        policy=Policy(fatal=may_go_on),
        limits=Limits(process_memory=MEMORY),
        middleware=[retry(on=(ToolUnavailableError, ToolRateLimitError), attempts=3, timeout=1, wait_max=0.2)],
    )


class Play:
    """Plays the scenes within one session, and prints them.

    Args:
        session: the conversation.
        folder: the workspace.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self._session = session
        self._folder = folder
        self.surprises = 0

    def scene(self, number: int, scene: Scene) -> None:
        """Plays one scene.

        Args:
            number: counted from 1.
            scene: the scene.

        Raises:
            ToolError: a failure after which the run must stop.
        """
        print(f"\n{number:>2}  {scene.title}")
        for move in scene.moves:
            result = self._move(move)
            if result.fatal and result.error is not None:
                raise result.error
            if result.error is not None and result.error.retry_after:
                show("waits", f"{result.error.retry_after:g} s, as it was told")
                time.sleep(result.error.retry_after)

    def _move(self, move: Move) -> ToolResult:
        show("asks", f"{move.name} {shortened(move.arguments)}")
        result = self._session.call(move.name, move.arguments, context={"folder": self._folder})
        got = "" if result.error is None else type(result.error).__name__
        show("ends with", got or "a result")
        show("reads", result.content, bar="| ")
        if got != move.error:
            self.surprises += 1
            show("NOT SO", f"it was to end with {move.error or 'a result'}")
        return result


def shortened(arguments: dict[str, object]) -> str:
    """Arguments as the model writes them; a long text is cut.

    Args:
        arguments: the arguments.
    """
    cut = {name: f"{value[:34]}..." if isinstance(value, str) and len(value) > WIDTH else value
           for name, value in arguments.items()}  # fmt: skip
    return json.dumps(cut)


def show(label: str, text: str, bar: str = "") -> None:
    """Prints a text in lines that begin below each other.

    Args:
        label: what it is.
        text: the text.
        bar: what each line begins with.
    """
    width = WIDTH - 4 - LABEL - len(bar)
    for line in text.splitlines() or [""]:
        for part in textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False) or [""]:
            print(f"    {label:<{LABEL}}{bar}{part}".rstrip())
            label = ""


def main() -> int:
    """Plays all scenes; the exit code."""
    with tempfile.TemporaryDirectory(prefix="assistant-") as temporary, serving() as world:
        folder = Path(temporary)
        (folder / "old.log").write_text("started\n" * 400, encoding="utf-8")
        with make_pipeline(world.address, folder) as pipeline:
            play = Play(pipeline.session(), folder)
            try:
                for number, scene in enumerate(SCENES, 1):
                    play.scene(number, scene)
            except ToolError as stop:
                show("stops", "the run ends here")
                show("user reads", stop.user_message)
                return int(play.surprises > 0 or number != len(SCENES))
    return 1


if __name__ == "__main__":
    sys.exit(main())
