"""Discord, through discord.py."""

import asyncio
import pathlib

import discord
import discord.http
import pypresence
import pytest
from conftest import Classify
from discord.ext import commands
from saas_server import Serve, raised

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolUnavailableError,
)

ME = {"/users/@me": {"id": "1", "username": "bot", "discriminator": "0", "avatar": None}}


def get_channel(url: str, *, longest_wait: float | None = 30.0) -> object:
    async def ask() -> None:
        http = discord.http.HTTPClient(asyncio.get_running_loop(), max_ratelimit_timeout=longest_wait)
        try:
            await http.static_login("token")
            await http.get_channel(404)
        finally:
            await http.close()

    def call() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(discord.http.Route, "BASE", url)
            asyncio.run(ask())

    return call


@pytest.mark.parametrize(
    ("status", "code", "cls", "fatal"),
    [
        (401, 50014, ToolAuthenticationError, True),
        (403, 50001, ToolPermissionError, True),
        (403, 50013, ToolPermissionError, True),
        (404, 10003, ResourceNotFoundError, False),
        (404, 10008, ResourceNotFoundError, False),
        (400, 30010, ResourceConflictError, False),
        (400, 50006, ToolArgumentError, False),
        (400, 50035, ToolArgumentError, False),
        (400, 50083, ResourceConflictError, False),
        (400, 40060, ResourceConflictError, False),
        (503, 130000, ToolUnavailableError, False),
        (403, 0, ToolPermissionError, True),
        (404, 0, ResourceNotFoundError, False),
        (405, 0, ToolArgumentError, False),
        (400, 50020, ToolArgumentError, False),
        (400, 170001, ToolArgumentError, False),
        (400, 30040, ToolRateLimitError, False),
        (400, 30042, ToolRateLimitError, False),
        (400, 30046, ToolRateLimitError, False),
        (400, 40003, ToolRateLimitError, False),
        (403, 50007, ToolPermissionError, False),
        (403, 20015, ToolPermissionError, True),
    ],
)
def test_discords_own_code_counts_before_the_status(
    classify: Classify, serve: Serve, status: int, code: int, cls: type, fatal: bool
) -> None:
    url = serve(status, {"message": "No.", "code": code}, bodies=ME)
    error = classify(raised(get_channel(url)))

    assert (type(error), error.fatal, error.http_status, error.provider) == (cls, fatal, status, "discord")
    assert error.rule == "mulligan_saas:answered"


def test_the_fields_of_an_invalid_form_are_problems(classify: Classify, serve: Serve) -> None:
    errors = {
        "content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]},
        "embeds": {"0": {"title": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "Required"}]}}},
    }
    url = serve(400, {"message": "Invalid Form Body", "code": 50035, "errors": errors}, bodies=ME)
    error = classify(raised(get_channel(url)))

    assert [problem.pointer for problem in error.problems] == ["/content", "/embeds/0/title"]


def test_what_was_not_found_is_what_the_call_named(classify: Classify, serve: Serve) -> None:
    exception = raised(get_channel(serve(404, {"message": "Unknown Channel", "code": 10003}, bodies=ME)))
    error = classify(exception, channel_id=404)

    assert (error.resource, error.message) == ("404", "Resource not found: 404")


def test_a_wait_that_is_too_long(classify: Classify, serve: Serve) -> None:
    url = serve(429, {"message": "You are being rate limited.", "retry_after": 64.5}, {"Via": "1.1 x"}, bodies=ME)
    error = classify(raised(get_channel(url)))

    assert (type(error), error.retry_after, error.provider) == (ToolRateLimitError, 64.5, "discord")


def test_a_wrong_token(classify: Classify, serve: Serve) -> None:
    url = serve(401, {"message": "401: Unauthorized", "code": 0})
    error = classify(raised(get_channel(url)))

    assert (type(error), error.fatal, error.provider) == (ToolAuthenticationError, True, "discord")


def test_a_resource_is_the_argument_that_discord_names(classify: Classify, serve: Serve) -> None:
    exception = raised(get_channel(serve(404, {"message": "Unknown Message", "code": 10008}, bodies=ME)))

    assert classify(exception, message_id=7, channel_id=404).resource == "7"
    assert classify(exception, text="x", channel_id=404).resource == "404"


