"""Writes what was observed, in its own thread; what cannot be written is counted, and never affects a call."""

from __future__ import annotations

import atexit
import math
import os
import platform
import socket
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from mulligan import __version__
from mulligan.events import CallFinished, RequestNoted
from mulligan.plugin import safe_str
from mulligan_ledger.database import NotALedger, begin_writing, open_for_writing
from mulligan_ledger.records import CallRecord, Content, Recorder, bounded_text, iso
from mulligan_ledger.retention import Retention

PERIOD = 0.25
"""Seconds between two writes."""

LATE_SECONDS = 0.4
PAUSE = 0.01
"""Seconds for which each call is slowed down while the oldest event being written has waited longer than `LATE_SECONDS`."""

RETRY_SECONDS = 1.0
MOST_WAITING = 10_000
"""The maximum number of events that wait while the file cannot be written; further ones are counted as lost."""

_MOST_IN_BATCH = 500
_MOST_SESSIONS = 10_000
_MOST_INTEGER = 2**63
_OF_THE_DATA = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
_OF_THE_FILE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
"""Errors that trying again cannot fix: damage, another kind of file, and tables that were edited."""

_TABLES: dict[str, tuple[str, ...]] = {}


class _Waiting(NamedTuple):
    """An event that is not written yet.

    Attributes:
        at: when it happened, in seconds since 1970, by the system clock.
        event: the event.
        since: when it arrived, by the monotonic clock.
    """

    at: float
    event: Any
    since: float


