"""One invocation as a generator: it yields steps, is sent their outcomes, and returns the result.

Nothing in here waits, and nothing knows whether the driver is sync or async; the clock is the host's.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from mulligan.calls import ToolCall
from mulligan.deadline import Deadline, handed_down, outer_deadline
from mulligan.errors import (
    PluginError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolTimeoutError,
    UsageError,
)
from mulligan.events import CallFinished, CallRepaired, CallStarted
from mulligan.execute.steps import Outcome, Run, Sleep, Step
from mulligan.hooks.guard import Refusal
from mulligan.pipeline.attempts import again, around, copied, inject, judged, run_of, timed, within
from mulligan.pipeline.invocation import Host, Invocation, Memory
from mulligan.resolve.suggestions import candidates
from mulligan.results import ToolResult
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_repr, show_name
from mulligan.validate.arguments import read_arguments
from mulligan.validate.schemas import unusable
from mulligan.validate.validator import SchemaError

Flow: TypeAlias = "Generator[Step, Outcome, ToolResult]"
_LATE = "host:deadline"


def invoke(state: Invocation) -> Flow:
    """Runs one call through the stages.

    Args:
        state: the call.

    Returns:
        A generator that returns the result.

    Raises:
        UsageError: a mistake in the host's own code, such as a missing injected value.
        ToolError: in strict mode.
    """
    flow = _stages(state)
    return flow if state.memory is None else _remembered(state, state.memory, flow)


def _remembered(state: Invocation, memory: Memory, flow: Flow) -> Flow:
    """The same flow; the conversation's memory learns of one that ends without a result."""
    try:
        return (yield from flow)
    except Exception:
        if state.recording is not None:
            memory.abandoned(state, may_have_run=state.attempts > 0)
        raise
    except BaseException:
        if state.recording is not None:
            memory.abandoned(state, may_have_run=True)
        raise


def _stages(state: Invocation) -> Flow:
    state.started = state.host.clock()
    state.deadline = _deadline_of(state)
    if state.stages.observed:
        _announce(state)
    try:
        if state.memory is not None:
            _let_in(state.memory.begin(state))
        tool = _prepare(state)
        if isinstance(tool, ToolError):
            state.hide_secrets()
            if not (state.stages.may_repair and isinstance(tool, (ToolNotFoundError, ToolArgumentError))):
                return _failed(state, tool)
            tool = yield from _repair(state, tool)
        if state.memory is not None and (known := (yield from _recorded(state, state.memory, tool))) is not None:
            return _finished(state, known)
        _admit(state, tool)
        middleware = around(state, tool)
        if middleware:
            outcome = yield from within(state, tool, middleware, run_of(state, tool))
        elif state.deadline is not None:
            outcome = judged(state, tool, (yield timed(state, run_of(state, tool))))
        else:
            outcome = judged(state, tool, (yield run_of(state, tool)))  # the run is not kept while it continues
        if outcome.error is not None and outcome.error.transient:
            outcome = yield from again(state, tool, outcome)
    except Exception as error:
        return (yield from _explained(state, _meant(state, error)))
    return _succeeded(state, outcome.value) if outcome.error is None else (yield from _explained(state, outcome.error))


def _explained(state: Invocation, error: ToolError) -> Flow:
    """The result of a call that failed, with the names that may be meant instead of a missing one."""
    tool = state.tool
    if isinstance(error, ResourceNotFoundError) and tool is not None and callable(tool.resources):
        yield from _list_candidates(state, tool)
    return _failed(state, error)


def _list_candidates(state: Invocation, tool: Tool) -> Generator[Step, Outcome, None]:
    """Lists the names that may be meant: as a run, so that it ends by the call's deadline."""
    deadline = state.deadline
    if deadline is not None and deadline.remaining <= 0:
        state.candidates = []
        return
    listing = Run(
        partial(candidates, tool, state.arguments or {}), None, not tool.inline, is_async=False, lane=tool.name
    )
    listed = yield timed(state, listing)
    state.candidates = [] if listed.exception is not None else listed.value


def _deadline_of(state: Invocation) -> Deadline | None:
    if state.context is None and state.deadline is None and outer_deadline() is None:
        return None
    _check_deadline(state)
    return handed_down(state.deadline, state.context)


def _check_deadline(state: Invocation) -> None:
    """Refuses an invalid deadline, unless it is the value of some tool's own parameter of that name."""
    if state.context is not None and not isinstance(state.context, Mapping):
        shown = safe_repr(state.context, 40)
        raise UsageError(f"context must be a mapping of names to values, not {shown}; pass context={{'name': value}}")
    given = None if state.context is None else state.context.get("deadline")
    if given is None or isinstance(given, Deadline):
        return
    if not any("deadline" in tool.injected for tool in state.host.toolset.values()):
        shown = safe_repr(given, 40)
        raise UsageError(f'context={{"deadline": {shown}}}: use a Deadline, as in Deadline.after(5) for 5 s from now')


def _announce(state: Invocation) -> None:
    tool = state.host.toolset.get(state.call.name)
    show = partial(state.host.answering.shown_arguments, state.call, tool, state.host.toolset)
    name = state.call.name if tool is not None else state.host.answering.shown_name(state.call)
    state.stages.observe(CallStarted(state.call.id, name, show))


