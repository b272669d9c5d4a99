"""What really happened inside a tool, which the framework's message no longer tells: the exception and the value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from langchain_core.tools import BaseTool

T = TypeVar("T", bound=BaseTool)


class RunRecorder:
    """Notes of one run.

    Attributes:
        entered: whether the tool's own code began to run.
        raised: what it raised, or None.
        returned: what it returned.
        has_returned: whether it returned anything.
    """

    def __init__(self) -> None:
        self.entered = False
        self.raised: BaseException | None = None
        self.returned: Any = None
        self.has_returned = False

    def admit(self, tool_input: Any) -> None:
        """Asked with what reaches the tool in the end, before it runs; may raise.

        Args:
            tool_input: what it is run with.
        """


RUN_RECORDER: ContextVar[RunRecorder | None] = ContextVar("mulligan_langchain_witness", default=None)


def record_runs(tool: T) -> T:
    """A copy of a tool that tells the witness of the call what it raises and returns, and else does the same.

    Its methods are replaced on the copy, not in a subclass: the class, and with it every check of a middleware, stays.

    Args:
        tool: any tool.
    """
    copy = tool.model_copy()
    for name in ("run", "_run"):
        vars(copy)[name] = _recording(getattr(copy, name), own=name == "_run")
    for name in ("arun", "_arun"):
        vars(copy)[name] = _recording_async(getattr(copy, name), own=name == "_arun")
    return copy


def _recording(method: Callable[..., Any], *, own: bool) -> Callable[..., Any]:
    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        witness = RUN_RECORDER.get()
        try:
            _begin(witness, args, kwargs, own)
            return _end(witness, method(*args, **kwargs), own)
        except BaseException as error:
            _record_error(witness, error)
            raise

    return run


def _recording_async(method: Callable[..., Awaitable[Any]], *, own: bool) -> Callable[..., Awaitable[Any]]:
    @wraps(method)
    async def run(*args: Any, **kwargs: Any) -> Any:
        witness = RUN_RECORDER.get()
        try:
            _begin(witness, args, kwargs, own)
            return _end(witness, await method(*args, **kwargs), own)
        except BaseException as error:
            _record_error(witness, error)
            raise

    return run


def _begin(witness: RunRecorder | None, args: tuple[Any, ...], kwargs: dict[str, Any], own: bool) -> None:
    if witness is not None and own:
        witness.entered = True
    elif witness is not None:
        witness.entered, witness.raised, witness.has_returned = False, None, False
        witness.admit(args[0] if args else kwargs.get("tool_input"))


def _end(witness: RunRecorder | None, value: Any, own: bool) -> Any:
    if witness is not None and own:
        witness.returned, witness.has_returned = value, True
    return value


def _record_error(witness: RunRecorder | None, error: BaseException) -> None:
    if witness is not None:
        witness.raised = error
