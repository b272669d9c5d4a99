"""The package's part of the gallery."""

from collections.abc import Sequence

import mulligan_payments
import pytest
from clients import PAYPAL_TOKEN, paypal_capture, stripe_charge
from mulligan_testkit.gallery import Gallery, GalleryFailure
from payments_server import Serve
from test_payments_others import paypal
from test_payments_stripe import DENIED, declined, told


class TestGallery(Gallery):
    title = "Stripe, PayPal"
    plugin = mulligan_payments
    packages = ("stripe", "paypal-server-sdk")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        charge = {"amount": 4200, "payment_method": "pm_1"}
        return [
            GalleryFailure(
                "Stripe: a card without enough money",
                "charge",
                charge,
                stripe_charge(serve(402, declined("insufficient_funds"))),
                True,
            ),
            GalleryFailure(
                "Stripe: a charge without an answer",
                "charge",
                charge,
                stripe_charge(serve(how="hang"), timeout=0.3),
                True,
            ),
            GalleryFailure(
                "Stripe: the same charge is already being made",
                "charge",
                charge,
                stripe_charge(serve(409, told(code="idempotency_key_in_use"))),
                True,
            ),
            GalleryFailure(
                "Stripe: a key without the permission",
                "charge",
                charge,
                stripe_charge(serve(403, told(message=DENIED))),
                True,
            ),
            GalleryFailure(
                "PayPal: a declined payment",
                "capture_order",
                {"order_id": "5O190127TN364715T"},
                paypal_capture(serve(422, paypal("UNPROCESSABLE_ENTITY", "INSTRUMENT_DECLINED"), bodies=PAYPAL_TOKEN)),
                True,
            ),
        ]
