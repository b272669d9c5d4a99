"""One call on its way through mulligan, and ADK's tools as mulligan's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from inspect import iscoroutinefunction, unwrap
from typing import Any

from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from mulligan import ApprovalRequest, Approve, Pipeline, Reject, Tool, ToolResult, hints_of
from mulligan.adapters import OPEN, Adapter, Attempt, ControlFlow, OpaqueValue, handler_for
from mulligan.errors import ToolArgumentError, ToolError, UsageError
from mulligan.plugin import AuthorMessage, takes_any

CONTROL_FLOW = ("google.adk.workflow._errors.NodeInterruptedError", LlmCallsLimitExceededError, UsageError)
"""What ADK steers with: a node that waits for a person, the host's bound on calls of the model; and the host's mistakes."""


class ToolAttempt(Attempt):
    """One call of a tool.

    Args:
        view: the pipeline with the tools that may be called now.
        tools: ADK's tools by name, as far as they may run.
        context: ADK's context of the call.
        refusal: what is raised instead of running any other tool, or one that ADK has a person confirm; None to run it.
    """

    def __init__(
        self, view: Pipeline, tools: Mapping[str, BaseTool], context: ToolContext, refusal: BaseException | None = None
    ) -> None:
        super().__init__(view, self._execute)
        self._tools = tools
        self._context = context
        self._refusal = refusal
        self._ran = ""

    async def _execute(self, name: str, arguments: dict[str, Any]) -> Any:
        refusal, tool, context = self._refusal, self._tools.get(name), self._context
        if tool is None or (refusal is not None and await tool.check_require_confirmation(arguments, context)):
            raise refusal or KeyError(name)
        self._ran = name
        run = partial(tool.run_async, args=arguments, tool_context=context)
        blocks = isinstance(tool, FunctionTool) and self.view.tools[name].timeout is not None and _blocks(tool)
        return await (self.in_thread(name, run) if blocks else run())

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`; a run inside of a tool ends with a `RuntimeError` of ADK that is caused by ours."""
        cause = error.__cause__ if isinstance(error, RuntimeError) else None
        return cause if isinstance(cause, (ToolError, UsageError)) else error

    def seen(self, value: Any) -> Any:
        """As in `Attempt`; what a tool returns that waits for a person is no failure.

        Raises:
            AuthorMessage: a function of the host's reports a failure in the way that ADK documents.
        """
        actions = self._context.actions
        if actions.requested_auth_configs or actions.requested_tool_confirmations:
            return OpaqueValue(value)
        match value:
            case {"status": "error", "error_message": str(words), **more} if not more and self._is_authors():
                raise AuthorMessage(words)
        return super().seen(value)

    def _is_authors(self) -> bool:
        """Whether the tool that ran is a function of the host's: those that come with ADK hand on what a service says."""
        tool, is_read = self._tools[self._ran], bool(self.view.tools[self._ran].detect)
        return is_read and isinstance(tool, FunctionTool) and not str(tool.func.__module__).startswith("google.adk.")

    def decide(self, request: ApprovalRequest) -> Approve | Reject | None:
        """Asks by a confirmation of ADK, which makes the call again with the answer; that of another call it cannot."""
        if self._refusal is not None:
            raise ControlFlow(self._refusal)
        confirmation = self._context.tool_confirmation
        if confirmation is None:
            hint = request.reason or f"{request.tool_name} needs approval."
            self._context.request_confirmation(hint=hint, payload={"arguments": request.arguments})
            self._context.actions.skip_summarization = True
            return None
        payload = confirmation.payload if isinstance(confirmation.payload, Mapping) else {}
        if not confirmation.confirmed:
            return Reject(str(payload.get("reason") or ""))
        changed = payload.get("arguments")
        if not isinstance(changed, Mapping):
            return Approve()
        fitted = self.view.tools[request.tool_name].fit(dict(changed))
        if isinstance(fitted, ToolArgumentError):
            problems = "; ".join(f"{problem.pointer}: {problem.message}" for problem in fitted.problems)
            return Reject(f"The arguments that it was approved with are not valid: {problems}.")
        return Approve(changed)

    def answer(self, result: ToolResult) -> Any:
        """What ADK returned in a call that did not fail; with a note of what a person has changed."""
        value = self.returned(result)
        if isinstance(value, str):
            return result.content
        if not any(repair.kind == "edited" for repair in result.repairs):
            return value
        fields = value if isinstance(value, dict) else {"result": value}
        return {**fields, "note": result.content.rpartition("\n")[2]}


def tools_of(request: LlmRequest, adapter: Adapter) -> list[Tool]:
    """The tools of a request to the model."""
    listed = [tool for tool in request.config.tools or () if isinstance(tool, types.Tool)]
    declared = {one.name: one for tool in listed for one in tool.function_declarations or ()}
    return [as_tool(name, tool, adapter, declared.get(name)) for name, tool in request.tools_dict.items()]


def as_tool(name: str, tool: BaseTool, adapter: Adapter, declared: types.FunctionDeclaration | None = None) -> Tool:
    """One tool, with the name and the schema that the model was shown; any arguments are taken if there is no schema."""
    schema = _schema(declared)
    if _drops_unknown_arguments(tool) and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    hints: dict[str, Any] = hints_of(getattr(getattr(tool, "raw_mcp_tool", None), "annotations", None))
    return adapter.tool(name, tool.description, schema, handler_for(name), **hints)


def _schema(declared: types.FunctionDeclaration | None) -> dict[str, Any]:
    """The JSON Schema of the arguments; one that takes anything if there is none."""
    given: Any = None if declared is None else declared.parameters_json_schema
    if given is None and declared is not None and declared.parameters is not None:
        schema = declared.parameters.json_schema
        given = _without_odd_choices(schema.model_dump(mode="json", by_alias=True, exclude_none=True))
    return dict(given if isinstance(given, Mapping) else OPEN)


def _without_odd_choices(schema: Any) -> Any:
    """Gemini's own schemas can write choices as texts only, also those of numbers."""
    if isinstance(schema, list):
        return [_without_odd_choices(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    is_odd = schema.get("type") not in ("string", None)
    return {name: _without_odd_choices(value) for name, value in schema.items() if not (is_odd and name == "enum")}


def _drops_unknown_arguments(tool: BaseTool) -> bool:
    """Whether ADK would drop an argument that the function does not have, without a word."""
    return not takes_any(tool.func) if isinstance(tool, FunctionTool) else isinstance(tool, AgentTool)


def _blocks(tool: FunctionTool) -> bool:
    """Whether ADK would run the tool's function on the event loop, where no deadline can reach it."""
    spec, functions = tool._spec, (tool.func, unwrap(tool.func), tool._spec.unwrapped_func)  # noqa: SLF001 - what ADK reads
    return not (spec.is_generator or any(map(iscoroutinefunction, functions)))
