"""Failures common to all payment services: declined payments, and requests that must not simply be resent.

A decline does not end the run: the model reads the reason and informs the user. It is a conflict, since the state of
the card or account forbids the payment, unless the call itself sent the data that is wrong. No meaning here is transient,
because a transient error instructs the model to make the same call again.
"""

from __future__ import annotations

from mulligan.plugin import meanings as m

DECLINED = m.CONFLICT._replace(message="The payment was declined: the payer needs another payment method")
FUNDS = m.CONFLICT._replace(message="The payment was declined: the funds or the limit do not cover the amount")
EXPIRED = m.CONFLICT._replace(message="The payment was declined: the card or payment method has expired")
WRONG_DATA = m.CONFLICT._replace(
    message="The payment was declined: the card's data is wrong, and the payer must enter it again"
)
PIN = m.CONFLICT._replace(message="The payment was declined: the payer must enter the correct PIN")
UNAUTHENTICATED = m.CONFLICT._replace(message="The payment is not complete: the payer must authenticate it")
UNSUPPORTED = m.CONFLICT._replace(message="The payment was declined: the payment method does not support it")
TRY_LATER = m.CONFLICT._replace(
    message="The payment was declined for now: ask the payer before another attempt, or use another payment method"
)
DUPLICATE = m.EXISTS._replace(message="The payment was declined: the same payment was made very recently")

IN_PROGRESS = m.CONFLICT._replace(message="Another request is changing the same object of the service", code="ABORTED")
KEY_IN_USE = m.CONFLICT._replace(
    message="A request with the same idempotency key is being processed by the service",
    code="ABORTED",
    effect="possible",
)
KEY_REUSED = m.CONFLICT._replace(message="The idempotency key was already used for a different request to the service")
DONE = m.EXISTS._replace(message="The service reports that this is already so")
BALANCE = m.CONFLICT._replace(message="The balance at the service does not cover the amount")
DENIED = m.PERMISSION._replace(message="The service does not allow this to the account", fatal=False)
NOT_SET_UP = m.CONFLICT._replace(message="The account at the service is not set up for this")
KEY = m.AUTHENTICATION._replace(message="The service rejected the API key")
