"""Stripe, through its client."""

import pytest
import stripe
from clients import stripe_charge, stripe_customer, stripe_transfer_v2
from conftest import Classify
from payments_server import Serve, raised

from mulligan import Pipeline, tool
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
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
)

DENIED = (
    "The provided key 'rk_test_*********' does not have the required permissions for this endpoint on account "
    "'acct_1'. Having the 'rak_charge_write' permission would allow this request to continue."
)


def told(**error: str) -> dict[str, object]:
    return {"error": {"type": "invalid_request_error", "message": "No.", **error}}


def declined(decline_code: str, code: str = "card_declined", **error: str) -> dict[str, object]:
    return told(type="card_error", code=code, decline_code=decline_code, message="Your card was declined.", **error)


CODES: list[tuple[int, str, type[ToolError], bool, str]] = [
    (401, "api_key_expired", ToolAuthenticationError, True, "none"),
    (401, "platform_api_key_expired", ToolAuthenticationError, True, "none"),
    (403, "testmode_charges_only", ToolPermissionError, True, "none"),
    (400, "platform_account_required", ToolPermissionError, True, "none"),
    (400, "transfers_not_allowed", ToolPermissionError, False, "none"),
    (400, "tls_version_unsupported", ToolConnectionError, True, "none"),
    (429, "rate_limit", ToolRateLimitError, False, "none"),
    (400, "rate_limit", ToolRateLimitError, False, "none"),
    (429, "lock_timeout", ResourceConflictError, False, "none"),
    (409, "idempotency_key_in_use", ResourceConflictError, False, "possible"),
    (409, "", ResourceConflictError, False, "possible"),
    (404, "resource_missing", ResourceNotFoundError, False, "none"),
    (400, "charge_already_refunded", ResourceConflictError, False, "none"),
    (400, "payment_intent_unexpected_state", ResourceConflictError, False, "none"),
    (400, "balance_insufficient", ResourceConflictError, False, "none"),
    (400, "amount_too_small", ToolArgumentError, False, "none"),
    (400, "parameter_unknown", ToolArgumentError, False, "none"),
    (402, "", ResourceConflictError, False, "none"),
    (400, "terminal_reader_timeout", ResourceConflictError, False, "possible"),
    (424, "", ToolUnavailableError, False, "possible"),
    (500, "", ToolUnavailableError, False, "possible"),
    (500, "lock_timeout", ResourceConflictError, False, "possible"),
    (502, "", ToolUnavailableError, False, "possible"),
    (504, "", ToolTimeoutError, False, "possible"),
]


@pytest.mark.parametrize(("status", "code", "cls", "fatal", "effect"), CODES)
def test_the_code_decides_before_the_status(
    classify: Classify, serve: Serve, status: int, code: str, cls: type, fatal: bool, effect: str
) -> None:
    error = classify(raised(stripe_charge(serve(status, told(code=code)))))

    assert (type(error), error.fatal, error.effect) == (cls, fatal, effect)
    assert (error.provider, error.rule, error.http_status) == ("stripe", "mulligan_payments:answered", status)


@pytest.mark.parametrize(
    ("decline_code", "says"),
    [
        ("insufficient_funds", "the funds or the limit do not cover the amount (insufficient_funds)"),
        ("expired_card", "the card or payment method has expired (expired_card)"),
        ("incorrect_cvc", "the card's data is wrong, and the payer must enter it again (incorrect_cvc)"),
        ("incorrect_pin", "the payer must enter the correct PIN (incorrect_pin)"),
        ("authentication_required", "the payer must authenticate it (authentication_required)"),
        ("card_not_supported", "the payment method does not support it (card_not_supported)"),
        ("duplicate_transaction", "the same payment was made very recently (duplicate_transaction)"),
        ("do_not_honor", "the payer needs another payment method (do_not_honor)"),
        ("try_again_later", "ask the payer before another attempt, or use another payment method (try_again_later)"),
        ("code_of_tomorrow", "the payer needs another payment method (card_declined)"),
    ],
)
def test_a_decline_is_a_result_with_its_reason(classify: Classify, serve: Serve, decline_code: str, says: str) -> None:
    error = classify(raised(stripe_charge(serve(402, declined(decline_code)))), payment_method="pm_1")

    assert (type(error), error.fatal, error.transient, error.effect) == (ResourceConflictError, False, False, "none")
    assert error.message.endswith(f": {says}.")
    assert error.resource is None


@pytest.mark.parametrize("decline_code", ["fraudulent", "lost_card", "stolen_card", "merchant_blacklist"])
def test_a_reason_that_stripe_keeps_from_the_payer_is_not_shown(
    pipeline: Pipeline, serve: Serve, decline_code: str
) -> None:
    result = pipeline.recover(raised(stripe_charge(serve(402, declined(decline_code)))))

    assert "needs another payment method (card_declined)" in result.content
    assert decline_code not in result.content


