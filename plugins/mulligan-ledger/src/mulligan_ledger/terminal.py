"""Prints the report: for a terminal, as CSV, and as a comparison of two ledgers."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterable, Sequence

from mulligan.cli.output import console, is_styled, print_table, stdout
from mulligan_ledger.html import number, period, plural, share
from mulligan_ledger.measures import Measures
from mulligan_ledger.recovery import NEXT
from mulligan_ledger.text import visible

_MOST_ROWS, _MOST_CHARS = 15, 60


def print_summary(found: Measures, file: str) -> None:
    """Writes the figures to stdout.

    Args:
        found: the figures.
        file: the ledger's name.
    """
    screen = console(stdout(), styled=is_styled(stdout()))
    total = found.total
    when = f", {period(found.first, found.last)}" if found.first else ""
    lines = [
        f"{visible(file)}: {plural(total.calls, 'call')} in {plural(found.conversations, 'conversation')}{when}",
        f"failed: {total.failures:,} ({share(total.failures, total.calls)}), of which {found.fatal} ended the run",
        (
            f"recovered: {share(total.recovered, total.judged)} ({total.recovered:,} of {total.judged:,} in conversations), "
            f"median {number(total.median_steps)} steps"
        ),
        f"corrected calls followed: {share(total.followed, total.proposed)} ({total.followed} of {total.proposed})",
    ]
    if total.judged:
        lines.append("next: " + ", ".join(f"{found.next[name]} {name}" for name in NEXT if found.next[name]))
    if found.lost:
        lines.append(f"not recorded: {plural(found.lost, 'event')}; the file could not be written for some time")
    for line in lines:
        screen.out(line, highlight=False)
    if found.costliest:
        screen.out("\nThe failures that cost most", highlight=False)
        rows = [
            (
                _short(one.name),
                one.error,
                _short(one.message),
                f"{one.failures}",
                share(one.recovered, one.judged),
                f"{one.cost}",
            )
            for one in found.costliest
        ]
        heads = ("tool", "error", "message", "failures", "recovered", "cost")
        print_table(screen, heads, rows, right=heads[3:])
    if found.tools:
        screen.out("", highlight=False)
        rows = [
            (
                _short(one.name),
                f"{one.calls}",
                f"{one.failures}",
                share(one.recovered, one.judged),
                f"{one.quantile(0.95) or 0:.3g} s",
            )
            for one in found.tools[:_MOST_ROWS]
        ]
        heads = ("tool", "calls", "failures", "recovered", "p95")
        print_table(screen, heads, rows, right=heads[1:])


def _short(text: str) -> str:
    line = visible(text).replace("\n", " ")
    return line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1]}…"


_CSV_COLUMNS = (
    *(
        "id",
        "at",
        "session",
        "session_id",
        "step",
        "call_id",
        "name",
        "tool",
        "duration",
        "attempts",
        "repaired",
        "is_error",
    ),
    *(
        "error",
        "code",
        "rule",
        "provider",
        "http_status",
        "fatal",
        "feedback_chars",
        "next",
        "recovered",
        "steps",
        "followed",
    ),
)


def csv_lines(connection: sqlite3.Connection, found: Measures) -> Iterable[str]:
    """A heading, and one line for each call with its outcome. No cell starts a formula of a spreadsheet.

    Args:
        connection: the ledger.
        found: its figures.
    """
    yield _csv(_CSV_COLUMNS)
    statement = (
        "SELECT calls.*, sessions.session_id FROM calls JOIN sessions ON sessions.id = calls.session ORDER BY calls.id"
    )
    for row in connection.execute(statement):
        recovery = found.recoveries.get(row["id"])
        became = (
            (None,) * 4
            if recovery is None
            else (recovery.next, int(recovery.recovered), recovery.steps, recovery.followed)
        )
        yield _csv([*(row[name] for name in _CSV_COLUMNS[:-4]), *became])


def _csv(values: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([_cell(value) for value in values])
    return line.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return (
        f"'{visible(value)}"
        if isinstance(value, str) and value[:1] in "=+-@\t\r" and value
        else visible(value)
        if isinstance(value, str)
        else value
    )
