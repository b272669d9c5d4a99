"""Middleware for servers made with FastMCP.

from fastmcp import FastMCP
from mulligan_mcp.fastmcp import MulliganMiddleware

server = FastMCP("files", middleware=[MulliganMiddleware()])
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any

import mcp_types as types
from fastmcp.exceptions import ValidationError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import FunctionTool, ToolResult
from pydantic import ValidationError as PydanticValidationError

from mulligan import Pipeline
from mulligan_mcp.answers import failure_of
from mulligan_mcp.protection import Protection, ServerCall

_Context = MiddlewareContext[types.CallToolRequestParams]


class MulliganMiddleware(Middleware):
    """Explains every failed call to the model, with what it can do next. Successful results are unchanged.

    Put it first, so that it sees the effects of the others.

    Args:
        pipeline: the pipeline for calls; by default a new one with the installed plugins.
        timeout: seconds until a call times out, or None.
    """

    def __init__(self, pipeline: Pipeline | None = None, *, timeout: float | None = None) -> None:
        self._protection = Protection(pipeline, timeout)

    async def on_call_tool(self, context: _Context, call_next: CallNext[types.CallToolRequestParams, Any]) -> Any:
        """Handles a call.

        Args:
            context: the call.
            call_next: the server's own handler.
        """
        served = _Call(context, call_next)
        answer = await self._protection.call(served)
        if answer is None:
            return served.answer
        original = _plain(served.answer) if isinstance(served.answer, ToolResult) else None
        failed = failure_of(answer, original)
        blocks = types.CallToolResult.model_validate(failed, by_name=False).content
        return ToolResult(
            content=blocks,
            structured_content=failed.get("structuredContent"),
            meta=failed.get("_meta"),
            is_error=True,
        )


class _Call(ServerCall):
    def __init__(self, context: _Context, call_next: CallNext[types.CallToolRequestParams, Any]) -> None:
        super().__init__(context.message.name, context.message.arguments)
        self._context = context
        self._call_next = call_next
        self._tool: Any = None

    @property
    def _server(self) -> Any:
        return None if self._context.fastmcp_context is None else self._context.fastmcp_context.fastmcp

    async def find(self) -> Mapping[str, Any] | None:
        tool = self._tool = None if self._server is None else await self._server.get_tool(self.name)
        if tool is None and self.name not in [one["name"] for one in await self.listing()]:
            return None
        return {"name": self.name, "inputSchema": {}} if tool is None else _entry(tool)

    async def listing(self) -> list[Mapping[str, Any]]:
        return [] if self._server is None else [_entry(tool) for tool in await self._server.list_tools()]

    async def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        message = self._context.message.model_copy(update={"name": name, "arguments": arguments})
        return await self._call_next(self._context.copy(message=message))

    def is_refusal(self) -> bool:
        return isinstance(self.wrapper, (ValidationError, PydanticValidationError))

    def is_wrapped(self) -> bool:
        return self.wrapper is not None and str(self.wrapper).startswith(f"Error calling tool {self.name!r}")

    def may_run_on(self) -> bool:
        return not (isinstance(self._tool, FunctionTool) and iscoroutinefunction(self._tool.fn))

    def is_local(self) -> bool:
        return isinstance(self._tool, FunctionTool)

    def is_masked(self) -> bool:
        return self.is_wrapped() and getattr(self._server, "_mask_error_details", False) is True


def _entry(tool: Any) -> dict[str, Any]:
    entry: dict[str, Any] = tool.to_mcp_tool().model_dump(by_alias=True, mode="json", exclude_none=True)
    return entry


def _plain(result: ToolResult) -> dict[str, Any]:
    return {
        "content": [block.model_dump(by_alias=True, mode="json", exclude_none=True) for block in result.content],
        **({} if result.structured_content is None else {"structuredContent": result.structured_content}),
        **({} if result.meta is None else {"_meta": result.meta}),
    }
