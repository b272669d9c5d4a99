"""What a ledger should record of an agent's runs: two messages of the user, four calls, two failures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

REQUESTS = ("What is on page b? Or on a?", "And now page a again.")
CALLS = (
    (("c1", "read_page", {"path": "b"}), ("c2", "read_page", {"path": "a"})),
    (("c3", "raed_page", {"path": "a"}), ("c4", "read_page", {"path": "a"})),
)
"""The calls that the model makes after each of the user's messages, one per message."""


def read_page(path: str, limit: int = 3) -> str:
    """Read a page.

    Args:
        path: its path.
        limit: the number of lines.
    """
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


def assert_recorded(path: Any, pipeline: Any, play: Callable[[], Any]) -> None:
    """Plays two runs, and checks what the ledger has recorded of them.

    Each call is in the file once, in the conversation of the message that it follows; both failures count as recovered; and
    a replay gives the same texts.

    Args:
        path: the file of the ledger.
        pipeline: a pipeline whose adapter plays the runs.
        play: makes the calls of `CALLS` after the messages of `REQUESTS`.
    """
    from mulligan_ledger.database import open_for_reading
    from mulligan_ledger.measures import measure
    from mulligan_ledger.replay import changes, replay

    from mulligan import Pipeline, Policy

    play()
    pipeline.close()
    assert pipeline.faults == ()
    with closing(open_for_reading(path)) as file:
        rows = file.execute("SELECT * FROM calls WHERE name != 'final_answer' ORDER BY id").fetchall()
        found = [(row["call_id"], row["name"], row["error"]) for row in rows]
        assert found == [
            ("c1", "read_page", "ResourceNotFoundError"),
            ("c2", "read_page", None),
            ("c3", "raed_page", "ToolNotFoundError"),
            ("c4", "read_page", None),
        ]
        requests = file.execute("SELECT session, text FROM requests ORDER BY id").fetchall()
        assert [row["text"] for row in requests] == list(REQUESTS)
        sessions = [row["session"] for row in requests for _ in range(2)]
        assert [row["session"] for row in rows] == sessions
        total = measure(file).total
        assert (total.failures, total.judged, total.recovered) == (2, 2, 2)

        def make(tools: Any, recorded: Any) -> Pipeline:
            return Pipeline(tools, plugins=[recorded], autoload=False, policy=Policy(retry=False))

        replayed = list(replay(file, make))
        assert [one.reason for one in replayed] == ["", ""]
        assert ["\n".join(one.diff()) for one in changes(replayed)] == []


__all__ = ["CALLS", "REQUESTS", "assert_recorded", "read_page"]
