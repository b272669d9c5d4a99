"""The tools of all servers, under the names that clients see."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import attrs
import mcp_types as types
from loguru import logger
from mcp.shared.exceptions import MCPError
from mulligan_mcp.definitions import UnusableToolError, tool_of
from mulligan_mcp.vetting import concerns
from pydantic import ValidationError

from mulligan import Pipeline, Tool
from mulligan.errors import ToolExecutionError, UsageError
from mulligan_proxy.exchange import CURRENT
from mulligan_proxy.failures import meaning_of
from mulligan_proxy.log_text import one_line
from mulligan_proxy.names import accepted_name, prefixes_of
from mulligan_proxy.presets import read_only_tools
from mulligan_proxy.upstreams import Upstream


@attrs.frozen
class OfferedTool:
    """A tool as clients see it.

    Attributes:
        upstream: the server that has it.
        name: the server's own name for it.
        definition: the definition that clients get.
        tool: the tool that the pipeline runs.
    """

    upstream: Upstream
    name: str
    definition: dict[str, Any]
    tool: Tool


class Catalogue:
    """Keeps a pipeline's tools in step with those of the servers.

    Args:
        pipeline: the pipeline.
        servers: the names of the servers; if there are several, each tool's name begins with that of its server.
        timeout: seconds until a call is abandoned.
    """

    def __init__(self, pipeline: Pipeline, *, servers: list[str], timeout: float) -> None:
        self._pipeline = pipeline
        self._prefixes = prefixes_of(servers) if len(servers) > 1 else dict.fromkeys(servers, "")
        self._timeout = timeout
        self._offered: dict[str, OfferedTool] = {}

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """The entries of `tools/list`."""
        return [one.definition for one in self._offered.values()]

    def prefix_of(self, upstream: Upstream) -> str:
        """The prefix of the names of a server's tools and prompts: empty if it is the only one.

        Args:
            upstream: the server.
        """
        return self._prefixes[upstream.spec.name]

    def unmatched_options(self) -> list[str]:
        """A message for each entry of the tool options that has matched no tool so far."""
        return self._pipeline.tools.tool_options.unmatched(self._pipeline.tools.values())

    def upstream_of(self, name: str) -> Upstream | None:
        """The server that has a tool.

        Args:
            name: the name that the client knows.
        """
        found = self._offered.get(name)
        return None if found is None else found.upstream

    def replace(self, upstream: Upstream, definitions: list[dict[str, Any]]) -> bool:
        """Replaces the tools of a server.

        Args:
            upstream: the server.
            definitions: the entries of its `tools/list`.

        Returns:
            Whether anything has changed.
        """
        old = {name: one for name, one in self._offered.items() if one.upstream is upstream}
        new = self._make_tools(upstream, definitions)
        upstream.tools = len(new)
        if {name: one.definition for name, one in old.items()} == {name: one.definition for name, one in new.items()}:
            return False
        for concern in concerns(definitions):
            logger.warning("{}: {}", upstream.spec.name, one_line(concern))
        for name, tool in new.items():
            if not name.endswith(tool.name):
                logger.info("{}: the tool {!a} is offered as {}", upstream.spec.name, one_line(tool.name), name)
        others = {name: one for name, one in self._offered.items() if one.upstream is not upstream}
        self._offered = {**others, **new}
        for name in old.keys() - new.keys():
            self._pipeline.tools.remove(name)
        for one in new.values():
            self._pipeline.tools.add(one.tool, replace=True)
        return True

    def _make_tools(self, upstream: Upstream, definitions: list[dict[str, Any]]) -> dict[str, OfferedTool]:
        made: dict[str, OfferedTool] = {}
        known_reads = read_only_tools(upstream.spec.command)
        for definition in definitions:
            try:
                types.Tool.model_validate(definition, by_name=False)
                name = accepted_name(self.prefix_of(upstream) + definition["name"])
                tool = tool_of(
                    definition,
                    self._runner(upstream, definition["name"], name),
                    name=name,
                    trusted=upstream.spec.trusted,
                    known_read_only=definition["name"] in known_reads,
                    provider=upstream.spec.name,
                )
                tool = _checked_options(self._pipeline.tools.tool_options.apply(tool))
            except (UnusableToolError, UsageError, ValidationError, RecursionError) as error:
                why = "it is not what the protocol allows" if isinstance(error, ValidationError) else str(error)
                named = one_line(_name_of(definition))
                logger.warning("{}: the tool {!a} is left out: {}", upstream.spec.name, named, one_line(why))
            else:
                made[name] = OfferedTool(upstream, definition["name"], {**definition, "name": name}, tool)
        return made

    def _runner(self, upstream: Upstream, name: str, public_name: str) -> Callable[..., Any]:
        """Asks the server. The pipeline itself ends a call whose tool has a timeout of its own."""

        async def run(**arguments: Any) -> Any:
            has_timeout = self._pipeline.tools[public_name].timeout is not None
            with CURRENT.get().within(math.inf if has_timeout else self._timeout):
                return await _run(upstream, name, arguments)

        return run


def _checked_options(tool: Tool) -> Tool:
    """A tool, unless its options say where it runs.

    Raises:
        UsageError: they do.
    """
    for option in ("executor", "killable"):
        if getattr(tool, option):
            raise UsageError(f"its server runs it, so it cannot run elsewhere; remove {option} from its options")
    return tool


def _name_of(definition: Any) -> str:
    return str(definition.get("name")) if isinstance(definition, dict) else "?"


async def _run(upstream: Upstream, name: str, arguments: dict[str, Any]) -> Any:
    """Asks the server. A success is put into the exchange unchanged: only the client reads it."""
    exchange = CURRENT.get()
    exchange.result = None  # the answer of an earlier attempt does not count
    params = {**exchange.params, "name": name}
    if arguments or "arguments" in params:
        params["arguments"] = arguments
    try:
        exchange.result = await upstream.ask("tools/call", params, exchange, patience=0.0)
    except MCPError as error:
        raise meaning_of(error, upstream.spec.name) from error
    except ValidationError as error:
        raise ToolExecutionError(
            f"The MCP server {upstream.spec.name!r} returned something that is not a tool result.",
            effect="possible",
            provider=upstream.spec.name,
        ) from error
    return exchange.result if exchange.result.get("isError") is True else ""
