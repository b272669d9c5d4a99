"""A function tool whose calls go through mulligan: it gets the raw JSON text, and gives what the SDK would have got."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Mapping
from contextvars import copy_context
from typing import Any

import attrs
from agents import AgentsException, FunctionTool, ModelBehaviorError, default_tool_error_function, get_current_span
from agents.function_schema import function_schema
from agents.tool import (
    invoke_function_tool,
    maybe_invoke_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
    with_function_tool_failure_error_handler,
)
from agents.tool_context import ToolContext

from mulligan import Pipeline, Tool, ToolResult
from mulligan.errors import ToolNotFoundError
from mulligan_openai_agents.calls import Call, Inline, OpaqueValue, current_call
from mulligan_openai_agents.runs import RunStopped, current_run

_GENERATED = "_function_tool_default_failure_handled"  # the SDK then takes an output for a text
_SDK_WRAPPERS = (AgentsException, ModelBehaviorError)  # what the SDK puts around an exception of the tool
_HINTS = {
    "readOnlyHint": "read_only",
    "read_only_hint": "read_only",
    "idempotentHint": "idempotent",
    "idempotent_hint": "idempotent",
    "destructiveHint": "destructive",
    "destructive_hint": "destructive",
}


@attrs.frozen
class Settings:
    """How the tools of an agent are guarded.

    Attributes:
        pipeline: what their calls go through.
        timeout: seconds for a tool that has no timeout of its own, or None.
        options: options of `mulligan.Tool`, by the tool's name.
    """

    pipeline: Pipeline
    timeout: float | None
    options: Mapping[str, Mapping[str, Any]]


class Guarded:
    """A function tool and its guarded copy.

    Args:
        original: the tool.
        settings: how it is guarded.

    Attributes:
        original: the tool.
        wrapped: the copy that the SDK runs.
        tool: the same tool as mulligan sees it.
    """

    def __init__(self, original: FunctionTool, settings: Settings) -> None:
        self.original = original
        self.wrapped = copy.copy(original)
        self._inner = copy.copy(original)
        self._inner.timeout_seconds = None
        self._worded_by_sdk = hasattr(original.on_invoke_tool, "__agents_bind_function_tool__")
        set_function_tool_failure_error_function(self._inner, None)
        set_function_tool_failure_error_function(self.wrapped, None)
        self.wrapped.on_invoke_tool = self._invoker()
        self.tool = self._tool(settings)
        steering = () if self._worded_by_sdk else (AgentsException,)
        self._view = settings.pipeline.with_tools([self.tool], control_flow=steering)

    def _invoker(self) -> Any:
        """What the SDK calls. It keeps the marks of the original's, by which the SDK prepares approvals."""

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            return await self._invoke(context, arguments)

        vars(invoke).update(vars(getattr(self.original.on_invoke_tool, "_invoke_tool_impl", invoke)))
        invoker: Any = with_function_tool_failure_error_handler(invoke, lambda *_: None)
        return invoker.__agents_bind_function_tool__(self.wrapped)

    def _tool(self, settings: Settings) -> Tool:
        original = self.original
        options: dict[str, Any] = {**_hints(original), "timeout": settings.timeout}
        if original.timeout_behavior == "error_as_result" and original.timeout_error_function is None:
            options["timeout"] = original.timeout_seconds or settings.timeout
            self.wrapped.timeout_seconds = None
        elif original.timeout_seconds is not None:  # the author wants to hear of it in another way
            options["timeout"] = None
        options |= settings.options.get(original.qualified_name, {})
        run: Callable[..., Any] = self._run
        if options["timeout"] is not None and _is_sync(original):
            run = self._run_in_thread
        name, description = original.qualified_name, original.description
        schema = _lenient(original)
        fits = isinstance(schema, dict) and schema.get("type", "object") == "object"
        tool = Tool.from_schema(name, description, schema if fits else {"type": "object"}, run, **options)
        try:
            tool.validator.is_valid({})  # compiles the schema
        except Exception:  # a schema that the SDK can send, but nobody can check
            tool = Tool.from_schema(name, description, {"type": "object"}, run, **options)
        return tool

    async def _invoke(self, context: ToolContext[Any], arguments: str) -> Any:
        run = current_run.get()
        if run is not None and not await is_enabled(self.original, context, context.agent):
            return await run.answer_disabled(self.tool.name, context.tool_call_id)
        call = Call(context, arguments)
        session = None if run is None else run.session
        token = current_call.set(call)
        try:
            result = await self._view.acall(self.tool.name, arguments, call_id=context.tool_call_id, session=session)
        finally:
            current_call.reset(token)
        if not result.is_error:
            return result.content if isinstance(call.value, str) else call.value
        if run is not None:
            run.note(result)
        elif result.fatal and result.error is not None:
            raise RunStopped(result.error)
        return await self._failure_text(call, result)

    async def _failure_text(self, call: Call, result: ToolResult) -> str:
        """The words on a failure: those that the tool's author or the run's settings give, or mulligan's.

        Raises:
            Exception: what the tool raised, where its author wants that.
        """
        words = result.content
        if call.raised is not None and self._worded_by_sdk:
            theirs = await maybe_invoke_function_tool_failure_error_function(
                function_tool=self.original, context=call.context, error=call.raised
            )
            if theirs is None:
                raise call.raised
            if theirs != default_tool_error_function(call.context, call.raised):
                words = theirs
        settings = call.context.run_config
        shown = words if settings is None or settings.trace_include_sensitive_data else "redacted"
        if (span := get_current_span()) is not None:
            span.set_error(
                {"message": "Error running tool (non-fatal)", "data": {"tool_name": self.tool.name, "error": shown}}
            )
        setattr(call.context, _GENERATED, self.original.output_json_schema is not None)
        return words

    async def _run(self, /, **arguments: Any) -> Any:
        call = current_call.get()
        if call is None:  # a name was repaired, but nobody may run it here: approvals and guardrails belong to the SDK
            raise _exact_name_error(self.tool)
        text, call.raised = call.text(arguments), None
        try:
            call.value = await invoke_function_tool(function_tool=self._inner, context=call.context, arguments=text)
        except RunStopped as stopped:  # an agent that is a tool was stopped
            raise stopped.error from stopped
        except Exception as error:
            call.raised = error
            if self._worded_by_sdk and type(error) in _SDK_WRAPPERS and error.__cause__ is not None:
                raise error.__cause__ from None
            raise
        if isinstance(call.value, str):
            return call.value
        failed = self.tool.detect and self._view.classify(call.value, tool=self.tool, arguments=arguments) is not None
        return call.value if failed else OpaqueValue(call.value)

    def _run_in_thread(self, /, **arguments: Any) -> Any:
        """For a sync function with a deadline: in a thread that mulligan can leave behind, which the SDK's loop awaits."""
        with asyncio.Runner() as runner:
            runner.get_loop().set_default_executor(Inline())
            return runner.run(self._run(**arguments), context=copy_context())


