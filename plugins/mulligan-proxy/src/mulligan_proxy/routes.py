"""Routes everything except tools: prompts, resources, completions and log levels go to the server that they concern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from mulligan_proxy.exchange import Exchange
from mulligan_proxy.fleet import Fleet
from mulligan_proxy.result_versions import convert_result
from mulligan_proxy.upstreams import Upstream

Context = ServerRequestContext[Any, Any]
_LISTS = {
    "prompts/list": ("prompts", "prompts"),
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("resources", "resourceTemplates"),
}
_BY_URI = ("resources/read", "resources/subscribe", "resources/unsubscribe")


class Routes:
    """Finds the server for a request.

    Args:
        fleet: the servers.
    """

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def answer(self, ctx: Context) -> dict[str, Any] | None:
        """The answer to a request that is not about a tool; None if it concerns no server.

        Args:
            ctx: the request.

        Raises:
            MCPError: the server's error.
            ToolUnavailableError: the server is not running.
        """
        params: dict[str, Any] = dict(ctx.params or {})
        if len(self._fleet.upstreams) == 1:
            return await self._ask(self._fleet.upstreams[0], ctx, params)
        if ctx.method in _LISTS:
            return await self._listed(ctx, *_LISTS[ctx.method])
        if ctx.method == "logging/setLevel":
            for upstream in await self._able("logging"):
                await self._ask(upstream, ctx, params)
            return {}
        if ctx.method in _BY_URI:
            return await self._by_uri(ctx, params)
        if ctx.method == "prompts/get":
            upstream, params["name"] = self._named(params.get("name"))
            return await self._ask(upstream, ctx, params)
        if ctx.method == "completion/complete":
            return await self._completed(ctx, params)
        return None

    async def subscribe(self, ctx: Context) -> None:
        """Subscribes at servers of older versions to the resources that a client listens to.

        Args:
            ctx: a `subscriptions/listen`.
        """
        wanted = ((ctx.params or {}).get("notifications") or {}).get("resourceSubscriptions") or ()
        for upstream in await self._able("resources"):
            if upstream.link is None or upstream.link.is_modern:
                continue
            for uri in wanted:
                try:
                    await upstream.link.request("resources/subscribe", {"uri": uri})
                except MCPError:
                    continue  # another server's

    async def _ask(self, upstream: Upstream, ctx: Context, params: Mapping[str, Any]) -> dict[str, Any]:
        assert ctx.request_id is not None
        meta = params.get("_meta")
        wants = isinstance(meta, Mapping) and "progressToken" in meta
        exchange = Exchange(params, ctx.session, ctx.request_id, ctx.session.report_progress if wants else None)
        raw = await upstream.ask(ctx.method, params, exchange)
        return convert_result(ctx, raw, modern=exchange.modern)

    async def _able(self, capability: str) -> list[Upstream]:
        return [
            one
            for one in self._fleet.upstreams
            if one.link is not None and capability in one.link.server.get("capabilities", {})
        ]

    async def _listed(self, ctx: Context, capability: str, member: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = []
        for upstream in await self._able(capability):
            assert upstream.link is not None
            try:
                entries = await upstream.link.listed(ctx.method, member)
            except MCPError:
                continue  # for example, it has resources but no templates
            if member == "prompts":
                entries = [{**one, "name": self._fleet.catalogue.prefix_of(upstream) + one["name"]} for one in entries]
            found += entries
        return convert_result(ctx, {member: found}, modern=False)

    async def _by_uri(self, ctx: Context, params: Mapping[str, Any]) -> dict[str, Any]:
        """Asks each server in turn: only the server knows which addresses are its own."""
        refused: MCPError | None = None
        for upstream in await self._able("resources"):
            try:
                return await self._ask(upstream, ctx, params)
            except MCPError as error:
                refused = refused or error
        raise refused or MCPError(INVALID_PARAMS, f"No server has the resource {params.get('uri')!r:.200}.")

    async def _completed(self, ctx: Context, params: dict[str, Any]) -> dict[str, Any]:
        reference = params.get("ref")
        if isinstance(reference, Mapping) and reference.get("type") == "ref/prompt":
            upstream, name = self._named(reference.get("name"))
            return await self._ask(upstream, ctx, {**params, "ref": {**reference, "name": name}})
        refused: MCPError | None = None
        for upstream in await self._able("completions"):
            try:
                return await self._ask(upstream, ctx, params)
            except MCPError as error:
                refused = refused or error
        raise refused or MCPError(INVALID_PARAMS, "No server provides completions for this.")

    def _named(self, name: Any) -> tuple[Upstream, str]:
        for upstream in self._fleet.upstreams:
            if str(name).startswith(prefix := self._fleet.catalogue.prefix_of(upstream)):
                return upstream, str(name).removeprefix(prefix)
        known = ", ".join(self._fleet.catalogue.prefix_of(one) for one in self._fleet.upstreams)
        raise MCPError(INVALID_PARAMS, f"No prompt {str(name)!r:.200}: names begin with that of a server: {known}.")
