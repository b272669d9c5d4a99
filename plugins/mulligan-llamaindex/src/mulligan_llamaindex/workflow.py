"""`wrap` for agents and for workflows of agents."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar, Union

from llama_index.core.agent.workflow import (
    AgentInput,
    AgentOutput,
    AgentSetup,
    AgentWorkflow,
    BaseWorkflowAgent,
    ToolCall,
    ToolCallResult,
)
from llama_index.core.agent.workflow.workflow_events import AgentWorkflowStartEvent
from llama_index.core.tools import AsyncBaseTool, ToolOutput
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, StopEvent, step

import mulligan
from mulligan import Approve, Pipeline, Reject
from mulligan.adapters import Adapter, Conversation, Conversations
from mulligan.errors import UsageError
from mulligan_llamaindex.calls import Execute, RunStopped, ToolAttempt, UnknownTool, as_tool

W = TypeVar("W", bound=BaseWorkflowAgent | AgentWorkflow)
_KEY = "mulligan_conversation"


def wrap(
    workflow: W,
    pipeline: Pipeline | None = None,
    *,
    timeout: float | Mapping[str, float] | None = None,
    tool_options: Mapping[str, Mapping[str, Any]] | None = None,
    fatal: Any = None,
    repair: Any = None,
) -> W:
    """Gives every tool call of an agent, or of all agents of a workflow, a second chance.

    Args:
        workflow: an agent such as a `FunctionAgent`, or an `AgentWorkflow`; it is changed.
        pipeline: plugins, policy, limits, format and approver; its own tools are not used. By default one with the defaults.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name, or by a pattern such as `read_*`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.

    Returns:
        The same object.

    Raises:
        UsageError: an argument is wrong.
    """
    if not isinstance(workflow, (BaseWorkflowAgent, AgentWorkflow)):
        raise UsageError(
            f"wrap({workflow!r:.80}): use an agent of llama_index.core.agent.workflow, or an AgentWorkflow"
        )
    if "_mulligan" in vars(workflow):
        raise UsageError("wrap(): this agent is wrapped already")
    options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
    guard = Guard(Adapter("wrap", pipeline, **options))
    cls: Any = type(workflow)
    object.__setattr__(workflow, "__class__", _guarded(cls))
    vars(workflow)["_mulligan"] = guard
    return workflow


class _Call:
    """The call that a step is about, and the tools that it may call."""

    def __init__(self, event: ToolCall) -> None:
        self.event = event
        self.tools: list[AsyncBaseTool] = []
        self.decision: Approve | Reject | None = None


_CALL: ContextVar[_Call | None] = ContextVar("mulligan_llamaindex_call", default=None)


class Guard:
    """Runs the calls of one agent, or of one workflow.

    Attributes:
        adapter: plugins, policy, options and format.
        conversations: what is remembered, by the id that the context keeps, and by agent.
    """

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.conversations: Conversations[Conversation] = Conversations(
            lambda key: Conversation(adapter.pipeline.session(key))
        )
        self._is_checked = False

    async def conversation(self, ctx: Context) -> Conversation:
        """The conversation of a context and of the agent at work."""
        id = await ctx.store.get(_KEY, default=None)
        if id is None:
            await ctx.store.set(_KEY, id := uuid.uuid4().hex)
        return self.conversations.of(id, await ctx.store.get("current_agent_name", default=None))

    async def begin(self, ctx: Context) -> None:
        """The person has written: nothing is held against the calls any more."""
        id = await ctx.store.get(_KEY, default=None)
        if id is not None:
            self.conversations.end(id)

    def check_names(self, tools: list[AsyncBaseTool]) -> None:
        """Refuses a timeout or options for a misspelt name of a tool, once."""
        if not self._is_checked:
            self.adapter.check_names([as_tool(tool, self.adapter) for tool in tools], are_all=False)
            self._is_checked = True

    def attempt(self, tools: list[AsyncBaseTool], name: str, execute: Execute) -> ToolAttempt:
        """A call of one of the tools."""
        known = {tool.metadata.get_name(): tool for tool in tools if not isinstance(tool, UnknownTool)}
        view = self.adapter.view(as_tool(tool, self.adapter) for tool in known.values())
        return ToolAttempt(view, known, name, execute)

    def shown(self, tools: list[AsyncBaseTool]) -> list[AsyncBaseTool]:
        """The tools that may be called now; in a call, also a stand-in for a name that none of them has."""
        self.check_names(tools)
        call = _CALL.get()
        if call is None:
            return tools
        call.tools = tools
        known = {tool.metadata.name for tool in tools}
        return tools if call.event.tool_name in known else [*tools, UnknownTool(call.event.tool_name)]

    async def run(self, ctx: Context, call: _Call, execute: Execute) -> ToolOutput:
        """Runs a call, and returns what LlamaIndex receives."""
        conversation = await self.conversation(ctx)
        attempt = self.attempt(call.tools, call.event.tool_name, execute)
        attempt.decision = call.decision
        result = await attempt.acall(_sent(call.event), session=conversation.session)
        if result.is_error:
            conversation.answer(result)
        return attempt.answer(result, call.event.tool_name, call.event.tool_kwargs)

    async def end_step(self, ctx: Context) -> None:
        """Every call of a message is answered.

        Raises:
            RunStopped: one failed so that the run must stop.
        """
        conversation = await self.conversation(ctx)
        conversation.end_step()
        if conversation.fatal is not None:
            results = await ctx.store.get("current_tool_calls", default=[])
            raise RunStopped(conversation.fatal, [one.tool_output.content for one in results])

    async def ask(self, ctx: Context, event: ToolCall, tools: list[AsyncBaseTool]) -> Approve | Reject | None:
        """A person's decision about a call that needs one: the step is repeated when it has come."""
        if self.adapter.has_approver:
            return None
        attempt = self.attempt(tools, event.tool_name, _never)
        session = (await self.conversation(ctx)).session
        with attempt.entered():
            request = await attempt.view.aapproval(_sent(event), session=session)
        if request is None:
            return None
        fields: Any = {
            "prefix": request.reason or f"{request.tool_name} needs approval.",
            "tool_id": event.tool_id,
            "tool_name": request.tool_name,
            "tool_kwargs": request.arguments,
        }
        answer = await ctx.wait_for_event(
            HumanResponseEvent,
            waiter_event=InputRequiredEvent(**fields),
            waiter_id=f"mulligan-{event.tool_id}",
            requirements={"tool_id": event.tool_id},
            timeout=None,
        )
        return _decision(answer)


