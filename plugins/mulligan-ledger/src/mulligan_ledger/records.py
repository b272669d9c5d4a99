"""Turns events into rows of the tables: redacted, bounded, and with only the content that the ledger keeps."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import attrs

from mulligan import ToolCall
from mulligan.plugin import AttemptFailed, CallFinished, ToolArgumentError, ToolNotFoundError, clean, safe_str
from mulligan.session.records import call_key
from mulligan_ledger import snapshot
from mulligan_ledger.definitions import Definition, definition_of, hash_of
from mulligan_ledger.redaction import REDACTED, Redact, dump, redact_arguments

Content = Literal["full", "errors", "none"]
CONTENTS = ("full", "errors", "none")
MOST_ARGUMENTS, MOST_RESULT, MOST_TEXT, MOST_OUTCOME = 20_000, 4_000, 8_000, 60_000
_LONGEST_NAME, _MOST_SUGGESTIONS = 200, 20
_NAME = re.compile(r"[\w.:/-]{1,64}")


@attrs.frozen
class CallRecord:
    """The rows of one call.

    Attributes:
        call: the columns of `calls`, without the keys that the database assigns.
        attempts: the columns of `attempts`.
        repairs: the columns of `repairs`.
        definitions: the tools that the call may have meant, if they are kept with it.
        toolset: the hashes of the available tools, as JSON; None if they are not kept.
    """

    call: dict[str, Any]
    attempts: list[dict[str, Any]]
    repairs: list[dict[str, Any]]
    definitions: tuple[Definition, ...]
    toolset: str | None


class Recorder:
    """Turns events into rows, and remembers the definitions of the tools.

    Args:
        content: `full`; `errors` for no content of calls that succeeded; `none` for no text at all.
        salt: the salt of the file, so that hashes of short arguments reveal nothing outside it.
    """

    def __init__(self, content: Content, salt: str) -> None:
        self._content = content
        self._salt = salt
        self._definitions: dict[int, tuple[Any, Definition]] = {}
        self._toolsets: dict[int, tuple[tuple[int, ...], str, tuple[Definition, ...]]] = {}

    def call(self, event: CallFinished, at: float) -> CallRecord:
        """The rows of a call; without its content if a value cannot be represented in JSON.

        Args:
            event: the end of the call.
            at: when it ended, in seconds since 1970.
        """
        keeps = self._content == "full" or (self._content == "errors" and event.result.is_error)
        try:
            return self._describe(event, at, keeps=keeps)
        except (ValueError, TypeError, RecursionError):
            return self._describe(event, at, keeps=False)

    def _describe(self, event: CallFinished, at: float, *, keeps: bool) -> CallRecord:
        result, error = event.result, event.result.error
        hashes, definitions = self._toolset(event.toolset) if result.is_error else (None, ())
        definition = None if result.tool is None else self._definition(result.tool)
        row: dict[str, Any] = {
            "step": event.step,
            "at": iso(at - result.duration),
            "duration": round(result.duration, 6),
            "call_id": None if event.sent.id is None else safe_str(event.sent.id, _LONGEST_NAME),
            "name": _name(event, may_be_text=self._content != "none"),
            "tool": None if result.tool is None else result.tool.name,
            "definition": None if definition is None else definition.hash,
            "toolset": None if hashes is None else hash_of(hashes),
            "arguments": _arguments(event) if keeps else None,
            "arguments_key": self._key(event.result.call),
            "is_error": int(result.is_error),
            "fatal": int(result.fatal),
            "attempts": result.attempts,
            "repaired": int(bool(result.repairs)),
            "result": _bounded(event.redact(result.content), MOST_RESULT) if keeps and not result.is_error else None,
            "result_chars": None if result.is_error else len(result.content),
            "feedback": result.content if keeps and result.is_error else None,
            "feedback_chars": len(result.content) if result.is_error else None,
        }
        if error is not None:
            row |= self._error(error, event, keeps=keeps)
        failed = [one for one in result.events if isinstance(one, AttemptFailed)]
        attempts = [
            self._attempt(one, error if one.attempt == result.attempts else None, event.redact, keeps=keeps)
            for one in failed
        ]
        repairs = [
            {
                "kind": one.kind,
                "before": one.before if keeps else None,
                "after": one.after if keeps else None,
                "was_json": int(one.was_json),
            }
            for one in result.repairs
        ]
        if definition is not None and definition not in definitions:
            definitions = (*definitions, definition)
        return CallRecord(row, attempts, repairs, definitions, hashes)

    def _error(self, error: Any, event: CallFinished, *, keeps: bool) -> dict[str, Any]:
        feedback = event.result.feedback
        corrected, problems = ("", ()) if feedback is None else (feedback.corrected, feedback.problems)
        proposed = json.loads(corrected) if corrected else None
        names = [*getattr(error, "suggestions", ())][:_MOST_SUGGESTIONS]
        shown = isinstance(error, ToolNotFoundError) or keeps
        return {
            **_facts(error),
            "fatal": int(error.fatal),
            "resource": _redacted(error.resource, event.redact) if keeps else None,
            "message": _redacted(error.message, event.redact) if keeps else None,
            "user_message": _redacted(error.user_message, event.redact) if keeps else None,
            "corrected": corrected if keeps and corrected else None,
            "corrected_key": None if proposed is None else self._hash(proposed["name"], proposed["arguments"]),
            "suggestions": dump(names) if names and shown else None,
            "problems": dump([one._asdict() for one in problems]) if keeps and problems else None,
        }

    def _attempt(self, event: AttemptFailed, error: Any, redact: Redact, *, keeps: bool) -> dict[str, Any]:
        error, outcome = error or event.error, event.outcome  # the last attempt has the error of the result
        kept = dump(snapshot.describe_outcome(outcome, redact)) if keeps else None
        named = isinstance(outcome, BaseException)
        return {
            "number": event.attempt,
            **{name: value for name, value in _facts(error).items() if name != "provider"},
            "message": _redacted(error.message, redact) if keeps else None,
            "exception": f"{type(outcome).__module__}.{type(outcome).__qualname__}" if named else None,
            "outcome": kept if kept is None or len(kept) <= MOST_OUTCOME else None,
        }

    def _definition(self, tool: Any) -> Definition:
        known = self._definitions.get(id(tool))
        if known is None or known[0] is not tool:
            known = self._definitions[id(tool)] = (tool, definition_of(tool))
        return known[1]

    def _toolset(self, toolset: Mapping[str, Any]) -> tuple[str | None, tuple[Definition, ...]]:
        tools = list(toolset.values())
        place, ids = id(toolset), tuple(map(id, tools))
        known = self._toolsets.get(place)
        if known is None or known[0] != ids:
            definitions = tuple(self._definition(tool) for tool in tools)
            text = json.dumps([one.hash for one in definitions])
            known = self._toolsets[place] = (ids, text, definitions)
        return (known[1] if tools else None), known[2]

    def _key(self, call: ToolCall) -> str | None:
        arguments = call.arguments
        if isinstance(arguments, (str, bytes)):
            try:
                arguments = json.loads(arguments or "{}")
            except (ValueError, RecursionError):
                return self._hash(call.name, {"": safe_str(arguments)})
        return self._hash(call.name, arguments if isinstance(arguments, Mapping) else {})

    def _hash(self, name: str, arguments: Mapping[str, Any]) -> str:
        key = call_key(safe_str(name, _LONGEST_NAME), arguments)
        return hashlib.sha256(f"{self._salt}{key}".encode()).hexdigest()[:24]


def iso(seconds: float) -> str:
    """A time as text that sorts chronologically: `2026-11-23T14:05:09.123Z`.

    Args:
        seconds: since 1970.
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _name(event: CallFinished, *, may_be_text: bool) -> str:
    """The name that was sent; if no tool has it, it may be any text, even a sentence."""
    name = safe_str(event.sent.name, _LONGEST_NAME)
    if event.result.tool is not None and event.result.tool.name == name:
        return name
    if not may_be_text and not _NAME.fullmatch(name):
        return REDACTED
    return clean(event.redact(name), newlines=False)


