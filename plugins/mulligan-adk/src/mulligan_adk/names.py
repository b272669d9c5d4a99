"""The names of tools that an app has before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_toolset import BaseToolset


def names_beside(agent: Any) -> list[str] | None:
    """The names of the tools of all other agents; None if one has some that are not known before it runs."""
    tools = [tool for other in _tree(agent.root_agent) if other is not agent for tool in getattr(other, "tools", ())]
    if any(isinstance(tool, BaseToolset) for tool in tools):
        return None
    return [str(getattr(tool, "name", None) or getattr(tool, "__name__", "")) for tool in tools]


def _tree(agent: BaseAgent) -> Iterator[BaseAgent]:
    yield agent
    nested = [tool.agent for tool in getattr(agent, "tools", ()) if isinstance(tool, AgentTool)]
    for below in (*agent.sub_agents, *nested):
        yield from _tree(below)
