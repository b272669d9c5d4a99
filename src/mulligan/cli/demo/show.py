"""The output of the demo: one block of aligned lines per turn, and a table at the end."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from mulligan.cli.demo.script import TASK, Conversation, PlayedTurn, ScriptedCall, Turn
from mulligan.cli.output import print_table
from mulligan.results import ToolResult

_INDENT = 4
_LABEL_WIDTH = 11
_HEADS = ("call", "went wrong", "error", "the model", "outcome", "ms")
_TABLE_WIDTH = 98


class Show:
    """Writes the demo to a console.

    Args:
        screen: the console.
    """

    def __init__(self, screen: Console) -> None:
        self._screen = screen
        self._bar = "|" if screen.options.ascii_only else "│"

    def show_opening(self, tools: Iterable[str]) -> None:
        """Introduce the demo.

        Args:
            tools: the names of the tools.
        """
        self._print(Text("mulligan demo", "bold"))
        self._print(Text("Every call below is real: files, a Python process, HTTP on 127.0.0.1."))
        self._print(Text("Only the model is scripted."))
        self._print(Text())
        self._print_labelled("task", TASK, "bold", indent=0)
        self._print_labelled("tools", ", ".join(tools), "", indent=0)

    def show_calls(self, number: int, turn: Turn) -> None:
        """Show the calls that start a turn.

        Args:
            number: the number of the turn, counted from 1.
            turn: the turn.
        """
        self._print(Text())
        self._print(Text(f"{number:>2}  {turn.title}", "bold"))
        for move in turn.calls:
            self._print_call("calls", move)

    def show_results(self, played: PlayedTurn, *, skips: bool) -> None:
        """Show what the model reads, and what it does next.

        Args:
            played: the turn so far.
            skips: whether waiting is skipped.
        """
        for result in played.first:
            self._print_result("reads", result)
        if played.wait:
            self._print_labelled("waits", f"{played.wait:g} s{' (skipped)' if skips else ''}", "")
        if played.turn.next_call is not None:
            self._print_call("then calls", played.turn.next_call)

    def show_end(self, played: PlayedTurn) -> None:
        """Show how the turn ends.

        Args:
            played: the played turn.
        """
        if played.second is not None:
            self._print_result("and reads", played.second)
        for result in played.first:
            if result.fatal and result.error is not None:
                self._print_labelled(
                    "stops", "The run ends here, after every call of the message got its answer.", "red"
                )
                self._print_labelled("user reads", result.error.user_message, "red")
        for surprise in played.surprises:
            self._print_labelled("unexpected", f"{surprise}.", "bold red")

    def show_summary(self, played: list[PlayedTurn], conversation: Conversation, seconds: float) -> None:
        """Show the table and the summary.

        Args:
            played: all turns.
            conversation: the conversation.
            seconds: the duration of the demo.
        """
        self._print(Text())
        wide = self._screen.width >= _TABLE_WIDTH
        heads = [head for head in _HEADS if wide or head != "the model"]
        rows = [[cell for head, cell in zip(_HEADS, _row(one), strict=True) if head in heads] for one in played]
        print_table(self._screen, heads, rows, right=("ms",))
        self._print(Text())
        recovered = sum(one.recovered for one in played)
        stopped = sum(one.first[0].fatal for one in played)
        summary = f"The model recovered from {recovered} of {len(played)} failures; {stopped} stopped the run."
        self._print(Text(summary, "bold green" if not any(one.surprises for one in played) else "bold red"))
        asked, answered = conversation.call_ids, conversation.answer_ids
        completeness = "the transcript is complete" if asked == answered else "the transcript is NOT complete"
        self._print(Text(f"{len(asked)} calls, {len(answered)} answers: {completeness}. {seconds:.1f} s."))
        self._print(Text())
        self._print(Text("The operator's view: mulligan demo --log error", "dim"))
        self._print(Text("With your own tools: mulligan call --tools FILE.py TOOL '{...}'", "dim"))

    def _print_call(self, label: str, move: ScriptedCall) -> None:
        self._print_labelled(label, f"{move.name} {move.arguments}", "cyan")

    def _print_result(self, label: str, result: ToolResult) -> None:
        style = "red" if result.fatal else "yellow" if result.is_error else "green"
        lines = [line for given in result.content.rstrip("\n").split("\n") for line in self._wrap(given, 2)]
        for number, line in enumerate(lines):
            text = Text(" " * _INDENT + ("" if number else label).ljust(_LABEL_WIDTH), "dim")
            self._print(text.append(f"{self._bar} ", "dim").append(line, f"not dim {style}"))

    def _print_labelled(self, label: str, said: str, style: str, indent: int = _INDENT) -> None:
        for number, line in enumerate(self._wrap(said, indent - _INDENT)):
            text = Text(
                " " * indent + ("" if number else label).ljust(_LABEL_WIDTH if indent else _LABEL_WIDTH - _INDENT),
                "dim",
            )
            self._print(text.append(line, f"not dim {style}"))

    def _wrap(self, line: str, used: int) -> list[str]:
        width = max(self._screen.width - _INDENT - _LABEL_WIDTH - used, 20)
        return textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False) or [""]

    def _print(self, text: Text) -> None:
        self._screen.print(text, soft_wrap=True)


def _row(played: PlayedTurn) -> tuple[str, ...]:
    result = played.first[0]
    outcome = "recovered" if played.recovered else "stopped" if result.fatal else "failed"
    error = type(result.error).__name__
    milliseconds = result.duration * 1_000
    time = "<1" if milliseconds < 1 else f"{milliseconds:.0f}"
    return played.turn.calls[0].name, played.turn.short_title, error, played.turn.reaction, outcome, time
