"""Telegram, through python-telegram-bot: by class, and for a rejected request by Telegram's description.

https://core.telegram.org/bots/api#making-requests: Telegram has no codes of its own, and its descriptions may change.
"""

from __future__ import annotations

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import name_of, problem_with, value_of

rules = Rules("telegram")
last = Rules("telegram", last=True)
SERVICE = "Telegram"

DENIED = m.PERMISSION._replace(message="The service does not allow this to the bot in this chat", fatal=False)
NO_CHAT = m.NOT_FOUND._replace(message="The service knows no such chat, or the bot is not in it")
NO_MESSAGE = m.NOT_FOUND._replace(message="The service found no such message")
SAME = m.CONFLICT._replace(message="The message has this content already", code="ALREADY_EXISTS")
OTHER_BOT = m.CONFLICT._replace(message="Another process receives the updates of this bot")
LATE = m.CONFLICT._replace(message="The message is too old for this")
REFUSED = m.ARGUMENT
BUSY_POOL = m.NOT_SENT._replace(message="The request was not sent to the service: every connection is in use")
GATEWAY = m.UNAVAILABLE

descriptions = Codes(
    {},
    words=[
        (NO_CHAT, r"(?i)\b(chat|user|peer|participant)( id)? not found\b|\b(chat|user|peer)_id_invalid\b"),
        (NO_MESSAGE, r"(?i)\bmessage (to (be )?\w+ |thread |id )?not found\b|\bmessage_id_invalid\b"),
        (m.NOT_FOUND, r"(?i)\bnot found\b"),
        (SAME, r"(?i)\bmessage is not modified\b"),
        (LATE, r"(?i)\bmessage can't be (edited|deleted)\b|\bquery is too old\b"),
        (DENIED, r"(?i)\b(not enough|have no) rights\b|\bchat_(admin_required|write_forbidden)\b"),
        (m.TOO_LARGE, r"(?i)\btoo (long|big|large)\b"),
    ],
)
_FIELDS = (
    ("text", "body"),
    ("caption", "caption"),
    ("entities", "body"),
    ("file", "attachment"),
    ("photo", "attachment"),
)


@rules("telegram.Forbidden")
def forbidden(failure: Failure) -> ToolError:
    """The bot was blocked or removed, or may not do this in this chat; other chats may allow it."""
    return m.error_of(failure, DENIED, service=SERVICE, resource=value_of("chat", failure.arguments))


@rules("telegram.ChatMigrated")
def migrated(failure: Failure) -> ToolError:
    """A group that has a new id."""
    new = failure.look("new_chat_id")
    name = name_of("chat", failure.arguments)
    message = f"The group has a new ID: {new}." if type(new) is int else "The group has a new ID."
    problems = (
        [Problem(f"/{name}", "is the old ID of the group", expected=str(new))] if name and type(new) is int else []
    )
    return ToolArgumentError(message, problems=problems, effect="none")


@rules("telegram.Conflict")
def conflict(failure: Failure) -> ToolError:
    """Another process receives the updates of the same bot."""
    return m.error_of(failure, OTHER_BOT, service=SERVICE)


@rules("telegram.EndPointNotFound")
def no_endpoint(failure: Failure) -> ToolError:
    """A method that Telegram does not have."""
    return m.error_of(failure, m.UNIMPLEMENTED, service=SERVICE)


@rules("telegram.BadRequest")
def rejected(failure: Failure) -> ToolError:
    """A request that Telegram rejected: by its description."""
    meaning = descriptions.meaning_of(failure.text[:200]) or REFUSED
    if meaning in (NO_CHAT, DENIED):
        chat = value_of("chat", failure.arguments)
        problems = problem_with("chat", failure.arguments, "is not known to the bot") if meaning is NO_CHAT else []
        return m.error_of(failure, meaning, service=SERVICE, resource=chat, problems=problems)
    if meaning.cls is not ToolArgumentError:
        return m.error_of(failure, meaning, service=SERVICE, resource=None)
    role = next((role for word, role in _FIELDS if failure.says(word)), None)
    problems = problem_with(role, failure.arguments) if role else []
    return m.error_of(failure, meaning, service=SERVICE, problems=problems or failure.problems)


@rules("telegram.TimedOut")
def timeout(failure: Failure) -> ToolError:
    """No connection or no response in time. If the connection pool was exhausted, nothing was sent."""
    if failure.met("httpx.PoolTimeout", "httpx2.PoolTimeout"):
        return m.error_of(failure, BUSY_POOL, service=SERVICE)
    return transport_error(failure, service=SERVICE) or m.error_of(failure, m.TIMEOUT, service=SERVICE)


@rules("telegram.NetworkError")
def network(failure: Failure) -> ToolError | None:
    """No connection, a connection dropped midway, or a gateway's response."""
    error = transport_error(failure, service=SERVICE)
    if error is None and failure.says("Bad Gateway", "Internal Server Error", "Service Unavailable", "Gateway Timeout"):
        return m.error_of(failure, GATEWAY, service=SERVICE)
    return error


@last("telegram.TelegramError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Telegram call failed.")
