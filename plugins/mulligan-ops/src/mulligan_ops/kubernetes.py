"""Kubernetes, through kubernetes (also its `aio`) and kubernetes_asyncio: by the reason of the API server's Status object.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/; `tests/published/kubernetes.txt` lists the
reasons. Without a Status object, the HTTP status counts.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceConflictError,
    Rules,
    ToolArgumentError,
    ToolError,
    meanings,
    pointer_to,
    status_error,
    transport_error,
)
from mulligan_ops.lines import Lines, find_meaning

rules = Rules("kubernetes")
last = Rules("kubernetes", last=True)
SERVICE = "Kubernetes"

EXPIRED = meanings.CONFLICT._replace(
    message="The resource version or the continue token is too old for the service: list again without it",
    code="ABORTED",
)
OWNED = meanings.CONFLICT._replace(message="Another manager owns these fields of the object at the service")
QUOTA = meanings.QUOTA._replace(message="A resource quota of the namespace is exhausted")
WAITING = meanings.BUSY._replace(message="The container does not run yet, or not now")
ENDING = meanings.BUSY._replace(message="The namespace is being deleted")
BUDGET = meanings.BUSY._replace(message="A disruption budget does not allow this eviction now")
POLICY = meanings.ARGUMENT._replace(message="A policy of the cluster rejected the object")
NO_CONFIG = meanings.AUTHENTICATION._replace(message="No usable Kubernetes configuration was found")

codes = Codes(
    {
        meanings.EXISTS: "AlreadyExists",
        meanings.ABORTED: "Conflict",
        EXPIRED: "Expired",
        meanings.ARGUMENT: "BadRequest Invalid NotAcceptable UnsupportedMediaType",
        meanings.PERMISSION: "Forbidden",
        meanings.AUTHENTICATION: "Unauthorized",
        meanings.NOT_FOUND: "NotFound Gone",
        meanings.UNIMPLEMENTED: "MethodNotAllowed",
        meanings.TOO_LARGE: "RequestEntityTooLarge",
        meanings.RATE_LIMIT: "TooManyRequests",
        meanings.TIMEOUT: "ServerTimeout Timeout",
        meanings.UNAVAILABLE: "InternalError ServiceUnavailable StorageReadError",
    }
)
# Reasons with several meanings, which the message distinguishes.
SPECIFIC: Mapping[meanings.Meaning, Lines] = {
    meanings.PERMISSION: (
        (r"exceeded quota", QUOTA),
        (r"User \"system:anonymous\" cannot", meanings.AUTHENTICATION),
        (r"because it is being terminated", ENDING),
        (r"violates PodSecurity|(?:maximum|minimum) \S+ .{0,40}?usage per |admission webhook \S+ denied", POLICY),
    ),
    meanings.ARGUMENT: (
        (r"admission webhook \S+ denied", POLICY),
        (r"container \"?([^\s\"]+)\"? in pod \S+ is (?:waiting to start|not available)", WAITING),
        (r"container \"?([^\s\"]+)\"? (?:in pod \S+ not found|is not valid for pod)", meanings.NOT_FOUND),
    ),
    meanings.ABORTED: ((r"^Apply failed with \d+ conflict", OWNED), (r"because it is being terminated", ENDING)),
    meanings.NOT_FOUND: ((r"too old resource version", EXPIRED),),
    meanings.RATE_LIMIT: ((r"disruption budget", BUDGET),),
}
_FAULTS = {  # https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#CauseType
    "FieldValueRequired": "is required",
    "FieldValueInvalid": "is not valid",
    "FieldValueTypeInvalid": "has the wrong type",
    "FieldValueNotSupported": "is not one of the supported values",
    "FieldValueDuplicate": "occurs twice",
    "FieldValueNotFound": "refers to something that does not exist",
    "FieldValueForbidden": "is not allowed here",
    "FieldValueTooLong": "is too long",
    "FieldValueTooMany": "has too many items",
    "FieldManagerConflict": "belongs to another manager",
}
_ANY_FAULT = "is not accepted"
_WRONG_TYPE = re.compile(r"Go struct field \w+\.(\S{1,200}) of type")
_UNKNOWN_FIELD = re.compile(r"(?:ValidationError\(\w+((?:\.\w+){0,20}\b)\): )?unknown field \"([^\"\s]{1,200})\"")
_STEP = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_HANDSHAKE = re.compile(r"Handshake status (\d{3})")
_BODY = re.compile(r"-\+-\+- (b['\"].*['\"])\s*$", re.DOTALL)
_WATCHED = re.compile(r"(\w+): (.*)", re.DOTALL)
_NO_CONTEXT = re.compile(r"Expected object with name (\S+) in ")
_CLIENTS = ("kubernetes", "kubernetes_asyncio")
HTTP = ("requests.RequestException", "urllib3.exceptions.HTTPError", "aiohttp.ClientError", "TimeoutError")


def _of(*names: str) -> tuple[str, ...]:
    return tuple(f"{client}.{name}" for client in _CLIENTS for name in names)


@rules(*_of("FailToCreateError"))
def kubernetes_created(failure: Failure) -> ToolError | None:
    """Objects of a manifest that could not be created, by the first response. Others may have been created."""
    answers = failure.look("api_exceptions")
    first = answers[0] if isinstance(answers, list) and answers else None
    error = kubernetes_answer(failure.about(first)) if isinstance(first, BaseException) else None
    if error is not None:
        error.effect = "possible"
    return error


@rules(*_of("ApiException"))
def kubernetes_answer(failure: Failure) -> ToolError | None:
    """The API server's response, by its Status object, otherwise by its HTTP status."""
    reason = str(failure.look("reason"))[:20_000]
    status, answer = failure.look("status"), _object(failure.look("body"))
    if not isinstance(status, int) or status == 0:
        handshake = _HANDSHAKE.search(reason)
        if handshake is None:
            return _without_answer(failure, reason)
        status, body = int(handshake[1]), _BODY.search(reason)
        answer = _object(_literal(body[1])) if body else {}
    watched = _WATCHED.fullmatch(reason)  # a watch has no body; its reason and message are one text
    if watched is not None and not answer:
        answer = {"reason": watched[1], "message": watched[2]}
    return status_object_error(failure, answer, status)


