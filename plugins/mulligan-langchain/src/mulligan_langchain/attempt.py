"""One call on its way through the pipeline and the framework's own execution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolOutputMixin
from langchain_core.tools import ToolException
from langgraph.errors import GraphBubbleUp, GraphRecursionError, is_invalid_resume
from langgraph.prebuilt.tool_node import ToolInvocationError
from pydantic_core import PydanticCustomError, ValidationError

from mulligan import ApprovalRequest, Approve, Problem, Reject, Session, Tool, ToolCall, ToolResult
from mulligan.adapters import ArgumentsRefused, Attempt, ControlFlow, OpaqueValue
from mulligan.errors import ToolArgumentError, UsageError
from mulligan.plugin import pointer_of
from mulligan_langchain.approval import Check
from mulligan_langchain.run_recorder import RUN_RECORDER, RunRecorder, ToolExited
from mulligan_langchain.translation import Entry, Toolbox

Start = Callable[[Entry, dict[str, Any]], Any]
Ask = Callable[[ApprovalRequest, Check], Approve | Reject | None]


def is_control_flow(error: BaseException) -> bool:
    """Whether the framework steers with an exception: interrupts, commands to a parent, the host's bound on a graph.

    Args:
        error: what was raised.
    """
    return isinstance(error, (GraphBubbleUp, GraphRecursionError)) or is_invalid_resume(error)


class ToolAttempt(Attempt):
    """A call of a tool.

    Args:
        box: the tools that may be called now.
        start: begins the framework's own execution.
        name: the name that was called.
        awaited: whether that execution is awaited.
        reviewer: asks a person about the call, or None.

    Attributes:
        tool_value: what the tool's own code returned.
        has_tool_value: whether it has.

    Raises:
        UsageError: a tool that can only be awaited is called without `await`.
    """

    tool_value: Any = None
    has_tool_value = False

    def __init__(
        self, box: Toolbox, start: Start, name: str = "", *, awaited: bool, reviewer: Ask | None = None
    ) -> None:
        entry = box.entries.get(name)
        if entry is not None and entry.is_async and not awaited:
            raise UsageError(f"tool {name!r} is async: call the agent with ainvoke or astream, the tool with ainvoke")
        super().__init__(box.view(awaited=awaited), lambda name, arguments: start(box.entries[name], arguments))
        self.blocks = awaited and entry is not None and entry.is_sync
        self._box = box
        self._awaited = awaited
        self._reviewer = reviewer

    async def send(self, call: ToolCall, session: Session | None) -> ToolResult:
        """`call` or `acall`, as the framework's execution is awaited or not.

        Args:
            call: the model's.
            session: where it was made.
        """
        return await self.acall(call, session=session) if self._awaited else self.call(call, session=session)

    def run(self, name: str, arguments: dict[str, Any]) -> Any:
        """As in `Attempt`."""
        with self._recorded(name, arguments):
            return super().run(name, arguments)

    async def arun(self, name: str, arguments: dict[str, Any]) -> Any:
        """As in `Attempt`."""
        with self._recorded(name, arguments):
            return await super().arun(name, arguments)

    @contextmanager
    def _recorded(self, name: str, arguments: dict[str, Any]) -> Iterator[None]:
        token = RUN_RECORDER.set(_Run(self._box.entries[name], self.view.tools[name], arguments))
        try:
            yield
        finally:
            RUN_RECORDER.reset(token)

    def decide(self, request: ApprovalRequest) -> Approve | Reject | None:
        """As in `Attempt`."""
        return None if self._reviewer is None else self._reviewer(request, self.problem)

    def problem(self, name: str, arguments: dict[str, Any]) -> str | None:
        """What is wrong with the arguments of a tool, in one line; None if nothing is.

        Args:
            name: of the tool.
            arguments: JSON values.
        """
        tool: Any = self.view.tools[name]
        fitted = super().fit(tool, arguments)
        if not isinstance(fitted, ToolArgumentError):
            return None
        return "; ".join(f"{one.pointer}: {one.message}" for one in fitted.problems)

    def fit(self, tool: Any, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """As in `Attempt`, for what a person or a plugin judges: any other arguments are left to the framework."""
        is_judged = tool.name in self._box.entries and (tool.approve or self._box.adapter.authorizes)
        return super().fit(tool, arguments) if is_judged else arguments

    def read(self, name: str, arguments: dict[str, Any]) -> Mapping[str, Any] | None:
        """As in `Attempt`."""
        return self._box.entries[name].read(arguments)

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`."""
        run: Any = RUN_RECORDER.get()
        if is_control_flow(error):
            return ControlFlow(error)
        if isinstance(error, ToolExited):
            return error.exit
        error = super().failure(error.source if isinstance(error, ToolInvocationError) else error)
        problems = [] if run.entered else run.entry.problems(error)
        if not problems:
            return error
        fitted = super().fit(run.tool, run.arguments)
        if not isinstance(fitted, ToolArgumentError):  # another middleware has changed them
            told = [Problem(pointer_of(one["loc"]), str(one["msg"])) for one in problems]
            fitted = ToolArgumentError("Invalid arguments; nothing was run.", problems=told, effect="none")
        return ArgumentsRefused(fitted)

    def seen(self, value: Any) -> Any:
        """What the pipeline is to see of a message: a text, or what reports a failure.

        Raises:
            BaseException: the failure behind an answer that the framework worded.
        """
        run: Any = RUN_RECORDER.get()
        if isinstance(value, ToolMessage) and value.status == "error":
            reported = _reported_by_server(run.raised)
            if reported is not None:
                return reported
            original = run.original_failure(value)
            if original is not None:
                raise self.failure(original)
            return ""  # the author's own words
        self.tool_value, self.has_tool_value = returned, _ = run.content, run.has_returned
        may_report = run.tool.detect and not isinstance(returned, (str, ToolOutputMixin, list, type(None)))
        if may_report and self.view.classify(returned, tool=run.tool, arguments=run.arguments) is not None:
            return returned
        text = getattr(value, "content", value)
        return text if isinstance(text, str) and not isinstance(returned, ToolOutputMixin) else _Kept(value)

    def answer(self, result: ToolResult, name: str, call_id: str | None) -> Any:
        """What the framework gave; its text as the pipeline has shortened it or added to it.

        Args:
            result: what came of the call, which was no failure.
            name: the tool's.
            call_id: the model's id of the call.
        """
        if not self.has_value:
            earlier = self.returned(result)
            is_message = isinstance(result.value, _Kept) or call_id is None
            return earlier if is_message else ToolMessage(result.content, name=name, tool_call_id=call_id)
        shown = self.value.content if isinstance(self.value, ToolMessage) else None
        if result.content and isinstance(shown, str) and result.content != shown:
            return self.value.model_copy(update={"content": result.content})
        return self.value


