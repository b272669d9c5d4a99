"""Records what the page shows: the state of the servers, and the last calls, redacted."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mulligan import ToolResult

_MOST_CALLS = 10_000
_MOST_CHARACTERS = 50_000_000
_LONGEST = 20_000
_EXCERPT = 300
_WORDS = {
    "RepeatedCallError": "repeated call, not run",
    "ResourceConflictError": "conflict",
    "ResourceNotFoundError": "does not exist",
    "ToolArgumentError": "wrong arguments",
    "ToolAuthenticationError": "not signed in",
    "ToolCancelledError": "not run",
    "ToolConnectionError": "server cannot be used",
    "ToolExecutionError": "failed",
    "ToolNotFoundError": "unknown tool",
    "ToolPermissionError": "not allowed",
    "ToolQuotaError": "quota used up",
    "ToolRateLimitError": "too many requests",
    "ToolTimeoutError": "took too long",
    "ToolUnavailableError": "server not available",
}
WORKED = "worked"


class WatchedServer(Protocol):
    """The state of a server that the page shows."""

    def state(self) -> dict[str, Any]:
        """Its name, whether it runs, otherwise the reason, and the number of starts."""


class Recorder:
    """Keeps the last ten thousand calls, and the details of as many of them as fit into fifty million characters.

    Args:
        redact: removes secrets from a text.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._rows: deque[dict[str, Any]] = deque(maxlen=_MOST_CALLS)
        self._details: dict[int, dict[str, Any]] = {}
        self._characters = 0
        self._totals: Counter[str] = Counter()
        self._servers: Sequence[WatchedServer] = ()

    def attach(self, servers: Sequence[WatchedServer]) -> None:
        """Receives the servers.

        Args:
            servers: the servers behind the proxy.
        """
        self._servers = servers

    def add(self, params: Mapping[str, Any], result: ToolResult, answer: Mapping[str, Any]) -> None:
        """Records a call.

        Args:
            params: the request's parameters, as the client sent them.
            result: its outcome.
            answer: the answer that was sent.
        """
        number = self._totals.total() + 1
        read = _answer_text(answer)
        details = {
            "arguments": self._shown(_json(_without_secrets(params.get("arguments"), result))),
            "read": _truncate(read if result.is_error else self._redact(read)),
            **self._failure(result),
        }
        outcome = WORKED if not result.is_error else _WORDS.get(details["error"], "failed")
        self._totals[outcome] += 1
        self._rows.append(
            {
                "n": number,
                "time": time.time(),
                "server": _server_of(result),
                "tool": self._shown(str(params.get("name", ""))),
                "outcome": outcome,
                "ok": not result.is_error,
                "stop": result.fatal,
                "seconds": round(result.duration, 3),
                "excerpt": " ".join((details["wrong"] or [""])[0].split())[:_EXCERPT],
                "text": " ".join(details["arguments"].split())[:_EXCERPT],
            }
        )
        self._keep(number, details)

    def state(self, after: int) -> dict[str, Any]:
        """The servers, the totals, and the calls after a given one.

        Args:
            after: the number of the last call that the page has.
        """
        return {**self.summary(), "calls": [row for row in self._rows if row["n"] > after]}

    def summary(self) -> dict[str, Any]:
        """The servers and the totals."""
        return {
            "servers": [self._state(server) for server in self._servers],
            "count": self._totals.total(),
            "totals": dict(self._totals.most_common()),
        }

    def details(self, number: int) -> dict[str, Any] | None:
        """The details of one call, or None if they are no longer kept.

        Args:
            number: the call's number.
        """
        return self._details.get(number)

    def export(self) -> dict[str, Any]:
        """Everything that is recorded."""
        calls = [{**row, **self._details.get(row["n"], {})} for row in self._rows]
        return {**self.state(self._totals.total()), "calls": calls}

    def _state(self, server: WatchedServer) -> dict[str, Any]:
        state = server.state()
        return {**state, "why": self._shown(state["why"])}

    def _keep(self, number: int, details: dict[str, Any]) -> None:
        self._details[number] = details
        self._characters += _size(details)
        while self._characters > _MOST_CHARACTERS or len(self._details) > _MOST_CALLS:
            self._characters -= _size(self._details.pop(next(iter(self._details))))

    def _failure(self, result: ToolResult) -> dict[str, Any]:
        error = result.to_dict()["error"] if result.is_error else None
        repairs = [f"{one.before} was read as {one.after}" for one in result.repairs]
        if error is None:
            return {"wrong": [], "error": "", "rule": "", "repairs": repairs}
        wrong = [self._shown(error["message"])]
        for one in error["problems"]:
            place = one["pointer"] or "the arguments"
            parts = (f"{place}: {one['message']}", one["expected"] and f"expected {one['expected']}")
            wrong.append(self._shown("; ".join(filter(None, (*parts, one["got"] and f"got {one['got']}")))))
        wrong = [one for one in wrong if one]
        return {"wrong": wrong, "error": error["type"], "rule": error["rule"] or "", "repairs": repairs}

    def _shown(self, text: str) -> str:
        return _truncate(self._redact(text[: 4 * _LONGEST]))


def _server_of(result: ToolResult) -> str:
    named = result.tool if result.tool is not None else result.error
    return (None if named is None else named.provider) or ""


def _size(details: Mapping[str, Any]) -> int:
    return len(details["arguments"]) + len(details["read"])


def _answer_text(answer: Mapping[str, Any]) -> str:
    parts = []
    for block in answer.get("content") or ():
        if block.get("type") == "text":
            parts.append(str(block.get("text", "")))
        else:
            size = len(str(block.get("data", "")))
            parts.append(f"[{block.get('type')} {block.get('mimeType', '')} {size:,} characters]")
    return "\n".join(parts)


def _without_secrets(arguments: Any, result: ToolResult) -> Any:
    """The arguments of a call without those that are secret, or may be."""
    return result.without_secrets(arguments) if isinstance(arguments, dict) else arguments


def _json(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, indent=1)
    except (TypeError, ValueError):
        return "(cannot be shown)"


def _truncate(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n[{len(text) - _LONGEST:,} characters left out]"
