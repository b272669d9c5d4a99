"""Execute: one attempt after the other, with the middleware around them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from copy import copy
from functools import partial
from typing import Any, get_args

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.copies import copied_call
from mulligan.deadline import Deadline, is_seconds
from mulligan.errors import ToolError, UsageError
from mulligan.events import Waiting
from mulligan.execute.builtin import execute
from mulligan.execute.steps import DeadlineExceeded, Middleware, Outcome, Run, Sleep, Step, Steps
from mulligan.pipeline.invocation import Invocation
from mulligan.policy import Policy
from mulligan.tools import Tool
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import safe_str
from mulligan.validate.arguments import dump, read_arguments


def inject(
    tool: Tool, context: Mapping[str, Any] | None, call: ToolCall, deadline: Deadline | None, clock: Callable[[], float]
) -> dict[str, Any]:
    """The values of a tool's injected parameters.

    A `ToolCall` and a `Deadline` come from the call itself; everything else from `context`, by the parameter's name.
    `context["deadline"]` is one of the bounds of the call's deadline, so a parameter of that name receives the earliest
    of them.

    Args:
        tool: the tool.
        context: the host's values by name.
        call: the call.
        deadline: its deadline, or None.
        clock: monotonic seconds.

    Raises:
        UsageError: a value is missing; names the tool, the parameter and the next step.
    """
    values: dict[str, Any] = {}
    for name, wanted in tool.injected.items():
        is_deadline = wanted is Deadline or Deadline in get_args(wanted)
        if context is not None and name in context and not (is_deadline and name == "deadline"):
            values[name] = context[name]
        elif wanted is ToolCall:
            values[name] = call
        elif is_deadline:
            values[name] = deadline or (Deadline(float("inf"), clock) if wanted is Deadline else None)
        elif inspect.signature(tool.handler).parameters[name].default is inspect.Parameter.empty:
            raise UsageError(f"tool {tool.name!r} needs {name!r}: pass call(..., context={{{name!r}: ...}})")
    return values


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
    handler = execute(tool, state.bound, state.call)
    if handler is not None:
        return Run(handler, timeout, not tool.inline, tool.is_async, tool.name)
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


_PASSING = (KeyboardInterrupt, GeneratorExit)
PLAIN_RESULTS = frozenset({str, int, float, bool, bytes, type(None), list, tuple, set})


def around(state: Invocation, tool: Tool) -> tuple[Middleware, ...]:
    """The middleware around a tool, the outermost first.

    Args:
        state: the call.
        tool: its tool.
    """
    if not state.stages.has_middlewares:
        return state.host.middleware
    return (*state.host.middleware, *state.stages.middlewares(tool))


def again(state: Invocation, tool: Tool, outcome: Outcome) -> Steps:
    """The default retry after a transient failure, only where it is definitely safe.

    It does nothing if a middleware has decided without the tool, has run the tool more than once, or retries itself.

    Args:
        state: the call.
        tool: its tool.
        outcome: how the call ended so far.
    """
    chances = state.host.chances
    may = (tool.read_only or tool.idempotent) and state.attempts == 1 and outcome is state.outcome
    if not may or chances is None:
        return outcome
    middleware = around(state, tool)
    if any(getattr(one, "retries", False) is True for one in middleware):
        return outcome
    later = chances().after(outcome, state.started)
    return (yield from within(state, tool, (later, *middleware), run_of(state, tool)))


def judged(state: Invocation, tool: Tool, outcome: Outcome) -> Outcome:
    """The outcome of an attempt, with what a failure means.

    Args:
        state: the call.
        tool: its tool.
        outcome: how the driver says that the run ended.
    """
    state.attempts += 1
    state.outcome = outcome
    if outcome.exception is not None:
        if _is_control_flow(outcome.exception, state.host.policy):
            if state.memory is not None:  # the framework decides whether it makes this call again, with the same id
                state.memory.abandoned(state, may_have_run=False)
            raise outcome.exception
        failure: Failure | None = _raised_by(state, tool, outcome.exception)
    elif tool.detect and (type(outcome.value) not in PLAIN_RESULTS or state.stages.doubts):
        failure = state.stages.detect(outcome.value, tool)
        if failure is not None:
            failure.place(tool, state.call, state.arguments)
    else:
        failure = None
    state.failure = outcome.failure = failure
    if failure is not None:
        error = outcome.error = _classified(state, tool, failure)
        error.__dict__.setdefault("effect", "possible")  # it ran: only a definite rule says otherwise
        state.note(state.host.answering.attempt_failed(state.call, state.attempts, error, failure))
    return outcome


def _classified(state: Invocation, tool: Tool, failure: Failure) -> ToolError:
    """Classifies a failure; it precedes any effect if a middleware declares so, or if nothing has run yet."""

    def is_one_request() -> bool:
        return state.attempts == 0 or any(getattr(one, "before_effect", False) is True for one in around(state, tool))

    classifier = state.host.answering.classifier
    return classifier.classify(failure, state.stages.classify, is_one_request=is_one_request)


def _raised_by(state: Invocation, tool: Tool, exception: BaseException) -> Failure:
    return Failure(exception, tool=tool, call=state.call, arguments=state.arguments)


def _attempt(state: Invocation, tool: Tool, run: Run) -> Steps:
    """Runs the tool once, unless it has run before and may not run again."""
    if state.outcome is not None and not _may_run_again(state, tool, state.outcome):
        return state.outcome
    if state.deadline is not None and state.deadline.remaining <= 0:
        return state.outcome or Outcome(exception=DeadlineExceeded(run.timeout or 0.0, started=False))
    return judged(state, tool, (yield timed(state, run)))


def _may_run_again(state: Invocation, tool: Tool, last: Outcome) -> bool:
    """At most once, whatever a middleware wants, unless it is declared safe or definitely had no effect."""
    if tool.read_only or tool.idempotent or (last.error is not None and last.error.effect == "none"):
        return True
    problem = (
        f"a middleware tried to run {tool.name!r} again, which is neither read_only nor idempotent; it was not run"
    )
    state.host.blame.fault("middleware", "middlewares", problem)
    return False


def _is_control_flow(exception: BaseException, policy: Policy) -> bool:
    """Whether a framework uses this exception for control flow, so that it must propagate."""
    if not policy.control_flow:
        return False
    classes = tuple(one for one in policy.control_flow if isinstance(one, type))
    names = [one for one in policy.control_flow if isinstance(one, str)]
    return isinstance(exception, classes) or Failure(exception).matches(*names)


class _Broken:
    """The fault of a middleware."""

    def __init__(self, problem: str, cause: BaseException | None = None) -> None:
        self.problem = problem
        self.cause = cause


def within(state: Invocation, tool: Tool, middleware: tuple[Middleware, ...], run: Run) -> Steps:
    """Runs the first middleware around the others. One that breaks is left out, and the run continues without it.

    Args:
        state: the call.
        tool: its tool.
        middleware: the outermost first.
        run: what the innermost runs.
    """
    if not middleware:
        return (yield from _attempt(state, tool, run))
    steps, last = _begin(middleware[0], copy(run), tool, state), None
    sent: Outcome | None = None
    try:
        while isinstance(step := _advance(steps, sent), (Run, Sleep)):
            if isinstance(step, Run):
                last = sent = yield from within(state, tool, middleware[1:], step)
            else:
                state.note(Waiting(state.call.id, state.call.name, step.seconds))
                sent = yield no_longer(state, step)
    finally:
        closing = _close(steps)
    if isinstance(step, Outcome) and closing is None:
        return _told(state, tool, step)
    step = step if isinstance(step, _Broken) else closing or _Broken("ended oddly")
    culprit = state.host.blame.owner(middleware[0], _name(middleware[0]))
    state.host.blame.fault(culprit, "middlewares", step.problem, step.cause)
    return last if last is not None else (yield from within(state, tool, middleware[1:], run))


def _close(steps: Steps | _Broken) -> _Broken | None:
    """The fault of a middleware while it was closed."""
    if isinstance(steps, _Broken):
        return None
    try:
        steps.close()
    except _PASSING:
        raise
    except BaseException as error:
        return _raised(error)
    return None


def _told(state: Invocation, tool: Tool, outcome: Outcome) -> Outcome:
    """An exception that a middleware returns instead of an error is classified like any other."""
    if outcome.exception is not None and outcome.error is None:
        outcome.failure = _raised_by(state, tool, outcome.exception)
        outcome.error = _classified(state, tool, outcome.failure)
    state.failure = outcome.failure or state.failure
    return outcome


def _raised(error: BaseException) -> _Broken:
    return _Broken(f"{type_name(error)}: {safe_str(error, 300)}", error)


def _begin(middleware: Middleware, run: Run, tool: Tool, state: Invocation) -> Steps | _Broken:
    try:
        steps: Any = middleware(run, tool, copied_call(state.call))
    except _PASSING:
        raise
    except ToolError as error:
        return _refusing(error)
    except BaseException as error:
        return _raised(error)
    return steps if isinstance(steps, Generator) else _Broken("is not a generator function: it must yield the run")


def _advance(steps: Steps | _Broken, sent: Outcome | None) -> Step | Outcome | _Broken:
    """The middleware's next step, the outcome that it returns, or its fault."""
    if isinstance(steps, _Broken):
        return steps
    try:
        step: Any = next(steps) if sent is None else steps.send(sent)
    except StopIteration as stop:
        return _ended(stop.value)
    except ToolError as error:
        return Outcome(error=error)
    except _PASSING:
        raise
    except BaseException as error:
        return _raised(error)
    if isinstance(step, Run) and (step.timeout is None or is_seconds(step.timeout)):
        return step
    if isinstance(step, Sleep) and is_seconds(step.seconds) and 0 <= step.seconds < float("inf"):
        return step
    return _Broken(f"yielded {_described(step)} instead of a Run, or a Sleep of some seconds")


def _described(step: object) -> str:
    if isinstance(step, Run):
        return f"a Run with timeout={safe_str(step.timeout, 40)}"
    return f"Sleep({safe_str(step.seconds, 40)})" if isinstance(step, Sleep) else type_name(step)


def _ended(given: Any) -> Outcome | _Broken:
    if not isinstance(given, Outcome):
        return _Broken(f"returned {type_name(given)} instead of an Outcome")
    if not isinstance(given.error, (ToolError, type(None))):
        return _Broken(f"returned an Outcome whose error is {type_name(given.error)} instead of a ToolError")
    if not isinstance(given.exception, (BaseException, type(None))):
        return _Broken(f"returned an Outcome whose exception is {type_name(given.exception)}")
    return given


def _refusing(error: ToolError) -> Steps:
    """A middleware that decided before it started."""
    raise error
    yield  # makes it a generator


def _name(middleware: Middleware) -> str:
    return str(getattr(middleware, "__qualname__", None) or type(middleware).__qualname__)
