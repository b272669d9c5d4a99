"""`MulliganPlugin`: every tool call of every agent of an app goes through a mulligan pipeline."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from mulligan import Pipeline, Policy
from mulligan.errors import UsageError
from mulligan_adk import malformed
from mulligan_adk.calls import STEERING, Call, Tools
from mulligan_adk.raw_calls import start_message
from mulligan_adk.runs import Invocations


class MulliganPlugin(BasePlugin):
    """Answers what goes wrong with tool calls so that the model can call again, and stops runs that nobody can mend.

    Args:
        name: the plugin's name; ADK's own errors show it.
        pipeline: how calls are answered: policy, plugins, format, middleware. Its own tools are not used. By default a
            pipeline that reads `"2"` as 2 where the schema wants a number.
        timeout: seconds that a tool may take, or None. A sync function with a timeout runs in a thread.
        options: the attributes of `mulligan.Tool` (`timeout`, `read_only`, `secret` ...), by the tool's name.

    Raises:
        UsageError: something of this is wrong; names the culprit and the next step.
    """

    def __init__(
        self,
        name: str = "mulligan",
        *,
        pipeline: Pipeline | None = None,
        timeout: float | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(name)
        if not isinstance(pipeline, (Pipeline, type(None))):
            raise UsageError(f"MulliganPlugin(pipeline={pipeline!r:.80}): give a mulligan.Pipeline")
        self._own = pipeline is None
        given = pipeline or Pipeline(policy=Policy(repair="coerce"))
        self._pipeline = given.with_tools((), control_flow=STEERING)
        self._tools = Tools(timeout, options or {})
        self._invocations = Invocations(self._pipeline.session)

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Guards the tools of the request; ends the invocation where a call has failed so that it must.

        Args:
            callback_context: ADK's context.
            llm_request: the request, whose tools are replaced.

        Raises:
            ToolError: a fatal one, which ADK raises on as a RuntimeError.
        """
        invocation = self._invocations.of(callback_context.invocation_id)
        invocation.next_step()
        start_message()
        tools = self._tools.of(llm_request)
        view = invocation.views[callback_context.agent_name] = self._pipeline.with_tools(tools)
        invocation.tools[callback_context.agent_name] = dict(llm_request.tools_dict)
        for name, tool in llm_request.tools_dict.items():
            llm_request.tools_dict[name] = self._guarded(tool, name, view)

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """Turns calls that ADK could not read into calls that are answered.

        Args:
            callback_context: ADK's context.
            llm_response: the response, which is changed.
        """
        invocation = self._invocations.of(callback_context.invocation_id)
        view = invocation.views.get(callback_context.agent_name)
        if view is not None and malformed.is_malformed(llm_response):
            invocation.unreadable |= malformed.read(llm_response, view.tools)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Answers a call whose arguments are no JSON.

        Args:
            tool: the tool.
            tool_args: its arguments.
            tool_context: ADK's context of the call.
        """
        invocation = self._invocations.of(tool_context.invocation_id)
        id = tool_context.function_call_id or ""
        if id not in invocation.unreadable:
            return None
        text = invocation.unreadable.pop(id)
        view = invocation.views[tool_context.agent_name]
        return invocation.answer(await malformed.answered(view, tool.name, text, id, invocation.session))

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> dict[str, Any] | None:
        """Answers a call whose tool raised, or does not exist.

        Args:
            tool: the tool, or ADK's placeholder for one that does not exist.
            tool_args: its arguments.
            tool_context: ADK's context of the call.
            error: what was raised.
        """
        if isinstance(error, asyncio.CancelledError):
            return None
        invocation = self._invocations.of(tool_context.invocation_id)
        result = invocation.raised.pop(tool_context.function_call_id, None)
        if result is not None:
            return invocation.answer(result)
        return await self._diagnosed(tool, tool_args, tool_context, error)

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Forgets the invocation, and ends it with the reason where no model was called after a fatal failure.

        Args:
            invocation_context: ADK's context.

        Raises:
            ToolError: a fatal one, which ADK raises on as a RuntimeError.
        """
        invocation = self._invocations.end(invocation_context.invocation_id)
        if invocation is not None and not invocation.told:
            invocation.stop_if_fatal()

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Forgets the invocation.

        Args:
            invocation_context: ADK's context.
            error: what ended it.
        """
        self._invocations.end(invocation_context.invocation_id)

    async def close(self) -> None:
        """Frees the threads of a pipeline that the plugin has made itself."""
        if self._own:
            await self._pipeline.aclose()

    def _guarded(self, tool: BaseTool, name: str, view: Pipeline) -> BaseTool:
        """A copy of the tool that runs through the pipeline: same class, same attributes; the original is left alone."""

        async def run_async(*, args: dict[str, Any], tool_context: ToolContext) -> Any:
            return await self._run(tool, name, view, args, tool_context)

        guarded = copy.copy(tool)
        guarded.run_async = run_async  # type: ignore[method-assign]
        return guarded

    async def _run(
        self, tool: BaseTool, name: str, view: Pipeline, args: dict[str, Any], tool_context: ToolContext
    ) -> Any:
        """What the model is to read of one call; what the tool raised is raised again, for every error callback to see."""
        invocation = self._invocations.of(tool_context.invocation_id)

        async def run(_: str, arguments: dict[str, Any]) -> Any:
            return await tool.run_async(args=arguments, tool_context=tool_context)

        call = Call(view, run, tool_context)
        result = await call.through(name, args, invocation.session)
        if not result.is_error:
            return call.value
        if result.attempts and isinstance(call.exception, Exception):
            invocation.raised[tool_context.function_call_id] = result
            raise call.exception
        return invocation.answer(result)

    async def _diagnosed(
        self, tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> dict[str, Any] | None:
        """The answer to a failure that happened outside of the pipeline; None for one with which ADK steers."""
        invocation = self._invocations.of(tool_context.invocation_id)
        view = invocation.views.get(tool_context.agent_name)
        known: Mapping[str, BaseTool] = invocation.tools.get(tool_context.agent_name, {})
        if type(tool) is not BaseTool:
            view, known = self._pipeline.with_tools([self._tools.one(tool.name, tool)]), {}
        elif view is None:
            return None  # nobody knows which tools there are

        async def run(name: str, arguments: dict[str, Any]) -> Any:
            meant = known.get(name)  # there is one only where the pipeline has repaired the name
            if meant is None or await meant.check_require_confirmation(arguments, tool_context):
                raise error
            return await meant.run_async(args=arguments, tool_context=tool_context)

        call = Call(view, run, tool_context)
        try:
            result = await call.through(tool.name, args, invocation.session)
        except BaseException as raised:
            if raised is error:
                return None
            raise
        if result.is_error:
            return invocation.answer(result)
        return call.value if isinstance(call.value, dict) else {"result": call.value}
