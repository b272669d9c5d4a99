"""Rules for azure-core and the clients on it: identity, storage, Resource Manager, Cosmos DB, messaging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    meanings,
    status_error,
    transport_error,
)
from mulligan_azure.codes import exists, meaning
from mulligan_azure.facts import code as code_of
from mulligan_azure.facts import problems, resource

mulligan_api = "1.0"
rules = Rules("azure")
last = Rules("azure", last=True)

_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "Azure rejected the credentials",
    ToolPermissionError: "The Azure account lacks permission for this",
    ResourceNotFoundError: "Azure has no such resource",
    ResourceConflictError: "The current state of the resource does not allow this",
    ToolRateLimitError: "Azure's rate limit is reached",
    ToolQuotaError: "A quota of the Azure subscription or account is exhausted",
    ToolTimeoutError: "Azure did not respond in time",
    ToolUnavailableError: "The Azure service is temporarily unavailable",
    ToolArgumentError: "Azure rejected the request as invalid",
    ToolExecutionError: "The Azure call failed",
}
_WAITING = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)
_MOVED, _RETRY_WITH = 410, 449


def _names(package: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names)


@rules("azure.core.exceptions.IncompleteReadError", "azure.core.exceptions.ServiceResponseError")
def interrupted(failure: Failure) -> ToolError | None:
    """The request was sent; then the answer did not come in time, or not whole."""
    late = failure.matches("azure.core.exceptions.ServiceResponseTimeoutError")
    return _connection(failure, meanings.TIMEOUT if late else meanings.DROPPED)


@rules("azure.core.exceptions.ServiceRequestError")
def unsent(failure: Failure) -> ToolError | None:
    """The service cannot be reached: no request was sent, unless TLS ended midway."""
    late = failure.matches("azure.core.exceptions.ServiceRequestTimeoutError")
    return _connection(failure, meanings.NOT_SENT if late else meanings.UNREACHABLE)


def _connection(failure: Failure, meaning: meanings.Meaning) -> ToolError:
    error = None if meaning is meanings.NOT_SENT else transport_error(failure, service="Azure")
    return error or meanings.error_of(failure, meaning, service="Azure")


@rules("azure.identity.CredentialUnavailableError")
def credentials(failure: Failure) -> ToolError | None:
    """None of the configured ways to log in is available."""
    return ToolAuthenticationError("No usable credentials were found for Azure.", effect="none")


@rules("azure.core.exceptions.DecodeError")
def unreadable(failure: Failure) -> ToolError | None:
    """An answer that cannot be read; one with an error status is known by that."""
    return None if failure.status else ToolExecutionError("Azure's response cannot be read.")


@rules("azure.core.exceptions.HttpResponseError")
def answered(failure: Failure) -> ToolError | None:
    """An answer that is an error: by its code, the class that the client chose, and its HTTP status."""
    code = code_of(failure)
    cls = meaning(code, failure.status, failure.text) or _by_class(failure) or _by_status(failure)
    if cls is None:
        cls = type(status_error(failure))
    return _error(cls, failure, code)


def _by_class(failure: Failure) -> type[ToolError] | None:
    """The classes of azure-core, which clients choose by status and code."""
    names = {
        "azure.core.exceptions.ClientAuthenticationError": ToolAuthenticationError,
        "azure.core.exceptions.ResourceNotFoundError": ResourceNotFoundError,
        "azure.core.exceptions.ResourceExistsError": ResourceConflictError,
        "azure.core.exceptions.ResourceModifiedError": ResourceConflictError,
        "azure.core.exceptions.ResourceNotModifiedError": ResourceConflictError,
    }
    found = next((cls for name, cls in names.items() if failure.matches(name)), None)
    return ToolPermissionError if found is ToolAuthenticationError and failure.status == 403 else found


def _by_status(failure: Failure) -> type[ToolError] | None:
    """Two statuses of Cosmos DB: 410 means that a partition moves, 449 that another write came between."""
    if not failure.matches("azure.cosmos.exceptions.CosmosHttpResponseError"):
        return None
    if failure.status == _RETRY_WITH:
        return ResourceConflictError
    return ToolUnavailableError if failure.status == _MOVED else None


def _error(cls: type[ToolError], failure: Failure, code: str) -> ToolError:
    about = resource(failure, code) if cls in (ResourceNotFoundError, ResourceConflictError) else None
    shown = f" ({code})" if code else f" (HTTP {failure.status})" if failure.status else ""
    message = f"Resource not found: {about}" if about and cls is ResourceNotFoundError else f"{_MESSAGES[cls]}{shown}."
    fields: dict[str, Any] = {"http_status": failure.status, "resource": about}
    if cls in _WAITING:
        fields["retry_after"] = failure.retry_after
    if cls is ResourceConflictError:
        fields["code"] = _conflict(failure, code)
    if cls is ToolArgumentError:
        fields["problems"] = problems(failure)
    return cls(message, **fields, effect=cls.effect)


def _conflict(failure: Failure, code: str) -> str | None:
    if exists(code) or (not code and failure.matches("azure.core.exceptions.ResourceExistsError")):
        return "ALREADY_EXISTS"
    return "ABORTED" if failure.status == _RETRY_WITH else None


_MESSAGING: Mapping[type[ToolError], tuple[str, ...]] = {
    ToolTimeoutError: (
        *_names("azure.servicebus.exceptions", "OperationTimeoutError", "AutoLockRenewTimeout"),
        *_names("azure.eventhub.exceptions", "OperationTimeoutError"),
        *_names("azure.cosmos.exceptions", "CosmosClientTimeoutError"),
    ),
    ToolAuthenticationError: (
        *_names("azure.servicebus.exceptions", "ServiceBusAuthenticationError"),
        *_names("azure.eventhub.exceptions", "AuthenticationError"),
    ),
    ToolPermissionError: _names("azure.servicebus.exceptions", "ServiceBusAuthorizationError"),
    ResourceNotFoundError: _names(
        "azure.servicebus.exceptions", "MessagingEntityNotFoundError", "MessageNotFoundError"
    ),
    ToolQuotaError: _names("azure.servicebus.exceptions", "ServiceBusQuotaExceededError"),
    ToolRateLimitError: _names("azure.servicebus.exceptions", "ServiceBusServerBusyError"),
    ToolArgumentError: (
        *_names("azure.servicebus.exceptions", "MessageSizeExceededError"),
        *_names("azure.eventhub.exceptions", "EventDataError", "EventDataSendError"),
    ),
    ResourceConflictError: (
        *_names(
            "azure.servicebus.exceptions",
            "MessagingEntityDisabledError",
            "MessagingEntityAlreadyExistsError",
            "MessageLockLostError",
            "SessionLockLostError",
            "SessionCannotBeLockedError",
            "MessageAlreadySettled",
            "AutoLockRenewFailed",
        ),
        *_names("azure.eventhub.exceptions", "OwnershipLostError"),
    ),
}


@rules(*(name for names in _MESSAGING.values() for name in names))
def messaging(failure: Failure) -> ToolError | None:
    """Service Bus, Event Hubs and Cosmos DB: what their clients name by class."""
    cls = next(cls for cls, names in _MESSAGING.items() if failure.matches(*names))
    exists = failure.matches("azure.servicebus.exceptions.MessagingEntityAlreadyExistsError")
    about = failure.resource if cls in (ResourceNotFoundError, ResourceConflictError) else None
    return cls(f"{_MESSAGES[cls]}.", code="ALREADY_EXISTS" if exists else None, resource=about, effect=cls.effect)


@rules("azure.servicebus.exceptions.ServiceBusConnectionError", "azure.eventhub.exceptions.ConnectError")
def broker_unreachable(failure: Failure) -> ToolError | None:
    """The message broker cannot be reached."""
    return ToolConnectionError("The message broker at Azure cannot be reached.", effect="none")


@rules("azure.servicebus.exceptions.ServiceBusCommunicationError", "azure.eventhub.exceptions.ConnectionLostError")
def broker_lost(failure: Failure) -> ToolError | None:
    """The connection to the message broker was lost."""
    message = "The connection to the message broker was lost."
    return ToolConnectionError(message, fatal=False, transient=True, effect="possible")


@rules("azure.core.exceptions.SerializationError")
def unfit(failure: Failure) -> ToolError | None:
    """Parameters that the client cannot write as the service wants them."""
    return ToolArgumentError("The parameters do not match the Azure operation; nothing was sent.", effect="none")


@last(
    "azure.core.exceptions.AzureError",
    "azure.core.exceptions.DeserializationError",
    "azure.eventhub.exceptions.EventHubError",
)
def other(failure: Failure) -> ToolError | None:
    """Anything else that the clients raise by themselves."""
    return ToolExecutionError("The Azure client failed.")


classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