def _meant(state: Invocation, error: Exception) -> ToolError:
    """What an exception means that ended the stages; one that must pass is raised again."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, Refusal):
        return error.error
    if isinstance(error, (UsageError, PluginError)):
        raise error
    if state.outcome is not None and error is state.outcome.exception:
        raise error  # control flow of a framework
    message = f"mulligan itself failed ({type(error).__name__}); please report it."
    own = ToolExecutionError(message, effect="possible" if state.attempts else "none", rule="host:bug")
    own.__cause__ = error
    return own


def _prepare(state: Invocation) -> Tool | ToolError:
    """Resolve and validate: the tool with its arguments, or the error of one of the two."""
    host, call = state.host, state.call
    tool = state.tool = state.stages.resolve(call, host.toolset)
    if tool is None:
        return host.answering.not_found(call, host.toolset)
    try:
        given: Any = state.stages.validate(tool, call) if state.stages.validates else None
        given = read_arguments(call.arguments if given is None else given, host.limits, numbers=tool.numbers)
        bound = tool.fit(given)
    except ToolArgumentError as error:
        return error.with_traceback(None)
    except SchemaError as error:
        return unusable(tool.shown, error)
    state.arguments = given
    if isinstance(bound, ToolArgumentError):
        return bound
    if tool.secret:
        state.hide_secrets()
    state.bound = bound
    return tool


def _recorded(state: Invocation, memory: Memory, tool: Tool) -> Generator[Step, Outcome, ToolResult | None]:
    """The result of a call that repeats one of this conversation; None if it is a new one.

    Raises:
        ToolError: the conversation's memory refuses the call.
    """
    while isinstance(known := memory.refuse(state, tool), Sleep):
        yield known
    if isinstance(known, ToolError):
        raise known
    return known


def _let_in(refusal: ToolError | None) -> None:
    if refusal is not None:
        raise refusal


def _admit(state: Invocation, tool: Tool) -> None:
    """The deadline, injected values, and authorize."""
    clock = state.host.clock
    if state.deadline is not None and state.deadline.remaining <= 0:
        raise ToolTimeoutError("The deadline of this call passed. The tool was not run.", effect="none", rule=_LATE)
    if tool.timeout is not None and (state.deadline is None or tool.timeout < state.deadline.remaining):
        state.deadline = Deadline(clock() + tool.timeout, clock)
    if tool.injected:
        state.bound = {**state.bound, **inject(tool, state.context, state.call, state.deadline, clock)}
    if state.stages.authorizes:
        _let_in(state.stages.authorize(tool, partial(copied, state, tool), state.call))


def _repair(state: Invocation, error: ToolError) -> Generator[Step, Outcome, Tool]:
    """One pass: the repaired call is resolved and validated again; whatever goes wrong keeps the first error."""
    host, sent, tool_before, read_before = state.host, state.call, state.tool, state.arguments
    redact = host.answering.redactor.redact
    repairer = state.stages.repair(sent, error, host.toolset.without_handlers(), redact)
    if repairer is None:
        raise error
    outcome = yield timed(state, repairer if isinstance(repairer, Run) else Run(repairer))
    repaired = outcome.value
    if outcome.exception is not None or not isinstance(repaired, ToolCall):
        raise error
    state.call = sent._replace(name=repaired.name, arguments=repaired.arguments)
    tool = _prepare(state)
    host = state.host
    if isinstance(tool, ToolError) or not _may_repair(state, sent, tool):
        state.call, state.tool, state.arguments = sent, tool_before, read_before
        raise error
    state.repairs = host.answering.repairs(sent, state.call, (tool_before, tool), host.toolset)
    for repair in state.repairs:
        state.note(CallRepaired(sent.id, host.answering.shown_name(sent), repair))
    return tool


def _may_repair(state: Invocation, sent: ToolCall, tool: Tool) -> bool:
    """Whether a repaired call, which has just been validated, holds no more than a corrected call may."""
    from mulligan.repair.provenance import may_repair

    limits = state.host.limits
    return may_repair(tool, sent, read_arguments(state.call.arguments, limits), limits)


def _succeeded(state: Invocation, value: Any) -> ToolResult:
    try:
        result = state.host.answering.succeeded(state, value)
    except ToolExecutionError as error:
        return _failed(state, error)
    return _finished(state, result)


def _failed(state: Invocation, error: ToolError) -> ToolResult:
    note = ""
    if state.memory is not None:
        error = state.host.answering.classifier.complete(error, state.call, state.tool, state.arguments)
        error, note = state.memory.failed(state, error)
    return _finished(state, state.host.answering.failed(state, error, note))


def _finished(state: Invocation, result: ToolResult) -> ToolResult:
    host = state.host
    result.duration = host.clock() - state.started
    if state.memory is not None:
        state.memory.finished(state, result)
    if state.stages.observed:
        state.stages.observe(CallFinished(result))
    if host.strict and result.error is not None:
        raise _raised(host, result, result.error)
    return result


def _raised(host: Host, result: ToolResult, error: ToolError) -> ToolError:
    """The error of a result as strict mode raises it: with the existing tools, and the answer to its call."""
    if isinstance(error, ToolNotFoundError):
        error.available = tuple(show_name(name, 128) for name in islice(host.toolset, host.limits.listed_tools))
    error.__dict__["_result"] = result
    return error
