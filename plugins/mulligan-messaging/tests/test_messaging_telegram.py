"""Telegram, through python-telegram-bot, against a server on this machine."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable

import httpx
import pytest
import telegram
from conftest import Classify
from messaging_servers import raised
from mulligan_testkit.loopback import Serve
from telegram.request import HTTPXRequest

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)


def send(url: str) -> Callable[[], object]:
    async def call() -> object:
        request = HTTPXRequest(read_timeout=0.5, httpx_kwargs={"trust_env": False})
        bot = telegram.Bot("1:x", base_url=f"{url}/bot", request=request)
        async with request:
            return await bot.send_message(chat_id=-100, text="Hello.")

    return lambda: asyncio.run(call())


def body(status: int, description: str, **parameters: int) -> dict[str, object]:
    told: dict[str, object] = {"ok": False, "error_code": status, "description": description}
    return {**told, "parameters": parameters} if parameters else told


DESCRIPTIONS = {
    "Bad Request: chat not found": (ResourceNotFoundError, "-100", "/chat_id"),
    "Bad Request: PEER_ID_INVALID": (ResourceNotFoundError, "-100", "/chat_id"),
    "Bad Request: user not found": (ResourceNotFoundError, "-100", "/chat_id"),
    "Bad Request: message to be replied not found": (ResourceNotFoundError, None, None),
    "Bad Request: message thread not found": (ResourceNotFoundError, None, None),
    "Bad Request: MESSAGE_ID_INVALID": (ResourceNotFoundError, None, None),
    "Bad Request: message is not modified: specified new message content is the same": (
        ResourceConflictError,
        None,
        None,
    ),
    "Bad Request: message can't be deleted for everyone": (ResourceConflictError, None, None),
    "Bad Request: not enough rights to send text messages to the chat": (ToolPermissionError, "-100", None),
    "Bad Request: CHAT_ADMIN_REQUIRED": (ToolPermissionError, "-100", None),
    "Bad Request: message text is empty": (ToolArgumentError, None, "/text"),
    "Bad Request: message is too long": (ToolArgumentError, None, None),
    "Bad Request: can't parse entities: unsupported start tag": (ToolArgumentError, None, "/text"),
    "Bad Request: strange": (ToolArgumentError, None, None),
}


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_a_refused_request(classify: Classify, serve: Serve, description: str) -> None:
    cls, resource, pointer = DESCRIPTIONS[description]
    error = classify(raised(send(serve(400, body(400, description)))), chat_id=-100, text="Hello.")

    assert (type(error), error.fatal, error.effect, error.provider) == (cls, False, "none", "telegram")
    assert getattr(error, "resource", None) == resource
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])


@pytest.mark.parametrize(
    ("status", "description", "cls", "fatal"),
    [
        (401, "Unauthorized", ToolAuthenticationError, True),
        (404, "Not Found", ToolAuthenticationError, True),
        (403, "Forbidden: bot was blocked by the user", ToolPermissionError, False),
        (409, "Conflict: terminated by other getUpdates request", ResourceConflictError, False),
        (500, "Internal Server Error", ToolUnavailableError, False),
    ],
)
def test_the_class_decides(
    classify: Classify, serve: Serve, status: int, description: str, cls: type[ToolError], fatal: bool
) -> None:
    error = classify(raised(send(serve(status, body(status, description)))), chat_id=-100)

    assert (type(error), error.fatal) == (cls, fatal)
    assert error.effect == ("possible" if status == 500 else "none")
    assert status != 409 or error.message == "Another process receives the updates of this bot."


def test_a_page_of_a_gateway(classify: Classify, serve: Serve) -> None:
    error = classify(raised(send(serve(502, "<html>bad gateway</html>"))))

    assert (type(error), error.effect) == (ToolUnavailableError, "possible")


def test_telegram_says_how_long_to_wait(classify: Classify, serve: Serve) -> None:
    exception = raised(send(serve(429, body(429, "Too Many Requests: retry after 7", retry_after=7))))
    error = classify(exception)

    assert (type(error), error.retry_after) == (ToolRateLimitError, 7.0)
    later = classify(telegram.error.RetryAfter(datetime.timedelta(seconds=90)))
    assert (type(later), later.retry_after, later.provider) == (ToolRateLimitError, 90.0, "telegram")


def test_a_group_with_a_new_id(classify: Classify, serve: Serve) -> None:
    told = body(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-1001)
    error = classify(raised(send(serve(400, told))), chat_id=-100)

    assert (type(error), error.message) == (ToolArgumentError, "The group has a new ID: -1001.")
    assert [(problem.pointer, problem.expected) for problem in error.problems] == [("/chat_id", "-1001")]


def test_no_connection_to_telegram(classify: Classify, dead: str) -> None:
    error = classify(raised(send(dead)))

    assert (type(error), error.effect, error.provider) == (ToolConnectionError, "none", "telegram")


@pytest.mark.parametrize(("how", "cls"), [({"drop": True}, ToolConnectionError), ({"delay": 5}, ToolTimeoutError)])
def test_telegram_that_does_not_answer(
    classify: Classify, serve: Serve, how: dict[str, object], cls: type[ToolError]
) -> None:
    error = classify(raised(send(serve(**how))))

    assert (type(error), error.effect, error.provider) == (cls, "possible", "telegram")


def test_a_request_that_no_connection_was_left_for(classify: Classify) -> None:
    def call() -> object:
        try:
            raise httpx.PoolTimeout("full")
        except httpx.PoolTimeout as error:
            raise telegram.error.TimedOut("Pool timeout") from error

    error = classify(raised(call))

    assert (type(error), error.effect) == (ToolTimeoutError, "none")
    assert error.message == "The request was not sent to Telegram: every connection is in use."


@pytest.mark.parametrize(
    ("exception", "cls", "message"),
    [
        (telegram.error.EndPointNotFound("x"), ToolExecutionError, "Telegram does not support this."),
        (telegram.error.PassportDecryptionError("x"), ToolExecutionError, "The Telegram call failed."),
    ],
)
def test_what_the_client_raises_itself(
    classify: Classify, exception: Exception, cls: type[ToolError], message: str
) -> None:
    error = classify(exception)

    assert (type(error), error.message) == (cls, message)
