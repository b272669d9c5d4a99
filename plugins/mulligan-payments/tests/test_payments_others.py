"""PayPal, Square, Adyen and Braintree, through their clients."""

from collections.abc import Callable

import Adyen
import braintree
import pytest
from clients import (
    PAYPAL_TOKEN,
    adyen_payment,
    braintree_gateway,
    braintree_sale,
    paypal_capture,
    square_payment,
)
from conftest import Classify
from payments_server import Serve, raised

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

Case = tuple[int, object, type[ToolError], bool, str]


def paypal(name: str, *issues: str, field: str = "") -> dict[str, object]:
    details = [{"issue": issue, "description": "No.", **({"field": field} if field else {})} for issue in issues]
    return {"name": name, "message": "No.", "debug_id": "1", "details": details, "links": []}


def square(code: str, category: str = "INVALID_REQUEST_ERROR", **error: str) -> dict[str, object]:
    return {"errors": [{"category": category, "code": code, "detail": "No.", **error}]}


def adyen(code: str, kind: str = "validation", **fields: object) -> dict[str, object]:
    return {"status": 422, "errorCode": code, "message": "No.", "errorType": kind, **fields}


PAYPAL: list[Case] = [
    (422, paypal("UNPROCESSABLE_ENTITY", "INSTRUMENT_DECLINED"), ResourceConflictError, False, "none"),
    (422, paypal("UNPROCESSABLE_ENTITY", "PAYER_ACTION_REQUIRED"), ResourceConflictError, False, "none"),
    (422, paypal("UNPROCESSABLE_ENTITY", "ORDER_ALREADY_CAPTURED"), ResourceConflictError, False, "none"),
    (422, paypal("UNPROCESSABLE_ENTITY", "CARD_REFUSED"), ResourceConflictError, False, "none"),
    (422, paypal("UNPROCESSABLE_ENTITY", "PAYEE_NOT_ENABLED_FOR_CARD"), ResourceConflictError, False, "none"),
    (422, paypal("UNPROCESSABLE_ENTITY", "DECIMALS_NOT_SUPPORTED"), ToolArgumentError, False, "none"),
    (401, paypal("AUTHENTICATION_FAILURE", "INVALID_ACCOUNT_STATUS"), ToolPermissionError, True, "none"),
    (400, paypal("INVALID_REQUEST", "INVALID_PARAMETER_VALUE"), ToolArgumentError, False, "none"),
    (401, paypal("AUTHENTICATION_FAILURE"), ToolAuthenticationError, True, "none"),
    (403, paypal("NOT_AUTHORIZED", "PERMISSION_DENIED"), ToolPermissionError, True, "none"),
    (404, paypal("RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID"), ResourceNotFoundError, False, "none"),
    (409, paypal("RESOURCE_CONFLICT", "PREVIOUS_REQUEST_IN_PROGRESS"), ResourceConflictError, False, "possible"),
    (429, paypal("RATE_LIMIT_REACHED"), ToolRateLimitError, False, "none"),
    (500, paypal("INTERNAL_SERVER_ERROR"), ToolUnavailableError, False, "possible"),
    (503, "<html>down</html>", ToolUnavailableError, False, "possible"),
]
SQUARE: list[Case] = [
    (402, square("GENERIC_DECLINE", "PAYMENT_METHOD_ERROR"), ResourceConflictError, False, "none"),
    (402, square("CODE_OF_TOMORROW", "PAYMENT_METHOD_ERROR"), ResourceConflictError, False, "none"),
    (400, square("IDEMPOTENCY_KEY_REUSED"), ResourceConflictError, False, "none"),
    (400, square("INVALID_VALUE"), ToolArgumentError, False, "none"),
    (401, square("ACCESS_TOKEN_EXPIRED", "AUTHENTICATION_ERROR"), ToolAuthenticationError, True, "none"),
    (403, square("INSUFFICIENT_SCOPES", "AUTHENTICATION_ERROR"), ToolPermissionError, True, "none"),
    (403, square("CODE_OF_TOMORROW", "AUTHENTICATION_ERROR"), ToolPermissionError, True, "none"),
    (404, square("NOT_FOUND"), ResourceNotFoundError, False, "none"),
    (429, square("RATE_LIMITED", "RATE_LIMIT_ERROR"), ToolRateLimitError, False, "none"),
    (500, square("INTERNAL_SERVER_ERROR", "API_ERROR"), ToolUnavailableError, False, "possible"),
    (504, square("GATEWAY_TIMEOUT", "API_ERROR"), ToolTimeoutError, False, "possible"),
    (502, "<html>down</html>", ToolUnavailableError, False, "possible"),
]
ADYEN: list[Case] = [
    (422, adyen("101"), ResourceConflictError, False, "none"),
    (422, adyen("137"), ToolArgumentError, False, "none"),
    (422, adyen("704"), ResourceConflictError, False, "possible"),
    (401, adyen("000", "security"), ToolAuthenticationError, True, "none"),
    (403, adyen("901", "security"), ToolPermissionError, True, "none"),
    (404, "no such path", ResourceNotFoundError, False, "none"),
    (429, adyen("", "rate"), ToolRateLimitError, False, "none"),
    (500, adyen("000", "internal"), ToolUnavailableError, False, "possible"),
]
ANSWERS = [
    (provider, make, *case)
    for provider, make, cases in (
        ("paypal", paypal_capture, PAYPAL),
        ("square", square_payment, SQUARE),
        ("adyen", adyen_payment, ADYEN),
    )
    for case in cases
]
CALLS = [
    ("paypal", paypal_capture),
    ("square", square_payment),
    ("adyen", adyen_payment),
    ("braintree", braintree_sale),
]
CALL_IDS = [name for name, _ in CALLS]


@pytest.mark.parametrize(("provider", "make", "status", "body", "cls", "fatal", "effect"), ANSWERS)
def test_the_code_decides_before_the_status(
    classify: Classify,
    serve: Serve,
    provider: str,
    make: Callable[[str], Callable[[], object]],
    status: int,
    body: object,
    cls: type,
    fatal: bool,
    effect: str,
) -> None:
    error = classify(raised(make(serve(status, body, bodies=PAYPAL_TOKEN))))

    assert (type(error), error.fatal, error.effect) == (cls, fatal, effect)
    assert (error.provider, error.http_status, error.rule) == (provider, status, "mulligan_payments:answered")


@pytest.mark.parametrize(("provider", "make"), CALLS, ids=CALL_IDS)
def test_a_payment_without_an_answer_may_have_been_made(
    classify: Classify, serve: Serve, provider: str, make: Callable[..., Callable[[], object]]
) -> None:
    error = classify(raised(make(serve(how="hang", bodies=PAYPAL_TOKEN), timeout=0.3)))

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", provider)


@pytest.mark.parametrize(("provider", "make"), CALLS, ids=CALL_IDS)
def test_no_connection(classify: Classify, dead: str, provider: str, make: Callable[..., Callable[[], object]]) -> None:
    error = classify(raised(make(dead)))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert error.provider == provider


