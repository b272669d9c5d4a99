"""Execute: one attempt after the other, with the middleware around them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from copy import copy
from functools import cache, partial
from importlib import import_module
from typing import Any, get_args

from mulligan.calls import AttemptFailed, ToolCall
from mulligan.classify.detect import may_report
from mulligan.classify.failure import Failure
from mulligan.copies import copy_call
from mulligan.deadline import Deadline, is_seconds
from mulligan.errors import ToolArgumentError, ToolError, UsageError
from mulligan.events import CallRetried, Waiting
from mulligan.execute.builtin import bind_handler
from mulligan.execute.steps import (
    ArgumentsRefused,
    DeadlineExceeded,
    Executor,
    Middleware,
    Outcome,
    Run,
    Sleep,
    Step,
    Steps,
)
from mulligan.pipeline.conversation import record_interrupted
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.policy import Policy
from mulligan.tools import Tool
from mulligan.untrusted.objects import describe, type_name
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str


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


_NEGLIGIBLE_SECONDS = 0.001


def make_run(invocation: Invocation, tool: Tool) -> Run:
    """How the tool of a call that was validated and authorized is run.

    Args:
        invocation: the call.
        tool: its tool.
    """
    if not tool._takes_only_scalars:  # noqa: SLF001
        invocation.fresh_arguments = None  # the tool may change the lists and mappings in them
    timeout = tool.timeout
    if invocation.deadline is not None:
        timeout = _total_timeout(invocation, invocation.deadline, timeout)
    if invocation.hooks.has_execute:
        executor = invocation.hooks.execute(tool, partial(copy_arguments, invocation, tool), invocation.call)
        if executor is not None:
            return Run(executor, timeout, offload=not tool.inline, lane=tool.name)
    if tool.executor is not None:
        return Run(_run_elsewhere(invocation, tool), timeout, lane=tool.name)
    keywords = invocation.keywords or invocation.handler_arguments  # the property is slow for the way of every call
    handler = bind_handler(tool, keywords)
    if handler is not None:
        return Run(handler, timeout, not tool.inline, tool.is_async, tool.name)  # on the way of every call: no keywords
    from mulligan.execute.process import make_process

    process = make_process(tool, keywords, invocation.runtime.limits)
    return Run(process, timeout, is_async=False, lane=tool.name)


def _run_elsewhere(invocation: Invocation, tool: Tool) -> Executor:
    """What the tool's executor makes of the call; if it fails at that, the call fails when it is run."""
    from mulligan.execute.executors import executor_of

    executor = executor_of(tool, invocation.runtime.executors)
    assert executor is not None
    _load_failure_modules()
    invocation.redact("")  # the first redaction reads the host's credentials
    try:
        return executor.execute(tool, copy_arguments(invocation, tool), invocation.call)
    except (*MUST_PROPAGATE, UsageError):
        raise
    except BaseException as error:
        failure = error

    def fail() -> None:
        raise failure

    return fail


@cache
def _load_failure_modules() -> None:
    """Imports what explains a failure, before a call waits for another machine: at its deadline, that would make it late."""
    for name in (
        "pipeline.failures",
        "render.next_steps",
        "resolve.lookups",
        "resolve.proposals",
        "resolve.similarity",
    ):
        import_module(f"mulligan.{name}")


def _total_timeout(invocation: Invocation, deadline: Deadline, timeout: float | None) -> float:
    """Seconds for all runs of the call together, from its start."""
    seconds = deadline.remaining + invocation.runtime.clock() - invocation.started
    return seconds if timeout is None or seconds < timeout - _NEGLIGIBLE_SECONDS else timeout


def with_deadline(invocation: Invocation, run: Run) -> Run:
    """The run, which times out by the call's deadline at the latest.

    Args:
        invocation: the call.
        run: what is run.
    """
    if invocation.deadline is None:
        return run
    left = invocation.deadline.remaining
    if run.timeout is not None and run.timeout - left < _NEGLIGIBLE_SECONDS:
        return run
    bounded = copy(run)
    bounded.timeout = left
    return bounded


def cap_sleep(invocation: Invocation, step: Sleep) -> Sleep:
    """A pause that ends by the call's deadline.

    Args:
        invocation: the call.
        step: the pause.
    """
    if invocation.deadline is None or step.seconds <= (left := invocation.deadline.remaining):
        return step
    return Sleep(left, step.signal)


