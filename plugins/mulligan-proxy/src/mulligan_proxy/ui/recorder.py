"""What the page shows: the last calls, redacted."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from mulligan import ToolResult

_MOST = 500
_LONGEST = 20_000


class Recorder:
    """Keeps the last five hundred calls.

    Args:
        redact: takes secrets out of a text.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._calls: deque[dict[str, Any]] = deque(maxlen=_MOST)
        self._count = 0

    def add(self, params: Mapping[str, Any], result: ToolResult, answer: Mapping[str, Any]) -> None:
        """Remembers a call.

        Args:
            params: the request's parameters, as the client sent them.
            result: what came of it.
            answer: what was sent back.
        """
        self._count += 1
        told = _answer_text(answer)
        self._calls.append(
            {
                "n": self._count,
                "time": time.time(),
                "tool": self._shown(str(params.get("name", ""))),
                "arguments": self._shown(_json(params.get("arguments"))),
                "told": _truncate(told if result.is_error else self._redact(told)),
                "duration": round(result.duration * 1_000, 1),
                **self._failure(result),
            }
        )

    def after(self, number: int) -> dict[str, Any]:
        """The calls that came after one, and how many there were in all.

        Args:
            number: the number of the last call that is known.
        """
        return {"count": self._count, "calls": [one for one in self._calls if one["n"] > number]}

    def _failure(self, result: ToolResult) -> dict[str, Any]:
        error = result.to_dict()["error"] if result.is_error else None
        repairs = [f"{one.before} was read as {one.after}" for one in result.repairs]
        if error is None:
            return {"ok": True, "fatal": False, "wrong": [], "error": "", "rule": "", "repairs": repairs}
        wrong = [self._shown(error["message"])]
        for one in error["problems"]:
            place = one["pointer"] or "the arguments"
            parts = (f"{place}: {one['message']}", one["expected"] and f"expected {one['expected']}")
            wrong.append(self._shown("; ".join(filter(None, (*parts, one["got"] and f"got {one['got']}")))))
        return {
            "ok": False,
            "fatal": result.fatal,
            "wrong": [one for one in wrong if one],
            "error": error["type"],
            "rule": error["rule"] or "",
            "repairs": repairs,
        }

    def _shown(self, text: str) -> str:
        return _truncate(self._redact(text[: 4 * _LONGEST]))


def _answer_text(answer: Mapping[str, Any]) -> str:
    parts = []
    for block in answer.get("content") or ():
        if block.get("type") == "text":
            parts.append(str(block.get("text", "")))
        else:
            size = len(str(block.get("data", "")))
            parts.append(f"[{block.get('type')} {block.get('mimeType', '')} {size:,} characters]")
    return "\n".join(parts)


def _json(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, indent=1)
    except (TypeError, ValueError):
        return "(cannot be shown)"


def _truncate(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n[{len(text) - _LONGEST:,} characters left out]"
