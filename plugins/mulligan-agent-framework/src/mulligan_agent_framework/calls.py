"""One call on its way through mulligan, and what ends a run."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from agent_framework import Content, FunctionInvocationContext, FunctionTool, MiddlewareFailure, MiddlewareTermination
from agent_framework.exceptions import AgentException, UserInputRequiredException
from pydantic import ValidationError

from mulligan import ApprovalRequest, Approve, Pipeline, Tool, ToolResult
from mulligan.adapters import Adapter, Attempt, ControlFlow, Stopped, current_attempt, handler_for
from mulligan.errors import ToolArgumentError
from mulligan.plugin import values_by_name

_NEVER_SENT = {"type": "object", "properties": {}, "required": ["\0"]}

CONTROL_FLOW = (
    MiddlewareFailure,
    MiddlewareTermination,
    UserInputRequiredException,
    "agent_framework._tools._FunctionArgumentsChangedAfterApproval",
)
"""What Agent Framework steers with."""


class RunStopped(Stopped, AgentException):
    """A tool failed in a way that the model cannot correct. Every call of the message was answered before it was raised.

    Args:
        error: what the failure means; also the `__cause__`.
        messages: the conversation, every call in it answered.
    """


class NeedsPerson(Exception):
    """A person has to decide about a call.

    Attributes:
        request: the call, its arguments validated.
    """

    def __init__(self, request: ApprovalRequest) -> None:
        super().__init__(request.reason)
        self.request = request


class ToolAttempt(Attempt):
    """A call of a tool.

    Args:
        view: the pipeline with the tools that can be called now.
        tools: these tools by name.
        context: of the call; as Agent Framework has read its arguments.
        call_next: runs the tool, and the middleware around it.
        sent: the arguments as the model sent them.
        approved: whether a person has approved the call.

    Attributes:
        tools: the tools that can be called now, by name.
    """

    def __init__(
        self,
        view: Pipeline,
        tools: Mapping[str, FunctionTool],
        context: FunctionInvocationContext,
        call_next: Callable[[], Awaitable[None]],
        *,
        sent: Any,
        approved: bool,
    ) -> None:
        is_stand_in = isinstance(context.function, StandIn)

        async def run(name: str, arguments: dict[str, Any]) -> Any:
            self.blocks = is_sync(tools[name]) and not is_stand_in
            # Otherwise Agent Framework has read them, or a person has approved them.
            if is_stand_in or arguments not in (sent, self._fitted):
                context.function, context.arguments = tools[name], arguments
            context.result = None
            await call_next()
            return context.result

        super().__init__(view, run)
        self.tools = tools
        self._fitted: Any = None
        self._approved = approved

    def decide(self, request: ApprovalRequest) -> Approve:
        """As in `Attempt`: the run ends with a request to a person, whose answer begins another.

        Raises:
            ControlFlow: no one has approved the call yet.
        """
        if self._approved:
            return Approve()
        raise ControlFlow(NeedsPerson(request))

    def read(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """As in `Attempt`."""
        model = self.tools[name].input_model if name in self.tools else None
        if model is None:
            return None
        try:
            return values_by_name(model, arguments)
        except ValidationError as error:
            raise _Refused(error) from None

    def fit(self, tool: Any, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """As in `Attempt`."""
        self._fitted = super().fit(tool, arguments)
        return self._fitted  # type: ignore[no-any-return]

    def failure(self, error: BaseException) -> BaseException:
        """As in `Attempt`: what a model of pydantic says of the arguments, of which Agent Framework has made a text."""
        is_refusal = type(error).__name__ == "_FunctionArgumentValidationError"
        return error.__cause__ if is_refusal and error.__cause__ is not None else super().failure(error)

    def seen(self, value: Any) -> Any:
        """As in `Attempt`: the text that the model reads, and what it says if it is JSON."""
        text = _text_of(value)
        if text is None:
            return super().seen(value)
        try:
            read = json.loads(text) if text.startswith(("{", "[")) else text
        except ValueError:
            read = text
        return read if read is not text and self.view.classify(read) is not None else text

    def answer(self, result: ToolResult) -> Any:
        """What Agent Framework receives.

        Args:
            result: of the call, which succeeded.
        """
        value = self.returned(result)
        text = _text_of(value)
        return value if text is None or text == result.content else result.content


class _Refused(Exception):
    """What a tool's own model says of arguments, in the words of its author."""

    def __init__(self, error: ValidationError) -> None:
        self._error = error

    def errors(self) -> list[dict[str, Any]]:
        """As of a `ValidationError`."""
        return [{"loc": said["loc"], "msg": self._words(said["msg"])} for said in self._error.errors()]

    def _words(self, text: str) -> str:
        words = text.removeprefix("Value error, ").removeprefix("Assertion failed, ")
        return f"rejected by {self._error.title}: {words}"


