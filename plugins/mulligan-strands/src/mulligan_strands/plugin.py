"""`MulliganPlugin`: every tool call of an agent goes through a mulligan pipeline."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from strands import Agent
from strands.hooks import AfterInvocationEvent, AfterToolsEvent, BeforeInvocationEvent
from strands.middleware import ExecuteToolContext, ExecuteToolStage, InvokeModelContext, InvokeModelStage
from strands.plugins import Plugin
from strands.types.events import ModelStopReason, TypedEvent
from strands.types.exceptions import EventLoopException

from mulligan import Pipeline, Policy
from mulligan.errors import RepeatedCallError, ToolNotFoundError, UsageError
from mulligan_strands.calls import STEERING, Call, Next
from mulligan_strands.runs import Invocation, Listener
from mulligan_strands.tools import Tools

Ask = Callable[[InvokeModelContext], AsyncGenerator[TypedEvent, None]]
_MODELS = "event_loop_cycle_id"
_INVALID = re.compile(r"Error: tool_name=<|Error: tool name missing")


class MulliganPlugin(Plugin):
    """Answers what goes wrong with tool calls so that the model can call again, and stops runs that nobody can mend.

    One plugin may serve several agents.

    Args:
        pipeline: how calls are answered: policy, plugins, format, middleware. Its own tools are not used. By default a
            pipeline that reads `"2"` as 2 where the schema wants a number, as Strands does.
        timeout: seconds that a tool may take, or None.
        options: the attributes of `mulligan.Tool` (`timeout`, `read_only`, `secret` ...), by the tool's name.

    Raises:
        UsageError: something of this is wrong; names the culprit and the next step.
    """

    name = "mulligan"

    def __init__(
        self,
        *,
        pipeline: Pipeline | None = None,
        timeout: float | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(pipeline, (Pipeline, type(None))):
            raise UsageError(f"MulliganPlugin(pipeline={pipeline!r:.80}): give a mulligan.Pipeline")
        given = pipeline or Pipeline(policy=Policy(repair="coerce"))
        self._pipeline = given.with_tools((), control_flow=STEERING)
        self._own_tools = Tools(timeout, options or {})
        self._invocations: WeakKeyDictionary[Any, Invocation] = WeakKeyDictionary()

    def init_agent(self, agent: Agent) -> None:
        """Stands between the agent, its model and its tools.

        Args:
            agent: the agent.
        """
        agent.add_middleware(InvokeModelStage, self._ask)
        agent.add_middleware(ExecuteToolStage, self._execute)
        agent.add_hook(self._begin, BeforeInvocationEvent)
        agent.add_hook(self._end, AfterInvocationEvent)
        agent.add_hook(self._name, AfterToolsEvent)

    def _begin(self, event: BeforeInvocationEvent) -> None:
        """Begins a conversation, or goes on with one that has waited for a person."""
        known = self._invocations.get(event.agent)
        if known is not None and known.pauses:
            known.pauses = False
        else:
            self._invocations.pop(event.agent, None)

    def _end(self, event: AfterInvocationEvent) -> None:
        """Forgets the conversation; ends it with the reason where no model was asked after a fatal failure."""
        known = self._invocations.get(event.agent)
        if known is None:
            return
        known.pauses = event.result is not None and event.result.stop_reason == "interrupt"
        if known.pauses:
            return
        del self._invocations[event.agent]
        if known.fatal is not None and not known.told:
            raise EventLoopException(known.fatal, event.invocation_state.get("request_state")) from known.fatal

    def _of(self, agent: Any) -> Invocation:
        known = self._invocations.get(agent)
        if known is None:
            known = self._invocations[agent] = Invocation(self._pipeline.session(getattr(agent, "agent_id", None)))
        return known

    async def _ask(self, context: InvokeModelContext, ask: Ask) -> AsyncGenerator[TypedEvent, None]:
        """Listens to the model; ends the invocation where a call has failed so that it must."""
        invocation = self._of(context.agent)
        invocation.next_step()
        invocation.shown = context.tool_specs
        listener = Listener()
        async for event in ask(context):
            listener.hear(event)
            if isinstance(event, ModelStopReason):
                invocation.heard(listener)
            yield event

    async def _execute(self, context: ExecuteToolContext, execute: Next) -> AsyncGenerator[TypedEvent, None]:
        """Sends a call of the model through the pipeline."""
        invocation = self._of(context.agent)
        id, name = str(context.tool_use.get("toolUseId")), context.tool_use["name"]
        if _MODELS not in context.invocation_state or (_answers(context) and id not in invocation.unreadable):
            async for event in execute(context):
                yield event
            return
        call = Call(context, execute)
        arguments = invocation.unreadable.get(id, context.tool_use["input"])
        view, session = self._view(context, invocation), invocation.session
        async for event in call.events(partial(view.acall, name, arguments, call_id=id, session=session)):
            yield event
        if call.result is not None:
            invocation.note(call.result)
            if (ending := call.ending(call.result)) is not None:
                yield ending

    async def _name(self, event: AfterToolsEvent) -> None:
        """Words the answers to names that can be no tool's, such as `files.read`: they never come to `_execute`."""
        invocation = self._of(event.agent)
        for result in (block["toolResult"] for block in event.message["content"] if "toolResult" in block):
            id, told = result["toolUseId"], result["content"]
            if id in invocation.written and len(told) == 1 and _INVALID.match(told[0].get("text", "")):
                shown = self._own_tools.shown(invocation.shown or ())
                view = self._pipeline.with_tools([tool.without_handler() for tool in shown])
                name, arguments = invocation.written[id]
                found = await view.acall(name, arguments, call_id=id, session=invocation.session)
                if isinstance(found.error, (ToolNotFoundError, RepeatedCallError)):
                    result["content"] = [{"text": found.content}]
                    invocation.note(found)

    def _view(self, context: ExecuteToolContext, invocation: Invocation) -> Pipeline:
        """The pipeline with the tools that may be called now."""
        shown = invocation.shown
        specs = context.agent.tool_registry.get_all_tool_specs() if shown is None else shown
        name = context.tool_use["name"]
        tools = [tool for tool in self._own_tools.shown(specs) if tool.name != name]
        if context.tool is not None:
            tools.append(self._own_tools.called(name, context.tool))
        return self._pipeline.with_tools(tools)


def _answers(context: ExecuteToolContext) -> bool:
    """Whether the call is the model's structured answer, which Strands checks by itself."""
    return context.tool is not None and context.tool.tool_type == "structured_output"
