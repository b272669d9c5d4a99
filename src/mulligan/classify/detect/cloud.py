"""Conventions of cloud services: batches that failed in part, runs that ended badly, operations with an error.

Sources: the API references of Amazon Kinesis (PutRecords), SQS (SendMessageBatch), EventBridge (PutEvents), DynamoDB
(BatchWriteItem), S3 (DeleteObjects), AWS Step Functions (StartSyncExecution) and AWS JSON 1.1; google.longrunning.Operation
and google.rpc.Code (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto); Compute Engine's Operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.classify.detect.mappings import mappings, message_of
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import sense
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a

_FAILED_COUNT = re.compile(r"Failed(?:[A-Z][a-z]+)?(?:Record|Entry|Put|Item)?s?Count")
_FAILED_LISTS = (
    "Failed",
    "FailedEntries",
    "Errors",
    "Records",
    "Entries",
    "ResultErrors",
    "failed",
    "RequestResponses",
)
_CODES = ("ErrorCode", "Code", "errorCode", "code")
_ENDED: Mapping[str, str] = {"FAILED": "INTERNAL", "TIMED_OUT": "TIMEOUT", "ABORTED": "CANCELLED"}
# fmt: off
_RPC_CODES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)
# fmt: on


def detect_cloud(value: Mapping[str, Any], subject: Subject) -> Failure | None:
    """Detects the failure that a cloud service reports.

    Args:
        value: its answer.
        subject: what the tool was asked for; the record of a failed run is a result.
    """
    failure = _detect_batch(value) or _detect_typed(value) or _detect_rpc_status(value)
    if failure is not None or subject.is_record:
        return failure
    return _detect_execution(value) or _detect_operation(value)


def _detect_batch(value: Mapping[str, Any]) -> Failure | None:
    """Detects a batch of which some items failed: the items that worked are not done again without a look."""
    unprocessed = next(
        (name for name in value if name.startswith("Unprocessed") and is_a(value[name], Mapping, list)), ""
    )
    if unprocessed and value[unprocessed]:
        return coded("THROTTLED", f"{unprocessed} is not empty: some items were not processed.")
    counted = any(type(count) is int and count > 0 and _FAILED_COUNT.fullmatch(name) for name, count in value.items())
    for item in _failed_items(value):
        code, message = next((item[name] for name in _CODES if type(item.get(name)) is str), ""), _message(item)
        if code and (counted or message or "Errors" in value):
            return coded(code, message)
    return coded("INTERNAL", "Some items of the batch failed.") if counted else None


def _failed_items(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in _FAILED_LISTS:
        yield from (item for item in mappings(value.get(name))[:100] if any(item.get(code) for code in _CODES[:3]))


def _message(item: Mapping[str, Any]) -> str:
    message = item.get("ErrorMessage") or item.get("Message") or item.get("errorMessage")
    return message if type(message) is str else message_of(item)


def _detect_typed(value: Mapping[str, Any]) -> Failure | None:
    """Detects an error of AWS JSON: `{"__type": "...#ThrottlingException", "message": ...}`."""
    kind = value.get("__type")
    if type(kind) is not str or not set(value) <= {
        "__type",
        "message",
        "Message",
        "errors",
        "fieldList",
        "Reason",
        "reason",
    }:
        return None
    name = kind.rpartition("#")[2]
    return coded(name, _message(value)) if name.endswith(("Exception", "Error", "Fault")) or reason_of(name) else None


def _detect_rpc_status(value: Mapping[str, Any]) -> Failure | None:
    """Detects a google.rpc.Status: a small code with a message that says what is wrong, and nothing else."""
    code, message = value.get("code"), value.get("message")
    if type(code) is not int or not 0 < code < len(_RPC_CODES) or type(message) is not str:
        return None
    if not set(value) <= {"code", "message", "details"} or ("details" not in value and sense(message) is None):
        return None
    return coded(_RPC_CODES[code], message)


def _detect_execution(value: Mapping[str, Any]) -> Failure | None:
    """Detects a run of a state machine that a tool started and waited for."""
    code = _ENDED.get(str(value.get("status")))
    if code is None or type(value.get("executionArn")) is not str:
        return None
    cause, error = value.get("cause"), value.get("error")
    message = ": ".join(one for one in (error, cause) if type(one) is str and one)
    return coded(code, message)


def _detect_operation(value: Mapping[str, Any]) -> Failure | None:
    """Detects a long-running operation that a tool started and waited for, and that ended with an error."""
    error, status = value.get("error"), value.get("status")
    if is_a(status, Mapping) and is_a(as_dict(status).get("errorResult"), Mapping):  # a job of BigQuery
        result = as_dict(as_dict(status)["errorResult"])
        return Failure(value=result, message=message_of(result))
    if not is_a(error, Mapping) or not (value.get("done") is True or status == "DONE"):
        return None
    members = as_dict(error)
    listed = mappings(members.get("errors"))
    if listed:
        return Failure(value=listed[0], message=message_of(listed[0]))
    code = members.get("code")
    if type(code) is int and 0 < code < len(_RPC_CODES):
        return coded(_RPC_CODES[code], message_of(members))
    return Failure(value=members, message=message_of(members))
