"""What Temporal's own failures mean, and an `ApplicationError` by the name of the exception that it stands for."""

from __future__ import annotations

import builtins
from datetime import timedelta

from mulligan import errors
from mulligan.plugin import Codes, Failure, Rules, ToolError, ToolExecutionError, ToolUnavailableError, safe_str
from mulligan.plugin import meanings as m

LOST = m.Meaning(ToolUnavailableError, "The worker that ran the tool was lost", effect="possible")
NO_WORKER = m.Meaning(ToolUnavailableError, "No worker took the call in time. It was not run", effect="none")
SERVER = m.Meaning(ToolUnavailableError, "The Temporal server does not respond", effect="possible")
NOT_REGISTERED = m.Meaning(ToolExecutionError, "The workers do not have this tool. It was not run", effect="none")
ENDED = m.Meaning(ToolUnavailableError, "The worker was ended while it ran the tool", effect="possible")
TOO_LARGE = m.Meaning(ToolExecutionError, "The tool ran, but its result is larger than Temporal accepts", effect="done")
UNSENT = "The call is larger than Temporal accepts. The tool was not run."
REFUSED = "The Temporal server refused the call. The tool was not run."
WORKER_ENDED = "mulligan.WorkerEnded"
"""The type of the `ApplicationError` of a tool that was stopped because its worker was ended."""

_TIMEOUTS = {1: m.TIMEOUT, 2: NO_WORKER, 3: m.TIMEOUT, 4: LOST}  # temporalio.exceptions.TimeoutType
_STATUSES = Codes(  # of gRPC: https://grpc.io/docs/guides/status-codes/
    {
        m.CANCELLED._replace(effect="possible"): "1",
        m.ARGUMENT: "3",
        m.TIMEOUT: "4",
        m.NOT_FOUND: "5",
        m.EXISTS: "6",
        m.PERMISSION: "7",
        m.RATE_LIMIT: "8",
        m.CONFLICT: "9",
        m.ABORTED: "10",
        m.UNIMPLEMENTED: "12",
        SERVER: "2 13 14 15",
        m.AUTHENTICATION: "16",
    },
    skipped={"it is no error": "0", "no call of Temporal gives it": "11"},
)
_OWN_TYPES = {WORKER_ENDED: ENDED, "PayloadsTooLarge": TOO_LARGE}  # the second is what Temporal's workers say
_REFUSALS = frozenset((3, 5, 7, 8, 9, 12, 16))  # the server has decided; after all others it may have started
_OF_THE_CALLER = frozenset((7, 8, 16))  # credentials and rates; the others are about how the call was made
rules = Rules()


@rules(
    "temporalio.exceptions.ActivityError",
    "temporalio.exceptions.ChildWorkflowError",
    "temporalio.exceptions.NexusOperationError",
    "temporalio.client.WorkflowFailureError",
    "temporalio.client.ActivityFailureError",
)
def wrapper(failure: Failure) -> ToolError | None:
    """An activity or a workflow failed; its cause says why."""
    cause = next(iter(failure.exceptions[1:]), None)
    return None if cause is None else rules.decide(failure.about(cause))


@rules("temporalio.exceptions.TimeoutError")
def timeout(failure: Failure) -> ToolError:
    """A time limit of Temporal was reached: of a run, of waiting for a worker, or between two heartbeats."""
    kind = failure.look("_type")
    failure.text = ""
    return m.error_of(failure, _TIMEOUTS.get(int(kind) if isinstance(kind, int) else 0, m.TIMEOUT))


@rules("temporalio.exceptions.CancelledError", "temporalio.exceptions.TerminatedError")
def cancelled(failure: Failure) -> ToolError:
    """An activity or a workflow was cancelled or terminated."""
    failure.text = ""
    return m.error_of(failure, m.CANCELLED._replace(effect="possible"))


@rules("temporalio.exceptions.ServerError")
def server(failure: Failure) -> ToolError:
    """The server itself failed."""
    failure.text = ""
    return m.error_of(failure, SERVER)


