"""Runs an agent of smolagents with a scripted model, and says what the model received."""

from __future__ import annotations

import json
from typing import Any

import attrs
from smolagents import LogLevel, Model, Tool, ToolCallingAgent, ToolOutput
from smolagents.memory import ActionStep
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction

from mulligan import Tool as Described


class Script(Model):
    """A model that says what it was told to say: a text as its final answer, calls as (id, name, arguments), or a function.

    Arguments are a mapping, or JSON text as a model writes it.
    """

    def __init__(self, *turns: Any) -> None:
        super().__init__()
        self.turns = list(turns)
        self.requests: list[Any] = []

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        self.requests.append([str(one.content) for one in messages])
        turn = self.turns[min(len(self.requests), len(self.turns)) - 1]
        turn = turn(self.requests[-1]) if callable(turn) else turn
        if isinstance(turn, str):
            turn = [("answer", "final_answer", {"answer": turn})]
        calls = [
            ChatMessageToolCall(
                function=ChatMessageToolCallFunction(
                    name=name, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments)
                ),
                id=id,
                type="function",
            )
            for id, name, arguments in turn
        ]
        return ChatMessage(role="assistant", content="", tool_calls=calls)


def as_tool(function: Any) -> Tool:
    """A tool of smolagents, made of a plain function."""
    described = Described.from_function(function)
    parameters = json.loads(json.dumps(described.parameters))

    class Made(Tool):
        name = described.name
        description = described.description or described.name
        output_type = "any"
        skip_forward_signature_validation = True
        inputs = {
            name: {
                "type": "any",
                "description": name,
                **one,
                **({} if name in parameters.get("required", ()) else {"nullable": True}),
            }
            for name, one in parameters.get("properties", {}).items()
        }

        def forward(self, **arguments: Any) -> Any:
            return function(**arguments)

    return Made()


@attrs.define
class Played:
    """What came of a run."""

    agent: ToolCallingAgent
    answers: dict[str, str]
    last: Any
    error: BaseException | None


def agent(*turns: Any, tools: Any = (), **options: Any) -> ToolCallingAgent:
    made = [one if isinstance(one, Tool) else as_tool(one) for one in tools]
    return ToolCallingAgent(tools=made, model=Script(*turns), verbosity_level=LogLevel.OFF, **options)


def play(one: ToolCallingAgent, task: str = "go", **options: Any) -> Played:
    played = Played(one, {}, None, None)
    calls: list[str] = []
    try:
        for step in one.run(task, stream=True, **options):
            if isinstance(step, ToolOutput):
                played.answers[step.id] = step.observation
                played.last = step.output if step.is_final_answer else None
            elif type(step).__name__ == "ToolCall":
                calls.append(step.id)
            elif isinstance(step, ActionStep):
                lost = [id for id in calls if id not in played.answers]
                if step.error is not None and lost:  # the model reads one text, without an id
                    played.answers[lost[0]] = str(step.error)
                calls.clear()
    except Exception as error:
        played.error = error
    return played
