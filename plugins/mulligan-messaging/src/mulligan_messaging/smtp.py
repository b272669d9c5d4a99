"""Mail servers, through smtplib and aiosmtplib: by the enhanced status code of a reply, else by its reply code.

RFC 5321 section 4.2 and RFC 7504 for reply codes, RFC 3463 and its registry at IANA for enhanced status codes
(`tests/published/smtp_enhanced.txt`). By RFC 5321, section 4.2.1, a 4yz or 5yz reply means that the action did not occur. So
a refusal has no effect, while a message may have been sent if the connection is lost during or after DATA.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from mulligan.plugin import (
    Codes,
    Effect,
    Failure,
    Problem,
    Rules,
    ToolError,
    ToolExecutionError,
    as_dict,
    is_a,
    said,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import pointer_to_address, problem_at
from mulligan_messaging.frames import functions_of
from mulligan_messaging.returned import refused_recipients, reply_of

rules = Rules("smtp")
last = Rules("smtp", last=True)
SERVICE = "the mail server"

LATER = m.UNAVAILABLE._replace(message="The service cannot accept this now", effect="none")
DEFERRED = m.UNAVAILABLE._replace(message="The service defers this, and may accept it later", effect="none")
RATE = m.RATE_LIMIT._replace(effect="none")
SENDING_LIMIT = m.LIMIT_REACHED._replace(message="A sending limit of the service is reached")
LOGIN = m.AUTHENTICATION._replace(message="The service rejected the login")
LOGIN_NEEDED = m.AUTHENTICATION._replace(message="The service requires a login or an encrypted connection")
ENCRYPTION = m.AUTHENTICATION._replace(message="The service requires an encrypted connection")
TRUST = m.PERMISSION._replace(message="The service requires a trust relationship that is not set up")
DENIED = m.PERMISSION._replace(message="The service refuses this by its policy", fatal=False)
UNVERIFIED = m.PERMISSION._replace(message="The service refuses the domain of the sender: a check failed", fatal=False)
NO_MAILBOX = m.NOT_FOUND._replace(message="The mailbox does not exist")
NO_DOMAIN = m.NOT_FOUND._replace(message="The domain of the address accepts no mail")
ADDRESS = m.ARGUMENT._replace(message="The service rejected the address")
SENDER = m.ARGUMENT._replace(message="The service rejected the address of the sender")
CONTENT = m.ARGUMENT._replace(message="The service rejected the content of the message")
TOO_LARGE = m.TOO_LARGE._replace(message="The message is too large for the service")
TOO_MANY = m.TOO_LARGE._replace(message="The message has too many recipients for the service")
DISABLED = m.CONFLICT._replace(message="The mailbox does not accept messages")
FULL = m.CONFLICT._replace(message="The mailbox of the recipient is full")
FULL_NOW = FULL._replace(transient=True)
NEW_OWNER = m.CONFLICT._replace(message="The mailbox or its domain has a new owner")
REJECTED = m.FAILED._replace(message="The service rejected the message", effect="none")
CLOSED = m.FAILED._replace(message="The service accepts no mail from here", effect="none")
MISUSED = m.FAILED._replace(message="The service rejected a command of the client", effect="none")
NOT_SMTP = m.CONNECTION._replace(message="The server does not speak SMTP")

enhanced_codes = Codes(
    {
        NO_MAILBOX: "5.1.1 5.1.6",
        NO_DOMAIN: "5.1.2 5.1.10 5.4.4",
        ADDRESS: "5.1.0 5.1.3 5.1.4 5.6.7",
        SENDER: "5.1.7 5.1.8 5.7.27",
        DISABLED: "5.2.0 5.2.1",
        FULL: "5.2.2",
        FULL_NOW: "4.2.2",
        NEW_OWNER: "5.7.17 5.7.18",
        TOO_LARGE: "5.2.3 5.3.4 5.7.16",
        TOO_MANY: "4.5.3 5.5.3",
        CONTENT: "5.6.0 5.6.1 5.6.2 5.6.3 5.6.4 5.6.5 5.6.9",
        DENIED: "5.7.0 5.7.1 5.7.2 5.7.15",
        UNVERIFIED: "5.7.20 5.7.21 5.7.22 5.7.23 5.7.24 5.7.25 5.7.26 5.7.29",
        RATE: "4.7.28 5.7.28",
        SENDING_LIMIT: "5.4.5",
        LOGIN: "4.7.12 5.5.6 5.7.8 5.7.9 5.7.12 5.7.13",
        ENCRYPTION: "5.7.10 5.7.11",
        TRUST: "5.7.14",
        LATER: "5.3.0 5.3.1 5.3.2 5.4.0 5.4.1 5.4.2 5.4.3",
        m.UNIMPLEMENTED: "5.3.3 5.5.5 5.6.8 5.6.10 5.7.3 5.7.4 5.7.6 5.7.30",
        MISUSED: "5.5.0 5.5.1 5.5.2 5.5.4",
        REJECTED: "5.2.4 5.3.5 5.4.6 5.4.7 5.6.6 5.7.5 5.7.7 5.7.19",
    },
    words=[  # by the subject of the code
        (DEFERRED, r"^4\.[27]\."),
        (LATER, r"^4\."),
        (ADDRESS, r"^5\.1\."),
        (DISABLED, r"^5\.2\."),
        (CONTENT, r"^5\.6\."),
        (DENIED, r"^5\.7\."),
    ],
    skipped={
        "it says no more than the reply code": "5.0.0",
        "it accompanies success": "5.1.5 5.1.9 5.3.6",
    },
)
reply_codes = Codes(
    {
        LATER: (421, 451, 452, 454, 455),
        DEFERRED: (450,),
        LOGIN: (432, 534, 535),
        LOGIN_NEEDED: (530,),
        ENCRYPTION: (523, 538),
        CLOSED: (521,),
        NO_DOMAIN: (551, 556),
        FULL: (552,),
        ADDRESS: (553,),
        REJECTED: (550, 554),
        MISUSED: (500, 501, 503),
        m.UNIMPLEMENTED: (502, 504, 555),
    }
)
_LOGIN_REFUSED = range(530, 560)  # 500 to 504 are about the command
_BY_COMMAND: Mapping[str, Codes] = {  # what a reply code means to one command
    "connect": Codes({CLOSED: (range(500, 600),)}),
    "login": Codes({LOGIN: (_LOGIN_REFUSED,)}),
    "sender": Codes({SENDER: (501, 553), TOO_LARGE: (552,), DENIED: (550, 551, 554)}),
    "recipient": Codes({NO_MAILBOX: (550, 551), ADDRESS: (501, 553), DENIED: (554,)}),
    "message": Codes({TOO_LARGE: (552,), DENIED: (550,)}),
}
_ENHANCED = re.compile(r"\s*([45]\.\d{1,3}\.\d{1,3})(?!\S)")
_RELAY = re.compile(r"\brelay(ing)?\b", re.IGNORECASE)
_TOO_MANY = re.compile(r"\btoo many recipients\b", re.IGNORECASE)
_VAGUE = (None, REJECTED, DENIED, SENDING_LIMIT, LATER, DEFERRED, NO_MAILBOX)  # the text may say more
_PERMANENT, _MOST_NAMED = range(500, 600), 8
_LOGIN_CODES = frozenset((432, 523, 530, 534, 535, 538))  # `530 5.7.0` and `530 5.5.1` also require a login
_NOT_OF_ADDRESS = frozenset((TOO_LARGE, TOO_MANY, RATE, SENDING_LIMIT, CONTENT, MISUSED, m.UNIMPLEMENTED))


class Refusal(NamedTuple):
    """A reply of 4yz or 5yz, and what it means.

    Attributes:
        told: the code that determined the meaning.
        meaning: what it means.
        address: the address that was refused, if there is one.
    """

    told: str
    meaning: m.Meaning
    address: str | None = None


def refusal(code: int, text: str, command: str = "", address: str | None = None) -> Refusal | None:
    """What a reply means; None if it has no meaning.

    Args:
        code: the reply code.
        text: the text of the reply, which may begin with an enhanced status code.
        command: the command that was refused: `connect`, `login`, `sender`, `recipient`, `message` or empty.
        address: the address that was refused.
    """
    found = _ENHANCED.match(text)
    enhanced = found[1] if found and found[1][0] == str(code)[:1] else ""
    meaning = enhanced_codes.meaning_of(enhanced) if enhanced else None
    if meaning is None or (code in _LOGIN_CODES and not _is_fatal(meaning)):
        by_command = _BY_COMMAND.get(command)
        meaning = (by_command.meaning_of(code) if by_command else None) or reply_codes.meaning_of(code)
        enhanced = str(code)
    if command == "login" and code in _LOGIN_REFUSED and not _is_fatal(meaning):
        meaning = LOGIN
    elif meaning in _VAGUE and (meaning is not NO_MAILBOX or enhanced == "550"):
        meaning = _by_text(code, text, command) or meaning
    return None if meaning is None else Refusal(enhanced, meaning, address)


def _is_fatal(meaning: m.Meaning | None) -> bool:
    return meaning is not None and meaning.cls.fatal and meaning.fatal is not False


def _by_text(code: int, text: str, command: str) -> m.Meaning | None:
    """The meaning of a vague reply's text: limits and denials, which have no code without RFC 3463."""
    if command == "recipient" and _TOO_MANY.search(text):
        return TOO_MANY
    if command == "recipient" and code in _PERMANENT and _RELAY.search(text):
        return DENIED
    meaning = said(text, (m.RATE_LIMIT, m.QUOTA, m.PERMISSION))
    if meaning is m.QUOTA:
        return (FULL if code in _PERMANENT else FULL_NOW) if command == "recipient" else SENDING_LIMIT
    if meaning is m.PERMISSION:
        return DENIED if code in _PERMANENT else None
    return RATE if meaning is m.RATE_LIMIT else None


