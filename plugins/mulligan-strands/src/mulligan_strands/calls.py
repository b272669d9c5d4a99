"""One call on its way through a pipeline: Strands' own execution behind it, its events before the agent's stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from contextvars import ContextVar
from typing import Any

from strands.interrupt import InterruptException
from strands.middleware import ExecuteToolContext
from strands.tools.mcp import MCPAgentTool
from strands.types.events import ToolResultEvent, TypedEvent

from mulligan import ToolResult
from mulligan.errors import ToolError, ToolTimeoutError
from mulligan.plugin import AuthorMessage
from mulligan_strands.runs import ESCAPED
from mulligan_strands.worker import Worker

Next = Callable[[ExecuteToolContext], AsyncGenerator[TypedEvent, None]]
_CURRENT: ContextVar[Call] = ContextVar("mulligan_strands_call")


class WaitingError(Exception):
    """The tool waits for a person, which Strands tells by an event."""


STEERING = (InterruptException, WaitingError)
"""What ends a call and is no failure."""


async def handle(name: str, /, **arguments: Any) -> Any:
    """The handler of every tool: runs the call that the pipeline was asked for.

    Args:
        name: the tool's name.
        arguments: the validated arguments.
    """
    return await _CURRENT.get().run(name, arguments)


def handle_in_thread(name: str, /, **arguments: Any) -> Any:
    """The handler of a tool whose function blocks, where it has a deadline: runs the call in this thread.

    Args:
        name: the tool's name.
        arguments: the validated arguments.
    """
    return _CURRENT.get().run_in_thread(name, arguments)


class Call:
    """One call.

    Args:
        context: Strands' context of the call.
        execute: the rest of Strands' execution.

    Attributes:
        result: what the pipeline made of it, once the events have ended; None where it waits for a person.
    """

    def __init__(self, context: ExecuteToolContext, execute: Next) -> None:
        self._context = context
        self._execute = execute
        self._worker = Worker(asyncio.get_running_loop())
        self._events: asyncio.Queue[TypedEvent | None] = asyncio.Queue()
        self._interrupts: list[TypedEvent] = []
        self._ended: ToolResultEvent | None = None
        self.result: ToolResult | None = None

    async def events(self, result: Callable[[], Awaitable[ToolResult]]) -> AsyncGenerator[TypedEvent, None]:
        """The events of the tool, as they come.

        Args:
            result: sends the call through a pipeline.

        Raises:
            InterruptException: a middleware asks a person.
        """
        task = asyncio.ensure_future(self._run_pipeline(result))
        task.add_done_callback(lambda _: self._events.put_nowait(None))
        try:
            while (event := await self._events.get()) is not None:
                yield event
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        with suppress(WaitingError):
            self.result = task.result()
        for event in self._interrupts:  # last, since Strands listens no further: the call would seem to be cancelled
            yield event

    async def _run_pipeline(self, result: Callable[[], Awaitable[ToolResult]]) -> ToolResult:
        _CURRENT.set(self)
        try:
            return await result()
        finally:
            await self._worker.stop()

    async def run(self, name: str, arguments: dict[str, Any]) -> Any:
        """Runs the tool. Gives what it reports as a value, None where that is nothing that could be a failure.

        Args:
            name: the tool's name; another than the model called where the pipeline has repaired it.
            arguments: the validated arguments.
        """
        return await self._run(self._repaired_context(name, arguments))

    def run_in_thread(self, name: str, arguments: dict[str, Any]) -> Any:
        """`run`, for a tool whose function blocks: the tool itself runs in the thread that this is called in.

        Args:
            name: the tool's name.
            arguments: the validated arguments.
        """
        context = self._repaired_context(name, arguments)
        if context.tool is not None:
            context = context.replace(tool=self._worker.moved(context.tool))
        return self._worker.run(self._run(context))

    def _repaired_context(self, name: str, arguments: dict[str, Any]) -> ExecuteToolContext:
        """Strands' context of the call as the pipeline has read it."""
        context = self._context
        use = context.tool_use
        if name != use["name"]:
            registry = context.agent.tool_registry
            tool = registry.dynamic_tools.get(name) or registry.registry.get(name)
            return context.replace(tool=tool, tool_use={**use, "name": name, "input": arguments})
        return context if arguments == use["input"] else context.replace(tool_use={**use, "input": arguments})

    async def _run(self, context: ExecuteToolContext) -> Any:
        self._ended = None
        self._interrupts.clear()
        escaped: list[ToolError] = []
        ESCAPED.set(escaped)
        async with aclosing(self._execute(context)) as events:
            async for event in events:
                if isinstance(event, ToolResultEvent):
                    self._ended = event
                elif "tool_interrupt_event" in event:
                    self._interrupts.append(event)
                else:
                    self._events.put_nowait(event)
        if self._interrupts:
            raise WaitingError
        is_remote = isinstance(context.tool, MCPAgentTool)
        return None if self._ended is None else _reported(self._ended, escaped, is_remote=is_remote)

    def ending(self, result: ToolResult) -> ToolResultEvent | None:
        """The event that ends the call, or None where Strands gave none.

        Args:
            result: what the pipeline made of it.
        """
        if not result.is_error:
            return self._ended
        told: list[Any] = [{"text": result.content}]
        exception: Exception | None = result.error
        if self._ended is not None and not isinstance(exception, ToolTimeoutError):
            blocks = self._ended.tool_result.get("content") or ()
            told += [block for block in blocks if not {"text", "json"} & set(block)]
            exception = self._ended.exception or exception
        id = str(self._context.tool_use.get("toolUseId"))
        return ToolResultEvent({"toolUseId": id, "status": "error", "content": told}, exception=exception)


def _reported(event: ToolResultEvent, escaped: Sequence[ToolError], *, is_remote: bool) -> Any:
    result: Mapping[str, Any] = event.tool_result
    if event.backgrounded or result.get("cancelled") is True:
        return None
    if result.get("status") != "error":
        return _value(result.get("content") or ())
    if event.exception is not None:
        raise event.exception
    if escaped:
        raise escaped[-1]
    blocks = [block for block in result.get("content") or () if "text" in block]
    if blocks and not is_remote:
        raise AuthorMessage("\n".join(str(block["text"]) for block in blocks))
    return {"isError": True, "content": blocks}


def _value(content: Any) -> Any:
    """The value that a result of one block says; None where it has more blocks, or none that is a text or JSON."""
    if len(content) != 1:
        return None
    (block,) = content
    if "json" in block:
        return _read(lambda: json.loads(json.dumps(block["json"])), None)
    text = block.get("text")
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return text
    return _read(lambda: json.loads(text), text)


def _read(read: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return read()
    except (TypeError, ValueError, RecursionError):
        return otherwise
