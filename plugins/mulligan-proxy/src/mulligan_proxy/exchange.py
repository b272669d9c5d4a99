"""The call in progress: what the tool's handler needs besides the arguments, and how long it may take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anyio
import attrs
from mcp.server.session import ServerSession
from mcp.shared.dispatcher import ProgressFnT

from mulligan.plugin import DeadlineExceeded

_MOST = 10


@attrs.define(eq=False)
class Exchange:
    """One request of a client, on its way to a server.

    Attributes:
        params: the request's parameters, as the client sent them.
        session: the connection to the client.
        request_id: the client's id of the request.
        progress: reports progress to the client, or None if it did not ask for it.
        result: the server's answer, once there is one.
        modern: whether the answer is of a protocol version without a handshake.
        question: what the client has to ask its user before the call can run, or None.
        approval: the seal of the call that its user has approved; empty if no one was asked.
    """

    params: Mapping[str, Any]
    session: ServerSession
    request_id: str | int
    progress: ProgressFnT | None = None
    result: dict[str, Any] | None = None
    modern: bool = False
    question: dict[str, Any] | None = None
    approval: str = ""
    _scope: anyio.CancelScope | None = None
    _timeout: float = math.inf
    _last: float = math.inf

    @contextmanager
    def within(self, timeout: float) -> Iterator[None]:
        """Limits the time for the answer. A server that reports progress gets up to ten times as long.

        Args:
            timeout: seconds.

        Raises:
            DeadlineExceeded: it did not answer in time.
        """
        now = anyio.current_time()
        self._timeout, self._last = timeout, now + _MOST * timeout
        with anyio.CancelScope(deadline=now + timeout) as self._scope:
            yield
        if self._scope.cancelled_caught:
            raise DeadlineExceeded(timeout, running=False)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pauses the deadline while a server waits for an answer of the client, which a person may have to give."""
        if self._scope is None:
            yield
            return
        began = anyio.current_time()
        self._scope.deadline = math.inf
        try:
            yield
        finally:
            self._last += anyio.current_time() - began
            self._extend()

    @property
    def on_progress(self) -> ProgressFnT | None:
        """Receives the server's progress, or None if the client did not ask for it."""
        return None if self.progress is None else self._moved

    async def _moved(self, progress: float, total: float | None, message: str | None) -> None:
        self._extend()
        if self.progress is not None:
            await self.progress(progress, total, message)

    def _extend(self) -> None:
        if self._scope is not None:
            self._scope.deadline = min(anyio.current_time() + self._timeout, self._last)


CURRENT: ContextVar[Exchange] = ContextVar("mulligan_proxy_exchange")
