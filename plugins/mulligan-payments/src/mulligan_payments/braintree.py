"""Braintree, through `braintree`. Its exceptions have neither code nor body, so the class decides.

https://developer.paypal.com/braintree/docs/reference/general/exceptions/python, read in 2026. A declined payment and rejected
values are no exceptions but results.
"""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, transport_error
from mulligan.plugin import meanings as m
from mulligan_payments import declines as d

rules = Rules("braintree")
last = Rules("braintree", last=True)
SERVICE = "Braintree"

_OF_CLASS: Mapping[str, m.Meaning] = {
    "AuthenticationError": d.KEY,
    "AuthorizationError": m.PERMISSION,
    "NotFoundError": m.NOT_FOUND,
    "RequestTimeoutError": m.TIMEOUT,
    "GatewayTimeoutError": m.TIMEOUT,
    "TooManyRequestsError": m.RATE_LIMIT,
    "UpgradeRequiredError": m.UNIMPLEMENTED._replace(message="The client of the service is too old"),
    "ServerError": m.UNAVAILABLE,
    "ServiceUnavailableError": m.UNAVAILABLE,
    "ConfigurationError": m.FAILED._replace(message="The client of the service is misconfigured", effect="none"),
    "TestOperationPerformedInProductionError": m.FAILED._replace(
        message="The service allows this in its sandbox only", effect="none"
    ),
    "InvalidSignatureError": m.ARGUMENT._replace(message="The signature of the notification from the service is invalid"),
    "InvalidChallengeError": m.ARGUMENT._replace(message="The challenge of the webhook of the service is invalid"),
}
_USER = {
    "AuthenticationError": "Braintree rejected the API keys. Provide valid ones for this environment, then try again.",
    "AuthorizationError": "The role of the Braintree API user does not allow this. Extend it, then try again.",
}
_ID = ("_id", "token", "id")


@rules(*(f"braintree.{name}" for name in _OF_CLASS))
def answered(failure: Failure) -> ToolError:
    """An answer of Braintree, or a refusal of its client."""
    name = next(name for name in _OF_CLASS if failure.matches(f"braintree.{name}"))
    meaning = _OF_CLASS[name]
    resource = _only_id(failure) if meaning is m.NOT_FOUND else None
    if meaning is m.NOT_FOUND:
        return m.error_of(failure, meaning, service=SERVICE, resource=resource or failure.resource)
    return m.error_of(failure, meaning, service=SERVICE, user_message=_USER.get(name))


def _only_id(failure: Failure) -> str | None:
    """The value of the call's only identifier, for the exception has no text."""
    values = [value for name, value in (failure.arguments or {}).items() if name.lower().endswith(_ID)]
    return str(values[0]) if len(values) == 1 and type(values[0]) in (str, int) else None


@rules("braintree.UnexpectedError")
def connection(failure: Failure) -> ToolError | None:
    """No connection to Braintree, or one that ended before the answer: then the payment may have been made."""
    return transport_error(failure, service=SERVICE)


@last("braintree.BraintreeError")
def other(_: Failure) -> ToolError:
    """Anything else of the client, such as a status that it does not expect."""
    return ToolExecutionError("The Braintree call failed.", effect="possible")
