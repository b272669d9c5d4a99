"""The middleware `Mulligan`: every tool call of an agent goes through mulligan."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

import attrs
from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentResponse,
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    Message,
    MiddlewareBundle,
    ResponseStream,
)
from pydantic_core import to_jsonable_python

from mulligan import Pipeline, ToolCall
from mulligan.adapters import Adapter, Conversation, Conversations
from mulligan.errors import UsageError
from mulligan_agent_framework.calls import (
    CONTROL_FLOW,
    NeedsPerson,
    RunStopped,
    StandIn,
    ToolAttempt,
    as_tool,
    real_tools,
)

_RUN = "mulligan_run"
_Next = Callable[[], Awaitable[None]]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the class is marked as experimental; the version is bounded for that

    class Mulligan(MiddlewareBundle):
        """Gives every tool call of an agent a second chance: `Agent(..., middleware=[Mulligan()])`.

        Args:
            pipeline: your own policy, plugins, format, limits and approver.
            timeout: seconds that a tool may take, for all or by name.
            tool_options: options of tools by name or pattern, as in `mulligan.Pipeline`.
            fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
            repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.

        Raises:
            UsageError: an argument is wrong; names it and the next step.
        """

        def __init__(
            self,
            pipeline: Pipeline | None = None,
            *,
            timeout: float | Mapping[str, float] | None = None,
            tool_options: Mapping[str, Mapping[str, Any]] | None = None,
            fatal: Any = None,
            repair: Any = None,
        ) -> None:
            options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
            adapter = Adapter("Mulligan", pipeline, control_flow=CONTROL_FLOW, **options)
            super().__init__([_Runs(adapter), _Requests(), _Calls()])


@attrs.define(eq=False)
class _Run:
    """One run of an agent.

    Attributes:
        adapter: holds the host's options.
        conversation: the conversation that it belongs to.
        sent: the arguments of calls that are not answered yet, as the model sent them, by call id.
        messages: the conversation when the run was stopped.
    """

    adapter: Adapter
    conversation: Conversation
    sent: defaultdict[str, list[Any]] = attrs.field(factory=lambda: defaultdict(list))
    messages: list[Message] = attrs.field(factory=list)

    def end(self, asked: list[Message], response: AgentResponse[Any]) -> None:
        """The run is over.

        Args:
            asked: its messages.
            response: its response.

        Raises:
            RunStopped: a tool failed for good.
        """
        self.conversation.end_step()
        if self.conversation.fatal is not None:
            raise RunStopped(self.conversation.fatal, self.messages or [*asked, *response.messages])

    def note_calls(self, response: ChatResponse[Any], context: ChatContext) -> None:
        """Remembers what the model sent, and has each call come to the middleware."""
        options: Any = context.options
        tools: list[Any] = (options or {}).get("tools") or []
        config = getattr(context.client, "function_invocation_configuration", None) or {}
        places = {tool.name: place for place, tool in enumerate(tools) if isinstance(tool, FunctionTool)}
        for call in (content for message in response.messages for content in message.contents):
            if call.type != "function_call" or call.informational_only or call.hosted or not call.name:
                continue
            self.sent[call.call_id or ""].append(call.arguments or {})
            place = places.get(call.name)
            if place is None:
                if not config.get("terminate_on_unknown_calls"):
                    places[call.name] = len(tools)
                    tools.append(StandIn(call.name, None))
            elif not (isinstance(tools[place], StandIn) or tools[place].declaration_only):
                tools[place] = StandIn(call.name, tools[place])
        if tools and isinstance(options, dict) and not options.get("tools"):
            options["tools"] = tools


class _Runs(AgentMiddleware):
    """Around each run: the conversation, and what ends it.

    Args:
        adapter: holds the host's options.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._conversations = Conversations(lambda key: Conversation(adapter.pipeline.session(key)))

    async def process(self, context: AgentContext, call_next: _Next) -> None:
        """As in `AgentMiddleware`.

        Raises:
            RunStopped: a tool failed in a way that the model cannot correct.
        """
        if _RUN in context.client_kwargs:
            raise UsageError("Mulligan is in the middleware twice, of the agent or of the run: leave one of them out")
        run = _Run(self._adapter, self._conversation(context.session, context.agent.id))
        written = [message for message in context.messages if _is_new(message)]
        if written:
            run.conversation.note_request(written)
        kwargs = context.client_kwargs, context.function_invocation_kwargs
        context.client_kwargs, context.function_invocation_kwargs = ({**given, _RUN: run} for given in kwargs)
        if context.stream:
            context.stream_cleanup_hooks.append(run.conversation.end_step)
            context.stream_result_transforms.append(lambda response: run.end(context.messages, response))
        try:
            await call_next()
        finally:
            context.client_kwargs, context.function_invocation_kwargs = kwargs  # middleware may run the agent once more
            if not context.stream:
                run.conversation.end_step()
        if isinstance(context.result, AgentResponse):
            run.end(context.messages, context.result)

    def _conversation(self, session: AgentSession | None, agent: str) -> Conversation:
        if session is None:
            return Conversation(self._adapter.pipeline.session(uuid4().hex))
        return self._conversations.of(session.session_id, agent)


