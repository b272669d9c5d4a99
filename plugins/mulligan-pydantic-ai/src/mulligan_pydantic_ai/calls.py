"""One call on its way through mulligan, what is remembered of a run, and what ends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.exceptions import (
    AgentRunError,
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    RunCancelled,
    SkipToolExecution,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ToolReturn
from pydantic_ai.toolsets import FunctionToolset, ToolsetTool, WrapperToolset

from mulligan import ApprovalRequest, Approve, Pipeline, Session, ToolCall, ToolResult
from mulligan.adapters import Attempt, ControlFlow, Conversation, Stopped, current_attempt
from mulligan.plugin import DeadlineExceeded

_LATER = 1e9  # seconds
CONTROL_FLOW = (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    RunCancelled,
    SkipToolExecution,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
    UsageLimitExceeded,
    UserError,
)
"""What Pydantic AI steers with, what a tool's author says in words of their own, and the host's own limits and mistakes."""


class RunStopped(Stopped, AgentRunError):
    """A tool failed in a way that the model cannot correct. Every call of the step was answered before it was raised.

    Args:
        error: what the failure means.
        messages: the conversation, every call in it answered.

    Attributes:
        error: what the failure means; also the `__cause__`.
        messages: the conversation, to continue from once the cause is fixed.
    """


class Memory(Conversation):
    """What is remembered of one run.

    Attributes:
        prepared: calls whose arguments were read differently, by id, until they run.
        view: the pipeline with the tools that can be called now; they are only named, never run.
    """

    def __init__(self, session: Session, view: Pipeline) -> None:
        super().__init__(session)
        self.prepared: dict[str, ToolCall] = {}
        self.view = view

    def failed(self, result: ToolResult) -> ToolFailed:
        """What the model reads, as a failed result, which uses up none of the retries of Pydantic AI.

        Args:
            result: of one call.
        """
        return ToolFailed(self.answer(result))

    def raise_if_fatal(self, messages: Sequence[ModelMessage]) -> None:
        """Ends the run where a tool failed for good.

        Args:
            messages: the conversation so far.

        Raises:
            RunStopped: with the reason.
        """
        self.end_step()
        if self.fatal is not None:
            raise RunStopped(self.fatal, messages)


class Execution(Attempt):
    """One call whose tool is run.

    Args:
        view: what it goes through.
        handler: has Pydantic AI run the tool.
        arguments: as Pydantic AI validated them.
        name: the tool's name.
        in_thread: whether the tool is a sync function, which continues after its deadline.
        approved: whether a person has approved the call.

    Attributes:
        deadline: seconds after which Pydantic AI leaves the thread of a sync tool behind, or None.
        limit: the same; for an async tool much later, since mulligan keeps its deadline; None for a tool without one.
        escaped: what the tool itself raised, or None.
    """

    def __init__(
        self,
        view: Pipeline,
        handler: Callable[[Any], Awaitable[Any]],
        arguments: Any,
        name: str,
        *,
        in_thread: bool,
        approved: bool,
    ) -> None:
        super().__init__(view, self._execute)
        self._approved = approved
        self._handler = handler
        self._arguments = arguments
        self.blocks = in_thread
        timeout = view.tools[name].timeout
        self.deadline = timeout if in_thread else None
        self.limit = timeout if in_thread or timeout is None else _LATER
        self.escaped: Exception | None = None

    async def _execute(self, name: str, arguments: Any) -> Any:
        try:
            return await self._handler(self._arguments)
        except ServerError as error:
            return {"isError": True, "content": [{"type": "text", "text": str(error)}]}

    def decide(self, request: ApprovalRequest) -> Approve:
        """As in `Attempt`: the call is deferred, and made again when a person has approved it.

        Raises:
            ControlFlow: no one has approved it yet.
        """
        if self._approved:
            return Approve()
        raise ControlFlow(ApprovalRequired({"reason": request.reason} if request.reason else None))

    def read(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """As in `Attempt`."""
        return self._arguments if isinstance(self._arguments, dict) else None

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`."""
        is_used_up = isinstance(error, UnexpectedModelBehavior) and error is not self.escaped  # the author's own words
        return ControlFlow(error) if is_used_up else super().failure(error)

    def seen(self, value: Any) -> Any:
        """As in `Attempt`."""
        returned = value.return_value if isinstance(value, ToolReturn) else value
        return returned if isinstance(returned, str) else super().seen(returned)


class Validation(Attempt):
    """One call whose arguments Pydantic AI has refused, so that it is explained.

    Args:
        view: what it goes through.
        refused: what Pydantic AI said.
    """

    def __init__(self, view: Pipeline, refused: ValidationError) -> None:
        async def refuse(name: str, arguments: Any) -> Any:
            raise refused

        super().__init__(view, refuse)

    def decide(self, request: ApprovalRequest) -> Approve:
        """As in `Attempt`: nothing will run, so no one is asked."""
        return Approve()


class ServerError(Exception):
    """What a server of the Model Context Protocol reports of a call."""


@dataclass
class ErrorReportingToolset(WrapperToolset[Any]):
    """Lets out what happened, where Pydantic AI would make a request to try again of it: a deadline, a server's error."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Calls the tool.

        Args:
            name: its name.
            tool_args: validated.
            ctx: of the call.
            tool: the tool.
        """
        call = current_attempt()
        deadline = call.deadline if isinstance(call, Execution) else None
        if isinstance(call, Execution) and call.limit is not None:
            tool = replace(tool, tool_def=replace(tool.tool_def, timeout=call.limit))
        try:
            return await super().call_tool(name, tool_args, ctx, tool)
        except ModelRetry as retry:
            where = raising_module(retry)
            if where == FunctionToolset.__module__:
                raise (TimeoutError(retry.message) if deadline is None else DeadlineExceeded(deadline)) from None
            if where == MCP_MODULE:
                raise ServerError(retry.message) from retry.__cause__
            raise
        except Exception as error:
            if isinstance(call, Execution):
                call.escaped = error
            raise


MCP_MODULE = "pydantic_ai.mcp"


def runs_in_thread(tool: Any) -> bool:
    """Whether a tool is a sync function, which continues after its deadline.

    Args:
        tool: as a toolset gives it, which may hold another.
    """
    while tool is not None:
        if hasattr(tool, "is_async"):
            return not tool.is_async
        tool = getattr(tool, "source_tool", None)
    return False


def raising_module(error: BaseException) -> str | None:
    """The module that raised an exception: an author's own words come from elsewhere than those of Pydantic AI.

    Args:
        error: what was raised.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else trace.tb_frame.f_globals.get("__name__")


def annotations_of(definition: ToolDefinition) -> Any:
    """What a server of the Model Context Protocol says of a tool.

    Args:
        definition: the tool's.
    """
    said = (definition.metadata or {}).get("annotations")
    return said if isinstance(said, Mapping) else None
