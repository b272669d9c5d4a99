"""Mailboxes, through imaplib: by the response code of RFC 5530, otherwise by the command that was refused.

`tests/published/imap.txt` lists the codes. imaplib raises the refusal of a login and every BAD; it returns any other NO, which
`returned.py` finds.
"""

from __future__ import annotations

import re

from mulligan.plugin import Codes, Failure, ResourceNotFoundError, Rules, ToolError, ToolExecutionError, said
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import problem_with, value_of
from mulligan_messaging.frames import functions_of
from mulligan_messaging.returned import imap_refusal

rules = Rules("imap")
last = Rules("imap", last=True)
SERVICE = "the IMAP server"

LOGIN = m.AUTHENTICATION._replace(message="The service rejected the login")
ENCRYPTION = m.AUTHENTICATION._replace(message="The service requires an encrypted connection")
ADMINISTRATOR = m.PERMISSION._replace(message="The service refuses the account: its administrator must be asked")
DENIED = m.PERMISSION._replace(message="The service does not allow this for the mailbox", fatal=False)
READ_ONLY = m.PERMISSION._replace(message="The mailbox can only be read", fatal=False)
NO_MAILBOX = m.NOT_FOUND._replace(message="The service has no such mailbox")
GONE = m.ABORTED._replace(message="Messages were deleted meanwhile, so their numbers have changed")
CHANGED = m.ABORTED._replace(message="The messages were changed meanwhile")
DAMAGED = m.FAILED._replace(message="The mailbox is damaged")
NO_CHILDREN = m.CONFLICT._replace(message="The mailbox contains other mailboxes")
STATE = m.CONFLICT._replace(message="The connection has no mailbox selected, or no login", effect="none")
SAVED = m.CONFLICT._replace(message="The service has no saved search result")
LIMIT = m.LIMIT_REACHED
QUOTA = m.QUOTA._replace(message="The quota of the mailbox is exhausted")

codes = Codes(
    {
        LOGIN: "AUTHENTICATIONFAILED EXPIRED",
        ENCRYPTION: "PRIVACYREQUIRED",
        m.PERMISSION: "AUTHORIZATIONFAILED",
        ADMINISTRATOR: "CONTACTADMIN",
        DENIED: "NOPERM NOPRIVATE",
        READ_ONLY: "READ-ONLY",
        NO_MAILBOX: "NONEXISTENT TRYCREATE",
        m.EXISTS: "ALREADYEXISTS",
        m.BUSY: "INUSE",
        GONE: "EXPUNGEISSUED",
        CHANGED: "MODIFIED",
        NO_CHILDREN: "HASCHILDREN",
        SAVED: "NOTSAVED",
        DAMAGED: "CORRUPTION",
        QUOTA: "OVERQUOTA",
        LIMIT: "LIMIT TOOMANY MAXCONVERTMESSAGES MAXCONVERTPARTS",
        m.TOO_LARGE: "TOOBIG MAXSIZE",
        m.ARGUMENT: """
            BADCHARSET BADCOMPARATOR BADEVENT BADURL CANNOT CLIENTBUG UNDEFINED-FILTER UNKNOWN-CTE USEATTR
        """,
        m.UNIMPLEMENTED: "COMPRESSIONACTIVE NOMODSEQ NOUPDATE",
        m.UNAVAILABLE: "TEMPFAIL UNAVAILABLE",
        m.FAILED: "SERVERBUG",
    },
    skipped={"it is a text for the user, with any failure": "ALERT", "it is about a message's own form": "PARSE"},
)
_CODE = re.compile(r"\[(?:METADATA )?([A-Z][A-Z0-9-]{1,30})[ \]]")
_BAD = re.compile(r"\bcommand error: BAD\b|^BAD\b")
_BRACKETS = re.compile(r"\[[^\]]{1,100}\] ?")
_STATE = re.compile(r"\bcommand \w+ illegal in state\b")


@rules("imaplib.IMAP4.readonly")
def read_only(failure: Failure) -> ToolError:
    """A read-only mailbox, which imaplib reports as a lost connection."""
    return m.error_of(failure, READ_ONLY, resource=value_of("mailbox", failure.arguments))


@rules("imaplib.IMAP4.abort")
def connection(failure: Failure) -> ToolError:
    """The connection ended. A server's BYE may state the reason."""
    if failure.says("TLS not supported by server"):
        return m.error_of(failure, m.UNIMPLEMENTED, service=SERVICE)
    return _by_code(failure, failure.text) or m.error_of(failure, m.DROPPED, service=SERVICE)


@rules("imaplib.IMAP4.error")
def raised(failure: Failure) -> ToolError | None:
    """A response code; otherwise a refused login, or a command that is malformed or sent at the wrong time."""
    error = _by_code(failure, failure.text)
    if error is not None:
        return error
    if _STATE.search(failure.text):
        return m.error_of(failure, STATE)
    if _BAD.search(failure.text):
        return m.error_of(failure, m.ARGUMENT, service=SERVICE)
    functions = functions_of(failure, "imaplib")
    if functions[-1:] not in (["login"], ["authenticate"]):
        return None
    words = _BRACKETS.sub("", failure.told)
    return m.error_of(failure, said(words, (m.RATE_LIMIT, m.UNAVAILABLE)) or LOGIN, service=SERVICE)


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """A NO or BAD that imaplib returned."""
    answer = imap_refusal(failure.value)
    if answer is None:
        return None
    error = _by_code(failure, answer)
    if error is not None:
        return error
    if _BAD.search(answer):
        return m.error_of(failure, m.ARGUMENT, service=SERVICE)
    meaning = said(
        _BRACKETS.sub("", answer.removeprefix("NO ")), (m.NOT_FOUND, m.EXISTS, m.RATE_LIMIT, m.UNAVAILABLE, m.CONFLICT)
    )
    if meaning is m.NOT_FOUND:
        return _missing(failure, NO_MAILBOX)
    if meaning is not None:
        return m.error_of(failure, meaning, service=SERVICE)
    return ToolExecutionError("The IMAP server refused the command.")


def _by_code(failure: Failure, text: str) -> ToolError | None:
    for code in _CODE.findall(text[:1_000]):
        meaning = codes.meaning_of(code)
        if meaning is not None:
            return _missing(failure, meaning) if meaning is NO_MAILBOX else _error(failure, meaning, code)
    return None


def _error(failure: Failure, meaning: m.Meaning, code: str) -> ToolError:
    is_about_mailbox = meaning in (DENIED, READ_ONLY) or meaning.cls is m.CONFLICT.cls
    resource = value_of("mailbox", failure.arguments) if is_about_mailbox else None
    return m.error_of(failure, meaning, service=SERVICE, told=code, resource=resource)


def _missing(failure: Failure, meaning: m.Meaning) -> ToolError:
    mailbox = value_of("mailbox", failure.arguments) or failure.resource
    problems = problem_with("mailbox", failure.arguments, "the server has no such mailbox")
    error = m.error_of(failure, meaning, service=SERVICE, resource=mailbox, problems=problems)
    assert isinstance(error, ResourceNotFoundError)
    return error


@last("imaplib.IMAP4.error")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The IMAP command failed.")