@rules("smtplib.SMTPRecipientsRefused", "aiosmtplib.SMTPRecipientsRefused")
def recipients_refused(failure: Failure) -> ToolError | None:
    """Every recipient was refused, so the message was not sent."""
    refused = [
        one for address, (code, text) in _recipients(failure) if (one := refusal(code, text, "recipient", address))
    ]
    return _error(failure, refused) if refused else None


def _recipients(failure: Failure) -> list[tuple[str, tuple[int, str]]]:
    recipients = failure.look("recipients")
    if is_a(recipients, Mapping):
        pairs = list(as_dict(recipients).items())[:100]
    elif isinstance(recipients, list):
        seen = [Failure(one) for one in recipients[:100] if isinstance(one, BaseException)]
        pairs = [(one.look("recipient"), (one.look("code"), one.look("message"))) for one in seen]
    else:
        return []
    replies = [(address, reply_of(pair)) for address, pair in pairs if isinstance(address, str)]
    return [(address, reply) for address, reply in replies if reply is not None]


_UNREADABLE = ("Line too long.", "Response too long")


@rules("smtplib.SMTPResponseException", "aiosmtplib.SMTPResponseException")
def refused(failure: Failure) -> ToolError | None:
    """A command that the server refused: the login, the sender, a recipient, the message."""
    code, text = failure.look("smtp_code"), failure.look("smtp_error")
    if code is None:  # aiosmtplib
        code, text = failure.look("code"), failure.look("message")
    if isinstance(code, int) and (code == -1 or (code == 500 and text in _UNREADABLE)):  # not a refusal
        return m.error_of(failure, NOT_SMTP, service=SERVICE, effect=_effect(failure), http_status=None)
    reply = reply_of((code, text))
    if reply is None:
        return None
    address = failure.look("sender") or failure.look("recipient")
    one = refusal(*reply, _command(failure), address if isinstance(address, str) and address else None)
    return None if one is None else _error(failure, [one])


