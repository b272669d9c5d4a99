"""Imports conversations that another program logged. A pipeline detects and classifies the failures in the answers.

The recorded text is the one that the model read. `mulligan replay` then shows what it would have read with mulligan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from mulligan import Pipeline, Policy, Tool
from mulligan.cli.output import stdin
from mulligan.dialects import named
from mulligan.errors import UsageError
from mulligan.events import CallFinished, RequestNoted
from mulligan.hookimpl import hookimpl
from mulligan.plugin import safe_str
from mulligan_ledger import autoload
from mulligan_ledger.logs import Logged, LoggedCall, read
from mulligan_ledger.records import CallRecord, Content, Recorder
from mulligan_ledger.retention import Retention
from mulligan_ledger.writer import Writer


@attrs.define
class Counts:
    """What was imported."""

    conversations: int = 0
    calls: int = 0
    failures: int = 0
    unanswered: int = 0


def import_files(
    files: Sequence[str], out: str, *, dialect: str | None = None, session_field: str | None = None
) -> Counts:
    """Imports files.

    Args:
        files: their names; `-` for stdin.
        out: the ledger.
        dialect: the message shape; None to detect it.
        session_field: the field that names a conversation; None for the usual ones.

    Raises:
        UsageError: a file cannot be read, or the ledger cannot be written; names it.
    """
    if not Path(out).absolute().parent.is_dir():
        raise UsageError(f"--out {out}: {Path(out).absolute().parent} is not a directory")
    texts = [(name, _read(name)) for name in files]
    counts = Counts()
    with autoload.suspended(), _Import(out) as importer:
        known = importer.pipeline.tools.dialects or {}
        shapes = known if dialect is None else {dialect: named(dialect, known)}
        for name, text in texts:
            for conversation in read(text, name, shapes, session_field):
                if conversation.calls:
                    importer.add(conversation, counts)
    return counts


def _read(name: str) -> str:
    try:
        raw = stdin("messages").read() if name == "-" else Path(name).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}; pass a file with messages") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} byte {error.start + 1}: not UTF-8; save the file as UTF-8") from None


class _Import:
    """Runs logged calls through a pipeline whose tools return the logged answers.

    Args:
        out: the ledger.
    """

    def __init__(self, out: str) -> None:
        self._out = out
        self._texts: dict[int, str] = {}
        self._current: tuple[Logged, LoggedCall, int] | None = None
        self._number = 0
        make = partial(_ImportRecorder, texts=self._texts)
        self._writer = Writer(Path(out).absolute(), "full", Retention(None, None), make_recorder=make, source="import")
        self.pipeline = Pipeline([], plugins=[self], policy=Policy(retry=False))

    def __enter__(self) -> _Import:
        return self

    def __exit__(self, *_: Any) -> None:
        self._writer.close()
        self.pipeline.close()

    def add(self, logged: Logged, counts: Counts) -> None:
        """Adds a conversation."""
        self._number += 1
        names = logged.tools or {one.call.name for one in logged.calls}
        pipeline = self.pipeline.with_tools([_tool(name, self._answer) for name in sorted(names) if _is_name(name)])
        requests = list(logged.requests)
        counts.conversations += 1
        for one in logged.calls:
            while requests and requests[0][0] < one.step:
                self._note(logged, *requests.pop(0), at=one.at)
            if not one.is_answered:
                counts.unanswered += 1
                continue
            self._current = (logged, one, self._number)
            result = pipeline.call(one.call)
            counts.calls += 1
            counts.failures += result.is_error
        for step, text in requests:
            self._note(logged, step, text, at=None)
        if not self._writer.flush():
            raise UsageError(f"--out {self._out}: {self._writer.problem}; choose another file")
        self._texts.clear()

    def _note(self, logged: Logged, step: int, text: str, at: float | None) -> None:
        redacted = self.pipeline.redactor.redact(text)
        self._writer.put(RequestNoted(logged.id, redacted, self._number, step), at)

    def _answer(self, **_: Any) -> Any:
        """What the tool returned; marked as a failure if the log says so."""
        assert self._current is not None
        one = self._current[1]
        if one.is_error:
            return {"isError": True, "content": [{"type": "text", "text": _as_text(one.answer)}]}
        if isinstance(one.answer, str) and one.answer.lstrip()[:1] in ("{", "["):
            try:
                return json.loads(one.answer)
            except (ValueError, RecursionError):
                return one.answer
        return one.answer

    @hookimpl
    def observe(self, event: Any) -> None:
        """Records the call at its place in the log, with the text that the model read."""
        if type(event) is not CallFinished or self._current is None:
            return
        logged, one, number = self._current
        event.session_id, event.conversation, event.step = logged.id, number, one.step
        event.result.duration = one.duration
        self._texts[id(event)] = _as_text(one.answer)
        self._writer.put(event, one.at)


class _ImportRecorder(Recorder):
    """Describes a logged call: the model read the logged answer and saw none of our proposals."""

    def __init__(self, content: Content, salt: str, *, texts: Mapping[int, str]) -> None:
        super().__init__(content, salt)
        self._texts = texts

    def call(self, event: CallFinished, at: float) -> CallRecord:
        record = super().call(event, at)
        if record.call["is_error"]:
            text = event.redact(self._texts[id(event)])
            record.call.update(
                feedback=text, feedback_chars=len(text), corrected=None, corrected_key=None, suggestions=None
            )
        return record


def _as_text(answer: Any) -> str:
    return (
        answer
        if isinstance(answer, str)
        else ""
        if answer is None
        else json.dumps(answer, ensure_ascii=False, default=safe_str)
    )


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and bool(name.strip())


def _tool(name: str, handler: Any) -> Tool:
    """A tool that accepts any arguments: the log does not contain its schema, and its answer says what was wrong."""
    return Tool.from_schema(name, "", {"type": "object"}, handler)
