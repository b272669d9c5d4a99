"""A tool whose function blocks, run in a thread of mulligan's: one that hangs is left behind, counted and bounded.

The rest of Strands' execution stays on the agent's event loop; only the tool's own stream moves.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import queue
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from strands.types.tools import AgentTool, ToolUse

Post = Callable[[Any], None]
_Ended = tuple[Any, BaseException | None]
_END = object()


async def _contained(coroutine: Coroutine[Any, Any, Any]) -> _Ended:
    """Nothing but a cancellation may leave a task: asyncio would hand a SystemExit to the event loop itself."""
    try:
        return await coroutine, None
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return None, error


class Worker:
    """The meeting of one call on the event loop with the thread that was given to it.

    Args:
        loop: the agent's event loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._task: asyncio.Task[_Ended] | None = None
        self._stopped = False

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Has the event loop run a coroutine, and does meanwhile what `moved` asks for. Called in the thread.

        Args:
            coroutine: the call.
        """
        ended: list[asyncio.Task[_Ended]] = []

        def start() -> None:
            task = self._task = self._loop.create_task(_contained(coroutine))
            task.add_done_callback(ended.append)
            task.add_done_callback(lambda _: self._jobs.put(None))
            if self._stopped:
                task.cancel()

        self._loop.call_soon_threadsafe(start)
        while (job := self._jobs.get()) is not None:
            job()
        value, error = ended[0].result()
        if error is not None:
            raise error
        return value

    async def stop(self) -> None:
        """Ends the coroutine, where the thread was left behind."""
        self._stopped = True
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def moved(self, tool: AgentTool) -> AgentTool:
        """A copy of a tool whose stream runs in the thread.

        Args:
            tool: the tool.
        """

        async def stream(use: ToolUse, state: dict[str, Any], **options: Any) -> AsyncGenerator[Any, None]:
            events: asyncio.Queue[Any] = asyncio.Queue()
            stream = partial(tool.stream, use, state, **options)
            self._jobs.put(partial(contextvars.copy_context().run, self._drain, stream, events))
            while (event := await events.get()) is not _END:
                if isinstance(event, BaseException):
                    raise event
                yield event

        moved = copy.copy(tool)
        moved.stream = stream  # type: ignore[assignment, method-assign]
        return moved

    def _drain(self, stream: Callable[[], AsyncGenerator[Any, None]], events: asyncio.Queue[Any]) -> None:
        def post(event: Any) -> None:
            with suppress(RuntimeError):  # nobody waits any more once the agent's loop is closed
                self._loop.call_soon_threadsafe(events.put_nowait, event)

        try:
            asyncio.run(_drained(stream(), post))
        except BaseException as error:
            post(error)
        finally:
            post(_END)


async def _drained(stream: AsyncGenerator[Any, None], post: Post) -> None:
    async for event in stream:
        post(event)
