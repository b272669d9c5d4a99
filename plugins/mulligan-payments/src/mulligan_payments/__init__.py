"""Rules for the clients of Stripe, PayPal, Square, Adyen and Braintree. None of them is imported."""

from mulligan.plugin import Rules
from mulligan_payments import adyen, braintree, paypal, square, stripe
from mulligan_payments.braintree import detect

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(stripe.rules, paypal.rules, square.rules, adyen.rules, braintree.rules)
last = Rules(last=True)
last.include(stripe.last, adyen.last, braintree.last)

classify = rules.hookimpl()
classify_last = last.hookimpl()
