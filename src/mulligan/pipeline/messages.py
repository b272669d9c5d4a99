"""A model's message: read by its dialect, its calls run as one step, with one result for each."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.copies import copy_result
from mulligan.dialects import Dialect, named, plain
from mulligan.dialects.readers import mapping, mappings
from mulligan.errors import ToolCancelledError, ToolError, UsageError
from mulligan.events import Notice, StepFinished
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.results import Answers, ToolResult
from mulligan.untrusted.copies import copy_data
from mulligan.untrusted.objects import describe, type_name
from mulligan.untrusted.text import show_name

if TYPE_CHECKING:
    from mulligan.hooks.manager import PluginManager
    from mulligan.session.memory import OpenStep, SessionMemory


@cache
def async_driver() -> Callable[..., Coroutine[Any, Any, ToolResult]]:
    """The driver with `await`, imported when it is first needed."""
    from mulligan.execute.async_driver import adrive

    return adrive


def call_each(
    runtime: Runtime,
    calls: Sequence[ToolCall],
    call_one: Callable[[ToolCall], ToolResult],
    memory: SessionMemory | None,
) -> list[ToolResult]:
    """Runs the calls one after the other.

    Args:
        runtime: the pipeline's parts.
        calls: the calls.
        call_one: runs one of them.
        memory: that of the conversation they belong to, or None.
    """
    started = runtime.clock()
    with _step_of(memory) as step:
        ended = [_call_or_error(call_one, call) for call in calls]
    return _finish_step(runtime, step, calls, ended, started)


def _call_or_error(call_one: Callable[[ToolCall], ToolResult], call: ToolCall) -> ToolResult | ToolError:
    try:
        return call_one(call)
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


def _finish_step(
    runtime: Runtime,
    step: OpenStep | None,
    calls: Sequence[ToolCall],
    ended: Sequence[ToolResult | ToolError],
    started: float,
) -> list[ToolResult]:
    """The results of a step, reported to the observers, unless it is a part of one that continues.

    In strict mode the first error is raised, with all results on it.
    """
    results = [outcome if isinstance(outcome, ToolResult) else result_of(outcome) for outcome in ended]
    finished = [result for result in results if result is not None]
    if step is None or not step.is_joined:
        _notify_observers(runtime, step, [runtime.renderer.display_name(call) for call in calls], finished, started)
    for outcome in ended:
        if isinstance(outcome, ToolError):
            outcome.__dict__["results"] = finished
            raise outcome
    return finished


def _step_of(memory: SessionMemory | None) -> AbstractContextManager[OpenStep | None]:
    return nullcontext() if memory is None else memory.step(joins=True)


@contextmanager
def observed_step(runtime: Runtime, memory: SessionMemory) -> Iterator[None]:
    """The calls in here are one step, whose end is reported to the observers.

    Args:
        runtime: the pipeline's parts.
        memory: that of the conversation.
    """
    started = runtime.clock()
    with memory.step() as step:
        yield
    results = step.results
    _notify_observers(runtime, step, [_sent_name(runtime, result) for result in results], results, started)


def _sent_name(runtime: Runtime, result: ToolResult) -> str:
    """The name that was called, safe to show, also where the call was repaired."""
    names = (repair.before for repair in result.repairs if repair.kind == "name")
    return next(names, None) or runtime.renderer.display_name(result.call)


def _notify_observers(
    runtime: Runtime,
    step: OpenStep | None,
    names: Sequence[str],
    results: Sequence[ToolResult],
    started: float,
) -> None:
    """Notifies the observers that a step has ended."""
    if not results:
        return
    id, number = (None, 0) if step is None else (step.memory.id, step.number)
    runtime.hooks.observe(StepFinished(id, tuple(names), tuple(results), runtime.clock() - started, number))
    if all(result.is_error for result in results):
        messages = dict.fromkeys(result.feedback.user_message for result in results if result.feedback is not None)
        text = " ".join(_sentence(text) for text in messages) or "The assistant's tools failed."
        runtime.hooks.observe(Notice(id, text, any(result.fatal for result in results), number))


async def acall_each(
    runtime: Runtime,
    calls: Sequence[ToolCall],
    call_one: Callable[[ToolCall], Coroutine[Any, Any, ToolResult]],
    memory: SessionMemory | None,
    invocation_of: Callable[[ToolCall], Invocation],
) -> list[ToolResult]:
    """Runs the calls concurrently.

    Args:
        runtime: the pipeline's parts.
        calls: the calls.
        call_one: runs one of them.
        memory: that of the conversation they belong to, or None.
        invocation_of: makes the invocation of a call whose tool had its own task cancelled.

    Raises:
        asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls that
            had ended, and None for the others.
    """
    started = runtime.clock()
    with _step_of(memory) as step:
        outcomes = await _gather(calls, call_one, runtime)
        ended = [
            outcome if outcome is not None else _cancelled_result(invocation_of(call))
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
    return _finish_step(runtime, step, calls, ended, started)


async def _gather(
    calls: Sequence[ToolCall], call_one: Callable[[ToolCall], Coroutine[Any, Any, ToolResult]], runtime: Runtime
) -> list[ToolResult | ToolError | None]:
    """The results of the calls; None for one whose task was cancelled, but not by the host, which has no access to it."""
    import asyncio

    from mulligan.execute.async_driver import wait_for_all
    from mulligan.pipeline.batches import Batch

    batch = Batch(calls, call_one, runtime)
    try:
        while running := batch.running:
            await wait_for_all(running)
    except asyncio.CancelledError as cancelled:
        if running := batch.cancel():
            await wait_for_all(running, runtime.limits.grace)
        cancelled.results = [_result_or_none(outcome) for outcome in batch.outcomes]  # type: ignore[attr-defined]
        raise
    outcomes: list[ToolResult | ToolError | None] = []
    for outcome in batch.outcomes:
        if isinstance(outcome, BaseException) and not (isinstance(outcome, ToolError) and result_of(outcome)):
            raise outcome
        outcomes.append(outcome)
    return outcomes


def _cancelled_result(invocation: Invocation) -> ToolResult | ToolError:
    """The answer to a call whose tool had its task cancelled, by a timer or another task: every call gets one."""
    from mulligan.pipeline.failures import failure_result

    runtime = invocation.runtime
    invocation.tool, invocation.attempts = runtime.toolset.get(invocation.call.name), 1
    invocation.hide_secrets()
    error = ToolCancelledError("The tool cancelled its own task.", effect="possible", rule="host:cancelled")
    result = failure_result(invocation, error)
    if not runtime.strict or result.error is None:
        return result
    result.error.__dict__["_result"] = result
    return result.error


def _result_or_none(outcome: ToolResult | BaseException | None) -> ToolResult | None:
    return outcome if isinstance(outcome, ToolResult) else None


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


_CALL_KEYS = ("tool_use", "toolUse", "tool_call", "tool-call", "function_call", "functionCall")
_LANGCHAIN_HINT = "For LangChain messages, use mulligan-langchain."
_SDK_HINT = "Pass the message as the provider's SDK returned it."


def read_message(
    message: Any, dialects: Mapping[str, Dialect], fault_log: PluginManager
) -> tuple[Dialect, list[ToolCall]]:
    """The first dialect that recognises a message, and the message's calls.

    Args:
        message: the provider's message, as its SDK's object or as plain values.
        dialects: the dialects by name, in the order in which they are asked.
        fault_log: records what a plugin's dialect did wrong.

    Raises:
        UsageError: no dialect recognises it, or it holds a call in a shape that its dialect does not know.
    """
    values = plain(message)
    if isinstance(values, Mapping):
        for dialect in dialects.values():
            copied = values if _is_built_in(dialect) else copy_data(values)
            try:
                if not dialect.recognises(copied):
                    continue
                calls = dialect.calls(copied)
            except Exception as error:
                _record_fault(dialect, error, fault_log)
                continue
            check_all_calls_read(values, dialect, calls)
            return dialect, calls
    names = ", ".join(dialects)
    raise UsageError(
        f"no dialect recognises this message ({type_name(message)}); available: {names}{_next_step_for(values)}"
    )


def _is_built_in(dialect: Dialect) -> bool:
    return type(dialect).__module__.startswith("mulligan.dialects.")


def _record_fault(dialect: Dialect, error: Exception, fault_log: PluginManager) -> None:
    if _is_built_in(dialect):
        if isinstance(error, UsageError):
            raise error
        raise UsageError(f"{dialect.name} cannot read this message: {type_name(error)}") from error
    name = fault_log.plugin_of(dialect, f"dialect {dialect.name}")
    fault_log.report(name, "dialects", describe(error), error)


def write_answers(dialect: Dialect, results: Sequence[ToolResult], fault_log: PluginManager) -> Answers:
    """The messages that answer the calls of one message. They are always written, since the calls have run.

    Args:
        dialect: the one that read the message; if a plugin's fails, the messages have the shape of `openai`.
        results: the results, in order.
        fault_log: records what a plugin's dialect did wrong.
    """
    if _is_built_in(dialect):
        return Answers(dialect.messages(results), results)
    try:
        return Answers(dialect.messages([copy_result(result) for result in results]), results)
    except Exception as error:
        _record_fault(dialect, error, fault_log)
        return Answers(named("openai").messages(results), results)


@contextmanager
def answers_on_error(dialect: Dialect, fault_log: PluginManager) -> Iterator[None]:
    """Attaches the answers to all calls of the message to an error of strict mode, since the calls have run.

    Args:
        dialect: the one that read the message.
        fault_log: records what a plugin's dialect did wrong.
    """
    try:
        yield
    except ToolError as error:
        if "results" in error.__dict__:
            error.__dict__["answers"] = write_answers(dialect, error.__dict__["results"], fault_log)
        raise


def check_all_calls_read(values: Mapping[str, Any], dialect: Dialect, calls: list[ToolCall]) -> None:
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
            arguments_key = next((name for name in ("args", "arguments", "parameters", "input") if name in item), "")
            raise UsageError(
                f"this message contains a call that {dialect.name} does not know: tool_calls[{at}] has 'name'"
                f"{f' and {arguments_key!r}' if arguments_key else ''} next to its id, not in a 'function'. "
                f"{_LANGCHAIN_HINT if arguments_key == 'args' else _SDK_HINT}"
            )
    unread = None if calls else next(_unread_calls(message), None)
    if unread is not None:
        raise UsageError(f"this message contains a call that {dialect.name} does not know: {unread}. {_SDK_HINT}")


def _unread_calls(message: Mapping[str, Any]) -> Iterator[str]:
    """The parts of a message that look like calls."""
    for name in ("tool_calls", *_CALL_KEYS):
        if message.get(name):
            yield f"the value of {name!r} ({type(message[name]).__name__}) cannot be read"
    for place in ("content", "parts"):
        for at, block in enumerate(mappings(message.get(place))):
            kind = next((kind for kind in _CALL_KEYS if block.get("type") == kind or block.get(kind)), None)
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
        return f". {_LANGCHAIN_HINT}"
    role = values.get("role")
    if isinstance(role, str) and role not in ("assistant", "model"):
        return f". Its role is {show_name(role)!r}: pass the model's message, with the role 'assistant'"
    return ""
