"""`MulliganToolNode`, a drop-in for LangGraph's `ToolNode`, and the routing that belongs to it."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from mulligan import Pipeline
from mulligan.adapters import Adapter
from mulligan_langchain.awaiting import resolve, run_at_once
from mulligan_langchain.fatal import FatalToolError, fatal_answer
from mulligan_langchain.gate import Decisions, Gate, messages_of
from mulligan_langchain.malformed import answer_malformed_calls
from mulligan_langchain.middleware import Timeouts, ToolOptions, checked

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
            wrap_tool_call=partial(self._call, wrap_tool_call),
            awrap_tool_call=partial(self._acall, awrap_tool_call) if awrap_tool_call or not wrap_tool_call else None,
        )
        self._gate.box(self.tools_by_name.values())  # names a mistake at once

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Runs the calls of the last message.

        Raises:
            FatalToolError: one failed so that the run must stop.
        """
        return run_at_once(self._answer(input, partial(super().invoke, config=config, **kwargs), awaited=False))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """`invoke`, awaited.

        Raises:
            FatalToolError: a call failed so that the run must stop.
        """
        return await self._answer(input, partial(super().ainvoke, config=config, **kwargs), awaited=True)

    async def _answer(self, input: Any, run: Callable[[Any], Any], *, awaited: bool) -> Any:
        messages = messages_of(input, self._key)
        said = next((one for one in reversed(messages) if isinstance(one, AIMessage)), None)
        box, thread = self._gate.box(self.tools_by_name.values()), self._gate.thread_here(messages)
        answers: list[ToolMessage] = []
        decisions: Decisions | None = None
        if said is not None:  # otherwise one of its calls is run alone
            if said.id and said.id == thread.answered:  # a replay: the node had ended
                thread.restart(messages)
            thread.next_turn(messages[: messages.index(said)])
            settled, *answers = await answer_malformed_calls([said], self._gate, box, thread, True, awaited=awaited)
            decisions = await self._gate.decide(settled, box, thread, awaited=awaited)
            input = self._with(input, said, settled)
        with self._gate.decided(decisions):
            output = await resolve(run(input))
        output = self._joined(output, answers) if answers else output
        thread.end_step()
        fatal = fatal_answer(_answers(output, self._key))
        if fatal is not None:
            error = thread.stop(fatal)
            if self._on_fatal == "error":
                raise FatalToolError(error, _answers(output, self._key))
        if said is not None:
            thread.answered = said.id
        return output

    def _call(self, inner: Any, request: ToolCallRequest, execute: Callable[..., Any]) -> Any:
        return run_at_once(self._gate.call(request, _inside(inner, execute), awaited=False))

    async def _acall(self, inner: Any, request: ToolCallRequest, execute: Callable[..., Awaitable[Any]]) -> Any:
        return await self._gate.call(request, _inside(inner, execute), awaited=True)

    def _with(self, input: Any, said: AIMessage, settled: AIMessage) -> Any:
        if not said.invalid_tool_calls:
            return input
        messages = [settled if one is said else one for one in messages_of(input, self._key)]
        if isinstance(input, list):
            return messages
        if isinstance(input, dict):
            return {**input, self._key: messages}
        changed = input.model_copy() if hasattr(input, "model_copy") else copy.copy(input)
        setattr(changed, self._key, messages)
        return changed

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
    messages = messages_of(state, messages_key)
    said = messages[-1] if messages else None
    called = isinstance(said, AIMessage) and (said.tool_calls or said.invalid_tool_calls)
    return "tools" if called else "__end__"


def _answers(output: Any, key: str) -> Iterator[Any]:
    """Every message in the output of the node."""
    update = output.update if isinstance(output, Command) else output
    held = update.get(key) if isinstance(update, dict) else update
    if isinstance(held, (list, tuple)):
        for one in held:
            yield from _answers(one, key)
    elif held is not None:
        yield held
