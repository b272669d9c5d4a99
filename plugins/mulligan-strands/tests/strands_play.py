"""Runs a Strands agent with a scripted model, and says what the model received."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
from collections.abc import AsyncGenerator
from typing import Any

import attrs
from strands import Agent
from strands.models import Model

logging.getLogger("strands").setLevel(logging.CRITICAL)


class Script(Model):
    """A model that says what it was told to say: a text, calls as (id, name, arguments), or a function of the messages.

    Arguments are a mapping, or JSON text as a model writes it.
    """

    def __init__(self, *turns: Any) -> None:
        self.turns = list(turns)
        self.requests: list[Any] = []
        self.specs: list[Any] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": "scripted"}

    async def structured_output(self, output_model: Any, prompt: Any, system_prompt: Any = None, **_: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **_: Any
    ) -> AsyncGenerator:
        self.requests.append(copy.deepcopy(messages))
        self.specs.append(tool_specs)
        turn = self.turns[min(len(self.requests), len(self.turns)) - 1]
        turn = turn(messages) if callable(turn) else turn
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(turn, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": turn}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}
            return
        for id, name, arguments in turn:
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": id, "name": name}}}}
            for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": piece}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use"}}


def results(messages: Any) -> dict[str, Any]:
    """The results in a conversation, by call id."""
    blocks = [block for message in messages for block in message["content"]]
    return {block["toolResult"]["toolUseId"]: block["toolResult"] for block in blocks if "toolResult" in block}


def told(messages: Any, id: str) -> str:
    """What a conversation tells of a call."""
    return "\n".join(block.get("text") or json.dumps(block) for block in results(messages)[id]["content"])


@attrs.define
class Played:
    """What came of a run."""

    agent: Agent
    result: Any
    error: BaseException | None

    @property
    def results(self) -> dict[str, Any]:
        return results(self.agent.messages)

    @property
    def asked(self) -> list[str]:
        blocks = [block for message in self.agent.messages for block in message["content"]]
        return [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]

    @property
    def last(self) -> str | None:
        return None if self.result is None else str(self.result).strip()

    def text(self, id: str) -> str:
        return told(self.agent.messages, id)


def agent(*turns: Any, tools: Any, **options: Any) -> Agent:
    return Agent(model=Script(*turns), tools=list(tools), callback_handler=None, **options)


async def aplay(one: Agent, prompt: Any = "go", **options: Any) -> Played:
    try:
        return Played(one, await one.invoke_async(prompt, **options), None)
    except Exception as error:
        return Played(one, None, error)


def play(one: Agent, prompt: Any = "go", **options: Any) -> Played:
    return asyncio.run(aplay(one, prompt, **options))
