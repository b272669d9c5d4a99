"""What is remembered of each run: one conversation for each agent in each branch, and one for the run as a whole."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from mulligan import Pipeline, Session, ToolCall, ToolResult
from mulligan.adapters import Conversation, Conversations
from mulligan.errors import ToolCancelledError

_STOPPED = "This call was cancelled, since another call failed and the run must end. It may have taken effect."


class Memory(Conversation):
    """What is remembered of an agent in one branch of a run, or of the run as a whole.

    Attributes:
        view: the pipeline with the tools that the agent may call now, or None.
        tools: these tools as they are without the plugin.
        prepared: calls whose JSON was repaired, by id.
        unreadable: the arguments of calls that are no JSON, by id; None if they are not known.
        raised: the results of calls whose tool raised, by id, until the error callback asks for them.
        is_told: whether the run has ended with its fatal error.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.view: Pipeline | None = None
        self.tools: dict[str, BaseTool] = {}
        self.prepared: dict[str, ToolCall] = {}
        self.unreadable: dict[str, Any] = {}
        self.raised: dict[str, ToolResult] = {}
        self.is_told = False

    def stop_if_fatal(self) -> None:
        """Ends the run if a call has failed so that it must; as often as an agent above makes a text of it.

        Raises:
            ToolError: the error of that call.
        """
        if self.fatal is not None:
            self.is_told = True
            raise self.fatal


class Runs(Conversations[Memory]):
    """The conversations of the runs that go on; every method takes any context of ADK's in the run.

    A run is an invocation of ADK: the next message of the user begins another one. It is forgotten when it ends, or when
    ADK drops its context, as it does with a run that is cancelled.

    Args:
        pipeline: makes the sessions, with the ids of ADK's.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        super().__init__(lambda key: Memory(pipeline.session(key.partition(" ")[2])))
        self._contexts: dict[str, weakref.ref[InvocationContext]] = {}

    def begin(self, context: InvocationContext) -> None:
        """A run begins."""
        key = _key(context)
        self._contexts[key] = weakref.ref(context, partial(self._forget, key))

    def _forget(self, key: str, _: Any = None) -> None:
        self._contexts.pop(key, None)
        self.end(key)

    def run(self, context: Any) -> Memory:
        """The conversation of the run as a whole, which has the fatal error."""
        return self.of(_key(context))

    def agent(self, context: Any) -> Memory:
        """The conversation of the agent whose callback it is."""
        return self.of(_key(context), (context.agent_name, context.branch))

    def finish(self, context: InvocationContext) -> Memory:
        """The run ends. Returns its conversation as a whole."""
        run = self.run(context)
        self._forget(_key(context))
        return run


def _key(context: Any) -> str:
    return f"{context.invocation_id} {context.session.id}"


async def answer_cancelled_calls(context: InvocationContext) -> None:
    """Answers the calls of a stopped run that ADK has cancelled with it, such as those of a parallel branch."""
    events = [event for event in context.session.events if event.invocation_id == context.invocation_id]
    answered = {response.id for event in events for response in event.get_function_responses()}
    for event in events:
        settled = answered | set(event.long_running_tool_ids or ())
        parts = [_cancelled(call) for call in event.get_function_calls() if call.id not in settled]
        if parts:
            fields: Any = {"invocation_id": event.invocation_id, "author": event.author, "branch": event.branch}
            answer = Event(content=types.Content(role="user", parts=parts), **fields)
            await context.session_service.append_event(context.session, answer)


def _cancelled(call: types.FunctionCall) -> types.Part:
    error = ToolCancelledError(_STOPPED, effect="possible")
    text = ToolResult.from_error(error, call=ToolCall(call.id, call.name or "", call.args)).content
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"error": text}))
