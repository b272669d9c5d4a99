"""One call on its way through mulligan, and what ends a run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import attrs
from haystack.components.agents.state import State
from haystack.components.agents.tool_calling import _prepare_tool_args
from haystack.core.errors import PipelineRuntimeError
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.hooks.human_in_the_loop.types import ConfirmationStrategy
from haystack.tools import ComponentTool
from haystack.tools.errors import ToolInvocationError
from haystack.tools.tool import Tool

import mulligan
from mulligan import ApprovalRequest, Approve, Pipeline, Reject, ToolResult
from mulligan.adapters import Adapter, Attempt, ControlFlow, Conversation, Stopped, handler_for
from mulligan.errors import UsageError
from mulligan.plugin import takes_any


class RunStopped(Stopped):
    """A tool failed in a way that the model cannot correct. Every call of the message was answered before it was raised.

    Args:
        error: what the failure means; also the `__cause__`.
        messages: the conversation, every call in it answered.
    """


@attrs.define(eq=False)
class Message:
    """One message of the model: its calls, and what may be called.

    Attributes:
        adapter: holds the host's options.
        conversation: the conversation that it belongs to.
        state: of the run.
        tools: the agent's own tools by name.
        strategy: asks a person, or None.
        said: the message as the model sent it.
    """

    adapter: Adapter
    conversation: Conversation
    state: State
    tools: Mapping[str, Tool]
    strategy: ConfirmationStrategy | None
    said: ChatMessage

    def view(self, *, awaited: bool) -> Pipeline:
        """The pipeline with the tools that may be called now.

        Args:
            awaited: whether they are awaited.
        """
        return self.adapter.view(as_tool(tool, self.adapter, awaited=awaited) for tool in self.tools.values())


@attrs.define(eq=False)
class Call:
    """One call of a message.

    Attributes:
        message: the message that it belongs to.
        id: the model's, or None.
        name: the name that was called.
        arguments: what the model sent.
    """

    message: Message
    id: str | None
    name: str
    arguments: dict[str, Any]

    def run(self, tool: Tool, injected: dict[str, Any]) -> Any:
        """Takes the call through the pipeline; returns what Haystack receives.

        Args:
            tool: what Haystack runs.
            injected: arguments that are not the model's.

        Raises:
            ToolInvocationError: with what the model reads.
        """
        attempt = ToolAttempt(self, tool, injected, awaited=False)
        return self._answer(attempt, tool, attempt.call(self.name, self.arguments, **self._options))

    async def arun(self, tool: Tool, injected: dict[str, Any]) -> Any:
        """`run`, awaited.

        Args:
            tool: what Haystack runs.
            injected: arguments that are not the model's.

        Raises:
            ToolInvocationError: with what the model reads.
        """
        attempt = ToolAttempt(self, tool, injected, awaited=True)
        return self._answer(attempt, tool, await attempt.acall(self.name, self.arguments, **self._options))

    @property
    def _options(self) -> dict[str, Any]:
        return {"call_id": self.id, "session": self.message.conversation.session}

    def _answer(self, attempt: ToolAttempt, tool: Tool, result: ToolResult) -> Any:
        content = self.message.conversation.answer(result)
        if result.is_error:
            raise ToolInvocationError(content, tool_name=self.name) from result.error
        value = attempt.returned(result)
        if tool.outputs_to_string or not (isinstance(value, str) or (result.repairs and not tool.outputs_to_state)):
            return value
        return content


class ToolAttempt(Attempt):
    """A call of a tool.

    Args:
        call: the call.
        tool: what Haystack runs: the tool, or the stand-in for a name that no tool has.
        injected: arguments that are not the model's.
        awaited: whether the tool is awaited.
    """

    def __init__(self, call: Call, tool: Tool, injected: dict[str, Any], *, awaited: bool) -> None:
        message = call.message

        def prepare(name: str, arguments: dict[str, Any]) -> tuple[Tool, dict[str, Any]]:
            own = message.tools[name]
            if name == call.name:
                return own, {**arguments, **injected}
            tool.outputs_to_string, tool.outputs_to_state = own.outputs_to_string, own.outputs_to_state
            return own, _prepare_tool_args(tool=own, tool_call_arguments=arguments, state=message.state)

        def run(name: str, arguments: dict[str, Any]) -> Any:
            own, prepared = prepare(name, arguments)
            if own.function is None:
                raise ControlFlow(UsageError(f"tool {name!r} is async: use agent.run_async(), which awaits it"))
            return own.invoke(**prepared)

        async def arun(name: str, arguments: dict[str, Any]) -> Any:
            own, prepared = prepare(name, arguments)
            if own.async_function is None:
                return await self.in_thread(name, partial(own.invoke, **prepared))
            return await own.invoke_async(**prepared)

        super().__init__(message.view(awaited=awaited), arun if awaited else run)
        self._call = call

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`: what the tool raised, which Haystack turned into text."""
        while isinstance(error, (ToolInvocationError, PipelineRuntimeError)) and error.__cause__ is not None:
            error = error.__cause__
        return error if isinstance(error, ControlFlow) else super().failure(error)

    def decide(self, request: ApprovalRequest) -> Approve | Reject | None:
        """As in `Attempt`: a confirmation strategy of Haystack is asked."""
        message = self._call.message
        if message.strategy is None:
            return None
        decision = message.strategy.run(
            tool_name=request.tool_name,
            tool_description=message.tools[request.tool_name].description,
            tool_params=dict(request.arguments),
            tool_call_id=self._call.id,
            confirmation_strategy_context=message.state.data.get("hook_context"),
        )
        if not decision.execute:
            return Reject(decision.feedback or "")
        changed = decision.final_tool_params
        return Approve() if changed is None or changed == request.arguments else Approve(changed)


