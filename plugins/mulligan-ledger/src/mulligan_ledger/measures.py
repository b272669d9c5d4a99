"""The figures of a ledger: calls, failures, their outcomes, and which cost most."""

from __future__ import annotations

import sqlite3
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import attrs

from mulligan_ledger.recovery import NEXT, STEPS, Recovery, Sent, recoveries

COSTLIEST = 5
_MOST_BUCKETS = 40
_SPANS = (60, 300, 900, 3_600, 4 * 3_600, 86_400, 7 * 86_400, 30 * 86_400)


@attrs.define
class Group:
    """The figures of a group of calls: those of a tool, of an error class, or with one kind of failure.

    Attributes:
        name: the name of the group.
        calls: how many calls.
        failures: how many of them failed.
        judged: how many failures were in a conversation, so that their outcome is known.
        recovered: how many of those were recovered.
        steps: after how many steps each of those was recovered.
        seconds: how long each call took.
        cost: the steps that failures took: until they were recovered, or all that were examined.
        proposed: how many failures proposed a corrected call.
        followed: how many of those calls were made.
        feedback_chars: the characters of feedback that the model read.
        error: the class of the failures, for one kind of failure.
        message: the message of the latest failure.
        example: the key of the latest failure.
        session: the conversation of the latest failure.
    """

    name: str
    calls: int = 0
    failures: int = 0
    judged: int = 0
    recovered: int = 0
    steps: list[int] = attrs.field(factory=list)
    seconds: list[float] = attrs.field(factory=list)
    cost: int = 0
    proposed: int = 0
    followed: int = 0
    feedback_chars: int = 0
    error: str = ""
    message: str = ""
    example: int = 0
    session: int = 0

    def add(self, row: sqlite3.Row, recovery: Recovery | None) -> None:
        """Counts a call."""
        self.calls += 1
        self.seconds.append(row["duration"])
        if not row["is_error"]:
            return
        self.failures += 1
        self.feedback_chars += row["feedback_chars"] or 0
        self.error, self.message = row["error"] or "", row["message"] or ""
        self.example, self.session = row["id"], row["session"]
        if recovery is None:
            return
        self.judged += 1
        self.recovered += recovery.recovered
        self.cost += recovery.steps or STEPS
        if recovery.steps is not None:
            self.steps.append(recovery.steps)
        if recovery.followed is not None:
            self.proposed += 1
            self.followed += recovery.followed

    @property
    def median_steps(self) -> float | None:
        """The median number of steps until a failure was recovered; None if none was."""
        return statistics.median(self.steps) if self.steps else None

    def quantile(self, part: float) -> float | None:
        """The seconds within which this share of the calls ended."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else None

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "name": self.name,
            "calls": self.calls,
            "failures": self.failures,
            "judged": self.judged,
            "recovered": self.recovered,
            "median_steps": self.median_steps,
            "proposed": self.proposed,
            "followed": self.followed,
            "cost": self.cost,
            "feedback_chars": self.feedback_chars,
            "p50_seconds": self.quantile(0.5),
            "p95_seconds": self.quantile(0.95),
        }


@attrs.define
class Bucket:
    """The calls that began within one span of time.

    Attributes:
        start: its beginning, as text.
        calls: how many calls.
        failures: how many failed.
    """

    start: str
    calls: int = 0
    failures: int = 0


@attrs.define
class Measures:
    """All figures of a report.

    Attributes:
        total: all calls.
        tools: by the name that was called, or `unknown` where no tool has it; most failures first.
        classes: by class of error, most first.
        kinds: by tool, class and rule; the costliest first.
        next: how many failures by what the model did next.
        buckets: the calls over time.
        bucket_seconds: the duration of a bucket.
        conversations: how many conversations have calls.
        first: when the first call began, as text; empty without calls.
        last: when the last one began.
        repaired: how many calls were read differently from how they were sent.
        retried: how many calls took more than one attempt.
        fatal: how many failures ended the run.
        lost: how many calls and requests could not be recorded.
        recoveries: by the key of the failed call.
    """

    total: Group
    tools: list[Group]
    classes: list[Group]
    kinds: list[Group]
    next: Counter[str]
    buckets: list[Bucket]
    bucket_seconds: int
    conversations: int
    first: str
    last: str
    repaired: int
    retried: int
    fatal: int
    lost: int
    recoveries: dict[int, Recovery]

    @property
    def costliest(self) -> list[Group]:
        """The five kinds of failures that took the most steps."""
        return self.kinds[:COSTLIEST]

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        kinds = [
            {**one.to_dict(), "error": one.error, "message": one.message, "session": one.session} for one in self.kinds
        ]
        return {
            "total": self.total.to_dict(),
            "conversations": self.conversations,
            "first": self.first,
            "last": self.last,
            "repaired": self.repaired,
            "retried": self.retried,
            "fatal": self.fatal,
            "lost": self.lost,
            "next": {name: self.next[name] for name in NEXT},
            "tools": [one.to_dict() for one in self.tools],
            "classes": [one.to_dict() for one in self.classes],
            "costliest": kinds[:COSTLIEST],
            "kinds": kinds,
            "over_time": [attrs.asdict(one) for one in self.buckets],
        }


_COLUMNS = (
    "calls.id, calls.session, calls.step, calls.at, calls.duration, calls.name, calls.tool, calls.arguments_key, "
    "calls.is_error, calls.error, calls.rule, calls.corrected_key, calls.suggestions, calls.problems, calls.resource, "
    "calls.message, calls.fatal, calls.attempts, calls.repaired, calls.feedback_chars, sessions.conversation"
)


def measure(connection: sqlite3.Connection) -> Measures:
    """The figures of a file.

    Args:
        connection: the file.
    """
    total, tools, classes, kinds = Group("all"), {}, {}, {}
    did: Counter[str] = Counter()
    found: dict[int, Recovery] = {}
    counts = Counter[str]()
    moments: list[tuple[str, bool]] = []
    for rows, became in _recoveries_by_conversation(connection):
        for row in rows:
            recovery = became.get(row["id"])
            total.add(row, recovery)
            name = row["tool"] or "unknown"
            tools.setdefault(name, Group(name)).add(row, recovery)
            counts["repaired"] += row["repaired"]
            counts["retried"] += row["attempts"] > 1
            moments.append((row["at"], bool(row["is_error"])))
            if not row["is_error"]:
                continue
            counts["fatal"] += row["fatal"]
            classes.setdefault(row["error"], Group(row["error"])).add(row, recovery)
            kinds.setdefault((name, row["error"], row["rule"]), Group(name)).add(row, recovery)
            if recovery is not None:
                did[recovery.next] += 1
                found[row["id"]] = recovery
    buckets, span = _buckets(moments)
    return Measures(
        total,
        sorted(tools.values(), key=lambda one: (-one.failures, -one.calls, one.name)),
        sorted(classes.values(), key=lambda one: (-one.failures, one.name)),
        sorted(kinds.values(), key=lambda one: (-one.cost, -one.failures, one.name, one.error)),
        did,
        buckets,
        span,
        _conversations_with_calls(connection),
        min((at for at, _ in moments), default=""),
        max((at for at, _ in moments), default=""),
        counts["repaired"],
        counts["retried"],
        counts["fatal"],
        connection.execute("SELECT coalesce(sum(lost), 0) FROM processes").fetchone()[0],
        found,
    )


def _conversations_with_calls(connection: sqlite3.Connection) -> int:
    """The number of conversations with calls; one that has only the user's messages does not count."""
    statement = "SELECT count(DISTINCT session) FROM calls JOIN sessions ON sessions.id = session WHERE conversation"
    return int(connection.execute(statement).fetchone()[0])


