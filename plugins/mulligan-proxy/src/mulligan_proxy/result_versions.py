"""Converts results between the two kinds of protocol versions: those with a handshake, and those since 2026-07-28 without."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST
from mcp_types import methods as spec
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

_MODERN_ONLY = ("resultType", "ttlMs", "cacheScope")


def convert_result(ctx: ServerRequestContext[Any, Any], raw: dict[str, Any], *, modern: bool) -> dict[str, Any]:
    """A result in the form of the client's version; unchanged if server and client speak the same kind of version.

    Args:
        ctx: the client's request.
        raw: the result.
        modern: whether the result is of a version without a handshake.

    Raises:
        MCPError: the server wants input in a form that the client's version does not have.
    """
    wanted = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    if wanted == modern:
        return raw
    if not wanted:
        if raw.get("resultType") == "input_required":
            raise MCPError(INVALID_REQUEST, "The server requests input in a way that requires a newer client.")
        return {name: value for name, value in raw.items() if name not in _MODERN_ONLY}
    cached = {"ttlMs": 0, "cacheScope": "private"} if ctx.method in spec.CACHEABLE_METHODS else {}
    try:
        return spec.serialize_server_result(
            ctx.method, ctx.protocol_version, {"resultType": "complete", **cached, **raw}
        )
    except KeyError:
        return {"resultType": "complete", **raw}
    except ValidationError as error:
        raise MCPError(INTERNAL_ERROR, "The server's response violates the protocol.") from error
