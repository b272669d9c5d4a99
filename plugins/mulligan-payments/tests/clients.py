"""One call of each real client: `charge(url)` is a function that makes it."""

import urllib.parse
from collections.abc import Callable

import Adyen
import braintree
import square
import stripe
from paypalserversdk.configuration import Configuration, Environment
from paypalserversdk.http.auth.o_auth_2 import ClientCredentialsAuthCredentials
from paypalserversdk.paypal_serversdk_client import PaypalServersdkClient

Call = Callable[[], object]


def stripe_client(url: str, *, timeout: float = 1.0) -> stripe.StripeClient:
    http = stripe.RequestsClient(timeout=timeout)
    return stripe.StripeClient("sk_test_1", base_addresses={"api": url}, max_network_retries=0, http_client=http)


def stripe_charge(url: str, *, timeout: float = 1.0) -> Call:
    params = {"amount": 4200, "currency": "eur", "payment_method": "pm_1", "confirm": True}
    client = stripe_client(url, timeout=timeout)
    return lambda: client.v1.payment_intents.create(params)


def stripe_customer(url: str) -> Call:
    client = stripe_client(url)
    return lambda: client.v1.customers.retrieve("cus_404")


def stripe_transfer_v2(url: str) -> Call:
    """A call of the second version of the API, which raises a class for each type."""
    client = stripe_client(url)
    return lambda: client.v2.core.event_destinations.disable("ed_1")


PAYPAL_TOKEN = {"/v1/oauth2/token": {"access_token": "x", "token_type": "Bearer", "expires_in": 3600}}


def paypal_capture(url: str, *, timeout: float = 1.0) -> Call:
    class Here(Configuration):
        def get_base_uri(self, server=None):
            return url

    credentials = ClientCredentialsAuthCredentials("id", "secret")
    config = Here(
        environment=Environment.SANDBOX, client_credentials_auth_credentials=credentials, timeout=timeout, max_retries=0
    )
    client = PaypalServersdkClient(config=config)
    return lambda: client.orders.capture_order({"id": "5O190127TN364715T", "prefer": "return=minimal"})


def square_payment(url: str, *, timeout: float = 1.0) -> Call:
    client = square.Square(token="x", base_url=url, timeout=timeout)
    return lambda: client.payments.create(
        source_id="cnon:1",
        idempotency_key="1",
        amount_money={"amount": 4200, "currency": "EUR"},
        request_options={"max_retries": 0},
    )


def adyen_payment(url: str, *, timeout: float = 1.0) -> Call:
    client = Adyen.Adyen(xapikey="x", platform="test", http_timeout=timeout)
    client.checkout.payments_api.baseUrl = url
    return lambda: client.checkout.payments_api.payments(
        {"merchantAccount": "Acme", "amount": {"currency": "EUR", "value": 4200}, "reference": "1"}
    )


def braintree_gateway(url: str, *, timeout: float = 1.0) -> braintree.BraintreeGateway:
    place = urllib.parse.urlsplit(url)
    here = braintree.Environment("here", place.hostname, str(place.port), url, False, None)
    return braintree.BraintreeGateway(
        braintree.Configuration(
            environment=here,
            merchant_id="m",
            public_key="k",
            private_key="s",
            timeout=timeout,
            wrap_http_exceptions=True,
        )
    )


def braintree_sale(url: str, *, timeout: float = 1.0) -> Call:
    gateway = braintree_gateway(url, timeout=timeout)
    return lambda: gateway.transaction.sale({"amount": "42.00", "payment_method_nonce": "n"})
