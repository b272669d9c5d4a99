"""The scenes with several turns, agents or calls: what real conversations have beyond a single failure.

`Scene.way` names the method of `Dominance` that plays a scene, since frameworks differ.
"""

from __future__ import annotations

import json
import re
import threading
from typing import Any

from mulligan import ToolCall, errors
from mulligan_testkit.props import Function, Props, Stage, github_client
from mulligan_testkit.scenes import SINGLE, Fact, Scene, Turn

LONG = "The row cannot be read: " + "cell " * 2_000
WORDS = "Unauthorized: order 77 is locked; call unlock_order first."
MANY, FAILING = 40, 28
_MEETING = 0.5
_FIRST, _LATE = 4, 5

RECORDS: dict[str, Any] = {
    "audit": {"entries": [{"code": 401, "message": "Unauthorized"}, {"code": 500, "message": "Internal error"}]},
    "last": {"level": "error", "text": "401 Unauthorized: invalid api key"},
    "route": {"status": 403, "path": "/admin", "hits": 12},
    "lint": {"ok": False, "problems": [{"line": 3, "error": "unused import"}]},
}


def library(appears: int | None = None) -> Props:
    """Creates the tools of a library, in which `draft.md` may be missing, and a payment tool.

    Args:
        appears: the turn from which `draft.md` exists; None if it never does.
    """

    def tools(stage: Stage) -> list[Function]:
        are_read = threading.Event()

        def read_page(path: str, limit: int = 100) -> str:
            """Read a page of the library."""
            stage.ran["read_page"] += 1
            if stage.ran["read_page"] == _FIRST:
                are_read.set()
            if limit == _LATE:  # this branch fails after the other if the framework runs them at the same time
                are_read.wait(_MEETING)
                are_read.set()
            if path == "draft.md" and (appears is None or stage.turn < appears):
                raise FileNotFoundError(2, "No such file or directory", path)
            return f"The page {path}: the rocket does not start"

        def pay(amount: int) -> str:
            """Pay an amount."""
            stage.ran["pay"] += 1
            return f"paid {amount}"

        return [read_page, pay]

    return tools


def renewed_key(stage: Stage) -> list[Function]:
    """A server that rejects the key of the first turn and accepts that of the second."""
    refused = stage.serve(401, {"message": "Bad credentials", "status": "401"})
    granted = stage.serve(200, {"number": 7, "title": "The rocket does not start", "url": "https://api.github.com/7"})
    clients = [github_client(refused), github_client(granted)]

    def get_issue(repository: str, number: int) -> str:
        """Read an issue of a GitHub repository."""
        stage.ran["get_issue"] += 1
        return str(clients[stage.turn - 1].get_repo(repository).get_issue(number).title)

    return [get_issue]


def rows(stage: Stage) -> list[Function]:
    """Rows of a table, most of which cannot be read, each with a long text."""

    def read_row(number: int) -> str:
        """Read a row of the table."""
        stage.ran["read_row"] += 1
        if number <= FAILING:
            raise RuntimeError(f"row {number}: {LONG}")
        return f"row {number} is fine"

    return [read_row]


def logbook(stage: Stage) -> list[Function]:
    """Records about errors, which are not failures."""

    def read_record(name: str) -> dict[str, Any]:
        """Read a record of the log."""
        stage.ran["read_record"] += 1
        return dict(RECORDS[name])

    return [read_record]


def orders(stage: Stage) -> list[Function]:
    """A tool whose author tells the model what to do instead."""

    def ship_order(number: int) -> str:
        """Ship an order."""
        stage.ran["ship_order"] += 1
        return stage.say(WORDS)  # type: ignore[no-any-return]

    return [ship_order]


def _read(id: str, path: str = "draft.md", **more: int) -> ToolCall:
    return ToolCall(id, "read_page", json.dumps({"path": path, **more}))


def _issue(id: str) -> ToolCall:
    return ToolCall(id, "get_issue", '{"repository": "acme/rocket", "number": 7}')


def _alone(*calls: ToolCall) -> tuple[tuple[ToolCall, ...], ...]:
    """Each call in a message of its own."""
    return tuple((call,) for call in calls)


def _data(value: Any) -> str:
    """A pattern that matches a value as JSON or as Python shows it, with at most the envelope of a framework around it."""
    words = re.findall(r'\w[^"]*\w|\w', json.dumps(value))
    return r"\A\W*(?:result\W+)?" + r"\W+".join(re.escape(word) for word in words) + r"\W*\Z"