_COMMANDS: Mapping[str, str] = {
    "SMTPAuthenticationError": "login",
    "SMTPConnectError": "connect",
    "SMTPConnectResponseError": "connect",
    "SMTPHeloError": "connect",
    "SMTPSenderRefused": "sender",
    "SMTPRecipientRefused": "recipient",
    "SMTPDataError": "message",
}


def _command(failure: Failure) -> str:
    known = (command for name, command in _COMMANDS.items() if failure.matches(f"smtplib.{name}", f"aiosmtplib.{name}"))
    return next(known, "")


@rules.returned
def partly_refused(failure: Failure) -> ToolError | None:
    """Recipients that were refused while the message was sent to the others, as `sendmail` returns them."""
    replies = refused_recipients(failure.value)
    refused = [one for address, reply in replies.items() if (one := refusal(*reply, "recipient", address))]
    if not refused:
        return None
    error = _error(failure, refused)
    addresses = ", ".join([one.address for one in refused if one.address][:_MOST_NAMED])
    error.message = (
        f"The message was sent to the other recipients; do not send it to them again. Not sent to: {addresses}"
    )
    error.resource, error.effect, error.transient = addresses, "done", False
    return error


def _error(failure: Failure, refused: list[Refusal]) -> ToolError:
    """The error for one or more refusals. If replies differ, the first permanent one determines the class."""
    chosen = min(refused, key=lambda one: bool(one.meaning.transient or one.meaning.cls.transient))
    alike = [one.address for one in refused if _blames_address(one) and one.meaning.cls is chosen.meaning.cls]
    resource = ", ".join(filter(None, alike[:_MOST_NAMED])) or None
    message = None
    if len({one.meaning for one in refused}) > 1:
        named = f": {resource}" if resource else ""
        message = (
            f"{m.sentence(chosen.meaning, SERVICE, chosen.told)[:-1]}{named}. The other recipients were refused, too."
        )
    return m.error_of(
        *(failure, chosen.meaning),
        message=message,
        service=SERVICE,
        told=chosen.told,
        effect="none",
        http_status=None,
        problems=[problem for one in refused[:20] if (problem := _problem(failure, one)) is not None],
        resource=resource,
    )