class _Kept(OpaqueValue):
    """A command, or a message of more than text."""

    def model_dump(self, **_: Any) -> str:
        """Nothing: the framework shows it to the model."""
        return ""


class _Run(RunRecorder):
    """The framework's own execution of a call, once."""

    def __init__(self, entry: Entry, tool: Tool, arguments: dict[str, Any]) -> None:
        self.entry = entry
        self.tool = tool
        self.arguments = arguments

    def admit(self, tool_input: Any) -> None:
        """Refuses as the framework does what it does not check: arguments of a plain schema, or that do not exist."""
        if not isinstance(tool_input, dict):
            return
        is_plain = isinstance(self.entry.base.args_schema, Mapping)
        if self.entry.unknown(tool_input) or (
            is_plain and isinstance(Tool.fit(self.tool, tool_input), ToolArgumentError)
        ):
            unfit = PydanticCustomError("unfit", "the arguments do not fit")
            lines: Any = [{"type": unfit, "loc": ("arguments",), "input": None}]
            raise ValidationError.from_exception_data(self.entry.base.name, lines)

    @property
    def content(self) -> Any:
        """What the tool's own code returned, without its artifact."""
        value = self.returned if self.has_returned else None
        paired = self.entry.base.response_format == "content_and_artifact"
        return value[0] if paired and isinstance(value, tuple) and value else value

    def original_failure(self, message: ToolMessage) -> BaseException | None:
        """The failure that the framework put into its own words; None for words that somebody wrote on purpose."""
        base, raised = self.entry.base, self.raised
        if raised is None or not isinstance(message.content, str):
            return None
        flag = base.handle_tool_error if isinstance(raised, ToolException) else base.handle_validation_error
        return raised if flag is True or message.content.startswith(framework_words(base.name)) else None


def framework_words(name: str) -> tuple[str, str]:
    """How the framework's own answers to an exception begin: of a `ToolNode`, and of `ToolRetryMiddleware`.

    Args:
        name: the tool's name.
    """
    return f"Error invoking tool '{name}' with kwargs ", f"Tool '{name}' failed after "


def _reported_by_server(error: BaseException | None) -> Any:
    """What a server of MCP reported as a failure, as far as langchain-mcp-adapters tells it; None with more than text."""
    if not any(one.__module__.startswith("langchain_mcp_adapters") for one in type(error).__mro__):
        return None
    blocks = getattr(error, "tool_content", None)
    if not isinstance(blocks, list) or any(block.get("type") != "text" for block in blocks):
        return None
    return {"isError": True, "content": blocks or [{"type": "text", "text": "The server gave no reason."}]}
