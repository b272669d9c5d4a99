"""Discord, through discord.py. Its own code counts before the status.

https://docs.discord.com/developers/topics/opcodes-and-status-codes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolUnavailableError,
    status_error,
)

rules = Rules("discord")

_CODES: Mapping[type[ToolError], tuple[int, ...]] = {
    ToolAuthenticationError: (40001, 50014, 50025, 60003),
    ToolPermissionError: (
        20001, 20009, 20012, 20018, 40002, 40007, 50001, 50005, 50007, 50009, 50013, 50020, 160002, 200000,
    ),
    ToolRateLimitError: (20016, 20022, 20028, 20029, 31001, 31002, 40062),
    ToolArgumentError: (
        40005, 40067, 50003, 50006, 50008, 50016, 50019, 50021, 50024, 50033, 50034, 50035, 50036, 50046, 50109,
    ),
    ResourceConflictError: (40032, 40033, 40041, 40060, 40061, 40074, 50083, 50074, 160004, 160005, 180000),
    ToolUnavailableError: (40043, 110001, 130000, 170001),
}  # fmt: skip
_CLASS = {code: cls for cls, codes in _CODES.items() for code in codes}
_EXISTS = (40033, 40041, 40060, 40061, 40074, 160004)
_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "Discord rejected the token",
    ToolPermissionError: "Discord denied permission",
    ToolRateLimitError: "Discord's rate limit is reached",
    ToolArgumentError: "Discord rejected the arguments",
    ResourceConflictError: "The current state does not allow this",
    ResourceNotFoundError: "Discord found no such resource",
    ToolUnavailableError: "Discord is temporarily unavailable",
}
_CLOSED: Mapping[int, type[ToolError]] = {
    4004: ToolAuthenticationError,
    4008: ToolRateLimitError,
    4013: ToolPermissionError,
    4014: ToolPermissionError,
}

_NAMED = (
    "Object", "Member", "Guild", "User", "Message", "Channel", "Thread", "Role", "Emoji", "GuildSticker",
    "ScheduledEvent", "SoundboardSound",
)  # fmt: skip


@rules("discord.RateLimited")
def rate_limited(failure: Failure) -> ToolError:
    """A wait that is longer than the client was allowed to sleep."""
    return ToolRateLimitError("Discord's rate limit is reached.", retry_after=failure.retry_after)


@rules("discord.HTTPException")
def answered(failure: Failure) -> ToolError:
    """An answer of Discord by its own code: 10xxx is not there, 30xxx is a limit that is reached; else by status."""
    code = failure.look("code")
    cls = _meaning(code) if isinstance(code, int) else None
    if cls is None:
        return status_error(failure)
    error = cls(f"{_MESSAGES[cls]} (Discord code {code}).", http_status=failure.status)
    if cls is ResourceNotFoundError:
        error.resource = _resource(failure)
        error.message = f"Resource not found: {error.resource}" if error.resource else error.message
    elif cls is ToolArgumentError:
        error.problems = _problems(failure)
    elif cls is ToolRateLimitError:
        error.retry_after = failure.retry_after
    elif code in _EXISTS:
        error.code = "ALREADY_EXISTS"
    return error


def _meaning(code: int) -> type[ToolError] | None:
    if 10_000 <= code < 20_000:
        return ResourceNotFoundError
    return _CLASS.get(code, ResourceConflictError if 30_000 <= code < 31_000 else None)


def _resource(failure: Failure) -> str | None:
    ids = [value for name, value in (failure.arguments or {}).items() if name.lower().endswith("id")]
    return str(ids[-1]) if ids and isinstance(ids[-1], (str, int)) else failure.resource


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


@rules("discord.LoginFailure")
def login(_: Failure) -> ToolError:
    """The token is wrong."""
    return ToolAuthenticationError("Discord rejected the token.")


@rules("discord.PrivilegedIntentsRequired")
def intents(_: Failure) -> ToolError:
    """Intents that are not turned on in the developer portal."""
    user = "The bot needs privileged intents. Enable them in Discord's developer portal."
    return ToolPermissionError("Discord has not granted the requested intents.", user_message=user)


@rules("discord.ConnectionClosed")
def closed(failure: Failure) -> ToolError:
    """The gateway closed the connection; its code may tell why."""
    code = failure.look("code")
    cls = _CLOSED.get(code) if isinstance(code, int) else None
    if cls is not None:
        return cls(f"{_MESSAGES[cls]}.")
    return ToolConnectionError("Discord closed the connection.", fatal=False, transient=True, effect="possible")


@rules("discord.GatewayNotFound")
def gateway(_: Failure) -> ToolError:
    """Discord names no gateway, as in an outage."""
    return ToolUnavailableError("Discord is temporarily unavailable.", effect="none")


@rules("discord.InteractionResponded")
def responded(_: Failure) -> ToolError:
    """An interaction can be answered once only."""
    return ResourceConflictError("The interaction has already been answered.", code="ALREADY_EXISTS")


@rules("discord.CommandOnCooldown")
def cooldown(failure: Failure) -> ToolError:
    """A command that was used too often."""
    return ToolRateLimitError("The command was used too often.", retry_after=failure.retry_after)


@rules(*(f"discord.{kind}NotFound" for kind in _NAMED))
def object_not_found(failure: Failure) -> ToolError:
    """A member, channel, role ... that is named in a command and is not there."""
    missing = failure.look("argument")
    return ResourceNotFoundError(f"Resource not found: {missing}", resource=None if missing is None else str(missing))


@rules("discord.CheckFailure")
def check(_: Failure) -> ToolError:
    """A command that the caller may not use here."""
    return ToolPermissionError("This account cannot use the command, or not here.")


@rules("discord.UserInputError")
def command_argument(_: Failure) -> ToolError:
    """Arguments that do not fit a command."""
    return ToolArgumentError("The arguments do not match the command.")


@rules("discord.ClientException", "discord.CommandError")
def misuse(failure: Failure) -> ToolError | None:
    """The client is used in a way that it does not allow; what a command raised is known by its cause."""
    if failure.matches("discord.CommandInvokeError", "discord.ConversionError"):
        return None
    return ToolExecutionError("The Discord client is used incorrectly.")