def _without_answer(failure: Failure, reason: str) -> ToolError | None:
    """A connection error, which the client keeps only as the context of its own exception."""
    before = failure.look("__context__")
    if reason.startswith("Cannot prepare a request"):
        return meanings.error_of(failure, meanings.ARGUMENT, message="The Kubernetes client rejected a parameter.")
    error = transport_error(failure.about(before), service=SERVICE) if isinstance(before, BaseException) else None
    if error is None and reason.startswith("SSLError"):
        return meanings.error_of(failure, meanings.TLS, service=SERVICE, effect="possible", http_status=None)
    return error


def _literal(written: str) -> object:
    """Parses a value from its Python literal."""
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _object(body: object) -> Mapping[str, Any]:
    if isinstance(body, (str, bytes)) and len(body) < 100_000:
        try:
            body = json.loads(body)
        except ValueError:
            return {}
    return body if isinstance(body, Mapping) else {}


def status_object_error(failure: Failure, answer: Mapping[str, Any], status: int) -> ToolError:
    """The error for a Status object; without a known reason, for its HTTP status.

    Args:
        failure: what happened.
        answer: the Status object.
        status: the HTTP status.
    """
    reason, message = answer.get("reason"), str(answer.get("message", ""))[:2_000]
    details = answer.get("details")
    details = details if isinstance(details, Mapping) else {}
    meaning, named = specific_meaning(codes.meaning_of(reason), message)
    name = details.get("name") or named
    resource = str(name)[:300] if isinstance(name, str) and name else None
    if meaning is None:
        return status_error(failure, status, service=SERVICE, resource=resource)
    error = meanings.error_of(failure, meaning, service=SERVICE, told=reason, resource=resource, http_status=status)
    if isinstance(error, (ToolArgumentError, ResourceConflictError)):
        error.problems = _problems(failure, details.get("causes")) or problems_in(failure, message)
    seconds = details.get("retryAfterSeconds")
    if isinstance(seconds, int) and seconds > 0 and error.retry_after is None:
        error.retry_after = float(seconds)
    return error


