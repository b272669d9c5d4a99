"""The capability `Mulligan`: every tool call of an agent goes through mulligan."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema, from_json

from mulligan import Pipeline, Tool, ToolCall, hints_of
from mulligan.adapters import OPEN, Adapter, handler_for
from mulligan_pydantic_ai.calls import (
    CONTROL_FLOW,
    ErrorReportingToolset,
    Execution,
    Memory,
    Validation,
    annotations_of,
    runs_in_thread,
)

_ANYTHING = SchemaValidator(core_schema.any_schema())


@dataclass
class _Unknown(ToolDefinition):
    """Stands for a name that no tool has, so that Pydantic AI asks the capability about its call."""


class Mulligan(AbstractCapability[Any]):
    """Gives every call of a function tool a second chance; unknown names, wrong arguments and failures are explained in full.

    Args:
        pipeline: your own policy, plugins, format, limits and middleware.
        timeout: seconds for each call of a tool that has no timeout of its own, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name or a pattern: `{"search_*": {"read_only": True}}`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        tools: the old name of `tool_options`.

    Attributes:
        memory: what is remembered of the run; each run has a capability of its own.

    Raises:
        UsageError: an argument is wrong.
    """

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        timeout: float | Mapping[str, float] | None = None,
        tool_options: Mapping[str, Mapping[str, Any]] | None = None,
        fatal: Any = None,
        repair: Any = None,
        tools: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        options: Any = {"timeout": timeout, "tool_options": tool_options or tools, "fatal": fatal, "repair": repair}
        self._adapter = Adapter("Mulligan", pipeline, control_flow=CONTROL_FLOW, **options)
        self.memory = self._begin(None)

    def _begin(self, run_id: str | None) -> Memory:
        return Memory(self._adapter.pipeline.session(run_id), self._adapter.pipeline)

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
        fresh.memory = self._begin(ctx.run_id)
        fresh.memory.note_request(ctx.prompt or ())
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
        """Leaves the tools as they are.

        Raises:
            UsageError: a timeout or options are for a tool that does not exist.
        """
        self._adapter.check_names([self._tool(one, runs=True) for one in tool_defs], are_all=False)
        return tool_defs

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
            shown = [tool.tool_def for tool in tools.values() if ctx.is_tool_available(tool.tool_def)]
            self.memory.view = self._adapter.view(map(self._named, shown))
            manager.tools = {**tools, **{name: _stand_in(name, manager.toolset) for name in sorted(names)}}
        return response

    async def wrap_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> dict[str, Any]:
        """What Pydantic AI takes is taken; what it refuses is explained, or repaired where the policy allows it.

        Raises:
            ToolFailed: what the model reads.
        """
        self.memory.join_step()  # calls that an earlier run has deferred are made before any request
        sent = ToolCall(call.tool_call_id, call.tool_name, _read(args))
        if isinstance(tool_def, _Unknown):
            raise self.memory.failed(await self.memory.view.acall(sent, session=self.memory.session))
        view = self._adapter.view([self._tool(tool_def, runs=False)])
        validated: dict[str, Any]
        try:
            validated = await handler(args)
            return validated
        except ValidationError as error:
            refused = error
        prepared = await view.aprepare(sent)
        if prepared is not None and prepared.arguments != sent.arguments:
            try:
                validated = await handler(prepared.arguments)
            except ValidationError as error:
                refused = error
            else:
                self.memory.prepared[call.tool_call_id] = prepared
                return validated
        raise self.memory.failed(await Validation(view, refused).acall(sent, session=self.memory.session))

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], handler: Any
    ) -> Any:
        """Runs the tool, with deadline, middleware and all, and tells the model what went wrong.

        Raises:
            ToolFailed: what the model reads.
            ApprovalRequired: a person has to approve the call first.
        """
        sent = ToolCall(call.tool_call_id, call.tool_name, _read(call.args))
        tools = ctx.tool_manager.tools if ctx.tool_manager is not None else None
        in_thread = runs_in_thread((tools or {}).get(call.tool_name))
        view = self._adapter.view([self._tool(tool_def, runs=True)])
        attempt = Execution(view, handler, args, call.tool_name, in_thread=in_thread, approved=ctx.tool_call_approved)
        result = await attempt.acall(self.memory.prepared.pop(call.tool_call_id, sent), session=self.memory.session)
        if result.is_error:
            raise self.memory.failed(result)
        value = attempt.returned(result)
        return result.content if isinstance(value, str) else value

    def _named(self, one: ToolDefinition) -> Tool:
        return self._adapter.tool(one.name, one.description, one.parameters_json_schema, None)

    def _tool(self, definition: ToolDefinition, *, runs: bool) -> Tool:
        """A tool: its schema counts where the arguments are explained, its options where it runs."""
        options: dict[str, Any] = hints_of(annotations_of(definition))
        if definition.timeout is not None:
            options["timeout"] = definition.timeout
        if not runs:
            options["idempotent"] = True  # it only validates: its answer is not the one that the call's id gets
        schema = OPEN if runs else definition.parameters_json_schema
        handler = handler_for(definition.name if runs else "")  # what only validates is never run: it explains
        return self._adapter.tool(definition.name, definition.description, schema, handler, **options)


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
