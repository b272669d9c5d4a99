"""`guard`: every tool call of an agent goes through a mulligan pipeline."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from smolagents import ActionStep, ChatMessage, ToolCallingAgent
from smolagents.agent_types import AgentAudio, AgentImage
from smolagents.utils import AgentToolExecutionError

from mulligan import Pipeline, Tool, ToolResult
from mulligan.adapters import Adapter, Conversation
from mulligan.errors import UsageError
from mulligan_smolagents.calls import Call, RunStopped, as_tool, tools_of

A = TypeVar("A", bound=ToolCallingAgent)
_FINAL = "final_answer"


def guard(
    agent: A,
    pipeline: Pipeline | None = None,
    *,
    timeout: float | Mapping[str, float] | None = None,
    tool_options: Mapping[str, Mapping[str, Any]] | None = None,
    fatal: Any = None,
    repair: Any = None,
) -> A:
    """Gives every tool call of an agent a second chance, and those of the agents that it manages, also if they are added later.

    Args:
        agent: the agent, which is changed.
        pipeline: your own policy, plugins, format, limits, approver and middleware; its own tools are not used.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name or a pattern: `{"search_*": {"read_only": True}}`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.

    Returns:
        The same agent.

    Raises:
        UsageError: an argument is wrong, a tool is async, or the agent is guarded already.
    """
    if not isinstance(agent, ToolCallingAgent):
        raise UsageError(f"guard({agent!r:.80}): use a ToolCallingAgent; a CodeAgent calls its tools in code")
    if _is_guarded(agent):
        raise UsageError("guard(agent): the agent is guarded already")
    options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
    adapter = Adapter("guard", pipeline, **options)
    _Guard(agent, adapter)
    adapter.check_names(_tools(adapter, agent), are_all=False)
    return agent


class _Guard:
    """Stands between one agent and its tools, for one run after the other."""

    def __init__(self, agent: ToolCallingAgent, adapter: Adapter) -> None:
        self._agent, self._adapter = agent, adapter
        self._run, self._process, self._execute = agent.run, agent.process_tool_calls, agent.execute_tool_call
        vars(agent).update(run=self.run, process_tool_calls=self.process, execute_tool_call=self.execute)
        self._begin()

    def _begin(self) -> None:
        self._conversation = Conversation(self._adapter.pipeline.session(uuid.uuid4().hex))
        for other in self._agent.managed_agents.values():
            if isinstance(other, ToolCallingAgent) and not _is_guarded(other):
                _Guard(other, self._adapter)

    def run(self, *args: Any, **options: Any) -> Any:
        """The agent's `run`: each is a conversation of its own."""
        self._begin()
        self._conversation.note_request(args[0] if args else options.get("task", ""))
        return self._run(*args, **options)

    def process(self, chat_message: ChatMessage, memory_step: ActionStep) -> Iterator[Any]:
        """Runs the calls of one message; ends the run after a fatal failure.

        Raises:
            RunStopped: with the reason.
        """
        conversation = self._conversation
        for call in chat_message.tool_calls or ():
            call.function.arguments = _with_id(call.function.arguments, call.id)
        conversation.next_step()
        try:
            yield from self._process(chat_message, memory_step)
        finally:
            conversation.end_step()
        if conversation.fatal is not None:
            messages = [*self._agent.write_memory_to_messages(), *memory_step.to_messages()]
            raise RunStopped(conversation.fatal, messages)

    def execute(self, tool_name: str, arguments: Any) -> Any:
        """Runs one call.

        Raises:
            AgentToolExecutionError: the final answer cannot be taken.
        """
        conversation, id = self._conversation, getattr(arguments, "id", None)
        view = self._adapter.view(_tools(self._adapter, self._agent))
        sent = _named(tools_of(self._agent).get(tool_name), arguments)
        attempt = Call(view, self._agent, self._execute)
        result = attempt.call(tool_name, sent, call_id=id, session=conversation.session)
        content = conversation.answer(result)
        if result.is_error:
            if tool_name == _FINAL:  # the text would be the answer
                raise AgentToolExecutionError(content, self._agent.logger)
            return content
        return content if _is_told(result, attempt.value) else attempt.value


def _is_told(result: ToolResult, value: Any) -> bool:
    """Whether the model reads more than the tool's value: nothing ran, or the pipeline has added to it, or shortened it."""
    is_changed = isinstance(value, str) and result.content != str(value)
    return (
        result.attempts == 0 or is_changed or (bool(result.repairs) and not isinstance(value, (AgentAudio, AgentImage)))
    )


def _is_guarded(agent: ToolCallingAgent) -> bool:
    return isinstance(getattr(vars(agent).get("run"), "__self__", None), _Guard)


def _tools(adapter: Adapter, agent: ToolCallingAgent) -> list[Tool]:
    return [as_tool(adapter, tool) for tool in tools_of(agent).values()]


def _named(tool: Any, arguments: Any) -> Any:
    """The arguments by name: smolagents takes the only one of a tool as it is."""
    is_json = isinstance(arguments, (Mapping, str)) and (
        not isinstance(arguments, str) or arguments.lstrip()[:1] in "{["
    )
    if is_json or tool is None or len(tool.inputs) != 1:
        return dict(arguments) if isinstance(arguments, Mapping) else arguments
    return {next(iter(tool.inputs)): arguments}


def _with_id(arguments: Any, id: str) -> Any:
    """The arguments with the id of their call, which smolagents does not pass on."""
    carrying: Any = arguments
    if isinstance(arguments, (dict, str)):
        carrying = _Arguments(arguments) if isinstance(arguments, dict) else _Text(arguments)
        carrying.id = id
    return carrying


class _Arguments(dict[str, Any]):
    """Arguments that carry the id of their call."""

    id: str | None = None

    def __bool__(self) -> bool:
        return True  # smolagents replaces arguments that are falsy


class _Text(str):
    """Arguments that are not JSON, with the id of their call."""

    id: str | None = None

    def __bool__(self) -> bool:
        return True
