"""A model that plays a script, and agents around it; nothing else stands in for anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

Turn = AIMessage | Callable[[Sequence[BaseMessage]], AIMessage]


class Scripted(BaseChatModel):
    """Says one turn after the other; a turn that is a function is given what was sent."""

    turns: list[Any]
    received: list[Any] = []
    position: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        self.received.append(list(messages))
        turn = self.turns[self.position]
        self.position += 1
        said = turn(messages) if callable(turn) else turn.model_copy()
        return ChatResult(generations=[ChatGeneration(message=said)])


def says(*calls: tuple[str, str, Any], text: str = "") -> AIMessage:
    """A message with calls `(id, name, arguments)`; arguments that are text are read as providers' adapters do it."""
    good: list[Any] = []
    bad: list[Any] = []
    for id, name, arguments in calls:
        try:
            read = json.loads(arguments) if isinstance(arguments, str) else arguments
            good.append({"id": id, "name": name, "args": read, "type": "tool_call"})
        except ValueError:
            told = "Function arguments are not valid JSON."
            bad.append({"id": id, "name": name, "args": arguments, "error": told, "type": "invalid_tool_call"})
    return AIMessage(text, tool_calls=good, invalid_tool_calls=bad)


def model(*turns: Turn, done: str = "Done.") -> Scripted:
    return Scripted(turns=[*turns, AIMessage(done)], received=[])


def answers(messages: Iterable[Any]) -> dict[str, ToolMessage]:
    return {one.tool_call_id: one for one in messages if isinstance(one, ToolMessage)}


def asked(text: str = "Go.") -> dict[str, list[AnyMessage]]:
    return {"messages": [HumanMessage(text)]}


def invoke(agent: Any, input: Any, config: Any = None, **options: Any) -> Any:
    return agent.invoke(input, config, **options)


def ainvoke(agent: Any, input: Any, config: Any = None, **options: Any) -> Any:
    import asyncio

    return asyncio.run(agent.ainvoke(input, config, **options))


BOTH = (invoke, ainvoke)