@rules(
    "temporalio.exceptions.WorkflowAlreadyStartedError",
    "temporalio.exceptions.ActivityAlreadyStartedError",
)
def started(failure: Failure) -> ToolError:
    """There is one with this id already."""
    return m.error_of(failure, m.EXISTS)


@rules("temporalio.service.RPCError")
def answered(failure: Failure) -> ToolError:
    """A call of the server that ended with a status other than OK."""
    status = failure.look("_status")
    meaning = _STATUSES.meaning_of(str(int(status))) if isinstance(status, int) else None
    if meaning is None or meaning is SERVER:
        failure.text = ""  # addresses of the server, of no use to a model
    return m.error_of(failure, meaning or SERVER)


@rules("temporalio.exceptions.ApplicationError")
def application(failure: Failure) -> ToolError | None:
    """An exception of an activity or a workflow, of which Temporal keeps the name of the class, and the message."""
    kind, delay = failure.look("_type"), failure.look("_next_retry_delay")
    kind, text = safe_str(kind or "", 200), safe_str(failure.look("_message") or "", 2_000)
    name = kind.rpartition(".")[2]
    if name == "NotFoundError" and text.startswith("Activity function"):
        failure.text = ""
        return m.error_of(failure, NOT_REGISTERED)
    if kind in _OWN_TYPES:
        failure.text = ""
        return m.error_of(failure, _OWN_TYPES[kind])
    error = _named(failure, name, text)
    if failure.look("_non_retryable") is True:
        error.transient = False
    if type(delay) is timedelta:
        error.retry_after = delay.total_seconds()
    return error


def _named(failure: Failure, name: str, text: str) -> ToolError:
    """The error for an exception whose class has this name, if it is one of mulligan or of Python."""
    own = getattr(errors, name, None)
    if isinstance(own, type) and issubclass(own, ToolError):
        return own(text or "The activity failed.", effect="possible")
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, (TimeoutError, ConnectionError)):
        return m.error_of(failure, m.TIMEOUT if issubclass(known, TimeoutError) else m.DROPPED)
    if isinstance(known, type) and issubclass(known, OSError):
        meanings = {"FileNotFoundError": m.NOT_FOUND, "PermissionError": m.PERMISSION, "FileExistsError": m.EXISTS}
        return m.error_of(failure, meanings.get(name, m.FAILED))
    return m.error_of(failure, m.FAILED._replace(message="The activity failed", effect="possible"))


def engine_error(exception: BaseException) -> ToolError | None:
    """What a failure of Temporal means to a call that ran on it, whose effect is then known; None if it is not Temporal's.

    Args:
        exception: what Temporal raised.
    """
    error = rules.decide(Failure(exception))
    if error is not None:
        error.rule = f"temporal:{error.rule}"
    return error


def was_not_taken(exception: BaseException) -> bool:
    """Whether Temporal ended an activity because no worker had taken it in time.

    Args:
        exception: what Temporal raised.
    """
    kind = Failure(exception.__cause__ or exception).look("_type")
    return isinstance(kind, int) and _TIMEOUTS.get(int(kind)) is NO_WORKER


def refusal(exception: BaseException) -> ToolError | None:
    """What it means to a call that the server refused to start its activity; None if it may have started it all the same.

    Args:
        exception: the `temporalio.service.RPCError`.
    """
    status, text = Failure(exception).look("_status"), safe_str(exception, 300)
    if not isinstance(status, int) or int(status) not in _REFUSALS:
        return None
    if "exceeds length limit" in text or "larger than max" in text:
        return ToolExecutionError(UNSENT, effect="none", user_message=f"{UNSENT} The server reported: {text}")
    error = engine_error(exception) if int(status) in _OF_THE_CALLER else None
    if error is None:
        return ToolExecutionError(
            REFUSED, effect="none", fatal=True, user_message=f"{REFUSED} The server reported: {text}"
        )
    error.effect = "none"
    return error
