"""What adapters for agent frameworks share; `docs/how-to/write-an-adapter.md` builds one on it."""

from mulligan.adapters.attempts import Attempt, ControlFlow, OpaqueValue, current_attempt, handler_for
from mulligan.adapters.conversations import Conversation, Conversations, Stopped
from mulligan.adapters.tools import OPEN, Adapter, NamedTool
from mulligan.execute.steps import ArgumentsRefused

__all__ = [
    "OPEN",
    "Adapter",
    "ArgumentsRefused",
    "Attempt",
    "ControlFlow",
    "Conversation",
    "Conversations",
    "NamedTool",
    "OpaqueValue",
    "Stopped",
    "current_attempt",
    "handler_for",
]
