"""Reply codes of mail and FTP servers, as the clients of the standard library report them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.rules import Rules
from mulligan.errors import ToolError

rules = Rules()
_REPLIES: Mapping[int, m.Meaning] = {  # RFC 959 section 4.2.1, RFC 5321 section 4.2.2
    421: m.UNAVAILABLE,
    425: m.CONNECTION,
    426: m.DROPPED,
    430: m.AUTHENTICATION,
    450: m.UNAVAILABLE,
    451: m.UNAVAILABLE,
    452: m.QUOTA,
    454: m.UNAVAILABLE,
    500: m.ARGUMENT,
    501: m.ARGUMENT,
    502: m.UNIMPLEMENTED,
    503: m.CONFLICT,
    504: m.ARGUMENT,
    530: m.AUTHENTICATION,
    532: m.AUTHENTICATION,
    534: m.AUTHENTICATION,
    535: m.AUTHENTICATION,
    538: m.AUTHENTICATION,
    550: m.NOT_FOUND,
    551: m.NOT_FOUND,
    552: m.QUOTA,
    553: m.ARGUMENT,
    554: m.FAILED,
}
_MAIL_REPLIES: Mapping[int, m.Meaning] = {  # where RFC 5321 means something else than RFC 959
    **_REPLIES,
    452: m.QUOTA._replace(fatal=False),
    552: m.TOO_LARGE,
}
_FULL = re.compile(r"\bquota\b|\bfull\b|\bstorage\b", re.IGNORECASE)
_MAIL_CODE = re.compile(r"\[([A-Z][A-Z/-]{1,23})[\] ]")
_MAIL: Mapping[str, m.Meaning] = {
    "AUTHENTICATIONFAILED": m.AUTHENTICATION,
    "AUTHORIZATIONFAILED": m.PERMISSION,
    "EXPIRED": m.AUTHENTICATION,
    "PRIVACYREQUIRED": m.AUTHENTICATION,
    "AUTH": m.AUTHENTICATION,
    "NOPERM": m.PERMISSION,
    "NONEXISTENT": m.NOT_FOUND,
    "TRYCREATE": m.NOT_FOUND,
    "ALREADYEXISTS": m.EXISTS,
    "INUSE": m.BUSY,
    "IN-USE": m.BUSY,
    "EXPUNGEISSUED": m.CONFLICT,
    "OVERQUOTA": m.QUOTA,
    "LIMIT": m.LIMIT_REACHED,
    "LOGIN-DELAY": m.RATE_LIMIT,
    "UNAVAILABLE": m.UNAVAILABLE,
    "SYS/TEMP": m.UNAVAILABLE,
    "SYS/PERM": m.FAILED,
    "SERVERBUG": m.FAILED,
    "CANNOT": m.ARGUMENT,
    "CLIENTBUG": m.ARGUMENT,
}


@rules("ftplib.Error")
def ftp(failure: Failure) -> ToolError | None:
    """An FTP server returned an error reply code: RFC 959."""
    return _reply_error(failure, failure.text[:3], _REPLIES)


@rules("smtplib.SMTPException")
def smtp(failure: Failure) -> ToolError | None:
    """A mail server returned an error reply code: RFC 5321."""
    if failure.matches("smtplib.SMTPServerDisconnected"):
        return m.error_of(failure, m.DROPPED)
    if failure.matches("smtplib.SMTPRecipientsRefused"):
        refused = failure.look("recipients")
        names = [str(name)[:200] for name in refused] if isinstance(refused, Mapping) else []
        code = next(iter(refused.values()), (550,))[0] if isinstance(refused, Mapping) else 550
        return _reply_error(failure, str(code), _MAIL_REPLIES, ", ".join(names[:8]))
    return _reply_error(failure, str(failure.look("smtp_code")), _MAIL_REPLIES)


def _reply_error(
    failure: Failure, code: str, meanings: Mapping[int, m.Meaning], resource: str | None = None
) -> ToolError | None:
    meaning = meanings.get(int(code)) if code.isdigit() else None
    if meaning is None:
        return None
    if meaning is m.TOO_LARGE:
        meaning = m.QUOTA if _FULL.search(failure.told) else meaning
    if meaning is m.NOT_FOUND and failure.matches("smtplib.SMTPDataError"):  # the message is refused, not an address
        meaning = said(failure.told, (m.PERMISSION, m.QUOTA)) or m.FAILED
    if meaning is m.NOT_FOUND:
        meaning = said(failure.told, (m.PERMISSION, m.QUOTA, m.EXISTS)) or meaning
        return m.error_of(failure, meaning, http_status=None, resource=resource or failure.resource)
    return m.error_of(failure, meaning)


@rules("imaplib.IMAP4.error", "poplib.error_proto")
def mailbox(failure: Failure) -> ToolError | None:
    """A mail server returned a response code in brackets: RFC 5530, RFC 3206."""
    if failure.matches("imaplib.IMAP4.readonly"):
        return m.error_of(failure, m.CONFLICT, message="The mailbox has become read-only.")
    if failure.matches("imaplib.IMAP4.abort"):
        return m.error_of(failure, m.DROPPED)
    found = _MAIL_CODE.search(f"{failure.told}\n{failure.text}")
    meaning = None if found is None else _MAIL.get(found[1])
    return None if meaning is None else m.error_of(failure, meaning)
