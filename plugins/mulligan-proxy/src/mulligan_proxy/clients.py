"""The clients of the proxy: the way back to each, and what each conversation has seen fail."""

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
        memory: what failed in it before.
        session: the way back to it outside of a request, or None where there is none.
        failed_at: when a call of it last ran and failed.
    """

    memory: Session
    session: ServerSession | None = None
    failed_at: float = 0.0

    def begin(self) -> Session:
        """The memory for one more call.

        A client may hold many conversations, and a person may have mended what was wrong: after a quiet minute, what failed is
        forgotten.
        """
        if self.failed_at and time.monotonic() - self.failed_at > _QUIET:
            self.memory.forgive()
            self.failed_at = 0.0
        return self.memory

    def end(self, result: ToolResult) -> None:
        """Remembers when a call failed.

        Args:
            result: what came of it.
        """
        if result.is_error and not isinstance(result.error, RepeatedCallError):
            self.failed_at = time.monotonic()


class Clients:
    """Every client that has called, the last thousand.

    Args:
        pipeline: what their calls run through.

    Attributes:
        some: set once there is a way back to one of them.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._known: OrderedDict[str, Client] = OrderedDict()
        self.some = anyio.Event()

    def of(self, ctx: ServerRequestContext[Any, Any]) -> Client:
        """The client that a request came from; without a session, it is a new one each time.

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

    def greet(self, ctx: ServerRequestContext[Any, Any]) -> None:
        """Remembers the way back to a client that has just been initialised.

        Args:
            ctx: its notification.
        """
        self.of(ctx).session = ctx.session
        self.some.set()

    def reachable(self) -> list[ServerSession]:
        """The way back to each client that has one outside of a request."""
        return [client.session for client in self._known.values() if client.session is not None]

    async def tell(self, notification: ServerNotification) -> None:
        """Tells every client.

        Args:
            notification: what a server said.
        """
        for session in self.reachable():
            await session.send_notification(notification)


def key_of(ctx: ServerRequestContext[Any, Any]) -> str | None:
    """What tells one client from another: the session of HTTP, `""` for the one client of stdio, None where nothing does.

    Args:
        ctx: a request.
    """
    headers = getattr(ctx.request, "headers", None)
    if headers is None:
        return ""
    return None if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else headers.get(_HEADER)
