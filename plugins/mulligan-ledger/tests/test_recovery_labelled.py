"""The definition of recovered against conversations that were labelled by hand.

Somebody who had not seen the code wrote `labelled_conversations.json` from docs/explanation/recovered.md, and marked
the labels that the page left open. Each conversation is played through a pipeline into a ledger; the figures are read
back as the commands read them. Run this file to print the agreement.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from conftest import rows
from mulligan_ledger import Ledger
from mulligan_ledger.database import open_for_reading
from mulligan_ledger.measures import measure
from mulligan_ledger.recovery import Recovery

from mulligan import Pipeline, Policy, Tool, ToolCall
from mulligan import plugin as errors
from mulligan.plugin import CallFinished, Problem, ToolError, hookimpl
from mulligan.session.tally import Summary

CONVERSATIONS = json.loads((Path(__file__).parent / "labelled_conversations.json").read_text(encoding="utf-8"))
FIELDS = ("next", "recovered", "steps", "followed")

# Where the code differs from a label, and why the label stays.
DIFFERS = {
    (
        "weather-misspelt-tool-and-city",
        "c1",
    ): "unclear when it was labelled; the page now says that a near value is enough",
}


@attrs.frozen
class Judged:
    """One label beside what the ledger says."""

    conversation: str
    label: dict[str, Any]
    found: Recovery

    @property
    def place(self) -> tuple[str, str]:
        return self.conversation, self.label["call"]

    @property
    def is_clear(self) -> bool:
        return not self.label.get("unclear")

    @property
    def agrees(self) -> bool:
        return all(self.label[name] == getattr(self.found, name) for name in FIELDS)


class _AsLabelled(Ledger):
    """A ledger that records of a failure what the conversation says of it, also what mulligan would have said better."""

    given: dict[str, dict[str, Any]]

    @hookimpl(trylast=True)
    def observe(self, event: Any) -> None:
        if type(event) is CallFinished:
            call = self.given[event.sent.id]
            assert event.result.is_error == ("error" in call), call
            if event.result.is_error:
                error, proposed = _error(call["error"]), call.get("corrected_call")
                event.result.error = error
                event.result.feedback.problems = tuple(error.problems)
                event.result.feedback.corrected = proposed and json.dumps(
                    {"name": proposed["tool"], "arguments": proposed["arguments"]}
                )
        super().observe(event)


def _error(given: dict[str, Any]) -> ToolError:
    error: ToolError = getattr(errors, given["class"])(
        "It failed.",
        fatal=given.get("fatal", False),
        resource=given.get("missing"),
        problems=[Problem(f"/{name}", "not valid") for name in given.get("rejects", ())],
    )
    error.__dict__["suggestions"] = tuple(given.get("suggestions", ()))
    return error


def _play(conversation: dict[str, Any], ledger: _AsLabelled) -> Summary:
    steps = [event.get("step", []) for event in conversation["events"]]
    ledger.given = {call["id"]: call for step in steps for call in step}
    current: dict[str, Any] = {}

    def run(**_: Any) -> str:
        if "error" in current:
            raise _error(current["error"])
        return "done"

    anything = {"type": "object", "additionalProperties": True}
    tools = [Tool.from_schema(name, "A tool.", anything, run) for name in conversation["tools"]]
    with closing(Pipeline(tools, plugins=[ledger], autoload=False, policy=Policy(retry=False))) as pipeline:
        session = pipeline.session(conversation["id"])
        for event in conversation["events"]:
            if "user" in event:
                session.note_request(event["user"])
                continue
            session.forgive()  # these models were never told to stop repeating a call
            with session.step():
                for call in event["step"]:
                    current = call
                    session.call(ToolCall(call["id"], call["tool"], call["arguments"]))
        assert not pipeline.faults, pipeline.faults
        return session.summary()


@cache
def _played() -> tuple[tuple[Judged, ...], dict[str, Summary]]:
    """Every label with what the ledger says of its call; and what the session itself counts, by conversation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        with closing(_AsLabelled(path)) as ledger:
            summaries = {one["id"]: _play(one, ledger) for one in CONVERSATIONS}
        names = {row["id"]: row["session_id"] for row in rows(path, "sessions")}
        places = {row["id"]: (names[row["session"]], row["call_id"]) for row in rows(path, "calls")}
        with closing(open_for_reading(path)) as connection:
            found = {places[key]: one for key, one in measure(connection).recoveries.items()}
    labels = {(one["id"], label["call"]): label for one in CONVERSATIONS for label in one["labels"]}
    assert set(found) == set(labels)
    return tuple(Judged(place[0], label, found[place]) for place, label in labels.items()), summaries


def judged() -> tuple[Judged, ...]:
    """Every label with what the ledger says of its call."""
    return _played()[0]


def compared() -> tuple[int, int, int, int]:
    """How many failures count as recovered, by the ledger and by `session.summary()`; and, of the conversations, how many
    are counted higher by one than by the other: by the summary, and by the ledger.
    """
    found, summaries = _played()
    pairs = [
        (sum(one.found.recovered for one in found if one.conversation == id), summary.recovered)
        for id, summary in summaries.items()
    ]
    more, less = (sum(test(*pair) for pair in pairs) for test in (int.__lt__, int.__gt__))
    return sum(one for one, _ in pairs), sum(other for _, other in pairs), more, less


def agreement() -> str:
    """The counts, as the page states them."""
    lines = [f"{len(CONVERSATIONS)} conversations, {len(judged())} failed calls"]
    for name, labels in (
        ("clear labels", [one for one in judged() if one.is_clear]),
        ("labels that the page left open", [one for one in judged() if not one.is_clear]),
    ):
        agreed = sum(one.agrees for one in labels)
        by_field = Counter(field for one in labels for field in FIELDS if one.label[field] == getattr(one.found, field))
        fields = ", ".join(f"{field} {by_field[field]}" for field in FIELDS)
        lines.append(f"{name}: {agreed} of {len(labels)} agree in all fields, {agreed / len(labels):.1%} ({fields})")
    by_ledger, by_summary, more, less = compared()
    lines.append(
        f"recovered: {by_ledger} by the ledger, {by_summary} by session.summary(), which counts more in {more} "
        f"conversations and less in {less}"
    )
    return "\n".join(lines)


def test_the_clear_labels_agree():
    clear = [one for one in judged() if one.is_clear]

    assert len(clear) >= 100
    assert sum(one.agrees for one in clear) >= 0.95 * len(clear), agreement()


def test_every_difference_has_a_reason():
    assert {one.place for one in judged() if not one.agrees} == set(DIFFERS), agreement()


if __name__ == "__main__":
    print(f"{datetime.now(UTC):%Y-%m-%d}: {agreement()}")
