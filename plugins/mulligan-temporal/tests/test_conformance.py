"""The package passes mulligan's own suites for executors and classifiers."""

from datetime import timedelta
from typing import Any

import mulligan_temporal
import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    CancelledError,
    ServerError,
    TerminatedError,
    TimeoutError,
    TimeoutType,
)
from temporalio.service import RPCError, RPCStatusCode

from mulligan import Pipeline
from mulligan.errors import (
    ResourceNotFoundError,
    ToolCancelledError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.testing import ClassifierConformance, ExecutorConformance


@pytest.mark.usefixtures("conformance_worker")
class TestTemporal(ExecutorConformance):
    plugin = mulligan_temporal
    options = {"executor": "temporal"}
    declined = {}


def _caused(outer: Exception, cause: Exception) -> Exception:
    outer.__cause__ = cause
    return outer


def _activity_failed(cause: Exception) -> Exception:
    details: dict[str, Any] = {"scheduled_event_id": 1, "started_event_id": 2, "identity": "1@10.0.0.1"}
    details |= {"activity_type": "work", "activity_id": "1", "retry_state": None}
    return _caused(ActivityError("Activity task failed", **details), cause)


def _timed_out(kind: TimeoutType) -> Exception:
    return _activity_failed(TimeoutError("activity timeout", type=kind, last_heartbeat_details=[]))


class TestFailures(ClassifierConformance):
    plugin = mulligan_temporal
    samples = [
        (_timed_out(TimeoutType.HEARTBEAT), ToolUnavailableError),
        (_timed_out(TimeoutType.SCHEDULE_TO_START), ToolUnavailableError),
        (_timed_out(TimeoutType.START_TO_CLOSE), ToolTimeoutError),
        (_activity_failed(CancelledError()), ToolCancelledError),
        (_activity_failed(ApplicationError("no such file", type="FileNotFoundError")), ResourceNotFoundError),
        (_activity_failed(ApplicationError("slow down", type="ToolRateLimitError")), ToolRateLimitError),
        (WorkflowFailureError(cause=TerminatedError("terminated")), ToolCancelledError),
        (RPCError("error trying to connect", RPCStatusCode.UNAVAILABLE, b""), ToolUnavailableError),
        (RPCError("namespace not found", RPCStatusCode.NOT_FOUND, b""), ResourceNotFoundError),
        (RPCError("unauthorized", RPCStatusCode.PERMISSION_DENIED, b""), ToolPermissionError),
        (ServerError("shard lost"), ToolUnavailableError),
    ]


def test_flags_of_an_activity_decide_whether_it_is_temporary():
    pipeline = Pipeline([], plugins=[mulligan_temporal], autoload=False)
    once = pipeline.classify(ApplicationError("reset", type="ConnectionResetError", non_retryable=True))
    again = pipeline.classify(
        ApplicationError("reset", type="ToolUnavailableError", next_retry_delay=timedelta(seconds=7))
    )
    lost, waiting = (
        pipeline.classify(_timed_out(kind)) for kind in (TimeoutType.HEARTBEAT, TimeoutType.SCHEDULE_TO_START)
    )
    assert once is not None and again is not None and lost is not None and waiting is not None
    assert (once.transient, again.transient, again.retry_after) == (False, True, 7.0)
    assert (lost.effect, waiting.effect) == ("possible", "none")
