"""One call on its way through mulligan, and how its value and its function are handed on as they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import attrs
from agents.tool_context import ToolContext

from mulligan.plugin import safe_str


@attrs.define
class Call:
    """One call on its way through mulligan.

    Attributes:
        context: the SDK's context of the call.
        sent: the arguments as the model sent them.
        value: what the tool returned.
        raised: what the tool raised last, or None.
    """

    context: ToolContext[Any]
    sent: str
    value: Any = None
    raised: Exception | None = None

    def text(self, arguments: Mapping[str, Any]) -> str:
        """The arguments for the SDK: as they were sent, unless they were repaired.

        Args:
            arguments: as they were validated.
        """
        try:
            if json.loads(self.sent or "{}") == arguments:
                return self.sent
        except ValueError:
            pass
        return json.dumps(arguments, ensure_ascii=False)


current_call: ContextVar[Call | None] = ContextVar("mulligan_openai_agents_call", default=None)


class OpaqueValue:
    """A value that goes back to the SDK as it is, and not as JSON.

    Args:
        value: what the tool returned.
    """

    def __init__(self, value: Any) -> None:
        self._value = value

    def model_dump(self, **_: Any) -> str:
        """The value for whoever watches mulligan."""
        return safe_str(self._value)


class Inline(ThreadPoolExecutor):
    """Runs everything at once in the thread that asks, so that no other thread is left when that one is left."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs a function."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future
