"""Any MCP server's tools as a `Toolset`, through the client that a program already has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from loguru import logger

from mulligan import Tool, Toolset
from mulligan.errors import UsageError
from mulligan_mcp.definitions import UnusableToolError, tool_of
from mulligan_mcp.vetting import concerns

_MOST_PAGES = 100


async def tools_from(
    client: Any, *, trusted: bool = False, prefix: str = "", timeout: float | None = 60.0, server: str = "server"
) -> Toolset:
    """The tools of a connected MCP server.

    The pipeline that receives them recognizes failures: a result with `isError`, a protocol error, a
    closed connection, a call that takes too long.

    Args:
        client: a connected `mcp.ClientSession`, `mcp.Client` or `fastmcp.Client`.
        trusted: whether to trust the server's hints (`readOnlyHint` and so on). Only then may a call be repeated.
        prefix: a prefix for each name, such as `github__`.
        timeout: seconds until a call times out.
        server: the server's name in the log and in results.

    Raises:
        UsageError: it is not such a client.
    """
    if not all(callable(getattr(client, method, None)) for method in ("list_tools", "call_tool")):
        raise UsageError(f"{client!r:.80} is no MCP client: give a ClientSession, mcp.Client or fastmcp.Client")
    definitions = [_plain(one) for one in await _list_tools(client)]
    for concern in concerns(definitions):
        logger.warning("{}: {}", server, concern)
    toolset = Toolset()
    for definition in definitions:
        try:
            toolset.add(_tool(client, definition, prefix, trusted, timeout, server))
        except (UnusableToolError, UsageError) as error:
            logger.warning("{}: tool {!a} is left out: {}", server, definition.get("name"), error)
    return toolset


def _tool(
    client: Any, definition: Mapping[str, Any], prefix: str, trusted: bool, timeout: float | None, server: str
) -> Tool:
    name = str(definition.get("name") or "")
    call = _caller(client, name)
    return tool_of(definition, call, name=prefix + name, trusted=trusted, timeout=timeout, provider=server)


def _caller(client: Any, name: str) -> Callable[..., Any]:
    raw = getattr(client, "call_tool_mcp", client.call_tool)  # FastMCP's `call_tool` drops the failed result

    async def call(**arguments: Any) -> Any:
        return _result(await raw(name, arguments))

    return call


def _result(answer: Any) -> dict[str, Any]:
    """A `CallToolResult` in wire format, in which the dialects find images and structured content."""
    return _plain(answer)


async def _list_tools(client: Any) -> list[Any]:
    found: list[Any] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await (_page(client, cursor) if cursor else client.list_tools())
        if isinstance(page, list):
            return page
        found += page.tools
        cursor = page.next_cursor if hasattr(page, "next_cursor") else getattr(page, "nextCursor", None)
        if not cursor:
            break
    return found


def _page(client: Any, cursor: str) -> Any:
    """The next page; the clients' methods differ."""
    if "params" not in signature(client.list_tools).parameters:
        return client.list_tools(cursor=cursor)
    from mcp.types import PaginatedRequestParams

    return client.list_tools(params=PaginatedRequestParams(cursor=cursor))


def _plain(model: Any) -> dict[str, Any]:
    plain: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return plain
