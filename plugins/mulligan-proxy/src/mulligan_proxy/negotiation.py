"""Negotiates the protocol version with a server, and describes why that failed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from mulligan_proxy.failures import ConnectionEndedError


class HandshakeNotSupportedError(Exception):
    """The server understands neither kind of handshake on this connection: a new one has to try the other kind first."""


async def negotiate(session: ClientSession, modern: bool, ended: anyio.Event) -> None:
    """Agrees on a version: the client's kind first, because then the server's requests can reach it.

    Args:
        session: the connection.
        modern: whether the kind without a handshake is tried first.
        ended: set when the connection has ended.

    Raises:
        ConnectionEndedError: the connection ended.
        HandshakeNotSupportedError: neither kind was understood; many servers accept only that of their first request.
    """
    ways: tuple[Callable[[], Awaitable[Any]], ...] = (session.initialize, session.discover)
    errors = []
    for way in reversed(ways) if modern else ways:
        try:
            await way()
        except (MCPError, RuntimeError, ValidationError) as error:
            if ended.is_set():
                raise _ended() from error
            errors.append(error)
        else:
            return
    raise HandshakeNotSupportedError(reason_of(errors[0])) from errors[0]


async def run_until_ended(ended: anyio.Event, work: Callable[[], Awaitable[None]]) -> None:
    """Does the work, but stops if the connection ends.

    Args:
        ended: set when the connection has ended.
        work: the work.

    Raises:
        ConnectionEndedError: the connection ended first.
    """
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            await ended.wait()
            raise _ended()

        tasks.start_soon(watch)
        await work()
        tasks.cancel_scope.cancel()


def reason_of(error: BaseException) -> str:
    """Why a server is not running, in one line.

    Args:
        error: the exception from starting or running it.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"the program {error.filename or ''} was not found"
    if isinstance(error, HandshakeNotSupportedError):
        return f"it supports no known protocol version ({error})"
    if isinstance(error, TimeoutError):
        return "it did not respond in time"
    if isinstance(error, ConnectionEndedError):
        return "it ended before it had answered"
    if isinstance(error, MCPError):
        return error.error.message
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _ended() -> ConnectionEndedError:
    return ConnectionEndedError(CONNECTION_CLOSED, "Connection closed")
