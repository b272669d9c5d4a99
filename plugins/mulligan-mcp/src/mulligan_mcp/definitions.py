"""Converts the tool definitions of an MCP server to mulligan's `Tool`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan import Tool, hints_of
from mulligan.errors import MulliganError


class UnusableToolError(MulliganError):
    """A tool that cannot be offered; the message says why."""


def tool_of(
    definition: Mapping[str, Any],
    handler: Callable[..., Any],
    *,
    name: str | None = None,
    trusted: bool = False,
    known_read_only: bool = False,
    timeout: float | None = None,
    provider: str | None = None,
) -> Tool:
    """Creates a tool from an entry of `tools/list`.

    The server's hints (`readOnlyHint` and so on) are claims, read by `mulligan.hints_of`. A schema is compiled immediately,
    within limits, and its `$ref`s are never fetched.

    Args:
        definition: the entry.
        handler: called with the validated arguments as keywords.
        name: the tool's name for the model; by default the server's.
        trusted: whether to trust the hints.
        known_read_only: whether the host knows that the tool changes nothing, regardless of the hints.
        timeout: seconds until a call times out.
        provider: the server's name.

    Raises:
        UnusableToolError: it has no name, or its schema is unusable.
    """
    called = name or definition.get("name")
    schema = definition.get("inputSchema")
    if not isinstance(called, str) or not called:
        raise UnusableToolError("it has no name")
    if not isinstance(schema, Mapping):
        raise UnusableToolError("its inputSchema is no object")
    hints = {"read_only": True} if known_read_only else hints_of(claims(definition), trusted)
    options = {**hints, "timeout": timeout, "provider": provider}
    description = definition.get("description")
    try:
        tool = Tool.from_schema(
            called,
            description if isinstance(description, str) else "",
            schema,
            handler,
            tool_type="extension",
            **options,
        )
        _ = tool.validator
    except MulliganError as error:
        raise UnusableToolError(str(error)) from error
    return tool


def claims(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `annotations` of an entry of `tools/list`; empty if there are none.

    Args:
        definition: the entry.
    """
    found = definition.get("annotations")
    return found if isinstance(found, Mapping) else {}
