"""What is kept of each invocation while it goes on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack

from google.adk.tools.base_tool import BaseTool

from mulligan import Pipeline, Session, ToolResult
from mulligan.errors import ToolError

_MOST = 1_000


class Invocation:
    """One invocation of a runner: one conversation for the loop guard.

    Attributes:
        session: the conversation's memory.
        views: the pipeline with the tools that an agent may call now, by the agent's name.
        tools: these tools as they are without the plugin.
        unreadable: the arguments of calls that are no JSON, by call id; None where nobody has kept the text.
        raised: the results of calls whose tool raised, by call id, until the error callback asks for them.
        fatal: the error that ends the invocation, or None.
        told: whether it was raised.
    """

    def __init__(self, session: Session) -> None:
        self._step = ExitStack()
        self.session = session
        self.views: dict[str, Pipeline] = {}
        self.tools: dict[str, dict[str, BaseTool]] = {}
        self.unreadable: dict[str, str | None] = {}
        self.raised: dict[str | None, ToolResult] = {}
        self.fatal: ToolError | None = None
        self.told = False

    def next_step(self) -> None:
        """A model is asked: what is called from now on, it calls in one message.

        Raises:
            ToolError: a call has failed so that the invocation must end.
        """
        self.stop_if_fatal()
        self._step.close()
        self._step.enter_context(self.session.step())

    def answer(self, result: ToolResult) -> dict[str, str]:
        """What the model reads of a failed call; a fatal one is remembered.

        Args:
            result: the failed call.
        """
        if result.fatal and self.fatal is None:
            self.fatal = result.error
        return {"error": result.content}

    def stop_if_fatal(self) -> None:
        """Ends the invocation where a call has failed so that it must; as often as an agent above makes a text of it.

        Raises:
            ToolError: the error of that call.
        """
        if self.fatal is not None:
            self.told = True
            raise self.fatal


class Invocations:
    """The invocations that go on, by id; the oldest is forgotten where a thousand did not say that they ended.

    Args:
        session: makes a session.
    """

    def __init__(self, session: Callable[[str], Session]) -> None:
        self._session = session
        self._known: OrderedDict[str, Invocation] = OrderedDict()

    def of(self, id: str) -> Invocation:
        """The invocation of that id.

        Args:
            id: ADK's invocation id.
        """
        known = self._known.get(id)
        if known is None:
            known = self._known.setdefault(id, Invocation(self._session(id)))
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return known

    def end(self, id: str) -> Invocation | None:
        """Forgets an invocation, and gives what was known of it.

        Args:
            id: ADK's invocation id.
        """
        return self._known.pop(id, None)

    def __len__(self) -> int:
        return len(self._known)
