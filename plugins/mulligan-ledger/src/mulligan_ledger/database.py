"""Opens the file of a ledger: for writing, with its journal and tables, or for reading, without changing it."""

from __future__ import annotations

import os
import random
import secrets
import sqlite3
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from mulligan.errors import UsageError
from mulligan_ledger.schema import APPLICATION_ID, MIGRATIONS, VERSION

BUSY_SECONDS = 5.0
MOST_COPIED = 256_000_000
_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))
_NEXT_STEPS = {
    sqlite3.SQLITE_BUSY: "close the program that locks it, and try again",
    sqlite3.SQLITE_CANTOPEN: "check who may read it and its folder",
    sqlite3.SQLITE_CORRUPT: "check it with PRAGMA integrity_check",
}
_STORED = {"INTEGER": ("integer",), "REAL": ("real", "integer"), "TEXT": ("text",)}
_NETWORKS = frozenset(
    (
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "gfs2",
        "ocfs2",
        "beegfs",
        "virtiofs",
    )
)


class NotALedger(Exception):
    """The file is not a ledger, or is one of a newer version. Nothing is ever written to it."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Opens a ledger, creates it if it does not exist, and migrates its tables to this version.

    Args:
        path: the file.

    Raises:
        NotALedger: the file holds something else, or was written by a newer version.
        sqlite3.Error: the file cannot be opened, is locked, or is damaged.
    """
    _create_private(path)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        _check_kind(connection, path)
        if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            _migrate(connection, path)
        _choose_journal(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def begin_writing(connection: sqlite3.Connection) -> None:
    """Begins a transaction that writes. Waits for its turn with many short pauses: those of SQLite grow, and are unfair.

    Args:
        connection: the file.

    Raises:
        sqlite3.OperationalError: others have held the file for `BUSY_SECONDS`.
    """
    until = time.monotonic() + BUSY_SECONDS
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
            time.sleep(random.uniform(0.001, 0.004))  # noqa: S311 - so that no process always comes last
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(1_000 * BUSY_SECONDS)}")


def open_for_reading(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Opens an existing ledger without changing it.

    Args:
        path: the file.

    Raises:
        UsageError: it does not exist, is not a ledger, or is damaged; names the file and the next step.
    """
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: no such file; record one with Ledger({str(path)!r}) or MULLIGAN_LEDGER={path}")
    try:
        connection = sqlite3.connect(f"file:{quote(str(file.resolve()))}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        connection.row_factory = sqlite3.Row
        _check_kind(connection, file)
        if connection.execute("PRAGMA user_version").fetchone()[0] < 1:
            raise NotALedger(f"{file} is empty")
        connection = _detached(connection, file)
    except NotALedger as error:
        raise UsageError(f"{error}; pass a file that a Ledger has written") from None
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the text of an error may contain the damaged content
        next_step = _NEXT_STEPS.get(
            getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT), "pass a file that a Ledger has written"
        )
        raise UsageError(f"{path} cannot be read: {error}; {next_step}") from None
    return connection


def foreign_value(connection: sqlite3.Connection) -> str:
    """The place and type of the first value that no Ledger has written, because the file was edited; otherwise empty.

    Args:
        connection: the file.
    """
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        for column in connection.execute(f"PRAGMA table_info({table})").fetchall():
            name, types = column[1], _STORED.get(column[2], ())
            allowed = ", ".join(f"'{one}'" for one in (*types, *([] if column[3] else ["null"])))
            wrong = f"typeof({name}) NOT IN ({allowed})"
            if name in ("at", "started"):
                wrong += f" OR {name} NOT GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]*Z'"
            row = connection.execute(
                f"SELECT rowid, typeof({name}) FROM {table} WHERE {wrong} LIMIT 1"  # noqa: S608 - names of the file's own schema
            ).fetchone()
            if types and row is not None:
                return f"{name} in row {row[0]} of {table} is {row[1]} that no Ledger writes"
    return ""


def _detached(connection: sqlite3.Connection, file: Path) -> sqlite3.Connection:
    """A copy in memory, so that a long read does not block writers; the file itself if it is large or in WAL mode."""
    in_wal = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    if in_wal or file.stat().st_size > MOST_COPIED:
        return connection
    copy = sqlite3.connect(":memory:")
    connection.backup(copy)
    connection.close()
    copy.row_factory = sqlite3.Row
    return copy


def _create_private(path: Path) -> None:
    """Creates the file so that only its owner can read it; an existing one keeps its permissions.

    It is never opened otherwise: closing any other descriptor of it would drop the locks of SQLite.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        return  # it exists, or SQLite reports what is wrong


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    """Reads everything in one transaction: between two reads, another process may create the tables.

    Raises:
        NotALedger: the file holds something else, or was written by a newer version.
    """
    is_first = not connection.in_transaction
    if is_first:
        connection.execute("BEGIN")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        kind = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    finally:
        if is_first:
            connection.execute("ROLLBACK")
    if tables and kind != APPLICATION_ID:
        raise NotALedger(f"{path} is a database of something else")
    if version > VERSION:
        raise NotALedger(f"{path} was written by a newer mulligan-ledger (version {version}, this one knows {VERSION})")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only possible before the first table
    begin_writing(connection)  # of several processes, one migrates and the others wait here
    try:
        _check_kind(connection, path)
        applied = connection.execute("PRAGMA user_version").fetchone()[0]
        for number, (name, statements) in enumerate(MIGRATIONS[applied:], applied + 1):
            for statement in statements.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, datetime.now(UTC).isoformat()))
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("INSERT OR IGNORE INTO settings VALUES ('salt', ?)", (secrets.token_hex(16),))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _choose_journal(connection: sqlite3.Connection, path: Path) -> None:
    """WAL where it is safe, otherwise a rollback journal; a file that already uses WAL is left unchanged."""
    current = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if current != "wal" and is_fixed(sqlite3.sqlite_version_info) and is_local(path):
        with suppress(sqlite3.OperationalError):  # another process writes: the next opening changes it
            current = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if current == 'wal' else 'FULL'}")


def is_fixed(version: tuple[int, ...]) -> bool:
    """Whether a version of SQLite is free of the bug that loses writes when two connections write and checkpoint.

    Versions 3.7.0 to 3.51.2 have it; see https://sqlite.org/wal.html.

    Args:
        version: as `sqlite3.sqlite_version_info`.
    """
    return version >= _FIXED[0] or any(fixed <= version < (*fixed[:2], 1_000) for fixed in _FIXED[1:])


def is_local(path: Path) -> bool:
    """Whether a file is known to be on a local disk; only Linux can tell."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        target, best, kind = str(path.resolve().parent), "", ""
        for line in Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines():
            fields = line.split(" ")
            mount = fields[4].replace("\\040", " ")
            inside = target == mount or target.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best):
                best, kind = mount, fields[fields.index("-") + 1]
    except (OSError, ValueError, IndexError):
        return False
    return bool(kind) and kind not in _NETWORKS and not kind.startswith("fuse")
