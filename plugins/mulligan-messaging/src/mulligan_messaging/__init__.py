"""Rules for the clients of mail servers and messaging services. None of them is imported."""

from mulligan.plugin import Rules
from mulligan_messaging import imap, mailgun, pop, postmark, resend, sendgrid, smtp, telegram, twilio
from mulligan_messaging.returned import detect

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(
    *(smtp.rules, imap.rules, pop.rules),
    *(sendgrid.rules, twilio.rules, resend.rules, postmark.rules, mailgun.rules, telegram.rules),
)
last = Rules(last=True)
last.include(smtp.last, imap.last, pop.last, sendgrid.last, twilio.last, resend.last, postmark.last, mailgun.last)
last.include(telegram.last)

classify = rules.hookimpl()
classify_last = last.hookimpl()
