"""Which calls a breaker or a limit counts together: those of a tool, a provider or a tag, or all."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from mulligan.calls import ToolCall
from mulligan.errors import UsageError
from mulligan.forks import shared_lock
from mulligan.tools import Tool
from mulligan.untrusted.text import show_name

Key: TypeAlias = "str | Callable[[Tool, ToolCall], Hashable]"

_MOST = 1_000
_FORMS = "'tool', 'tool:NAME', 'provider', 'provider:NAME', 'tag:NAME', 'all', or a function of tool and call"


class Keys:
    """Finds the key of a call.

    Args:
        owner: the name of the middleware.
        key: which calls are counted together.

    Raises:
        UsageError: the key is invalid.
    """

    def __init__(self, owner: str, key: Any) -> None:
        kind, _, name = key.partition(":") if isinstance(key, str) else ("", "", "")
        known = callable(key) or kind in ("tool", "provider") or (kind == "tag" and name) or key == "all"
        if not known or (isinstance(key, str) and key.endswith(":")):
            raise UsageError(f"{owner}(key={key!r:.80}): use {_FORMS}")
        self._function = key if callable(key) else None
        self._kind = kind
        self._name = name

    def of(self, tool: Tool, call: ToolCall) -> Hashable:
        """The key, or None if the tool is exempt.

        Args:
            tool: the tool.
            call: the call.
        """
        if self._function is not None:
            found: Hashable = self._function(tool, call)
            return found
        if self._kind == "tag":
            return self._name if self._name in tool.tags else None
        if self._kind == "all":
            return "all"
        own = tool.name if self._kind == "tool" else tool.provider
        return own if not self._name or own == self._name else None

    def label(self, tool: Tool) -> str:
        """The name of the key in sentences for the model.

        Args:
            tool: the tool.
        """
        if self._kind == "provider" and tool.provider is not None:
            return show_name(tool.provider)
        if self._kind == "tag":
            return f"The tag {show_name(self._name)}"
        return show_name(tool.name)


class Idle(Protocol):
    """An object that can be discarded while it is idle."""

    def is_idle(self, now: float) -> bool:
        """Whether a new object would behave the same way."""


T = TypeVar("T", bound=Idle)


class PerKey(Generic[T]):
    """One object per key, created on first use. Idle objects are discarded if there are many.

    Args:
        make: creates an object.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = shared_lock()
        self._known: dict[Hashable, T] = {}
        self._most = _MOST

    def get(self, key: Hashable, now: float) -> T:
        """The object of a key.

        Args:
            key: the key.
            now: seconds on the clock of the objects.
        """
        found = self._known.get(key)
        if found is not None:
            return found
        with self._lock:
            if len(self._known) >= self._most:
                self._known = {name: one for name, one in self._known.items() if not one.is_idle(now)}
                self._most = max(_MOST, 2 * len(self._known))
            return self._known.setdefault(key, self._make())

    def items(self) -> list[tuple[Hashable, T]]:
        """Every key with its object."""
        with self._lock:
            return list(self._known.items())
