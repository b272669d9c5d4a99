"""Classify: what is known without any provider's plugin. The first rule that has an answer decides."""

from __future__ import annotations

from mulligan.builtin import argument_rules, http_rules, late_rules, os_rules, python_rules, sql_rules
from mulligan.plugin import (
    DeadlineExceeded,
    ExecutorSaturated,
    Failure,
    Rules,
    ToolError,
    ToolTimeoutError,
    ToolUnavailableError,
)

rules = Rules()


@rules("mulligan.steps.DeadlineExceeded")
def deadline(failure: Failure) -> ToolError | None:
    """The pipeline itself gave up waiting."""
    error = failure.exception
    if not isinstance(error, DeadlineExceeded):
        return None
    waited = f"No answer within {error.seconds:g} s"
    if not error.started:
        return ToolTimeoutError(f"{waited}, and the tool had not begun.", effect="none")
    state = "it may still be running" if error.running else "it was cancelled"
    return ToolTimeoutError(f"{waited}; {state}.", effect="possible")


@rules("mulligan.steps.ExecutorSaturated")
def saturated(failure: Failure) -> ToolError | None:
    """All worker threads are held by calls that did not end."""
    if not isinstance(failure.exception, ExecutorSaturated):
        return None
    message = "Executor saturated: too many earlier calls have not ended; nothing was run."
    return ToolUnavailableError(message, effect="none")


rules.include(*(part.rules for part in (os_rules, python_rules, argument_rules, http_rules, sql_rules, late_rules)))
classify = rules.hookimpl(trylast=True)
