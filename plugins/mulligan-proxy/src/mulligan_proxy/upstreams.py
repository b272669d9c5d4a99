"""One server behind the proxy: started, watched, and restarted when it ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, Protocol

import anyio
import attrs
from loguru import logger
from mcp.client.session import ClientSession, IncomingMessage
from mcp.client.subscriptions import ServerEvent, listen
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import ClientCapabilities, Implementation

from mulligan_proxy.diagnosis import Diagnosis, diagnose, misconfigured
from mulligan_proxy.evidence import Evidence
from mulligan_proxy.exchange import Exchange
from mulligan_proxy.failures import is_forgotten, not_running_error, unusable_error
from mulligan_proxy.links import Link
from mulligan_proxy.log_text import one_line
from mulligan_proxy.negotiation import HandshakeNotSupportedError, negotiate, reason_of, run_until_ended
from mulligan_proxy.specs import ServerSpec
from mulligan_proxy.transports import Arrival, open_connection, relayed, stream

_START_SECONDS = 180.0
_PATIENCE = 10.0
_HEALTHY = 30.0
_MAX_FAILED_STARTS = 2
_DELAYS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)


class Owner(Protocol):
    """Receives what happens to an upstream."""

    async def on_start(self, upstream: Upstream) -> None:
        """The server has started, for the first time or again."""

    async def on_notification(self, upstream: Upstream, message: IncomingMessage) -> None:
        """The server sent a notification."""

    async def on_change(self, upstream: Upstream, event: ServerEvent) -> None:
        """The server reports that a list has changed."""

    def callbacks(self, upstream: Upstream, capabilities: ClientCapabilities) -> dict[str, Any]:
        """The callbacks for the server's own requests."""


@attrs.frozen
class Peer:
    """What a server learns about the client.

    Attributes:
        capabilities: its capabilities.
        info: its name and version.
        modern: whether it speaks a protocol version without a handshake.
    """

    capabilities: ClientCapabilities
    info: Implementation
    modern: bool


