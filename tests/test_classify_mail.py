"""The replies of mail and FTP servers, as the standard library's clients raise them."""

from __future__ import annotations

import ftplib
import imaplib
import poplib
import smtplib

import pytest

from mulligan import Pipeline, errors


@pytest.mark.parametrize(
    ("raised", "cls", "fatal"),
    [
        (smtplib.SMTPResponseException(452, b"4.3.1 Insufficient system storage"), errors.ToolQuotaError, False),
        (smtplib.SMTPDataError(552, b"5.3.4 Message size exceeds fixed limit"), errors.ToolArgumentError, False),
        (smtplib.SMTPDataError(552, b"mailbox full: quota exceeded"), errors.ToolQuotaError, True),
        (smtplib.SMTPDataError(550, b"Message rejected as spam"), errors.ToolExecutionError, False),
        (smtplib.SMTPRecipientsRefused({"a@b.example": (550, b"No such user")}), errors.ResourceNotFoundError, False),
        (smtplib.SMTPServerDisconnected("gone"), errors.ToolConnectionError, False),
        (ftplib.error_perm("552 Exceeded storage allocation"), errors.ToolQuotaError, True),
        (imaplib.IMAP4.readonly("mailbox status changed"), errors.ResourceConflictError, False),
        (imaplib.IMAP4.abort("socket error: EOF"), errors.ToolConnectionError, False),
        (imaplib.IMAP4.error("[LIMIT] Too many flags"), errors.ResourceConflictError, False),
        (imaplib.IMAP4.error("[OVERQUOTA] The mailbox is full"), errors.ToolQuotaError, True),
        (poplib.error_proto(b"-ERR [SYS/TEMP] try again later"), errors.ToolUnavailableError, False),
        (poplib.error_proto(b"-ERR [AUTH] wrong password"), errors.ToolAuthenticationError, True),
    ],
)
def test_replies(raised, cls, fatal):
    with Pipeline(autoload=False) as pipeline:
        error = pipeline.classify(raised)
    assert (type(error), error.fatal) == (cls, fatal)
