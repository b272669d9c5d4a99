"""What both kinds of server middleware share: they let the server handle a call, and explain its failure."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from mulligan import Pipeline, Policy, Tool, ToolResult
from mulligan.errors import ToolArgumentError, UsageError
from mulligan.plugin import AuthorMessage, DeadlineExceeded
from mulligan_mcp.definitions import UnusableToolError, tool_of

_CONTROL_FLOW = ("mcp.shared.exceptions.MCPError",)
_CURRENT_CALL: ContextVar[ServerCall] = ContextVar("mulligan_mcp_served")


class ServerCall(ABC):
    """One call to a server.

    Attributes:
        name: the tool's name.
        arguments: its arguments, as the client sent them.
        answer: the server's result, once available.
        failure: the exception raised instead of a result, or None.
        wrapper: the exception in which the server wrapped it.
    """

    def __init__(self, name: str, arguments: Any) -> None:
        self.name = name
        self.arguments = {} if arguments is None else arguments
        self.answer: Any = None
        self.failure: Exception | None = None
        self.wrapper: Exception | None = None

    @abstractmethod
    async def find(self) -> Mapping[str, Any] | None:
        """The tool's entry of `tools/list`, or None if this caller has no such tool; tools may differ by caller."""

    @abstractmethod
    async def listing(self) -> list[Mapping[str, Any]]:
        """Every entry that the caller may see."""

    @abstractmethod
    async def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Lets the server handle the call."""

    @abstractmethod
    def is_refusal(self) -> bool:
        """Whether the server did not run the tool because the arguments are invalid."""

    @abstractmethod
    def is_wrapped(self) -> bool:
        """Whether the exception is only the server's own wrapper."""

    def may_run_on(self) -> bool:
        """Whether the tool may keep running after a timeout, as a thread does."""
        return True

    def is_local(self) -> bool:
        """Whether the text of a failed result was written by the tool's author, not by another server."""
        return False

    @abstractmethod
    def is_masked(self) -> bool:
        """Whether the server hides the tool's exceptions from clients."""

    async def tried(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Lets the server handle the call, and records its result or exception.

        Args:
            name: the tool's name.
            arguments: its arguments.
        """
        self.answer = self.failure = self.wrapper = None
        try:
            self.answer = await self.run(name, arguments)
        except Exception as error:
            self.wrapper = error
            self.failure = _unwrapped(error) if self.is_wrapped() else error
        return self.value()

    def value(self) -> Any:
        """What the pipeline receives: a result that reports a failure, or nothing, as other results are for the client only."""
        if self.failure is not None:
            raise self.failure
        failed = getattr(self.answer, "is_error", False) is True
        if isinstance(self.answer, Mapping):
            failed = self.answer.get("isError") is True
        if failed and self.is_local() and (said := _text(self.answer)):
            raise AuthorMessage(said)
        return self.answer if failed else ""


class Protection:
    """Handles calls to a server.

    Args:
        pipeline: the pipeline for calls; by default a new one.
        timeout: seconds until a call times out, or None.

    Raises:
        UsageError: it is not a pipeline.
    """

    def __init__(self, pipeline: Pipeline | None = None, timeout: float | None = None) -> None:
        if not isinstance(pipeline, (Pipeline, type(None))):
            raise UsageError(f"pipeline must be a Pipeline, not {pipeline!r:.80}")
        self._own = pipeline is None
        self._pipeline = pipeline or Pipeline(policy=Policy(control_flow=_CONTROL_FLOW))
        self._quiet: Pipeline | None = None
        self._timeout = timeout
        self._tools: dict[str, tuple[Mapping[str, Any], Tool | None]] = {}

    async def call(self, served: ServerCall) -> ToolResult | None:
        """Handles a call.

        Args:
            served: the call.

        Returns:
            The replacement for the server's result; None if that is a success.

        Raises:
            MCPError: an error that the server intends for the client.
        """
        result = await self._result(served)
        return result if result.is_error else None

    async def _result(self, served: ServerCall) -> ToolResult:
        definition = await served.find()
        if definition is None:
            return await self._unknown(served)
        tool = self._tool(definition)
        if tool is None or self._has_invalid_arguments(tool, served.arguments):
            tool = await self._lenient_tool(served)
        result = await self._run_pipeline(self._pipeline, [tool], served)
        if served.failure is None:
            return result
        if await served.find() is None:
            return await self._unknown(served)
        if self._own and served.is_masked():
            return await self._run_pipeline(self._pipeline_without_details(), [_any_arguments(served)], served)
        return result

    async def _unknown(self, served: ServerCall) -> ToolResult:
        listed = [self._tool(one) for one in await served.listing()]
        return await self._run_pipeline(self._pipeline, [one for one in listed if one is not None], served)

    async def _lenient_tool(self, served: ServerCall) -> Tool:
        """A tool that reports the outcome of a call whose arguments the server may accept anyway, as many do with `"3"`."""
        try:
            await served.tried(served.name, served.arguments)
        except Exception as error:
            if _is_control_flow(error):
                raise
        refused = served.failure is not None and served.is_refusal()
        definition = await served.find() if refused else None
        tool = None if definition is None else self._tool(definition)
        return (
            tool if tool is not None and self._has_invalid_arguments(tool, served.arguments) else _any_arguments(served)
        )

    def _tool(self, definition: Mapping[str, Any]) -> Tool | None:
        """The tool for a definition, compiled once; None if its schema is unusable."""
        name = str(definition.get("name"))
        known = self._tools.get(name)
        if known is None or known[0] != definition:
            known = self._tools[name] = (definition, self._make_tool(name, definition))
        return known[1]

    def _make_tool(self, name: str, definition: Mapping[str, Any]) -> Tool | None:
        async def run(**arguments: Any) -> Any:
            served = _CURRENT_CALL.get()
            try:
                return await served.tried(name, arguments)
            except asyncio.CancelledError:
                if self._timeout is not None and served.may_run_on():
                    raise DeadlineExceeded(self._timeout) from None  # reports that part of it is still running
                raise

        try:
            return tool_of(definition, run, trusted=True, timeout=self._timeout)
        except UnusableToolError:
            return None

    @staticmethod
    def _has_invalid_arguments(tool: Tool, arguments: Any) -> bool:
        return isinstance(arguments, dict) and isinstance(tool.fit(arguments), ToolArgumentError)

    @staticmethod
    async def _run_pipeline(pipeline: Pipeline, tools: list[Tool], served: ServerCall) -> ToolResult:
        token = _CURRENT_CALL.set(served)
        try:
            return await pipeline.with_tools(tools).acall(served.name, served.arguments)
        finally:
            _CURRENT_CALL.reset(token)

    def _pipeline_without_details(self) -> Pipeline:
        """The pipeline for failures that a server hides: it reports the kind of failure, but none of its text."""
        if self._quiet is None:
            self._quiet = Pipeline(policy=Policy(control_flow=_CONTROL_FLOW, detail="type"))
        return self._quiet


def _any_arguments(served: ServerCall) -> Tool:
    """A tool that accepts any arguments and reports the outcome of the call."""

    async def answered(**_: Any) -> Any:
        return served.value()

    return Tool.from_schema(served.name, "", {"type": "object"}, answered)


def _text(answer: Any) -> str:
    blocks = getattr(answer, "content", None) or ()
    return "\n".join(text for block in blocks if isinstance(text := getattr(block, "text", None), str))


def _unwrapped(error: Exception) -> Exception:
    cause = error.__cause__
    return cause if isinstance(cause, Exception) and not _is_control_flow(cause) else error


def _is_control_flow(error: Exception) -> bool:
    return any(cls.__name__ == "MCPError" and cls.__module__.startswith("mcp.") for cls in type(error).__mro__)