_PAGE = (("the page", r"The page draft\.md"),)
_MISSING = (("that it is not there", "not found|no such file"),)
_REFUSED: tuple[Fact, ...] = (("that the credentials are refused", "credential|authenti|401"),)
_AGAIN = ("already failed", "failed 3 times", "was not run")

CONVERSATIONS = (
    Scene(
        "after_stop",
        "A new message of the user after a stop",
        (
            Turn(_alone(*(_read(f"c{n}") for n in range(1, 7))), fatal=errors.RepeatedCallError),
            Turn(_alone(_read("d1")), {"d1": _PAGE}, user="It is there now; try again."),
        ),
        library(appears=2),
        most={"read_page": 4},
    ),
    Scene(
        "after_fatal",
        "A new message of the user after a fatal error",
        (
            Turn(_alone(_issue("c1")), {"c1": _REFUSED}, fatal=errors.ToolAuthenticationError),
            Turn(_alone(_issue("d1")), {"d1": (("the issue", "rocket does not start"),)}, user="Here is a new key."),
        ),
        renewed_key,
        most={"get_issue": 2},
    ),
    Scene(
        "second_agent",
        "A second agent makes the call with which the first failed",
        (
            Turn(_alone(*(_read(f"c{n}") for n in range(1, 4)))),
            Turn(_alone(_read("d1"), _read("d2", "index.md")), {"d1": _MISSING}, hidden=_AGAIN),
        ),
        library(),
        "agents",
        least={"read_page": 5},
    ),
    Scene(
        "branches",
        "Two branches at once, each with the same failing call",
        (
            Turn(_alone(*(_read(f"c{n}") for n in range(1, 4))), {"c1": _MISSING}),
            Turn(_alone(*(_read(f"d{n}", limit=_LATE) for n in range(1, 4))), {"d1": _MISSING}),
        ),
        library(),
        "branches",
        most={"read_page": 6},
        least={"read_page": 6},
    ),
    Scene(
        "replay",
        "A replay from a checkpoint",
        (
            Turn(((ToolCall("c1", "pay", '{"amount": 5}'),),), {"c1": (("that it is paid", "paid 5"),)}),
            Turn(_alone(*(_read(f"d{n}") for n in range(1, 4))), {"d1": _MISSING}, user="Read the draft."),
            Turn(_alone(_read("e1")), {"e1": _PAGE}, hidden=_AGAIN, user="Read the draft."),
        ),
        library(appears=3),
        "replay",
        most={"pay": 1, "read_page": 4},
        least={"pay": 1, "read_page": 4},
    ),
    Scene(
        "forty_calls",
        "Forty different calls in one message, most of them fail",
        (
            Turn(
                (tuple(ToolCall(f"c{n:02}", "read_row", json.dumps({"number": n})) for n in range(1, MANY + 1)),),
                {
                    "c01": (("what is wrong", "row cannot be read"),),
                    f"c{MANY}": (("the row", rf"row {MANY} is fine\W*\Z"),),
                },
                is_ordered=True,
            ),
        ),
        rows,
        most={"read_row": MANY},
        least={"read_row": MANY},
    ),
    Scene(
        "data",
        "Data about errors",
        (
            Turn(
                (
                    tuple(
                        ToolCall(f"c{n}", "read_record", json.dumps({"name": name})) for n, name in enumerate(RECORDS)
                    ),
                ),
                {f"c{n}": (("the data and nothing else", _data(value)),) for n, value in enumerate(RECORDS.values())},
            ),
        ),
        logbook,
    ),
    Scene(
        "author",
        "The tool's author says what to do instead",
        (
            Turn(
                ((ToolCall("c1", "ship_order", '{"number": 77}'),),),
                {"c1": (("the author's words", WORDS),)},
                hidden=("not instructions",),
            ),
        ),
        orders,
        "author",
    ),
    Scene(
        "late_handoff",
        "An agent that is handed off to later",
        (
            Turn(
                _alone(_read("c1"), _read("c2", "index.md")), {"c1": _MISSING, "c2": (("the page", "The page index"),)}
            ),
        ),
        library(),
        "handoff",
        least={"read_page": 2},
    ),
)

SCENES = SINGLE + CONVERSATIONS
