"""One call on its way through a pipeline, whose handler is the framework's own execution."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from mulligan.adapters.conversations import Stopped
from mulligan.calls import ToolCall
from mulligan.errors import ToolArgumentError
from mulligan.execute.approval import ApprovalRequest, Decision
from mulligan.execute.blocking import run_blocking
from mulligan.execute.steps import DeadlineExceeded, Outcome
from mulligan.pipeline import Pipeline
from mulligan.results import ToolResult
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_str
from mulligan.validate.tool_checks import invalid_arguments, problems_of

_NUMBERS = (int, float, bool)
_PLAIN = (str, *_NUMBERS, type(None))


class ControlFlow(Exception):
    """Carries an exception that a framework steers with through a pipeline: its class does not always say that it does."""

    def __init__(self, carried: BaseException) -> None:
        self.carried = carried


class OpaqueValue:
    """A value that goes back to the framework as it is, and not as JSON; no failure is looked for in it.

    Args:
        value: the framework's.
    """

    def __init__(self, value: Any) -> None:
        self._opaque = value  # detection reads what an object stores under the names of a report, such as `value`

    @property
    def value(self) -> Any:
        """The framework's value."""
        return self._opaque

    def model_dump(self, **_: Any) -> str:
        """The value for the observers of the pipeline."""
        return safe_str(self.value)


