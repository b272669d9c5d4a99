"""What an MCP server says of its tools, made into mulligan's `Tool`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan import Tool, hints_of
from mulligan.errors import MulliganError


class UnusableToolError(MulliganError):
    """A tool that cannot be offered: the text says why."""


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
    """A tool out of an entry of `tools/list`.

    The hints of the server (`readOnlyHint` and so on) are claims, read by `mulligan.hints_of`. A schema is compiled at once,
    within bounds, and no `$ref` of it is ever fetched.

    Args:
        definition: the entry.
        handler: called with the validated arguments as keywords.
        name: the name that the model calls; by default the server's.
        trusted: whether the hints are believed.
        known_read_only: whether the host itself knows that the tool changes nothing, whatever the hints say.
        timeout: seconds until a call is given up.
        provider: the server's name.

    Raises:
        UnusableToolError: it has no name, or a schema that cannot be used.
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
    """The `annotations` of an entry of `tools/list`; empty where there are none.

    Args:
        definition: the entry.
    """
    found = definition.get("annotations")
    return found if isinstance(found, Mapping) else {}
