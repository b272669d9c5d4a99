"""A framework's conversations: the memory, the open step and the fatal error of each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, MutableMapping
from contextlib import ExitStack
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from mulligan.errors import ToolError
from mulligan.pipeline import Session
from mulligan.results import ToolResult
from mulligan.untrusted.objects import written_text

_MOST = 1_000


class Stopped(Exception):
    """Mixin for an adapter's exception: a tool failed in a way that the model cannot correct, so the run has ended.

    Args:
        error: what the failure means; also the `__cause__`.
        messages: the conversation, every call in it answered.

    Attributes:
        names_tool: whether its text names the tool also before the message.
    """

    names_tool = True

    def __init__(self, error: ToolError, messages: Any = ()) -> None:
        where = f" in tool {error.tool_name}" if error.tool_name and self.names_tool else ""
        super().__init__(f"{type(error).__name__}{where}: {error.message} {error.user_message}".rstrip())
        self.error = self.__cause__ = error
        self.messages = list(messages)


class Conversation:
    """One conversation of a framework.

    Attributes:
        session: its memory.
        fatal: the error that ends the run, or None.
        in_step: whether a step is open.
        has_request: whether the user's message is known, as `note_request` says.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.fatal: ToolError | None = None
        self.in_step = self.has_request = False
        self._request, self._step = "", ExitStack()

    def next_step(self) -> None:
        """The model is asked: what is called from now on, it calls in one message. The step before is finished."""
        self.end_step()
        if self._request:
            text, self._request = self._request, ""
            self.session.note_request(text)
        self._step.enter_context(self.session.step())
        self.in_step = True

    def join_step(self) -> None:
        """What is called from now on belongs to the open step, or to a new one: some calls come before any request."""
        if not self.in_step:
            self.next_step()

    def end_step(self) -> None:
        """Finishes the step: every call of it is answered."""
        self.in_step = False
        self._step.close()

    def answer(self, result: ToolResult) -> str:
        """What the model reads of a call. The first fatal failure is remembered."""
        if result.fatal and self.fatal is None:
            self.fatal = result.error
        return result.content

    def forgive(self) -> None:
        """The user has written: failures no longer count, and the same calls may run again."""
        self.fatal = None
        self.session.forgive()

    def note_request(self, content: Any) -> None:
        """The user has written, as after `forgive`. Observers receive the text with the next step, so only if there is one.

        Args:
            content: what the user wrote: a text, or parts with a `text` or `content`, of which other kinds are left out.
        """
        self.forgive()
        self.has_request = True
        self._request = written_text(content)


C = TypeVar("C", bound=Conversation)


class Conversations(Generic[C]):
    """The conversations by the framework's own key: an id, the latest thousand; or an object, as long as it lives.

    Args:
        make: makes the conversation of an id, which is None for that of an object without one.
    """

    def __init__(self, make: Callable[[Any], C]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._by_id: dict[Hashable, dict[Hashable, C]] = {}
        self._by_object: WeakKeyDictionary[Any, dict[Hashable, C]] = WeakKeyDictionary()

    def of(self, key: Any, part: Hashable = None, *, id: str | None = None) -> C:
        """The conversation of a key.

        Args:
            key: the framework's id of it, a text; or an object that lives as long.
            part: what of it has a conversation of its own, such as an agent or a branch.
            id: the id of an object's conversation.
        """
        with self._lock:
            kept = self._kept(key)
            parts = kept[key] = kept.pop(key, {})  # the latest one comes last
            if len(self._by_id) > _MOST:
                del self._by_id[next(iter(self._by_id))]
            if part not in parts:
                parts[part] = self._make(key if isinstance(key, str) else id)
            return parts[part]

    def end(self, key: Any) -> None:
        """Forgets a key, and finishes the steps of its conversations."""
        with self._lock:
            parts = self._kept(key).pop(key, {})
        for conversation in parts.values():
            conversation.end_step()

    def _kept(self, key: Any) -> MutableMapping[Any, dict[Hashable, C]]:
        return self._by_id if isinstance(key, str) else self._by_object

    def __len__(self) -> int:
        return len(self._by_id) + len(self._by_object)
