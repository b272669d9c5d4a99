"""Renders every recorded failure again, with the present code, plugins, format and policy.

Each conversation runs through a real pipeline whose tools have the recorded definitions. Instead of running, a tool
raises or returns what was recorded. Resolution, validation, classification, the memory of the conversation and the
feedback are those of the present code. Nothing waits and nothing leaves the process.
"""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from mulligan import Pipeline, ToolCall, errors
from mulligan.errors import ToolArgumentError, ToolError, ToolNotFoundError
from mulligan.hookimpl import hookimpl
from mulligan_ledger import snapshot
from mulligan_ledger.definitions import make_tool
from mulligan_ledger.reading import Call, Conversation, conversations, definitions, read_list, toolsets

_FENCE = re.compile(r"\b[0-9a-f]{16,64}(?=>>>)|(?<=<<<)[0-9a-f]{16,64}\b")
MakePipeline = Callable[[Any, Any], Pipeline]


@attrs.frozen
class Rewording:
    """One failure, and its present text.

    Attributes:
        session: the conversation's name.
        call: the row of the call.
        before: the text that the model read.
        after: the present text; None if the call cannot be replayed.
        reason: why it cannot be replayed; otherwise empty.
    """

    session: str
    call: sqlite3.Row
    before: str
    after: str | None
    reason: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether the texts differ in more than the marks of their fences, which depend on ids and redacted values."""
        return self.after is not None and without_marks(self.before) != without_marks(self.after)


def without_marks(text: str) -> str:
    """The text with the same mark for all fences."""
    return _FENCE.sub("mark", text)


def replay(
    connection: sqlite3.Connection, make_pipeline: MakePipeline, *, session: str | None = None
) -> Iterator[Rewording]:
    """Renders the recorded failures again, in order.

    Args:
        connection: the file.
        make_pipeline: creates a pipeline from tools and a plugin, with the present settings.
        session: the id of a conversation, or its number in the file; None for all.
    """
    known, sets = definitions(connection), toolsets(connection)
    where, parameters = "id IN (SELECT session FROM calls WHERE is_error)", ()
    if session is not None:
        where, parameters = "session_id = ? OR CAST(id AS TEXT) = ?", (session, session.removeprefix("#"))
    recorded = _Recorded()
    pipelines: dict[str, Pipeline] = {}
    try:
        base = make_pipeline((), recorded)
        for conversation in conversations(connection, where, parameters):
            yield from _replay_one(conversation, base, recorded, known, sets, pipelines)
    finally:
        for pipeline in pipelines.values():
            pipeline.close()


def _replay_one(
    conversation: Conversation,
    base: Pipeline,
    recorded: _Recorded,
    known: Mapping[str, Mapping[str, Any]],
    sets: Mapping[str, list[str]],
    pipelines: dict[str, Pipeline],
) -> Iterator[Rewording]:
    session = base.session(conversation.row["session_id"]) if conversation.is_conversation else None
    requests = list(conversation.requests)
    step, open_step = None, None
    for call in conversation.calls:
        while session is not None and requests and (requests[0]["step"] < call.row["step"]):
            _close(open_step)
            step, open_step = None, None
            requests.pop(0)
            session.forgive()
        if session is not None and call.row["step"] != step:
            _close(open_step)
            step, open_step = call.row["step"], session.step()
            open_step.__enter__()
        reason = _obstacle(call)
        if reason:
            if call.row["is_error"]:
                yield Rewording(conversation.name, call.row, call.row["feedback"] or "", None, reason)
            continue
        pipeline = _pipeline_for(call, base, recorded, known, sets, pipelines)
        recorded.start(call)
        result = pipeline.call(ToolCall(call.row["call_id"], call.row["name"], call.row["arguments"]), session=session)
        if call.row["is_error"]:
            yield Rewording(conversation.name, call.row, call.row["feedback"], result.content)
    _close(open_step)


def _close(step: Any) -> None:
    if step is not None:
        step.__exit__(None, None, None)


def _obstacle(call: Call) -> str:
    """Why a call cannot be replayed; empty if it can."""
    row = call.row
    if row["is_error"] and row["feedback"] is None:
        return "its content was not recorded"
    if row["is_error"] and row["attempts"] and (not call.attempts or call.attempts[-1]["outcome"] is None):
        return "what the tool raised or returned was not recorded"
    if row["arguments"] is not None and "… [" in row["arguments"][-30:]:
        return "its arguments were too long to be recorded whole"
    return ""


def _pipeline_for(
    call: Call,
    base: Pipeline,
    recorded: _Recorded,
    known: Mapping[str, Mapping[str, Any]],
    sets: Mapping[str, list[str]],
    pipelines: dict[str, Pipeline],
) -> Pipeline:
    """A pipeline with the tools of the call; calls that saw the same tools share it."""
    key = call.row["toolset"] or call.row["definition"] or ""
    if key not in pipelines:
        hashes = sets.get(key) or ([key] if key in known else [])
        tools = [make_tool(known[one], recorded.run, recorded.resources) for one in hashes if one in known]
        pipelines[key] = base.with_tools(tools)
    return pipelines[key]


class _Recorded:
    """Plays the recorded behavior of the tools in the call that is replayed."""

    def __init__(self) -> None:
        self.call: Call | None = None
        self._attempt = 0

    def start(self, call: Call) -> None:
        """Starts the replay of a call."""
        self.call, self._attempt = call, 0

    def resources(self, arguments: Mapping[str, Any]) -> list[str]:
        """The recorded names that were near the missing one."""
        assert self.call is not None
        return read_list(self.call.row["suggestions"], str)

    def run(self, **_: Any) -> Any:
        """Raises or returns what was recorded, attempt by attempt."""
        assert self.call is not None
        self._attempt += 1
        attempts, number = self.call.attempts, self._attempt - 1
        if not self.call.row["is_error"] and (number >= len(attempts) or attempts[number]["outcome"] is None):
            return self.call.row["result"] or ""
        if not attempts:
            raise _recorded_error(self.call.row)
        outcome = attempts[min(number, len(attempts) - 1)]["outcome"]
        return snapshot.to_handler(json.loads(outcome))()

    @hookimpl(tryfirst=True)
    def authorize(self) -> ToolError | None:
        """Refuses a call that was refused before it ran, by a plugin or a person absent from the replay."""
        row = None if self.call is None else self.call.row
        if row is None or not row["is_error"] or row["attempts"]:
            return None
        error = _recorded_error(row)
        return (
            None
            if isinstance(error, (ToolNotFoundError, ToolArgumentError)) or row["error"] == "RepeatedCallError"
            else error
        )


def _recorded_error(row: sqlite3.Row) -> ToolError:
    """The error of a row, for failures that no rule has classified."""
    kind = getattr(errors, row["error"], errors.ToolExecutionError)
    fields = {
        name: row[name]
        for name in ("code", "effect", "http_status", "retry_after", "resource", "provider", "user_message")
    }
    flags = {"fatal": bool(row["fatal"]), "transient": bool(row["transient"])}
    error: ToolError = kind(row["message"] or "", rule=row["rule"], **fields, **flags)
    return error


@attrs.frozen
class Change:
    """Failures that had the same text, and have the same text now.

    Attributes:
        before: the recorded text.
        after: the text of today.
        tools: the called names.
        count: the number of failures.
        sessions: the first few conversations.
    """

    before: str
    after: str
    tools: tuple[str, ...]
    count: int
    sessions: tuple[str, ...]

    def diff(self) -> list[str]:
        """The lines that differ, with context, as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), "recorded", "today", lineterm="", n=2
        )
        return list(lines)


_MOST_SESSIONS = 5


def changes(rewordings: list[Rewording]) -> list[Change]:
    """The distinct changes, the most frequent first.

    Args:
        rewordings: the failures.
    """
    groups: dict[tuple[str, str], list[Rewording]] = {}
    for one in rewordings:
        if one.is_changed and one.after is not None:
            groups.setdefault((without_marks(one.before), without_marks(one.after)), []).append(one)
    found = [
        Change(
            before,
            after,
            tuple(sorted({one.call["name"] for one in group})),
            len(group),
            tuple(dict.fromkeys(one.session for one in group))[:_MOST_SESSIONS],
        )
        for (before, after), group in groups.items()
    ]
    return sorted(found, key=lambda one: (-one.count, one.before, one.after))
