"""Adyen, through `Adyen`: by its own code, then by status. A refused payment is a result, not an exception.

https://docs.adyen.com/development-resources/error-codes lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_payments import declines as d
from mulligan_payments.sent import problem_at

rules = Rules("adyen")
last = Rules("adyen", last=True)
SERVICE = "Adyen"

codes = Codes(
    {
        m.PERMISSION: "010 901",
        d.KEY_IN_USE: "704",
        d.WRONG_DATA: "101 102 103 129 153",
        d.UNSUPPORTED: "905 907",
        m.ARGUMENT: "100 130 137 138 167",
    }
)
_FIELDS = {
    "100": "amount", "101": "number", "102": "number", "103": "cvc", "129": "expiryMonth", "130": "reference",
    "137": "amount", "138": "currency", "153": "cvc", "167": "originalReference", "901": "merchantAccount",
}  # fmt: skip


@rules("Adyen.AdyenAPIResponseError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Adyen, by its code, otherwise by status."""
    code = failure.look("error_code")
    meaning = codes.meaning_of(code)
    problems = _problems(failure, code)
    if meaning is None:
        error = status_error(failure, service=SERVICE) if failure.status is not None else None
    else:
        if problems and meaning in (d.WRONG_DATA, m.PERMISSION):  # the call sent the invalid data
            meaning = m.ARGUMENT._replace(message=meaning.message)
        error = m.error_of(failure, meaning, service=SERVICE, told=code)
    if isinstance(error, ToolArgumentError):
        error.problems = problems or failure.problems
    elif isinstance(error, ToolAuthenticationError):
        error.user_message = "Adyen rejected the API key. Provide a valid one, then try again."
    elif isinstance(error, ToolPermissionError):
        error.user_message = (
            "The Adyen API key lacks a role, or the merchant account is another one. Correct this, then try again."
        )
    elif isinstance(error, ResourceNotFoundError) and error.resource:
        error.message = f"Resource not found: {error.resource}"
    if error is not None and (failure.status or 0) >= 500:
        error.effect = "possible"
    return error


def _problems(failure: Failure, code: object) -> list[Any]:
    """The fields that Adyen lists as invalid, otherwise the one that its code is about."""
    answer = failure.look("message")
    listed = answer.get("invalidFields") if isinstance(answer, Mapping) else None
    names = [one.get("name") for one in listed[:20] if isinstance(one, Mapping)] if isinstance(listed, list) else []
    found = (problem_at(name, failure.arguments) for name in names or [_FIELDS.get(str(code))])
    return [problem for problem in found if problem is not None]


@rules("requests.RequestException")
def connection(failure: Failure) -> ToolError | None:
    """No connection to Adyen, or one dropped before the response, in which case the payment may have been made."""
    return transport_error(failure, service=SERVICE) if failure.came_through("Adyen") else None


@rules("Adyen.AdyenInvalidRequestError", "Adyen.AdyenEndpointInvalidFormat")
def misconfigured(_: Failure) -> ToolError:
    """The client lacks a key, a platform or a live prefix: nothing was sent."""
    return ToolExecutionError("The Adyen client is misconfigured.", effect="none")


@last("Adyen.AdyenError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Adyen call failed.")
