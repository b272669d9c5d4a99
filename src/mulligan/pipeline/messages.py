"""Reads a model's message: its dialect and its tool calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mulligan.calls import ToolCall
from mulligan.copies import copied_result
from mulligan.dialects import Dialect, named, plain
from mulligan.dialects.asked import mapping, mappings
from mulligan.errors import ToolError, UsageError
from mulligan.pipeline.invocation import Blame
from mulligan.results import Answers, ToolResult
from mulligan.untrusted.copies import detached
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import safe_str, show_name

_CALLS = ("tool_use", "toolUse", "tool_call", "tool-call", "function_call", "functionCall")
_LANGCHAIN = "For LangChain messages, use mulligan-langchain."
_OWN = "Pass the message as the provider's SDK returned it."


def read_message(message: Any, dialects: Mapping[str, Dialect], blame: Blame) -> tuple[Dialect, list[ToolCall]]:
    """The first dialect that recognises a message, and the message's calls.

    Args:
        message: the provider's message, as its SDK's object or as plain values.
        dialects: the dialects by name, in the order in which they are asked.
        blame: records what a plugin's dialect did wrong.

    Raises:
        UsageError: no dialect recognises it, or it holds a call in a shape that its dialect does not know.
    """
    values = plain(message)
    if isinstance(values, Mapping):
        for dialect in dialects.values():
            shown = values if _is_built_in(dialect) else detached(values)
            try:
                if not dialect.recognises(shown):
                    continue
                calls = dialect.calls(shown)
            except Exception as error:
                _blame(dialect, error, blame)
                continue
            check_read(values, dialect, calls)
            return dialect, calls
    known = ", ".join(dialects)
    raise UsageError(f"no dialect recognises this message ({type_name(message)}); available: {known}{_step(values)}")


def _is_built_in(dialect: Dialect) -> bool:
    return type(dialect).__module__.startswith("mulligan.dialects.")


def _blame(dialect: Dialect, error: Exception, blame: Blame) -> None:
    if _is_built_in(dialect):
        if isinstance(error, UsageError):
            raise error
        raise UsageError(f"{dialect.name} cannot read this message: {type_name(error)}") from error
    name = blame.owner(dialect, f"dialect {dialect.name}")
    blame.fault(name, "dialects", f"{type_name(error)}: {safe_str(error, 300)}", error)


def write_answers(dialect: Dialect, results: Sequence[ToolResult], blame: Blame) -> Answers:
    """The messages that answer the calls of one message. They are always written, since the calls have run.

    Args:
        dialect: the one that read the message; if a plugin's fails, the messages have the shape of `openai`.
        results: the results, in order.
        blame: records what a plugin's dialect did wrong.
    """
    if _is_built_in(dialect):
        return Answers(dialect.messages(results), results)
    try:
        return Answers(dialect.messages([copied_result(result) for result in results]), results)
    except Exception as error:
        _blame(dialect, error, blame)
        return Answers(named("openai").messages(results), results)


@contextmanager
def answers_on_error(dialect: Dialect, blame: Blame) -> Iterator[None]:
    """Attaches the answers to all calls of the message to an error of strict mode, since the calls have run.

    Args:
        dialect: the one that read the message.
        blame: records what a plugin's dialect did wrong.
    """
    try:
        yield
    except ToolError as error:
        if "results" in error.__dict__:
            error.__dict__["answers"] = write_answers(dialect, error.__dict__["results"], blame)
        raise


def check_read(values: Mapping[str, Any], dialect: Dialect, calls: list[ToolCall]) -> None:
    """Checks that no call is lost: an answer without messages means to the host that the model has finished.

    Args:
        values: the message as plain values.
        dialect: the one that recognised it; a plugin's own is not checked.
        calls: what it read.

    Raises:
        UsageError: the message holds a call in a shape that the dialect does not know, or is a piece of one.
    """
    if not _is_built_in(dialect):
        return
    choice = next(iter(mappings(values.get("choices"))), {})
    if "delta" in choice and "message" not in choice:
        raise UsageError(
            "this message is one chunk of a stream; assemble the chunks first, as in "
            f"answer(named({dialect.name!r}).assemble(chunks)), with `named` from mulligan.dialects"
        )
    message = mapping(choice.get("message")) or values
    for at, item in enumerate(mappings(message.get("tool_calls"))):
        if "name" in item and not ("function" in item or "custom" in item):
            beside = next((name for name in ("args", "arguments", "parameters", "input") if name in item), "")
            raise UsageError(
                f"this message contains a call that {dialect.name} does not know: tool_calls[{at}] has 'name'"
                f"{f' and {beside!r}' if beside else ''} next to its id, not in a 'function'. "
                f"{_LANGCHAIN if beside == 'args' else _OWN}"
            )
    unread = None if calls else next(_unread(message), None)
    if unread is not None:
        raise UsageError(f"this message contains a call that {dialect.name} does not know: {unread}. {_OWN}")


def _unread(message: Mapping[str, Any]) -> Iterator[str]:
    """The parts of a message that look like calls."""
    for name in ("tool_calls", *_CALLS):
        if message.get(name):
            yield f"the value of {name!r} ({type(message[name]).__name__}) cannot be read"
    for place in ("content", "parts"):
        for at, block in enumerate(mappings(message.get(place))):
            kind = next((kind for kind in _CALLS if block.get("type") == kind or block.get(kind)), None)
            if kind is not None and "state" not in block:  # of a part of the AI SDK, its type ends with the tool's name
                yield f"{place}[{at}] is a {kind!r}"


def _step(values: Any) -> str:
    """What to pass instead of a message that no dialect recognises; empty if unknown."""
    if isinstance(values, (list, tuple)):
        if any("role" in item for item in mappings(values)):
            return ". This is a whole conversation: pass only the model's last message, as in answer(messages[-1])"
        return ". This is a list: pass the one message or response that contains it"
    if isinstance(values, (str, bytes)):
        return ". This is a string: pass the message that contains it"
    if not isinstance(values, Mapping):
        is_stream = hasattr(values, "__next__") or hasattr(values, "__anext__")
        return (
            ". This is a stream: collect its chunks and pass the result of its dialect's `assemble(chunks)`"
            if is_stream
            else ""
        )
    if values.get("type") in ("ai", "AIMessageChunk"):
        return f". {_LANGCHAIN}"
    role = values.get("role")
    if isinstance(role, str) and role not in ("assistant", "model"):
        return f". Its role is {show_name(role)!r}: pass the model's message, with the role 'assistant'"
    return ""
