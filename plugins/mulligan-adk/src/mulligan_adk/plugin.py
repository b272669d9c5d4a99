"""`MulliganPlugin`: every tool call of every agent of an app goes through a mulligan pipeline."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from functools import partial
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.adk.utils._callback_pipeline import _run_callbacks, _stop_on_non_none

from mulligan import Pipeline, ToolCall, ToolResult
from mulligan.adapters import OPEN, Adapter, ArgumentsRefused, handler_for
from mulligan.errors import UsageError
from mulligan_adk import malformed
from mulligan_adk.calls import CONTROL_FLOW, ToolAttempt, as_tool, tools_of
from mulligan_adk.names import names_beside
from mulligan_adk.runs import Runs, answer_cancelled_calls


class MulliganPlugin(BasePlugin):
    """Gives every tool call of an app a second chance, and ends runs with a failure that the model cannot correct.

    Args:
        pipeline: your own policy, plugins, format, limits and middleware; its own tools are not used.
        timeout: seconds that a tool may take, for all or by name. A sync function with a timeout runs in a thread.
        tool_options: options of `mulligan.Tool` by the tool's name or a pattern: `{"search_*": {"read_only": True}}`.
        fatal: what ends the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        name: the plugin's name, which ADK's own errors show.
        options: the old name of `tool_options`.

    Raises:
        UsageError: an argument is wrong; names it and the next step.
    """

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        timeout: float | Mapping[str, float] | None = None,
        tool_options: Mapping[str, Mapping[str, Any]] | None = None,
        fatal: Any = None,
        repair: Any = None,
        name: str = "mulligan",
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(name)
        given: Any = {"timeout": timeout, "tool_options": tool_options or options, "fatal": fatal, "repair": repair}
        self._adapter = Adapter(type(self).__name__, pipeline, control_flow=CONTROL_FLOW, **given)
        self._has_own_pipeline = pipeline is None
        self._runs = Runs(self._adapter.pipeline)

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Begins a run."""
        self._runs.begin(invocation_context)

    async def before_agent_callback(self, *, agent: BaseAgent, callback_context: CallbackContext) -> None:
        """An agent begins its turn: what failed in earlier ones, as in a loop of agents, no longer counts."""
        memory = self._runs.agent(callback_context)
        if memory.has_request:
            memory.forgive()
        else:
            memory.note_request(getattr(callback_context.user_content, "parts", None) or ())
        memory.next_step()

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Guards the tools of the request; ends the run if a call has failed so that it must.

        Raises:
            ToolError: a fatal one, which ADK raises on as a RuntimeError.
            UsageError: a timeout or options for a tool whose name is misspelt.
        """
        memory = self._runs.agent(callback_context)
        self._runs.run(callback_context).stop_if_fatal()
        memory.next_step()
        malformed.WRITTEN_CALLS.set({})
        tools = tools_of(llm_request, self._adapter)
        others = names_beside(callback_context.get_invocation_context().agent)
        if others is not None:
            self._adapter.check_names(tools, others=others, are_all=False)
        memory.view, memory.tools = self._adapter.view(tools), dict(llm_request.tools_dict)
        for name, tool in memory.tools.items():  # a copy: same class, same attributes; the original is left alone
            guarded = llm_request.tools_dict[name] = copy.copy(tool)
            guarded.run_async = partial(self._run, tool, name, memory.view)  # type: ignore[method-assign]

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """Turns calls that ADK could not read into calls that are answered."""
        memory = self._runs.agent(callback_context)
        if memory.view is not None and malformed.is_malformed(llm_response):
            await malformed.put_back(llm_response, memory)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> Any:
        """Answers a call whose arguments are no JSON, and makes one whose tool is not guarded.

        ADK takes the tools of a call that it repeats after a person's answer without asking a plugin before.
        """
        memory, id = self._runs.agent(tool_context), tool_context.function_call_id or ""
        if id in memory.unreadable:
            text, view = memory.unreadable.pop(id), memory.view
            if text is None or view is None:
                view = self._adapter.view([self._adapter.tool(tool.name, "", OPEN, handler_for(""))])
            attempt = ToolAttempt(view, {}, tool_context, malformed.refusal())
            try:
                return await self._made(tool, attempt, ToolCall(id, tool.name, text or {}), tool_context)
            except ArgumentsRefused as refused:
                return {"error": refused.error.message}
        is_guarded = getattr(vars(tool).get("run_async"), "func", None) == self._run
        if is_guarded or type(tool) is BaseTool or await _is_held_back(tool, tool_args, tool_context):
            return None
        attempt, call = self._attempt(tool, tool_context), ToolCall(id, tool.name, tool_args)
        is_live = tool_context.get_invocation_context().live_request_queue is not None
        with attempt.entered():
            if is_live and await attempt.view.aapproval(call) is None:
                return None
        answer = await self._other_answer(tool, tool_args, tool_context)
        return await self._made(tool, attempt, call, tool_context) if answer is None else answer

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> Any:
        """Answers a call whose tool raised, or does not exist; None if ADK steers with the error."""
        if isinstance(error, (asyncio.CancelledError, UsageError)):
            return None
        memory, id = self._runs.agent(tool_context), tool_context.function_call_id or ""
        if id in memory.raised:
            return self._failed(memory.raised.pop(id), tool_context)
        if type(tool) is not BaseTool:
            attempt = self._attempt(tool, tool_context, error)
        elif memory.view is not None:
            attempt = ToolAttempt(memory.view, memory.tools, tool_context, error)
        else:
            return None  # no one knows which tools there are
        try:
            return await self._made(tool, attempt, ToolCall(id, tool.name, tool_args), tool_context)
        except BaseException as raised:
            if raised is not error:  # else ADK steers with it
                raise

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Forgets the run, and ends it with the reason if no model was called after a fatal failure.

        Raises:
            ToolError: a fatal one, which ADK raises on as a RuntimeError.
        """
        run = self._runs.finish(invocation_context)
        if not run.is_told:
            run.stop_if_fatal()

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Forgets the run. If it was stopped, every call of it is answered, and the error keeps its cause."""
        run = self._runs.finish(invocation_context)
        if run.is_told:
            error.__cause__ = error.__cause__ or run.fatal  # a ParallelAgent drops it
            await answer_cancelled_calls(invocation_context)

    async def close(self) -> None:
        """Frees the threads of a pipeline that the plugin has made."""
        if self._has_own_pipeline:
            await self._adapter.pipeline.aclose()

    async def _run(
        self, tool: BaseTool, name: str, view: Pipeline, *, args: dict[str, Any], tool_context: ToolContext
    ) -> Any:
        """What a guarded tool does; what it raised is raised again, for every error callback to see."""
        memory, id = self._runs.agent(tool_context), tool_context.function_call_id or ""
        attempt, call = ToolAttempt(view, {name: tool}, tool_context), ToolCall(id, name, args)
        prepared = memory.prepared.pop(id, call)
        result = await attempt.acall(prepared if prepared.arguments == args else call, session=memory.session)
        if result.is_error and result.attempts and isinstance(attempt.raised, Exception):
            memory.raised[id] = result
            raise attempt.raised
        return self._failed(result, tool_context) if result.is_error else attempt.answer(result)

    async def _made(self, tool: BaseTool, attempt: ToolAttempt, call: ToolCall, context: ToolContext) -> Any:
        """What the model reads of a call that is made now."""
        result = await attempt.acall(call, session=self._runs.agent(context).session)
        answer = self._failed(result, context) if result.is_error else attempt.answer(result)
        if answer is None:  # for ADK, None would mean that the call has not been made
            return {} if tool.is_long_running or tool._defers_response else {"result": None}  # noqa: SLF001
        return answer

    def _failed(self, result: ToolResult, context: ToolContext) -> dict[str, str]:
        return {"error": self._runs.run(context).answer(result)}

    def _attempt(self, tool: BaseTool, context: ToolContext, refusal: BaseException | None = None) -> ToolAttempt:
        """An attempt of a tool of which no request to a model is known."""
        view = self._adapter.view([as_tool(tool.name, tool, self._adapter, tool._get_declaration())])  # noqa: SLF001
        return ToolAttempt(view, {} if refusal else {tool.name: tool}, context, refusal)

    async def _other_answer(self, tool: BaseTool, args: dict[str, Any], context: ToolContext) -> Any:
        """What later plugins and the agent answer before a tool runs: ADK asks none of them if this plugin answers."""
        invocation: Any = context.get_invocation_context()
        plugins = invocation.plugin_manager.plugins
        later = [plugin.before_tool_callback for plugin in plugins[plugins.index(self) + 1 :]]
        answer = await _run_callbacks(later, _stop_on_non_none, tool=tool, tool_args=args, tool_context=context)
        if answer is None:
            callbacks = getattr(invocation.agent, "canonical_before_tool_callbacks", ())
            answer = await _run_callbacks(callbacks, _stop_on_non_none, tool=tool, args=args, tool_context=context)
        return answer


async def _is_held_back(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Whether ADK itself waits for a person's approval of the call, or refuses it."""
    is_confirmed = getattr(context.tool_confirmation, "confirmed", False)
    return not is_confirmed and await tool.check_require_confirmation(args, context) is True