class _Requests(ChatMiddleware):
    """Around each request to the model: its step, and the tools that replace the host's for its calls."""

    async def process(self, context: ChatContext, call_next: _Next) -> None:
        """As in `ChatMiddleware`: after a fatal failure the model is not called again."""
        run: _Run = context.kwargs.pop(_RUN)
        tools = (context.options or {}).get("tools") or []
        tools[:] = _without_stand_ins(tools)
        run.conversation.end_step()
        if run.conversation.fatal is not None:
            run.messages = list(context.messages)
            await _end(context, call_next)
            return
        run.adapter.check_names((as_tool(tool, run.adapter) for tool in real_tools(tools).values()), are_all=False)
        run.sent.clear()
        run.conversation.next_step()
        if context.stream:
            context.stream_result_transforms.append(lambda response: run.note_calls(response, context))
            await call_next()
        else:
            await call_next()
            if isinstance(context.result, ChatResponse):
                run.note_calls(context.result, context)


class _Calls(FunctionMiddleware):
    """Around each call of a tool."""

    async def process(self, context: FunctionInvocationContext, call_next: _Next) -> None:
        """As in `FunctionMiddleware`: takes the call through the pipeline."""
        run: _Run = context.kwargs.pop(_RUN)
        call = ToolCall(context.metadata["call_id"], context.function.name, _sent(run, context))
        approved = "approval_response" in context.metadata
        tools = real_tools(context.tools or [context.function])
        view = run.adapter.view(as_tool(tool, run.adapter) for tool in tools.values())
        attempt = ToolAttempt(view, tools, context, call_next, sent=call.arguments, approved=approved)
        run.conversation.join_step()
        try:
            result = await attempt.acall(call, session=run.conversation.session)
        except NeedsPerson as asking:
            context.result = _request(asking, context)
            return
        content = run.conversation.answer(result)
        context.result = content if result.is_error else attempt.answer(result)


def _sent(run: _Run, context: FunctionInvocationContext) -> Any:
    """The arguments of a call as the model sent them; of one that an earlier run has put off, as they were read."""
    response: Content | None = context.metadata.get("approval_response")
    if response is not None and response.function_call is not None:
        return response.function_call.parse_arguments() or {}
    if listed := run.sent[context.metadata["call_id"]]:
        return listed.pop(0)
    read: Any = context.arguments
    return to_jsonable_python(read if isinstance(read, dict) else dict(read))


def _request(asking: NeedsPerson, context: FunctionInvocationContext) -> Content:
    """What a person is asked, as Agent Framework does it."""
    request, id = asking.request, context.metadata.get("function_call_occurrence_id")
    call = Content.from_function_call(
        context.metadata["call_id"], request.tool_name, arguments=dict(request.arguments), id=id
    )
    properties = {"reason": request.reason} if request.reason else None
    return Content.from_function_approval_request(
        id=id or context.metadata["call_id"], function_call=call, additional_properties=properties
    )


def _is_new(message: Message) -> bool:
    """Whether a message is a new one of the user, and not an answer to a request."""
    answers = {"function_approval_response", "function_result"}
    return message.role == "user" and any(content.type not in answers for content in message.contents)


def _without_stand_ins(tools: list[Any]) -> list[Any]:
    listed = [tool.real if isinstance(tool, StandIn) else tool for tool in tools]
    return [tool for tool in listed if tool is not None]


async def _end(context: ChatContext, call_next: _Next) -> None:
    """Ends a run without another word of the model.

    Where the conversation is kept by the service, or request by request, the answers to the calls have to get there, as
    Agent Framework does it after a failure of its middleware: by one request without tools, whose response is left out.
    """
    conversation_id = (context.options or {}).get("conversation_id")
    is_streamed, context.stream = context.stream, False
    if conversation_id is not None:
        context.options = {**(context.options or {}), "tool_choice": "none"}
        await call_next()
        if isinstance(context.result, ChatResponse):
            conversation_id = context.result.conversation_id
    ended: ChatResponse[Any] = ChatResponse(messages=[], conversation_id=conversation_id)
    context.stream, context.result = is_streamed, _nothing_streamed(ended) if is_streamed else ended


def _nothing_streamed(ended: ChatResponse[Any]) -> ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
    async def nothing() -> AsyncIterable[ChatResponseUpdate]:
        yield ChatResponseUpdate(contents=[], conversation_id=ended.conversation_id)

    return ResponseStream(nothing(), finalizer=lambda _: ended)