def refuse(**_: Any) -> Any:
    """The handler of a handoff, which the SDK makes itself.

    Raises:
        ToolNotFoundError: always.
    """
    raise ToolNotFoundError("To hand off to an agent, use its exact name.")


async def is_enabled(tool: Any, context: Any, agent: Any) -> bool:
    """Whether a tool or a handoff can be used now.

    Args:
        tool: the tool or handoff.
        context: the SDK's context.
        agent: the agent.
    """
    if isinstance(tool.is_enabled, bool):
        return tool.is_enabled
    given = tool.is_enabled(context, agent)
    return bool(await given if inspect.isawaitable(given) else given)


def _hints(tool: FunctionTool) -> dict[str, Any]:
    """What a server of the Model Context Protocol says of a tool, in either spelling of its SDK."""
    said = {name: getattr(tool.mcp_annotations, name, None) for name in _HINTS}
    return {_HINTS[name]: value for name, value in said.items() if value is not None}


def _exact_name_error(tool: Tool) -> ToolNotFoundError:
    error = ToolNotFoundError(f"Tool '{tool.name}' must be called by exactly this name.")
    error.suggestions = (tool.name,)
    return error


def _is_sync(tool: FunctionTool) -> bool:
    function = getattr(tool, "__wrapped__", None)
    called = function if inspect.isroutine(function) else type(function).__call__
    return function is not None and not inspect.iscoroutinefunction(called)


def _lenient(tool: FunctionTool) -> dict[str, Any]:
    """The tool's schema with what the SDK's strict form takes away: that a field with a default may be left out."""
    function = getattr(tool, "__wrapped__", None)
    if function is None or not tool.strict_json_schema:
        return tool.params_json_schema
    try:
        schema = function_schema(function, use_docstring_info=False, strict_json_schema=False).params_json_schema
    except Exception:
        return tool.params_json_schema
    return {"additionalProperties": False, **schema}
