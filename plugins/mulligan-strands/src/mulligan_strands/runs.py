"""What is kept of an agent's invocation while it goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from contextvars import ContextVar

from strands.types.events import TypedEvent
from strands.types.tools import ToolSpec

from mulligan import Session, ToolResult
from mulligan.errors import ToolError

ESCAPED: ContextVar[list[ToolError]] = ContextVar("mulligan_strands_escaped")
"""The fatal errors of agents that the tool of this context has run: Strands makes a text of them, not an exception."""


class Invocation:
    """One invocation of an agent: one conversation for the loop guard.

    Args:
        session: the conversation's memory.

    Attributes:
        session: the conversation's memory.
        shown: the tools that the model was shown last, or None.
        written: name and arguments of the calls of the model's last message as it wrote them, by call id.
        unreadable: the arguments of those that are no JSON, by call id.
        fatal: the error that ends the invocation, or None.
        told: whether `fatal` was raised.
        pauses: whether the invocation waits for a person, and the next one goes on with it.
    """

    def __init__(self, session: Session) -> None:
        self._step = ExitStack()
        self.session = session
        self.shown: Sequence[ToolSpec] | None = None
        self.written: Mapping[str, tuple[str, str]] = {}
        self.unreadable: Mapping[str, str] = {}
        self.fatal: ToolError | None = None
        self.told = False
        self.pauses = False

    def note(self, result: ToolResult) -> None:
        """Remembers a fatal failure.

        Args:
            result: what came of a call.
        """
        if result.fatal and self.fatal is None:
            self.fatal = result.error

    def heard(self, listener: Listener) -> None:
        """Takes over what the model wrote.

        Args:
            listener: has heard the whole message.
        """
        self.written = listener.written
        texts = {id: text for id, (_, text) in listener.written.items()}
        self.unreadable = {id: text for id, text in texts.items() if text.strip() and not _is_json(text)}

    def next_step(self) -> None:
        """The model is asked: what is called from now on, it calls in one message.

        Raises:
            ToolError: a call has failed so that the invocation must end.
        """
        if self.fatal is not None:
            self.told = True
            ESCAPED.get([]).append(self.fatal)
            raise self.fatal
        self._step.close()
        self._step.enter_context(self.session.step())


class Listener:
    """Keeps what a model writes: Strands reads `{}` where arguments are no JSON, and forgets the text.

    Attributes:
        written: name and arguments, by call id.
    """

    def __init__(self) -> None:
        self.written: dict[str, tuple[str, str]] = {}

    def hear(self, event: TypedEvent) -> None:
        """Takes note of a piece of a call.

        Args:
            event: any event of a model's message.
        """
        if event.get("type") == "tool_use_stream":
            call = event["current_tool_use"]
            if isinstance(text := call.get("input"), str):
                self.written[str(call.get("toolUseId"))] = str(call.get("name")), text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
