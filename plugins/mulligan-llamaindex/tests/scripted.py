"""A scripted model, and agents around it; nothing else stands in for anything."""

import asyncio
import json
from types import SimpleNamespace

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.utils import parse_partial_json
from llama_index.core.tools import ToolSelection
from llama_index.core.workflow import Context


def call(id, name, arguments=None):
    """A call; arguments that are text are read as the classes for providers do it."""
    if isinstance(arguments, str):
        try:
            arguments = parse_partial_json(arguments)
        except (ValueError, TypeError, json.JSONDecodeError):
            arguments = {}
    return ToolSelection(tool_id=id, tool_name=name, tool_kwargs=arguments or {})


class Script(FunctionCallingLLM):
    """Sends one list of calls, or one text, after the other."""

    steps: list
    received: list = []

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True, model_name="script")

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": list(chat_history or ())}

    def _next(self, messages):
        self.received.append(list(messages))
        said = self.steps.pop(0) if self.steps else "Done."
        text = said if isinstance(said, str) else ""
        calls = [] if isinstance(said, str) else said
        return ChatResponse(message=ChatMessage(role="assistant", content=text, additional_kwargs={"calls": calls}))

    def chat(self, messages, **kwargs):
        return self._next(messages)

    async def achat(self, messages, **kwargs):
        return self._next(messages)

    async def astream_chat(self, messages, **kwargs):
        async def stream():
            yield self._next(messages)

        return stream()

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=True, **kwargs):
        return list(response.message.additional_kwargs["calls"])

    def stream_chat(self, messages, **kwargs):
        raise NotImplementedError

    def complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    async def acomplete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    async def astream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError


def script(*steps):
    return Script(steps=list(steps), received=[])


def agent(tools, *steps, **options):
    return FunctionAgent(tools=tools, llm=script(*steps), **options)


def play(workflow, *, ctx=None, message="Go.", on_event=None):
    """Runs an agent to its end: output, error, and what the model received for each call."""
    played = SimpleNamespace(output=None, error=None, answers={}, ctx=ctx, results=[])

    async def run():
        played.ctx = ctx or Context(workflow)
        handler = workflow.run(user_msg=message, ctx=played.ctx)
        async for event in handler.stream_events():
            if isinstance(event, ToolCallResult):
                played.results.append(event)
                played.answers[event.tool_id] = event.tool_output.content
            if on_event is not None:
                on_event(handler, event)
        return str(await handler)

    try:
        played.output = asyncio.run(run())
    except Exception as error:
        played.error = error
    return played
