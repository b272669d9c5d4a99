"""`MulliganPlugin`: every tool call of an agent goes through a mulligan pipeline."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from strands import Agent
from strands.hooks import AfterInvocationEvent, AfterToolsEvent, BeforeInvocationEvent, HookOrder
from strands.middleware import ExecuteToolContext, ExecuteToolStage, InvokeModelContext, InvokeModelStage
from strands.plugins import Plugin
from strands.types.events import TypedEvent

from mulligan import Pipeline, Tool
from mulligan.adapters import Adapter, Conversations, current_attempt
from mulligan.errors import RepeatedCallError, ToolNotFoundError
from mulligan_strands.calls import CONTROL_FLOW, Call
from mulligan_strands.invocations import Invocation, RunStopped
from mulligan_strands.tools import as_tool, find_tool, stand_in

_LAST = HookOrder.SDK_LAST + 1
_MODELS = "event_loop_cycle_id"
_INVALID = re.compile(r"Error: tool_name=<|Error: tool name missing")


class MulliganPlugin(Plugin):
    """Answers what goes wrong with tool calls so that the model can call again, and stops runs that it cannot correct.

    One plugin may serve several agents.

    Args:
        pipeline: your own policy, plugins, format, limits and middleware; its own tools are not used.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name or a pattern: `{"search_*": {"read_only": True}}`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        options: the old name of `tool_options`.

    Raises:
        UsageError: an argument is wrong; names it and the next step.
    """

    name = "mulligan"

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        timeout: float | Mapping[str, float] | None = None,
        tool_options: Mapping[str, Mapping[str, Any]] | None = None,
        fatal: Any = None,
        repair: Any = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        given: Any = {"timeout": timeout, "tool_options": tool_options or options, "fatal": fatal, "repair": repair}
        self._adapter = Adapter("MulliganPlugin", pipeline, control_flow=CONTROL_FLOW, **given)
        pipeline = self._adapter.pipeline
        self._invocations: Conversations[Invocation] = Conversations(lambda key: Invocation(pipeline.session(key)))

    def init_agent(self, agent: Agent) -> None:
        """Stands between the agent, its model and its tools.

        Args:
            agent: the agent.

        Raises:
            UsageError: a timeout or options for a tool whose name is misspelt.
        """
        self._adapter.check_names(self._shown(agent, agent.tool_registry.get_all_tool_specs()), are_all=False)
        agent.add_middleware(InvokeModelStage, self._ask)
        agent.add_middleware(ExecuteToolStage, self._execute)
        agent.add_hook(self._begin, BeforeInvocationEvent)
        agent.add_hook(self._end, AfterInvocationEvent, order=_LAST)
        agent.add_hook(self._answer_invalid, AfterToolsEvent)

    def _of(self, agent: Any) -> Invocation:
        return self._invocations.of(agent, id=agent.session_id)

    def _begin(self, event: BeforeInvocationEvent) -> None:
        """Begins a conversation, or continues one that has waited for a person."""
        invocation = self._of(event.agent)
        if not invocation.pauses:
            self._invocations.end(event.agent)
            written = [
                one for message in event.messages or () if message["role"] == "user" for one in message["content"]
            ]
            self._of(event.agent).note_request(written)
        invocation.pauses = False

    def _end(self, event: AfterInvocationEvent) -> None:
        """Forgets the conversation; ends it with the reason if no model was asked after a fatal failure."""
        invocation = self._of(event.agent)
        invocation.pauses = event.result is not None and event.result.stop_reason == "interrupt"
        if not invocation.pauses:
            self._invocations.end(event.agent)
            if event.result is not None:
                self._raise_if_fatal(invocation, event.agent, event.invocation_state)

    def _raise_if_fatal(self, invocation: Invocation, agent: Any, state: Mapping[str, Any]) -> None:
        if invocation.fatal is None:
            return
        invocation.end_step()
        if isinstance(outer := current_attempt(), Call):
            outer.escaped = invocation.fatal
        raise RunStopped(invocation.fatal, agent.messages, state.get("request_state"))

    async def _ask(
        self, context: InvokeModelContext, ask: Callable[[InvokeModelContext], AsyncGenerator[TypedEvent, None]]
    ) -> AsyncGenerator[TypedEvent, None]:
        """Listens to the model; ends the invocation if a call has failed so that it must."""
        invocation = self._of(context.agent)
        self._raise_if_fatal(invocation, context.agent, context.invocation_state)
        invocation.next_step()
        invocation.shown, invocation.written = context.tool_specs, {}
        async for event in ask(context):
            invocation.hear(event)
            yield event

    async def _execute(
        self, context: ExecuteToolContext, execute: Callable[[ExecuteToolContext], AsyncGenerator[TypedEvent, None]]
    ) -> AsyncGenerator[TypedEvent, None]:
        """Has Strands run what answers the call in the place of the tool."""
        invocation, use, tool = self._of(context.agent), context.tool_use, context.tool
        is_read = invocation.sent(str(use.get("toolUseId")), use["input"]) is use["input"]
        is_structured = tool is not None and tool.tool_type == "structured_output"  # Strands checks it
        if _MODELS in context.invocation_state and not (is_structured and is_read):
            call = Call(self._view(context, invocation), context, invocation)
            context = context.replace(tool=stand_in(tool, use["name"], call.stream))
        async for event in execute(context):
            yield event

    async def _answer_invalid(self, event: AfterToolsEvent) -> None:
        """Answers names that can be no tool's, such as `files.read`: they never come to `_execute`."""
        invocation = self._of(event.agent)
        for result in (block["toolResult"] for block in event.message["content"] if "toolResult" in block):
            id, content = result["toolUseId"], result["content"]
            if id in invocation.written and len(content) == 1 and _INVALID.match(content[0].get("text", "")):
                shown = self._shown(event.agent, invocation.shown or ())
                view = self._adapter.view([tool.without_handler() for tool in shown])
                name, arguments = invocation.written[id]
                found = await view.acall(name, arguments, call_id=id, session=invocation.session)
                if isinstance(found.error, (ToolNotFoundError, RepeatedCallError)):
                    result["content"] = [{"text": invocation.answer(found)}]

    def _shown(self, agent: Any, specs: Any) -> list[Tool]:
        return [as_tool(self._adapter, spec, find_tool(agent, spec["name"])) for spec in specs]

    def _view(self, context: ExecuteToolContext, invocation: Invocation) -> Pipeline:
        """The pipeline with the tools that may be called now: the called one as it describes its arguments itself."""
        specs = invocation.shown
        tools = self._shown(context.agent, context.agent.tool_registry.get_all_tool_specs() if specs is None else specs)
        if context.tool is not None:
            tools = [tool for tool in tools if tool.name != context.tool_use["name"]]
            spec: Any = {**context.tool.tool_spec, "name": context.tool_use["name"]}
            tools.append(as_tool(self._adapter, spec, context.tool))
        return self._adapter.view(tools)
