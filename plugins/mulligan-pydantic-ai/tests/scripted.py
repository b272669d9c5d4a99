"""A scripted model, and what Pydantic AI sent it."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import SimpleNamespace

from pydantic_ai import capture_run_messages
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


def call(id, name, arguments=None):
    return ToolCallPart(name, arguments, tool_call_id=id)


def say(text):
    return TextPart(text)


def told(messages):
    """What the model reads of its calls, by call id."""
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return {part.tool_call_id: part.model_response_str() for part in parts}


class Script:
    """A model that sends one list of parts after the other; a step may be a function of what it has been told."""

    def __init__(self, *steps):
        self.steps = list(steps)
        self.received = []
        self.model = FunctionModel(self._answer, stream_function=self._stream)

    def _next(self, messages):
        self.received.append(list(messages))
        step = self.steps.pop(0)
        return step(told(messages)) if callable(step) else step

    def _answer(self, messages, info):
        return ModelResponse(parts=list(self._next(messages)))

    async def _stream(self, messages, info):
        for number, part in enumerate(self._next(messages)):
            if isinstance(part, TextPart):
                yield part.content
            else:
                arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {})
                yield {number: DeltaToolCall(part.tool_name, arguments, tool_call_id=part.tool_call_id)}


def play(agent, script, *, stream=False, message="go", **more):
    """Runs an agent to its end: output, error, and what the transcript answers."""
    output = error = None

    async def run():
        if not stream:
            return (await agent.run(message, model=script.model, **more)).output
        async with agent.run_stream(message, model=script.model, **more) as streamed:
            return await streamed.get_output()

    with capture_run_messages() as messages:
        try:
            with ThreadPoolExecutor(1) as thread:  # in the main thread asyncio.run trips over exceptions without a repr
                output = thread.submit(copy_context().run, asyncio.run, run()).result()
        except Exception as raised:
            error = raised
    return SimpleNamespace(output=output, error=error, answers=told(messages), messages=list(messages), script=script)
