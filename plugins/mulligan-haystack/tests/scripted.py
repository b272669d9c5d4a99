"""A scripted chat generator, and agents around it; nothing else stands in for anything."""

import asyncio
import json
from types import SimpleNamespace

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import Tool, create_tool_from_function


def call(id, name, arguments=None):
    """A call; arguments may be JSON text, as a model writes it."""
    return id, name, {} if arguments is None else arguments


@component
class Script:
    """Sends one list of calls, or one text, after the other; reads arguments as the classes for providers do it."""

    def __init__(self, *turns):
        self.turns, self.requests = list(turns), []

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: list[Tool] | None = None, streaming_callback=None):
        self.requests.append(list(messages))
        said = self.turns.pop(0) if self.turns else "Done."
        if isinstance(said, str):
            return {"replies": [ChatMessage.from_assistant(said, meta={"finish_reason": "stop"})]}
        calls = []
        for id, name, arguments in said:
            try:
                read = json.loads(arguments) if isinstance(arguments, str) else arguments
            except json.JSONDecodeError:
                continue  # such a call is left out, with a line in the log
            calls.append(ToolCall(name, read, id=id))
        return {"replies": [ChatMessage.from_assistant(tool_calls=calls, meta={"finish_reason": "tool_calls"})]}


def agent(tools, *turns, **options):
    made = [tool if isinstance(tool, Tool) else create_tool_from_function(tool) for tool in tools]
    return Agent(chat_generator=Script(*turns), tools=made, **options)


def play(one, *, awaited=False, message="Go.", messages=(), **options):
    """Runs an agent to its end: output, error, and what the model received for each call."""
    played = SimpleNamespace(output=None, error=None, answers={}, failed={}, result=None, messages=[])
    asked = [*messages, ChatMessage.from_user(message)]
    try:
        played.result = asyncio.run(one.run_async(asked, **options)) if awaited else one.run(asked, **options)
        played.output, played.messages = played.result["last_message"].text, played.result["messages"]
    except Exception as error:
        played.error = error
        played.messages = getattr(error, "messages", one.chat_generator.requests[-1])
    for message in played.messages:
        for result in message.tool_call_results:
            played.answers[result.origin.id] = result.result
            played.failed[result.origin.id] = result.error
    return played