class Writer:
    """The queue, the thread and the connection of one ledger in one process.

    Args:
        path: the file.
        content: which content of each call is kept.
        retention: deletes old conversations.
        make_recorder: creates the `Recorder`, which turns calls into rows.
        source: `live`, or `import` for calls that another program logged.

    Attributes:
        recorded: the number of events that this process has written.
        lost: the number of events that could not be written.
        problem: why the last write failed; empty while writing works.
    """

    def __init__(
        self,
        path: Path,
        content: Content,
        retention: Retention,
        *,
        make_recorder: Callable[[Content, str], Recorder] = Recorder,
        source: str = "live",
    ) -> None:
        self.path = path
        self._make_recorder = make_recorder
        self._source = source
        self._content = content
        self._retention = retention
        self._abandoned: list[Any] = []  # connections of the parent process, which must not even be closed here
        self._reset()

    def _reset(self) -> None:
        self._queue: deque[_Waiting] = deque()
        self._lock = threading.RLock()
        self._wake, self._stop = threading.Event(), threading.Event()
        self._awake = False
        self._thread: threading.Thread | None = None
        self._connection: sqlite3.Connection | None = None
        self._recorder: Recorder | None = None
        self._file: tuple[int, int] | None = None
        self._process = 0
        self._sessions: dict[int, tuple[int, int]] = {}
        self._told_lost = 0
        self._writing_since = math.inf
        self.is_broken = False
        self.recorded = self.lost = 0
        self.problem = ""

    def forked(self) -> None:
        """Gives a forked child its own queue, thread and connection. What waits in the parent stays with the parent."""
        self._abandoned.append(self._connection)
        self._reset()

    def put(self, event: Any, at: float | None = None) -> None:
        """Hands an event to the thread.

        Args:
            event: a `CallFinished` or a `RequestNoted`.
            at: when it happened, in seconds since 1970; None for now.
        """
        if self.is_broken or len(self._queue) >= MOST_WAITING:
            self.lost += 1
            return
        now = time.monotonic()
        if now - self._writing_since > LATE_SECONDS and not self.problem:
            time.sleep(PAUSE)  # the thread falls behind: without this, more than the last second could be lost
        self._queue.append(_Waiting(time.time() if at is None else at, event, now))
        if not self._awake:
            self._awake = True
            if self._thread is None:
                self._start()
            self._wake.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            _WRITERS.add(self)  # kept alive until it is closed, since events may wait in it
            self._thread = threading.Thread(target=self._run, name="mulligan-ledger", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # the interpreter is exiting: `flush` writes at the end
                return
            if "multiprocessing.util" in sys.modules:  # its children end without `atexit`
                from multiprocessing import util

                util.Finalize(None, self.flush, exitpriority=10)

    def _run(self) -> None:
        """The thread: waits for events, lets some accumulate, and writes them."""
        wake, stop = self._wake, self._stop
        while not stop.is_set():
            wake.wait()
            stop.wait(PERIOD)
            wake.clear()
            if not stop.is_set() and not self.flush() and not self.is_broken:
                stop.wait(RETRY_SECONDS)
                wake.set()

    def flush(self) -> bool:
        """Writes all waiting events, in the caller's thread.

        Returns:
            Whether all are written.
        """
        with self._lock:
            self._awake = False
            while self._queue and not self.is_broken:
                batch = [self._queue.popleft() for _ in range(min(len(self._queue), _MOST_IN_BATCH))]
                self._writing_since = batch[0].since
                try:
                    self._write_or_split(batch)
                except (sqlite3.Error, NotALedger, OSError) as error:
                    self._failed(error, batch)
                    return False
                except BaseException:  # interrupted: what is not written yet is written at the end
                    self._queue.extendleft(reversed(batch))
                    raise
                finally:
                    self._writing_since = math.inf
            self._record_losses()
            return not self._queue

    def close(self) -> None:
        """Writes all waiting events, and closes the file; what cannot be written is lost. A later event opens it again."""
        self._stop.set()
        self._wake.set()
        with self._lock:
            if not self.flush():
                self.lost += len(self._queue)
                self._queue.clear()
            if self._connection is not None:
                self._connection.close()
            self._connection, self._thread = None, None
            self._wake, self._stop = threading.Event(), threading.Event()
        _WRITERS.discard(self)

    def _failed(self, error: Exception, batch: list[_Waiting]) -> None:
        """Keeps the events that were not written for the next attempt, unless trying again cannot help."""
        self.problem = f"{self.path}: {error}"
        code = getattr(error, "sqlite_errorcode", None)
        self.is_broken = isinstance(error, NotALedger) or code in _OF_THE_FILE
        if self.is_broken:
            self.lost += len(batch) + len(self._queue)
            self._queue.clear()
        else:
            self._queue.extendleft(reversed(batch))
            while len(self._queue) > MOST_WAITING:
                self._queue.pop()
                self.lost += 1
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            try:
                connection.close()
            except sqlite3.Error:
                self._abandoned.append(connection)

    def _connected(self) -> tuple[sqlite3.Connection, Recorder]:
        if self._connection is not None and _identity(self.path) != self._file:
            self._disconnect()
        if self._connection is None:
            self._connection = open_for_writing(self.path)
            file = _identity(self.path)
            if file != self._file or self._recorder is None:  # deleted or moved: the new file has no rows yet
                self._process, self._sessions, self._told_lost = 0, {}, 0
                salt = self._connection.execute("SELECT value FROM settings WHERE name = 'salt'").fetchone()[0]
                self._recorder = self._make_recorder(self._content, salt)
            self._file = file
        assert self._recorder is not None
        return self._connection, self._recorder

    def _write_or_split(self, batch: list[_Waiting]) -> None:
        """Writes a batch, and removes the events that are written. If only one event cannot be written, only that one is lost.

        Raises:
            sqlite3.Error, NotALedger, OSError: the file cannot be written, and none of these events was.
        """
        try:
            self._write(batch)
            return
        except _OF_THE_DATA as error:
            self.problem = f"{self.path}: {error!r}"
        except (sqlite3.Error, NotALedger, OSError):
            raise
        except Exception as error:  # a bug of ours: an event is lost, not the thread
            self.problem = f"{self.path}: {error!r}"
        if len(batch) == 1:
            self.lost += 1
            batch.clear()
        while batch:  # what is left is tried again if the file fails meanwhile
            first = batch[:1]
            try:
                self._write_or_split(first)
            finally:
                batch[:1] = first

    def _write(self, batch: list[_Waiting]) -> None:
        connection, recorder = self._connected()
        rows: list[tuple[float, Any, CallRecord | None]] = []
        unreadable = 0
        for at, event, _ in batch:
            try:
                rows.append((at, event, recorder.call(event, at) if isinstance(event, CallFinished) else None))
            except Exception as error:  # a call that cannot be described must not affect the others
                unreadable, self.problem = unreadable + 1, f"{self.path}: a call cannot be described: {error!r}"
        sessions = dict(islice(self._sessions.items(), max(0, len(self._sessions) - _MOST_SESSIONS), None))
        begin_writing(connection)
        process = self._process
        try:
            self._insert(connection, rows, sessions)
            connection.execute("COMMIT")
            batch.clear()
        except BaseException:
            self._process = process
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._sessions = sessions
        self.recorded += len(rows)
        self.lost += unreadable
        if not unreadable:
            self.problem = ""
        self._retention.apply(connection)

    def _insert(
        self,
        connection: sqlite3.Connection,
        rows: list[tuple[float, Any, CallRecord | None]],
        sessions: dict[int, tuple[int, int]],
    ) -> None:
        if not self._process:
            self._process = _insert_process(connection, self._content, self._source)
        next_call = connection.execute("SELECT coalesce(max(id), 0) FROM calls").fetchone()[0] + 1
        definitions: dict[str, Any] = {}
        seen: set[int] = set()
        calls: list[dict[str, Any]] = []
        attempts: list[dict[str, Any]] = []
        repairs: list[dict[str, Any]] = []
        toolsets: dict[str, str] = {}
        for at, event, record in rows:
            if event.conversation not in seen:
                seen.add(event.conversation)
                self._forget_deleted(connection, event.conversation, sessions)
            session = self._session(connection, event, at, sessions)
            if record is None:
                text = bounded_text(event.text) if self._content != "none" else None
                row = {"session": session, "step": event.step, "at": iso(at), "text": text}
                insert(connection, "requests", [row])
                continue
            for one in record.definitions:
                definitions[one.hash] = one
            if record.call["toolset"] is not None:
                toolsets[record.call["toolset"]] = record.toolset or "[]"
            number = next_call + len(calls)
            calls.append({"id": number, "session": session, **record.call})
            attempts += [{"call": number, **one} for one in record.attempts]
            repairs += [{"call": number, **one} for one in record.repairs]
        insert(connection, "definitions", [one._asdict() for one in definitions.values()], "OR IGNORE")
        insert(
            connection, "toolsets", [{"hash": key, "definitions": text} for key, text in toolsets.items()], "OR IGNORE"
        )
        insert(connection, "calls", calls)
        insert(connection, "attempts", attempts)
        insert(connection, "repairs", repairs)
        steps = [(sessions[one][1], sessions[one][0]) for one in seen]
        connection.executemany("UPDATE sessions SET last_step = max(last_step, ?) WHERE id = ?", steps)

    @staticmethod
    def _forget_deleted(connection: sqlite3.Connection, conversation: int, known: dict[int, tuple[int, int]]) -> None:
        """Forgets the row of a conversation that was deleted as too old, by this process or another, and now continues."""
        found = known.get(conversation)
        if found and connection.execute("SELECT 1 FROM sessions WHERE id = ?", found[:1]).fetchone() is None:
            del known[conversation]

    def _session(
        self,
        connection: sqlite3.Connection,
        event: CallFinished | RequestNoted,
        at: float,
        known: dict[int, tuple[int, int]],
    ) -> int:
        """The row of a conversation; a saved conversation that continues here keeps its row."""
        found = known.get(event.conversation)
        session_id = _storable(event.session_id)
        if found is None:
            continued = None
            if (
                event.conversation and len(known) >= _MOST_SESSIONS
            ):  # it may be a row of this process that was forgotten
                continued = connection.execute(
                    "SELECT id FROM sessions WHERE process = ? AND conversation = ? ORDER BY id DESC LIMIT 1",
                    (self._process, event.conversation),
                ).fetchone()
            if continued is None and event.session_id is not None and event.step > 1:
                continued = connection.execute(
                    "SELECT id FROM sessions WHERE session_id = ? AND last_step < ? ORDER BY id DESC LIMIT 1",
                    (session_id, event.step),
                ).fetchone()
            if continued is None:
                cursor = connection.execute(
                    "INSERT INTO sessions (process, conversation, session_id, started) VALUES (?, ?, ?, ?)",
                    (self._process, event.conversation, session_id, iso(at)),
                )
                found = (int(cursor.lastrowid or 0), 0)
            else:
                found = (continued[0], 0)
        known.pop(event.conversation, None)  # the latest are last
        known[event.conversation] = (found[0], max(found[1], event.step))
        return found[0]

    def _record_losses(self) -> None:
        """Records in the file how many events were lost."""
        if self.lost == self._told_lost or not self._process or self._connection is None:
            return
        try:
            self._connection.execute("UPDATE processes SET lost = ? WHERE id = ?", (self.lost, self._process))
            self._told_lost = self.lost
        except sqlite3.Error:
            self._disconnect()


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of the file at a path; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _insert_process(connection: sqlite3.Connection, content: str, source: str) -> int:
    row = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "started": iso(time.time()),
        "python": platform.python_version(),
        "mulligan": __version__,
        "source": source,
        "content": content,
    }
    return insert(connection, "processes", [row])


