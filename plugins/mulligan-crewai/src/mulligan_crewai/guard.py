"""`wrap`: every tool call of an agent, or of the agents of a crew, goes through a mulligan pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

from crewai import Agent, Crew, Process

from mulligan import Pipeline
from mulligan.adapters import Adapter
from mulligan.errors import UsageError
from mulligan_crewai.executors import Guard
from mulligan_crewai.tools import as_tool, by_name, call_once

T = TypeVar("T", bound=Agent | Crew)
_KEY = "_mulligan"


def wrap(
    target: T,
    pipeline: Pipeline | None = None,
    *,
    timeout: float | Mapping[str, float] | None = None,
    tool_options: Mapping[str, Mapping[str, Any]] | None = None,
    fatal: Any = None,
    repair: Any = None,
) -> T:
    """Gives every tool call of an agent, or of all agents of a crew, a second chance.

    Args:
        target: the agent or the crew; it is changed.
        pipeline: plugins, policy, limits, format and approver; its own tools are not used. By default one with the defaults.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name, or by a pattern such as `read_*`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.

    Returns:
        The same object.

    Raises:
        UsageError: an argument is wrong, or an agent is wrapped already or not one of CrewAI's own.
    """
    if not isinstance(target, (Agent, Crew)):
        raise UsageError(f"wrap({target!r:.80}): use a crewai.Agent or a crewai.Crew")
    if isinstance(target, Crew) and target.process is Process.hierarchical:
        target._create_manager_agent()  # noqa: SLF001 - else CrewAI makes it when the crew starts
    agents = [target] if isinstance(target, Agent) else _agents(target)
    for agent in agents:
        if not isinstance(agent, Agent):
            raise UsageError(f"wrap(): {type(agent).__name__} {agent.role!r:.80} is not a crewai.Agent; leave it out")
        if _KEY in vars(agent):
            raise UsageError(f"wrap(): agent {agent.role!r:.80} is wrapped already")
    options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
    wrapper = _Wrapper(Adapter("wrap", pipeline, **options))
    tasks = target.tasks if isinstance(target, Crew) else []
    wrapper.check(tool for owner in (*agents, *tasks) for tool in owner.tools or ())
    for agent in agents:
        wrapper.wrap(agent)
    return target


def _agents(crew: Crew) -> list[Any]:
    every = [*crew.agents, crew.manager_agent, *(task.agent for task in crew.tasks)]
    return list({id(agent): agent for agent in every if agent is not None}.values())


class _Wrapper:
    """Wraps agents and the executors that they make."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    def check(self, tools: Iterable[Any]) -> None:
        """Refuses a timeout or options for a misspelt name of a tool."""
        made = [as_tool(name, tool, self._adapter) for name, tool in by_name(tools).items()]
        self._adapter.check_names(made, are_all=False)

    def wrap(self, agent: Agent) -> None:
        """Wraps an agent."""
        object.__setattr__(agent, "__class__", _guarded(type(agent)))
        vars(agent)[_KEY] = self

    def adopt(self, executor: Any) -> None:
        """Puts mulligan between an executor and its tools."""
        self.check(executor.original_tools)
        call_once(executor.original_tools)
        Guard(self._adapter).guard(executor)


@cache
def _guarded(cls: Any) -> Any:
    class Guarded(cls):  # type: ignore[misc]
        """An agent whose executors make their calls through mulligan."""

        def create_agent_executor(self, *args: Any, **kwargs: Any) -> None:
            super().create_agent_executor(*args, **kwargs)
            self._mulligan.adopt(self.agent_executor)

        def _prepare_kickoff(self, *args: Any, **kwargs: Any) -> Any:
            prepared = super()._prepare_kickoff(*args, **kwargs)
            self._mulligan.adopt(prepared[0])
            return prepared

        def copy(self) -> Any:
            copied = super().copy()
            vars(copied)[_KEY] = self._mulligan
            return copied

        @classmethod
        def from_checkpoint(cls, config: Any) -> Any:
            raise UsageError("an agent cannot be restored after wrap(): restore it first, then wrap it")

    Guarded.__name__, Guarded.__qualname__, Guarded.__doc__ = cls.__name__, cls.__qualname__, cls.__doc__
    return Guarded
