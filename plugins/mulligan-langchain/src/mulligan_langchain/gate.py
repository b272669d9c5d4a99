"""Every call of one agent goes through here: run by the pipeline, and answered as the framework answers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime

from mulligan import ApprovalRequest, Approve, Pipeline, Reject, Session, Tool, ToolCall, ToolResult
from mulligan.adapters import OPEN, Adapter, Conversation, Conversations
from mulligan.errors import ToolError, UsageError
from mulligan_langchain.approval import Check, ask_about_call, ask_about_calls
from mulligan_langchain.attempt import Ask, Start, ToolAttempt, is_control_flow
from mulligan_langchain.fatal import answer, meaning, since_the_model
from mulligan_langchain.translation import Entry, as_tool

Decisions = Mapping[str, Approve | Reject]
_MOST = 32
_MOST_AGENTS = 8


class Toolbox:
    """The tools that may be called at one moment.

    Attributes:
        tools: the framework's tools.
        entries: the same by name, ready to be called.

    Args:
        adapter: makes the pipelines.
        tools: the tools.
    """

    def __init__(self, adapter: Adapter, tools: Sequence[BaseTool]) -> None:
        self._adapter = adapter
        self.tools = tools
        self.entries = {tool.name: Entry(tool) for tool in tools}
        self._views: dict[bool, Pipeline] = {}

    def view(self, *, awaited: bool) -> Pipeline:
        """The pipeline with these tools.

        Args:
            awaited: whether they are called with `await`.
        """
        if awaited not in self._views:
            tools = [as_tool(entry, self._adapter, awaited=awaited) for entry in self.entries.values()]
            self._views[awaited] = self._adapter.pipeline.with_tools(tools)
        return self._views[awaited]

    def attempt(self, name: str, start: Start, *, awaited: bool, reviewer: Ask | None = None) -> ToolAttempt:
        """A call of one of the tools.

        Args:
            name: the name that was called.
            start: begins the framework's own execution.
            awaited: whether that is awaited.
            reviewer: asks a person about the call, or None.

        Raises:
            UsageError: a tool that can only be awaited is called without `await`.
        """
        entry = self.entries.get(name)
        if entry is not None and entry.is_async and not awaited:
            raise UsageError(f"tool {name!r} is async: call the agent with ainvoke or astream, the tool with ainvoke")
        blocks = awaited and entry is not None and entry.is_sync
        view, authorizes = self.view(awaited=awaited), self._adapter.authorizes
        return ToolAttempt(view, self.entries, start, blocks=blocks, authorizes=authorizes, reviewer=reviewer)


class Thread(Conversation):
    """A conversation of the framework.

    Args:
        start: begins a memory.

    Attributes:
        ids: those of the messages that it held when the model was asked last.
        latest: the id of the last of these messages.
        answered: the id of the model's message whose calls a node answered last.
        request: the id of the person's message that the model was asked about.
        is_stopped: whether the run was stopped for a fatal failure.
    """

    ids: frozenset[str] = frozenset()
    latest: str | None = None
    answered: str | None = None
    request: str | None = None
    is_stopped = False

    def __init__(self, start: Callable[[], Session]) -> None:
        super().__init__(start())
        self._start = start
        self._lock = threading.Lock()

    def arrive(self, messages: Iterable[Any]) -> None:
        """A node begins. After a return to an earlier checkpoint the conversation begins again.

        Args:
            messages: of the conversation.
        """
        with self._lock:
            messages = list(messages)
            if self.latest and self.latest not in {one.id for one in messages}:
                self.restart(messages)
                self.next_step()

    def restart(self, messages: Sequence[Any]) -> None:
        """Begins again without any memory: the same calls may run again.

        Args:
            messages: of the conversation; the person's last one is what the calls answer.
        """
        self.end_step()
        self.latest, self.answered, self.is_stopped = None, None, False
        self.session = self._start()
        request = next((one for one in reversed(messages) if isinstance(one, HumanMessage)), None)
        self.note_request(() if request is None else request.content)

    def next_turn(self, messages: Sequence[Any]) -> None:
        """The model is asked. After a new message of the person the conversation begins again.

        Args:
            messages: what the model is shown.
        """
        self.arrive(messages)
        said = since_the_model(messages)
        is_answered = any(isinstance(one, ToolMessage) for one in said)  # then a tool may have written the message
        is_asked = bool(said) and isinstance(said[-1], HumanMessage) and (self.is_stopped or not is_answered)
        if is_asked and not (said[-1].id and said[-1].id == self.request):  # otherwise the node is repeated
            self.restart(messages)
            self.request = said[-1].id
        self.ids = frozenset(one.id for one in messages if one.id)
        self.latest = messages[-1].id if messages else None
        self.next_step()

    def stop(self, message: ToolMessage) -> ToolError:
        """The run is stopped.

        Args:
            message: the fatal answer.

        Returns:
            The error behind it, as far as it is known.
        """
        self.end_step()
        self.is_stopped = True
        is_known = self.fatal is not None and self.fatal.call_id == message.tool_call_id
        return self.fatal if is_known and self.fatal is not None else meaning(message)


class Gate:
    """Runs calls.

    Attributes:
        adapter: plugins, policy, options and format.
        threads: what is remembered of the conversations.
    """

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.threads: Conversations[Thread] = Conversations(lambda key: Thread(lambda: adapter.pipeline.session(key)))
        self._lock = threading.Lock()
        self._boxes: OrderedDict[tuple[int, ...], Toolbox] = OrderedDict()

    def thread(self, runtime: Any, messages: Iterable[Any] = ()) -> Thread | None:
        """The conversation that a node or a tool belongs to: that of the thread or of the run; None outside of a graph.

        Agents that share this gate may use the same id of a thread: they are told apart by their messages.

        Args:
            runtime: the framework's.
            messages: of the conversation.
        """
        info = getattr(runtime, "execution_info", None)
        id = getattr(info, "thread_id", None)
        graph = (getattr(info, "checkpoint_ns", None) or "").rpartition("|")[0]
        if id is None:
            writer = getattr(runtime, "stream_writer", None)  # each run makes one of its own
            return None if writer is None or writer is Runtime().stream_writer else self.threads.of(writer, graph)
        ids = {one.id for one in messages if one.id}
        for number in range(_MOST_AGENTS):
            found = self.threads.of(str(id), (graph, number))
            if not found.ids or not ids or not found.ids.isdisjoint(ids):
                return found
        self.threads.end(str(id))
        return self.threads.of(str(id), (graph, 0))

    def box(self, tools: Iterable[Any]) -> Toolbox:
        """The toolbox of these tools; the latest are kept.

        Args:
            tools: the framework's; what a provider runs itself is left out.
        """
        own = tuple(tool for tool in tools if isinstance(tool, BaseTool))
        key = tuple(map(id, own))
        with self._lock:
            found = self._boxes.pop(key, None) or Toolbox(self.adapter, own)
            self._boxes[key] = found
            if len(self._boxes) > _MOST:
                self._boxes.popitem(last=False)
        return found

    def call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
        """Runs a tool call of a graph.

        Args:
            request: the framework's.
            execute: its own execution.

        Raises:
            UsageError: an async tool was called without `await`.
        """
        thread, box = self._of(request)
        if request.tool_call["name"] not in box.entries:
            output, error = _outcome(lambda: execute(request))
            if error is not None or not is_unknown(output, request):
                return self._foreign(request, output, error, thread)
        start = _starting(request, execute)
        attempt = box.attempt(request.tool_call["name"], start, awaited=False, reviewer=self._review)
        return self._answered(
            attempt, attempt.call(_as_call(request.tool_call), session=_session(thread)), request, thread
        )

    async def acall(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        """`call`, awaited.

        Args:
            request: the framework's.
            execute: its own execution.
        """
        thread, box = self._of(request)
        if request.tool_call["name"] not in box.entries:
            output, error = await _aoutcome(execute(request))
            if error is not None or not is_unknown(output, request):
                return self._foreign(request, output, error, thread)
        start = _starting(request, execute)
        attempt = box.attempt(request.tool_call["name"], start, awaited=True, reviewer=self._review)
        result = await attempt.acall(_as_call(request.tool_call), session=_session(thread))
        return self._answered(attempt, result, request, thread)

    def decide(self, message: AIMessage, box: Toolbox, thread: Thread | None) -> Decisions:
        """Asks a person about the calls of one task that need it, all at once, before any of them runs.

        Args:
            message: the model's.
            box: the tools.
            thread: where it was said.

        Returns:
            The decisions, for `decided`.
        """
        if self.adapter.has_approver:
            return {}
        attempt, session = box.attempt("", never, awaited=False), _session(thread)
        with attempt.entered():
            requests = [attempt.view.approval(_as_call(call), session=session) for call in message.tool_calls]
            return ask_about_calls(requests, attempt.problem)

    async def adecide(self, message: AIMessage, box: Toolbox, thread: Thread | None) -> Decisions:
        """`decide`, awaited.

        Args:
            message: the model's.
            box: the tools.
            thread: where it was said.
        """
        if self.adapter.has_approver:
            return {}
        attempt, session = box.attempt("", never, awaited=True), _session(thread)
        with attempt.entered():
            requests = [await attempt.view.aapproval(_as_call(call), session=session) for call in message.tool_calls]
            return ask_about_calls(requests, attempt.problem)

    @contextmanager
    def decided(self, decisions: Decisions) -> Iterator[None]:
        """The calls in here are those that a person was asked about.

        Args:
            decisions: the person's, by the ids of the calls.
        """
        token = _DECISIONS.set((self, decisions))
        try:
            yield
        finally:
            _DECISIONS.reset(token)

    def _review(self, request: ApprovalRequest, check: Check) -> Approve | Reject | None:
        gate, decisions = _DECISIONS.get()
        return decisions.get(request.call.id or "") if gate is self else ask_about_call(request, check)

    def rejected(self, result: ToolResult, call: Mapping[str, Any], thread: Thread | None) -> ToolMessage:
        """The answer to a call that failed; what stops the run is remembered.

        Args:
            result: what came of it.
            call: the call, with `name` and `id`.
            thread: where it was made.
        """
        if thread is not None:
            thread.answer(result)
        return answer(result, call)

    def _of(self, request: ToolCallRequest) -> tuple[Thread | None, Toolbox]:
        messages = messages_of(request.state)
        thread = self.thread(request.runtime, messages)
        if thread is not None and messages:
            thread.arrive(messages)
        return thread, self.box(_callable_now(request))

    def _answered(self, attempt: ToolAttempt, result: ToolResult, request: ToolCallRequest, thread: Any) -> Any:
        call = request.tool_call
        if result.is_error:
            return self.rejected(result, call, thread)
        return attempt.answer(result, call["name"], call["id"])

    def _foreign(self, request: ToolCallRequest, output: Any, error: Exception | None, thread: Thread | None) -> Any:
        """What another middleware made of a name that the node does not know."""
        if error is not None and is_control_flow(error):
            raise error
        name = request.tool_call["name"]
        view = self.adapter.pipeline.with_tools(
            [Tool.from_schema(name, "", OPEN, _repeating(output, error), inline=True)]
        )
        result = view.call(_as_call(request.tool_call), session=_session(thread))
        return self.rejected(result, request.tool_call, thread) if error is not None else output


_DECISIONS: ContextVar[tuple[Gate | None, Decisions]] = ContextVar("mulligan_langchain_decisions", default=(None, {}))


def never(entry: Entry, arguments: dict[str, Any]) -> Any:
    """The execution of a call that is only read: while a person is asked about it, or to answer it if it cannot be read.

    Raises:
        AssertionError: always.
    """
    raise AssertionError("a call that is only read does not run")


def messages_of(state: Any) -> list[Any]:
    """The messages of a state, whatever it is.

    Args:
        state: the framework's.
    """
    if isinstance(state, list):
        return state
    return list((state.get("messages") if isinstance(state, dict) else getattr(state, "messages", None)) or ())


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


def _as_call(call: Mapping[str, Any]) -> ToolCall:
    return ToolCall(call["id"], call["name"], call["args"])


def _session(thread: Thread | None) -> Any:
    return None if thread is None else thread.session


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


def is_unknown(output: Any, request: ToolCallRequest) -> bool:
    """Whether nobody had a tool of that name, so that the framework said so.

    Args:
        output: what it gave.
        request: the call.
    """
    text = output.content if isinstance(output, ToolMessage) and output.status == "error" else None
    return isinstance(text, str) and text.startswith(f"Error: {request.tool_call['name']} is not a valid tool, ")


def _repeating(output: Any, error: Exception | None) -> Callable[..., Any]:
    def handler(**_: Any) -> Any:
        if error is not None:
            raise error
        return getattr(output, "content", "")

    return handler
