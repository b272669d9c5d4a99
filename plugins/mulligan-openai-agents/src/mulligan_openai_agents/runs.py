"""One run of an agent: its conversation with mulligan, the tools that it was offered last, its settings, and its end."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from agents import AgentsException, RunConfig, ToolErrorFormatterArgs

from mulligan import Pipeline, Reject, Session, ToolCall, ToolResult
from mulligan.adapters import Conversation, Stopped
from mulligan.errors import ToolCancelledError, UsageError

_REJECTED = "This call was not run: a person rejected it."

current_run: ContextVar[Run | None] = ContextVar("mulligan_openai_agents_run", default=None)
"""The run whose turn is under way; a turn and its tools are tasks that inherit it."""


async def resolved(value: Any) -> Any:
    """What a function of the host's gave, which may be async."""
    return await value if inspect.isawaitable(value) else value


class RunStopped(Stopped, AgentsException):
    """A tool failed in a way that the model cannot correct. Every call of the turn was answered before it was raised.

    Attributes:
        error: what the failure means; also the `__cause__`.
        messages: the conversation as the model would have read it next, every call in it answered.
        run_data: the SDK's record of the run.
    """


class Run(Conversation):
    """What is remembered of one run.

    Attributes:
        context: gives the SDK's own context of the run, which it does not keep alive.
        arguments: what the model sent in its last message, by call id.
        view: the pipeline with the tools that can be called now.
        asked: the calls that a person is asked about, by id, each with its pipeline.
        allowed: the ids of calls that may run, as far as mulligan is concerned, without a person being asked.
    """

    def __init__(self, session: Session, view: Pipeline) -> None:
        super().__init__(session)
        self.context: Callable[[], Any] = lambda: None
        self.arguments: Mapping[str, str] = {}
        self.view = view
        self.asked: dict[str, tuple[Pipeline, ToolCall]] = {}
        self.allowed: set[str] = set()
        self._unanswered: set[str] = set()

    def read(self, arguments: Mapping[str, str]) -> None:
        """The model has sent a message, with these calls."""
        self.arguments, self._unanswered = arguments, set(arguments)
        if arguments:
            self.join_step()

    def answer(self, result: ToolResult) -> str:
        """As in `Conversation`; the last answer to a message ends its step."""
        text, id = super().answer(result), str(result.call.id)
        if id in self._unanswered:
            self._unanswered.remove(id)
            if not self._unanswered:
                self.end_step()
        return text

    async def next_turn(self, context: Any, messages: Any) -> None:
        """Lets the model have another turn, in which it will read these messages.

        Raises:
            RunStopped: a tool failed for good in the turn before.
        """
        for id, (_, call) in list(self.asked.items()):
            if context.is_tool_approved(call.name, id) is False:
                await self.reject(call.name, id, context.get_rejection_message(call.name, id) or "")
        self.asked.clear()
        self.allowed.clear()
        self.end_step()
        if self.fatal is not None:
            raise RunStopped(self.fatal, messages)
        if not self.has_request:
            self.note_request(_request(messages))

    async def answer_unknown(self, name: str, call_id: str, view: Pipeline | None = None) -> str:
        """What the model reads of a name that no tool has, or a tool that was switched off since (not in `view`)."""
        self.join_step()
        sent = ToolCall(call_id, name, self.arguments.get(call_id))
        return self.answer(await (view or self.view).acall(sent, session=self.session))

    async def reject(self, name: str, call_id: str, reason: str = "") -> str:
        """What the model reads of a call that a person has rejected."""
        asked = self.asked.pop(call_id, None)
        if asked is None:  # by the SDK alone, or by another process
            rejected = ToolCancelledError(_REJECTED, effect="none", rule="host:approval-rejected")
            text = ToolResult.from_error(rejected, call=ToolCall(call_id, name)).content
            return text.replace("Error executing tool", "Tool", 1)
        view, call = asked
        self.join_step()
        rejecting = view.with_tools(view.tools.values(), approver=lambda _: Reject(reason))
        return self.answer(await rejecting.acall(call, session=self.session))


def _request(messages: Any) -> Any:
    """What the user wrote last."""
    users = (one for one in reversed(messages) if isinstance(one, dict) and one.get("role") == "user")
    return next(users, {}).get("content", ())


def run_config(base: RunConfig | None = None) -> RunConfig:
    """Settings with which a name that no tool has is answered, with the best matches among the tools callable now.

    A call that a person rejects is answered too, unless they give words of their own.

    Args:
        base: your own settings, which stay as they are. A `tool_error_formatter` of yours is asked first.

    Raises:
        UsageError: `base` is something else.
    """
    if not isinstance(base, (RunConfig, type(None))):
        raise UsageError(f"run_config() takes an agents.RunConfig, not {base!r:.80}")
    base = base or RunConfig()
    theirs = base.tool_error_formatter

    async def word(args: ToolErrorFormatterArgs[Any]) -> str | None:
        text: str | None = None if theirs is None else await resolved(theirs(args))
        run = current_run.get()
        if text is not None or args.tool_type != "function" or run is None or run.context() is not args.run_context:
            return text
        if args.kind == "approval_rejected":
            return await run.reject(args.tool_name, args.call_id)
        return await run.answer_unknown(args.tool_name, args.call_id) if args.kind == "tool_not_found" else None

    return dataclasses.replace(base, tool_not_found_behavior="return_error_to_model", tool_error_formatter=word)
