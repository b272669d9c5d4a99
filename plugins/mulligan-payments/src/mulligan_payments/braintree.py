"""Braintree, through `braintree`. Its exceptions have neither code nor body, so the class decides.

For a declined payment or rejected values, the client returns an `ErrorResult`. It is classified if a tool returns it.

https://developer.paypal.com/braintree/docs/reference/general/exceptions/python and
https://developer.paypal.com/braintree/docs/reference/general/processor-responses/authorization-responses list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import Codes, Failure, Rules, ToolError, ToolExecutionError, hookimpl
from mulligan.plugin import meanings as m
from mulligan_payments import declines as d
from mulligan_payments.sent import problem_at

rules = Rules("braintree")
last = Rules("braintree", last=True)
SERVICE = "Braintree"

_OF_CLASS: Mapping[str, m.Meaning] = {
    "AuthenticationError": m.AUTHENTICATION._replace(message="The service rejected the API keys"),
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
    "InvalidSignatureError": m.ARGUMENT._replace(
        message="The signature of the notification from the service is invalid"
    ),
    "InvalidChallengeError": m.ARGUMENT._replace(message="The challenge of the webhook of the service is invalid"),
}
_USER = {
    "AuthenticationError": "Braintree rejected the API keys. Provide valid ones for this environment, then try again.",
    "AuthorizationError": "The role of the Braintree API user does not allow this. Extend it, then try again.",
}
processor_codes = Codes(
    {
        d.FUNDS: (2001, 2002, 2003),
        d.EXPIRED: (2004,),
        d.WRONG_DATA: (2005, 2006, 2010),
        d.DECLINED: (range(2000, 3000),),
        d.TRY_LATER: (range(3000, 4000),),
    }
)
_WHOLE = "base"  # attribute of errors about the state of an object
_ID = ("_id", "token", "id")


@rules(*(f"braintree.{name}" for name in _OF_CLASS))
def answered(failure: Failure) -> ToolError:
    """An error response from Braintree, or a rejection by its client."""
    name = next(name for name in _OF_CLASS if failure.matches(f"braintree.{name}"))
    meaning = _OF_CLASS[name]
    if meaning is m.NOT_FOUND:
        return m.error_of(failure, meaning, service=SERVICE, resource=failure.resource or _only_id(failure))
    return m.error_of(failure, meaning, service=SERVICE, user_message=_USER.get(name))


def _only_id(failure: Failure) -> str | None:
    """The value of the call's only identifier, since most exceptions have no text."""
    values = [value for name, value in (failure.arguments or {}).items() if name.lower().endswith(_ID)]
    return str(values[0]) if len(values) == 1 and type(values[0]) in (str, int) else None


@hookimpl
def detect(value: Any) -> Failure | None:
    """A result of the client for a declined payment or rejected values."""
    return Failure(value=value) if _is_result(value) else None


def _is_result(value: object) -> bool:
    cls = type(value)
    return cls.__name__ == "ErrorResult" and cls.__module__ == "braintree.error_result"


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """A result that the client returned instead of raising: a declined payment, or values that Braintree rejected."""
    if not _is_result(failure.value):
        return None
    code = failure.look("transaction", "processor_response_code")
    declined = processor_codes.error(failure, code, service=SERVICE, resource=None)
    if declined is not None:
        return declined
    if failure.look("transaction", "gateway_rejection_reason") is not None:
        return m.error_of(failure, d.DECLINED, service=SERVICE, resource=None)
    errors = failure.look("errors", "deep_errors")
    names = [str(getattr(one, "attribute", _WHOLE)) for one in errors[:20]] if isinstance(errors, list) else []
    fields = [name for name in names if name != _WHOLE]
    if not fields:
        return m.error_of(failure, m.CONFLICT, service=SERVICE, resource=None)
    found = (problem_at(name, failure.arguments) for name in fields)
    return m.error_of(failure, m.ARGUMENT, service=SERVICE, problems=[one for one in found if one is not None])


@last("braintree.BraintreeError")
def other(_: Failure) -> ToolError:
    """Anything else of the client, such as a status that it does not expect."""
    return ToolExecutionError("The Braintree call failed.", effect="possible")