def _recoveries_by_conversation(
    connection: sqlite3.Connection,
) -> Iterator[tuple[list[sqlite3.Row], dict[int, Recovery]]]:
    """The calls of each conversation, and the outcome of each failed one."""
    requests: dict[int, list[int]] = {}
    for row in connection.execute("SELECT session, step FROM requests"):
        requests.setdefault(row["session"], []).append(row["step"])
    statement = (
        f"SELECT {_COLUMNS} FROM calls JOIN sessions ON sessions.id = calls.session ORDER BY calls.session, calls.id"  # noqa: S608
    )
    for session, group in groupby(connection.execute(statement), key=itemgetter("session")):
        rows = list(group)
        if not rows[0]["conversation"] or not any(row["is_error"] for row in rows):
            yield rows, {}
            continue
        texts = dict(connection.execute("SELECT id, arguments FROM calls WHERE session = ?", (session,)).fetchall())
        yield (
            rows,
            {
                one.id: one
                for one in recoveries([as_sent(row, texts[row["id"]]) for row in rows], requests.get(session, ()))
            },
        )


def as_sent(row: Any, arguments: str | None) -> Sent:
    """A row of `calls` as the definition of recovered reads it."""
    return Sent(
        row["id"],
        row["step"],
        row["tool"] or row["name"],
        row["arguments_key"],
        arguments,
        bool(row["is_error"]),
        row["error"],
        row["corrected_key"],
        row["suggestions"],
        row["problems"],
        row["resource"],
    )


def _buckets(moments: Iterable[tuple[str, bool]]) -> tuple[list[Bucket], int]:
    """The calls over time, in at most forty spans."""
    times = [(datetime.fromisoformat(at).timestamp(), failed) for at, failed in moments]
    if not times:
        return [], 0
    first, last = min(times)[0], max(times)[0]
    span = next(
        (one for one in _SPANS if (last - first) / one < _MOST_BUCKETS - 1),
        int((last - first) / (_MOST_BUCKETS - 2)) + 1,
    )
    start = int(first // span)
    found = [Bucket(_label((start + at) * span, span)) for at in range(int(last // span) - start + 1)]
    for moment, failed in times:
        bucket = found[int(moment // span) - start]
        bucket.calls += 1
        bucket.failures += failed
    return found, span


def _label(seconds: int, span: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d" if span >= 86_400 else "%Y-%m-%d %H:%M")


def wilson(part: int, whole: int, z: float = 1.959964) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score.

    Args:
        part: how many.
        whole: of how many; if zero, the interval is from 0 to 1.
        z: how many standard deviations.
    """
    if whole == 0:
        return 0.0, 1.0
    share, square = part / whole, z * z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    half = z * ((share * (1 - share) / whole + square / (4 * whole * whole)) ** 0.5) / (1 + square / whole)
    return max(0.0, middle - half), min(1.0, middle + half)