@pytest.mark.parametrize(
    ("code", "cls", "fatal"),
    [(4009, ToolAuthenticationError, True), (5010, ToolRateLimitError, False), (4005, ToolArgumentError, False)],
)
def test_the_desktop_app_by_its_code(classify: Classify, code: int, cls: type, fatal: bool) -> None:
    error = classify(pypresence.DiscordError(code, "no"))

    assert (type(error), error.fatal, error.provider) == (cls, fatal, "discord")


class Closed:
    """What a web socket tells once it is closed."""

    def __init__(self, code: int) -> None:
        self.close_code = code


@pytest.mark.parametrize(
    ("code", "cls", "fatal"),
    [
        (4004, ToolAuthenticationError, True),
        (4014, ToolPermissionError, True),
        (4008, ToolRateLimitError, False),
        (4012, ToolExecutionError, False),
        (1006, ToolConnectionError, False),
    ],
)
def test_a_gateway_that_closes_says_why(classify: Classify, code: int, cls: type, fatal: bool) -> None:
    error = classify(discord.ConnectionClosed(Closed(code), shard_id=0))

    assert (type(error), error.fatal, error.provider) == (cls, fatal, "discord")


def test_a_voice_server_has_codes_of_its_own(classify: Classify) -> None:
    gone, full = (classify(discord.ConnectionClosed(Closed(code), shard_id=None)) for code in (4014, 4021))

    assert (type(gone), gone.transient, type(full)) == (ToolConnectionError, True, ToolRateLimitError)


@pytest.mark.parametrize(
    ("exception", "cls", "fatal"),
    [
        (discord.PrivilegedIntentsRequired(0), ToolPermissionError, True),
        (discord.GatewayNotFound(), ToolUnavailableError, False),
        (discord.InteractionResponded(None), ResourceConflictError, False),
        (discord.MissingApplicationID(), ToolExecutionError, False),
        (discord.InvalidData("no"), ToolExecutionError, False),
        (commands.ChannelNotFound("general"), ResourceNotFoundError, False),
        (commands.BadArgument("no"), ToolArgumentError, False),
        (commands.MissingPermissions(["kick_members"]), ToolPermissionError, True),
        (commands.CommandNotFound("no"), ResourceNotFoundError, False),
        (commands.CommandRegistrationError("no"), ToolExecutionError, False),
    ],
)
def test_what_the_client_itself_raises(classify: Classify, exception: Exception, cls: type, fatal: bool) -> None:
    error = classify(exception)

    assert (type(error), error.fatal, error.provider) == (cls, fatal, "discord")


@pytest.mark.parametrize("name", ["ann", "ann's room", 'The "first" room', "Mods: all"])
def test_what_a_command_was_given_and_is_not_there(classify: Classify, name: str) -> None:
    assert classify(commands.ChannelNotFound(name)).resource == name


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        (commands.CommandNotFound("no"), "The bot has no such command."),
        (commands.MissingPermissions(["kick_members"]), "This account cannot use the command, or not here."),
    ],
)
def test_what_a_command_lacks_is_said(classify: Classify, exception: Exception, message: str) -> None:
    assert classify(exception).message == message


def test_a_command_that_was_used_too_often(classify: Classify) -> None:
    cooldown = commands.Cooldown(1, 60)
    error = classify(commands.CommandOnCooldown(cooldown, 12.5, commands.BucketType.user))

    assert (type(error), error.retry_after) == (ToolRateLimitError, 12.5)


def test_what_a_command_raised_is_known_by_its_cause(classify: Classify) -> None:
    def run() -> None:
        try:
            pathlib.Path("/no/such/file").read_text()
        except OSError as error:
            raise commands.CommandInvokeError(error) from error

    error = classify(raised(run))

    assert (type(error), error.resource) == (ResourceNotFoundError, "/no/such/file")


def test_a_limit_by_discords_own_code_tells_how_long(classify: Classify, serve: Serve) -> None:
    url = serve(400, {"message": "Slow mode.", "code": 20016}, {"Retry-After": "9"}, bodies=ME)
    error = classify(raised(get_channel(url)))

    assert (type(error), error.retry_after) == (ToolRateLimitError, 9.0)
