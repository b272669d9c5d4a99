"""What is kept of an agent's invocation while it runs, and what ends it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from strands.types.events import TypedEvent
from strands.types.exceptions import EventLoopException
from strands.types.tools import ToolSpec

from mulligan import Session
from mulligan.adapters import Conversation, Stopped
from mulligan.errors import ToolError


class RunStopped(Stopped, EventLoopException):
    """A tool failed in a way that the model cannot correct. Every call of its message was answered before.

    Args:
        error: what the failure means.
        messages: the conversation, every call in it answered.
        request_state: as in `EventLoopException`.

    Attributes:
        error: what the failure means; also `original_exception` and the `__cause__`.
        messages: the conversation.
    """

    def __init__(self, error: ToolError, messages: Any = (), request_state: Any = None) -> None:
        super().__init__(error, messages)
        self.original_exception = error
        self.request_state = {} if request_state is None else request_state


class Invocation(Conversation):
    """One invocation of an agent: one conversation, also while it waits for a person.

    Attributes:
        shown: the tools that the model was shown last, or None.
        written: name and arguments of the calls of the model's last message as it wrote them, by call id.
        pauses: whether it waits for a person, and the agent's next invocation continues it.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.shown: Sequence[ToolSpec] | None = None
        self.written: dict[str, tuple[str, str]] = {}
        self.pauses = False

    def hear(self, event: TypedEvent) -> None:
        """Keeps what the model writes, which Strands forgets.

        Args:
            event: any event of its message.
        """
        if event.get("type") == "tool_use_stream":
            call = event["current_tool_use"]
            if isinstance(text := call.get("input"), str):
                self.written[str(call.get("toolUseId"))] = str(call.get("name")), text

    def sent(self, id: str, arguments: Any) -> Any:
        """The arguments of a call: as Strands has read them, or as the model wrote them if they are not JSON.

        Args:
            id: the call's.
            arguments: as Strands has read them, `{}` for what it cannot read; or as a hook has changed them.
        """
        text = self.written.get(id, ("", ""))[1]
        return text if not arguments and text.strip() and not _is_json(text) else arguments


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
