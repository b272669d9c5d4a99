"""One run of an agent: its conversation with mulligan, the tools that it was offered last, and why it must stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from agents import AgentsException

from mulligan import Pipeline, Session
from mulligan.adapters import Conversation, Stopped

current_run: ContextVar[Run | None] = ContextVar("mulligan_openai_agents_run", default=None)
"""The run whose turn is under way; a turn and its tools are tasks that inherit it."""


class RunStopped(Stopped, AgentsException):
    """A tool failed in a way that the model cannot mend. Every call of the turn was answered before it was raised.

    Args:
        error: what the failure means.

    Attributes:
        error: what the failure means; also the `__cause__`.
        run_data: the SDK's record of the run, with every call answered; None for a tool that was called outside of one.
    """


class Run(Conversation):
    """What is remembered of one run.

    Args:
        session: the conversation.
        view: the pipeline with the tools that can be called now.

    Attributes:
        context: gives the SDK's own context of the run, which it does not keep alive.
        arguments: what the model sent in its last message, by call id.
        view: the pipeline with the tools that can be called now.
    """

    def __init__(self, session: Session, view: Pipeline) -> None:
        super().__init__(session)
        self.context: Callable[[], Any] = lambda: None
        self.arguments: Mapping[str, str] = {}
        self.view = view

    def next_turn(self) -> None:
        """Lets the model have another turn.

        Raises:
            RunStopped: a tool failed for good in the turn before.
        """
        self.end_step()
        if self.fatal is not None:
            raise RunStopped(self.fatal)
        self.next_step()

    async def answer_unknown(self, name: str, call_id: str, view: Pipeline | None = None) -> str:
        """What the model is told of a name that no tool has.

        Args:
            name: the name.
            call_id: the id of its call.
            view: the pipeline without the tool, if it was switched off after it was offered.
        """
        arguments = self.arguments.get(call_id)
        return self.answer(await (view or self.view).acall(name, arguments, call_id=call_id, session=self.session))
