"""All servers behind the proxy, and the route from them back to the clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from loguru import logger
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent, ToolsListChanged
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.subscriptions import event_to_notification
from mcp_types import INVALID_REQUEST, ErrorData
from pydantic import ValidationError

from mulligan import Pipeline
from mulligan_proxy.catalogue import Catalogue
from mulligan_proxy.clients import Clients
from mulligan_proxy.exchange import Exchange
from mulligan_proxy.failures import ConnectionEndedError
from mulligan_proxy.log_text import one_line
from mulligan_proxy.negotiation import reason_of
from mulligan_proxy.specs import ProxyOptions, ServerSpec
from mulligan_proxy.upstreams import Peer, Upstream

LIST_SECONDS = 20.0
_GREETING_SECONDS = 30.0
_PAUSE = 0.02
_CHANGE_NOTIFICATIONS = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
    types.ResourceUpdatedNotification,
)


class Fleet:
    """Starts the servers once a client connects, keeps their tools, and routes their messages.

    Args:
        specs: the servers.
        options: how they are treated.
        pipeline: the pipeline of the calls.
        tasks: the task group in which the servers run.

    Attributes:
        upstreams: the servers, in order.
        catalogue: their tools.
        clients: the clients.
        bus: the subscriptions of clients of a version without a handshake.
    """

    def __init__(
        self, specs: tuple[ServerSpec, ...], options: ProxyOptions, pipeline: Pipeline, tasks: TaskGroup
    ) -> None:
        self.upstreams = tuple(Upstream(spec, self) for spec in specs)
        self.catalogue = Catalogue(pipeline, servers=[spec.name for spec in specs], timeout=options.timeout)
        self.clients = Clients(pipeline)
        self.bus = InMemorySubscriptionBus()
        self._tasks = tasks
        self._started = False
        self._unlisted = set(self.upstreams)
        self._due: set[tuple[Upstream, ServerEvent]] = set()

    def start(self, peer: Peer) -> None:
        """Starts the servers at the first call.

        Args:
            peer: what the servers learn about the client.
        """
        if not self._started:
            self._started = True
            for upstream in self.upstreams:
                self._tasks.start_soon(upstream.run, peer)

    async def wait(self, seconds: float) -> None:
        """Waits until every server runs, or is known to be unusable.

        Args:
            seconds: the maximum time.
        """
        with anyio.move_on_after(seconds):
            for upstream in self.upstreams:
                await upstream.settled.wait()

    def missing(self, name: str) -> Upstream | None:
        """The server that is not running and may have a tool that no known server has.

        Args:
            name: the tool's name.
        """
        if self.catalogue.upstream_of(name) is not None:
            return None
        down = [one for one in self.upstreams if one.link is None]
        return next((one for one in down if name.startswith(self.catalogue.prefix_of(one))), None)

    def check(self, upstream: Upstream) -> None:
        """Checks in the background whether a server still answers.

        Args:
            upstream: the server.
        """
        self._tasks.start_soon(upstream.check)

    async def refresh(self, upstream: Upstream, *, is_start: bool = False) -> bool:
        """Asks a server for its tools.

        Args:
            upstream: the server.
            is_start: whether the server has just been started; without its tools it is useless.

        Returns:
            Whether they have changed.

        Raises:
            ConnectionEndedError: it ended during its start.
            TimeoutError: it did not answer during its start.
        """
        link = upstream.link
        if link is None or "tools" not in link.server.get("capabilities", {}):
            return False
        try:
            with anyio.fail_after(LIST_SECONDS):
                listed = await link.listed("tools/list", "tools")
        except (MCPError, ValidationError, TimeoutError) as error:
            if is_start and isinstance(error, ConnectionEndedError | TimeoutError):
                raise
            logger.warning("{}: its tools cannot be listed: {}", upstream.spec.name, one_line(reason_of(error)))
            return False
        has_changed = self.catalogue.replace(upstream, listed)
        self._warn_of_unmatched_options(upstream)
        return has_changed

    def _warn_of_unmatched_options(self, upstream: Upstream) -> None:
        """Warns once of tool options that match no tool, as soon as every server has listed its tools."""
        if upstream in self._unlisted:
            self._unlisted.remove(upstream)
            for sentence in self.catalogue.unmatched_options() if not self._unlisted else ():
                logger.warning("{}", one_line(sentence))

    async def on_start(self, upstream: Upstream) -> None:
        """Reads the tools of a server that has started; if they changed, clients are notified."""
        if await self.refresh(upstream, is_start=True):
            await self.on_change(upstream, ToolsListChanged(), known=True)

    async def on_change(self, upstream: Upstream, event: ServerEvent, *, known: bool = False) -> None:
        """Passes on a server's notification that a list has changed."""
        if isinstance(event, ToolsListChanged) and not known:
            await self.refresh(upstream)
        await self.bus.publish(event)
        await self.clients.notify(event_to_notification(event, {}))

    async def on_notification(self, upstream: Upstream, message: IncomingMessage) -> None:
        """Passes a server's notification on to the client that it concerns."""
        if isinstance(message, (Exception, types.ProgressNotification, types.CancelledNotification)):
            return
        if isinstance(message, _CHANGE_NOTIFICATIONS):
            event = _event(message)
            if (upstream, event) not in self._due:
                self._due.add((upstream, event))
                self._tasks.start_soon(self._publish_later, upstream, event)
            return
        asking = tuple(upstream.in_flight)
        if len(asking) == 1:
            await asking[0].session.send_notification(message, related_request_id=asking[0].request_id)
        else:
            await self.clients.notify(message)

    async def _publish_later(self, upstream: Upstream, event: ServerEvent) -> None:
        """Passes on a change; of a thousand identical notifications in a row, only one is passed on."""
        await anyio.sleep(_PAUSE)
        self._due.discard((upstream, event))
        await self.on_change(upstream, event)

    def callbacks(self, upstream: Upstream, capabilities: types.ClientCapabilities) -> dict[str, Any]:
        """The callbacks for a server's own requests: they go to the client whose call it works on."""
        relays: dict[str, Any] = {}
        if capabilities.sampling is not None:

            async def sample(_: ClientRequestContext, params: types.CreateMessageRequestParams) -> Any:
                expected = types.CreateMessageResultWithTools if params.tools else types.CreateMessageResult
                return await self._ask(upstream, types.CreateMessageRequest(params=params), expected, params.meta)

            relays |= {"sampling_callback": sample, "sampling_capabilities": capabilities.sampling}
        if capabilities.elicitation is not None:

            async def elicit(_: ClientRequestContext, params: types.ElicitRequestParams) -> Any:
                return await self._ask(upstream, types.ElicitRequest(params=params), types.ElicitResult, params.meta)

            relays["elicitation_callback"] = elicit
        if capabilities.roots is not None:

            async def roots(_: ClientRequestContext) -> Any:
                return await self._ask(upstream, types.ListRootsRequest(), types.ListRootsResult)

            relays["list_roots_callback"] = roots
        return relays

    async def _ask(self, upstream: Upstream, request: Any, expected: type[Any], meta: Any = None) -> Any:
        with anyio.move_on_after(_GREETING_SECONDS):
            await self.clients.any_connected.wait()
        asking = self._current_exchange(upstream)
        if asking is not None:
            related = ServerMessageMetadata(related_request_id=asking.request_id)
            with asking.paused():
                return await _answer(asking.session, request, expected, related, _progress(upstream, meta))
        reachable = self.clients.reachable()
        if len(reachable) == 1:
            return await _answer(reachable[0], request, expected, None, _progress(upstream, meta))
        return ErrorData(code=INVALID_REQUEST, message="The proxy cannot determine which client this is for.")

    def _current_exchange(self, upstream: Upstream) -> Exchange | None:
        """The request that a server works on, if it is clear which client it is from."""
        asking = tuple(upstream.in_flight)
        only = len(asking) == 1 or (len(asking) > 1 and len(self.clients.reachable()) == 1)
        return asking[-1] if only else None


async def _answer(
    session: ServerSession,
    request: Any,
    expected: type[Any],
    metadata: ServerMessageMetadata | None,
    progress: ProgressFnT | None,
) -> Any:
    try:
        return await session.send_request(request, expected, metadata=metadata, progress_callback=progress)
    except MCPError as error:
        return error.error


def _progress(upstream: Upstream, meta: Mapping[str, Any] | None) -> ProgressFnT | None:
    """Reports to a server how far the client is with the server's own request, if the server wants to know."""
    link = upstream.link
    token = None if meta is None else meta.get("progress_token")
    if link is None or token is None:
        return None

    async def report(progress: float, total: float | None, message: str | None) -> None:
        facts = {"progressToken": token, "progress": progress, "total": total, "message": message}
        await link.notify("notifications/progress", {key: value for key, value in facts.items() if value is not None})

    return report


def _event(message: Any) -> ServerEvent:
    if isinstance(message, types.ToolListChangedNotification):
        return ToolsListChanged()
    if isinstance(message, types.PromptListChangedNotification):
        return PromptsListChanged()
    if isinstance(message, types.ResourceListChangedNotification):
        return ResourcesListChanged()
    return ResourceUpdated(uri=str(message.params.uri))
