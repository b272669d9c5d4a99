"""One call on its way through mulligan, and ADK's tools as mulligan's."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
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
        tool = self._tools.get(name)
        if self._refusal is not None and (
            tool is None or await tool.check_require_confirmation(arguments, self._context)
        ):
            raise self._refusal
        self._ran = name
        return await self._tools[name].run_async(args=arguments, tool_context=self._context)

    def run(self, name: str, arguments: dict[str, Any]) -> Any:
        """As in `Attempt`, in a thread: ADK's execution is always awaited."""
        return asyncio.run(self.arun(name, arguments))

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`; a run inside of a tool ends with a `RuntimeError` of ADK that is caused by ours."""
        cause = error.__cause__ if isinstance(error, RuntimeError) else None
        if isinstance(cause, UsageError):
            return ControlFlow(error)
        return cause if isinstance(cause, ToolError) else error

    def seen(self, value: Any) -> Any:
        """As in `Attempt`; what a tool returns that waits for a person is no failure.

        Raises:
            AuthorMessage: a function of the host's reports a failure in the way that ADK documents.
        """
        actions = self._context.actions
        if actions.requested_auth_configs or actions.requested_tool_confirmations:
            return OpaqueValue(value)
        if _is_failure_for_model(value) and self.view.tools[self._ran].detect and _is_local(self._tools[self._ran]):
            raise AuthorMessage(value["error_message"])
        return super().seen(value)

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
        if not isinstance(changed, Mapping) or changed == request.arguments:
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


def _is_failure_for_model(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"status", "error_message"}:
        return False
    return value["status"] == "error" and isinstance(value["error_message"], str)


def _is_local(tool: BaseTool) -> bool:
    """Whether a tool is a function of the host's: those that come with ADK hand on what a service says."""
    return isinstance(tool, FunctionTool) and not str(tool.func.__module__).startswith("google.adk.")


def named_tool(name: str, adapter: Adapter) -> Tool:
    """A tool that takes any arguments, and that the attempt refuses to run."""
    return adapter.tool(name, "", OPEN, handler_for(""))


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
    made = adapter.tool(name, tool.description, schema, handler_for(name), **hints)
    if made.timeout is not None and _blocks(tool):
        return adapter.tool(name, tool.description, schema, handler_for(name, awaited=False), **hints)
    return made


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


def _blocks(tool: BaseTool) -> bool:
    """Whether ADK would run the tool's function on the event loop, where no deadline can reach it."""
    if not isinstance(tool, FunctionTool):
        return False
    function = inspect.unwrap(tool.func) if inspect.isroutine(tool.func) else type(tool.func).__call__
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction, inspect.isgeneratorfunction)
    return not any(kind(one) for kind in kinds for one in (function, tool.func))
