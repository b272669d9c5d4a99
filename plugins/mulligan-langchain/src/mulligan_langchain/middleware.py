"""`MulliganMiddleware` for `create_agent`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from mulligan import Pipeline
from mulligan.adapters import Adapter
from mulligan.errors import UsageError
from mulligan_langchain.awaiting import resolve, run_at_once
from mulligan_langchain.fatal import FatalToolError, fatal_answer, latest_answers, since_the_model
from mulligan_langchain.gate import Gate, messages_of
from mulligan_langchain.malformed import answer_malformed_calls

OnFatal = Literal["error", "end"]
Timeouts = float | Mapping[str, float] | None
ToolOptions = Mapping[str, Mapping[str, Any]] | None


class MulliganMiddleware(AgentMiddleware[Any, Any, Any]):
    """Gives every tool call of an agent a second chance. Put it first: what comes after it runs inside of it.

    Args:
        pipeline: plugins, policy, limits and format; its own tools are not used. By default one with the defaults.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: options of `mulligan.Tool` by the tool's name, or by a pattern such as `read_*`.
        fatal: what stops the run, as in `mulligan.Policy`; only without `pipeline`.
        repair: what is repaired, as in `mulligan.Policy`; only without `pipeline`.
        on_fatal: what stops the run after a failure that the model cannot mend, once every call is answered: a
            `FatalToolError`, or an `"end"` with one sentence for the person.

    Raises:
        UsageError: an argument is wrong.
    """

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        timeout: Timeouts = None,
        tool_options: ToolOptions = None,
        fatal: Any = None,
        repair: Any = None,
        on_fatal: OnFatal = "error",
    ) -> None:
        super().__init__()
        self.tools = []
        self._on_fatal = checked(on_fatal, ("error", "end"))
        options: Any = {"timeout": timeout, "tool_options": tool_options, "fatal": fatal, "repair": repair}
        self._gate = Gate(Adapter("MulliganMiddleware", pipeline, **options))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Runs a tool call."""
        return self._rejoined(request, run_at_once(self._gate.call(request, handler, awaited=False)))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Runs a tool call, awaited."""
        return self._rejoined(request, await self._gate.call(request, handler, awaited=True))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Answers calls whose arguments are no JSON."""
        return run_at_once(self._ask_model(request, handler, awaited=False))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """`wrap_model_call`, awaited."""
        return await self._ask_model(request, handler, awaited=True)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Stops the run after a fatal failure: by now every call of the model's message is answered.

        Raises:
            FatalToolError: a call failed so.
        """
        messages = state["messages"]
        thread = self._gate.thread(runtime, messages)
        fatal = fatal_answer(latest_answers(messages)[1])
        if fatal is None and thread.fatal and not thread.is_stopped:
            fatal = fatal_answer(since_the_model(messages))  # a command may have said something after it
        if fatal is None:
            thread.next_turn(messages)
            return None
        error = thread.stop(fatal)
        if self._on_fatal == "error":
            raise FatalToolError(error, messages)
        return {"jump_to": "end", "messages": [AIMessage(error.user_message)]}

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Gives the model its turn again where nothing that it called could be read."""
        said, answers = latest_answers(state["messages"])
        unread = said is not None and said.invalid_tool_calls and not said.tool_calls
        return {"jump_to": "model"} if unread and answers else None

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """The run has ended, and with it the step."""
        self._gate.thread(runtime, state["messages"]).end_step()

    async def _ask_model(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any], *, awaited: bool
    ) -> ModelResponse[Any]:
        box = self._gate.box(request.tools)
        thread = self._gate.thread(request.runtime, messages_of(request.state))
        response: ModelResponse[Any] = await resolve(handler(request))
        are_all = request.response_format is None
        result = await answer_malformed_calls(response.result, self._gate, box, thread, are_all, awaited=awaited)
        return replace(response, result=result)

    def _rejoined(self, request: ToolCallRequest, answer: Any) -> Any:
        """After tools that return directly the run would end in silence; where one has failed, the model is asked."""
        has_failed = isinstance(answer, ToolMessage) and "mulligan" in answer.response_metadata
        if not has_failed or request.tool is None or not request.tool.return_direct:
            return answer
        said = next((one for one in reversed(messages_of(request.state)) if isinstance(one, AIMessage)), None)
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
