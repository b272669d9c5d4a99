"""Every call of one agent goes through here: run by the pipeline, and answered as the framework answers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime, get_runtime

from mulligan import ApprovalRequest, Approve, Pipeline, Reject, Session, ToolCall, ToolResult
from mulligan.adapters import OPEN, Adapter, Attempt, Conversation, Conversations, handler_for
from mulligan.errors import ToolError
from mulligan_langchain.approval import Check, ask_about_call, ask_about_calls
from mulligan_langchain.attempt import Start, ToolAttempt, is_control_flow
from mulligan_langchain.awaiting import resolve
from mulligan_langchain.fatal import answer, meaning, since_the_model
from mulligan_langchain.translation import Entry, Toolbox

Decisions = Mapping[str, Approve | Reject]
_MOST = 32
_MOST_AGENTS = 8


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

    def thread(self, runtime: Any, messages: Iterable[Any] = ()) -> Thread:
        """The conversation that a node or a tool belongs to: that of the thread or of the run.

        Outside of a graph every call is a conversation. Agents that share this gate may use the same id of a thread: they
        are distinguished by their messages.

        Args:
            runtime: the framework's, or None.
            messages: of the conversation.
        """
        info = getattr(runtime, "execution_info", None)
        id = getattr(info, "thread_id", None)
        graph = (getattr(info, "checkpoint_ns", None) or "").rpartition("|")[0]
        if id is None:
            writer = getattr(runtime, "stream_writer", None)  # each run makes one of its own
            is_alone = writer is None or writer is Runtime().stream_writer
            return Thread(self.adapter.pipeline.session) if is_alone else self.threads.of(writer, graph)
        ids = {one.id for one in messages if one.id}
        for number in range(_MOST_AGENTS):
            found = self.threads.of(str(id), (graph, number))
            if not found.ids or not ids or not found.ids.isdisjoint(ids):
                return found
        self.threads.end(str(id))
        return self.threads.of(str(id), (graph, 0))

    def thread_here(self, messages: Iterable[Any] = ()) -> Thread:
        """The conversation of the node or the tool that runs.

        Args:
            messages: of the conversation.
        """
        try:
            runtime = get_runtime()
        except (RuntimeError, KeyError):  # outside of a graph
            runtime = None
        return self.thread(runtime, messages)

    def box(self, tools: Iterable[Any]) -> Toolbox:
        """The toolbox of these tools; the latest are kept.

        Args:
            tools: the framework's; what a provider runs itself is left out.

        Raises:
            UsageError: a timeout or options are for a name that is none of the first tools, but like one.
        """
        own = tuple(tool for tool in tools if isinstance(tool, BaseTool))
        key = tuple(map(id, own))
        with self._lock:
            found = self._boxes.pop(key, None) or Toolbox(self.adapter, own)
            if not self._boxes:
                self.adapter.check_names(found.view(awaited=True).tools.values(), are_all=False)
            self._boxes[key] = found
            if len(self._boxes) > _MOST:
                self._boxes.popitem(last=False)
        return found

    async def call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any], *, awaited: bool) -> Any:
        """Runs a tool call of a graph.

        Args:
            request: the framework's.
            execute: its own execution.
            awaited: whether that is awaited.

        Raises:
            UsageError: an async tool was called without `await`.
        """
        messages, name = messages_of(request.state), request.tool_call["name"]
        thread = self.thread(request.runtime, messages)
        if messages:
            thread.arrive(messages)
        box = self.box(_callable_now(request))
        if name not in box.entries:
            output, error = None, None
            try:
                output = await resolve(execute(request))
            except Exception as raised:
                error = raised
            if error is not None or not is_unknown(output, request):
                return self._foreign(request, output, error, thread)
        attempt = ToolAttempt(box, _starting(request, execute), name, awaited=awaited, reviewer=self._review)
        result = await attempt.send(_as_call(request.tool_call), thread.session)
        if result.is_error:
            return self.rejected(result, request.tool_call, thread)
        return attempt.answer(result, name, request.tool_call["id"])

    async def decide(self, message: AIMessage, box: Toolbox, thread: Thread, *, awaited: bool) -> Decisions:
        """Asks a person about the calls of one task that need it, all at once, before any of them runs.

        Args:
            message: the model's.
            box: the tools.
            thread: where it was said.
            awaited: whether the tools are called with `await`.

        Returns:
            The decisions, for `decided`.
        """
        if self.adapter.has_approver:
            return {}
        attempt, session = ToolAttempt(box, never, awaited=awaited), thread.session
        find = attempt.view.aapproval if awaited else attempt.view.approval
        requests: dict[str, ApprovalRequest] = {}
        with attempt.entered():
            for call in message.tool_calls:
                request = await resolve(find(_as_call(call), session=session))
                if request is not None:
                    requests[call["id"] or ""] = request
            return ask_about_calls(requests, attempt.problem)

    @contextmanager
    def decided(self, decisions: Decisions | None) -> Iterator[None]:
        """The calls in here are those that a person was asked about.

        Args:
            decisions: the person's, by the ids of the calls; None if each call is asked about when it is made.
        """
        token = _DECISIONS.set((self, decisions))
        try:
            yield
        finally:
            _DECISIONS.reset(token)

    def _review(self, request: ApprovalRequest, check: Check) -> Approve | Reject | None:
        gate, decisions = _DECISIONS.get()
        if gate is not self or decisions is None:
            return ask_about_call(request, check)
        return decisions.get(request.call.id or "")

    def rejected(self, result: ToolResult, call: Mapping[str, Any], thread: Thread) -> ToolMessage:
        """The answer to a call that failed; what stops the run is remembered.

        Args:
            result: what came of it.
            call: the call, with `name` and `id`.
            thread: where it was made.
        """
        thread.answer(result)
        return answer(result, call)

    def _foreign(self, request: ToolCallRequest, output: Any, error: Exception | None, thread: Thread) -> Any:
        """What another middleware made of a name that the node does not know."""
        if error is not None and is_control_flow(error):
            raise error

        def repeat(*_: Any) -> Any:
            if error is not None:
                raise error
            return getattr(output, "content", "")

        attempt = Attempt(self.foreign(request.tool_call["name"]), repeat)
        result = attempt.call(_as_call(request.tool_call), session=thread.session)
        return self.rejected(result, request.tool_call, thread) if error is not None else output

    def foreign(self, name: str) -> Pipeline:
        """The pipeline with a tool that is not the framework's, and takes any arguments.

        Args:
            name: its name.
        """
        return self.adapter.view([self.adapter.tool(name, "", OPEN, handler_for(name, awaited=False), inline=True)])


_DECISIONS: ContextVar[tuple[Any, Decisions | None]] = ContextVar("mulligan_langchain_decisions", default=(None, None))


def never(*_: Any) -> Any:
    """The execution of a call that is only read: while a person is asked about it, or to answer it if it cannot be read.

    Raises:
        AssertionError: always.
    """
    raise AssertionError("a call that is only read does not run")


def messages_of(state: Any, key: str = "messages") -> list[Any]:
    """The messages of a state, whatever it is.

    Args:
        state: the messages, or the framework's state that holds them.
        key: where it holds them.
    """
    if isinstance(state, list):
        return state
    return list((state.get(key) if isinstance(state, dict) else getattr(state, key, None)) or ())


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


def is_unknown(output: Any, request: ToolCallRequest) -> bool:
    """Whether nobody had a tool of that name, so that the framework said so.

    Args:
        output: what it gave.
        request: the call.
    """
    text = output.content if isinstance(output, ToolMessage) and output.status == "error" else None
    return isinstance(text, str) and text.startswith(f"Error: {request.tool_call['name']} is not a valid tool, ")