def copy_arguments(invocation: Invocation, tool: Tool) -> dict[str, Any]:
    """A copy of the arguments for a plugin, so that its changes have no effect.

    Args:
        invocation: the call.
        tool: its tool.
    """
    copies = dict(invocation.handler_arguments)
    try:
        for name, value in copies.items():
            if type(value) not in _SCALARS and name not in tool.injected:
                copies[name] = _copy_json(value)
    except _NotJson:
        rebuilt = tool.fit(invocation.read_again())
        copies.update(rebuilt if isinstance(rebuilt, dict) else {})
    return copies


class _NotJson(Exception):
    """A value that was built from JSON values and has to be built again."""


_SCALARS = frozenset({str, int, float, bool, type(None)})


def _copy_json(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        return [item if type(item) in _SCALARS else _copy_json(item) for item in value]
    if kind is dict:
        return {name: _copy_json(item) for name, item in value.items()}
    raise _NotJson


def middleware_for(invocation: Invocation, tool: Tool) -> tuple[Middleware, ...]:
    """The middleware around a tool, the outermost first.

    Args:
        invocation: the call.
        tool: its tool.
    """
    if not invocation.hooks.has_middlewares:
        return invocation.runtime.middleware
    contributed = invocation.hooks.middlewares(tool)
    return (*invocation.runtime.middleware, *contributed) if contributed else invocation.runtime.middleware


def retry_by_default(invocation: Invocation, tool: Tool, outcome: Outcome) -> Steps:
    """The default retry after a transient failure, only where it is definitely safe.

    It does nothing if a middleware has decided without the tool, has run the tool more than once, or retries itself.

    Args:
        invocation: the call.
        tool: its tool.
        outcome: how the call ended so far.
    """
    default_retry = invocation.runtime.default_retry
    is_retryable = (tool.read_only or tool.idempotent) and invocation.attempts == 1 and outcome is invocation.outcome
    if not is_retryable or default_retry is None:
        return outcome
    middleware = middleware_for(invocation, tool)
    if any(getattr(one, "retries", False) is True for one in middleware):
        return outcome
    try:
        run = make_run(invocation, tool)
    except ToolArgumentError:  # the host's own classes refuse now what they took before
        return outcome
    retry = default_retry().middleware_after(outcome, invocation.started)
    return (yield from run_middleware(invocation, tool, (retry, *middleware), run))


def classify_outcome(invocation: Invocation, tool: Tool, outcome: Outcome) -> Outcome:
    """The outcome of an attempt, with what a failure means.

    Args:
        invocation: the call.
        tool: its tool.
        outcome: how the driver says that the run ended.
    """
    invocation.attempts += 1
    invocation.outcome = outcome
    if outcome.exception is not None:
        if issubclass(type(outcome.exception), ArgumentsRefused):
            invocation.attempts -= 1  # nothing ran
            raise outcome.exception
        if is_control_flow(outcome.exception, invocation.runtime.policy):
            record_interrupted(invocation)
            raise outcome.exception
        failure: Failure | None = _failure_from(invocation, tool, outcome.exception)
    else:
        value, has_detect = outcome.value, invocation.runtime.hooks.has_detect
        may_fail = tool.detect is not True or has_detect or may_report(value)
        failure = detect_failure(invocation.runtime, tool, value, lambda: invocation.arguments) if may_fail else None
        if failure is not None:
            failure.place(tool, invocation.call, invocation.arguments)
    invocation.failure = outcome.failure = failure
    if failure is not None:
        error = outcome.error = _classify_failure(invocation, tool, failure)
        if "effect" not in error.__dict__ and (error is outcome.exception or not _was_refused(error)):
            error.effect = "possible"  # it ran: only a definite rule, or a service that refused, says otherwise
        show = partial(invocation.runtime.renderer.attempt_details, error, failure)
        sent = invocation.call
        position = invocation.session_id, invocation.step
        raised_or_returned = outcome.value if outcome.exception is None else outcome.exception
        invocation.note(AttemptFailed(sent.id, sent.name, invocation.attempts, show, *position, raised_or_returned))
    return outcome


def _was_refused(error: ToolError) -> bool:
    from mulligan.classify.statuses import is_refusal

    return is_refusal(error.http_status)


def detect_failure(
    runtime: Runtime, tool: Tool, value: Any, read_arguments: Callable[[], Mapping[str, Any] | None]
) -> Failure | None:
    """The failure that a returned value reports: what the tool's own function says, else what the plugins say.

    Args:
        runtime: what is known of the pipeline.
        tool: the tool.
        value: what it returned.
        read_arguments: returns what was sent, for a value that may only repeat it; called after a failure was found.
    """
    if tool.detect is True:
        failure = runtime.hooks.detect(value, tool)
        return None if failure is not None and _is_echo(failure, value, tool, read_arguments) else failure
    if tool.detect is False:
        return None
    fault_log, culprit = runtime.fault_log, f"tool {tool.name}"
    try:
        failure = tool.detect(value)
    except MUST_PROPAGATE:
        raise
    except BaseException as error:
        fault_log.report(culprit, "detect", describe(error), error)
        return None
    if failure is None or isinstance(failure, Failure):
        return failure
    fault_log.report(culprit, "detect", f"returned {type_name(failure)} instead of a Failure or None")
    return None


def _is_echo(failure: Failure, value: Any, tool: Tool, read_arguments: Callable[[], Mapping[str, Any] | None]) -> bool:
    """Whether a failure that the built-in read from plain data is only what was sent."""
    arguments = read_arguments() if failure.is_data else None
    if not arguments:
        return False
    from mulligan.classify.detect.echoes import is_echo

    return is_echo(value, failure.told, tool, arguments)


def _classify_failure(invocation: Invocation, tool: Tool, failure: Failure) -> ToolError:
    """Classifies a failure; it precedes any effect if a middleware declares so, or if nothing has run yet."""

    def is_one_request() -> bool:
        return invocation.attempts == 0 or any(
            getattr(one, "before_effect", False) is True for one in middleware_for(invocation, tool)
        )

    classifier, hooks = invocation.runtime.classifier, invocation.hooks
    return classifier.classify(failure, hooks.classify, hooks.provider_of, is_one_request=is_one_request)


def _failure_from(invocation: Invocation, tool: Tool, exception: BaseException) -> Failure:
    return Failure(exception, tool=tool, call=invocation.call, arguments=invocation.arguments)


def _attempt(invocation: Invocation, tool: Tool, run: Run) -> Steps:
    """Runs the tool once, unless it has run before and may not run again."""
    if invocation.outcome is not None and not _may_run_again(invocation, tool, invocation.outcome):
        return invocation.outcome
    if invocation.deadline is not None and invocation.deadline.remaining <= 0:
        return invocation.outcome or Outcome(exception=DeadlineExceeded(run.timeout or 0.0, started=False))
    if invocation.outcome is not None and invocation.hooks.has_observe:
        call, number = invocation.call, invocation.attempts + 1
        invocation.hooks.observe(CallRetried(call.id, call.name, number, invocation.session_id, invocation.step))
    if invocation.outcome is not None:
        run = _with_new_arguments(invocation, tool, run)
    return classify_outcome(invocation, tool, (yield with_deadline(invocation, run)))


def _with_new_arguments(invocation: Invocation, tool: Tool, run: Run) -> Run:
    """The run with the arguments as they were validated: the tool may have changed its own."""
    handler = run.executor
    if type(tool) is not Tool or not isinstance(handler, partial) or handler.func is not tool.handler:
        return run
    fitted = tool.fit(invocation.read_again())
    if not isinstance(fitted, dict):
        return run
    again = copy(run)
    again.executor = partial(tool.handler, **{**handler.keywords, **fitted})
    return again


def _may_run_again(invocation: Invocation, tool: Tool, last: Outcome) -> bool:
    """At most once, whatever a middleware wants, unless it is declared safe or definitely had no effect."""
    if tool.read_only or tool.idempotent or (last.error is not None and last.error.effect == "none"):
        return True
    problem = (
        f"a middleware tried to run {tool.name!r} again, which is neither read_only nor idempotent; it was not run"
    )
    invocation.runtime.fault_log.report("middleware", "middlewares", problem)
    return False


def is_control_flow(exception: BaseException, policy: Policy) -> bool:
    """Whether a framework uses this exception for control flow, so that it must propagate.

    Args:
        exception: what was raised.
        policy: lists such exceptions.
    """
    if not policy.control_flow:
        return False
    classes = tuple(one for one in policy.control_flow if isinstance(one, type))
    names = [one for one in policy.control_flow if isinstance(one, str)]
    return isinstance(exception, classes) or Failure(exception).matches(*names)


class _MiddlewareFault:
    """The fault of a middleware."""

    def __init__(self, problem: str, cause: BaseException | None = None) -> None:
        self.problem = problem
        self.cause = cause


def run_middleware(invocation: Invocation, tool: Tool, middleware: tuple[Middleware, ...], run: Run) -> Steps:
    """Runs the first middleware around the others. One that breaks is left out, and the run continues without it.

    Args:
        invocation: the call.
        tool: its tool.
        middleware: the outermost first.
        run: what the innermost runs.
    """
    if not middleware:
        return (yield from _attempt(invocation, tool, run))
    steps, last = _start_middleware(middleware[0], copy(run), tool, invocation), None
    sent: Outcome | None = None
    try:
        while isinstance(step := _advance(steps, sent), (Run, Sleep)):
            if isinstance(step, Run):
                last = sent = yield from run_middleware(invocation, tool, middleware[1:], step)
            else:
                invocation.note(
                    Waiting(
                        *(invocation.call.id, invocation.call.name, step.seconds),
                        session_id=invocation.session_id,
                        step=invocation.step,
                        attempt=invocation.attempts,
                    )
                )
                sent = yield cap_sleep(invocation, step)
    finally:
        closing = _close_middleware(steps)
    if isinstance(step, Outcome) and closing is None:
        return _classify_exception(invocation, tool, step)
    step = step if isinstance(step, _MiddlewareFault) else closing or _MiddlewareFault("ended oddly")
    culprit = invocation.runtime.fault_log.plugin_of(middleware[0], _middleware_name(middleware[0]))
    invocation.runtime.fault_log.report(culprit, "middlewares", step.problem, step.cause)
    return last if last is not None else (yield from run_middleware(invocation, tool, middleware[1:], run))


def _close_middleware(steps: Steps | _MiddlewareFault) -> _MiddlewareFault | None:
    """The fault of a middleware while it was closed."""
    if isinstance(steps, _MiddlewareFault):
        return None
    try:
        steps.close()
    except MUST_PROPAGATE:
        raise
    except BaseException as error:
        return _describe(error)
    return None


def _classify_exception(invocation: Invocation, tool: Tool, outcome: Outcome) -> Outcome:
    """An exception that a middleware returns instead of an error is classified like any other."""
    if outcome.exception is not None and outcome.error is None:
        outcome.failure = _failure_from(invocation, tool, outcome.exception)
        outcome.error = _classify_failure(invocation, tool, outcome.failure)
    invocation.failure = outcome.failure or invocation.failure
    return outcome


def _describe(error: BaseException) -> _MiddlewareFault:
    return _MiddlewareFault(describe(error), error)


def _start_middleware(middleware: Middleware, run: Run, tool: Tool, invocation: Invocation) -> Steps | _MiddlewareFault:
    try:
        steps: Any = middleware(run, tool, copy_call(invocation.call))
    except MUST_PROPAGATE:
        raise
    except ToolError as error:
        return _failing_steps(error)
    except BaseException as error:
        return _describe(error)
    return (
        steps
        if isinstance(steps, Generator)
        else _MiddlewareFault("is not a generator function: it must yield the run")
    )


def _advance(steps: Steps | _MiddlewareFault, sent: Outcome | None) -> Step | Outcome | _MiddlewareFault:
    """The middleware's next step, the outcome that it returns, or its fault."""
    if isinstance(steps, _MiddlewareFault):
        return steps
    try:
        step: Any = next(steps) if sent is None else steps.send(sent)
    except StopIteration as stop:
        return _check_outcome(stop.value)
    except ToolError as error:
        return Outcome(error=error)
    except MUST_PROPAGATE:
        raise
    except BaseException as error:
        return _describe(error)
    if isinstance(step, Run) and (step.timeout is None or is_seconds(step.timeout)):
        return step
    if isinstance(step, Sleep) and is_seconds(step.seconds) and 0 <= step.seconds < float("inf"):
        return step
    return _MiddlewareFault(f"yielded {_describe_step(step)} instead of a Run, or a Sleep of some seconds")


def _describe_step(step: object) -> str:
    if isinstance(step, Run):
        return f"a Run with timeout={safe_str(step.timeout, 40)}"
    return f"Sleep({safe_str(step.seconds, 40)})" if isinstance(step, Sleep) else type_name(step)


def _check_outcome(outcome: Any) -> Outcome | _MiddlewareFault:
    if not isinstance(outcome, Outcome):
        return _MiddlewareFault(f"returned {type_name(outcome)} instead of an Outcome")
    if not isinstance(outcome.error, (ToolError, type(None))):
        return _MiddlewareFault(f"returned an Outcome whose error is {type_name(outcome.error)} instead of a ToolError")
    if not isinstance(outcome.exception, (BaseException, type(None))):
        return _MiddlewareFault(f"returned an Outcome whose exception is {type_name(outcome.exception)}")
    return outcome


def _failing_steps(error: ToolError) -> Steps:
    """A middleware that decided before it started."""
    raise error
    yield  # makes it a generator


def _middleware_name(middleware: Middleware) -> str:
    return str(getattr(middleware, "__qualname__", None) or type(middleware).__qualname__)