class FrameworkTool(Tool):
    """A tool of a framework: the attempt of the moment says which arguments fit."""

    def fit(self, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """As in `Tool`."""
        attempt = _current.get(None)
        return super().fit(arguments) if attempt is None else attempt.fit(self, arguments)


class Attempt:
    """One call on its way through a pipeline.

    Override `failure`, `seen`, `read` and `decide` for what a framework does differently.

    Args:
        view: the pipeline with the tools that may be called now.
        execute: the framework's own execution, a function of the tool's name and the validated arguments; awaited by
            `acall`. The name is another one than was called if the pipeline repaired it.

    Attributes:
        view: the pipeline.
        value: what the framework returned in the run that counts: one that was abandoned may still end.
        has_value: whether it has returned anything: not if the answer is that of an earlier call with the same id.
        raised: what it raised, or None.
        blocks: whether the tool blocks a thread although its execution is awaited, so that no cancellation stops it.
    """

    blocks = has_value = False
    value: Any = None
    raised: BaseException | None = None
    _latest: object = None

    def __init__(self, view: Pipeline, execute: Callable[[str, dict[str, Any]], Any]) -> None:
        self.view = view
        self.execute = execute

    def call(self, name: str | ToolCall, arguments: Any = None, **options: Any) -> ToolResult:
        """`Pipeline.call`; what the framework steers with is raised as it was."""
        with self.entered():
            return self.view.call(name, arguments, **options)

    async def acall(self, name: str | ToolCall, arguments: Any = None, **options: Any) -> ToolResult:
        """`call`, awaited."""
        with self.entered():
            return await self.view.acall(name, arguments, **options)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Makes this the attempt of the moment, as `call` does: for what else `view` is asked, such as `Pipeline.approval`.

        What the framework steers with is raised as it was.
        """
        token, carried = _current.set(self), None
        try:
            yield
        except ControlFlow as passing:
            carried = passing.carried
        finally:
            _current.reset(token)
        if carried is not None:
            raise carried

    def failure(self, error: BaseException) -> BaseException:
        """The failure behind what the framework raised; `ControlFlow(error)` for what it steers with.

        A fatal failure of an agent that is a tool of this one stops this one too.
        """
        return error.error if isinstance(error, Stopped) else error

    def seen(self, value: Any) -> Any:
        """What the pipeline reads of the framework's value: a plain value, or what reports a failure."""
        return value if isinstance(value, _PLAIN) or self.view.classify(value) is not None else OpaqueValue(value)

    def read(self, name: str, arguments: dict[str, Any]) -> Mapping[str, Any] | None:
        """What the framework itself reads as the arguments; many take `"5"` for 5.

        Args:
            name: the tool's name.
            arguments: JSON values.

        Returns:
            The values by name; None if the schema alone decides.

        Raises:
            Exception: the framework does not take them. The problems are those that pydantic lists, or the text alone.
        """

    def fit(self, tool: FrameworkTool, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """Whether arguments fit: if the framework reads all of them; or by the schema, if it leaves one out.

        Args:
            tool: the tool that is called.
            arguments: JSON values.

        Returns:
            The arguments, with numbers and truth values as the framework reads them; or an error that names every problem.
        """
        fitted = Tool.fit(tool, arguments)
        try:
            read = self.read(tool.name, arguments)
        except Exception as error:
            return fitted if isinstance(fitted, ToolArgumentError) else invalid_arguments(problems_of(error))
        if read is None or not arguments.keys() <= read.keys():
            return fitted
        plain = {name: one for name, one in read.items() if type(one) in _NUMBERS and one != arguments.get(name)}
        return {name: plain.get(name, value) for name, value in arguments.items()}

    def decide(self, request: ApprovalRequest) -> Decision | None:
        """What a person decides about the call, asked in the framework's own way.

        It is called unless the host's pipeline has an approver, and with `acall` in a thread.

        Args:
            request: the call, its arguments validated.

        Returns:
            The decision; None if no one decides now: then the call waits, and `session.pending` lists it.

        Raises:
            ControlFlow: the framework asks the person, and makes the call again later.
        """

    async def in_thread(self, name: str, function: Callable[[], Any]) -> Any:
        """Runs the function of a tool that blocks; those that are left behind at a deadline are counted and bounded.

        Args:
            name: the tool's name.
            function: one that blocks; or a coroutine function that does, in its own thread or in one that it hands work to.
        """

        def start() -> Any:
            self.blocks = True
            return function()

        self.blocks = False
        return await run_blocking(start, name, self.view._workers)  # noqa: SLF001 - the kit belongs to the house

    def returned(self, result: ToolResult) -> Any:
        """What the framework returned; or then, if the tool does not run a second time for the same id.

        Args:
            result: of this call, which succeeded.
        """
        if self.has_value:
            return self.value
        return result.value.value if isinstance(result.value, OpaqueValue) else result.value

    def run(self, name: str, arguments: dict[str, Any]) -> Any:
        """What a handler does: the framework's own execution."""
        with self._noted() as run:
            run.value = self.execute(name, arguments)
        return self._end(run)

    async def arun(self, name: str, arguments: dict[str, Any]) -> Any:
        """`run`, awaited."""
        with self._noted() as run:
            run.value = await self.execute(name, arguments)
        return self._end(run)

    @contextmanager
    def _noted(self) -> Iterator[Outcome]:
        self._latest = run = Outcome()
        try:
            yield run
        except BaseException as error:
            run.exception = error

    def _end(self, run: Outcome) -> Any:
        if isinstance(run.exception, CancelledError):
            raise DeadlineExceeded(0.0) if self.blocks else run.exception
        if self._latest is run:
            self.value, self.has_value, self.raised = run.value, run.exception is None, run.exception
        if run.exception is not None:
            raise self.failure(run.exception)
        return self.seen(run.value)


_current: ContextVar[Attempt] = ContextVar("mulligan_attempt")


def current_attempt() -> Any:
    """The attempt whose handler runs, for what the framework calls inside it; None outside of any."""
    return _current.get(None)


def decide(request: ApprovalRequest) -> Decision | None:
    """The approver of a pipeline without one: asks the attempt of the moment."""
    attempt = _current.get(None)
    return None if attempt is None else attempt.decide(request)


@cache
def handler_for(name: str, *, awaited: bool = True) -> Callable[..., Any]:
    """The handler of the tool of this name, which runs the attempt of the moment; `awaited` if the framework's execution is."""

    async def handle_awaited(**arguments: Any) -> Any:
        return await _current.get().arun(name, arguments)

    def handle(**arguments: Any) -> Any:
        return _current.get().run(name, arguments)

    return handle_awaited if awaited else handle
