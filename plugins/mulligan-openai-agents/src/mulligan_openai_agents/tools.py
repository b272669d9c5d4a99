"""A function tool whose calls go through mulligan: it gets the raw JSON text, and gives what the SDK would have got."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from agents import AgentsException, FunctionTool, ModelBehaviorError, default_tool_error_function, get_current_span
from agents.function_schema import function_schema
from agents.tool import (
    invoke_function_tool,
    maybe_invoke_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
    with_function_tool_failure_error_handler,
)
from agents.tool_context import ToolContext

from mulligan import Tool, ToolResult, hints_of
from mulligan.adapters import Adapter, Attempt, current_attempt
from mulligan.errors import ToolNotFoundError
from mulligan_openai_agents.runs import RunStopped, current_run

GENERATED = "_function_tool_default_failure_handled"  # the SDK then takes an output for a text
_SDK_WRAPPERS = (AgentsException, ModelBehaviorError)  # what the SDK puts around an exception of the tool


class Execution(Attempt):
    """One call of a guarded tool.

    Args:
        guarded: the tool.
        context: the SDK's context of the call.
        sent: the arguments as the model sent them.
    """

    def __init__(self, guarded: Guarded, context: ToolContext[Any], sent: str) -> None:
        super().__init__(guarded.view, self._execute)
        self._guarded = guarded
        self._sent = sent
        self.context = context

    async def _execute(self, name: str, arguments: dict[str, Any]) -> Any:
        text = self._text(arguments)
        return await invoke_function_tool(function_tool=self._guarded.inner, context=self.context, arguments=text)

    def _text(self, arguments: Mapping[str, Any]) -> str:
        """The arguments for the SDK: as they were sent, unless they were repaired."""
        try:
            if json.loads(self._sent or "{}") == arguments:
                return self._sent
        except ValueError:
            pass
        return json.dumps(arguments, ensure_ascii=False)

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`."""
        is_wrapped = self._guarded.worded_by_sdk and type(error) in _SDK_WRAPPERS and error.__cause__ is not None
        return error.__cause__ if is_wrapped and error.__cause__ is not None else super().failure(error)

    def seen(self, value: Any) -> Any:
        """As in `Attempt`; a plain value is the SDK's own too."""
        return value if isinstance(value, str) else super().seen(value)


class Guarded:
    """A function tool and its guarded copy.

    Args:
        original: the tool.
        adapter: makes the pipelines.

    Attributes:
        original: the tool.
        wrapped: the copy that the SDK runs.
        inner: the copy that mulligan runs.
        tool: the same tool as mulligan sees it.
        view: the pipeline with it.
        worded_by_sdk: whether the SDK words its failures.
    """

    def __init__(self, original: FunctionTool, adapter: Adapter) -> None:
        self.original = original
        self.wrapped = copy.copy(original)
        self.inner = copy.copy(original)
        self.inner.timeout_seconds = None
        self.worded_by_sdk = hasattr(original.on_invoke_tool, "__agents_bind_function_tool__")
        set_function_tool_failure_error_function(self.inner, None)
        set_function_tool_failure_error_function(self.wrapped, None)
        self.wrapped.on_invoke_tool = self._invoker()
        self.tool = self._tool(adapter)
        steering = () if self.worded_by_sdk else (AgentsException,)
        self.view = adapter.view([self.tool]).with_tools([self.tool], control_flow=steering)

    def _invoker(self) -> Any:
        """What the SDK calls. It keeps the marks of the original's, by which the SDK prepares approvals."""

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            return await self._invoke(context, arguments)

        vars(invoke).update(vars(getattr(self.original.on_invoke_tool, "_invoke_tool_impl", invoke)))
        invoker: Any = with_function_tool_failure_error_handler(invoke, lambda *_: None)
        return invoker.__agents_bind_function_tool__(self.wrapped)

    def _tool(self, adapter: Adapter) -> Tool:
        original = self.original
        options: dict[str, Any] = hints_of(original.mcp_annotations)
        if original.timeout_behavior == "error_as_result" and original.timeout_error_function is None:
            if original.timeout_seconds is not None:
                options["timeout"] = original.timeout_seconds
            self.wrapped.timeout_seconds = None
        elif original.timeout_seconds is not None:  # the author wants to hear of it in another way
            options["timeout"] = None
        shown = (original.qualified_name, original.description, _lenient(original))
        tool = adapter.tool(*shown, handle, **options)
        return adapter.tool(*shown, handle_in_thread, **options) if tool.timeout and _is_sync(original) else tool

    async def _invoke(self, context: ToolContext[Any], arguments: str) -> Any:
        run = current_run.get()
        if run is not None and not await is_enabled(self.original, context, context.agent):
            others = run.view.with_tools([tool for tool in run.view.tools.values() if tool.name != self.tool.name])
            return await run.answer_unknown(self.tool.name, context.tool_call_id, others)
        call = Execution(self, context, arguments)
        session = None if run is None else run.session
        result = await call.acall(self.tool.name, arguments, call_id=context.tool_call_id, session=session)
        if not result.is_error:
            return result.content if isinstance(call.value, str) else call.value
        if run is not None:
            run.answer(result)
        elif result.fatal and result.error is not None:
            raise RunStopped(result.error)
        return await self._failure_text(call, result)

    async def _failure_text(self, call: Execution, result: ToolResult) -> str:
        """The words on a failure: those that the tool's author or the run's settings give, or mulligan's.

        Raises:
            Exception: what the tool raised, where its author wants that.
        """
        words, raised = result.content, call.raised
        if isinstance(raised, Exception) and self.worded_by_sdk:
            theirs = await maybe_invoke_function_tool_failure_error_function(
                function_tool=self.original, context=call.context, error=raised
            )
            if theirs is None:
                raise raised
            if theirs != default_tool_error_function(call.context, raised):
                words = theirs
        settings = call.context.run_config
        shown = words if settings is None or settings.trace_include_sensitive_data else "redacted"
        if (span := get_current_span()) is not None:
            span.set_error(
                {"message": "Error running tool (non-fatal)", "data": {"tool_name": self.tool.name, "error": shown}}
            )
        setattr(call.context, GENERATED, self.original.output_json_schema is not None)
        return words


async def handle(**arguments: Any) -> Any:
    """The handler of every tool.

    Raises:
        ToolNotFoundError: a name was repaired: nobody may run it here, approvals and guardrails belong to the SDK.
    """
    attempt: Any = current_attempt()
    if attempt is None:
        raise ToolNotFoundError("The tool must be called by exactly its name.")
    return await attempt.arun("", arguments)


def handle_in_thread(**arguments: Any) -> Any:
    """For a sync function with a deadline: in a thread that mulligan can abandon, which the SDK's loop awaits."""
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(_Inline())
        return runner.run(handle(**arguments), context=copy_context())


class _Inline(ThreadPoolExecutor):
    """Runs everything at once in the thread that asks, so that no other thread is left when that one is abandoned."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


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
