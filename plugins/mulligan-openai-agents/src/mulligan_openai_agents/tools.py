"""A function tool whose calls go through mulligan: it takes the raw JSON text, and returns what the SDK's would."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from agents import AgentsException, FunctionTool, ModelBehaviorError, default_tool_error_function, get_current_span
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result
from agents.function_schema import function_schema
from agents.tool import (
    invoke_function_tool,
    maybe_invoke_function_tool_failure_error_function,
    resolve_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
    with_function_tool_failure_error_handler,
)
from agents.tool_context import ToolContext

from mulligan import ApprovalRequest, Approve, ToolCall, ToolResult, hints_of
from mulligan.adapters import Adapter, Attempt, ControlFlow, handler_for
from mulligan.errors import ToolError
from mulligan.plugin import AuthorMessage, safe_str
from mulligan_openai_agents.runs import Run, current_run, resolved

_GENERATED = "_function_tool_default_failure_handled"  # the SDK then takes an output for a text
_SYNC = "__agents_sync_function_tool__"  # on the invoker of a sync function, which the SDK runs in a thread
_SDK_WRAPPERS = (AgentsException, ModelBehaviorError)  # what the SDK puts around an exception of the tool


class Paused(Exception):
    """An agent that is a tool waits for a person; the SDK calls the tool again after that."""


class Execution(Attempt):
    """One call of a guarded tool, in the SDK's context of it, with the arguments as the model sent them."""

    def __init__(self, guarded: Guarded, context: ToolContext[Any], sent: str, run: Run) -> None:
        super().__init__(guarded.view, self._execute)
        self._guarded = guarded
        self._sent = sent
        self._run = run
        self.context = context

    def decide(self, request: ApprovalRequest) -> Approve | None:
        """As in `Attempt`: the SDK has asked before it called the tool."""
        id, is_allowed = self.context.tool_call_id, self.context.is_tool_approved
        was_asked = id not in self._run.allowed
        return Approve() if was_asked and is_allowed(self.context.tool_name, id) else None

    async def _execute(self, name: str, arguments: dict[str, Any]) -> Any:
        context, tool = self.context, self._guarded.inner
        invoke = partial(invoke_function_tool, function_tool=tool, context=context, arguments=self._text(arguments))
        blocks = self._guarded.tool.timeout is not None and getattr(tool.on_invoke_tool, _SYNC, False)
        value = await (self.in_thread(name, invoke) if blocks else invoke())
        if context.tool_call is not None:
            scope = get_agent_tool_state_scope(context)
            inner_run = peek_agent_tool_run_result(context.tool_call, scope_id=scope)
            if getattr(inner_run, "interruptions", None):
                raise ControlFlow(Paused(value))
        return value

    def _text(self, arguments: Mapping[str, Any]) -> str:
        """The arguments for the SDK: as they were sent, unless they were repaired."""
        try:
            if json.loads(self._sent or "{}") == arguments:
                return self._sent
        except ValueError:
            pass
        return json.dumps(arguments, ensure_ascii=False)

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`; a failure of which the tool's author speaks to the model does not end the run.

        The host's policy for this tool counts more, and so does an error of mulligan's that the author raises.

        Raises:
            AuthorMessage: in place of a failure that would have ended the run.
        """
        cause = error.__cause__ if self._guarded.worded_by_sdk and type(error) in _SDK_WRAPPERS else None
        failure = cause or super().failure(error)
        if isinstance(failure, Exception) and not isinstance(failure, ToolError) and self._has_own_words():
            meant = self.view.classify(failure, tool=self._guarded.tool)
            if meant is not None and meant.fatal:
                raise AuthorMessage(safe_str(failure)) from failure
        return failure

    def _has_own_words(self) -> bool:
        if not self._guarded.worded_by_sdk:
            return False
        words = resolve_function_tool_failure_error_function(self._guarded.original, self.context)
        return words not in (None, default_tool_error_function)


class Guarded:
    """A function tool, `original`; the copy that the SDK runs, `wrapped`; the one that mulligan runs, `inner`.

    Attributes:
        tool: the same tool as mulligan sees it.
        named: the same, only to be suggested.
        asks: whether mulligan decides with the SDK which of its calls a person must approve.
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
        shown = (original.qualified_name, original.description, _lenient(original))
        self.tool = adapter.tool(*shown, handler_for(shown[0]), **self._options())
        self.named = adapter.tool(*shown, None, destructive=self.tool.destructive)
        steering = () if self.worded_by_sdk else (AgentsException,)
        self.view = adapter.pipeline.with_tools([self.tool], control_flow=steering)
        self.asks = not adapter.has_approver and (self.tool.approve or adapter.authorizes)
        if self.asks:
            self.wrapped.needs_approval = True

    def _invoker(self) -> Any:
        """What the SDK calls. It keeps the marks of the original's, by which the SDK prepares approvals."""

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            return await self._invoke(context, arguments)

        vars(invoke).update(vars(getattr(self.original.on_invoke_tool, "_invoke_tool_impl", invoke)))
        invoker: Any = with_function_tool_failure_error_handler(invoke, lambda *_: None)
        return invoker.__agents_bind_function_tool__(self.wrapped)

    def _options(self) -> dict[str, Any]:
        """What the SDK says of the tool, as options of `mulligan.Tool`; a deadline that mulligan keeps, the SDK does not."""
        original = self.original
        options: dict[str, Any] = hints_of(original.mcp_annotations)
        if original.timeout_seconds is not None:
            options["timeout"] = None  # the author wants to hear of it in another way
            if original.timeout_behavior == "error_as_result" and original.timeout_error_function is None:
                options["timeout"], self.wrapped.timeout_seconds = original.timeout_seconds, None
        return options

    async def _invoke(self, context: ToolContext[Any], arguments: str) -> Any:
        run = current_run.get() or Run(self.view.session(), self.view)
        if not await _is_enabled(self.original, context, context.agent):
            others = run.view.with_tools([tool for tool in run.view.tools.values() if tool.name != self.tool.name])
            return await run.answer_unknown(self.tool.name, context.tool_call_id, others)
        attempt = Execution(self, context, arguments, run)
        sent = ToolCall(context.tool_call_id, self.tool.name, arguments)
        run.join_step()
        try:
            result = await attempt.acall(sent, session=run.session)
        except Paused as paused:
            return paused.args[0]
        run.answer(result)
        if not result.is_error:
            returned = attempt.returned(result)
            return result.content if isinstance(returned, str) else returned
        return await self._failure_text(attempt, result)

    async def _failure_text(self, attempt: Execution, result: ToolResult) -> str:
        """The words on a failure: those that the tool's author or the run's settings give, or mulligan's.

        Raises:
            Exception: what the tool raised, where its author wants that.
        """
        words, raised, context = result.content, attempt.raised, attempt.context
        if isinstance(raised, Exception) and self.worded_by_sdk:
            theirs = await maybe_invoke_function_tool_failure_error_function(
                function_tool=self.original, context=context, error=raised
            )
            if theirs is None:
                raise raised
            if theirs != default_tool_error_function(context, raised):
                words = theirs
        settings = context.run_config
        shown = words if settings is None or settings.trace_include_sensitive_data else "redacted"
        if (span := get_current_span()) is not None:
            span.set_error(
                {"message": "Error running tool (non-fatal)", "data": {"tool_name": self.tool.name, "error": shown}}
            )
        setattr(context, _GENERATED, self.original.output_json_schema is not None)
        return words


async def _is_enabled(tool: FunctionTool, context: Any, agent: Any) -> bool:
    """Whether a tool can be used now."""
    enabled = tool.is_enabled
    return bool(enabled if isinstance(enabled, bool) else await resolved(enabled(context, agent)))


def _lenient(tool: FunctionTool) -> dict[str, Any]:
    """The tool's schema with what the SDK's strict form takes away: that a field with a default may be left out."""
    function = getattr(tool, "__wrapped__", None)
    if function is None or not tool.strict_json_schema:
        return tool.params_json_schema
    read = function_schema(function, use_docstring_info=False, strict_json_schema=False)
    return {"additionalProperties": False, **read.params_json_schema}