def _facts(error: Any) -> dict[str, Any]:
    """The facts of an error that every level of content keeps."""
    return {
        "error": type(error).__name__,
        "code": error.code,
        "rule": error.rule,
        "provider": error.provider,
        "transient": int(error.transient),
        "effect": error.effect,
        "http_status": error.http_status,
        "retry_after": error.retry_after,
    }


def _arguments(event: CallFinished) -> str | None:
    """The arguments as they were sent, without secrets."""
    sent, result = event.sent.arguments, event.result
    if isinstance(sent, (str, bytes, Mapping)) and (result.tool is None or result.tool.secret):
        values = _parsed(sent)
        hidden = result.without_secrets(values)
        if hidden != values:
            sent = hidden if isinstance(hidden, str) else dump(hidden)
        if isinstance(result.error, ToolArgumentError) and not isinstance(values, dict) and result.tool is not None:
            return "[redacted]"  # unreadable arguments may contain a secret anywhere
    text = redact_arguments(sent, event.redact)
    return None if text is None else _bounded(text, MOST_ARGUMENTS)


def _parsed(sent: Any) -> Any:
    if isinstance(sent, Mapping):
        return dict(sent)
    try:
        return json.loads(sent)
    except (ValueError, RecursionError):
        return sent if isinstance(sent, str) else sent.decode("utf-8", "replace")


def bounded_text(text: str) -> str:
    """A text of the user or of a message, truncated to the length that the ledger keeps."""
    return _bounded(text, MOST_TEXT)


def _redacted(text: str | None, redact: Callable[[str], str]) -> str | None:
    return _bounded(redact(text), MOST_TEXT) if text else text


def _bounded(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… [{len(text):,} characters]"


__all__ = ["CONTENTS", "CallRecord", "Content", "Recorder", "bounded_text", "iso"]
