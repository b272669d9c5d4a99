"""The calls of the scripted model, turn by turn, and the expected outcome of each call."""

from __future__ import annotations

import attrs

TASK = "Write this week's sales report, with a forecast, and publish it."
_THINK = '{"thought": "First the sales, then the forecast.", "number": 1}'


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
        asks: the calls of the model's message; the first one fails.
        next_call: the call that follows the feedback; None if the run must stop.
        reaction: what the model did, in a few words.
    """

    title: str
    short_title: str
    asks: tuple[ScriptedCall, ...]
    next_call: ScriptedCall | None
    reaction: str


def _turn(title: str, short_title: str, asks: ScriptedCall, next_call: ScriptedCall, reaction: str) -> Turn:
    return Turn(title, short_title, (asks,), next_call, reaction)


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
