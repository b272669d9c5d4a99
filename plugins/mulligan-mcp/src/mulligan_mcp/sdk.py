"""Middleware for servers made with the MCP SDK.

from mcp.server.mcpserver import MCPServer
from mulligan_mcp.sdk import protect

server = protect(MCPServer("files"))
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mulligan import Pipeline
from mulligan.errors import UsageError
from mulligan_mcp.answers import failure_of
from mulligan_mcp.protection import Protection, ServerCall

Server = TypeVar("Server")
_RAISED: ContextVar[list[Exception] | None] = ContextVar("mulligan_mcp_raised", default=None)


def protect(server: Server, pipeline: Pipeline | None = None, *, timeout: float | None = None) -> Server:
    """Adds mulligan to a server's tools.

    Args:
        server: an `MCPServer`, or a low-level `Server`.
        pipeline: the pipeline for calls; by default a new one with the installed plugins.
        timeout: seconds until a call times out, or None.

    Returns:
        The server.

    Raises:
        UsageError: it is not such a server, or is already protected.
    """
    chain = getattr(server, "middleware", None)
    if not isinstance(chain, list):
        raise UsageError(f"{server!r:.80} is no server of the MCP SDK: give an MCPServer or a low-level Server")
    if any(isinstance(one, MulliganMiddleware) for one in chain):
        raise UsageError(f"{server!r:.80} is protected already")
    middleware = MulliganMiddleware(pipeline, timeout=timeout)
    middleware.tools = getattr(server, "_tool_manager", None)
    chain.append(middleware)
    if hasattr(server, "call_tool"):
        server.call_tool = _with_recorded_errors(server.call_tool)
    return server


class MulliganMiddleware:
    """Explains every failed call to the model, with what it can do next. Successful results are unchanged.

    Prefer `protect`: on its own, a middleware never sees the exceptions of an `MCPServer`'s tools.

    Args:
        pipeline: the pipeline for calls; by default a new one with the installed plugins.
        timeout: seconds until a call times out, or None.

    Attributes:
        tools: the known tools of an `MCPServer`.
    """

    def __init__(self, pipeline: Pipeline | None = None, *, timeout: float | None = None) -> None:
        self.tools: Any = None
        self._protection = Protection(pipeline, timeout)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handles a call; every other message is passed on.

        Args:
            ctx: the message.
            call_next: the server's own handler.
        """
        params = ctx.params or {}
        if ctx.method != "tools/call" or ctx.request_id is None or not isinstance(params.get("name"), str):
            return await call_next(ctx)
        served = _Call(ctx, call_next, self.tools)
        answer = await self._protection.call(served)
        if answer is None:
            return served.answer  # type: ignore[no-any-return]
        original = served.answer if isinstance(served.answer, Mapping) else None
        complete = {"resultType": "complete"} if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else {}
        return {**complete, **failure_of(answer, original)}


class _Call(ServerCall):
    def __init__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext, tools: Any) -> None:
        params = ctx.params or {}
        super().__init__(params["name"], params.get("arguments"))
        self._ctx = ctx
        self._call_next = call_next
        self._tools = tools

    async def find(self) -> Mapping[str, Any] | None:
        return next((one for one in await self.listing() if one.get("name") == self.name), None)

    async def listing(self) -> list[Mapping[str, Any]]:
        meta = (self._ctx.params or {}).get("_meta")
        params = {} if meta is None else {"_meta": meta}
        listed = await self._call_next(replace(self._ctx, method="tools/list", params=params))
        return list((listed.get("tools") if isinstance(listed, Mapping) else None) or ())

    def may_run_on(self) -> bool:
        tool = None if self._tools is None else self._tools.get_tool(self.name)
        return getattr(tool, "is_async", False) is not True

    async def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        params = {**(self._ctx.params or {}), "name": name, "arguments": arguments}
        raised: list[Exception] = []
        token = _RAISED.set(raised)
        try:
            answer = await self._call_next(replace(self._ctx, params=params))
        finally:
            _RAISED.reset(token)
        if raised:
            raise raised[0]
        return answer

    def is_refusal(self) -> bool:
        return isinstance(self.wrapper, ToolError) and isinstance(self.wrapper.__cause__, ValidationError)

    def is_wrapped(self) -> bool:
        return isinstance(self.wrapper, UnexpectedToolError)

    def is_masked(self) -> bool:
        return self.is_wrapped()


def _with_recorded_errors(call: Any) -> Any:
    """`MCPServer.call_tool`, which also records the exception for the caller."""

    @wraps(call)
    async def call_tool(*args: Any, **kwargs: Any) -> Any:
        try:
            return await call(*args, **kwargs)
        except Exception as error:
            waiting = _RAISED.get()
            if waiting is not None:
                waiting.append(error)
            raise

    return call_tool
