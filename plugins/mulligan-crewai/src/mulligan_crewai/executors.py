"""CrewAI's executors, which make the calls, with mulligan between them and the tools."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from crewai.agents.agent_executor import AgentExecutor
from crewai.agents.parser import AgentAction
from crewai.agents.step_executor import StepExecutor
from crewai.tools.tool_types import ToolResult
from crewai.utilities.agent_utils import build_tool_calls_assistant_message

from mulligan.adapters import Conversation, current_attempt
from mulligan_crewai.calls import Call, Message, RunStopped, ToolAttempt
from mulligan_crewai.tools import TextTool, UnknownTool, by_name

_KEY = "_mulligan"
_CALL: ContextVar[Call] = ContextVar("mulligan_crewai_call")
_BRANCH: ContextVar[tuple[Guard, Conversation] | None] = ContextVar("mulligan_crewai_branch", default=None)


class Guard:
    """What an executor and the executors of its plan's steps share.

    Args:
        adapter: holds the host's options.

    Attributes:
        call: the call that is made as text, or None.
    """

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter
        self._conversation: Conversation | None = None
        self._native: Message
        self.call: Call | None = None

    def begin(self, request: str, *, goes_on: bool) -> Conversation:
        """A person has written.

        Args:
            request: what they wrote; empty if it is not known.
            goes_on: whether in the conversation that there is.
        """
        if self._conversation is None or not goes_on:
            self._conversation = Conversation(self._adapter.pipeline.session(uuid.uuid4().hex))
        self._conversation.note_request(request)
        return self._conversation

    @contextmanager
    def branch(self) -> Iterator[None]:
        """The conversation of one step of a plan: steps know nothing of each other."""
        assert self._conversation is not None
        conversation = Conversation(self._adapter.pipeline.session(self._conversation.session.id))
        token = _BRANCH.set((self, conversation))
        try:
            yield
        finally:
            _BRANCH.reset(token)
            conversation.end_step()

    @contextmanager
    def message(self, owner: Any, tools: dict[str, Any], transcript: Callable[[], list[Any]]) -> Iterator[Message]:
        """The calls of one message.

        Args:
            owner: the executor that makes them.
            tools: what the model may call, by name.
            transcript: returns the conversation, once they are answered.

        Raises:
            RunStopped: one has failed so that the run must stop.
        """
        branch = _BRANCH.get()  # also that of an agent whose tool runs this one
        conversation = branch[1] if branch is not None and branch[0] is self else self._conversation
        assert conversation is not None
        conversation.next_step()
        try:
            yield Message(self._adapter, conversation, tools, owner)
        finally:
            conversation.end_step()
        if conversation.fatal is not None:
            outer = current_attempt()
            if isinstance(outer, ToolAttempt):
                outer.escaped = conversation.fatal
            raise RunStopped(conversation.fatal, transcript())

    def native_message(self, executor: Any, run: Callable[[], Any]) -> Any:
        """Has the calls of a message made, which the provider has sent.

        Args:
            executor: makes them.
            run: how CrewAI does that.

        Raises:
            RunStopped: one has failed so that the run must stop.
        """
        every = executor._tool_name_mapping.items()  # noqa: SLF001
        tools = {name: tool for name, tool in every if not isinstance(tool, UnknownTool)}
        with self.message(executor, tools, lambda: executor.state.messages) as message:
            self._native = message
            return run()

    def native_call(self, executor: Any, sent: Any, run: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Has one of them made.

        Args:
            executor: makes it.
            sent: the provider's object.
            run: how CrewAI does that.
        """
        call = self._native.native_call(sent)
        if call is None:
            return run(sent)
        if call.is_unknown:
            executor._tool_name_mapping[call.name] = UnknownTool(name=call.name, description="")  # noqa: SLF001
            executor._available_functions[call.name] = _run_call  # noqa: SLF001
        token = _CALL.set(call)
        try:
            outcome = run(call.as_native())
        finally:
            _CALL.reset(token)
        if call.answer is not None and outcome["tool_failure"] is not call.answer:
            # the tool's cache function has raised
            outcome |= {"result": call.answer.message, "tool_failure": call.answer}
        return outcome

    def text_message(self, executor: Any, run: Callable[[], Any]) -> Any:
        """Has the call of a message made, which the model has written as text.

        Args:
            executor: makes it.
            run: how CrewAI does that.

        Raises:
            RunStopped: it has failed so that the run must stop.
        """
        own, tools = executor.tools, by_name(executor.original_tools)
        with self.message(executor, tools, lambda: executor.state.messages) as message:
            self.call, executor.tools = _stand_in(message, executor.state.current_answer, own)
            try:
                with _remembering(executor, self.call):
                    return run()
            finally:
                self.call, executor.tools = None, own

    def guard(self, executor: AgentExecutor) -> None:
        """Puts mulligan between an executor and its tools.

        Args:
            executor: it is changed.
        """
        if _KEY not in vars(executor):
            object.__setattr__(executor, "__class__", _guarded(type(executor)))
            vars(executor)[_KEY] = self
            bound = executor._class_bound_methods()  # noqa: SLF001 - test_crewai_canary.py watches it
            executor._methods.update(bound)  # noqa: SLF001


