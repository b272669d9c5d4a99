"""One run of an agent: its conversation with mulligan, the tools that it was offered last, and why it must stop."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any

from agents import AgentsException, RunContextWrapper

from mulligan import Pipeline, Tool, ToolResult
from mulligan.errors import ToolError

current_run: ContextVar[Run | None] = ContextVar("mulligan_openai_agents_run", default=None)
"""The run whose turn is under way; a turn and its tools are tasks that inherit it."""


class RunStopped(AgentsException):
    """A tool failed in a way that the model cannot mend. Every call of the turn was answered before it was raised.

    Args:
        error: what the failure means.

    Attributes:
        error: what the failure means; also the `__cause__`.
    """

    def __init__(self, error: ToolError) -> None:
        where = f" in tool {error.tool_name}" if error.tool_name else ""
        super().__init__(f"{type(error).__name__}{where}: {error.message} {error.user_message}".rstrip())
        self.error = error
        self.__cause__ = error


class Run:
    """What is remembered of one run.

    Args:
        pipeline: what the run's calls go through.
        context: the SDK's own context of the run.

    Attributes:
        session: the conversation.
        arguments: what the model sent in its last message, by call id.
        fatal: the error that ends the run, or None.
    """

    def __init__(self, pipeline: Pipeline, context: RunContextWrapper[Any]) -> None:
        self._pipeline = pipeline
        self._context = weakref.ref(context)
        self._view = pipeline
        self._offered: tuple[Tool, ...] = ()
        self._step = ExitStack()
        self.session = pipeline.session()
        self.arguments: Mapping[str, str] = {}
        self.fatal: ToolError | None = None

    def is_of(self, context: RunContextWrapper[Any]) -> bool:
        """Whether this run is the one that a context belongs to.

        Args:
            context: the SDK's context.
        """
        return self._context() is context

    def next_turn(self) -> None:
        """Lets the model have another turn: what is called from now on, it calls in one message.

        Raises:
            RunStopped: a tool failed for good in the turn before.
        """
        if self.fatal is not None:
            raise RunStopped(self.fatal)
        self._step.close()
        self._step.enter_context(self.session.step())

    def offer(self, tools: Iterable[Tool]) -> None:
        """Takes note of what the model can call in this turn.

        Args:
            tools: the tools; of two with the same name the later one counts.
        """
        offered = tuple({tool.name: tool for tool in tools}.values())
        if offered != self._offered:
            self._view, self._offered = self._pipeline.with_tools(offered), offered

    def note(self, result: ToolResult) -> None:
        """Remembers the first failure that ends the run.

        Args:
            result: of one call.
        """
        if result.fatal and self.fatal is None:
            self.fatal = result.error

    async def answer_unknown(self, name: str, call_id: str) -> str:
        """What the model is told of a name that no tool has.

        Args:
            name: the name.
            call_id: the id of its call.
        """
        result = await self._view.acall(name, self.arguments.get(call_id), call_id=call_id, session=self.session)
        self.note(result)
        return result.content

    async def answer_disabled(self, name: str, call_id: str) -> str:
        """What the model is told of a tool that was switched off after it was offered.

        Args:
            name: its name.
            call_id: the id of its call.
        """
        self.offer(tool for tool in self._offered if tool.name != name)
        return await self.answer_unknown(name, call_id)
