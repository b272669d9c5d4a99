"""What really happened inside a tool, which the framework's message no longer tells: the exception and the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from langchain_core.tools import BaseTool

T = TypeVar("T", bound=BaseTool)


class ToolExited(Exception):
    """Stands for a SystemExit of a tool: asyncio would hand that to the event loop itself.

    Attributes:
        exit: what the tool raised.
    """

    def __init__(self, exit: SystemExit) -> None:
        super().__init__()
        self.exit = exit


class RunRecorder:
    """Notes of one run.

    Attributes:
        entered: whether the tool's own code began to run.
        raised: what was raised, in the tool or by the framework around it, or None.
        returned: what the tool's own code returned.
        has_returned: whether it returned anything.
    """

    entered = has_returned = False
    raised: BaseException | None = None
    returned: Any = None

    def admit(self, tool_input: Any) -> None:
        """Asked with what reaches the tool in the end, before it runs; may raise.

        Args:
            tool_input: what it is run with.
        """

    @contextmanager
    def noting(self, own: bool, tool_input: Any) -> Iterator[Callable[[Any], Any]]:
        """Keeps what a method raises in here, and returns what it is given, which the method has returned.

        Args:
            own: whether it is the tool's own code, not the framework's around it.
            tool_input: what the framework runs the tool with.

        Raises:
            ToolExited: in place of a SystemExit.
        """
        try:
            if own:
                self.entered = True
            else:
                self.entered, self.raised, self.has_returned = False, None, False
                self.admit(tool_input)
            yield self._end if own else lambda value: value
            return
        except SystemExit as error:
            self.raised = error
        except BaseException as error:
            self.raised = error.exit if isinstance(error, ToolExited) else error
            raise
        raise ToolExited(self.raised)  # outside of `except`, so that it has no context

    def _end(self, value: Any) -> Any:
        self.returned, self.has_returned = value, True
        return value


RUN_RECORDER: ContextVar[RunRecorder | None] = ContextVar("mulligan_langchain_recorder", default=None)


def record_runs(tool: T) -> T:
    """A copy of a tool that tells the recorder of the call what it raises and returns, and else does the same.

    Its methods are replaced on the copy, not in a subclass: the class, and with it every check of a middleware, stays.

    Args:
        tool: any tool.
    """
    copy = tool.model_copy()
    for name in ("run", "_run", "arun", "_arun"):
        vars(copy)[name] = _recording(getattr(copy, name), name)
    return copy


def _recording(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    def noting(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        recorder = RUN_RECORDER.get() or RunRecorder()
        return recorder.noting(name.startswith("_"), args[0] if args else kwargs.get("tool_input"))

    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        with noting(args, kwargs) as end:
            return end(method(*args, **kwargs))

    @wraps(method)
    async def arun(*args: Any, **kwargs: Any) -> Any:
        with noting(args, kwargs) as end:
            return end(await method(*args, **kwargs))

    return arun if "arun" in name else run
