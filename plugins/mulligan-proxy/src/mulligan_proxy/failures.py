"""What a server's protocol errors mean."""

from __future__ import annotations

import re

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST, URL_ELICITATION_REQUIRED

from mulligan.errors import ToolConnectionError, ToolExecutionError, ToolUnavailableError

_REFUSALS = (INVALID_REQUEST, -32000, -32001)
_FORGOTTEN = re.compile(
    r"\bsession\b.{0,40}\b(?:not found|terminated|expired|unknown)|\bno valid session\b", re.IGNORECASE
)


class ForwardedError(MCPError):
    """A protocol error that is meant for the client, such as a page to open. It is passed on unchanged."""


class ConnectionEndedError(MCPError):
    """The connection ended before the answer came. Its code does not show that: servers use it for their own errors."""


class UnreadableAnswerError(MCPError):
    """The server's answer to this request is a frame that cannot be read."""


def meaning_of(error: MCPError, server: str) -> Exception:
    """The exception that the pipeline gets instead of a protocol error.

    Args:
        error: the error of the server, or of the transport in its place.
        server: the server's name.

    Returns:
        The error; the protocol error itself if the pipeline can classify it better.
    """
    code = error.error.code
    if code == URL_ELICITATION_REQUIRED:
        return ForwardedError(code, error.error.message, error.error.data)
    if isinstance(error, ConnectionEndedError):
        return ToolUnavailableError(
            f"The MCP server {server!r} exited while running this call. It is being restarted.",
            effect="possible",
            provider=server,
            user_message=f"The tool server {server!r} stopped unexpectedly and is being restarted.",
        )
    if isinstance(error, UnreadableAnswerError):
        return ToolExecutionError(
            f"The MCP server {server!r} sent an unreadable response to this call.",
            effect="possible",
            provider=server,
        )
    return error


def is_forgotten(error: MCPError) -> bool:
    """Whether a remote server reports that it no longer knows this session.

    Args:
        error: what it answered.
    """
    return error.error.code in _REFUSALS and _FORGOTTEN.search(error.error.message) is not None


def not_running_error(server: str, seconds: float, reason: str = "") -> ToolUnavailableError:
    """The error for a call while its server is not running.

    Args:
        server: the server's name.
        seconds: until the next attempt to start it.
        reason: why it is not running, in our own words.
    """
    why = f" ({reason})" if reason else ""
    return ToolUnavailableError(
        f"The MCP server {server!r} is not running{why}. It will be restarted in {max(1, round(seconds))} s.",
        effect="none",
        retry_after=max(1.0, round(seconds)),
        provider=server,
        user_message=f"The tool server {server!r} is not running and is being restarted.",
    )


def unusable_error(server: str, sentences: str) -> ToolConnectionError:
    """The error for a call to a server that has never run: retrying does not help, a person must correct something.

    Args:
        server: the server's name.
        sentences: what is wrong and how a person can fix it, in our own words.
    """
    return ToolConnectionError(sentences, effect="none", provider=server, user_message=sentences)
