"""One call on its way through mulligan, and what ends a run."""

from __future__ import annotations

import ast
import copy
import json
import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import attrs
import json5
from crewai.agents.constants import ACTION_INPUT_REGEX
from crewai.agents.parser import AgentAction
from crewai.hooks.dispatch import HookAborted
from crewai.hooks.tool_hooks import ToolCallHookContext, run_before_tool_call_hooks
from crewai.tools import BaseTool
from crewai.tools.agent_tools.base_agent_tools import BaseAgentTool
from crewai.tools.mcp_native_tool import MCPNativeTool
from crewai.tools.mcp_tool_wrapper import MCPToolWrapper
from crewai.tools.tool_failure import ToolFailure, ToolFailureReason
from crewai.utilities.agent_utils import extract_tool_call_info
from crewai.utilities.string_utils import sanitize_tool_name

from mulligan import Pipeline, ToolResult
from mulligan.adapters import Adapter, Attempt, Conversation, OpaqueValue, Stopped
from mulligan.errors import RepeatedCallError, ToolArgumentError, ToolError, ToolNotFoundError
from mulligan.plugin import AuthorMessage, values_by_name
from mulligan_crewai.tools import as_tool

Execute = Callable[[str, dict[str, Any]], Any]
_WORDED = (BaseAgentTool, MCPToolWrapper)  # make a text of whatever is raised
_OBSERVATION = "\nObservation:"
_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)


class RunStopped(Stopped, HookAborted):
    """A tool failed in a way that the model cannot correct. Every call of the message was answered before it was raised.

    Args:
        error: what the failure means; also the `__cause__`.
        messages: the conversation, every call in it answered.
    """


class Answer(ToolFailure):
    """The answer to a call that failed, as the model reads it."""

    def as_agent_message(self) -> str:
        """The text, without the code."""
        return self.message


@attrs.define(eq=False)
class Message:
    """One message of the model.

    Attributes:
        adapter: holds the host's options.
        conversation: the conversation that it belongs to.
        tools: what the model may call, by name.
        owner: the executor of CrewAI that makes the calls.
    """

    adapter: Adapter
    conversation: Conversation
    tools: Mapping[str, BaseTool]
    owner: Any

    @property
    def view(self) -> Pipeline:
        """The pipeline with the tools of the moment."""
        return self.adapter.view(as_tool(name, tool, self.adapter) for name, tool in self.tools.items())

    def native_call(self, sent: Any) -> Call | None:
        """A call that a provider has sent; None if CrewAI cannot read it.

        Args:
            sent: the provider's object.
        """
        info = extract_tool_call_info(sent)
        if info is None:
            return None
        shown_id, name = info[:2]
        arguments: Any = {} if info[2] is None else info[2]  # type: ignore[redundant-expr]
        read = _read_json(arguments) if isinstance(arguments, str) else arguments
        read = read if isinstance(read, Mapping) else None
        is_made = shown_id == f"call_{id(sent)}"  # of the address of an object, which another one may have later
        own_id, tools = uuid.uuid4().hex if is_made else shown_id, self.tools
        return Call(self, own_id, name, arguments, read, lambda name, sent: tools[name].run(**sent), shown_id)

    def text_call(self, action: AgentAction, execute: Execute) -> Call:
        """A call that a model has written as text.

        Args:
            action: as CrewAI has read it; its repaired arguments are not used.
            execute: runs a tool.
        """
        found = ACTION_INPUT_REGEX.search(action.text)
        text = found.group(2) if found else str(action.tool_input)
        text = text.partition(_OBSERVATION)[0].strip().strip('"')
        fenced = _FENCE.fullmatch(text)
        text = fenced.group(1) if fenced else text
        name = sanitize_tool_name(action.tool)
        read = _read_text(text)
        sent = text if _read_json(text) is not None or read is None else read
        return Call(self, uuid.uuid4().hex, name if name in self.tools else action.tool, sent, read, execute)


