"""A scripted chat client, and agents around it; everything else is real."""

import asyncio
import copy
import json
from types import SimpleNamespace

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)


def call(id, name, arguments=None):
    """A call, whose arguments are JSON text as a provider sends it."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return Content.from_function_call(id, name, arguments=text)


class Script(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """Sends one list of calls, or one text, after the other; with `store` as a service that keeps the conversation."""

    def __init__(self, *turns, store=None, **options):
        super().__init__(**options)
        self.store = store
        self.turns, self.requests, self.offered, self.choices = list(turns), [], [], []

    def _inner_get_response(self, *, messages, stream, options, **kwargs):
        assert kwargs.keys() <= {"session", "conversation_id"}, kwargs
        self.requests.append(list(messages))
        self.choices.append((options.get("conversation_id"), options.get("tool_choice")))
        self.offered.append([tool.name for tool in options.get("tools") or ()])
        conversation_id = self.store and f"r{len(self.requests)}"
        said = copy.deepcopy(self.turns.pop(0)) if self.turns else "Done."
        contents = [Content.from_text(said)] if isinstance(said, str) else said
        if stream:
            return ResponseStream(self._stream(contents, conversation_id), finalizer=ChatResponse.from_updates)

        async def respond():
            return ChatResponse(messages=[Message("assistant", contents)], conversation_id=conversation_id)

        return respond()

    async def _stream(self, contents, conversation_id):
        for content in contents:
            yield ChatResponseUpdate(role="assistant", contents=[content], conversation_id=conversation_id)


def agent(tools, *turns, **options):
    return Agent(Script(*turns), tools=list(tools), **options)


def play(one, *messages, stream=False, session=None, **options):
    """Runs an agent to its end: output, error, and what the model received for each call."""
    played = SimpleNamespace(output=None, error=None, answers={}, asked=[], messages=[], response=None, updates=[])

    async def run():
        if not stream:
            return await one.run(list(messages) or "Go.", session=session, **options)
        response = one.run(list(messages) or "Go.", session=session, stream=True, **options)
        async for update in response:
            played.updates.append(update)
        return await response.get_final_response()

    loop = asyncio.new_event_loop()  # not asyncio.run, which waits for threads at its end
    try:
        played.response = loop.run_until_complete(run())
        played.output, played.asked = played.response.text, played.response.user_input_requests
        played.messages = played.response.messages
    except Exception as error:
        played.error = error
        played.messages = getattr(error, "messages", one.client.requests[-1] if one.client.requests else [])
    finally:
        loop.close()
    for message in played.messages:
        for content in message.contents:
            if content.type == "function_result":
                assert content.call_id not in played.answers, "answered twice"
                played.answers[content.call_id] = content.result
    return played