class StandIn(FunctionTool):
    """Stands for a tool, or for a name that no tool has, between a message of the model and the answers to its calls.

    Agent Framework then brings each call to the middleware, and neither answers it nor asks a person before.

    Args:
        name: the name that was called.
        real: the tool of this name, or None.
    """

    def __init__(self, name: str, real: FunctionTool | None) -> None:
        description = "" if real is None else real.description
        super().__init__(name=name, description=description, func=_never_run, input_model=_NEVER_SENT)
        self.real = real

    async def invoke(self, *, context: Any = None, **options: Any) -> Any:
        """Runs the tool that the middleware has chosen.

        Args:
            context: names the tool.
            options: as for any tool.
        """
        tool: FunctionTool = context.function
        return await _abandonable(tool).invoke(context=context, **options)


def _never_run(**_: Any) -> None:
    """What a stand-in has for a function."""


def _abandonable(tool: FunctionTool) -> FunctionTool:
    """A tool that is a sync function, on a thread that neither the event loop waits for nor its other work needs."""
    attempt = current_attempt()
    if not (isinstance(attempt, ToolAttempt) and is_sync(tool)):
        return tool

    async def run(call_kwargs: Mapping[str, Any]) -> Any:
        value = await attempt.in_thread(tool.name, partial(tool, **call_kwargs))
        return await value if inspect.isawaitable(value) else value

    twin = copy.copy(tool)
    vars(twin)["_invoke_function"] = run  # nothing public does it; test_agent_framework_canary.py watches it
    return twin


def is_sync(tool: FunctionTool) -> bool:
    """Whether a tool is a sync function, which Agent Framework runs in a thread that continues after a deadline.

    Args:
        tool: the tool.
    """
    function = tool.func.func if isinstance(tool.func, FunctionTool) else tool.func
    on_loop = getattr(tool, "_invoke_sync_on_event_loop", False)
    return not (function is None or inspect.iscoroutinefunction(function) or on_loop)


def as_tool(tool: FunctionTool, adapter: Adapter) -> Tool:
    """A tool of Agent Framework as mulligan sees it.

    Args:
        tool: the tool.
        adapter: holds the host's options.
    """
    schema = tool.parameters()
    if tool.input_model is not None and not tool.input_model.model_config.get("extra"):
        schema = {"additionalProperties": False, **schema}
    options: dict[str, Any] = {"approve": True} if tool.approval_mode == "always_require" else {}
    handler = None if tool.declaration_only else handler_for(tool.name)
    return adapter.tool(tool.name, tool.description, schema, handler, **options)


def real_tools(tools: Iterable[Any]) -> dict[str, FunctionTool]:
    """The function tools by name.

    Args:
        tools: of the moment, among them those of the provider, and stand-ins.
    """
    listed = [tool.real if isinstance(tool, StandIn) else tool for tool in tools]
    return {tool.name: tool for tool in listed if isinstance(tool, FunctionTool)}


def _text_of(value: Any) -> str | None:
    """The text of a result that is text only."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, Content) and one.type == "text" for one in value):
        return "\n".join(one.text or "" for one in value)
    return None
