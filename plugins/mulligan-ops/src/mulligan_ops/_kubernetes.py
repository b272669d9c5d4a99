"""Kubernetes: by the reason of the API server's Status object, which kubectl writes too, else by the HTTP status.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Failure,
    Problem,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    meanings,
    status_error,
)
from mulligan_ops._lines import USAGE, Lines, classify_text
from mulligan_ops._tracing import HTTP, classify_transport

rules = Rules("kubernetes")
REASONS: Mapping[str, meanings.Meaning] = {
    "AlreadyExists": meanings.EXISTS,
    "BadRequest": meanings.ARGUMENT,
    "Conflict": meanings.ABORTED,
    "Expired": meanings.NOT_FOUND,
    "Forbidden": meanings.PERMISSION,
    "Gone": meanings.NOT_FOUND,
    "InternalError": meanings.UNAVAILABLE,
    "Invalid": meanings.ARGUMENT,
    "MethodNotAllowed": meanings.UNIMPLEMENTED,
    "NotAcceptable": meanings.ARGUMENT,
    "NotFound": meanings.NOT_FOUND,
    "RequestEntityTooLarge": meanings.TOO_LARGE,
    "ServerTimeout": meanings.TIMEOUT,
    "ServiceUnavailable": meanings.UNAVAILABLE,
    "Timeout": meanings.TIMEOUT,
    "TooManyRequests": meanings.RATE_LIMIT,
    "Unauthorized": meanings.AUTHENTICATION,
    "UnsupportedMediaType": meanings.ARGUMENT,
}
_FIELD = r"(?:is invalid: |\* )([a-zA-Z][\w.\[\]-]{0,200}): (?:Invalid|Required|Unsupported|Forbidden|Duplicate|Too)"
_HANDSHAKE = r"Handshake status (\d{3})"


@rules("kubernetes.client.ApiException", "kubernetes_asyncio.client.ApiException")
def kubernetes_answer(failure: Failure) -> ToolError | None:
    """The API server's answer: its Status object, else its HTTP status."""
    status, answer = failure.look("status"), _answer(failure)
    if str(failure.look("reason")).startswith("SSLError"):
        return meanings.error_of(failure, meanings.TLS, http_status=None)
    if not isinstance(status, int) or status == 0:
        match = re.search(_HANDSHAKE, str(failure.look("reason"))[:2_000])
        status = int(match[1]) if match else None
    if status is None:
        return None
    meaning = REASONS.get(str(answer.get("reason")))
    details = answer.get("details")
    details = details if isinstance(details, Mapping) else {}
    error = _make_error(failure, meaning, status, str(answer.get("message", ""))[:2_000], details)
    error.http_status = status
    return error


def _answer(failure: Failure) -> Mapping[str, Any]:
    body = failure.look("body")
    if isinstance(body, (str, bytes)) and len(body) < 100_000:
        try:
            body = json.loads(body)
        except ValueError:
            return {}
    return body if isinstance(body, Mapping) else {}


def _make_error(
    failure: Failure, meaning: meanings.Meaning | None, status: int, message: str, details: Mapping[str, Any]
) -> ToolError:
    name = details.get("name")
    resource = str(name)[:300] if isinstance(name, str) and name else None
    if meaning is meanings.PERMISSION and "exceeded quota" in message:
        meaning = meanings.QUOTA
    if meaning is None:
        return status_error(failure, status, resource=resource)
    error = meanings.error_of(failure, meaning, resource=resource)
    if isinstance(error, ToolArgumentError):
        error.problems = _problems(details.get("causes"))
    seconds = details.get("retryAfterSeconds")
    if isinstance(seconds, int) and seconds > 0 and error.retry_after is None:
        error.retry_after = float(seconds)
    return error


def _problems(causes: object) -> list[Problem]:
    """The fields of the manifest that are wrong; the server's own messages quote values, so they are left out."""
    fields = [one.get("field") for one in causes[:8] if isinstance(one, Mapping)] if isinstance(causes, list) else []
    return [
        Problem(_pointer(field), "the API server rejected this field") for field in fields if isinstance(field, str)
    ]


def _pointer(field: str) -> str:
    return "/" + re.sub(r"\[([^\]]*)\]", r".\1", field).replace("~", "~0").replace("/", "~1").replace(".", "/")


@rules("kubernetes.client.ApiTypeError", "kubernetes.client.ApiValueError")
def kubernetes_argument(failure: Failure) -> ToolError:
    """A parameter that the client itself rejects."""
    return ToolArgumentError("The Kubernetes client rejected a parameter.")


@rules("kubernetes.config.ConfigException", "kubernetes_asyncio.config.ConfigException")
def kubernetes_config(failure: Failure) -> ToolError:
    """No usable configuration: neither a kubeconfig file nor a service account."""
    user = "There is no usable Kubernetes configuration. Provide a kubeconfig file or a service account."
    return ToolAuthenticationError("No usable Kubernetes configuration was found.", user_message=user)


