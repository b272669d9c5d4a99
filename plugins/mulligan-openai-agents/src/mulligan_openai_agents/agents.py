"""`wrap`: an agent whose function tools, and those of the agents it hands off to, go through mulligan."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterator, Mapping
from itertools import dropwhile, takewhile
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    FunctionToolResult,
    Handoff,
    ModelResponse,
    RunContextWrapper,
    ToolApprovalItem,
    ToolsToFinalOutputResult,
)
from agents import Tool as AnyTool
from agents.run_internal.tool_execution import function_needs_approval
from agents.run_internal.turn_preparation import get_handoffs
from openai.types.responses import ResponseFunctionToolCall

from mulligan import Pipeline, Tool, ToolCall
from mulligan.adapters import OPEN, Adapter, Conversations
from mulligan.errors import UsageError
from mulligan_openai_agents.runs import Run, current_run, resolved
from mulligan_openai_agents.tools import Guarded

AnAgent = TypeVar("AnAgent", bound=Agent[Any])
_KEPT = 1_000
_HOOKS = ("on_start", "on_handoff", "on_tool_start", "on_tool_end")


def wrap(
    agent: AnAgent,
    *,
    pipeline: Pipeline | None = None,
    timeout: float | Mapping[str, float] | None = None,
    tool_options: Mapping[str, Mapping[str, Any]] | None = None,
    fatal: Any = None,
    repair: Any = None,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
) -> AnAgent:
    """A copy of an agent whose function tools go through mulligan: its own, those of its MCP servers, those added later.

    The agents that it hands off to are wrapped with it, however they go round in circles. The agent that you give stays
    as it is.

    Args:
        agent: the agent.
        pipeline: your own policy, plugins, format, limits and middleware. By default values that the SDK would coerce
            without loss are coerced.
        timeout: seconds for each call of a tool that has none of its own, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name or a pattern: `{"search_*": {"read_only": True}}`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        tools: the old name of `tool_options`.

    Raises:
        UsageError: it is no agent; an argument is wrong.
    """
    if not isinstance(agent, Agent):
        raise UsageError(f"wrap() takes an agents.Agent, not {agent!r:.80}")
    if pipeline is None and repair is None:
        repair = "coerce"
    options: Any = {"timeout": timeout, "tool_options": tool_options or tools, "fatal": fatal, "repair": repair}
    wrapped: AnAgent = _Guard(Adapter("wrap", pipeline, **options)).agent(agent)
    return wrapped


class _Mark:
    """On the SDK's context of a run, and on its copies: a run that was paused is the same conversation."""


class _Guard:
    """What all agents of one `wrap` share."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self._agents: dict[int, tuple[Agent[Any], Any]] = {}
        self._runs = Conversations(lambda _: Run(adapter.pipeline.session(uuid4().hex), adapter.pipeline))

    def run(self, context: RunContextWrapper[Any]) -> Run:
        """The run that a context belongs to; forgotten with the context."""
        run = self._runs.of(vars(context).setdefault("_mulligan_mark", _Mark()))
        run.context = weakref.ref(context)
        return run

    def agent(self, agent: Agent[Any]) -> Any:
        """The guarded copy of an agent, the same one each time."""
        known = self._agents.get(id(agent))
        if known is not None:
            return known[1]
        plain = type(agent).plain if isinstance(agent, GuardedAgent) else type(agent)
        guarded = copy.copy(agent)
        guarded.__class__ = type(plain.__name__, (GuardedAgent, plain), {"guard": self, "plain": plain})
        self._agents[id(agent)] = self._agents[id(guarded)] = (agent, guarded)
        while len(self._agents) > _KEPT:  # a handoff may make a new agent each time
            del self._agents[next(iter(self._agents))]
        self.equip(guarded)
        return guarded

    def equip(self, agent: Agent[Any]) -> None:
        """Guards what a guarded agent was given, at first or since: hooks, handoffs, what it does with results."""
        if getattr(agent.hooks, "guard", None) is not self:
            agent.hooks = _Hooks(agent.hooks.theirs if isinstance(agent.hooks, _Hooks) else agent.hooks, self)
        agent.handoffs = [self._handoff(one) for one in agent.handoffs]
        behavior = agent.tool_use_behavior
        if behavior != "run_llm_again" and getattr(behavior, "guard", None) is not self:
            agent.tool_use_behavior = _unless_fatal(behavior, self)

    def _handoff(self, given: Agent[Any] | Handoff[Any, Any]) -> Any:
        """A handoff to guarded agents; one that is already stays as it is."""
        if isinstance(given, Agent):
            return self.agent(given)
        if getattr(given.on_invoke_handoff, "guard", None) is self:
            return given
        changed = copy.copy(given)

        async def invoke(context: RunContextWrapper[Any], input_json: str) -> Any:
            target = await given.on_invoke_handoff(context, input_json)
            return self.agent(target) if isinstance(target, Agent) else target

        target = given._agent_ref and given._agent_ref()  # noqa: SLF001 (a saved run finds its agents by it)
        if isinstance(target, Agent):
            target = self.agent(target)
            changed._agent_ref = weakref.ref(target)  # noqa: SLF001
        vars(invoke).update(guard=self, target=target)
        changed.on_invoke_handoff = invoke
        return changed

    def check_names(self, own: list[Tool]) -> None:
        """Refuses a timeout or options whose name is that of no tool of any agent, but like one.

        Raises:
            UsageError: names the closest tool.
        """
        tools = [tool for agent, _ in self._agents.values() for tool in agent.tools if isinstance(tool, FunctionTool)]
        self.adapter.check_names(own, others=[tool.qualified_name for tool in tools], are_all=False)

    async def ask(self, context: RunContextWrapper[Any], agent: Any, call: ResponseFunctionToolCall) -> None:
        """Decides whether the SDK puts a call that the model has sent before a person: if one of the two wants it."""
        run = self.run(context)
        names = {call.name, f"{call.namespace}.{call.name}"}
        tool = next((one for one in agent.guarded_tools.values() if one.tool.name in names), None)
        if tool is None or not tool.asks:
            return
        sent = ToolCall(call.call_id, tool.tool.name, call.arguments)
        if await tool.view.aapproval(sent, session=run.session) is not None:
            run.asked[call.call_id] = tool.view, sent
        elif (await function_needs_approval(tool.original, context, call)).outcome == "invoke":
            run.allowed.add(call.call_id)
            if context.is_tool_approved(call.name, call.call_id) is None:
                context.approve_tool(ToolApprovalItem(agent=agent, raw_item=call, tool_name=call.name))


class GuardedAgent(Agent[Any]):
    """Precedes an agent's own class, which is `plain`."""

    guard: ClassVar[_Guard]
    plain: ClassVar[type[Agent[Any]]]
    guarded_tools: Mapping[int, Guarded] = {}
    """The function tools of the turn, by the id of the author's object."""

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[AnyTool]:
        """The agent's tools, the function tools guarded. The SDK asks in every turn, and before it continues a run."""
        run = self.guard.run(run_context)
        current_run.set(run)
        self.guard.equip(self)
        tools = await super().get_all_tools(run_context)
        functions, known = [tool for tool in tools if isinstance(tool, FunctionTool)], self.guarded_tools
        self.guarded_tools = {id(one): known.get(id(one)) or Guarded(one, self.guard.adapter) for one in functions}
        kept = self.guarded_tools
        if not known:
            self.guard.check_names([guarded.tool for guarded in kept.values()])
        handoffs = await get_handoffs(self, run_context)
        named = [self.guard.adapter.tool(one.tool_name, one.tool_description, OPEN, None) for one in handoffs]
        run.view = self.guard.adapter.view([*named, *(guarded.named for guarded in kept.values())])
        return [kept[id(tool)].wrapped if id(tool) in kept else tool for tool in tools]


