"""A tool of CrewAI as mulligan sees it, and what replaces it during a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from crewai.tools import BaseTool
from crewai.tools.mcp_native_tool import MCPNativeTool
from crewai.tools.mcp_tool_wrapper import MCPToolWrapper
from crewai.tools.structured_tool import CrewStructuredTool, strip_composite_description_prefix
from crewai.utilities.string_utils import sanitize_tool_name
from pydantic import BaseModel, PrivateAttr

from mulligan import Tool
from mulligan.adapters import OPEN, Adapter, current_attempt, handler_for
from mulligan.plugin import takes_any


def by_name(tools: Iterable[Any]) -> dict[str, Any]:
    """Tools by the name that a model calls; of two with the same name the first, as in CrewAI.

    Args:
        tools: of CrewAI.
    """
    named: dict[str, Any] = {}
    for tool in tools:
        named.setdefault(sanitize_tool_name(tool.name), tool)
    return named


def as_tool(name: str, tool: BaseTool, adapter: Adapter) -> Tool:
    """A tool of mulligan.

    Args:
        name: the name that the model calls.
        tool: the same tool of CrewAI.
        adapter: holds the host's options.
    """
    description = strip_composite_description_prefix(tool.description)
    schema = _schema(tool.args_schema, is_closed=not _takes_any(tool))
    return adapter.tool(name, description, schema, handler_for(name, awaited=False))


@lru_cache(maxsize=1_000)
def _schema(model: type[BaseModel] | None, *, is_closed: bool) -> Mapping[str, Any]:
    try:
        schema: dict[str, Any] = {} if model is None else model.model_json_schema()
    except Exception:  # a type that has no JSON Schema; CrewAI's own validation remains
        return OPEN
    return {**OPEN, **schema, **({"additionalProperties": False} if is_closed else {})}


def _takes_any(tool: BaseTool) -> bool:
    """Whether a tool takes arguments beside those of its schema."""
    model: Any = tool.args_schema
    if model is not None and (model.model_fields or model.model_config.get("extra") == "allow"):
        return bool(model.model_config.get("extra") == "allow")
    return takes_any(getattr(tool, "func", None) or tool._run)  # noqa: SLF001


def call_once(tools: Iterable[BaseTool]) -> None:
    """Tools of MCP servers make each call once: CrewAI's clients repeat it after any failure, whatever it may have done.

    Args:
        tools: those of them are changed.
    """
    for tool in tools:
        if isinstance(tool, MCPNativeTool) and not isinstance(tool._client_factory, _Once):  # noqa: SLF001
            tool._client_factory = _Once(tool._client_factory)  # noqa: SLF001 - test_crewai_canary.py watches it
        elif isinstance(tool, MCPToolWrapper):
            vars(tool)["_retry_with_exponential_backoff"] = _run_once


class _Once:
    """Makes clients of MCP servers that do not repeat calls."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __call__(self) -> Any:
        client = self._make()
        client.max_retries = 1
        return client


async def _run_once(operation: Callable[..., Awaitable[str]], **arguments: Any) -> str:
    try:
        return await operation(**arguments)
    except Exception as error:
        attempt = current_attempt()
        if attempt is not None:
            attempt.escaped = error.__cause__ or error  # CrewAI makes a text of it
        raise


class UnknownTool(BaseTool):
    """Stands for a name that no tool has, so that its call is answered like any other."""

    def _run(self) -> None:
        raise NotImplementedError


_KEPT = ("description", "result_as_answer", "tool_failure_policy", "max_usage_count", "current_usage_count")


class TextTool(CrewStructuredTool):
    """Stands for the tool that a model calls in its text: the name is exactly the one that was called."""

    _call: Any = PrivateAttr()
    _own: CrewStructuredTool | None = PrivateAttr(default=None)

    @classmethod
    def standing_for(cls, call: Any, own: CrewStructuredTool | None) -> TextTool:
        """The one for a call.

        Args:
            call: runs in its place.
            own: the tool of that name, or None.
        """
        fields: dict[str, Any] = {name: getattr(own, name) for name in (() if own is None else _KEPT)}
        made = cls(name=call.name, args_schema=BaseModel if own is None else own.args_schema, **fields)
        made._call, made._own = call, own
        if own is not None and own.cache_function is not None:
            made.cache_function = lambda sent, value: call.answer is None and own.cache_function(sent, value)
        return made

    def invoke(self, input: str | dict[str, Any], config: dict[str, Any] | None = None, **kwargs: Any) -> Any:
        """Takes the call through mulligan.

        Args:
            input: the arguments, of which CrewAI has left out those that do not exist.
            config: of no use.
            kwargs: of no use.
        """
        known = set() if self._own is None else set(self.args)
        dropped = {name: value for name, value in self._call.shown.items() if name not in known}
        return self._call.run({**dropped, **dict(input)})  # type: ignore[arg-type]

    def format_output_for_agent(self, raw_result: Any) -> str:
        """As the tool does.

        Args:
            raw_result: what it returned.
        """
        own = self._own
        return super().format_output_for_agent(raw_result) if own is None else own.format_output_for_agent(raw_result)