@pytest.mark.parametrize("code", ["rate_limit", "card_declined", "lock_timeout", "idempotency_key_in_use", ""])
@pytest.mark.parametrize("status", [402, 409, 429, 500])
def test_no_charge_of_a_tool_is_proposed_again(serve: Serve, status: int, code: str) -> None:
    make = stripe_charge(serve(status, told(code=code)))

    @tool
    def charge(amount: int) -> object:
        """Charges the customer."""
        return make()

    with Pipeline([charge]) as pipeline:
        read = pipeline.call("charge", {"amount": 4200}).content

    assert "Error executing tool charge" in read
    assert "call charge again" not in read


@pytest.mark.parametrize(
    ("arguments", "cls", "pointers"),
    [
        ({"card": {"number": "4242", "cvc": "1"}}, ToolArgumentError, ["/card/cvc"]),
        ({"cvc": "1"}, ToolArgumentError, ["/cvc"]),
        ({"card_cvc": "1"}, ResourceConflictError, []),
        ({"payment_method": "pm_1"}, ResourceConflictError, []),
        ({"shipping": {"cvc": 1}, "card": {"cvc": 1}}, ResourceConflictError, []),
    ],
)
def test_card_data_is_an_argument_only_if_the_call_sent_it(
    classify: Classify, serve: Serve, arguments: dict[str, object], cls: type, pointers: list[str]
) -> None:
    error = classify(raised(stripe_charge(serve(402, declined("", "incorrect_cvc", param="cvc")))), **arguments)

    assert type(error) is cls
    assert [problem.pointer for problem in getattr(error, "problems", ())] == pointers


def test_a_missing_resource_is_the_argument_that_named_it(classify: Classify, serve: Serve) -> None:
    body = told(code="resource_missing", param="customer", message="No such customer: 'cus_404'")
    exception = raised(stripe_customer(serve(404, body)))

    assert classify(exception, customer_id="cus_404").message == "Resource not found: cus_404"
    assert classify(exception).resource == "cus_404"
    assert classify(exception, customer="cus_9").resource == "cus_9"


@pytest.mark.parametrize(
    ("error", "arguments", "problem"),
    [
        ({"code": "parameter_missing", "param": "currency"}, {"currency": ""}, ("/currency", "missing")),
        ({"code": "parameter_missing", "param": "currency"}, {"amount": 1}, ("/currency", "missing")),
        ({"param": "amount"}, {"amount": "x"}, ("/amount", "is not accepted")),
        ({"code": "amount_too_small"}, {"amount": 1}, ("/amount", "is not accepted")),
        (
            {"code": "parameter_invalid_integer", "param": "items[0][quantity]"},
            {"items": [{"quantity": "x"}]},
            ("/items/0/quantity", "is not accepted"),
        ),
        ({"code": "parameter_unknown", "param": "items[0][size]"}, {"items": []}, ("/items", "is not accepted")),
    ],
)
def test_the_parameter_is_a_place_in_the_arguments(
    classify: Classify, serve: Serve, error: dict[str, str], arguments: dict[str, object], problem: tuple[str, str]
) -> None:
    found = classify(raised(stripe_charge(serve(400, told(**error)))), **arguments)

    assert isinstance(found, ToolArgumentError)
    assert [(one.pointer, one.message) for one in found.problems] == [problem]


def test_another_request_with_the_same_key_may_have_been_applied(classify: Classify, serve: Serve) -> None:
    error = classify(raised(stripe_charge(serve(409, told(code="idempotency_key_in_use")))))

    assert (error.code, error.transient) == ("ABORTED", False)
    assert (
        error.message
        == "A request with the same idempotency key is being processed by Stripe (idempotency_key_in_use)."
    )


def test_a_key_that_was_used_for_another_request(classify: Classify, serve: Serve) -> None:
    exception = raised(stripe_charge(serve(400, told(type="idempotency_error"))))
    error = classify(exception)

    assert isinstance(exception, stripe.IdempotencyError)
    assert (type(error), error.effect) == (ResourceConflictError, "none")
    assert (
        error.message == "The idempotency key was already used for a different request to Stripe (idempotency_error)."
    )


def test_a_key_that_stripe_rejects(classify: Classify, serve: Serve) -> None:
    error = classify(raised(stripe_charge(serve(401, told(message="Invalid API Key provided: sk_test_1")))))

    assert (type(error), error.fatal, error.message) == (
        ToolAuthenticationError,
        True,
        "Stripe rejected the API key (HTTP 401).",
    )
    assert error.user_message == "Stripe rejected the API key. Provide a valid one, then try again."


