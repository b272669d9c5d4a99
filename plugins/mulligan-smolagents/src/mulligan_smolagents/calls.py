"""One call on its way through the pipeline, smolagents' own execution behind it; its tools as mulligan's."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from smolagents import ToolCallingAgent, validate_tool_arguments
from smolagents.agent_types import AgentText
from smolagents.utils import AgentToolCallError, AgentToolExecutionError

from mulligan import Pipeline, Tool
from mulligan.adapters import Adapter, Attempt, Stopped, handler_for
from mulligan.errors import ToolArgumentError, UsageError

_MEDIA = ("any", "audio", "image")  # types that JSON Schema does not have


class RunStopped(Stopped):
    """A tool failed in a way that the model cannot correct. Every call of its message was answered before.

    Args:
        error: what the failure means.
        messages: the conversation, every call in it answered.

    Attributes:
        error: what the failure means; also the `__cause__`.
        messages: the conversation.
    """


class Call(Attempt):
    """One call of the model.

    Args:
        view: the pipeline with the tools that may be called now.
        agent: the agent.
        execute: its own execution.
    """

    def __init__(self, view: Pipeline, agent: ToolCallingAgent, execute: Any) -> None:
        super().__init__(view, execute)
        self._agent = agent

    def failure(self, error: BaseException) -> BaseException:
        """What the tool raised, which smolagents turned into text."""
        wrapped = isinstance(error, (AgentToolCallError, AgentToolExecutionError)) and error.__cause__
        return super().failure(wrapped or error)

    def seen(self, value: Any) -> Any:
        """As in `Attempt`; a text of smolagents is a text."""
        return value.to_string() if isinstance(value, AgentText) else super().seen(value)

    def fit(self, tool: Any, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """As in `Attempt`; a text that is the name of one of the agent's variables fits if its value does."""
        fitted = Tool.fit(tool, arguments)
        problems = fitted.problems if isinstance(fitted, ToolArgumentError) else []
        wrong = [arguments.get(problem.pointer[1:]) for problem in problems]
        return super().fit(tool, arguments) if all(map(self._is_variable, wrong)) else fitted

    def read(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """As in `Attempt`."""
        values = {key: self._agent.state[one] if self._is_variable(one) else one for key, one in arguments.items()}
        validate_tool_arguments(tools_of(self._agent)[name], values)
        return arguments

    def _is_variable(self, value: Any) -> bool:
        return isinstance(value, str) and value in self._agent.state


def tools_of(agent: ToolCallingAgent) -> dict[str, Any]:
    """The tools that an agent may call, other agents among them, by name.

    Args:
        agent: the agent.
    """
    return {**agent.tools, **agent.managed_agents}


def as_tool(adapter: Adapter, tool: Any) -> Tool:
    """A tool of mulligan.

    Args:
        adapter: holds the host's options.
        tool: smolagents' tool, or an agent.

    Raises:
        UsageError: the tool is async, which smolagents does not await.
    """
    if inspect.iscoroutinefunction(getattr(tool, "forward", None)):
        raise UsageError(f"tool {tool.name!r} is async, but smolagents does not await tools: make it a plain function")
    inputs: Mapping[str, Any] = tool.inputs
    schema = {
        "type": "object",
        "properties": {name: _schema(one) for name, one in inputs.items()},
        "required": [name for name, one in inputs.items() if not one.get("nullable")],
        "additionalProperties": False,
    }
    handler = handler_for(tool.name, awaited=False)
    return adapter.tool(tool.name, tool.description, schema, handler)


def _schema(member: Mapping[str, Any]) -> dict[str, Any]:
    schema = {name: value for name, value in member.items() if name != "nullable"}
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else list(schema.get("type", ()))
    if not kinds or set(kinds) & set(_MEDIA):
        schema.pop("type", None)
    elif member.get("nullable"):
        schema["type"] = [*kinds, "null"]
        if isinstance(schema.get("enum"), list):
            schema["enum"] = [*schema["enum"], None]
    return schema
