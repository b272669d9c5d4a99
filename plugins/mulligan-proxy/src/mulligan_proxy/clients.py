"""The clients of the proxy: the connection to each, and the failures in each conversation."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any

import anyio
import attrs
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp_types import ServerNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mulligan import Pipeline, Session, ToolResult
from mulligan.errors import RepeatedCallError

_MOST = 1_000
_QUIET = 60.0
_HEADER = "mcp-session-id"


@attrs.define(eq=False)
class Client:
    """One client.

    Attributes:
        memory: its session, which remembers what failed.
        session: the connection to it outside requests, or None if there is none.
        failed_at: when one of its calls last ran and failed.
    """

    memory: Session
    session: ServerSession | None = None
    failed_at: float = 0.0

    def begin(self) -> Session:
        """The session for the next call.

        A client may hold many conversations, and a person may have fixed the cause: after a quiet minute, failures are
        forgotten.
        """
        if self.failed_at and time.monotonic() - self.failed_at > _QUIET:
            self.memory.forgive()
            self.failed_at = 0.0
        return self.memory

    def end(self, result: ToolResult) -> None:
        """Remembers when a call failed.

        Args:
            result: the outcome of the call.
        """
        if result.is_error and not isinstance(result.error, RepeatedCallError):
            self.failed_at = time.monotonic()


class Clients:
    """The last thousand clients that made a call.

    Args:
        pipeline: the pipeline of their calls.

    Attributes:
        any_connected: set once there is a connection to one of them.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._known: OrderedDict[str, Client] = OrderedDict()
        self.any_connected = anyio.Event()

    def of(self, ctx: ServerRequestContext[Any, Any]) -> Client:
        """The client of a request; without a session, it is a new one each time.

        Args:
            ctx: the request.
        """
        key = key_of(ctx)
        if key is None:
            return Client(self._pipeline.session())
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Client(self._pipeline.session(key or None))
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return known

    def connect(self, ctx: ServerRequestContext[Any, Any]) -> None:
        """Remembers the connection to a client that has just been initialized.

        Args:
            ctx: its notification.
        """
        self.of(ctx).session = ctx.session
        self.any_connected.set()

    def reachable(self) -> list[ServerSession]:
        """The connections to the clients that can be reached outside requests."""
        return [client.session for client in self._known.values() if client.session is not None]

    async def notify(self, notification: ServerNotification) -> None:
        """Sends a notification to every client.

        Args:
            notification: the notification of a server.
        """
        for session in self.reachable():
            await session.send_notification(notification)


def key_of(ctx: ServerRequestContext[Any, Any]) -> str | None:
    """What identifies a client: the session id over HTTP, `""` for the only client on stdio, None if nothing does.

    Args:
        ctx: a request.
    """
    headers = getattr(ctx.request, "headers", None)
    if headers is None:
        return ""
    return None if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else headers.get(_HEADER)
