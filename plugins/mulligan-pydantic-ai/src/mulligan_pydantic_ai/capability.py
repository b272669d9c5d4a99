"""The capability `Mulligan`: every tool call of an agent goes through mulligan."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema, from_json

from mulligan import Pipeline, ToolResult
from mulligan_pydantic_ai.calls import (
    CONTROL_FLOW,
    Call,
    ErrorReportingToolset,
    current_call,
    make_tool,
    run,
    runs_in_thread,
    validate,
)
from mulligan_pydantic_ai.memory import Memory

_LATER = 1e9  # seconds: mulligan keeps the deadlines
_HINTS = {"readOnlyHint": "read_only", "idempotentHint": "idempotent", "destructiveHint": "destructive"}
_ANYTHING = SchemaValidator(core_schema.any_schema())


@dataclass
class _Unknown(ToolDefinition):
    """Stands for a name that no tool has, so that Pydantic AI asks the capability about its call."""


class Mulligan(AbstractCapability[Any]):
    """Gives every call of a function tool a second chance; unknown names, wrong arguments and failures are told in full.

    Args:
        pipeline: your own policy, plugins, format, limits and middleware.
        timeout: seconds for each call of a tool that has no timeout of its own.
        tools: options of `mulligan.Tool` by the tool's name, such as `{"search": {"read_only": True}}`.

    Attributes:
        memory: what is remembered of the run; each run has a capability of its own.

    Raises:
        UsageError: there is no such option.
    """

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        timeout: float | None = None,
        tools: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        for options in (tools or {}).values():
            make_tool("checked", None, {}, run, **options)
        self._pipeline = (pipeline or Pipeline()).with_tools((), control_flow=CONTROL_FLOW)
        self._timeout = timeout
        self._options = tools or {}
        self.memory = Memory(self._pipeline, None)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """It is not written in YAML."""
        return None

    async def for_run(self, ctx: RunContext[Any]) -> Mulligan:
        """A fresh conversation for each run.

        Args:
            ctx: of the run.
        """
        fresh = copy.copy(self)
        fresh.memory = Memory(self._pipeline, ctx.run_id)
        return fresh

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """A run whose last step had a fatal failure has no result.

        Raises:
            RunStopped: with the reason.
        """
        result: AgentRunResult[Any] = await handler()
        self.memory.raise_if_fatal(result.all_messages())
        return result

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Takes over the tools' deadlines."""
        return [one if one.timeout == _LATER else self._without_timeout(one) for one in tool_defs]

    def _without_timeout(self, tool_def: ToolDefinition) -> ToolDefinition:
        own = tool_def.timeout or self._timeout
        timeout = self._options.get(tool_def.name, {}).get("timeout", own)
        if timeout is None:
            self.memory.timeouts.pop(tool_def.name, None)
            return tool_def
        self.memory.timeouts[tool_def.name] = timeout
        return replace(tool_def, timeout=_LATER)

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """Has the tools let out what happened.

        Args:
            toolset: of the agent.
        """
        return ErrorReportingToolset(toolset)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Lets the model have another step, unless a tool failed for good.

        Raises:
            RunStopped: with the reason.
        """
        self.memory.raise_if_fatal(request_context.messages)
        self.memory.next_step()
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Makes Pydantic AI ask about names that no tool has; it would answer them before any capability is asked."""
        manager = ctx.tool_manager
        if manager is None or manager.tools is None:
            return response
        tools = {name: tool for name, tool in manager.tools.items() if not isinstance(tool.tool_def, _Unknown)}
        names = {part.tool_name for part in response.parts if isinstance(part, ToolCallPart)} - set(tools)
        if names:
            available = {name: tool.tool_def for name, tool in tools.items() if ctx.is_tool_available(tool.tool_def)}
            self.memory.offer(available)
            manager.tools = {**tools, **{name: _stand_in(name, manager.toolset) for name in sorted(names)}}
        return response

    async def wrap_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> dict[str, Any]:
        """What Pydantic AI takes is taken; what it refuses is explained, or repaired where the policy allows it.

        Raises:
            ToolFailed: what the model is told.
        """
        if isinstance(tool_def, _Unknown):
            raise self.memory.failed(await self._acall(self.memory.offered, call, args))
        try:
            validated: dict[str, Any] = await handler(args)
            return validated
        except ValidationError as error:
            one = Call(handler, _read(args), self._view(tool_def, runs=False), refused=error)
        result = await self._run_pipeline(one, call, args)
        if result.is_error:
            raise self.memory.failed(result)
        self.memory.repaired[call.tool_call_id] = (one.arguments, result.content.partition("\n")[2])
        return one.value  # type: ignore[no-any-return]

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], handler: Any
    ) -> Any:
        """Runs the tool, with deadline, middleware and all, and tells the model what went wrong.

        Raises:
            ToolFailed: what the model is told.
        """
        sent, note = self.memory.repaired.pop(call.tool_call_id, (_read(call.args), ""))
        tools = ctx.tool_manager.tools if ctx.tool_manager is not None else None
        in_thread = runs_in_thread((tools or {}).get(call.tool_name))
        one = Call(handler, args, self._view(tool_def, runs=True, in_thread=in_thread))
        one.deadline = self.memory.timeouts.get(call.tool_name) if in_thread else None
        result = await self._run_pipeline(one, call, sent)
        if result.is_error:
            raise self.memory.failed(result)
        if isinstance(one.value, str):
            return f"{result.content}\n{note}" if note else result.content
        return one.value

    async def _run_pipeline(self, one: Call, call: ToolCallPart, arguments: Any) -> ToolResult:
        token = current_call.set(one)
        try:
            result = await self._acall(one.view, call, arguments)
        finally:
            current_call.reset(token)
        if one.passing is not None:
            raise one.passing
        return result

    async def _acall(self, view: Pipeline, call: ToolCallPart, arguments: Any) -> ToolResult:
        return await view.acall(call.tool_name, arguments, call_id=call.tool_call_id, session=self.memory.session)

    def _view(self, tool_def: ToolDefinition, *, runs: bool, in_thread: bool = False) -> Pipeline:
        """A pipeline with one tool: its schema counts where the arguments are explained, its options where it runs."""
        known, view = self.memory.views.get((tool_def.name, runs), (None, self._pipeline))
        if known != tool_def:
            options = {**_hints(tool_def), **self._options.get(tool_def.name, {}), "timeout": None}
            if not runs:
                options["idempotent"] = True  # it only validates: its answer is not the one that the call's id gets
            elif not in_thread:
                options["timeout"] = self.memory.timeouts.get(tool_def.name)
            schema = {"type": "object"} if runs else tool_def.parameters_json_schema
            tool = make_tool(tool_def.name, tool_def.description, schema, run if runs else validate, **options)
            view = self._pipeline.with_tools([tool])
            self.memory.views[tool_def.name, runs] = (tool_def, view)
        return view


def _stand_in(name: str, toolset: AbstractToolset[Any]) -> ToolsetTool[Any]:
    return ToolsetTool(toolset=toolset, tool_def=_Unknown(name=name), max_retries=0, args_validator=_ANYTHING)


def _read(arguments: Any) -> Any:
    """The arguments as a mapping, however they were sent; what is no JSON as it is."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return from_json(arguments or "{}")
    except ValueError:
        return arguments


def _hints(tool_def: ToolDefinition) -> dict[str, Any]:
    """What a server of the Model Context Protocol says of a tool."""
    said = (tool_def.metadata or {}).get("annotations")
    if not isinstance(said, Mapping):
        return {}
    return {ours: said[theirs] for theirs, ours in _HINTS.items() if said.get(theirs) is not None}