@cache
def _guarded(cls: Any) -> Any:
    """The class of an agent or a workflow, with steps that mulligan takes part in."""

    class Guarded(cls):  # type: ignore[misc]
        """The steps that mulligan takes part in."""

        @step
        async def init_run(self, ctx: Context, ev: AgentWorkflowStartEvent) -> AgentInput:
            """A message of the person."""
            await _guard(self).begin(ctx)
            return await super().init_run(ctx, ev)  # type: ignore[no-any-return]

        @step
        async def run_agent_step(self, ctx: Context, ev: AgentSetup) -> AgentOutput:
            """The model is asked."""
            conversation = await _guard(self).conversation(ctx)
            if not conversation.has_request:
                conversation.note_request(await ctx.store.get("user_msg_str", default=None) or "")
            conversation.next_step()
            return await super().run_agent_step(ctx, ev)  # type: ignore[no-any-return]

        @step
        async def call_tool(self, ctx: Context, ev: ToolCall) -> ToolCallResult:
            """A tool is called."""
            guard, call = _guard(self), _Call(ev)
            token = _CALL.set(call)
            try:
                in_workflow = isinstance(self, AgentWorkflow)
                where = [await ctx.store.get("current_agent_name")] if in_workflow else []
                tools = await self.get_tools(*where, ev.tool_name)
                call.decision = await guard.ask(ctx, ev, tools)
                return await super().call_tool(ctx, ev)  # type: ignore[no-any-return]
            finally:
                _CALL.reset(token)

        @step
        async def aggregate_tool_results(self, ctx: Context, ev: ToolCallResult) -> Union[AgentInput, StopEvent, None]:  # noqa: UP007 - as the framework reads it
            """Every call of a message is answered.

            Raises:
                RunStopped: one failed so that the run must stop.
            """
            following = await super().aggregate_tool_results(ctx, ev)
            if following is not None:
                await _guard(self).end_step(ctx)
            return following  # type: ignore[no-any-return]

        async def get_tools(self, *args: Any, **kwargs: Any) -> list[AsyncBaseTool]:
            """The tools that may be called now, and a stand-in for a name that none of them has."""
            return _guard(self).shown(list(await super().get_tools(*args, **kwargs)))

        async def _call_tool(self, ctx: Context, tool: AsyncBaseTool, tool_input: dict[str, Any]) -> ToolOutput:
            call, run = _CALL.get(), super()._call_tool
            if call is None:
                return await run(ctx, tool, tool_input)  # type: ignore[no-any-return]
            return await _guard(self).run(ctx, call, lambda tool, arguments: run(ctx, tool, arguments))

    Guarded.__name__, Guarded.__qualname__, Guarded.__doc__ = cls.__name__, cls.__qualname__, cls.__doc__
    return Guarded


def _guard(workflow: Any) -> Guard:
    guard: Guard = vars(workflow)["_mulligan"]
    return guard


def _sent(event: ToolCall) -> mulligan.ToolCall:
    return mulligan.ToolCall(event.tool_id, event.tool_name, event.tool_kwargs)


def _decision(answer: HumanResponseEvent) -> Approve | Reject:
    """A person's decision; without a clear yes, the call does not run."""
    if answer.get("approved", default=False) is not True:
        return Reject(str(answer.get("reason", default="") or ""))
    return Approve(answer.get("tool_kwargs", default=None))


async def _never(tool: AsyncBaseTool, arguments: dict[str, Any]) -> ToolOutput:
    raise AssertionError("nothing runs while a person is asked")
