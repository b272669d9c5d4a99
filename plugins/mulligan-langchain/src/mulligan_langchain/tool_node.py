"""`MulliganToolNode`, a drop-in for LangGraph's `ToolNode`, and the routing that belongs to it."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import get_runtime
from langgraph.types import Command

from mulligan import Pipeline
from mulligan.adapters import Adapter
from mulligan_langchain.fatal import FatalToolError, fatal_answer, meaning
from mulligan_langchain.gate import Decisions, Gate, Thread
from mulligan_langchain.malformed import answer_malformed_calls
from mulligan_langchain.middleware import Timeouts, ToolOptions, checked
from mulligan_langchain.steps import Steps, adrive, drive
from mulligan_langchain.translation import Toolbox

OnFatal = Literal["error", "answer"]


class MulliganToolNode(ToolNode):
    """`ToolNode` that answers every failure.

    Args:
        tools: tools or functions.
        name: the node's name.
        tags: for tracing.
        handle_tool_errors: a text or a function words failures as in `ToolNode`, and these words are kept; anything
            else leaves them to mulligan.
        messages_key: where the state holds the messages.
        wrap_tool_call: as in `ToolNode`; it runs inside.
        awrap_tool_call: as in `ToolNode`; it runs inside.
        pipeline: plugins, policy, limits and format; its own tools are not used. By default one with the defaults.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name, or by a pattern such as `read_*`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        on_fatal: after a failure that the model cannot mend, once every call has its answer: a `FatalToolError` that
            carries the answers, or only the `"answer"`s, for a model node that asks `raise_if_fatal`.

    Raises:
        UsageError: an argument is wrong.
    """

    def __init__(
        self,
        tools: Sequence[BaseTool | Callable[..., Any]],
        *,
        name: str = "tools",
        tags: list[str] | None = None,
        handle_tool_errors: Any = True,
        messages_key: str = "messages",
        wrap_tool_call: Callable[..., Any] | None = None,
        awrap_tool_call: Callable[..., Awaitable[Any]] | None = None,
        pipeline: Pipeline | None = None,
        timeout: Timeouts = None,
        tool_options: ToolOptions = None,
        fatal: Any = None,
        repair: Any = None,
        on_fatal: OnFatal = "error",
    ) -> None:
        options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
        self._gate = Gate(Adapter("MulliganToolNode", pipeline, **options))
        self._on_fatal = checked(on_fatal, ("error", "answer"))
        self._key = messages_key
        worded = isinstance(handle_tool_errors, str) or (
            callable(handle_tool_errors) and not isinstance(handle_tool_errors, type)
        )
        super().__init__(
            tools,
            name=name,
            tags=tags,
            handle_tool_errors=handle_tool_errors if worded else False,
            messages_key=messages_key,
            wrap_tool_call=self._wrapper(wrap_tool_call),
            awrap_tool_call=self._awrapper(awrap_tool_call) if awrap_tool_call or not wrap_tool_call else None,
        )
        shown = self._gate.box(self.tools_by_name.values())
        self._gate.adapter.check_names(shown.view(awaited=True).tools.values(), are_all=False)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Runs the calls of the last message.

        Raises:
            FatalToolError: one failed so that the run must stop.
        """
        return drive(self._answer(input, partial(super().invoke, config=config, **kwargs), awaited=False))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """`invoke`, awaited.

        Raises:
            FatalToolError: a call failed so that the run must stop.
        """
        return await adrive(self._answer(input, partial(super().ainvoke, config=config, **kwargs), awaited=True))

    def _answer(self, input: Any, run: Callable[[Any], Any], *, awaited: bool) -> Steps[Any]:
        said, box, thread = self._read_input(input)
        answers: list[ToolMessage] = []
        decisions: Decisions | None = None
        if said is not None:
            settled, *answers = yield from answer_malformed_calls(
                [said], self._gate, box, thread, True, awaited=awaited
            )
            decisions = yield from self._gate.decide(settled, box, thread, awaited=awaited)
            input = self._with(input, said, settled)
        with self._gate.decided(decisions):
            output = yield partial(run, input)
        output = self._add_answers(output, answers, thread)
        if thread is not None and said is not None:
            thread.answered = said.id
        return output

    def _wrapper(self, inner: Callable[..., Any] | None) -> Callable[..., Any]:
        def wrap(request: ToolCallRequest, execute: Callable[..., Any]) -> Any:
            return drive(self._gate.call(request, _inside(inner, execute), awaited=False))

        return wrap

    def _awrapper(self, inner: Callable[..., Awaitable[Any]] | None) -> Callable[..., Awaitable[Any]]:
        async def wrap(request: ToolCallRequest, execute: Callable[..., Awaitable[Any]]) -> Any:
            return await adrive(self._gate.call(request, _inside(inner, execute), awaited=True))

        return wrap

    def _read_input(self, input: Any) -> tuple[AIMessage | None, Toolbox, Thread | None]:
        """The last message of the model, unless one call of it is run alone; the tools; where it was said."""
        messages = (input if isinstance(input, list) else _get(input, self._key)) or []
        said = next((one for one in reversed(messages) if isinstance(one, AIMessage)), None)
        try:
            runtime = get_runtime()
            thread = self._gate.thread(runtime, messages)
        except (RuntimeError, KeyError):  # outside of a graph
            thread = None
        if thread is not None and said is not None:
            if said.id and said.id == thread.answered:  # a replay: the node had ended
                thread.restart(messages)
            thread.next_turn(messages[: messages.index(said)])
        return said, self._gate.box(self.tools_by_name.values()), thread

    def _with(self, input: Any, said: AIMessage, settled: AIMessage) -> Any:
        if not said.invalid_tool_calls:
            return input
        if isinstance(input, list):
            return [settled if one is said else one for one in input]
        messages = [settled if one is said else one for one in _get(input, self._key)]
        if isinstance(input, dict):
            return {**input, self._key: messages}
        changed = input.model_copy() if hasattr(input, "model_copy") else copy.copy(input)
        setattr(changed, self._key, messages)
        return changed

    def _add_answers(self, output: Any, answers: Sequence[ToolMessage], thread: Thread | None) -> Any:
        """The node's output with the answers to what could not be read; a fatal one stops the run."""
        if answers:
            output = self._joined(output, list(answers))
        if thread is not None:
            thread.end_step()
        messages = list(_answers(output, self._key))
        fatal = fatal_answer(messages)
        if fatal is None:
            return output
        error = meaning(fatal) if thread is None else thread.stop(fatal)
        if self._on_fatal == "answer":
            return output
        raise FatalToolError(error, messages)

    def _joined(self, output: Any, answers: list[ToolMessage]) -> Any:
        if isinstance(output, dict):
            return {**output, self._key: [*answers, *output[self._key]]}
        if any(isinstance(one, (Command, dict)) for one in output):
            return [{self._key: answers}, *output]
        return [*answers, *output]


