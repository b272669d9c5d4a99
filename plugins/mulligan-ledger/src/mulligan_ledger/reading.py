"""Reads the content of a ledger as records for the commands."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

import attrs


@attrs.define
class Call:
    """One recorded call.

    Attributes:
        row: the columns of `calls`.
        attempts: the rows of `attempts`, in order.
        repairs: the rows of `repairs`.
    """

    row: sqlite3.Row
    attempts: list[sqlite3.Row] = attrs.field(factory=list)
    repairs: list[sqlite3.Row] = attrs.field(factory=list)


@attrs.define
class Conversation:
    """One recorded conversation.

    Attributes:
        row: the columns of `sessions`.
        calls: its calls, in the order in which they ended.
        requests: the rows of `requests`.
    """

    row: sqlite3.Row
    calls: list[Call] = attrs.field(factory=list)
    requests: list[sqlite3.Row] = attrs.field(factory=list)

    @property
    def name(self) -> str:
        """The id that the host gave it, or its number in the file."""
        if self.row["session_id"] is not None:
            return str(self.row["session_id"])
        return f"#{self.row['id']}" if self.is_conversation else f"calls outside a conversation, #{self.row['id']}"

    @property
    def is_conversation(self) -> bool:
        """False for the calls of a pipeline without a session, whose order has no meaning."""
        return bool(self.row["conversation"])


def conversations(
    connection: sqlite3.Connection, where: str = "1", parameters: tuple[Any, ...] = ()
) -> Iterator[Conversation]:
    """The conversations, oldest first, with everything in them.

    Args:
        connection: the file.
        where: a condition on the table `sessions`.
        parameters: the condition's values.
    """
    for row in connection.execute(f"SELECT * FROM sessions WHERE {where} ORDER BY id", parameters).fetchall():  # noqa: S608
        yield read_conversation(connection, row)


def read_conversation(connection: sqlite3.Connection, row: sqlite3.Row) -> Conversation:
    """One conversation with everything in it.

    Args:
        connection: the file.
        row: its row of `sessions`.
    """
    key = (row["id"],)
    calls = {
        one["id"]: Call(one) for one in connection.execute("SELECT * FROM calls WHERE session = ? ORDER BY id", key)
    }
    inside = "call IN (SELECT id FROM calls WHERE session = ?)"
    for one in connection.execute(f"SELECT * FROM attempts WHERE {inside} ORDER BY id", key):  # noqa: S608
        calls[one["call"]].attempts.append(one)
    for one in connection.execute(f"SELECT * FROM repairs WHERE {inside} ORDER BY id", key):  # noqa: S608
        calls[one["call"]].repairs.append(one)
    requests = connection.execute("SELECT * FROM requests WHERE session = ? ORDER BY id", key).fetchall()
    return Conversation(row, list(calls.values()), requests)


def read_list(text: str | None, kind: type = object) -> list[Any]:
    """The members of a JSON array that have a given type; none if the text is not an array.

    Args:
        text: a column that holds one, or NULL.
        kind: the type of its members.
    """
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    return [one for one in found if isinstance(one, kind)] if isinstance(found, list) else []


def definitions(connection: sqlite3.Connection) -> dict[str, Mapping[str, Any]]:
    """The recorded tool definitions, by hash."""
    return {row["hash"]: row for row in connection.execute("SELECT * FROM definitions")}


def toolsets(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The hashes of the definitions of each recorded set of tools, by its own hash."""
    return {row["hash"]: read_list(row["definitions"], str) for row in connection.execute("SELECT * FROM toolsets")}
