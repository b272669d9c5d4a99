"""Mailboxes, through poplib: by the response codes of RFC 2449, 3206 and 6856, else by the refused command."""

from __future__ import annotations

import re

from mulligan.plugin import Codes, Failure, Rules, ToolError, ToolExecutionError, said
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import problem_with, value_of
from mulligan_messaging.frames import functions_of

rules = Rules("pop")
last = Rules("pop", last=True)
SERVICE = "the POP3 server"

LOGIN = m.AUTHENTICATION._replace(message="The service rejected the login")
BUSY = m.BUSY._replace(message="The mailbox is in use by another connection")
WAIT = m.RATE_LIMIT._replace(message="The service allows the next login later")
BROKEN = m.FAILED._replace(message="The mailbox cannot be used until its administrator repairs it")

codes = Codes(
    {
        LOGIN: "AUTH",
        BUSY: "IN-USE",
        WAIT: "LOGIN-DELAY",
        m.UNAVAILABLE: "SYS/TEMP",
        BROKEN: "SYS/PERM",
        m.UNIMPLEMENTED: "UTF8",
    }
)
_CODE = re.compile(r"-ERR \[([A-Z0-9/-]{2,24})\]")
_ENDED = re.compile(r"-ERR EOF\b")
_LOGIN = frozenset(("user", "pass_", "apop", "rpop"))
_MESSAGE = frozenset(("retr", "top", "dele"))


@rules("poplib.error_proto")
def refused(failure: Failure) -> ToolError | None:
    """A response code; otherwise a refused login or the number of a message that does not exist."""
    found = _CODE.search(failure.text[:1_000])
    error = codes.error(failure, found[1], service=SERVICE) if found else None
    if error is not None:
        return error
    if _ENDED.search(failure.text[:100]):
        return m.error_of(failure, m.DROPPED, service=SERVICE)
    functions = {*functions_of(failure, "poplib")}
    if not functions.isdisjoint(_LOGIN):
        return m.error_of(failure, said(failure.text, (m.RATE_LIMIT, m.UNAVAILABLE, m.BUSY)) or LOGIN, service=SERVICE)
    if functions.isdisjoint(_MESSAGE):
        return None
    number = value_of("number", failure.arguments)
    problems = problem_with("number", failure.arguments, "the mailbox has no such message")
    return m.error_of(failure, m.NOT_FOUND, service=SERVICE, resource=number, problems=problems)


@last("poplib.error_proto")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The POP3 command failed.")