ErrorHandlingToolNode = MulliganToolNode


def _inside(inner: Callable[..., Any] | None, execute: Callable[..., Any]) -> Callable[..., Any]:
    return execute if inner is None else lambda request: inner(request, execute)


def tools_condition(state: Any, messages_key: str = "messages") -> Literal["tools", "__end__"]:
    """LangGraph's `tools_condition`, which also sends calls that could not be read to the tools, to be answered.

    Args:
        state: the messages, or the state that holds them.
        messages_key: where it holds them.
    """
    messages = state if isinstance(state, list) else _get(state, messages_key)
    said = messages[-1] if messages else None
    called = isinstance(said, AIMessage) and (said.tool_calls or said.invalid_tool_calls)
    return "tools" if called else "__end__"


def _answers(output: Any, key: str) -> Any:
    """Every message in the output of the node."""
    for one in output if isinstance(output, list) else [output]:
        if isinstance(one, ToolMessage):
            yield one
        elif isinstance(one, (dict, Command)):
            update = one.update if isinstance(one, Command) else one
            held = update.get(key, ()) if isinstance(update, dict) else update or ()
            yield from (held if isinstance(held, (list, tuple)) else (held,))
        elif isinstance(one, list):
            yield from one


def _get(state: Any, key: str) -> Any:
    return state.get(key) if isinstance(state, dict) else getattr(state, key, None)
