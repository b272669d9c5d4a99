"""azure-core and the clients based on it: responses with an error status, connections, credentials."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    reason_of,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_azure import details
from mulligan_azure.codes import MOVING, QUOTA, codes, cosmos

rules = Rules("azure")
last = Rules("azure", last=True)
SERVICE = "Azure"
UNCHANGED = m.FAILED._replace(
    message="The resource was not modified since, so the service did not send it", effect="none"
)
_BY_CLASS = {  # of azure-core, chosen by the clients from status and code
    "ClientAuthenticationError": m.AUTHENTICATION,
    "ResourceNotFoundError": m.NOT_FOUND,
    "ResourceModifiedError": m.CONFLICT,
    "ResourceNotModifiedError": UNCHANGED,
}
_FORBIDDEN, _MOVED, _RETRY_WITH = 403, 410, 449
_LIMIT = re.compile(r"\bquota\b|\blimit\b", re.IGNORECASE)


@rules("azure.core.exceptions.IncompleteReadError", "azure.core.exceptions.ServiceResponseError")
def interrupted(failure: Failure) -> ToolError:
    """The request was sent, but the response was late or incomplete."""
    is_late = failure.matches("azure.core.exceptions.ServiceResponseTimeoutError")
    return _connection(failure, m.TIMEOUT if is_late else m.DROPPED)


@rules("azure.core.exceptions.ServiceRequestError")
def unsent(failure: Failure) -> ToolError:
    """The service is unreachable: no request was sent, unless TLS failed midway."""
    is_late = failure.matches("azure.core.exceptions.ServiceRequestTimeoutError")
    return _connection(failure, m.NOT_SENT if is_late else m.UNREACHABLE)


def _connection(failure: Failure, meaning: m.Meaning) -> ToolError:
    error = None if meaning is m.NOT_SENT else transport_error(failure, service=SERVICE)
    return error or m.error_of(failure, meaning, service=SERVICE)


@rules("azure.identity.CredentialUnavailableError")
def credentials(failure: Failure) -> ToolError:
    """None of the configured ways to log in is available."""
    return m.error_of(failure, m.AUTHENTICATION, message="No usable credentials were found for Azure.")


@rules("azure.core.exceptions.DecodeError")
def unreadable(failure: Failure) -> ToolError | None:
    """A response that cannot be parsed; if it has an error status, that decides."""
    return None if failure.status else m.error_of(failure, m.FAILED, message="Azure's response cannot be read.")


@rules("azure.core.exceptions.TooManyRedirectsError")
def redirected(failure: Failure) -> ToolError:
    """A redirect loop, or too many redirects."""
    return m.error_of(failure, m.FAILED, message="Azure redirects too many times.", http_status=None)


@rules("azure.core.exceptions.HttpResponseError")
def answered(failure: Failure) -> ToolError:
    """An error response, by its code, the class that the client chose, and its HTTP status."""
    code = details.code(failure)
    meaning = _cosmos(failure) or _by_code(failure, code) or _by_class(failure, code)
    if meaning is None and failure.status is None:
        meaning = reason_of(failure.type_name.rpartition(".")[2])
    error = (
        status_error(failure, service=SERVICE)
        if meaning is None
        else m.error_of(failure, meaning, service=SERVICE, told=code)
    )
    if isinstance(error, (ResourceNotFoundError, ResourceConflictError)):
        error.resource = details.resource(failure, code)
        if isinstance(error, ResourceNotFoundError) and error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        error.problems = details.problems(failure) or error.problems
    return error


def _cosmos(failure: Failure) -> m.Meaning | None:
    """Cosmos DB: 410 is a partition that moves, 449 a concurrent write; otherwise the substatus decides."""
    if not failure.matches(
        "azure.cosmos.exceptions.CosmosHttpResponseError", "azure.cosmos.exceptions.CosmosBatchOperationError"
    ):
        return None
    if failure.status in (_MOVED, _RETRY_WITH):
        return MOVING if failure.status == _MOVED else m.ABORTED
    return cosmos.meaning_of(failure.look("sub_status"))


def _by_code(failure: Failure, code: str) -> m.Meaning | None:
    """The meaning of a code. Resource Manager uses `OperationNotAllowed` for quotas and for states."""
    if code == "OperationNotAllowed":
        return QUOTA if _LIMIT.search(failure.text) else m.CONFLICT
    return codes.meaning_of(code)


def _by_class(failure: Failure, code: str) -> m.Meaning | None:
    names = (name for name in _BY_CLASS if failure.matches(f"azure.core.exceptions.{name}"))
    meaning = next((_BY_CLASS[name] for name in names), None)
    if meaning is m.AUTHENTICATION and failure.status == _FORBIDDEN:
        return m.PERMISSION
    if meaning is None and failure.matches("azure.core.exceptions.ResourceExistsError"):
        return m.CONFLICT if code else m.EXISTS
    return meaning


@rules("azure.core.exceptions.SerializationError")
def unfit(failure: Failure) -> ToolError:
    """Parameters that the client cannot serialize for the service."""
    message = "The parameters do not match the Azure operation; nothing was sent."
    return m.error_of(failure, m.ARGUMENT, message=message)


@last(
    "azure.core.exceptions.AzureError",
    "azure.core.exceptions.DeserializationError",
    *(f"azure.core.polling.base_polling.{name}" for name in ("BadStatus", "BadResponse", "OperationFailed")),
)
def other(failure: Failure) -> ToolError:
    """Any other exception of the clients themselves."""
    return m.error_of(failure, m.FAILED, message="The Azure client failed.")
