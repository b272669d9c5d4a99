"""Plays the script: real calls, within one session, until the run must stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import attrs

from mulligan.cli.demo.script import TASK, Move, Turn
from mulligan.results import ToolResult
from mulligan.session import Session


@attrs.frozen
class Played:
    """One turn, as it went.

    Attributes:
        turn: the turn.
        first: the results of the model's message; the first is the one that fails.
        second: the result of the call that followed, or None.
        waited: seconds that the model was told to wait.
        surprises: what did not go as scripted.
    """

    turn: Turn
    first: tuple[ToolResult, ...]
    second: ToolResult | None
    waited: float
    surprises: tuple[str, ...]

    @property
    def recovered(self) -> bool:
        """Whether the call that followed succeeded."""
        return self.second is not None and not self.second.is_error


class Conversation:
    """The messages so far, and the session that answers them.

    Args:
        session: the session.
        wait: waits for some seconds.

    Attributes:
        messages: the transcript, in the shape of OpenAI's Chat Completions.
    """

    def __init__(self, session: Session, wait: Callable[[float], None] = time.sleep) -> None:
        self._session = session
        self._wait = wait
        self._calls = 0
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]

    def play(self, turn: Turn) -> Played:
        """Lets the model make the calls of a turn.

        Args:
            turn: the turn.
        """
        first = self._say(turn.asks)
        surprises = [*map(_surprise, turn.asks, first)]
        waited, second = 0.0, None
        if turn.then is not None:
            waited = (first[0].error and first[0].error.retry_after) or 0.0
            self._wait(waited)
            (second,) = self._say((turn.then,))
            surprises.append(_surprise(turn.then, second))
        elif not first[0].fatal:
            surprises.append(f"{turn.asks[0].name} was to stop the run, and did not")
        return Played(turn, first, second, waited, tuple(filter(None, surprises)))

    def _say(self, moves: tuple[Move, ...]) -> tuple[ToolResult, ...]:
        """The model says one message with calls; it is answered."""
        message = {"role": "assistant", "content": None, "tool_calls": [self._call(move) for move in moves]}
        answers = self._session.answer(message)
        self.messages += [message, *answers]
        return answers.results

    def _call(self, move: Move) -> dict[str, Any]:
        self._calls += 1
        function = {"name": move.name, "arguments": move.arguments}
        return {"id": f"call_{self._calls}", "type": "function", "function": function}

    @property
    def asked(self) -> list[str]:
        """The ids of all calls, in order."""
        return [call["id"] for message in self.messages for call in message.get("tool_calls", ())]

    @property
    def answered(self) -> list[str]:
        """The ids of all answers, in order."""
        return [message["tool_call_id"] for message in self.messages if message["role"] == "tool"]


def _surprise(move: Move, result: ToolResult) -> str:
    got = type(result.error).__name__ if result.error is not None else ""
    if got == move.error:
        return ""
    return f"{move.name} was to end with {move.error or 'a result'}, and ended with {got or 'a result'}"
