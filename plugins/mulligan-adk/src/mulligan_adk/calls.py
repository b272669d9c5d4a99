"""ADK's tools as mulligan's: the schema that the model was shown, and a handler that runs ADK's own execution."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from mulligan import Pipeline, Session, Tool, ToolResult

STEERING = (
    "google.adk.workflow._errors.NodeInterruptedError",
    "google.adk.agents.invocation_context.LlmCallsLimitExceededError",
)
"""What ADK steers with: a node that waits for a person, and the host's bound on calls of the model."""

_HINTS = {
    "readOnlyHint": "read_only",
    "read_only_hint": "read_only",
    "idempotentHint": "idempotent",
    "idempotent_hint": "idempotent",
    "destructiveHint": "destructive",
    "destructive_hint": "destructive",
}
Execute = Callable[[str, dict[str, Any]], Awaitable[Any]]
_MOST = 1_000
_PLAIN = (str, int, float, bool, type(None))


class Call:
    """One call of a tool on its way through a pipeline.

    Args:
        pipeline: the pipeline with the tools that may be called now.
        execute: ADK's own execution.
        context: ADK's context of the call.

    Attributes:
        value: what the tool returned, whatever it is.
        exception: what the tool raised, or None.
    """

    def __init__(self, pipeline: Pipeline, execute: Execute, context: ToolContext) -> None:
        self._pipeline = pipeline
        self._execute = execute
        self._context = context
        self.value: Any = None
        self.exception: BaseException | None = None

    async def through(self, name: str, arguments: dict[str, Any], session: Session) -> ToolResult:
        """The result of the call.

        Args:
            name: the name that the model calls.
            arguments: what it sent.
            session: the conversation.
        """
        token = _CURRENT.set(self)
        try:
            id = self._context.function_call_id
            return await self._pipeline.acall(name, arguments, call_id=id, session=session)
        finally:
            _CURRENT.reset(token)

    async def run(self, name: str, arguments: dict[str, Any]) -> Any:
        """Runs the tool. Gives its value where mulligan can write it as JSON or it reports a failure, None otherwise.

        Args:
            name: the tool's name; another than the model called where the pipeline has repaired it.
            arguments: the validated arguments.
        """
        self.exception = None
        try:
            self.value = await self._execute(name, arguments)
        except BaseException as error:
            self.exception = error
            raise
        return self.value if self._is_readable() else None

    def _is_readable(self) -> bool:
        actions = self._context.actions
        if actions.requested_auth_configs or actions.requested_tool_confirmations:
            return False  # the value only says that the tool waits for a person
        if isinstance(self.value, _PLAIN) or _is_json(self.value):
            return True
        return self._pipeline.classify(self.value) is not None


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


_CURRENT: ContextVar[Call] = ContextVar("mulligan_adk_call")


async def _handle(name: str, /, **arguments: Any) -> Any:
    return await _CURRENT.get().run(name, arguments)


def _handle_in_thread(name: str, /, **arguments: Any) -> Any:
    return asyncio.run(_CURRENT.get().run(name, arguments))


class Tools:
    """Makes mulligan's tools of ADK's, and keeps those whose declaration has not changed.

    Args:
        timeout: seconds for every tool that has none of its own, or None.
        options: the attributes of `mulligan.Tool`, by the tool's name.
    """

    def __init__(self, timeout: float | None, options: Mapping[str, Mapping[str, Any]]) -> None:
        self._timeout = timeout
        self._options = {name: dict(given) for name, given in options.items()}
        for name, given in {"any": {}, **self._options}.items():  # what is wrong is told now
            _make(name, "", {"type": "object"}, {"timeout": timeout, **given}, threaded=False)
        self._made: dict[str, tuple[tuple[Any, ...], Tool]] = {}

    def of(self, request: LlmRequest) -> list[Tool]:
        """The tools of a request to the model.

        Args:
            request: ADK's request.
        """
        declared = _declarations(request)
        return [self.one(name, tool, declared.get(name)) for name, tool in request.tools_dict.items()]

    def one(self, name: str, tool: BaseTool, declared: types.FunctionDeclaration | None = None) -> Tool:
        """One tool; it takes any arguments where no declaration is known.

        Args:
            name: the name that the model calls.
            tool: ADK's tool.
            declared: what the model was shown of it.
        """
        schema = _schema(declared)
        options = {"timeout": self._timeout, **_hints(tool), **self._options.get(name, {})}
        threaded = options["timeout"] is not None and _blocks(tool)
        key = (tool.description, schema, options, threaded)
        known = self._made.get(name)
        if known is None or known[0] != key:
            if len(self._made) >= _MOST:
                self._made.clear()
            known = self._made[name] = key, _make(name, tool.description, schema, options, threaded=threaded)
        return known[1]


def _make(name: str, description: str, schema: Mapping[str, Any], options: dict[str, Any], *, threaded: bool) -> Tool:
    handler = partial(_handle_in_thread if threaded else _handle, name)
    tool = Tool.from_schema(name, description or "", schema, handler, **options)
    try:
        _ = tool.validator
    except Exception:  # a schema that cannot be used checks nothing, as in ADK
        tool = Tool.from_schema(name, description or "", {"type": "object"}, handler, **options)
    return tool


def _declarations(request: LlmRequest) -> dict[str, types.FunctionDeclaration]:
    tools = [tool for tool in request.config.tools or () if isinstance(tool, types.Tool)]
    return {one.name: one for tool in tools for one in tool.function_declarations or () if one.name is not None}


def _schema(declared: types.FunctionDeclaration | None) -> dict[str, Any]:
    """The JSON Schema of the arguments; one that takes anything where there is none, or none of an object."""
    given: Any = None
    if declared is not None:
        given = declared.parameters_json_schema
        if given is None and declared.parameters is not None:
            given = _without_odd_choices(
                declared.parameters.json_schema.model_dump(mode="json", by_alias=True, exclude_none=True)
            )
    if not isinstance(given, Mapping) or given.get("type", "object") != "object":
        return {"type": "object"}
    return dict(given)


def _without_odd_choices(schema: Any) -> Any:
    """Gemini's own schemas can write choices as texts only, also those of numbers."""
    if isinstance(schema, list):
        return [_without_odd_choices(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    odd = "enum" in schema and schema.get("type") not in ("string", None)
    return {name: _without_odd_choices(value) for name, value in schema.items() if not (odd and name == "enum")}


def _hints(tool: BaseTool) -> dict[str, bool]:
    """What an MCP server says of its tool."""
    annotations = getattr(getattr(tool, "raw_mcp_tool", None), "annotations", None)
    said = {name: getattr(annotations, name, None) for name in _HINTS}
    hints = {_HINTS[name]: value for name, value in said.items() if isinstance(value, bool)}
    if hints.get("read_only") and hints.get("destructive"):  # it contradicts itself: its milder claims are not believed
        hints |= {"read_only": False, "idempotent": False}
    return hints


def _blocks(tool: BaseTool) -> bool:
    """Whether ADK would run the tool's function on the event loop, where no deadline can reach it."""
    if not isinstance(tool, FunctionTool):
        return False
    function = inspect.unwrap(tool.func) if inspect.isroutine(tool.func) else type(tool.func).__call__
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction, inspect.isgeneratorfunction)
    return not any(kind(one) for kind in kinds for one in (function, tool.func))