class Arguments(dict[str, Any]):
    """A call's arguments, whose copy names the call to the tool: Haystack passes a tool only a copy of them.

    Anything else that is built from them is a plain dict.
    """

    call: Call | None = None

    @classmethod
    def of(cls, sent: ToolCall, message: Message) -> Arguments:
        """The arguments of a call.

        Args:
            sent: the call.
            message: the message that it belongs to.
        """
        made = cls(sent.arguments)
        made.call = Call(message, sent.id, sent.tool_name, dict(sent.arguments))
        return made

    def copy(self) -> dict[str, Any]:
        """The arguments, and the call."""
        return dict(self) if self.call is None else {**self, _CALL: self.call}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return dict, (dict(self),)


_CALL = "__mulligan_call__"


def stand_in(name: str) -> Tool:
    """A stand-in for a name that no tool has, so that its call is answered like any other.

    Args:
        name: the name that was called.
    """
    return Tool(name, "", {}, function=lambda: None)


def guarded(tool: Tool) -> Tool:
    """A twin of a tool, whose calls go through mulligan.

    Args:
        tool: the tool, which does not change.
    """
    twin = copy.copy(tool)

    def invoke(**arguments: Any) -> Any:
        call = _popped(arguments)
        return call.run(twin, _injected(arguments, call))

    async def invoke_async(**arguments: Any) -> Any:
        call = _popped(arguments)
        return await call.arun(twin, _injected(arguments, call))

    vars(twin).update(invoke=invoke, invoke_async=invoke_async)
    return twin


def _popped(arguments: dict[str, Any]) -> Call:
    call: Call | None = arguments.pop(_CALL, None)
    if call is None:
        raise UsageError("a before_tool hook that was added after wrap() has replaced a call: add it before wrap()")
    return call


def _injected(arguments: dict[str, Any], call: Call) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in call.arguments or isinstance(value, State)}


def as_tool(tool: Tool, adapter: Adapter, *, awaited: bool) -> mulligan.Tool:
    """A tool of Haystack as mulligan sees it.

    Args:
        tool: the tool.
        adapter: holds the host's options.
        awaited: whether it is awaited.
    """
    schema = tool.parameters if _takes_any(tool) else {"additionalProperties": False, **tool.parameters}
    return adapter.tool(tool.name, tool.description, schema, handler_for(tool.name, awaited=awaited))


def _takes_any(tool: Tool) -> bool:
    """Whether a tool takes arguments beside those of its schema."""
    function = tool.function or tool.async_function
    return function is not None and not isinstance(tool, ComponentTool) and takes_any(function)