class _Hooks(AgentHooks[Any]):
    """Follows the turns of a run, and passes everything on to the agent's own hooks."""

    def __init__(self, theirs: Any, guard: _Guard) -> None:
        self.guard = guard
        self.theirs = theirs or AgentHooks()
        for name in _HOOKS:
            setattr(self, name, getattr(self.theirs, name))

    async def on_llm_start(self, context: RunContextWrapper[Any], agent: Agent[Any], *prompt: Any) -> None:
        """The model is asked: what it called before is answered.

        Raises:
            RunStopped: a tool failed for good in the turn before.
        """
        run, messages = self.guard.run(context), prompt[-1]
        for call in _latest_calls(messages):
            id = call["call_id"]
            if id not in run.arguments and context.is_tool_approved(call["name"], id) is False:  # in another process
                await self.guard.ask(context, agent, ResponseFunctionToolCall.model_validate(call))
        await run.next_turn(context, messages)
        await self.theirs.on_llm_start(context, agent, *prompt)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        """The model has answered; its calls come next."""
        run = self.guard.run(context)
        calls = [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]
        run.read({item.call_id: item.arguments for item in calls})
        for call in calls:
            await self.guard.ask(context, agent, call)
        await self.theirs.on_llm_end(context, agent, response)

    async def on_end(self, context: Any, agent: Agent[Any], output: Any) -> None:
        """The agent has given its final output, and the last step has ended."""
        self.guard.run(context).end_step()
        await self.theirs.on_end(context, agent, output)


def _latest_calls(messages: Any) -> Iterator[dict[str, Any]]:
    """The calls of the model's last message."""
    kinds = [(item.get("type"), item) for item in reversed(messages) if isinstance(item, dict)]
    said = dropwhile(lambda pair: pair[0] != "function_call", kinds)
    for kind, item in takewhile(lambda pair: pair[0] != "function_call_output", said):
        if kind == "function_call":
            yield item


def _unless_fatal(behavior: Any, guard: _Guard) -> Any:
    """What an agent does with its tools' results, but that a fatal failure is no final output."""
    more = ToolsToFinalOutputResult(is_final_output=False, final_output=None)

    async def decide(context: RunContextWrapper[Any], results: list[FunctionToolResult]) -> Any:
        if guard.run(context).fatal is not None:
            return more
        if callable(behavior):
            return await resolved(behavior(context, results))
        names = behavior.get("stop_at_tool_names", []) if isinstance(behavior, dict) else None
        for result in results:
            if names is None or result.tool.name in names or result.tool.qualified_name in names:
                return ToolsToFinalOutputResult(is_final_output=True, final_output=result.output)
        return more

    vars(decide)["guard"] = guard
    return decide
