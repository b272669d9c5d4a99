"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import imaplib
import poplib
import smtplib

import aiosmtplib
import mulligan_messaging
import telegram
from postmarker.exceptions import ClientError
from python_http_client.exceptions import HTTPError
from resend.exceptions import ResendError
from twilio.base.exceptions import TwilioRestException

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.testing import ClassifierConformance

BOB = "bob@example.net"


class TestMessaging(ClassifierConformance):
    plugin = mulligan_messaging
    samples = [
        (smtplib.SMTPRecipientsRefused({BOB: (550, b"5.1.1 No such user")}), ResourceNotFoundError, {"resource": BOB}),
        (
            smtplib.SMTPRecipientsRefused({BOB: (450, b"4.2.0 Greylisted, try again in 60 seconds")}),
            ToolUnavailableError,
        ),
        (smtplib.SMTPDataError(554, b"5.7.1 Looks like spam"), ToolPermissionError, {"fatal": False}),
        (smtplib.SMTPAuthenticationError(535, b"5.7.8 No"), ToolAuthenticationError),
        (smtplib.SMTPServerDisconnected("Connection unexpectedly closed"), ToolConnectionError),
        (aiosmtplib.SMTPRecipientRefused(452, "4.2.2 Full", BOB), ResourceConflictError),
        (aiosmtplib.SMTPReadTimeoutError("Timed out"), ToolTimeoutError),
        (imaplib.IMAP4.error("b'[AUTHENTICATIONFAILED] No'"), ToolAuthenticationError),
        (imaplib.IMAP4.readonly("INBOX is not writable"), ToolPermissionError),
        (poplib.error_proto(b"-ERR [IN-USE] No"), ResourceConflictError),
        (HTTPError(429, "Too Many Requests", b"{}", {"Retry-After": "3"}), ToolRateLimitError, {"retry_after": 3.0}),
        (TwilioRestException(400, "/Messages.json", "No.", 21211, "POST"), ToolArgumentError),
        (ResendError(429, "daily_quota_exceeded", "No.", ""), ToolQuotaError),
        (ClientError("[406] No.", error_code=406), ToolPermissionError),
        (telegram.error.Forbidden("Forbidden: bot was blocked by the user"), ToolPermissionError, {"fatal": False}),
        (telegram.error.BadRequest("Chat not found"), ResourceNotFoundError),
    ]
