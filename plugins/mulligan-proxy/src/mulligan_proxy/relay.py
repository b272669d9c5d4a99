"""Handles each message of a client, as a middleware of the SDK's server, which knows the transports."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Protocol

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, ClientCapabilities, Implementation
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from mulligan_mcp.answers import failure_of, with_notes
from pydantic import ValidationError

from mulligan import Pipeline, ToolCall, ToolResult
from mulligan.errors import ToolError, ToolTimeoutError
from mulligan_proxy.approvals import can_ask, with_approval
from mulligan_proxy.clients import Client
from mulligan_proxy.exchange import CURRENT, Exchange
from mulligan_proxy.failures import ForwardedError
from mulligan_proxy.fleet import Fleet
from mulligan_proxy.initialization import initialize_result
from mulligan_proxy.questions import MOST_ROUNDS, needs_input, params_with_answers
from mulligan_proxy.result_versions import convert_result
from mulligan_proxy.routes import Routes
from mulligan_proxy.upstreams import Peer, Upstream

Context = ServerRequestContext[Any, Any]
_FIRST_WAIT = 45.0


class Watcher(Protocol):
    """Observes the servers and each call."""

    def attach(self, servers: tuple[Upstream, ...]) -> None:
        """Receives the servers, once."""

    def add(self, params: Mapping[str, Any], result: ToolResult, answer: Mapping[str, Any]) -> None:
        """Receives a call: the request's parameters, its outcome, and the answer that was sent."""


