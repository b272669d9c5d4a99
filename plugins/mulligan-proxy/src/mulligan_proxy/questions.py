"""Translates the questions in an answer of a server of 2026-07-28 into requests to a client of an older version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from mulligan.errors import ToolExecutionError
from mulligan_proxy.exchange import Exchange

MOST_ROUNDS = 10
_KINDS: dict[str, tuple[type[Any], type[Any]]] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResultWithTools),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}


def needs_input(exchange: Exchange) -> bool:
    """Whether the server wants input before it answers.

    Args:
        exchange: the client's request, with the server's answer.
    """
    return exchange.modern and (exchange.result or {}).get("resultType") == "input_required"


async def params_with_answers(exchange: Exchange, server: str) -> dict[str, Any]:
    """The parameters of the repeated request, with the client's answers.

    Args:
        exchange: the client's request, with what the server asks for.
        server: the server's name.

    Raises:
        ToolExecutionError: the client cannot answer.
    """
    requested = exchange.result or {}
    answers: dict[str, Any] = {}
    for key, request in (requested.get("inputRequests") or {}).items():
        try:
            answers[key] = await _ask(exchange, request)
        except (MCPError, ValidationError, KeyError) as error:
            raise ToolExecutionError(
                f"The MCP server {server!r} requests input that this client cannot provide.",
                effect="none",
                provider=server,
                user_message=f"The tool server {server!r} requested input that this program cannot ask you for.",
            ) from error
    params = {**exchange.params, **({"inputResponses": answers} if answers else {})}
    if "requestState" in requested:
        params["requestState"] = requested["requestState"]
    return params


async def _ask(exchange: Exchange, request: Mapping[str, Any]) -> dict[str, Any]:
    kind, expected = _KINDS[request["method"]]
    metadata = ServerMessageMetadata(related_request_id=exchange.request_id)
    sent = kind.model_validate(request, by_name=False)
    answer = await exchange.session.send_request(sent, expected, metadata=metadata)
    dumped: dict[str, Any] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped
