"""One invocation as a generator: it yields steps, is sent their outcomes, and returns the result.

Nothing in here waits, and nothing knows whether the driver is sync or async; the clock is the host's.
"""

from __future__ import annotations

from collections.abc import Generator
from copy import copy
from functools import partial
from typing import Any, TypeAlias

from mulligan.arguments import read_arguments
from mulligan.calls import ToolCall
from mulligan.deadline import Deadline
from mulligan.errors import PluginError, ToolArgumentError, ToolError, ToolExecutionError, UsageError
from mulligan.events import CallFinished, CallRepaired, CallStarted
from mulligan.guard import Refusal
from mulligan.injection import inject
from mulligan.invocation import Invocation
from mulligan.results import ToolResult
from mulligan.running import around, copied, judged, run_of, within
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
    state.started = state.host.clock()
    if state.stages.observed:
        _announce(state)
    try:
        tool = _prepare(state)
        if isinstance(tool, ToolError):
            if not state.stages.may_repair:
                return _failed(state, tool)
            tool = yield from _repair(state, tool)
        _admit(state, tool)
        middleware = around(state, tool)
        if middleware:
            outcome = yield from within(state, tool, middleware, run_of(state, tool))
        else:
            outcome = judged(state, tool, (yield run_of(state, tool)))  # the run is not kept while it goes on
    except Exception as error:
        return _failed(state, _meant(state, error))
    return _succeeded(state, outcome.value) if outcome.error is None else _failed(state, outcome.error)


def _announce(state: Invocation) -> None:
    tool = state.host.toolset.get(state.call.name)
    show = partial(state.host.answering.shown_arguments, state.call, tool)
    state.stages.observe(CallStarted(state.call.id, state.call.name, show))


def _meant(state: Invocation, error: Exception) -> ToolError:
    """What an exception means that ended the stages; one that must pass is raised again."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, Refusal):
        return error.error
    if isinstance(error, (UsageError, PluginError)):
        raise error
    if state.outcome is not None and error is state.outcome.exception:
        raise error  # a framework steers with it
    message = f"mulligan itself failed ({type(error).__name__}); please report it."
    own = ToolExecutionError(message, effect="possible" if state.attempts else "none", rule="host:bug")
    own.__cause__ = error
    return own


def _prepare(state: Invocation) -> Tool | ToolError:
    """Resolve and validate: the tool, its arguments bound; or why there is none, or why they do not fit."""
    host, call = state.host, state.call
    tool = state.tool = state.stages.resolve(call, host.toolset)
    if tool is None:
        return host.answering.not_found(call, host.toolset)
    try:
        given: Any = state.stages.validate(tool, call) if state.stages.validates else None
        given = read_arguments(call.arguments if given is None else given, host.limits)
        bound = tool.fit(given)
    except ToolArgumentError as error:
        return error.with_traceback(None)
    except SchemaError as error:
        return ToolExecutionError(f"The tool cannot be used: {error}.", effect="none", rule="host:schema")
    state.arguments = given
    if tool.secret:
        host.answering.register_secrets(tool, given)
    if isinstance(bound, ToolArgumentError):
        return bound
    state.bound = bound
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
        refused = None
        for check in state.stages.checks:  # each is asked, also when one has refused
            objection = check(tool, copied(state, tool), state.call)
            refused = objection if refused is None else refused
        if refused is not None:
            raise refused


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
    state.call = sent._replace(name=repaired.name, arguments=repaired.arguments)
    tool = _prepare(state)
    if isinstance(tool, ToolError) or (repaired.name != sent.name and not tool.read_only):
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
    result.duration = host.clock() - state.started
    if state.stages.observed:
        state.stages.observe(CallFinished(copy(result)))
    if host.strict and result.error is not None:
        raise result.error
    return result