class Call:
    """One call: from the model's text to what CrewAI receives.

    Args:
        message: the message that it belongs to.
        id: the model's, or one of its own.
        name: the name that was called.
        sent: the arguments as the model sent them.
        read: the same as a mapping, or None if they are none.
        execute: runs a tool as CrewAI does.
        shown_id: the id by which CrewAI answers it.

    Attributes:
        message: the message that it belongs to.
        name: the name that was called.
        shown: the arguments that CrewAI's hooks, events and cache see.
        answer: the answer, if the call failed.
    """

    def __init__(
        self, message: Message, id: str, name: str, sent: Any, read: Any, execute: Execute, shown_id: str = ""
    ) -> None:
        self.message, self.name = message, name
        self.shown: dict[str, Any] = {"input": sent} if read is None else dict(read)
        self.answer: Answer | None = None
        self._id, self._sent, self._execute, self._shown_id = id, sent, execute, shown_id
        self._result: list[Any] = []

    @property
    def is_unknown(self) -> bool:
        """Whether no tool has its name."""
        return self.name not in self.message.tools

    def as_native(self) -> dict[str, Any]:
        """The call in a form that CrewAI always reads."""
        return {"id": self._shown_id, "function": {"name": self.name, "arguments": copy.deepcopy(self.shown)}}

    def run(self, arguments: dict[str, Any]) -> Any:
        """Takes the call through the pipeline, once; returns what CrewAI receives.

        Args:
            arguments: as CrewAI hands them on, which hooks of the host may have changed.
        """
        if not self._result:
            self._result.append(self._run(arguments))
        return self._result[0]

    def _run(self, arguments: dict[str, Any]) -> Any:
        attempt = ToolAttempt(self, arguments, self._execute)
        sent = self._sent if arguments == self.shown else arguments
        session = self.message.conversation.session
        result = attempt.call(self.name, sent, call_id=self._id, session=session)
        if result.is_error:
            return self._failed(result, attempt.reported)
        value = attempt.returned(result)
        if isinstance(value, _Blocked):
            return str(value)
        if isinstance(value, str):
            return result.content
        is_shaped = getattr(self.message.tools.get(self.name), "result_schema", None) is not None
        return result.content if result.repairs and not is_shaped else value

    def _failed(self, result: ToolResult, reported: ToolFailure | None) -> Answer:
        if self.message.owner.task is not None:
            self.message.owner.task.increment_tools_errors()
        self.answer = Answer(
            message=self.message.conversation.answer(result),
            reason=_reason(result.error) if reported is None else reported.reason,
            code=type(result.error).__name__ if reported is None else reported.code,
            details={} if reported is None else reported.details,
        )
        return self.answer


class _Blocked(str):
    """What CrewAI answers if a hook of the host blocks a call, which is no failure of the tool."""

    __slots__ = ()


class ToolAttempt(Attempt):
    """A call on its way through the pipeline.

    Args:
        call: the call.
        seen: the arguments that hooks of the host have seen.
        execute: runs a tool as CrewAI does.

    Attributes:
        reported: the failure that the tool itself has reported, or None.
        escaped: a failure of which CrewAI has made a text: a fatal one of the agent to whom the call delegates, or of a
            client of MCP.
    """

    reported: ToolFailure | None
    escaped: BaseException | None
    _tool: BaseTool | None

    def __init__(self, call: Call, seen: dict[str, Any], execute: Execute) -> None:
        def run(name: str, arguments: dict[str, Any]) -> Any:
            if (name, arguments) != (call.name, seen) and self._is_blocked(name, arguments):
                return _Blocked(f"Tool execution blocked by hook. Tool: {name}")
            self._tool = call.message.tools[name]
            self.reported = self.escaped = None
            value = execute(name, arguments)
            if self.escaped is not None and isinstance(self._tool, _WORDED):
                raise self.escaped
            return value

        super().__init__(call.message.view, run)
        self.message = call.message
        self._tool, self.reported, self.escaped = None, None, None

    def _is_blocked(self, name: str, arguments: dict[str, Any]) -> bool:
        """Whether a hook of the host blocks what it has not seen yet: another name or other arguments than were called."""
        owner, tool = self.message.owner, self.message.tools[name]
        structured: Any = next((one for one in owner.tools if getattr(one, "_original_tool", None) is tool), None)
        context = ToolCallHookContext(name, arguments, structured, owner.agent, owner.task, owner.crew)
        return run_before_tool_call_hooks(context)

    def read(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """As in `Attempt`."""
        tool = self.message.tools.get(name)
        model = None if tool is None else tool.args_schema
        return None if model is None or not model.model_fields else values_by_name(model, arguments)

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`; what a client of MCP raised, of which CrewAI has made a text."""
        is_told = isinstance(self._tool, MCPNativeTool) and error.__cause__ is not None
        return super().failure(error.__cause__ or error if is_told else error)

    def seen(self, value: Any) -> Any:
        """As in `Attempt`.

        Raises:
            AuthorMessage: the tool has reported a failure in its author's words.
        """
        if isinstance(value, _Blocked):
            return OpaqueValue(value)
        if not isinstance(value, ToolFailure):
            return super().seen(value)
        self.reported = value
        if value.reason is ToolFailureReason.MCP_ERROR:
            return {"isError": True, "content": [{"type": "text", "text": value.message}]}
        raise AuthorMessage(value.as_agent_message())


def _reason(error: ToolError | None) -> ToolFailureReason:
    for kind, reason in (
        (ToolNotFoundError, ToolFailureReason.UNKNOWN_TOOL),
        (ToolArgumentError, ToolFailureReason.INVALID_INPUT),
        (RepeatedCallError, ToolFailureReason.REPEATED_CALL),
    ):
        if isinstance(error, kind):
            return reason
    return ToolFailureReason.EXCEPTION


def _read_json(text: str) -> dict[str, Any] | None:
    """The arguments, if they are JSON."""
    if not text.strip():
        return {}
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _read_text(text: str) -> dict[str, Any] | None:
    """The arguments that a model has written as JSON, Python or JSON5, all of which CrewAI asks for; nothing is guessed."""
    for read in (json.loads, ast.literal_eval, json5.loads):
        with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            value = json.loads(json.dumps(read(text)))
            if isinstance(value, dict):
                return value
    return None if text.strip() else {}
