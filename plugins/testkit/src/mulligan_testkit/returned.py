"""What a tool may return about a failure: a report of its own one, and data in which failures are named."""

from __future__ import annotations

from typing import Any

REPORTS: list[dict[str, Any]] = [
    {"code": 401, "message": "Unauthorized"},
    {"status": 403, "error": "Forbidden", "path": "/admin"},
    {"status": "error", "error": "invalid api key", "at": "12:01"},
]
"""Each is explained to the model as a failure, and none ends the run: the tool did return."""

DATA: list[dict[str, Any]] = [
    {"entries": REPORTS, "total": 3},
    {"ok": False, "why": "the door is closed"},
    {"level": "error", "text": "401 Unauthorized: invalid api key"},
]
"""Each is what the model asked for, and is sent as it is."""


def reason_of(report: dict[str, Any]) -> str:
    """The words of a report that the model must read.

    Args:
        report: one of `REPORTS`.
    """
    return str(report.get("message") or report["error"])
