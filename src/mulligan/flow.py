"""One invocation as a generator: it yields steps, is sent their outcomes, and returns the result.

Nothing in here waits, and nothing knows whether the driver is sync or async; the clock is the host's.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from mulligan.arguments import read_arguments
from mulligan.calls import ToolCall
from mulligan.deadline import Deadline
from mulligan.errors import ToolArgumentError, ToolError, ToolExecutionError, ToolNotFoundError
from mulligan.events import CallFinished, CallRepaired, CallStarted
from mulligan.guard import Refusal
from mulligan.injection import inject
from mulligan.invocation import Invocation
from mulligan.results import ToolResult
from mulligan.running import copied, run_tool
from mulligan.steps import Outcome, Run, Step
from mulligan.tools import Tool
from mulligan.validation import SchemaError

Flow: TypeAlias = "Generator[Step, Outcome, ToolResult]"


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
    stages = state.stages
    if stages.observed:
        shown = state.host.answering.shown_arguments(state.call)
        stages.observe(CallStarted(state.call.id, state.call.name, shown))
    try:
        try:
            tool = _prepare(state)
        except (ToolNotFoundError, ToolArgumentError) as error:
            if not stages.may_repair:
                raise
            tool = yield from _repair(state, error)
        _admit(state, tool)
        outcome = yield from run_tool(state, tool)
    except ToolError as error:
        return _failed(state, error)
    except Refusal as refusal:
        return _failed(state, refusal.error)
    return _succeeded(state, outcome.value) if outcome.error is None else _failed(state, outcome.error)


def _prepare(state: Invocation) -> Tool:
    """Resolve and validate."""
    host, call = state.host, state.call
    tool = state.tool = state.stages.resolve(call, host.toolset)
    if tool is None:
        raise host.answering.not_found(call, host.toolset)
    given: Any = state.stages.validate(tool, call)
    if given is None or state.stages.copies_validated:
        given = read_arguments(call.arguments if given is None else given, host.limits)
    state.arguments = given
    try:
        state.bound = tool.bind(given)
    except SchemaError as error:
        raise ToolExecutionError(f"The tool cannot be used: {error}.", effect="none", rule="host:schema") from None
    return tool


def _admit(state: Invocation, tool: Tool) -> None:
    """The conversation's memory, injected values, and authorize."""
    if state.memory is not None and state.arguments is not None:
        refused = state.memory.refuse(state.call, tool, state.arguments)
        if refused is not None:
            raise refused
    if tool.injected:
        clock = state.host.clock
        deadline = None if tool.timeout is None else Deadline(state.started + tool.timeout, clock)
        state.bound = {**state.bound, **inject(tool, state.context, state.call, deadline, clock)}
    if state.stages.authorizes:
        objection = state.stages.authorize(tool, copied(state, tool), state.call)
        if objection is not None:
            raise objection


def _repair(state: Invocation, error: ToolError) -> Generator[Step, Outcome, Tool]:
    """One pass: the repaired call is resolved and validated again; whatever goes wrong keeps the first error."""
    host, sent, first = state.host, state.call, state.tool
    repairer = state.stages.repair(sent, error, host.toolset.without_handlers())
    if repairer is None:
        raise error
    outcome = yield Run(repairer)
    repaired = outcome.value
    if outcome.exception is not None or not isinstance(repaired, ToolCall):
        raise error
    state.call = ToolCall(sent.id, repaired.name, repaired.arguments)
    try:
        tool = _prepare(state)
    except ToolError:
        tool = None
    if tool is None or (repaired.name != sent.name and not tool.read_only):
        state.call, state.tool, state.arguments = sent, first, None
        raise error
    state.repairs = host.answering.repairs(sent, state.call)
    for repair in state.repairs:
        state.note(CallRepaired(sent.id, sent.name, repair))
    return tool


def _succeeded(state: Invocation, value: Any) -> ToolResult:
    try:
        result = state.host.answering.succeeded(state, value)
    except ToolExecutionError as error:
        return _failed(state, error)
    if state.memory is not None and state.arguments is not None:
        state.memory.succeeded(state.call, state.arguments, result.content)
    return _finished(state, result)


def _failed(state: Invocation, error: ToolError) -> ToolResult:
    note = ""
    if state.memory is not None:
        error, note = state.memory.failed(state.call, state.arguments, error)
    return _finished(state, state.host.answering.failed(state, error, note))


def _finished(state: Invocation, result: ToolResult) -> ToolResult:
    host = state.host
    result.events = state.events
    result.duration = host.clock() - state.started
    if state.stages.observed:
        state.stages.observe(CallFinished(result))
    if host.strict and result.error is not None:
        raise result.error
    return result
