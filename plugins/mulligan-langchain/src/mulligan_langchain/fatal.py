"""What stops a run: answers that are marked as fatal, and the exception that says why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import ToolException

from mulligan import ToolResult, errors
from mulligan.adapters import Stopped
from mulligan.errors import ToolError

_MARK = "mulligan"
_KEPT = ("user_message", "retry_after", "resource", "http_status", "provider", "effect", "rule")


class FatalToolError(Stopped, ToolException, RuntimeError):
    """A tool call failed so that the run must stop. As a `RuntimeError` it is not repeated by LangGraph's retry policy.

    Attributes:
        error: what the failure means; also the `__cause__`.
        messages: the conversation; of a `MulliganToolNode`, the answers to the model's last message.
    """

    names_tool = False


def answer(result: ToolResult, call: Mapping[str, Any]) -> ToolMessage:
    """The message that answers a call that failed; `response_metadata` says for the program what it was.

    Args:
        result: what came of it.
        call: the call, with `name` and `id`.
    """
    told = result.to_dict()["error"] or {}
    told.pop("problems", None)
    return ToolMessage(
        content=result.content,
        name=call["name"] or "unknown",
        tool_call_id=call["id"] or "",
        status="error",
        response_metadata={_MARK: {"fatal": result.fatal, **told}},
    )


def latest_answers(messages: Iterable[AnyMessage]) -> tuple[AIMessage | None, list[ToolMessage]]:
    """The last message of the model, and the answers that follow it; what else follows begins another turn.

    Args:
        messages: the conversation.
    """
    listed = list(messages)
    answers = since_the_model(listed)
    if len(answers) == len(listed) or not all(isinstance(one, ToolMessage) for one in answers):
        return None, []
    said = listed[-1 - len(answers)]
    return cast("AIMessage", said), cast("list[ToolMessage]", answers)


def since_the_model(messages: Iterable[AnyMessage]) -> list[AnyMessage]:
    """What follows the last message of the model, whoever said it.

    Args:
        messages: the conversation.
    """
    return list(takewhile(lambda one: not isinstance(one, AIMessage), reversed(list(messages))))[::-1]


def fatal_answer(answers: Iterable[Any]) -> ToolMessage | None:
    """The first answer that must stop the run.

    Args:
        answers: messages.
    """
    return next((one for one in answers if isinstance(one, ToolMessage) and _marks(one).get("fatal") is True), None)


def meaning(message: ToolMessage) -> ToolError:
    """The error that a fatal answer stands for, made of what it says: it may come out of a checkpoint.

    Args:
        message: the answer.
    """
    marks = _marks(message)
    cls = getattr(errors, str(marks.get("type")), ToolError)
    known = cls if isinstance(cls, type) and issubclass(cls, ToolError) else ToolError
    fields: Any = {name: marks[name] for name in _KEPT if marks.get(name) is not None}
    error = known(str(marks.get("message") or "The tool failed."), fatal=True, **fields)
    error.tool_name, error.call_id = message.name, message.tool_call_id
    return error


def raise_if_fatal(messages: Sequence[AnyMessage]) -> None:
    """For a model node of one's own: stops the run when an answer to the model's last message is fatal.

    Args:
        messages: the conversation so far.

    Raises:
        FatalToolError: one is.
    """
    fatal = fatal_answer(latest_answers(messages)[1])
    if fatal is not None:
        raise FatalToolError(meaning(fatal), messages)


def _marks(message: ToolMessage) -> Mapping[str, Any]:
    marks = message.response_metadata.get(_MARK)
    return marks if isinstance(marks, Mapping) else {}
