"""A scripted model, and agents and crews around it; everything else is real."""

from __future__ import annotations

import asyncio
import inspect
import json
from types import SimpleNamespace
from typing import Any

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import BaseTool, tool


class Script(BaseLLM):
    """Sends one list of calls, or one text, after the other. A call is (id, name, arguments).

    `native` says whether the model calls tools by the provider's own means, or in its text.
    """

    steps: list[Any] = []
    native: bool = True
    requests: list[Any] = []
    answers: dict[str, str] = {}
    waiting: list[str] = []

    def call(self, messages: Any, tools: Any = None, **_: Any) -> Any:
        self.requests.append([dict(message) for message in messages])
        self._read(messages)
        step = self.steps.pop(0) if self.steps else "Done."
        step = step(messages) if callable(step) else step
        if isinstance(step, str):
            return step if self.native and tools else f"Thought: I know.\nFinal Answer: {step}"
        if self.native:
            return [
                {"id": id, "type": "function", "function": {"name": name, "arguments": as_json(arguments)}}
                for id, name, arguments in step
            ]
        first, *others = step
        self.steps[:0] = [[one] for one in others]
        self.waiting.append(first[0])
        return f"Thought: I look.\nAction: {first[1]}\nAction Input: {as_json(first[2])}"

    def _read(self, messages: Any) -> None:
        for message in messages:
            if message["role"] == "tool":
                self.answers[message["tool_call_id"]] = message["content"]
        observed = [str(one["content"]) for one in messages if "Observation: " in str(one["content"])]
        if self.waiting and observed:
            self.answers[self.waiting.pop(0)] = observed[-1].partition("Observation: ")[2]

    def supports_function_calling(self) -> bool:
        return self.native

    def supports_stop_words(self) -> bool:
        return False


def as_json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def script(*steps: Any, native: bool = True) -> Script:
    return Script(model="script", steps=list(steps), native=native, requests=[], answers={}, waiting=[])


def as_tool(function: Any, name: str | None = None) -> BaseTool:
    """A tool of CrewAI, which does not resolve annotations that are text."""
    function.__doc__ = function.__doc__ or "A tool."
    function.__signature__ = inspect.signature(function, eval_str=True)
    return tool(name or function.__name__)(function)


def agent(tools: Any, *steps: Any, native: bool = True, role: str = "helper", **options: Any) -> Agent:
    made = [one if isinstance(one, BaseTool) else as_tool(one) for one in tools]
    options = {"goal": "Help.", "backstory": "You help.", "max_retry_limit": 0, **options}
    return Agent(role=role, tools=made, llm=script(*steps, native=native), **options)


def crew(*agents: Agent, tasks: Any = None, **options: Any) -> Crew:
    made = tasks or [Task(description="Do it.", expected_output="It is done.", agent=one) for one in agents]
    return Crew(agents=list(agents), tasks=made, **options)


def play(target: Any, message: str = "Go.", *, awaited: bool = False) -> Any:
    """Runs an agent or a crew to its end: output, error, and what the model received for each call."""
    played = SimpleNamespace(output=None, error=None, answers={}, result=None)
    given = [message] if isinstance(target, Agent) else []
    try:
        run = target.kickoff_async if awaited else target.kickoff
        played.result = asyncio.run(run(*given)) if awaited else run(*given)
        played.output = played.result.raw
    except Exception as error:
        played.error = error
    agents = [target] if isinstance(target, Agent) else target.agents
    for one in agents:
        played.answers |= one.llm.answers
        if hasattr(played.error, "messages"):
            one.llm._read(played.error.messages)
            played.answers |= one.llm.answers
    return played
