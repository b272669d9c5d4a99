"""Deletes old conversations by age and by size: whole conversations, the oldest first."""

from __future__ import annotations

import sqlite3
import time

from mulligan_ledger.records import iso

_PERIOD = 60.0
_DAY = 86_400.0
_LEFT = 0.9


class Retention:
    """Deletes conversations that are too old, or that exceed the size.

    Args:
        days: the age, counted from its last call, at which a conversation is deleted; None for never.
        size: the maximum size of the file in bytes; None for no limit. The newest conversation is always kept.
    """

    def __init__(self, days: float | None, size: int | None) -> None:
        self._days = days
        self._size = size
        self._next = 0.0

    def apply(self, connection: sqlite3.Connection) -> None:
        """Deletes, at most once a minute.

        Args:
            connection: the file, outside a transaction.
        """
        now = time.monotonic()
        if (self._days is None and self._size is None) or now < self._next:
            return
        self._next = now + _PERIOD
        if self._days is not None:
            oldest = iso(time.time() - self._days * _DAY)
            connection.execute(
                "DELETE FROM sessions WHERE started < ? AND NOT EXISTS "
                "(SELECT 1 FROM calls WHERE calls.session = sessions.id AND calls.at >= ?)",
                (oldest, oldest),
            )
            connection.execute(
                "DELETE FROM calls WHERE at < ? AND session IN (SELECT id FROM sessions WHERE conversation = 0)",
                (oldest,),
            )
        if self._size is not None:
            self._shrink(connection, self._size)
        _delete_unused(connection)
        connection.executescript("PRAGMA incremental_vacuum")  # `execute` would free only one page

    def _shrink(self, connection: sqlite3.Connection, size: int) -> None:
        if _used(connection) <= size:
            return
        _delete_unused(connection)
        while _used(connection) > size * _LEFT:
            rows = connection.execute("SELECT id FROM sessions ORDER BY id").fetchall()
            if len(rows) < 2:
                count = connection.execute("SELECT count(*) FROM calls").fetchone()[0]
                if count < 2:
                    return
                connection.execute(
                    "DELETE FROM calls WHERE id IN (SELECT id FROM calls ORDER BY id LIMIT ?)", (count // 4 + 1,)
                )
                _delete_unused(connection)
                continue
            oldest = [(row[0],) for row in rows[: max(1, len(rows) // 10)]]
            connection.executemany("DELETE FROM sessions WHERE id = ?", oldest)
            _delete_unused(connection)


def _delete_unused(connection: sqlite3.Connection) -> None:
    """Deletes definitions of tools that no remaining call refers to, such as those whose descriptions change every day."""
    connection.execute("DELETE FROM toolsets WHERE hash NOT IN (SELECT toolset FROM calls WHERE toolset IS NOT NULL)")
    connection.execute(
        "DELETE FROM definitions WHERE hash NOT IN (SELECT definition FROM calls WHERE definition IS NOT NULL "
        "UNION SELECT value FROM toolsets, json_each(toolsets.definitions))"
    )


def _used(connection: sqlite3.Connection) -> int:
    """The bytes of the pages in use."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
