"""azure-servicebus and azure-eventhub: by class, or by AMQP condition if the class is not specific."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_azure.codes import QUOTA, conditions

rules = Rules("azure")
last = Rules("azure", last=True)
SERVICE = "Azure"
_LOCK = m.CONFLICT._replace(message="The lock on the message or session of the service is lost")
_SERVICE_BUS: Mapping[str, m.Meaning] = {
    "OperationTimeoutError": m.TIMEOUT,
    "AutoLockRenewTimeout": m.TIMEOUT,
    "ServiceBusAuthenticationError": m.AUTHENTICATION,
    "ServiceBusAuthorizationError": m.PERMISSION,
    "MessagingEntityNotFoundError": m.NOT_FOUND,
    "MessageNotFoundError": m.NOT_FOUND,
    "ServiceBusQuotaExceededError": QUOTA,
    "ServiceBusServerBusyError": m.RATE_LIMIT,
    "MessageSizeExceededError": m.TOO_LARGE,
    "MessagingEntityDisabledError": m.CONFLICT,
    "MessagingEntityAlreadyExistsError": m.EXISTS,
    "MessageLockLostError": _LOCK,
    "SessionLockLostError": _LOCK,
    "AutoLockRenewFailed": _LOCK,
    "SessionCannotBeLockedError": m.BUSY,
    "MessageAlreadySettled": m.CONFLICT,
    "ServiceBusConnectionError": m.UNREACHABLE._replace(message="The message broker of the service cannot be reached"),
    "ServiceBusCommunicationError": m.DROPPED._replace(message="The connection to the message broker was lost"),
}
_EVENT_HUBS: Mapping[str, m.Meaning] = {
    "OperationTimeoutError": m.TIMEOUT,
    "AuthenticationError": m.AUTHENTICATION,
    "EventDataError": m.ARGUMENT,
    "OwnershipLostError": m.CONFLICT,
    "ConnectError": m.UNREACHABLE._replace(message="The message broker of the service cannot be reached"),
    "ConnectionLostError": m.DROPPED._replace(message="The connection to the message broker was lost"),
    "ClientClosedError": m.FAILED._replace(
        message="The tool uses a client of the service that is closed", effect="none"
    ),
}
_CLASSES: Mapping[str, m.Meaning] = {
    **{f"azure.servicebus.exceptions.{name}": meaning for name, meaning in _SERVICE_BUS.items()},
    **{f"azure.eventhub.exceptions.{name}": meaning for name, meaning in _EVENT_HUBS.items()},
}


@rules(*_CLASSES)
def messaging(failure: Failure) -> ToolError:
    """Failures for which the clients of the message brokers have classes."""
    meaning = next(meaning for name, meaning in _CLASSES.items() if failure.matches(name))
    return m.error_of(failure, meaning, service=SERVICE, http_status=None)


@rules(
    "azure.servicebus.exceptions.ServiceBusError",
    "azure.eventhub.exceptions.EventHubError",
    "azure.servicebus._pyamqp.error.AMQPException",
    "azure.eventhub._pyamqp.error.AMQPException",
)
def broker(failure: Failure) -> ToolError | None:
    """An AMQP condition that has no class."""
    condition = failure.look("condition") or failure.look("_condition") or failure.look("error")
    code = getattr(condition, "value", condition)
    code = code.decode("ascii", "replace") if isinstance(code, bytes) else code
    for known in (code, f"amqp:{code}", f"com.microsoft:{code}"):  # Event Hubs omits the namespace
        error = conditions.error(failure, known, service=SERVICE)
        if error is not None:
            return error
    return None


@last("azure.eventhub.exceptions.EventHubError")
def other_broker(failure: Failure) -> ToolError:
    """Any other exception of the Event Hubs client."""
    return m.error_of(failure, m.FAILED, message="The Azure client failed.")
