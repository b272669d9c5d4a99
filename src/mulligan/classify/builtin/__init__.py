"""The built-in classifier: rules that need no provider's plugin. The first rule that returns an error decides."""

from __future__ import annotations

from mulligan.classify.author_messages import AUTHORS
from mulligan.classify.builtin import arguments as argument_rules
from mulligan.classify.builtin import checks as check_rules
from mulligan.classify.builtin import fallback as late_rules
from mulligan.classify.builtin import mail as mail_rules
from mulligan.classify.builtin import network as http_rules
from mulligan.classify.builtin import parsers as parser_rules
from mulligan.classify.builtin import python as python_rules
from mulligan.classify.builtin import sql as sql_rules
from mulligan.classify.builtin import system as os_rules
from mulligan.classify.failure import Failure
from mulligan.classify.rules import Rules
from mulligan.errors import ToolError, ToolExecutionError, ToolTimeoutError, ToolUnavailableError
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, ProcessFailed

rules = Rules()


@rules("mulligan.execute.steps.DeadlineExceeded")
def deadline(failure: Failure) -> ToolError | None:
    """The call exceeded the deadline of the pipeline."""
    error = failure.exception
    if not isinstance(error, DeadlineExceeded):
        return None
    waited = f"No response within {error.told}"
    if not error.started:
        return ToolTimeoutError(f"{waited}; the tool had not started.", effect="none")
    state = "it may still be running" if error.running else "it was cancelled"
    return ToolTimeoutError(f"{waited}; {state}.", effect="possible")


@rules(*AUTHORS)
def author(failure: Failure) -> ToolError | None:
    """The tool's author reports an obstacle to the model. Such a message never ends the run."""
    return ToolExecutionError("The tool could not complete the call.") if failure.author_message else None


@rules("mulligan.execute.steps.ExecutorSaturated")
def saturated(failure: Failure) -> ToolError | None:
    """Earlier calls that are still running occupy all worker threads."""
    if not isinstance(failure.exception, ExecutorSaturated):
        return None
    message = "Executor saturated: too many earlier calls are still running. Nothing was run."
    return ToolUnavailableError(message, effect="none")


@rules("mulligan.execute.steps.ProcessFailed")
def process(failure: Failure) -> ToolError | None:
    """The process of a killable tool returned no result."""
    error = failure.exception
    if not isinstance(error, ProcessFailed):
        return None
    if error.reason == "cpu":
        return ToolTimeoutError("The tool exceeded its CPU time limit and was stopped.", effect="possible")
    if error.reason == "unloaded":
        return ToolExecutionError("The tool could not be loaded in a separate process. It was not run.", effect="none")
    if error.reason == "unsent":
        return ToolExecutionError("The tool ran, but its result could not be returned from its process.", effect="done")
    how = ": killed by SIGKILL, possibly out of memory" if error.how == "SIGKILL" else f" ({error.how})"
    return ToolExecutionError(f"The tool's process ended without a result{how}.", effect="possible")


rules.include(os_rules.rules, python_rules.rules, argument_rules.rules, check_rules.rules)
rules.include(mail_rules.rules, http_rules.rules, sql_rules.rules, parser_rules.rules, late_rules.rules)
classify = rules.hookimpl()  # registered first, so asked after other plugins and before those marked `trylast`
