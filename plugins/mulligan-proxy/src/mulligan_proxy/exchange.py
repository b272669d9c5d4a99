"""The call that is being answered: what the tool's handler needs of it, beside the arguments, and how long it may take."""

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
        session: the way back to the client.
        request_id: the client's id of the request.
        progress: tells the client how far it is, or None where it did not ask.
        result: what the server answered, once it has.
        modern: whether that is of a version without a handshake.
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
        """Gives the server so long to answer. A server that tells how far it is gets longer, up to ten times as long.

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
        """No deadline runs while a server waits for the client's own answer: a person may have to give it."""
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
        """Told by the server how far it is, or None where the client did not ask."""
        return None if self.progress is None else self._moved

    async def _moved(self, progress: float, total: float | None, message: str | None) -> None:
        self._extend()
        if self.progress is not None:
            await self.progress(progress, total, message)

    def _extend(self) -> None:
        if self._scope is not None:
            self._scope.deadline = min(anyio.current_time() + self._timeout, self._last)


CURRENT: ContextVar[Exchange] = ContextVar("mulligan_proxy_exchange")
