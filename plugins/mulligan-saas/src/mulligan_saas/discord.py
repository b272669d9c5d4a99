"""Discord, through discord.py: by its own code, otherwise by the status.

https://docs.discord.com/developers/topics/opcodes-and-status-codes and the package discord-api-types 0.38.57, whose list
is `tests/published/discord.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolUnavailableError,
    argument_named_in,
    status_error,
)
from mulligan.plugin import meanings as m

rules = Rules("discord")
last = Rules("discord", last=True)
SERVICE = "Discord"

TOKEN = m.AUTHENTICATION._replace(message="The service rejected the token")
DENIED = m.PERMISSION._replace(message="The service does not allow this to the account here", fatal=False)
PLAN = m.PERMISSION._replace(message="The service requires a higher plan for this")
EXISTS = m.EXISTS._replace(message="The service reports that this is already so")
MISUSED = m.FAILED._replace(message="The client of the service is used incorrectly")
CLOSED = m.DROPPED._replace(message="The service closed the connection")
INTENTS = m.PERMISSION._replace(message="The service has not granted the requested intents")

codes = Codes(
    {
        m.NOT_FOUND: (range(10_000, 20_000), 50146, 80004),
        TOKEN: (40001, 40012, 50014, 50025, 50027, 60003, 530001, 530002, 530003, 530004, 530007),
        m.PERMISSION: (20001, 20002, 20012, 20018, 40002, 40333, 50001, 50013, 50026, 50178, 530000),
        PLAN: (20015, 20035, 50070, 50097, 50101),
        DENIED: (
            20009, 20017, 20024, 40007, 50005, 50007, 50009, 50095, 50167, 50173, 50278, 50600, 90001, 90002, 160002,
            160009, 160010, 160014, 200000, 200001, 240000, 340015, 400001, 520000,
        ),
        m.RATE_LIMIT: (
            20016, 20022, 20028, 20029, 30034, 30037, 30040, 30042, 30046, 40003, 40062,
        ),
        m.LIMIT_REACHED: (range(30_000, 31_000), 40094, 50011, 160006, 160007),
        EXISTS: (30031, 40033, 40041, 40060, 40061, 40074, 150006, 160004),
        m.CONFLICT: (
            40009, 40018, 40019, 40032, 40066, 50004, 50010, 50036, 50054, 50073, 50074, 50080, 50083, 50086, 50131, 50132,
            50144, 50145, 50162, 50163, 160005, 180000, 350000, 350001, 520001, 520003, 520006,
        ),
        m.TOO_LARGE: (40005, 50015, 50045, 50124, 50138, 170003, 170004, 170005, 170007),
        m.ARGUMENT: (
            20031, 30052, 40058, 40067, 50002, 50003, 50006, 50008, 50012, 50016, 50017, 50019, 50020, 50021, 50024, 50028,
            50033, 50034, 50035, 50039, 50041, 50046, 50055, 50057, 50067, 50068, 50081, 50084, 50085, 50091, 50109, 50110,
            50123, 50151, 50159, 50160, 50161, 50192, 170001, 170002, 170006, range(220_000, 220_100), 520002, 520004,
        ),
        m.UNAVAILABLE: (40004, 40006, 40043, 110000, 110001, 130000),
        m.FAILED: (180002, 500000, 530006),
    },
    skipped={"a general error, of which the status says more": (0,)},
)  # fmt: skip
gateway_codes = Codes(
    {
        TOKEN: (4003, 4004),
        INTENTS: (4014,),
        m.RATE_LIMIT: (4008,),
        MISUSED: (4001, 4002, 4005, 4007, 4010, 4011, 4012, 4013),
        CLOSED: (range(1000, 2000), 4000, 4009),
    }
)
voice_codes = Codes(
    {
        TOKEN: (4003, 4004),
        m.NOT_FOUND: (4011,),
        m.RATE_LIMIT: (4021,),
        MISUSED: (4001, 4002, 4005, 4012, 4016, 4017, 4020),
        CLOSED: (range(1000, 2000), 4006, 4009, 4014, 4015, 4022),
    }
)
rpc_codes = Codes(
    {
        TOKEN: (4007, 4009),
        m.PERMISSION: (4008, 5009),
        DENIED: (4006,),
        m.RATE_LIMIT: (5010,),
        m.CONFLICT: (5003, 5004, 5006),
        m.ABORTED: (1002,),
        m.ARGUMENT: (4000, 4002, 4003, 4004, 4005, range(4010, 4020), 5005),
        m.TIMEOUT: (5001, 5002),
        m.CANCELLED: (5007,),
        m.UNAVAILABLE: (1001,),
        m.FAILED: (1000, 5000, 5008),
    }
)
_NAMED = (
    "Object", "Member", "Guild", "User", "Message", "Channel", "Thread", "Role", "Emoji", "GuildSticker",
    "ScheduledEvent", "SoundboardSound",
)  # fmt: skip


@rules("discord.RateLimited")
def rate_limited(failure: Failure) -> ToolError:
    """A wait that exceeds the maximum that the client may sleep."""
    return m.error_of(failure, m.RATE_LIMIT, service=SERVICE)


@rules("discord.HTTPException")
def answered(failure: Failure) -> ToolError:
    """An error response from Discord, by its own code, otherwise by status."""
    error = codes.error(failure, failure.look("code"), service=SERVICE) or status_error(failure, service=SERVICE)
    if isinstance(error, ResourceNotFoundError):
        error.resource = _resource(failure) or error.resource
        if error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        error.problems = _problems(failure) or error.problems
    return error


def _resource(failure: Failure) -> str | None:
    """The argument that the response names, such as `channel_id` for "Unknown Channel", else the only or last ID."""
    arguments = failure.arguments or {}
    name = argument_named_in(str(failure.look("text")), arguments)
    ids = [one for one in arguments if one.lower().endswith("id")]
    value = arguments.get(name or (ids[-1] if ids else ""))
    return str(value) if isinstance(value, (str, int)) else None


def _problems(failure: Failure) -> list[Problem]:
    """The fields of an invalid form, which Discord nests like the form itself."""
    errors = failure.look("_errors")
    pointers = _pointers(errors) if isinstance(errors, Mapping) else ()
    return [Problem(pointer, "is not accepted") for pointer in dict.fromkeys(pointers)][:20]


def _pointers(errors: Mapping[str, object]) -> Iterator[str]:
    waiting: list[tuple[str, object, int]] = [("", errors, 0)]
    while waiting:
        pointer, inside, depth = waiting.pop(0)
        if not isinstance(inside, Mapping) or depth > 10:
            continue
        if "_errors" in inside:
            yield pointer
        waiting += [(f"{pointer}/{name}", one, depth + 1) for name, one in inside.items() if name != "_errors"]


@rules("discord.PrivilegedIntentsRequired")
def intents(_: Failure) -> ToolError:
    """Intents that are not enabled in the developer portal."""
    user = "The bot needs privileged intents. Enable them in Discord's developer portal."
    return ToolPermissionError("Discord has not granted the requested intents.", user_message=user)


@rules("discord.ConnectionClosed")
def closed(failure: Failure) -> ToolError:
    """The gateway or a voice server closed the connection; its code may state the reason."""
    known = voice_codes if failure.look("shard_id") is None else gateway_codes
    meaning = known.meaning_of(failure.look("code")) or CLOSED
    return m.error_of(failure, meaning, service=SERVICE)


@rules("pypresence.DiscordError")
def desktop(failure: Failure) -> ToolError | None:
    """An error code of the desktop app, as pypresence raises it."""
    return rpc_codes.error(failure, failure.look("code"), service=SERVICE)


@rules("discord.InvalidData")
def unreadable(failure: Failure) -> ToolError:
    """A Discord response that the client cannot parse."""
    message = "The service sent data that its client cannot read"
    return m.error_of(failure, m.FAILED._replace(message=message), service=SERVICE)


@rules("discord.CommandNotFound")
def command_not_found(failure: Failure) -> ToolError:
    """A command that the bot does not have."""
    return m.error_of(failure, m.NOT_FOUND._replace(message="The bot has no such command"), resource=None)


@rules("discord.GatewayNotFound")
def gateway(_: Failure) -> ToolError:
    """Discord reports no gateway, as in an outage."""
    return ToolUnavailableError("Discord is temporarily unavailable.", effect="none")


@rules("discord.InteractionResponded")
def responded(_: Failure) -> ToolError:
    """An interaction that already has a response; only one is allowed."""
    return ResourceConflictError("The interaction has already been answered.", code="ALREADY_EXISTS")


@rules("discord.CommandOnCooldown")
def cooldown(failure: Failure) -> ToolError:
    """A command that is on cooldown."""
    return ToolRateLimitError("The command was used too often.", retry_after=failure.retry_after)


@rules(*(f"discord.{kind}NotFound" for kind in _NAMED))
def object_not_found(failure: Failure) -> ToolError:
    """A member, channel, role ... that a command names but that does not exist."""
    missing = failure.look("argument")
    return ResourceNotFoundError(f"Resource not found: {missing}", resource=None if missing is None else str(missing))


@rules("discord.CheckFailure")
def check(_: Failure) -> ToolError:
    """A command that the caller may not use here."""
    return ToolPermissionError("This account cannot use the command, or not here.")


@last("discord.ClientException", "discord.CommandError")
def misuse(failure: Failure) -> ToolError | None:
    """A misuse of the client. An exception raised by a command is classified by its cause."""
    if failure.matches("discord.CommandInvokeError", "discord.ConversionError"):
        return None
    return ToolExecutionError("The Discord client is used incorrectly.")