def insert(connection: sqlite3.Connection, table: str, rows: list[dict[str, Any]], how: str = "") -> int:
    """Inserts rows of one table; returns the key of the last one.

    Args:
        connection: the file.
        table: the table's name.
        rows: values by column; a column that a row leaves out is NULL.
        how: `OR IGNORE`, for rows that may already exist.
    """
    if not rows:
        return 0
    names = _TABLES.get(table)
    if names is None:
        names = _TABLES[table] = tuple(one[1] for one in connection.execute(f"PRAGMA table_info({table})"))
    given = [name for name in names if any(name in row for row in rows)]
    statement = f"INSERT {how} INTO {table} ({', '.join(given)}) VALUES ({', '.join('?' * len(given))})"  # noqa: S608
    values = [[_storable(row.get(name)) for name in given] for row in rows]
    if len(values) == 1:
        return int(connection.execute(statement, values[0]).lastrowid or 0)
    connection.executemany(statement, values)
    return 0


def _storable(value: Any) -> Any:
    """The value in a form that SQLite accepts: text without lone surrogates, which UTF-8 does not have; other types as text."""
    if (
        value is None
        or isinstance(value, float)
        or (isinstance(value, int) and -_MOST_INTEGER <= value < _MOST_INTEGER)
    ):
        return value
    text = value if isinstance(value, str) else safe_str(value)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_WRITERS: set[Writer] = set()


def _flush_all() -> None:
    for writer in list(_WRITERS):
        writer.flush()


def _before_fork() -> None:
    """No thread may be inside SQLite while the process forks: SQLite's own lock would stay locked in the child."""
    for writer in list(_WRITERS):
        writer.held = writer._lock.acquire(timeout=2 * RETRY_SECONDS)  # type: ignore[attr-defined]  # noqa: SLF001


def _after_fork_in_parent() -> None:
    for writer in list(_WRITERS):
        if getattr(writer, "held", False):
            writer.held = False  # type: ignore[attr-defined]
            writer._lock.release()  # noqa: SLF001


def _after_fork_in_child() -> None:
    for writer in list(_WRITERS):
        writer.forked()


atexit.register(_flush_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