class Relay:
    """Answers tool calls through the pipeline, and hands everything else on.

    Args:
        fleet: the servers.
        pipeline: the pipeline of the calls.
        watch: observes the servers and each call.
    """

    def __init__(self, fleet: Fleet, pipeline: Pipeline, watch: Watcher | None = None) -> None:
        self._fleet = fleet
        self._pipeline = pipeline
        self._watch = watch
        self._routes = Routes(fleet)
        self._numbers = count(1)  # of calls: a client may use an id of a request again, for another call
        if watch is not None:
            watch.attach(fleet.upstreams)

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answers one message.

        Args:
            ctx: the message.
            call_next: the SDK's own answer.
        """
        if ctx.request_id is None:
            await self._handle_notification(ctx)
            return await call_next(ctx)
        if ctx.method == "ping":
            return await call_next(ctx)
        self._fleet.start(_peer(ctx))
        if ctx.method in ("initialize", "server/discover"):
            await self._fleet.wait(_FIRST_WAIT)
            self._refuse_without_servers()
            return initialize_result(self._fleet, ctx, await call_next(ctx))
        if ctx.method == "tools/call":
            return await self._call(ctx)
        if ctx.method == "tools/list":
            return convert_result(ctx, await self._tools(), modern=False)
        if ctx.method == "subscriptions/listen":
            await self._routes.subscribe(ctx)
            return await call_next(ctx)
        try:
            answered = await self._routes.answer(ctx)
        except ToolError as error:
            raise MCPError(INTERNAL_ERROR, error.message) from error
        except ValidationError as error:
            raise MCPError(INTERNAL_ERROR, "The server's response violates the protocol.") from error
        return await call_next(ctx) if answered is None else answered

    async def _handle_notification(self, ctx: Context) -> None:
        if ctx.method == "notifications/initialized":
            self._fleet.clients.connect(ctx)
        elif ctx.method == "notifications/roots/list_changed":
            for upstream in self._fleet.upstreams:
                if upstream.link is not None and not upstream.link.is_modern:
                    await upstream.link.notify(ctx.method, ctx.params)

    async def _tools(self) -> dict[str, Any]:
        await self._fleet.wait(_FIRST_WAIT)
        self._refuse_without_servers()
        for upstream in self._fleet.upstreams:
            await self._fleet.refresh(upstream)
        return {"tools": self._fleet.catalogue.definitions}

    def _refuse_without_servers(self) -> None:
        """Reports the problem if no server can be used: an empty list would look like a server without tools."""
        defects = [upstream.defect for upstream in self._fleet.upstreams]
        if all(defects):
            raise MCPError(INTERNAL_ERROR, " ".join(self._pipeline.redactor.redact(str(one)) for one in defects))

    async def _call(self, ctx: Context) -> dict[str, Any]:
        params = ctx.params or {}
        exchange = Exchange(params, ctx.session, _id(ctx), _progress(ctx))
        token = CURRENT.set(exchange)
        await self._fleet.wait(_FIRST_WAIT)
        call = ToolCall(f"{ctx.request_id}.{next(self._numbers)}", _name(params), params.get("arguments"))
        client = await self._client(ctx, call)
        try:
            result = await self._result(call, client)
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                result = await self._result_after_input(call, client, exchange, result)
        except ForwardedError as error:
            raise MCPError(error.error.code, error.error.message, error.error.data) from None
        finally:
            CURRENT.reset(token)
        if exchange.question is not None:
            return exchange.question
        client.end(result)
        upstream = self._fleet.catalogue.upstream_of(result.call.name)
        if upstream is not None and isinstance(result.error, ToolTimeoutError):
            self._fleet.check(upstream)
        answer = failure_of(result, exchange.result) if result.is_error else with_notes(result, exchange.result or {})
        if self._watch is not None:
            self._watch.add(params, result, answer)
        answer = with_approval(answer, exchange.approval)
        return convert_result(ctx, answer, modern=exchange.modern and not result.is_error)

    async def _client(self, ctx: Context, call: ToolCall) -> Client:
        """The client that calls. If approval is requested in the answer to a call, each round is a call of a new client."""
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        if modern and can_ask(ctx.session) and await self._pipeline.aapproval(call) is not None:
            return Client(self._pipeline.session())
        return self._fleet.clients.of(ctx)

    async def _result(self, call: ToolCall, client: Client) -> ToolResult:
        """The result of a call. Its deadline starts when its server is running, as long as that can be waited for."""
        known = self._fleet.catalogue.upstream_of(call.name)
        upstream = known or self._fleet.missing(call.name)
        if upstream is not None and not upstream.is_steady:
            try:
                await upstream.ready()
            except ToolError as error:
                if known is None:
                    return ToolResult.from_error(error, call=call)
        return await self._pipeline.acall(call, session=client.begin())

    async def _result_after_input(
        self, call: ToolCall, client: Client, exchange: Exchange, result: ToolResult
    ) -> ToolResult:
        """The result of a call whose server first wants input in a form that the client does not support."""
        rounds = 0
        while not result.is_error and needs_input(exchange) and rounds < MOST_ROUNDS:
            rounds += 1
            upstream = self._fleet.catalogue.upstream_of(result.call.name)
            try:
                exchange.params = await params_with_answers(exchange, "" if upstream is None else upstream.spec.name)
            except ToolError as error:
                return ToolResult.from_error(error, call=call)
            result = await self._result(
                call._replace(id=f"{call.id}.{rounds}"), client
            )  # the next round is another request
        return result


def _progress(ctx: Context) -> ProgressFnT | None:
    meta = (ctx.params or {}).get("_meta")
    if not isinstance(meta, Mapping) or "progressToken" not in meta:
        return None
    return ctx.session.report_progress


def _name(params: Mapping[str, Any]) -> str:
    name = params.get("name")
    return name if isinstance(name, str) else ""


def _id(ctx: Context) -> str | int:
    assert ctx.request_id is not None
    return ctx.request_id


def _peer(ctx: Context) -> Peer:
    """The client, as its first message describes it."""
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    params: Mapping[str, Any] = ctx.params or {}
    meta = params.get("_meta") or {}
    given = meta.get(types.CLIENT_CAPABILITIES_META_KEY) if modern else params.get("capabilities")
    info = meta.get(types.CLIENT_INFO_META_KEY) if modern else params.get("clientInfo")
    return Peer(
        _or_default(ClientCapabilities, given, ClientCapabilities()),
        _or_default(Implementation, info, Implementation(name="mulligan", version="")),
        modern,
    )


def _or_default(model: type[Any], given: Any, default: Any) -> Any:
    try:
        return model.model_validate(given, by_name=False)
    except ValidationError:
        return default
