"""Every call of one agent goes through here: run by the pipeline, and answered as the framework answers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest

from mulligan import Pipeline, Tool, ToolResult
from mulligan_langchain.attempt import Attempt, Start, current_attempt, is_control_flow
from mulligan_langchain.conversations import Conversation, Conversations
from mulligan_langchain.fatal import answer
from mulligan_langchain.toolbox import Toolbox
from mulligan_langchain.translation import OPEN, Entry, Timeouts

_MOST = 32


class Gate:
    """Runs calls.

    Attributes:
        pipeline: plugins, policy and format.
        conversations: what is remembered of them.

    Args:
        pipeline: None for one with the defaults.
        timeout: seconds, for all tools or by name.
    """

    def __init__(self, pipeline: Pipeline | None, timeout: Timeouts) -> None:
        self.pipeline = pipeline or Pipeline()
        self.conversations = Conversations(self.pipeline)
        self._timeouts = timeout
        self._lock = threading.Lock()
        self._boxes: OrderedDict[tuple[int, ...], Toolbox] = OrderedDict()

    def box(self, tools: Iterable[Any]) -> Toolbox:
        """The toolbox of these tools; the latest are kept.

        Args:
            tools: the framework's; what a provider runs itself is left out.
        """
        own = tuple(tool for tool in tools if isinstance(tool, BaseTool))
        key = tuple(map(id, own))
        with self._lock:
            found = self._boxes.pop(key, None) or Toolbox(self.pipeline, own, self._timeouts)
            self._boxes[key] = found
            if len(self._boxes) > _MOST:
                self._boxes.popitem(last=False)
        return found

    def call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
        """Runs a tool call of a graph.

        Args:
            request: the framework's.
            execute: its own execution.
        """
        conversation, box = self.conversations.of(request.runtime), self.box(_callable_now(request))
        if request.tool_call["name"] not in box.entries:
            output, error = _outcome(lambda: execute(request))
            if error is not None or not _is_unknown(output, request):
                return self._foreign(request, output, error, conversation)
        if not box.fits(*_called(request)):  # unless what runs inside changes them, as a person who edits a call does
            attempt = Attempt(_starting(request, execute), box.lenient, box.fits)
            with current_attempt(attempt):
                result = box.lenient.call(*_called(request), call_id=request.tool_call["id"])
            if not attempt.was_refused(result):
                return self._answered(attempt, result, request, conversation)
        attempt = Attempt(_starting(request, execute), box.sync)
        with current_attempt(attempt):
            result = box.sync.call(*_called(request), **_named(request, conversation))
        return self._answered(attempt, result, request, conversation)

    async def acall(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        """`call`, awaited.

        Args:
            request: the framework's.
            execute: its own execution.
        """
        conversation, box = self.conversations.of(request.runtime), self.box(_callable_now(request))
        if request.tool_call["name"] not in box.entries:
            output, error = await _aoutcome(execute(request))
            if error is not None or not _is_unknown(output, request):
                return self._foreign(request, output, error, conversation)
        if not box.fits(*_called(request)):
            attempt = Attempt(_starting(request, execute), box.lenient_awaited, box.fits)
            with current_attempt(attempt):
                result = await box.lenient_awaited.acall(*_called(request), call_id=request.tool_call["id"])
            if not attempt.was_refused(result):
                return self._answered(attempt, result, request, conversation)
        attempt = Attempt(_starting(request, execute), box.awaited)
        with current_attempt(attempt):
            result = await box.awaited.acall(*_called(request), **_named(request, conversation))
        return self._answered(attempt, result, request, conversation)

    def rejected(self, result: ToolResult, call: Mapping[str, Any], conversation: Conversation | None) -> ToolMessage:
        """The answer to a call that failed; what stops the run is remembered.

        Args:
            result: what came of it.
            call: the call, with `name` and `id`.
            conversation: where it was made.
        """
        if result.fatal and result.error is not None and conversation is not None:
            conversation.fatal[call["id"] or ""] = result.error
        return answer(result, call)

    def _answered(
        self, attempt: Attempt, result: ToolResult, request: ToolCallRequest, conversation: Conversation | None
    ) -> Any:
        return self.rejected(result, request.tool_call, conversation) if result.is_error else attempt.answered(result)

    def _foreign(
        self, request: ToolCallRequest, output: Any, error: Exception | None, conversation: Conversation | None
    ) -> Any:
        """What another middleware made of a name that the node does not know."""
        if error is None:
            return output
        if is_control_flow(error):
            raise error
        name = request.tool_call["name"]
        pipeline = self.pipeline.with_tools([Tool.from_schema(name, "", OPEN, _raising(error))])
        result = pipeline.call(*_called(request), **_named(request, conversation))
        return self.rejected(result, request.tool_call, conversation)


def _callable_now(request: ToolCallRequest) -> Sequence[BaseTool]:
    tools = list(getattr(request.runtime, "tools", ()))
    if request.tool is not None and not any(tool is request.tool for tool in tools):
        return [*(tool for tool in tools if tool.name != request.tool.name), request.tool]
    return tools


def _starting(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Start:
    def start(entry: Entry, arguments: dict[str, Any]) -> Any:
        call = request.tool_call
        if entry.base.name != call["name"] or arguments != call["args"]:
            call = {**call, "name": entry.base.name, "args": arguments}
        return execute(request.override(tool=entry.observed, tool_call=call))

    return start


def _called(request: ToolCallRequest) -> tuple[str, Any]:
    return request.tool_call["name"], request.tool_call["args"]


def _named(request: ToolCallRequest, conversation: Conversation | None) -> dict[str, Any]:
    session = None if conversation is None else conversation.session
    return {"call_id": request.tool_call["id"], "session": session}


def _outcome(run: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        return run(), None
    except Exception as error:
        return None, error


async def _aoutcome(run: Awaitable[Any]) -> tuple[Any, Exception | None]:
    try:
        return await run, None
    except Exception as error:
        return None, error


def _is_unknown(output: Any, request: ToolCallRequest) -> bool:
    """Whether nobody had a tool of that name, so that the framework said so."""
    text = output.content if isinstance(output, ToolMessage) and output.status == "error" else None
    return isinstance(text, str) and text.startswith(f"Error: {request.tool_call['name']} is not a valid tool, ")


def _raising(error: Exception) -> Callable[..., Any]:
    def handler(**_: Any) -> Any:
        raise error

    return handler
