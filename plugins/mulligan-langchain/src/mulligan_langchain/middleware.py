"""`MulliganMiddleware` for `create_agent`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from mulligan import Pipeline
from mulligan.errors import UsageError
from mulligan_langchain.fatal import FatalToolError, fatal_answer, latest_answers, meaning, since_the_model
from mulligan_langchain.gate import Gate
from mulligan_langchain.malformed import aanswer_malformed_calls, answer_malformed_calls
from mulligan_langchain.translation import Timeouts

OnFatal = Literal["error", "end"]


class MulliganMiddleware(AgentMiddleware[Any, Any, Any]):
    """Gives every tool call of an agent a second chance. Put it first: what comes after it runs inside of it.

    Args:
        pipeline: plugins, policy, limits and format; its own tools are not used. By default one with the defaults.
        timeout: seconds that a tool may take, for all or by name.
        on_fatal: what stops the run after a failure that the model cannot mend, once every call is answered: a
            `FatalToolError`, or an `"end"` with one sentence for the person.

    Raises:
        UsageError: an argument is wrong.
    """

    def __init__(
        self, pipeline: Pipeline | None = None, *, timeout: Timeouts = None, on_fatal: OnFatal = "error"
    ) -> None:
        super().__init__()
        self.tools = []
        self._on_fatal = checked(on_fatal, ("error", "end"))
        self._gate = Gate(pipeline, timeout)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Runs a tool call."""
        return self._rejoined(request, self._gate.call(request, handler))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Runs a tool call, awaited."""
        return self._rejoined(request, await self._gate.acall(request, handler))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Answers calls whose arguments are no JSON."""
        response = handler(request)
        result: list[Any] = []
        for message in response.result:
            if isinstance(message, AIMessage) and message.invalid_tool_calls:
                settled, answers = answer_malformed_calls(message, self._gate, *self._shown(request))
                result = [*result, settled, *answers]
            else:
                result.append(message)
        return response if result == response.result else replace(response, result=result)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """`wrap_model_call`, awaited."""
        response = await handler(request)
        result: list[Any] = []
        for message in response.result:
            if isinstance(message, AIMessage) and message.invalid_tool_calls:
                settled, answers = await aanswer_malformed_calls(message, self._gate, *self._shown(request))
                result = [*result, settled, *answers]
            else:
                result.append(message)
        return response if result == response.result else replace(response, result=result)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Stops the run after a fatal failure: by now every call of the model's message is answered.

        Raises:
            FatalToolError: a call failed so.
        """
        said, answers = latest_answers(state["messages"])
        conversation = self._gate.conversations.of(runtime)
        fatal = fatal_answer(answers)
        if fatal is None and conversation is not None and conversation.fatal and not conversation.is_stopped:
            fatal = fatal_answer(since_the_model(state["messages"]))  # a command may have said something after it
        if fatal is None:
            if conversation is not None:
                conversation.next_step()
                if said is None:
                    conversation.forgive()
            return None
        if conversation is not None:
            conversation.is_stopped = True
        known = None if conversation is None else conversation.fatal.get(fatal.tool_call_id)
        error = known or meaning(fatal)
        if self._on_fatal == "error":
            raise FatalToolError(error)
        return {"jump_to": "end", "messages": [AIMessage(error.user_message)]}

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """`before_model`, which waits for nothing."""
        return self.before_model(state, runtime)

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Gives the model its turn again where nothing that it called could be read."""
        said, answers = latest_answers(state["messages"])
        unread = said is not None and said.invalid_tool_calls and not said.tool_calls
        return {"jump_to": "model"} if unread and answers else None

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """`after_model`, which waits for nothing."""
        return self.after_model(state, runtime)

    def _shown(self, request: ModelRequest[Any]) -> tuple[Any, Any, bool]:
        conversation = self._gate.conversations.of(request.runtime)
        return self._gate.box(request.tools), conversation, request.response_format is None

    def _rejoined(self, request: ToolCallRequest, answer: Any) -> Any:
        """After tools that return directly the run would end in silence; where one has failed, the model is asked."""
        if not (
            isinstance(answer, ToolMessage) and answer.status == "error" and "mulligan" in answer.response_metadata
        ):
            return answer
        if request.tool is None or not request.tool.return_direct:
            return answer
        said = next((one for one in reversed(_messages(request.state)) if isinstance(one, AIMessage)), None)
        direct = {tool.name for tool in request.runtime.tools if tool.return_direct}
        if said is None or not said.tool_calls or not all(call["name"] in direct for call in said.tool_calls):
            return answer
        return Command(update={"messages": [answer]}, goto=f"{self.name}.before_model")


def checked(value: Any, allowed: tuple[str, ...]) -> Any:
    """The value of `on_fatal`.

    Args:
        value: what was given.
        allowed: what may be.

    Raises:
        UsageError: it is something else.
    """
    if value not in allowed:
        raise UsageError(f"on_fatal={value!r:.80}: use {' or '.join(map(repr, allowed))}")
    return value


def _messages(state: Any) -> list[Any]:
    return list(state.get("messages", ()) if isinstance(state, dict) else getattr(state, "messages", ()))
