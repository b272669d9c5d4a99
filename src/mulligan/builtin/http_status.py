"""The rule for everything that carries an HTTP status."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolError, status_error


def http_status(failure: Failure) -> ToolError | None:
    """The class by status; a 403 that says rate limit is one, and a 429 that says quota is a quota."""
    return None if failure.status is None else status_error(failure)