class Upstream:
    """One server. Its connection is owned by one task, `run`; everything else only requests it.

    Args:
        spec: the server.
        owner: receives what happens.

    Attributes:
        in_flight: the clients' requests that this server works on.
        link: the live connection, or None.
        defect: why it has never run, once two starts have failed; None otherwise.
        tools: the number of its tools, or None if that is not known yet.
        settled: set once it runs, or has a defect.
    """

    def __init__(self, spec: ServerSpec, owner: Owner) -> None:
        self.spec = spec
        self.link: Link | None = None
        self.in_flight: set[Exchange] = set()
        self.tools: int | None = None
        self.defect: Diagnosis | None = None
        self.settled = anyio.Event()
        self._owner = owner
        self._news = anyio.Event()
        self._connection_scope: anyio.CancelScope | None = None
        self._why = "it is being started"
        self._because = "it ended"
        self._due = 0.0
        self._failed_starts = 0
        self._has_run = False
        self._starts = 0
        self._begins_modern = False
        self._checking = False

    async def run(self, peer: Peer) -> None:
        """Keeps the server running until cancelled.

        Args:
            peer: what the server learns about the client.
        """
        if self.spec.problem:
            self._failed_starts = _MAX_FAILED_STARTS
            self._note_defect(misconfigured(self.spec))
            return
        tries = 0
        self._begins_modern = peer.modern
        while True:
            began = time.monotonic()
            self._starts += 1
            evidence = Evidence()
            diagnosis = None
            try:
                await self._live(peer, evidence)
                why, self._because = self._because, "it ended"
            except Exception as error:
                if self._switch_handshake(error, peer):
                    continue
                diagnosis = diagnose(self.spec, error, await evidence.last_words(), evidence.status)
                why = diagnosis.reason
            tries = 0 if time.monotonic() - began > _HEALTHY else tries + 1
            delay = _DELAYS[min(tries, len(_DELAYS) - 1)]
            self._failed_starts += 1  # a start that succeeded has set it to -1
            self._note_defect(diagnosis)
            self._down(why, delay)
            if self.defect is None:
                logger.warning("{}: {}; it is started again in {:g} s", self.spec.name, one_line(why), delay)
            await anyio.sleep(delay)

    def state(self) -> dict[str, Any]:
        """The state for people: the name, `up`, `starting` or `failed`, the reason, the number of starts and of tools."""
        word = "up" if self.link is not None else "failed" if self.defect is not None else "starting"
        why = (
            "" if self.link is not None else str(self.defect.without_detail() if self.defect is not None else self._why)
        )
        return {"name": self.spec.name, "state": word, "why": why, "starts": self._starts, "tools": self.tools}

    async def ready(self, patience: float = _PATIENCE) -> Link:
        """The live connection; waits for a check or a start that is under way or due soon.

        Args:
            patience: the maximum wait in seconds.

        Raises:
            ToolUnavailableError: the server is not there.
        """
        with anyio.move_on_after(patience):
            while (
                not self.is_steady
                and self._failed_starts < _MAX_FAILED_STARTS
                and self._due - time.monotonic() <= patience
            ):
                await self._news.wait()
        if self.link is None and self.defect is not None:
            raise unusable_error(self.spec.name, str(self.defect.without_detail()))
        if self.link is None:
            raise not_running_error(self.spec.name, max(self._due - time.monotonic(), 0.0), self._why)
        return self.link

    @property
    def is_steady(self) -> bool:
        """Whether it runs, and there is no sign of a problem."""
        return self.link is not None and not self._checking

    async def ask(
        self, method: str, params: Mapping[str, Any], exchange: Exchange, patience: float = _PATIENCE
    ) -> dict[str, Any]:
        """The server's answer. A server that has forgotten the session has done nothing, and is asked again in a new one.

        Args:
            method: such as `tools/call`.
            params: the parameters.
            exchange: the client's request.
            patience: seconds to wait for a server that is not running.

        Raises:
            MCPError: the server's error, or the connection ended, or the answer cannot be read.
            ValidationError: the answer does not conform to the protocol.
            ToolUnavailableError: the server is not there.
        """
        self.in_flight.add(exchange)
        try:
            link = await self.ready(patience)
            exchange.modern = link.is_modern
            try:
                return await link.request(method, params, exchange.on_progress)
            except MCPError as error:
                if self.spec.kind != "http" or not is_forgotten(error):
                    raise
            self.renew(link, "it has forgotten this session")
            link = await self.ready()
            return await link.request(method, params, exchange.on_progress)
        finally:
            self.in_flight.discard(exchange)

    async def check(self) -> None:
        """Ends a server that no longer answers, so that it is restarted."""
        link = self.link
        if link is None or self._checking:
            return
        self._checking = True
        try:
            if not await link.answers() and self.link is link:
                logger.warning("{}: it answers nothing any more and is ended", self.spec.name)
                self.renew(link, "it answered nothing any more")
        finally:
            self._checking = False
            self._notify_waiters()

    def renew(self, link: Link, why: str) -> None:
        """Ends a connection, so that `run` opens a new one.

        Args:
            link: the connection; ignored if it is not the present one.
            why: what is wrong with it.
        """
        if self.link is link and self._connection_scope is not None:
            self._because = why
            self._down(why, 0.0)
            self._connection_scope.cancel()

    async def _live(self, peer: Peer, evidence: Evidence) -> None:
        pending: dict[int | str, Arrival] = {}
        async with AsyncExitStack() as stack:
            over = stack.enter_context(anyio.CancelScope())
            self._connection_scope = over
            source, sink = await stack.enter_async_context(open_connection(self.spec, evidence))
            feed, read = stream()
            dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(read, sink)
            tasks = await stack.enter_async_context(anyio.create_task_group())
            ended = anyio.Event()
            tasks.start_soon(self._relay, source, feed, pending, ended)
            session = await stack.enter_async_context(self._session(dispatcher, peer))
            with anyio.fail_after(_START_SECONDS):
                await run_until_ended(ended, lambda: negotiate(session, self._begins_modern, ended))
            link = Link(dispatcher, session, peer.capabilities, peer.info, pending)
            self.link = link
            try:
                await self._owner.on_start(self)
                self._failed_starts = -1
                self._has_run, self.defect = True, None
                self.settled.set()
                self._notify_waiters()
                if link.is_modern:
                    tasks.start_soon(self._listen, link)
                await ended.wait()
            finally:
                tasks.cancel_scope.cancel()

    def _session(self, dispatcher: JSONRPCDispatcher[Any], peer: Peer) -> ClientSession:
        async def receive(message: IncomingMessage) -> None:
            await self._owner.on_notification(self, message)

        return ClientSession(
            dispatcher=dispatcher,
            client_info=peer.info,
            message_handler=receive,
            extensions=peer.capabilities.extensions,
            **self._owner.callbacks(self, peer.capabilities),
        )

    async def _relay(self, source: Any, feed: Any, pending: dict[int | str, Arrival], ended: anyio.Event) -> None:
        def broken(why: str) -> None:
            logger.warning("{}: it sent a frame that cannot be read: {}", self.spec.name, one_line(why))

        try:
            async with feed:
                try:
                    await relayed(source, feed, pending, broken)
                finally:
                    # Both come first, so that no request that learns of the end mistakes this connection for a live one.
                    ended.set()
                    self._down("it ended", 0.0)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass

    async def _listen(self, link: Link) -> None:
        """Receives changes from a server of a version without a handshake."""
        try:
            async with listen(
                link.session, tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
            ) as events:
                async for event in events:
                    await self._owner.on_change(self, event)
        except Exception as error:
            logger.debug("{}: it reports no changes: {}", self.spec.name, one_line(reason_of(error)))

    def _switch_handshake(self, error: BaseException, peer: Peer) -> bool:
        """Whether the next connection should try the other kind of handshake first, which is tried once."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if not isinstance(error, HandshakeNotSupportedError) or self._begins_modern is not peer.modern:
            return False
        self._begins_modern = not peer.modern
        return True

    def _note_defect(self, diagnosis: Diagnosis | None) -> None:
        """Records the defect of a server that has never run and fails again. It is reported once; retries continue."""
        if self._has_run or diagnosis is None or self._failed_starts < _MAX_FAILED_STARTS:
            return
        if diagnosis != self.defect:
            logger.error("{}", one_line(diagnosis, most=1_000))
        self.defect = diagnosis
        self.settled.set()

    def _down(self, why: str, delay: float) -> None:
        self.link = None
        self._why = why
        self._due = time.monotonic() + delay
        self._notify_waiters()

    def _notify_waiters(self) -> None:
        """Wakes all waiters, to check again."""
        self._news.set()
        self._news = anyio.Event()
