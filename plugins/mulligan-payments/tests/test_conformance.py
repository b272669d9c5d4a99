"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_payments
import stripe
from Adyen.exceptions import AdyenAPIUnprocessableEntity
from braintree.exceptions import NotFoundError, TooManyRequestsError
from paypalserversdk.exceptions.error_exception import ErrorException
from square.core.api_error import ApiError

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolPermissionError,
    ToolRateLimitError,
)
from mulligan.testing import ClassifierConformance


def of_stripe(cls: type, status: int, *before: object, **error: str) -> stripe.StripeError:
    return cls(error.get("message"), *before, http_status=status, json_body={"error": error})


def of_paypal(status: int, text: str) -> ErrorException:
    class Response:
        headers: dict[str, str] = {}

        def __init__(self) -> None:
            self.status_code, self.text = status, text

    return ErrorException("No.", Response())


class TestPayments(ClassifierConformance):
    plugin = mulligan_payments
    samples = [
        (
            of_stripe(stripe.CardError, 402, "", "card_declined", code="card_declined", decline_code="do_not_honor"),
            ResourceConflictError,
        ),
        (
            of_stripe(
                stripe.InvalidRequestError,
                404,
                "customer",
                "resource_missing",
                code="resource_missing",
                param="customer",
            ),
            ResourceNotFoundError,
        ),
        (
            of_stripe(stripe.InvalidRequestError, 400, "amount", None, param="amount", message="Invalid integer: x"),
            ToolArgumentError,
        ),
        (of_stripe(stripe.PermissionError, 403, message="Not for account 'acct_1'."), ToolPermissionError),
        (of_stripe(stripe.RateLimitError, 429, code="lock_timeout"), ResourceConflictError),
        (of_paypal(422, '{"name": "X", "details": [{"issue": "INSTRUMENT_DECLINED"}]}'), ResourceConflictError),
        (
            ApiError(status_code=400, body={"errors": [{"code": "INVALID_VALUE", "field": "amount"}]}),
            ToolArgumentError,
        ),
        (
            AdyenAPIUnprocessableEntity({"errorCode": "704"}, status_code=422, error_code="704"),
            ResourceConflictError,
        ),
        (NotFoundError(), ResourceNotFoundError),
        (TooManyRequestsError(), ToolRateLimitError),
    ]
