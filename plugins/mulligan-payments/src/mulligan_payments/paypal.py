"""PayPal, through `paypalserversdk` (paypal-server-sdk): by the first detail's issue, then by name, then by status.

https://developer.paypal.com/api/rest/responses/ and https://developer.paypal.com/docs/api/orders/v2/#errors list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_payments import declines as d
from mulligan_payments.sent import problem_at, sent_value

rules = Rules("paypal")
SERVICE = "PayPal"

CLIENT = m.AUTHENTICATION._replace(message="The service rejected the client's credentials")
RESTRICTED = m.CONFLICT._replace(message="The account at the service is restricted, locked or closed")

codes = Codes(
    {
        CLIENT: "AUTHENTICATION_FAILURE invalid_client invalid_token",
        m.PERMISSION: "CONSENT_NEEDED INVALID_ACCOUNT_STATUS NOT_AUTHORIZED PERMISSION_DENIED",
        m.NOT_FOUND: "INVALID_RESOURCE_ID RESOURCE_NOT_FOUND",
        m.RATE_LIMIT: "RATE_LIMIT_REACHED",
        d.IN_PROGRESS: "RESOURCE_CONFLICT",
        d.KEY_IN_USE: "PREVIOUS_REQUEST_IN_PROGRESS",
        d.KEY_REUSED: "DUPLICATE_REQUEST_ID",
        m.EXISTS: "DUPLICATE_INVOICE_ID",
        d.DONE: """
            AUTHORIZATION_ALREADY_CAPTURED AUTHORIZATION_ALREADY_COMPLETED CAPTURE_FULLY_REFUNDED
            ORDER_ALREADY_AUTHORIZED ORDER_ALREADY_CAPTURED ORDER_ALREADY_COMPLETED PREVIOUSLY_CAPTURED
            PREVIOUSLY_VOIDED
        """,
        d.FUNDS: "INSUFFICIENT_FUNDS TRANSACTION_LIMIT_EXCEEDED TRANSACTION_AMOUNT_EXCEEDS_MONTHLY_MAX_LIMIT",
        d.EXPIRED: "CARD_EXPIRED CREDIT_CARD_EXPIRED",
        d.WRONG_DATA: "CVV_FAILURE INVALID_CARD_NUMBER INVALID_SECURITY_CODE_LENGTH",
        d.UNAUTHENTICATED: """
            ORDER_NOT_APPROVED PAYER_ACTION_REQUIRED PAYER_CONSENT_REQUIRED REDIRECT_PAYER_FOR_ALTERNATE_FUNDING
        """,
        d.DECLINED: """
            CARD_CLOSED INSTRUMENT_DECLINED MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED PAYEE_BLOCKED_TRANSACTION
            PAYER_CANNOT_PAY PAYMENT_DENIED TRANSACTION_BLOCKED_BY_PAYEE TRANSACTION_REFUSED
        """,
        d.UNSUPPORTED: "CARD_BRAND_NOT_SUPPORTED PAYMENT_SOURCE_NOT_SUPPORTED UNSUPPORTED_PAYMENT_INSTRUCTION",
        RESTRICTED: """
            COMPLIANCE_VIOLATION PAYEE_ACCOUNT_LOCKED_OR_CLOSED PAYEE_ACCOUNT_RESTRICTED
            PAYER_ACCOUNT_LOCKED_OR_CLOSED PAYER_ACCOUNT_RESTRICTED
        """,
        m.CONFLICT: """
            AUTHORIZATION_EXPIRED AUTHORIZATION_VOIDED CANNOT_BE_VOIDED MAX_CAPTURE_AMOUNT_EXCEEDED
            MAX_CAPTURE_COUNT_EXCEEDED ORDER_CANNOT_BE_SAVED ORDER_COMPLETED_OR_VOIDED ORDER_EXPIRED
            PENDING_CAPTURE REFUND_AMOUNT_EXCEEDED REFUND_FAILED_INSUFFICIENT_FUNDS REFUND_NOT_ALLOWED
            REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK REFUND_TIME_LIMIT_EXCEEDED
        """,
        m.ARGUMENT: """
            AMOUNT_CANNOT_BE_SPECIFIED AMOUNT_MISMATCH CANNOT_BE_NEGATIVE CANNOT_BE_ZERO_OR_NEGATIVE CURRENCY_MISMATCH
            DECIMAL_PRECISION DUPLICATE_REFERENCE_ID INVALID_ARRAY_MAX_ITEMS INVALID_CURRENCY_CODE
            INVALID_PARAMETER_SYNTAX INVALID_PARAMETER_VALUE INVALID_REQUEST INVALID_STRING_LENGTH
            INVALID_STRING_MAX_LENGTH INVALID_STRING_MIN_LENGTH ITEM_TOTAL_MISMATCH MALFORMED_REQUEST_JSON
            MISSING_REQUIRED_PARAMETER UNSUPPORTED_INTENT
        """,
        m.UNIMPLEMENTED: "METHOD_NOT_SUPPORTED",
        m.UNAVAILABLE: "INTERNAL_SERVER_ERROR INTERNAL_SERVICE_ERROR SERVICE_UNAVAILABLE",
    },
    words=(
        (d.DONE, "_ALREADY_"),
        (d.DECLINED, "_(DECLINED|REFUSED)$"),
        (d.NOT_SET_UP, "(^|_)NOT_ENABLED(_|$)"),
        (m.LIMIT_REACHED, "_LIMIT_EXCEEDED$"),
        (m.ARGUMENT, "_NOT_SUPPORTED$|_PARAMETER_VALUE$"),
        (m.ARGUMENT, "^(INVALID|MISSING|MALFORMED)_|_(MISMATCH|REQUIRED)$"),
    ),
)
_OF_CARD_DATA = (d.EXPIRED, d.WRONG_DATA)


@rules("paypalserversdk.ApiException")
def answered(failure: Failure) -> ToolError | None:
    """An error response from PayPal, by its issue or name, otherwise by status."""
    details = _details(failure)
    error = None
    for code in (*(one.get("issue") for one in details), failure.look("name"), failure.look("error")):
        meaning = codes.meaning_of(code)
        if meaning is not None:
            if meaning in _OF_CARD_DATA and _problems(failure, details):
                meaning = m.ARGUMENT._replace(message=meaning.message)
            error = m.error_of(failure, meaning, service=SERVICE, told=code)
            break
    if error is None and failure.status is not None:
        error = status_error(failure, service=SERVICE)
    if isinstance(error, ToolArgumentError):
        error.problems = _problems(failure, details) or failure.problems
    elif isinstance(error, (ResourceNotFoundError, ResourceConflictError)):
        sent = (sent_value(one.get("field"), failure.arguments) for one in details)
        error.resource = next(filter(None, sent), None) or failure.resource
        if isinstance(error, ResourceNotFoundError) and error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolAuthenticationError):
        error.user_message = "PayPal rejected the client ID or secret. Provide valid ones, then try again."
    if error is not None and (failure.status or 0) >= 500:
        error.effect = "possible"
    return error


def _details(failure: Failure) -> list[Mapping[str, Any]]:
    """The details that PayPal lists; an exception for an unexpected status has only the body."""
    body = failure.body
    details = body.get("details") if isinstance(body, Mapping) else None
    return [one for one in details[:20] if isinstance(one, Mapping)] if isinstance(details, list) else []


def _problems(failure: Failure, details: list[Mapping[str, Any]]) -> list[Any]:
    found = (
        problem_at(
            one.get("field"), failure.arguments, is_missing=str(one.get("issue")).startswith("MISSING_REQUIRED_")
        )
        for one in details
    )
    return [problem for problem in found if problem is not None]


@rules("apimatic_core.AuthValidationException")
def without_token(failure: Failure) -> ToolError | None:
    """PayPal refused an access token. The client drops the reason and sends nothing else."""
    if failure.came_through("paypalserversdk") is None:
        return None
    user = "PayPal issued no access token. Check the client ID, the secret and the environment, then try again."
    return ToolAuthenticationError("PayPal issued no access token.", user_message=user, effect="none")


@rules("requests.RequestException")
def connection(failure: Failure) -> ToolError | None:
    """No connection to PayPal, or one dropped before the response, in which case the payment may have been made."""
    return transport_error(failure, service=SERVICE) if failure.came_through("paypalserversdk") else None