@pytest.mark.parametrize(
    ("make", "body", "status", "arguments", "pointers"),
    [
        (
            paypal_capture,
            paypal("INVALID_REQUEST", "MISSING_REQUIRED_PARAMETER", field="/purchase_units/0/amount"),
            400,
            {"purchase_units": [{}]},
            ["/purchase_units/0/amount"],
        ),
        (
            square_payment,
            square("INVALID_VALUE", field="amount_money.amount"),
            400,
            {"amount_money": {"amount": -1}},
            ["/amount_money/amount"],
        ),
        (
            adyen_payment,
            adyen("30_112", invalidFields=[{"name": "amount.value", "message": "No."}]),
            422,
            {"amount": {"value": -1}},
            ["/amount/value"],
        ),
        (adyen_payment, adyen("137"), 422, {"amount": -1}, ["/amount"]),
        (
            paypal_capture,
            paypal("UNPROCESSABLE_ENTITY", "CARD_EXPIRED", field="/card/expiry"),
            422,
            {"card": {"expiry": "1"}},
            ["/card/expiry"],
        ),
        (square_payment, square("CVV_FAILURE", field="cvv"), 402, {"cvv": "1"}, ["/cvv"]),
        (adyen_payment, adyen("101"), 422, {"number": "4"}, ["/number"]),
        (adyen_payment, adyen("901", "security"), 403, {"merchant_account": "Acne"}, ["/merchant_account"]),
    ],
)
def test_the_field_is_a_place_in_the_arguments(
    classify: Classify,
    serve: Serve,
    make: Callable[[str], Callable[[], object]],
    body: object,
    status: int,
    arguments: dict[str, object],
    pointers: list[str],
) -> None:
    error = classify(raised(make(serve(status, body, bodies=PAYPAL_TOKEN))), **arguments)

    assert isinstance(error, ToolArgumentError)
    assert [problem.pointer for problem in error.problems] == pointers


def test_what_was_not_found_is_the_argument_that_named_it(classify: Classify, serve: Serve) -> None:
    body = paypal("RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID", field="order_id")
    order = classify(raised(paypal_capture(serve(404, body, bodies=PAYPAL_TOKEN))), order="5O1")
    source = classify(raised(square_payment(serve(404, square("NOT_FOUND", field="source_id")))), source_id="cnon:1")

    assert order.message == "Resource not found: 5O1"
    assert source.message == "Resource not found: cnon:1"


def test_paypal_without_a_token_has_sent_nothing(classify: Classify, serve: Serve) -> None:
    url = serve(401, {"error": "invalid_client", "error_description": "Client Authentication failed"})
    error = classify(raised(paypal_capture(url)))

    assert (type(error), error.fatal, error.effect) == (ToolAuthenticationError, True, "none")
    assert error.message == "PayPal issued no access token."
    assert error.user_message.startswith("PayPal issued no access token. Check the client ID, the secret")


@pytest.mark.parametrize(
    ("make", "status", "body", "says"),
    [
        (paypal_capture, 401, paypal("AUTHENTICATION_FAILURE"), "PayPal rejected the client ID or secret."),
        (square_payment, 401, square("UNAUTHORIZED"), "Square rejected the access token."),
        (square_payment, 403, square("INSUFFICIENT_SCOPES"), "The Square access token lacks an OAuth scope."),
        (adyen_payment, 401, adyen("000"), "Adyen rejected the API key."),
        (adyen_payment, 403, adyen("010"), "The Adyen API key lacks a role, or the merchant account is another one."),
        (braintree_sale, 401, "", "Braintree rejected the API keys."),
        (braintree_sale, 403, "", "The role of the Braintree API user does not allow this."),
    ],
)
def test_a_person_reads_what_to_provide(
    classify: Classify, serve: Serve, make: Callable[[str], Callable[[], object]], status: int, body: object, says: str
) -> None:
    assert classify(raised(make(serve(status, body, bodies=PAYPAL_TOKEN)))).user_message.startswith(says)


def test_square_tells_how_long_to_wait(classify: Classify, serve: Serve) -> None:
    url = serve(429, square("RATE_LIMITED", "RATE_LIMIT_ERROR"), {"Retry-After": "3"})

    assert classify(raised(square_payment(url))).retry_after == 3.0


def test_adyen_without_a_live_prefix_has_sent_nothing(classify: Classify) -> None:
    client = Adyen.Adyen(xapikey="x", platform="live")
    error = classify(raised(lambda: client.checkout.payments_api.payments({"reference": "1"})))

    assert (type(error), error.effect, error.message) == (
        ToolExecutionError,
        "none",
        "The Adyen client is misconfigured.",
    )


