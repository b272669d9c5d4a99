"""A model's message: read by its dialect, its calls run as one step, with one result for each."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.copies import copied_result
from mulligan.dialects import Dialect, named, plain
from mulligan.dialects.readers import mapping, mappings
from mulligan.errors import ToolCancelledError, ToolError, UsageError
from mulligan.events import Notice, StepFinished
from mulligan.pipeline.assembly import as_invocation
from mulligan.pipeline.invocation import Blame, Host
from mulligan.results import Answers, ToolResult
from mulligan.untrusted.copies import detached
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import safe_str, show_name

if TYPE_CHECKING:
    from mulligan.pipeline import Pipeline
    from mulligan.pipeline.session import Session


@cache
def async_driver() -> Callable[..., Coroutine[Any, Any, ToolResult]]:
    """The driver with `await`, imported when it is first needed."""
    from mulligan.execute.async_driver import adrive

    return adrive


def call_each(
    pipeline: Pipeline,
    host: Host,
    calls: Sequence[ToolCall],
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> list[ToolResult]:
    """Runs the calls one after the other.

    Args:
        pipeline: what runs them.
        host: the pipeline's parts.
        calls: the calls.
        session: the conversation they belong to.
        context: values for `Injected` parameters, by name.
    """
    started = host.clock()
    with _step_of(session):
        ended = [_ended(pipeline, call, session, context) for call in calls]
    return _finish(host, session, calls, ended, started)


def _ended(
    pipeline: Pipeline, call: ToolCall, session: Session | None, context: Mapping[str, Any] | None
) -> ToolResult | ToolError:
    try:
        return pipeline.call(call, session=session, context=context)
    except ToolError as error:  # in strict mode: it waits until the others have run
        if result_of(error) is None:
            raise
        return error


def result_of(error: BaseException) -> ToolResult | None:
    """The result whose error strict mode raised; None for any other error.

    Args:
        error: what was raised.
    """
    result: ToolResult | None = error.__dict__.get("_result")
    return result


def _finish(
    host: Host,
    session: Session | None,
    calls: Sequence[ToolCall],
    ended: Sequence[ToolResult | ToolError],
    started: float,
) -> list[ToolResult]:
    """The results of a step, reported to the observers. In strict mode the first error is raised, with all results on it."""
    results = [one if isinstance(one, ToolResult) else result_of(one) for one in ended]
    known = [result for result in results if result is not None]
    _tell(host, session, calls, known, started)
    for one in ended:
        if isinstance(one, ToolError):
            one.__dict__["results"] = known
            raise one
    return known


def _step_of(session: Session | None) -> AbstractContextManager[None]:
    return nullcontext() if session is None else session.memory.step(joins=True)


def _tell(
    host: Host, session: Session | None, calls: Sequence[ToolCall], results: Sequence[ToolResult], started: float
) -> None:
    """Notifies the observers that a step has ended."""
    if not results or not host.stages.observed:
        return
    names = tuple(host.answering.shown_name(call) for call in calls)
    id = None if session is None else session.id
    host.stages.observe(StepFinished(id, names, tuple(results), host.clock() - started))
    if all(result.is_error for result in results):
        told = dict.fromkeys(result.feedback.user_message for result in results if result.feedback is not None)
        text = " ".join(_sentence(text) for text in told) or "The assistant's tools failed."
        host.stages.observe(Notice(id, text, any(result.fatal for result in results)))


async def acall_each(
    pipeline: Pipeline,
    host: Host,
    calls: Sequence[ToolCall],
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> list[ToolResult]:
    """Runs the calls concurrently.

    Args:
        pipeline: what runs them.
        host: the pipeline's parts.
        calls: the calls.
        session: the conversation they belong to.
        context: values for `Injected` parameters, by name.

    Raises:
        asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls that
            had ended, and None for the others.
    """
    started = host.clock()
    with _step_of(session):
        running = [pipeline.acall(call, session=session, context=context) for call in calls]
        at_once = await _at_once(running, host)
        ended = [
            one if one is not None else _cancelled(host, call, session, context)
            for call, one in zip(calls, at_once, strict=True)
        ]
    return _finish(host, session, calls, ended, started)


async def _at_once(calls: Sequence[Coroutine[Any, Any, ToolResult]], host: Host) -> list[ToolResult | ToolError | None]:
    """The results of the calls; None for one whose task was cancelled, but not by the host, which has no access to it."""
    import asyncio

    tasks = [asyncio.ensure_future(call) for call in calls]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError as cancelled:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=host.limits.grace)
        cancelled.results = [_result(task) for task in tasks]  # type: ignore[attr-defined]
        raise
    errors = [None if task.cancelled() else task.exception() for task in tasks]
    for error in errors:
        if error is not None and result_of(error) is None:
            raise error
    return [
        None if task.cancelled() else error if isinstance(error, ToolError) else task.result()
        for task, error in zip(tasks, errors, strict=True)
    ]


def _cancelled(
    host: Host, call: ToolCall, session: Session | None, context: Mapping[str, Any] | None
) -> ToolResult | ToolError:
    """The answer to a call whose tool had its task cancelled, by a timer or another task: every call gets one."""
    state = as_invocation(host, call, None, None, session, context)
    state.tool, state.attempts = host.toolset.get(call.name), 1
    state.hide_secrets()
    error = ToolCancelledError("The tool cancelled its own task.", effect="possible", rule="host:cancelled")
    result = state.host.answering.failed(state, error)
    if not host.strict or result.error is None:
        return result
    result.error.__dict__["_result"] = result
    return result.error


def _result(task: Any) -> ToolResult | None:
    ended = task.done() and not task.cancelled() and task.exception() is None
    return task.result() if ended else None


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


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
    raise UsageError(
        f"no dialect recognises this message ({type_name(message)}); available: {known}{_next_step_for(values)}"
    )


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


def _next_step_for(values: Any) -> str:
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