def test_no_key_at_all(classify: Classify, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stripe, "api_key", None)
    error = classify(raised(lambda: stripe.Customer.retrieve("cus_1")))

    assert (type(error), error.effect, error.message) == (
        ToolAuthenticationError,
        "none",
        "Stripe rejected the API key.",
    )


def test_a_person_reads_which_permission_is_missing_for_which_account(classify: Classify, serve: Serve) -> None:
    error = classify(raised(stripe_charge(serve(403, told(message=DENIED)))))

    assert (type(error), error.fatal, error.resource) == (ToolPermissionError, True, "acct_1")
    assert error.message == "Stripe denied permission: acct_1."
    assert error.user_message == "The Stripe API key lacks a permission: rak_charge_write."


def test_a_refusal_without_a_reason(classify: Classify, serve: Serve) -> None:
    error = classify(raised(stripe_charge(serve(403, told()))))

    assert (error.message, error.resource) == ("Stripe denied permission.", None)
    assert error.user_message.startswith("The Stripe account or its API key may not do this.")


@pytest.mark.parametrize(
    ("kind", "exception", "cls"),
    [
        ("already_canceled", stripe.AlreadyCanceledError, ResourceConflictError),
        ("insufficient_funds", stripe.InsufficientFundsError, ResourceConflictError),
        ("feature_not_enabled", stripe.FeatureNotEnabledError, ResourceConflictError),
        ("quota_exceeded", stripe.QuotaExceededError, ToolQuotaError),
        ("rate_limit", stripe.RateLimitError, ToolRateLimitError),
        ("temporary_session_expired", stripe.TemporarySessionExpiredError, ResourceConflictError),
    ],
)
def test_types_of_the_second_version(classify: Classify, serve: Serve, kind: str, exception: type, cls: type) -> None:
    failed = raised(stripe_transfer_v2(serve(400, {"error": {"type": kind, "message": "No."}})))
    error = classify(failed)

    assert (type(failed), type(error)) == (exception, cls)
    assert error.message.endswith(f"({kind}).")


def test_an_expired_authorization_is_one(classify: Classify, serve: Serve) -> None:
    body = {"error": "invalid_grant", "error_description": "Authorization code expired"}
    error = classify(raised(stripe_customer(serve(400, body))))

    assert (type(error), error.provider) == (ToolAuthenticationError, "stripe")


def test_an_event_with_another_signature(classify: Classify) -> None:
    error = classify(raised(lambda: stripe.Webhook.construct_event("{}", "t=1,v1=x", "whsec_1")))

    assert (type(error), error.message) == (ToolArgumentError, "The signature of the Stripe event is invalid.")


def test_a_charge_without_an_answer_may_have_been_made(classify: Classify, serve: Serve) -> None:
    error = classify(raised(stripe_charge(serve(how="hang"), timeout=0.3)))

    assert (type(error), error.effect) == (ToolTimeoutError, "possible")
    assert error.message == "Stripe did not respond in time."


def test_a_connection_that_ends_midway(classify: Classify, serve: Serve) -> None:
    error = classify(raised(stripe_charge(serve(how="reset"))))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, False, "possible")


def test_no_connection(classify: Classify, dead: str) -> None:
    error = classify(raised(stripe_charge(dead)))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert error.message == "Stripe cannot be reached."


def test_the_rate_limit_tells_how_long(classify: Classify, serve: Serve) -> None:
    url = serve(429, told(code="rate_limit"), {"Retry-After": "7"})

    assert classify(raised(stripe_charge(url))).retry_after == 7.0


@pytest.mark.parametrize(("status", "cls"), [(502, ToolUnavailableError), (200, ToolExecutionError)])
def test_a_page_instead_of_an_answer(classify: Classify, serve: Serve, status: int, cls: type) -> None:
    error = classify(raised(stripe_charge(serve(status, "<html>odd</html>"))))

    assert (type(error), error.provider, error.effect) == (cls, "stripe", "possible")


def test_a_code_of_tomorrow_is_read_by_its_words_or_the_status(classify: Classify, serve: Serve) -> None:
    codes = ("voucher_missing", "voucher_already_exists", "parameter_odd", "wobbly")
    errors = [classify(raised(stripe_charge(serve(400, told(code=code))))) for code in codes]

    assert [type(error) for error in errors] == [
        ResourceNotFoundError,
        ResourceConflictError,
        ToolArgumentError,
        ToolArgumentError,
    ]


def test_an_exception_that_never_was_an_answer(classify: Classify) -> None:
    error = classify(stripe.StripeError("odd"))

    assert (type(error), error.message) == (ToolExecutionError, "The Stripe call failed.")
