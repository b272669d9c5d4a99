"""How a tool is run: by which executor, with which arguments, and until when."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

from mulligan.deadline import Deadline
from mulligan.execute.steps import Run, Sleep
from mulligan.pipeline.invocation import Invocation
from mulligan.tools import Tool
from mulligan.validate.arguments import dump, read_arguments

_NEGLIGIBLE = 0.001


def run_of(state: Invocation, tool: Tool) -> Run:
    """How the tool of a call that was validated and authorized is run.

    Args:
        state: the call.
        tool: its tool.
    """
    executor = state.stages.execute(tool, partial(copied, state, tool), state.call) if state.stages.executes else None
    timeout = tool.timeout if state.deadline is None else _bound(state, state.deadline, tool.timeout)
    if executor is not None:
        return Run(executor, timeout, not tool.inline, None, tool.name)
    if not tool.killable:
        return Run(partial(tool.handler, **state.bound), timeout, not tool.inline, tool.is_async, tool.name)
    from mulligan.execute.process import process_of

    return Run(process_of(tool, state.bound, state.host.limits), timeout, True, False, tool.name)


def _bound(state: Invocation, deadline: Deadline, timeout: float | None) -> float:
    """Seconds for all runs of the call together, from its start."""
    whole = deadline.remaining + state.host.clock() - state.started
    return whole if timeout is None or whole < timeout - _NEGLIGIBLE else timeout


def timed(state: Invocation, run: Run) -> Run:
    """The run, which times out by the call's deadline at the latest.

    Args:
        state: the call.
        run: what is run.
    """
    if state.deadline is None:
        return run
    left = state.deadline.remaining
    if run.timeout is not None and run.timeout - left < _NEGLIGIBLE:
        return run
    bounded = copy(run)
    bounded.timeout = left
    return bounded


def no_longer(state: Invocation, step: Sleep) -> Sleep:
    """A pause that ends by the call's deadline.

    Args:
        state: the call.
        step: the pause.
    """
    if state.deadline is None or step.seconds <= (left := state.deadline.remaining):
        return step
    return Sleep(left, step.signal)


def copied(state: Invocation, tool: Tool) -> dict[str, Any]:
    """A copy of the arguments for a plugin, so that its changes have no effect.

    Args:
        state: the call.
        tool: its tool.
    """
    shown = dict(state.bound)
    try:
        for name, value in shown.items():
            if type(value) not in _SCALARS and name not in tool.injected:
                shown[name] = _copy(value)
    except _NotJson:
        anew = tool.fit(read_arguments(dump(state.arguments), state.host.limits, numbers=tool.numbers))
        shown.update(anew if isinstance(anew, dict) else {})
    return shown


class _NotJson(Exception):
    """A value that was built from JSON values and has to be built again."""


_SCALARS = frozenset({str, int, float, bool, type(None)})


def _copy(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        return [item if type(item) in _SCALARS else _copy(item) for item in value]
    if kind is dict:
        return {name: _copy(item) for name, item in value.items()}
    raise _NotJson