def specific_meaning(meaning: meanings.Meaning | None, message: str) -> tuple[meanings.Meaning | None, str | None]:
    """The meaning of a reason together with its message, and the name in the message.

    Args:
        meaning: the meaning of the reason.
        message: the message.
    """
    if meaning is None or meaning not in SPECIFIC:
        return meaning, None
    found, name = find_meaning(message, SPECIFIC[meaning])
    return (meaning, None) if found is None else (found, name)


def _problems(failure: Failure, causes: object) -> list[Problem]:
    """The invalid fields of the object. The server's messages are omitted because they quote values."""
    listed = [one for one in causes[:8] if isinstance(one, Mapping)] if isinstance(causes, list) else []
    faults = {str(one["field"]): _FAULTS.get(str(one.get("reason")), _ANY_FAULT) for one in listed if one.get("field")}
    return [Problem(pointer_in(failure, field), fault) for field, fault in faults.items()]


def problems_in(failure: Failure, message: str) -> list[Problem]:
    """The fields that a message reports as unreadable or unknown.

    Args:
        failure: what happened.
        message: what the API server, or kubectl, says.
    """
    faults = ((_WRONG_TYPE, "has the wrong type"), (_UNKNOWN_FIELD, "is unknown"))
    found = {
        ".".join(filter(None, match.groups())): fault
        for pattern, fault in faults
        for match in pattern.finditer(message[:2_000])
    }
    return [Problem(pointer_in(failure, field), fault) for field, fault in list(found.items())[:8]]


def pointer_in(failure: Failure, field: str) -> str:
    """The pointer to a field, such as `metadata.labels[app.kubernetes.io/name]`, in the argument with the object.

    Args:
        failure: what happened.
        field: the field, as the API server writes it.
    """
    steps = [match[1] or match[2] for match in _STEP.finditer(field[:500]) if match[1] or match[2]]
    given = failure.arguments or {}
    holders = [name for name, value in given.items() if isinstance(value, Mapping) and steps and steps[0] in value]
    if len(holders) == 1 and steps[0] not in given:
        steps = [*holders, *steps]
    return "".join(pointer_to([step]) for step in steps)


@rules(*_of("ConfigException"))
def kubernetes_config(failure: Failure) -> ToolError:
    """No usable configuration: neither a kubeconfig file nor a service account, or the file lacks the context."""
    missing = _NO_CONTEXT.search(failure.text)
    if missing is not None:
        return meanings.error_of(failure, meanings.NOT_FOUND, resource=missing[1], effect="none")
    user = "There is no usable Kubernetes configuration. Provide a kubeconfig file or a service account."
    return meanings.error_of(failure, NO_CONFIG, user_message=user)


@rules(*_of("ResourceNotFoundError", "ResourceNotUniqueError"))
def kubernetes_kind(_: Failure) -> ToolError:
    """The dynamic client: the cluster has no such kind, or several."""
    return ToolArgumentError("The kind is unknown or ambiguous in this cluster. Specify its API version and kind.")


@rules(*HTTP)
def kubernetes_transport(failure: Failure) -> ToolError | None:
    """A connection error of the HTTP client, which the Kubernetes clients do not wrap."""
    if failure.came_through(*_CLIENTS) is None:
        return None
    return transport_error(failure, service=SERVICE) or status_error(failure, service=SERVICE)


@last(*_of("OpenApiException"))
def kubernetes_other(failure: Failure) -> ToolError:
    """Any other exception of the clients."""
    return meanings.error_of(failure, meanings.FAILED, message="The Kubernetes client failed.")
