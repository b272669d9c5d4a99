"""The scripted model: its calls, turn by turn, with their expected outcomes, and a real session in which it makes them."""

from __future__ import annotations

from typing import Any

import attrs

from mulligan.pipeline import Session
from mulligan.policy import Policy
from mulligan.results import ToolResult

TASK = "Write this week's sales report, with a forecast, and publish it."
_THINK = '{"thought": "First the sales, then the forecast.", "number": 1}'
POLICY = Policy(retry=False)
"""The demo shows the model trying again, not an automatic retry."""


@attrs.frozen
class ScriptedCall:
    """One call of the model.

    Attributes:
        name: the tool's name, as the model writes it.
        arguments: the arguments, as the model writes them.
        error: class name of the expected error; empty for a success.
    """

    name: str
    arguments: str
    error: str = ""


@attrs.frozen
class Turn:
    """One failure, and what the model does next.

    Attributes:
        title: the failure, as a heading.
        short_title: the same in two or three words.
        calls: the calls of the model's message; the first one fails.
        next_call: the call that follows the feedback; None if the run must stop.
        reaction: what the model did, in a few words.
    """

    title: str
    short_title: str
    calls: tuple[ScriptedCall, ...]
    next_call: ScriptedCall | None
    reaction: str


def _turn(title: str, short_title: str, first_call: ScriptedCall, next_call: ScriptedCall, reaction: str) -> Turn:
    return Turn(title, short_title, (first_call,), next_call, reaction)


TURNS = (
    _turn(
        "A tool that does not exist",
        "no such tool",
        ScriptedCall("openDocument", '{"path": "brief.txt"}', "ToolNotFoundError"),
        ScriptedCall("read_file", '{"path": "brief.txt"}'),
        "used the suggestion",
    ),
    _turn(
        "A tool name without its namespace",
        "partial name",
        ScriptedCall("sequential-thinking", _THINK, "ToolNotFoundError"),
        ScriptedCall("sequential-thinking__sequentialthinking", _THINK),
        "used the full name",
    ),
    _turn(
        "Arguments that are not valid JSON",
        "broken JSON",
        ScriptedCall("best_days", '{"path": "sales.csv", "count": 3', "ToolArgumentError"),
        ScriptedCall("best_days", '{"path": "sales.csv", "count": 3}'),
        "closed the brace",
    ),
    _turn(
        "An argument of the wrong type",
        "wrong type",
        ScriptedCall("forecast", '{"days": "seven", "runs": 500}', "ToolArgumentError"),
        ScriptedCall("forecast", '{"days": 7, "runs": 500}'),
        "sent a number",
    ),
    _turn(
        "A file that does not exist",
        "missing file",
        ScriptedCall("read_file", '{"path": "price.csv"}', "ResourceNotFoundError"),
        ScriptedCall("read_file", '{"path": "prices.csv"}'),
        "corrected the name",
    ),
    _turn(
        "A service that does not find a resource",
        "HTTP 404",
        ScriptedCall("get_rate", '{"currency": "POUND"}', "ResourceNotFoundError"),
        ScriptedCall("get_rate", '{"currency": "GBP"}'),
        "used a known one",
    ),
    _turn(
        "A service that limits requests",
        "HTTP 429",
        ScriptedCall("get_rate", '{"currency": "USD"}', "ToolRateLimitError"),
        ScriptedCall("get_rate", '{"currency": "USD"}'),
        "waited",
    ),
    _turn(
        "A tool that hangs",
        "no answer",
        ScriptedCall("forecast", '{"days": 30, "runs": 1000000000}', "ToolTimeoutError"),
        ScriptedCall("forecast", '{"days": 30, "runs": 1000}'),
        "requested less",
    ),
    Turn(
        "Credentials that are no longer valid",
        "HTTP 401",
        (
            ScriptedCall(
                "publish_report", '{"title": "Sales", "text": "Best: Sat, Sun, Fri."}', "ToolAuthenticationError"
            ),
            ScriptedCall("read_file", '{"path": "brief.txt"}'),
        ),
        None,
        "had to stop",
    ),
)


@attrs.define
class PlayedTurn:
    """One played turn.

    Attributes:
        turn: the turn.
        first: the results of the model's message; the first one fails.
        second: the result of the call that followed, or None.
    """

    turn: Turn
    first: tuple[ToolResult, ...]
    second: ToolResult | None = None

    @property
    def recovered(self) -> bool:
        """Whether the call that followed succeeded."""
        return self.second is not None and not self.second.is_error

    @property
    def wait(self) -> float:
        """Seconds that the feedback asks the model to wait."""
        error = self.first[0].error
        return (error is not None and error.retry_after) or 0.0

    @property
    def surprises(self) -> list[str]:
        """What did not go as scripted."""
        messages = [*map(_describe_surprise, self.turn.calls, self.first)]
        if self.turn.next_call is None:
            messages.append("" if self.first[0].fatal else f"{self.turn.calls[0].name} should have stopped the run")
        elif self.second is not None:
            messages.append(_describe_surprise(self.turn.next_call, self.second))
        return [surprise for surprise in messages if surprise]


class Conversation:
    """The messages so far, and the session that answers them.

    Args:
        session: the session.

    Attributes:
        messages: the transcript, in the format of OpenAI's Chat Completions.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._calls = 0
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]

    def ask(self, turn: Turn) -> PlayedTurn:
        """Make the calls of a turn, as the model; the first one fails.

        Args:
            turn: the turn.
        """
        return PlayedTurn(turn, self._send(turn.calls))

    def follow(self, played: PlayedTurn) -> None:
        """Make the call that follows the feedback, if there is one.

        Args:
            played: the turn so far.
        """
        if played.turn.next_call is not None:
            (played.second,) = self._send((played.turn.next_call,))

    def _send(self, moves: tuple[ScriptedCall, ...]) -> tuple[ToolResult, ...]:
        """Send one message with calls, as the model, and return the results."""
        message = {"role": "assistant", "content": None, "tool_calls": [self._call(move) for move in moves]}
        answers = self._session.answer(message)
        self.messages += [message, *answers]
        return answers.results

    def _call(self, move: ScriptedCall) -> dict[str, Any]:
        self._calls += 1
        function = {"name": move.name, "arguments": move.arguments}
        return {"id": f"call_{self._calls}", "type": "function", "function": function}

    @property
    def call_ids(self) -> list[str]:
        """The ids of all calls, in order."""
        return [call["id"] for message in self.messages for call in message.get("tool_calls", ())]

    @property
    def answer_ids(self) -> list[str]:
        """The ids of all answers, in order."""
        return [message["tool_call_id"] for message in self.messages if message["role"] == "tool"]


def _describe_surprise(move: ScriptedCall, result: ToolResult) -> str:
    got = type(result.error).__name__ if result.error is not None else ""
    if got == move.error:
        return ""
    return f"{move.name} should have ended with {move.error or 'a result'}, but ended with {got or 'a result'}"
