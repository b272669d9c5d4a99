"""`wrap`: every tool call of an agent goes through a mulligan pipeline."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Mapping
from typing import Any

from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.dataclasses import ChatMessage, ChatRole
from haystack.hooks.human_in_the_loop.types import ConfirmationStrategy
from haystack.tools.tool import Tool

from mulligan import Pipeline
from mulligan.adapters import Adapter, Conversation, Conversations
from mulligan.errors import UsageError
from mulligan_haystack.calls import Arguments, Message, RunStopped, as_tool, guarded, stand_in

_NOTHING_READ = (
    "Error: your last message had no text, and no tool call that could be read; nothing was run.\n"
    "Next: send the tool call again with its arguments as one valid JSON object, or answer in text."
)


def wrap(
    agent: Agent,
    pipeline: Pipeline | None = None,
    *,
    timeout: float | Mapping[str, float] | None = None,
    tool_options: Mapping[str, Mapping[str, Any]] | None = None,
    fatal: Any = None,
    repair: Any = None,
    confirmation: ConfirmationStrategy | None = None,
) -> Agent:
    """Gives every tool call of an agent a second chance, also of tools that are given to `run`.

    Args:
        agent: the agent, whose hooks are changed.
        pipeline: plugins, policy, limits, format and approver; its own tools are not used. By default one with the defaults.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name, or by a pattern such as `read_*`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        confirmation: asks a person about calls that need approval, their arguments validated; not with an approver.

    Returns:
        The same agent.

    Raises:
        UsageError: an argument is wrong, or the agent is wrapped already or raises at a tool's failure.
    """
    if not isinstance(agent, Agent):
        raise UsageError(f"wrap({agent!r:.80}): use a haystack.components.agents.Agent")
    if agent.raise_on_tool_invocation_failure:
        raise UsageError("wrap(agent): raise_on_tool_invocation_failure ends the run at each failure; leave it out")
    if any(isinstance(hook, Guard) for hook in agent.hooks.get("before_tool", ())):
        raise UsageError("wrap(agent): the agent is wrapped already")
    options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
    adapter = Adapter("wrap", pipeline, **options)
    if confirmation is not None and adapter.has_approver:
        raise UsageError("wrap(confirmation=...): the pipeline has an approver; leave one of the two out")
    if isinstance(agent.tools, list) and all(isinstance(tool, Tool) for tool in agent.tools):
        own: Any = agent.tools
        adapter.check_names([as_tool(tool, adapter, awaited=False) for tool in own], are_all=False)
    guard = Guard(adapter, confirmation)
    hooks: Any = agent.hooks
    agent.hooks = {**hooks, **{point: [*hooks.get(point, ()), guard] for point in ("before_tool", "after_tool")}}
    return agent


class Guard:
    """Stands between an agent and its tools: the last hook before the calls of a message run, and after.

    Args:
        adapter: holds the host's options.
        confirmation: asks a person, or None.
    """

    def __init__(self, adapter: Adapter, confirmation: ConfirmationStrategy | None) -> None:
        self._adapter, self._confirmation = adapter, confirmation
        self._conversations: Conversations[Conversation] = Conversations(
            lambda _: Conversation(adapter.pipeline.session(uuid.uuid4().hex))
        )

    def run(self, state: State) -> None:
        """Prepares the calls of a message; or, once they are answered, finishes the step.

        A message without text, from which Haystack has left out every call as no valid JSON, is answered too.

        Args:
            state: of the run, by which its conversation is known.

        Raises:
            RunStopped: a call failed so that the run must stop.
        """
        messages = state.data["messages"]
        under_way = next(filter(None, map(_message, reversed(messages))), None)
        if under_way is not None:
            self._finish(under_way)
        elif messages and messages[-1].tool_calls:
            self._prepare(state, messages[-1])
        elif messages and messages[-1].is_from(ChatRole.ASSISTANT) and not messages[-1].text:
            state.set("messages", [ChatMessage.from_user(_NOTHING_READ)])

    async def run_async(self, state: State) -> None:
        """`run`; nothing in it waits.

        Args:
            state: of the run.

        Raises:
            RunStopped: a call failed so that the run must stop.
        """
        self.run(state)

    def to_dict(self) -> dict[str, Any]:
        """Not possible.

        Raises:
            UsageError: always.
        """
        raise UsageError("an agent cannot be saved after wrap(): save it before, and wrap it again once it is loaded")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Guard:
        """Not possible.

        Args:
            data: of no use.

        Raises:
            UsageError: always.
        """
        raise UsageError("an agent cannot be loaded with wrap() in it: wrap it once it is loaded")

    def _prepare(self, state: State, said: ChatMessage) -> None:
        tools: list[Tool] = state.data["tools"]  # where Haystack looks a name up
        self._adapter.check_names([as_tool(tool, self._adapter, awaited=False) for tool in tools], are_all=False)
        known = {tool.name: tool for tool in tools}
        message = Message(self._adapter, self._conversations.of(state), state, known, self._confirmation, said)
        calls = [dataclasses.replace(sent, arguments=Arguments.of(sent, message)) for sent in said.tool_calls]
        unknown = dict.fromkeys(call.tool_name for call in calls if call.tool_name not in known)
        tools[:] = [guarded(tool) for tool in (*tools, *map(stand_in, unknown))]
        state.data["messages"][-1] = ChatMessage.from_assistant(
            said.text, meta=said.meta, name=said.name, tool_calls=calls, reasoning=said.reasoning
        )
        if not message.conversation.has_request:
            users = (one for one in reversed(state.data["messages"]) if one.is_from(ChatRole.USER))
            message.conversation.note_request(next((one.texts for one in users), ()))
        message.conversation.next_step()

    def _finish(self, message: Message) -> None:
        message.state.data["tools"][:] = message.tools.values()
        messages = message.state.data["messages"]
        for index, one in enumerate(messages):
            if _message(one) is message:
                messages[index] = message.said
                for call in one.tool_calls:
                    call.arguments.call = None
        message.conversation.end_step()
        if message.conversation.fatal is not None:
            raise RunStopped(message.conversation.fatal, messages)


def _message(one: ChatMessage) -> Message | None:
    """The message whose calls are under way, of which Haystack has a copy."""
    arguments = one.tool_calls[0].arguments if one.tool_calls else None
    call = arguments.call if isinstance(arguments, Arguments) else None
    return None if call is None else call.message
