"""One call on its way through mulligan, and what ends a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import attrs
from pydantic import ValidationError
from pydantic_ai import RunContext
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

from mulligan import Pipeline, Tool
from mulligan.errors import ToolError
from mulligan.plugin import DeadlineExceeded, safe_str

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


class RunStopped(AgentRunError):
    """A tool failed in a way that the model cannot mend. Every call of the step was answered before it was raised.

    Args:
        error: what the failure means.
        messages: the conversation, every call in it answered.

    Attributes:
        error: what the failure means; also the `__cause__`.
        messages: the conversation, to go on from once it is mended.
    """

    def __init__(self, error: ToolError, messages: Sequence[ModelMessage]) -> None:
        where = f" in tool {error.tool_name}" if error.tool_name else ""
        super().__init__(f"{type(error).__name__}{where}: {error.message} {error.user_message}".rstrip())
        self.error = error
        self.messages = list(messages)
        self.__cause__ = error


@attrs.define
class Call:
    """One call on its way through mulligan.

    Attributes:
        handler: what Pydantic AI does next with the arguments.
        arguments: what it was given, or would be.
        view: what the call goes through.
        value: what the handler returned.
        refused: why Pydantic AI would not take the arguments, or None.
        deadline: seconds after which Pydantic AI leaves the thread of a sync tool behind, or None.
        raised: what the tool itself raised, or None.
        passing: an exception that ends the run as it is, though its class does not say so, or None.
    """

    handler: Callable[[Any], Awaitable[Any]]
    arguments: Any
    view: Pipeline
    value: Any = None
    refused: ValidationError | None = None
    deadline: float | None = None
    raised: Exception | None = None
    passing: Exception | None = None


current_call: ContextVar[Call] = ContextVar("mulligan_pydantic_ai_call")


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
        call = current_call.get(None)
        deadline = None if call is None else call.deadline
        if deadline is not None:
            tool = replace(tool, tool_def=replace(tool.tool_def, timeout=deadline))
        try:
            return await super().call_tool(name, tool_args, ctx, tool)
        except ModelRetry as retry:
            where = _raising_module(retry)
            if where == FunctionToolset.__module__:
                raise (TimeoutError(retry.message) if deadline is None else DeadlineExceeded(deadline)) from None
            if where == "pydantic_ai.mcp":
                raise ServerError(retry.message) from retry.__cause__
            raise
        except Exception as error:
            if call is not None:
                call.raised = error
            raise


async def validate(**arguments: Any) -> None:
    """The handler for arguments that may have been repaired: has Pydantic AI validate them once more.

    Args:
        arguments: as mulligan read them.

    Raises:
        ValidationError: Pydantic AI does not take them.
    """
    call = current_call.get()
    if call.refused is not None and arguments == call.arguments:
        raise call.refused
    try:
        call.value = await call.handler(arguments)
        call.arguments = arguments
    except (ValidationError, *CONTROL_FLOW):
        raise
    except Exception as error:
        call.passing = error


async def run(**_: Any) -> Any:
    """The handler that has Pydantic AI run the tool with the arguments that it validated.

    Returns:
        What the tool returned, where that reports a failure or is a text; else something that goes unchanged.
    """
    call = current_call.get()
    try:
        call.value = await call.handler(call.arguments)
    except RunStopped as stopped:  # an agent that the tool asked was stopped
        raise stopped.error from stopped
    except ServerError as error:
        return {"isError": True, "content": [{"type": "text", "text": str(error)}]}
    except UnexpectedModelBehavior as error:
        if error is call.raised:
            raise
        call.passing = error  # the author's own words were used up
        return None
    value = call.value.return_value if isinstance(call.value, ToolReturn) else call.value
    return value if isinstance(value, str) or call.view.classify(value) is not None else OpaqueValue(value)


def runs_in_thread(tool: Any) -> bool:
    """Whether a tool is a sync function, which goes on after its deadline.

    Args:
        tool: as a toolset gives it, which may hold another.
    """
    while tool is not None:
        if hasattr(tool, "is_async"):
            return not tool.is_async
        tool = getattr(tool, "source_tool", None)
    return False


def _raising_module(error: BaseException) -> str | None:
    """The module that raised an exception: an author's own words come from elsewhere than those of Pydantic AI."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else trace.tb_frame.f_globals.get("__name__")


def refuse(**_: Any) -> None:
    """The handler of a tool that is only named: it is never run, since only a read_only one is run by a repaired name."""


class OpaqueValue:
    """A value that goes back to Pydantic AI as it is, and not as JSON.

    Args:
        value: what the tool returned.
    """

    def __init__(self, value: Any) -> None:
        self._value = value

    def model_dump(self, **_: Any) -> str:
        """The value for whoever watches mulligan."""
        return safe_str(self._value)


def make_tool(name: str, description: str | None, schema: Any, handler: Callable[..., Any], **options: Any) -> Tool:
    """A tool of Pydantic AI as mulligan sees it; with any arguments allowed where its schema cannot be used.

    Args:
        name: its name.
        description: what it does.
        schema: of its arguments.
        handler: what is run.
        options: of `mulligan.Tool`.

    Raises:
        UsageError: there is no such option, or no such argument as one of them names.
    """
    fits = isinstance(schema, Mapping) and schema.get("type", "object") == "object"
    tool = Tool.from_schema(name, description or "", schema if fits else {"type": "object"}, handler, **options)
    try:
        tool.validator.is_valid({})  # compiles the schema
    except Exception:
        return Tool.from_schema(name, description or "", {"type": "object"}, handler, **options)
    return tool
