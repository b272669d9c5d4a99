"""Square, through `square` (squareup): by the code of the first error, then its category, then the status.

The codes are those of the PyPI package squareup 46.0.0.20260916, whose list is `tests/published/square.txt`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_payments import declines as d
from mulligan_payments.sent import problem_at, sent_value

rules = Rules("square")
SERVICE = "Square"

TOKEN = m.AUTHENTICATION._replace(message="The service rejected the access token")
NOT_ACTIVATED = m.PERMISSION._replace(message="The account at the service is not activated for card processing")
BANK = m.CONFLICT._replace(message="The bank account at the service cannot be used until its owner links it again")

codes = Codes(
    {
        TOKEN: "ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_REVOKED UNAUTHORIZED V1_ACCESS_TOKEN",
        m.PERMISSION: "APPLICATION_DISABLED CLIENT_DISABLED FORBIDDEN INSUFFICIENT_SCOPES",
        NOT_ACTIVATED: "CARD_PROCESSING_NOT_ENABLED",
        d.DENIED: "INSUFFICIENT_PERMISSIONS INSUFFICIENT_PERMISSIONS_FOR_REFUND",
        m.NOT_FOUND: """
            CUSTOMER_NOT_FOUND GONE MERCHANT_SUBSCRIPTION_NOT_FOUND NOT_FOUND PLAID_ERROR_ITEM_NOT_FOUND
        """,
        m.RATE_LIMIT: "PLAID_ERROR_RATE_LIMIT RATE_LIMITED",
        d.KEY_REUSED: "IDEMPOTENCY_KEY_REUSED",
        d.IN_PROGRESS: "CONFLICT REFUND_ALREADY_PENDING",
        d.DONE: "CARD_TOKEN_USED DELAYED_TRANSACTION_CAPTURED SOURCE_USED",
        d.FUNDS: "GIFT_CARD_AVAILABLE_AMOUNT INSUFFICIENT_FUNDS PAYMENT_LIMIT_EXCEEDED TRANSACTION_LIMIT",
        d.EXPIRED: "CARD_EXPIRED CARD_TOKEN_EXPIRED SOURCE_EXPIRED",
        d.WRONG_DATA: """
            ADDRESS_VERIFICATION_FAILURE BAD_EXPIRATION CVV_FAILURE EXPIRATION_FAILURE INVALID_ACCOUNT INVALID_CARD
            INVALID_CARD_DATA INVALID_ENCRYPTED_CARD INVALID_EXPIRATION INVALID_EXPIRATION_DATE
            INVALID_EXPIRATION_YEAR INVALID_POSTAL_CODE PAN_FAILURE VERIFY_AVS_FAILURE VERIFY_CVV_FAILURE
        """,
        d.PIN: "ALLOWABLE_PIN_TRIES_EXCEEDED APPLE_TTP_PIN_TOKEN INVALID_PIN MISSING_PIN",
        d.UNAUTHENTICATED: """
            CARD_DECLINED_VERIFICATION_REQUIRED CARD_PRESENCE_REQUIRED CHIP_INSERTION_REQUIRED MISSING_ACCOUNT_TYPE
        """,
        d.UNSUPPORTED: """
            CARDHOLDER_INSUFFICIENT_PERMISSIONS CARD_NOT_SUPPORTED CART_INELIGIBLE_FOR_EBT
            MANUALLY_ENTERED_PAYMENT_NOT_SUPPORTED PARTIAL_PAYMENT_DELAY_CAPTURE_NOT_SUPPORTED
            PAYMENT_SOURCE_NOT_ENABLED_FOR_TARGET UNSUPPORTED_CARD_BRAND UNSUPPORTED_ENTRY_METHOD
            UNSUPPORTED_INSTRUMENT_TYPE UNSUPPORTED_SOURCE_TYPE
        """,
        d.DECLINED: """
            ACCOUNT_UNUSABLE BUYER_REFUSED_PAYMENT CARD_DECLINED CARD_DECLINED_CALL_ISSUER CARD_MISMATCH
            GENERIC_DECLINE READER_DECLINED REFUND_DECLINED RESERVATION_DECLINED VOICE_FAILURE
        """,
        BANK: """
            PLAID_ERROR PLAID_ERROR_INSUFFICIENT_CREDENTIALS PLAID_ERROR_INVALID_ACCESS_TOKEN
            PLAID_ERROR_INVALID_ACCOUNT_ID PLAID_ERROR_ITEM_LOGIN_REQUIRED PLAID_ERROR_ITEM_NOT_SUPPORTED
            PLAID_ERROR_NO_ACCOUNTS PLAID_ERROR_PRODUCT_NOT_READY
        """,
        m.CONFLICT: """
            CHECKOUT_EXPIRED CUSTOMER_MISSING_EMAIL CUSTOMER_MISSING_NAME DELAYED_TRANSACTION_CANCELED
            DELAYED_TRANSACTION_EXPIRED DELAYED_TRANSACTION_FAILED ORDER_UNPAID_NOT_RETURNABLE PAYMENT_NOT_REFUNDABLE
            PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE REFUND_ERROR_PAYMENT_NEEDS_COMPLETION
            UNSUPPORTED_LOYALTY_REWARD_TIER
        """,
        m.TOO_LARGE: "REQUEST_ENTITY_TOO_LARGE",
        m.TIMEOUT: "GATEWAY_TIMEOUT REQUEST_TIMEOUT",
        m.UNAVAILABLE: "BAD_GATEWAY INTERNAL_SERVER_ERROR SERVICE_UNAVAILABLE TEMPORARY_ERROR",
        m.UNIMPLEMENTED: """
            API_VERSION_INCOMPATIBLE INVALID_SQUARE_VERSION_FORMAT METHOD_NOT_ALLOWED NOT_ACCEPTABLE NOT_IMPLEMENTED
            SANDBOX_NOT_SUPPORTED UNSUPPORTED_MEDIA_TYPE V1_APPLICATION
        """,
        m.ARGUMENT: """
            AMOUNT_TOO_HIGH AMOUNT_TOO_LOW APPLE_PAYMENT_PROCESSING_CERTIFICATE_HASH_NOT_FOUND ARRAY_EMPTY
            ARRAY_LENGTH_TOO_LONG ARRAY_LENGTH_TOO_SHORT BAD_CERTIFICATE BAD_REQUEST CONFLICTING_PARAMETERS
            CURRENCY_MISMATCH EXPECTED_ARRAY EXPECTED_BASE64_ENCODED_BYTE_ARRAY EXPECTED_BOOLEAN EXPECTED_FLOAT
            EXPECTED_INTEGER EXPECTED_JSON_BODY EXPECTED_MAP EXPECTED_OBJECT EXPECTED_STRING INCORRECT_TYPE
            INVALID_ARRAY_VALUE INVALID_CONTENT_TYPE INVALID_CURSOR INVALID_DATE INVALID_EMAIL_ADDRESS
            INVALID_ENUM_VALUE INVALID_FEES INVALID_FORM_VALUE INVALID_LOCATION INVALID_PAUSE_LENGTH
            INVALID_PHONE_NUMBER INVALID_SORT_ORDER INVALID_TIME INVALID_TIME_RANGE INVALID_VALUE LOCATION_MISMATCH
            MAP_KEY_LENGTH_TOO_LONG MAP_KEY_LENGTH_TOO_SHORT MISSING_REQUIRED_PARAMETER NO_FIELDS_SET
            ONE_INSTRUMENT_EXPECTED PAYMENT_AMOUNT_MISMATCH REFUND_AMOUNT_INVALID TOO_MANY_MAP_ENTRIES
            UNEXPECTED_VALUE UNKNOWN_BODY_PARAMETER UNKNOWN_QUERY_PARAMETER UNPROCESSABLE_ENTITY UNSUPPORTED_COUNTRY
            UNSUPPORTED_CURRENCY VALUE_EMPTY VALUE_REGEX_MISMATCH VALUE_TOO_HIGH VALUE_TOO_LONG VALUE_TOO_LOW
            VALUE_TOO_SHORT
        """,
    }
)
categories = Codes(
    {
        TOKEN: "AUTHENTICATION_ERROR",
        m.RATE_LIMIT: "RATE_LIMIT_ERROR",
        d.DECLINED: "PAYMENT_METHOD_ERROR",
        m.CONFLICT: "MERCHANT_SUBSCRIPTION_ERROR REFUND_ERROR",
    }
)
_OF_CARD_DATA = (d.EXPIRED, d.WRONG_DATA)


@rules("square.ApiError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Square, by its code or category, otherwise by status."""
    errors = _errors(failure)
    problems = [problem for one in errors if (problem := _problem(one, failure)) is not None]
    code = errors[0].get("code") if errors else None
    meaning = codes.meaning_of(code) or (_of_category(errors[0], failure) if errors else None)
    if meaning is None:
        error = status_error(failure, service=SERVICE) if failure.status is not None else None
    else:
        if meaning in _OF_CARD_DATA and problems:
            meaning = m.ARGUMENT._replace(message=meaning.message)
        error = m.error_of(failure, meaning, service=SERVICE, told=code)
    if isinstance(error, ToolArgumentError):
        error.problems = problems or failure.problems
    elif isinstance(error, (ResourceNotFoundError, ResourceConflictError)):
        error.resource = sent_value(errors[0].get("field"), failure.arguments) if errors else None
        error.resource = error.resource or failure.resource
        if isinstance(error, ResourceNotFoundError) and error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolAuthenticationError):
        error.user_message = "Square rejected the access token. Provide a valid one, then try again."
    elif isinstance(error, ToolPermissionError) and code == "INSUFFICIENT_SCOPES":
        error.user_message = "The Square access token lacks an OAuth scope. Grant it, then try again."
    if error is not None and (failure.status or 0) >= 500:
        error.effect = "possible"
    return error


def _errors(failure: Failure) -> list[Mapping[str, Any]]:
    body = failure.look("body")
    errors = body.get("errors") if isinstance(body, Mapping) else None
    return [one for one in errors[:20] if isinstance(one, Mapping)] if isinstance(errors, list) else []


def _of_category(error: Mapping[str, Any], failure: Failure) -> m.Meaning | None:
    """The meaning of a category. The one for credentials includes missing permissions, which have their own status."""
    meaning = categories.meaning_of(error.get("category"))
    return m.PERMISSION if meaning is TOKEN and failure.status == 403 else meaning


def _problem(error: Mapping[str, Any], failure: Failure) -> Problem | None:
    return problem_at(
        error.get("field"), failure.arguments, is_missing=error.get("code") == "MISSING_REQUIRED_PARAMETER"
    )


@rules("httpx.TransportError", "httpx2.TransportError")
def connection(failure: Failure) -> ToolError | None:
    """No connection to Square, or one dropped before the response, in which case the payment may have been made."""
    return transport_error(failure, service=SERVICE) if failure.came_through("square") else None
