"""One call on its way through mulligan, and what ends a run."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from llama_index.core.base.llms.types import TextBlock
from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata, ToolOutput
from workflows.errors import WorkflowRuntimeError
from workflows.runtime.types.results import WaitingForEvent

from mulligan import ApprovalRequest, Approve, Pipeline, Reject, Tool, ToolResult
from mulligan.adapters import OPEN, Adapter, Attempt, ControlFlow, OpaqueValue, Stopped, handler_for
from mulligan.plugin import takes_any

Execute = Callable[[AsyncBaseTool, dict[str, Any]], Awaitable[ToolOutput]]


class RunStopped(Stopped, WorkflowRuntimeError):
    """A tool failed in a way that the model cannot correct. Every call of the message was answered before it was raised.

    Args:
        error: what the failure means; also the `__cause__`.
        messages: the answers to the calls of the model's last message.
    """


class UnknownTool(AsyncBaseTool):
    """Stands for a name that no tool has, so that its call is answered like any other.

    Args:
        name: the name that was called.
    """

    def __init__(self, name: str) -> None:
        self._metadata = ToolMetadata("", name)

    @property
    def metadata(self) -> ToolMetadata:
        """What LlamaIndex reads of it."""
        return self._metadata

    def call(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """Never called."""
        raise NotImplementedError

    async def acall(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """Never called."""
        raise NotImplementedError


class ToolAttempt(Attempt):
    """A call of a tool.

    Args:
        view: the pipeline with the tools that can be called now.
        tools: these tools by name.
        name: the name that was called.
        execute: runs a tool as LlamaIndex does, which returns what it raised.

    Attributes:
        decision: what a person has decided about the call, or None.
    """

    def __init__(self, view: Pipeline, tools: dict[str, AsyncBaseTool], name: str, execute: Execute) -> None:
        async def run(name: str, arguments: dict[str, Any]) -> ToolOutput:
            output = await execute(self._abandonable(tools[name]), arguments)
            if output.is_error and output.exception is not None:
                raise output.exception
            return output

        super().__init__(view, run)
        self.blocks = name in tools and _is_sync(tools[name])
        self.decision: Approve | Reject | None = None

    def _abandonable(self, tool: AsyncBaseTool) -> AsyncBaseTool:
        """A tool that is a sync function, on a thread that neither the event loop waits for nor its other work needs."""
        if not (isinstance(tool, FunctionTool) and _is_sync(tool)):
            return tool

        async def in_thread(*args: Any, **kwargs: Any) -> Any:
            return await self.in_thread(tool.metadata.get_name(), partial(tool.fn, *args, **kwargs))

        twin = copy.copy(tool)
        twin._async_fn = in_thread  # noqa: SLF001 - nothing public sets it; test_llamaindex_canary.py watches it
        return twin

    def decide(self, request: ApprovalRequest) -> Approve | Reject | None:
        """As in `Attempt`: the person was asked before."""
        return self.decision

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`."""
        return ControlFlow(error) if isinstance(error, WaitingForEvent) else super().failure(error)

    def seen(self, value: Any) -> Any:
        """As in `Attempt`: the text that the model reads, unless the tool returned something else."""
        if isinstance(value.raw_output, str) and all(isinstance(block, TextBlock) for block in value.blocks):
            return value.content
        is_authors = value.is_error or isinstance(value.raw_output, ToolOutput)  # in words of their own
        is_failure = not is_authors and self.view.classify(value.raw_output) is not None
        return value.raw_output if is_failure else OpaqueValue(value)

    def answer(self, result: ToolResult, name: str, arguments: dict[str, Any]) -> ToolOutput:
        """What LlamaIndex receives.

        Args:
            result: of the call.
            name: the name that was called.
            arguments: what the model sent.
        """
        value = None if result.is_error else self.returned(result)
        if isinstance(value, ToolOutput) and (not isinstance(result.value, str) or value.content == result.content):
            return value
        return ToolOutput(
            tool_name=name,
            content=result.content,
            raw_input=arguments,
            raw_output=result.content,
            is_error=result.is_error,
            exception=result.error,
        )


def as_tool(tool: AsyncBaseTool, adapter: Adapter) -> Tool:
    """A tool of LlamaIndex as mulligan sees it.

    Args:
        tool: the tool.
        adapter: holds the host's options.
    """
    metadata = tool.metadata
    schema = OPEN if metadata.fn_schema is None else metadata.get_parameters_dict()
    if schema is not OPEN and isinstance(tool, FunctionTool) and not takes_any(tool.real_fn):
        schema = {"additionalProperties": False, **schema}
    return adapter.tool(metadata.get_name(), metadata.description, schema, handler_for(metadata.get_name()))


def _is_sync(tool: AsyncBaseTool) -> bool:
    """Whether a tool is a sync function, which LlamaIndex runs in a thread that continues after a deadline."""
    if isinstance(tool, FunctionTool):
        return tool.async_fn.__module__ == FunctionTool.__module__  # a wrapper around it
    return hasattr(tool, "base_tool")
