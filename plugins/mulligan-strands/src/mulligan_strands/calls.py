"""One call on its way through the pipeline: Strands' tool behind it, its events before the agent's stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Any

from strands.interrupt import InterruptException
from strands.interventions.actions import default_evaluate
from strands.middleware import ExecuteToolContext
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.mcp import MCPAgentTool
from strands.types.events import ToolResultEvent, TypedEvent
from strands.types.tools import AgentTool, ToolUse

from mulligan import ApprovalRequest, Approve, Pipeline, Reject, ToolResult
from mulligan.adapters import Attempt, ControlFlow
from mulligan.errors import ToolArgumentError, ToolError, ToolTimeoutError
from mulligan.plugin import AuthorMessage
from mulligan_strands.invocations import Invocation
from mulligan_strands.tools import find_tool, is_blocking, threaded

CONTROL_FLOW = (InterruptException,)
APPROVAL = "mulligan:approve"


class _WaitingError(Exception):
    """A tool waits for a person, which Strands tells by an event."""

    def __init__(self, event: TypedEvent) -> None:
        super().__init__()
        self.event = event


class Call(Attempt):
    """One call of the model.

    Args:
        view: the pipeline with the tools that may be called now.
        context: Strands' context of the call.
        invocation: the conversation.

    Attributes:
        escaped: the fatal failure of an agent that is the tool: Strands makes a text of it, not an exception.
    """

    def __init__(self, view: Pipeline, context: ExecuteToolContext, invocation: Invocation) -> None:
        super().__init__(view, self._run_tool)
        self._context = context
        self._invocation = invocation
        self._events: asyncio.Queue[Any] = asyncio.Queue()
        self._ran: Any = None
        self._kind = ""
        self._use, self._state, self._options = context.tool_use, context.invocation_state, dict[str, Any]()
        self.escaped: ToolError | None = None

    async def stream(self, use: ToolUse, state: dict[str, Any], **options: Any) -> AsyncGenerator[Any, None]:
        """Answers the call: the events of the tool as they come, and then the answer.

        Args:
            use: the call, as other middleware may have changed it.
            state: of the invocation.
            options: Strands' own.

        Raises:
            InterruptException: a person is asked.
        """
        self._use, self._state, self._options = use, state, options
        task = asyncio.ensure_future(self._result())
        task.add_done_callback(lambda _: self._events.put_nowait(self))
        try:
            while (event := await self._events.get()) is not self:
                yield event
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        try:
            yield self._answer(task.result())
        except _WaitingError as waiting:
            yield waiting.event

    async def _result(self) -> ToolResult:
        id = str(self._use.get("toolUseId"))
        arguments = self._invocation.sent(id, self._use["input"])
        return await self.acall(self._use["name"], arguments, call_id=id, session=self._invocation.session)

    def tool_named(self, name: str) -> AgentTool | None:
        """Strands' tool.

        Args:
            name: that was called, or another one if the pipeline has repaired it.
        """
        is_called = name == self._use["name"]
        return self._context.tool if is_called else find_tool(self._context.agent, name)

    def read(self, name: str, arguments: dict[str, Any]) -> Any:
        """As in `Attempt`: what Strands reads before it runs a function."""
        tool: Any = self.tool_named(name)
        try:
            return tool._metadata.validate_input(arguments) if isinstance(tool, DecoratedFunctionTool) else None  # noqa: SLF001 - the only way to ask
        except ValueError as error:
            raise error.__cause__ or error from None

    async def _run_tool(self, name: str, arguments: dict[str, Any]) -> ToolResultEvent:
        tool, self._ran = self.tool_named(name), self.view.tools[name]
        assert tool is not None
        self._kind = "remote" if isinstance(tool, MCPAgentTool) else tool.tool_type
        if self._ran.timeout is not None and is_blocking(tool):
            tool = threaded(tool, lambda function: self.in_thread(name, function))
        use: ToolUse = {**self._use, "name": name, "input": arguments}
        last: Any = None
        async with aclosing(tool.stream(use, self._state, **self._options)) as events:
            async for event in events:
                if isinstance(event, ToolResultEvent):
                    return event
                if isinstance(event, TypedEvent) and "tool_interrupt_event" in event:
                    raise ControlFlow(_WaitingError(event))
                self._events.put_nowait(event)
                last = event
        if isinstance(last, Mapping):
            return ToolResultEvent(last)  # type: ignore[arg-type]
        raise RuntimeError("The tool returned no result.")

    def seen(self, value: ToolResultEvent) -> Any:
        """What the pipeline reads of a result: its text, or what reports a failure.

        Raises:
            Exception: the failure behind an error result.
        """
        result: Mapping[str, Any] = value.tool_result
        content = list(result.get("content") or ())
        if _is_unfinished(value):
            return ""
        if result.get("status") == "error":
            return self._reported(value, [block for block in content if "text" in block])
        text, said = _read(content)
        if said is None or isinstance(said, str) or not self._ran.detect:
            return text
        return text if self.view.classify(said, tool=self._ran) is None else said

    def _reported(self, event: ToolResultEvent, blocks: list[Any]) -> Any:
        failure = event.exception or (self.escaped if self._kind == "agent" else None)
        if failure is None and blocks and self._kind != "remote":
            failure = AuthorMessage("\n".join(str(block["text"]) for block in blocks))
        if failure is not None:
            raise failure
        return {"isError": True, "content": blocks}

    def decide(self, request: ApprovalRequest) -> Approve | Reject:
        """A person's decision, which Strands asks for by an interrupt; again if the changed arguments do not fit.

        Raises:
            InterruptException: there is none yet.
        """
        asked: dict[str, Any] = {"tool": request.tool_name, "arguments": request.arguments, "reason": request.reason}
        name, problems = APPROVAL, 0
        while True:
            decision = _read_decision(self._context.interrupt(name, reason=asked).response)
            edited = decision.arguments if isinstance(decision, Approve) else None
            fitted = None if edited is None or request.tool is None else request.tool.fit(dict(edited))
            if not isinstance(fitted, ToolArgumentError):
                return decision
            problems += 1
            name = f"{APPROVAL}:{problems + 1}"
            asked = {**asked, "problems": [problem._asdict() for problem in fitted.problems]}

    def _answer(self, result: ToolResult) -> ToolResultEvent:
        """The event that ends the call: a result as it is, and what the pipeline has added to it."""
        content = self._invocation.answer(result)
        ended: ToolResultEvent | None = self.value
        if not result.is_error and ended is not None:
            return _with_text(ended, content)
        blocks_to_model: list[Any] = [{"text": content}]
        exception: Exception | None = result.error
        if ended is not None and not isinstance(exception, ToolTimeoutError):
            blocks = ended.tool_result.get("content") or ()
            blocks_to_model += [block for block in blocks if not {"text", "json"} & set(block)]
            exception = ended.exception or exception
        id, status = str(self._use.get("toolUseId")), "error" if result.is_error else "success"
        return ToolResultEvent({"toolUseId": id, "status": status, "content": blocks_to_model}, exception=exception)  # type: ignore[typeddict-item]


def _with_text(event: ToolResultEvent, text: str) -> ToolResultEvent:
    content = list(event.tool_result.get("content") or ())
    if _is_unfinished(event) or text == _read(content)[0]:
        return event
    is_text = len(content) == 1 and "text" in content[0]
    extended: list[Any] = [{"text": text}] if is_text else [*content, {"text": text.lstrip("\n")}]
    return ToolResultEvent({**event.tool_result, "content": extended}, exception=event.exception)


def _is_unfinished(event: ToolResultEvent) -> bool:
    result: Mapping[str, Any] = event.tool_result
    return event.backgrounded or result.get("cancelled") is True


def _read(content: list[Any]) -> tuple[str, Any]:
    """The text of a result of one block, or nothing; and the value that it says, or None."""
    block = content[0] if len(content) == 1 else {}
    if "json" in block:
        with suppress(TypeError, ValueError, RecursionError):
            return "", json.loads(json.dumps(block["json"]))
    text = block.get("text")
    if not isinstance(text, str):
        return "", None
    if text.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            return text, json.loads(text)
    return text, text


def _read_decision(response: Any) -> Approve | Reject:
    """What a person decided: a decision, or JSON: `{"arguments": {...}}`, or what Strands takes for a yes; else no."""
    if isinstance(response, (Approve, Reject)):
        return response
    if isinstance(response, Mapping) and isinstance(response.get("arguments"), Mapping):
        return Approve(arguments=response["arguments"])
    if default_evaluate(response):
        return Approve()
    is_reason = isinstance(response, str) and response.strip().lower() not in ("n", "no")
    return Reject(response if is_reason else "")