@rules("kubernetes.dynamic.exceptions.ResourceNotFoundError", "kubernetes.dynamic.exceptions.ResourceNotUniqueError")
def kubernetes_kind(failure: Failure) -> ToolError:
    """The dynamic client: the cluster knows no such kind, or several."""
    return ToolArgumentError("The kind is unknown or ambiguous in this cluster. Specify its API version and kind.")


@rules("kubernetes.utils.FailToCreateError")
def kubernetes_created(failure: Failure) -> ToolError | None:
    """Objects of a manifest that could not be created, as the first answer says; others may have been."""
    answers = failure.look("api_exceptions")
    first = answers[0] if isinstance(answers, list) and answers else None
    error = kubernetes_answer(failure.about(first)) if isinstance(first, BaseException) else None
    if error is not None:
        error.effect = "possible"
    return error


@rules(*HTTP)
def kubernetes_transport(failure: Failure) -> ToolError | None:
    """What the HTTP client met on the way to the API server; the Kubernetes clients let it through."""
    return None if failure.came_through("kubernetes", "kubernetes_asyncio") is None else classify_transport(failure)


KUBECTL: Lines = (
    (r"unknown (?:command|flag|shorthand flag)", USAGE),
    (r"The connection to the server (\S+) was refused", meanings.UNREACHABLE),
    (r"Unable to connect to the server: dial tcp: lookup (\S+)", meanings.UNREACHABLE),
    (r"(?:dial tcp \S+: i/o timeout|net/http: TLS handshake timeout)", meanings.NOT_SENT),
    (r"x509: ", meanings.TLS),
    (r"Unable to connect to the server: ", meanings.CONNECTION),
    (r"You must be logged in to the server|getting credentials: ", meanings.AUTHENTICATION),
    (r"timed out waiting for the condition|exceeded its progress deadline", meanings.TIMEOUT),
    (r"context \"([^\"]+)\" does not exist|no context exists with the name: \"([^\"]+)\"", meanings.NOT_FOUND),
    (r"the path \"([^\"]+)\" (?:does not exist|cannot be accessed)", meanings.NOT_FOUND),
    (
        r"(?:pod|container|deployment) \"?([^\s\"]+)\"? not found|container (\S+) is not valid for pod",
        meanings.NOT_FOUND,
    ),
    (r"context was not found for specified context: (\S+)|stat (\S+): no such file", meanings.NOT_FOUND),
    (r"\w \"([^\"]+)\" already exists", meanings.EXISTS),
    (r"^error: (?:unexpected )?EOF$", meanings.DROPPED),
    (r"the server doesn't have a resource type \"([^\"]+)\"", meanings.ARGUMENT),
    (r"no matches for kind \"([^\"]+)\"", meanings.ARGUMENT),
    (r"error validating |error parsing |is invalid: ", meanings.ARGUMENT),
    (
        r"required flag|exactly one NAME is required|must specify |no name was specified|error: expected '",
        meanings.ARGUMENT,
    ),
    (r"cannot be placed before plugin name", meanings.ARGUMENT),
    (r"exceeded quota", meanings.QUOTA),
)
_FROM_SERVER = r"Error from server(?: \((\w+)\))?: (?:.*? \"([^\"]+)\")?"


def kubectl(failure: Failure, text: str) -> ToolError | None:
    """What kubectl wrote: the server's reason and the name, or its own words.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    ended = re.search(r"command terminated with exit code (\d+)", text)
    if ended is not None:
        return ToolExecutionError(f"The program in the pod exited with code {ended[1]}.", provider="kubernetes")
    error = _classify_output(failure, text)
    if error is not None and re.search(_DONE, text, re.MULTILINE):
        error.effect = "possible"  # one of several objects
    return error


_DONE = r"^\S+/\S+ (?:\w+ )?(?:created|configured|patched|replaced|deleted|scaled|labeled|annotated)$|^\S+ \"[^\"]+\" deleted"


def _classify_output(failure: Failure, text: str) -> ToolError | None:
    match = re.search(_FROM_SERVER, text)
    meaning = REASONS.get(match[1] or "") if match else None
    if match is None or meaning is None:
        error = classify_text(failure, text, KUBECTL, "kubernetes")
    elif meaning is meanings.PERMISSION and "exceeded quota" in text:
        error = meanings.error_of(failure, meanings.QUOTA, provider="kubernetes")
    else:
        error = meanings.error_of(failure, meaning, resource=match[2], provider="kubernetes")
    if isinstance(error, ToolArgumentError):
        fields = re.findall(_FIELD, text)[:8]
        error.problems = [Problem(_pointer(field), "the API server rejected this field") for field in fields]
    return error