@pytest.mark.parametrize(
    ("status", "cls", "fatal", "effect"),
    [
        (401, ToolAuthenticationError, True, "none"),
        (403, ToolPermissionError, True, "none"),
        (404, ResourceNotFoundError, False, "none"),
        (408, ToolTimeoutError, False, "possible"),
        (418, ToolExecutionError, False, "possible"),
        (426, ToolExecutionError, False, "none"),
        (429, ToolRateLimitError, False, "none"),
        (500, ToolUnavailableError, False, "possible"),
        (503, ToolUnavailableError, False, "possible"),
        (504, ToolTimeoutError, False, "possible"),
    ],
)
def test_the_class_decides_for_braintree(
    classify: Classify, serve: Serve, status: int, cls: type, fatal: bool, effect: str
) -> None:
    error = classify(raised(braintree_sale(serve(status, ""))))

    assert (type(error), error.fatal, error.effect, error.provider) == (cls, fatal, effect, "braintree")


def test_braintree_found_what_the_only_identifier_names(classify: Classify, serve: Serve) -> None:
    url = serve(404, "")
    found, sold = raised(lambda: braintree_gateway(url).transaction.find("tx404")), raised(braintree_sale(url))

    assert classify(found).message == "Resource not found: tx404"
    assert classify(sold, customer_id="c1", amount=1).message == "Resource not found: c1"
    assert classify(sold, transaction_id="tx404", customer_id="c1").resource is None


def test_braintree_verifies_signatures(classify: Classify) -> None:
    gateway = braintree_gateway("http://127.0.0.1:9")
    error = classify(raised(lambda: gateway.webhook_notification.parse("k|x", "aGVsbG8=\n")))

    assert (type(error), error.message) == (
        ToolArgumentError,
        "The signature of the notification from Braintree is invalid.",
    )


def result(inside: str = "", message: str = "No.") -> str:
    return (
        '<?xml version="1.0"?><api-error-response><errors><errors type="array"/><transaction>'
        f'<errors type="array">{"" if inside.startswith("<transaction>") else inside}</errors></transaction></errors>'
        f"{inside if inside.startswith('<transaction>') else ''}<message>{message}</message></api-error-response>"
    )


def processed(code: str) -> str:
    return f"<transaction><id>t1</id><amount>42.00</amount><tax-amount nil='true'/><status>processor_declined</status><processor-response-code>{code}</processor-response-code></transaction>"


def rejected(attribute: str) -> str:
    return f"<error><code>81502</code><attribute>{attribute}</attribute><message>No.</message></error>"


@pytest.mark.parametrize(
    ("inside", "cls", "says"),
    [
        (processed("2001"), ResourceConflictError, "the funds or the limit do not cover the amount (2001)."),
        (processed("2004"), ResourceConflictError, "the card or payment method has expired (2004)."),
        (processed("2047"), ResourceConflictError, "the payer needs another payment method (2047)."),
        (processed("3000"), ResourceConflictError, "or use another payment method (3000)."),
        (rejected("amount"), ToolArgumentError, "Braintree rejected the arguments."),
        (rejected("base"), ResourceConflictError, "Braintree reports that the current state does not allow this."),
    ],
)
def test_a_result_of_braintree_that_a_tool_returns(
    classify: Classify, serve: Serve, inside: str, cls: type, says: str
) -> None:
    returned = braintree_sale(serve(422, result(inside)))()
    error = classify(returned, amount="0")

    assert isinstance(returned, braintree.ErrorResult)
    assert (type(error), error.provider, error.effect) == (cls, "braintree", "none")
    assert error.message.endswith(says)
    assert cls is not ToolArgumentError or [problem.pointer for problem in error.problems] == ["/amount"]


def test_a_result_of_braintree_that_is_none_of_its_errors(pipeline: object) -> None:
    class ErrorResult:
        is_success = False

    assert pipeline.classify(ErrorResult(), tool="some_tool") is None


@pytest.mark.parametrize(
    ("exception", "says"),
    [
        (Adyen.AdyenError("odd"), "The Adyen call failed."),
        (braintree.exceptions.braintree_error.BraintreeError(), "The Braintree call failed."),
    ],
)
def test_anything_else_of_a_client(classify: Classify, exception: Exception, says: str) -> None:
    error = classify(exception)

    assert (type(error), error.message) == (ToolExecutionError, says)