@cache
def _guarded(cls: Any) -> Any:
    class Guarded(cls):  # type: ignore[misc]
        """The steps that mulligan takes part in."""

        async def kickoff_async(self, *args: Any, **kwargs: Any) -> Any:
            feedback = self._is_feedback_iteration
            request = self.state.messages[-1]["content"] if feedback else self._kickoff_input
            conversation = self._mulligan.begin(str(request or ""), goes_on=feedback)
            try:
                return await super().kickoff_async(*args, **kwargs)
            finally:
                conversation.end_step()

        def _setup_native_tools(self) -> None:
            super()._setup_native_tools()
            functions: dict[str, Any] = self._available_functions
            functions.update(dict.fromkeys(functions, _run_call))

        def execute_native_tool(self) -> Any:
            return self._mulligan.native_message(self, super().execute_native_tool)

        def _execute_single_native_tool_call(self, tool_call: Any) -> dict[str, Any]:
            return self._mulligan.native_call(self, tool_call, super()._execute_single_native_tool_call)  # type: ignore[no-any-return]

        def execute_tool_action(self) -> Any:
            return self._mulligan.text_message(self, super().execute_tool_action)

        def _handle_agent_action(self, formatted_answer: AgentAction, tool_result: ToolResult) -> Any:
            return super()._handle_agent_action(formatted_answer, _answered(self._mulligan.call, tool_result))

        def _ensure_step_executor(self) -> Any:
            steps = super()._ensure_step_executor()
            if _KEY not in vars(steps):
                steps.__class__ = _Steps
                vars(steps)[_KEY] = self._mulligan
            return steps

    Guarded.__name__, Guarded.__qualname__, Guarded.__doc__ = cls.__name__, cls.__qualname__, cls.__doc__
    return Guarded


class _Steps(StepExecutor):
    """The executor of one step of a plan."""

    _mulligan: Guard

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        with self._mulligan.branch():
            return super().execute(*args, **kwargs)

    def _execute_native_tool_calls(self, tool_calls: list[Any], messages: list[Any], *args: Any, **kwargs: Any) -> str:
        begin = len(messages)
        with self._mulligan.message(self, by_name(self.original_tools), lambda: messages) as message:
            calls = [message.native_call(one) for one in tool_calls]
            unknown = {one.name for one in calls if one is not None and one.is_unknown}
            twin = copy.copy(self)  # steps of a plan run at the same time
            twin.original_tools = [*self.original_tools, *(UnknownTool(name=one, description="") for one in unknown)]
            twin._available_functions = dict.fromkeys([*self._available_functions, *unknown], _run_call)  # noqa: SLF001
            noted = _Noted(one.as_native() if one else sent for one, sent in zip(calls, tool_calls, strict=True))
            noted.calls = calls
            text = super(_Steps, twin)._execute_native_tool_calls(noted, messages, *args, **kwargs)
            said, _ = build_tool_calls_assistant_message(tool_calls)
            if said is not None:
                messages[begin] = said
            return text

    def _execute_text_parsed(self, messages: list[Any], *args: Any, **kwargs: Any) -> str:
        try:
            return super()._execute_text_parsed(messages, *args, **kwargs)
        except RunStopped as stopped:
            raise RunStopped(stopped.error, [*messages, *stopped.messages]) from None

    def _execute_text_tool_with_events(self, formatted: AgentAction, todo: Any) -> str:
        last: list[Any] = [{"role": "assistant", "content": formatted.text}]
        with self._mulligan.message(self, by_name(self.original_tools), lambda: last) as message:
            twin = copy.copy(self)
            call, twin.tools = _stand_in(message, formatted, self.tools)
            with _remembering(self, call):
                run = super(_Steps, twin)._execute_text_tool_with_events
                text = run(formatted, todo)
            text = _answered(call, ToolResult(text)).result
            last.append(self._build_observation_message(text))
            return text


class _Noted(list[Any]):
    """Calls of a message that are made one after the other; notes which one it is."""

    calls: list[Call | None]

    def __iter__(self) -> Iterator[Any]:
        for sent, call in zip(super().__iter__(), self.calls, strict=True):
            if call is not None:
                _CALL.set(call)
            yield sent


def _run_call(**arguments: Any) -> Any:
    return _CALL.get().run(arguments)


def _stand_in(message: Message, action: AgentAction, tools: list[Any]) -> tuple[Call, list[Any]]:
    """A call that is made as text; and the tools, with one that has exactly its name."""
    own = by_name(tools)
    call = message.text_call(action, lambda name, arguments: own[name].invoke(arguments))
    action.tool_input = json.dumps(call.shown)
    standing = TextTool.standing_for(call, own.get(call.name))
    if call.is_unknown:
        return call, [*tools, standing]
    return call, [standing if tool is own[call.name] else tool for tool in tools]


@contextmanager
def _remembering(owner: Any, call: Call) -> Iterator[None]:
    """A call that failed is not the last one, which CrewAI does not let a model make again."""
    handler = owner.tools_handler
    last = None if handler is None else handler.last_used_tool
    yield
    if handler is not None and call.answer is not None:
        handler.last_used_tool = last


def _answered(call: Call | None, result: ToolResult) -> ToolResult:
    """The answer to a name that no tool has: CrewAI would list its stand-in among the tools."""
    return result if call is None or call.answer is None or not call.is_unknown else ToolResult(call.answer.message)
