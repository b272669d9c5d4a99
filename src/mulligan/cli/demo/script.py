"""The calls of the scripted model, turn by turn, and the expected outcome of each call."""

from __future__ import annotations

import attrs

TASK = "Write this week's sales report, with a forecast, and publish it."
_THINK = '{"thought": "First the sales, then the forecast.", "number": 1}'


@attrs.frozen
class Move:
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
        wrong: the same in two or three words.
        asks: the calls of the model's message; the first one fails.
        then: the call that follows the feedback; None if the run must stop.
        did: what the model did, in a few words.
    """

    title: str
    wrong: str
    asks: tuple[Move, ...]
    then: Move | None
    did: str


def _turn(title: str, wrong: str, asks: Move, then: Move, did: str) -> Turn:
    return Turn(title, wrong, (asks,), then, did)


TURNS = (
    _turn(
        "A tool that does not exist",
        "no such tool",
        Move("openDocument", '{"path": "brief.txt"}', "ToolNotFoundError"),
        Move("read_file", '{"path": "brief.txt"}'),
        "used the suggestion",
    ),
    _turn(
        "A tool name without its namespace",
        "partial name",
        Move("sequential-thinking", _THINK, "ToolNotFoundError"),
        Move("sequential-thinking__sequentialthinking", _THINK),
        "used the full name",
    ),
    _turn(
        "Arguments that are not valid JSON",
        "broken JSON",
        Move("best_days", '{"path": "sales.csv", "count": 3', "ToolArgumentError"),
        Move("best_days", '{"path": "sales.csv", "count": 3}'),
        "closed the brace",
    ),
    _turn(
        "An argument of the wrong type",
        "wrong type",
        Move("forecast", '{"days": "seven", "runs": 500}', "ToolArgumentError"),
        Move("forecast", '{"days": 7, "runs": 500}'),
        "sent a number",
    ),
    _turn(
        "A file that does not exist",
        "missing file",
        Move("read_file", '{"path": "price.csv"}', "ResourceNotFoundError"),
        Move("read_file", '{"path": "prices.csv"}'),
        "corrected the name",
    ),
    _turn(
        "A service that does not find a resource",
        "HTTP 404",
        Move("get_rate", '{"currency": "POUND"}', "ResourceNotFoundError"),
        Move("get_rate", '{"currency": "GBP"}'),
        "used a known one",
    ),
    _turn(
        "A service that limits requests",
        "HTTP 429",
        Move("get_rate", '{"currency": "USD"}', "ToolRateLimitError"),
        Move("get_rate", '{"currency": "USD"}'),
        "waited",
    ),
    _turn(
        "A tool that hangs",
        "no answer",
        Move("forecast", '{"days": 30, "runs": 1000000000}', "ToolTimeoutError"),
        Move("forecast", '{"days": 30, "runs": 1000}'),
        "requested less",
    ),
    Turn(
        "Credentials that are no longer valid",
        "HTTP 401",
        (
            Move("publish_report", '{"title": "Sales", "text": "Best: Sat, Sun, Fri."}', "ToolAuthenticationError"),
            Move("read_file", '{"path": "brief.txt"}'),
        ),
        None,
        "had to stop",
    ),
)