def _blames_address(one: Refusal) -> bool:
    return one.address is not None and one.meaning not in _NOT_OF_ADDRESS and not _is_fatal(one.meaning)


def _problem(failure: Failure, one: Refusal) -> Problem | None:
    pointer = pointer_to_address(one.address, failure.arguments) if one.address and _blames_address(one) else None
    message = m.sentence(one.meaning, SERVICE, one.told)[:-1]
    return None if pointer is None else problem_at(pointer, failure.arguments, message)


@rules("smtplib.SMTPException", "aiosmtplib.SMTPException")
def not_offered(failure: Failure) -> ToolError | None:
    """A feature that the server does not support: login, STARTTLS, non-ASCII addresses."""
    is_class = failure.matches("smtplib.SMTPNotSupportedError", "aiosmtplib.SMTPNotSupported")
    if not is_class and not failure.says(*_NOT_OFFERED):
        return None
    return m.error_of(failure, m.UNIMPLEMENTED, service=SERVICE, http_status=None)


_NOT_OFFERED = (
    "No suitable authentication method found",
    "extension is not supported by this server",
    "extension not supported by server",
)


@rules("aiosmtplib.SMTPConnectError", "aiosmtplib.SMTPTimeoutError", "aiosmtplib.SMTPServerDisconnected")
def async_connection(failure: Failure) -> ToolError | None:
    """No connection, or a connection dropped midway."""
    if failure.matches("aiosmtplib.SMTPConnectTimeoutError"):
        return m.error_of(failure, m.NOT_SENT, service=SERVICE)
    if failure.matches("aiosmtplib.SMTPConnectError"):
        return transport_error(failure, service=SERVICE, effect="none")
    meaning = m.TIMEOUT if failure.matches("aiosmtplib.SMTPTimeoutError") else m.DROPPED
    return m.error_of(failure, meaning, service=SERVICE, effect=_effect(failure))


@rules("smtplib.SMTPServerDisconnected")
def connection(failure: Failure) -> ToolError:
    """The connection ended, or the server did not answer in time."""
    if failure.says("please run connect() first"):
        message = "The connection to the mail server is closed."
        return m.error_of(failure, m.DROPPED, message=message, effect="none")
    meaning = m.TIMEOUT if failure.says("timed out") else m.DROPPED
    return m.error_of(failure, meaning, service=SERVICE, effect=_effect(failure))


_BEFORE_THE_MESSAGE = frozenset(
    ("connect", "_create_connection", "ehlo", "helo", "ehlo_or_helo_if_needed", "_ehlo_or_helo_if_needed", "starttls")
) | frozenset(("login", "auth", "mail", "rcpt", "_maybe_login_on_connect", "_maybe_start_tls_on_connect"))


def _effect(failure: Failure) -> Effect:
    """`none` if the connection was lost in a command before DATA; otherwise the message may have been sent."""
    if _command(failure) in ("connect", "login"):
        return "none"
    functions = {*functions_of(failure, "smtplib"), *functions_of(failure, "aiosmtplib")}
    return "possible" if _BEFORE_THE_MESSAGE.isdisjoint(functions) else "none"


@last("smtplib.SMTPException", "aiosmtplib.SMTPException")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The mail client failed.")
