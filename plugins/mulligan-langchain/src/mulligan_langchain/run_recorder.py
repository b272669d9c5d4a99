"""What really happened inside a tool, which the framework's message no longer tells: the exception and the value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from langchain_core.tools import BaseTool

T = TypeVar("T", bound=BaseTool)


class ToolExited(Exception):
    """Stands for a SystemExit of a tool: asyncio would hand that to the event loop itself."""


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

    def begin(self, args: tuple[Any, ...], kwargs: dict[str, Any], own: bool) -> None:
        """A method is called.

        Args:
            args: with these.
            kwargs: and these.
            own: whether it is the tool's own code, not the framework's around it.
        """
        if own:
            self.entered = True
        else:
            self.entered, self.raised, self.has_returned = False, None, False
            self.admit(args[0] if args else kwargs.get("tool_input"))

    def end(self, value: Any, own: bool) -> Any:
        """A method has returned.

        Args:
            value: what it returned.
            own: whether it is the tool's own code.
        """
        if own:
            self.returned, self.has_returned = value, True
        return value

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Keeps what a method raises in here.

        Raises:
            ToolExited: it was a SystemExit.
        """
        try:
            yield
            return
        except BaseException as error:
            if not isinstance(error, ToolExited):
                self.raised = error
            if not isinstance(error, SystemExit):
                raise
        raise ToolExited  # outside of `except`, so that it has no context


RUN_RECORDER: ContextVar[RunRecorder | None] = ContextVar("mulligan_langchain_recorder", default=None)


def record_runs(tool: T) -> T:
    """A copy of a tool that tells the recorder of the call what it raises and returns, and else does the same.

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
        recorder = RUN_RECORDER.get()
        if recorder is None:
            return method(*args, **kwargs)
        with recorder.noting():
            recorder.begin(args, kwargs, own)
            return recorder.end(method(*args, **kwargs), own)

    return run


def _recording_async(method: Callable[..., Awaitable[Any]], *, own: bool) -> Callable[..., Awaitable[Any]]:
    @wraps(method)
    async def run(*args: Any, **kwargs: Any) -> Any:
        recorder = RUN_RECORDER.get()
        if recorder is None:
            return await method(*args, **kwargs)
        with recorder.noting():
            recorder.begin(args, kwargs, own)
            return recorder.end(await method(*args, **kwargs), own)

    return run
