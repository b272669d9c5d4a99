"""`wrap`: an agent whose function tools, and those of the agents it hands off to, go through mulligan."""

from __future__ import annotations

import copy
import inspect
import weakref
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    FunctionToolResult,
    Handoff,
    ModelResponse,
    RunContextWrapper,
    ToolsToFinalOutputResult,
    handoff,
)
from agents import Tool as AnyTool
from openai.types.responses import ResponseFunctionToolCall

from mulligan import Pipeline, Tool
from mulligan.adapters import OPEN, Adapter, Conversations
from mulligan.errors import ToolNotFoundError, UsageError
from mulligan_openai_agents.runs import Run, current_run
from mulligan_openai_agents.tools import Guarded, is_enabled

AnAgent = TypeVar("AnAgent", bound=Agent[Any])
_KEPT = 1_000
_HOOKS = ("on_start", "on_handoff", "on_tool_start", "on_tool_end", "on_llm_start")


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
    options: Any = {"timeout": timeout, "tool_options": tool_options or tools, "fatal": fatal, "repair": repair}
    wrapped: AnAgent = _Guard(Adapter("wrap", pipeline, default_repair="coerce", **options)).agent(agent)
    return wrapped


def refuse(**_: Any) -> Any:
    """The handler of a handoff, which the SDK makes itself.

    Raises:
        ToolNotFoundError: always.
    """
    raise ToolNotFoundError("To hand off to an agent, use its exact name.")


class _Guard:
    """What all agents of one `wrap` share.

    Args:
        adapter: makes their tools and pipelines.
    """

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self._agents: dict[int, tuple[Agent[Any], Any]] = {}
        self._runs = Conversations(lambda _: Run(adapter.pipeline.session(), adapter.pipeline))

    def run(self, context: RunContextWrapper[Any]) -> Run:
        """The run that a context belongs to; forgotten with the context.

        Args:
            context: the SDK's context of the run.
        """
        run = self._runs.of(context)
        run.context = weakref.ref(context)
        return run

    def agent(self, agent: Agent[Any]) -> Any:
        """The guarded copy of an agent, the same one each time.

        Args:
            agent: the agent.
        """
        known = self._agents.get(id(agent))
        if known is not None:
            return known[1]
        plain = type(agent).plain if isinstance(agent, GuardedAgent) else type(agent)
        guarded = copy.copy(agent)
        guarded.__class__ = type(plain.__name__, (GuardedAgent, plain), {"guard": self, "plain": plain})
        self._agents[id(agent)] = self._agents[id(guarded)] = (agent, guarded)
        while len(self._agents) > _KEPT:  # a handoff may make a new agent each time
            del self._agents[next(iter(self._agents))]
        guarded.hooks = _Hooks(agent.hooks, self)
        guarded.handoffs = [self.handoff(one) for one in agent.handoffs]
        if agent.tool_use_behavior != "run_llm_again":
            guarded.tool_use_behavior = _unless_fatal(agent, self)
        return guarded

    def handoff(self, given: Agent[Any] | Handoff[Any, Any]) -> Any:
        """A handoff to guarded agents; one that is already stays as it is.

        Args:
            given: an agent, or a handoff.
        """
        if isinstance(given, Agent):
            return self.agent(given)
        if getattr(given.on_invoke_handoff, "guard", None) is self:
            return given
        changed = copy.copy(given)

        async def invoke(context: RunContextWrapper[Any], input_json: str) -> Any:
            target = await given.on_invoke_handoff(context, input_json)
            return self.agent(target) if isinstance(target, Agent) else target

        vars(invoke)["guard"] = self
        changed.on_invoke_handoff = invoke
        return changed


class GuardedAgent(Agent[Any]):
    """Stands before an agent's own class.

    Attributes:
        guard: what all agents of one `wrap` share.
        plain: the agent's own class.
    """

    guard: ClassVar[_Guard]
    plain: ClassVar[type[Agent[Any]]]

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[AnyTool]:
        """The agent's tools, the function tools guarded. The SDK asks once in every turn, before it calls the model.

        Args:
            run_context: the SDK's context of the run.

        Raises:
            RunStopped: a tool failed for good in the turn before.
        """
        run = self.guard.run(run_context)
        run.next_turn()
        current_run.set(run)
        handoffs = [self.guard.handoff(one) for one in self.handoffs]  # some may have been added since
        if any(one is not before for one, before in zip(handoffs, self.handoffs, strict=True)):
            self.handoffs = handoffs
        tools = await super().get_all_tools(run_context)
        known: dict[int, Guarded] = self.__dict__.get("_mulligan_tools", {})
        kept: dict[int, Guarded] = {}
        for tool in tools:
            if isinstance(tool, FunctionTool):
                guarded = known.get(id(tool))
                if guarded is None or guarded.original is not tool:
                    guarded = Guarded(tool, self.guard.adapter)
                kept[id(tool)] = guarded
        self.__dict__["_mulligan_tools"] = kept
        own = [guarded.tool for guarded in kept.values()]
        self.guard.adapter.check_names(own, are_all=False)
        run.view = self.guard.adapter.view([*await self._handoffs_as_tools(run_context), *own])
        return [kept[id(tool)].wrapped if id(tool) in kept else tool for tool in tools]

    async def _handoffs_as_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        """What else the model may call by name, so that it can be suggested."""
        found = [one if isinstance(one, Handoff) else handoff(one) for one in self.handoffs]
        return [
            self.guard.adapter.tool(one.tool_name, one.tool_description, OPEN, refuse, timeout=None)
            for one in found
            if await is_enabled(one, run_context, self)
        ]


class _Hooks(AgentHooks[Any]):
    """Notes what the model sent, and passes everything on to the agent's own hooks."""

    def __init__(self, theirs: Any, guard: _Guard) -> None:
        self._theirs = theirs
        self._guard = guard
        if theirs is not None:
            for name in _HOOKS:
                setattr(self, name, getattr(theirs, name))

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        """The model has answered; its calls come next."""
        calls = [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]
        self._guard.run(context).arguments = {item.call_id: item.arguments for item in calls}
        if self._theirs is not None:
            await self._theirs.on_llm_end(context, agent, response)

    async def on_end(self, context: Any, agent: Agent[Any], output: Any) -> None:
        """The agent has given its final output, and the last step has ended."""
        self._guard.run(context).end_step()
        if self._theirs is not None:
            await self._theirs.on_end(context, agent, output)


def _unless_fatal(agent: Agent[Any], guard: _Guard) -> Any:
    """What an agent does with its tools' results, but that a fatal failure is no final output."""
    behavior = agent.tool_use_behavior
    more = ToolsToFinalOutputResult(is_final_output=False, final_output=None)

    async def decide(context: RunContextWrapper[Any], results: list[FunctionToolResult]) -> ToolsToFinalOutputResult:
        if guard.run(context).fatal is not None:
            return more
        if callable(behavior):
            given = behavior(context, results)
            return await given if inspect.isawaitable(given) else given
        names = behavior.get("stop_at_tool_names", []) if isinstance(behavior, dict) else None
        for result in results:
            if names is None or result.tool.name in names or result.tool.qualified_name in names:
                return ToolsToFinalOutputResult(is_final_output=True, final_output=result.output)
        return more

    return decide
