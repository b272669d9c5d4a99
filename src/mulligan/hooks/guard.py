"""The guard around one hookimpl: an exception or a wrong type is reported, and the hookimpl abstains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from types import CoroutineType
from typing import Any

from mulligan.classify.failure import Failure
from mulligan.copies import copy_event
from mulligan.dialects import Dialect
from mulligan.errors import ToolArgumentError, ToolError, ToolPermissionError
from mulligan.events import CallStarted, Event
from mulligan.execute.executors import ToolExecutor
from mulligan.execute.steps import Run
from mulligan.feedback import FeedbackFormat
from mulligan.policy import Limits
from mulligan.tools import Tool
from mulligan.untrusted.objects import describe, type_name
from mulligan.untrusted.text import MUST_PROPAGATE
from mulligan.validate.arguments import read_arguments
from mulligan.validate.numbers import read_exact

Report = Callable[[str, BaseException | None], None]
BEFORE_THE_RUN = frozenset({"resolve", "validate", "repair", "authorize", "execute"})
_MOST_CONTRIBUTIONS = 1_000


def with_checked_arguments(function: Callable[..., Any], limits: Limits) -> Callable[..., Any]:
    """A hookimpl of `validate` with a checked result: the mapping is bounded and contains JSON values only.

    Args:
        function: the hookimpl.
        limits: bounds on size and depth.
    """

    def read(*args: Any) -> Any:
        answer = function(*args)
        if answer is None or not isinstance(answer, Mapping):
            return answer
        try:
            return read_arguments(answer, limits, numbers=read_exact)
        except ToolArgumentError as error:
            raise ValueError(f"returned an invalid mapping: {error.problems[0].message}") from error

    return read


class Refusal(Exception):
    """Refuses the call, since a required hookimpl crashed.

    Attributes:
        error: the error of the call.
    """

    def __init__(self, plugin: str) -> None:
        super().__init__(plugin)
        message = "Not allowed: a check that must approve this call failed."
        self.error = ToolPermissionError(message, rule=f"{plugin}:fails-closed")


class _ReturnType:
    """A type that a hookimpl may return, and its name in errors."""

    def __init__(self, name: str, fits: Callable[[Any], bool]) -> None:
        self.name = name
        self.fits = fits


def _instance_of(kind: type) -> _ReturnType:
    return _ReturnType(kind.__name__, lambda answer: isinstance(answer, kind))


def _named_instance_of(cls: type) -> _ReturnType:
    def fits(answer: Any) -> bool:
        return isinstance(answer, cls) and isinstance(getattr(answer, "name", None), str)

    return _ReturnType(f"{cls.__name__} with a name", fits)


def _is_rendered(answer: Any) -> bool:
    if isinstance(answer, str):
        return True
    if isinstance(answer, Mapping):
        import json

        json.dumps(answer)
        return True
    return False


def _is_objection(answer: Any) -> bool:
    from mulligan.execute.approval import NeedsApproval

    return isinstance(answer, (ToolError, NeedsApproval))


_CALLABLE = _ReturnType("a callable", callable)
_MAPPING = _ReturnType("a mapping", lambda answer: type(answer) is dict or isinstance(answer, Mapping))
DECIDING_HOOKS: Mapping[str, _ReturnType] = {
    "resolve": _instance_of(Tool),
    "validate": _MAPPING,
    "repair": _ReturnType("a callable", lambda answer: callable(answer) or isinstance(answer, Run)),
    "authorize": _ReturnType("ToolError, NeedsApproval", _is_objection),
    "execute": _CALLABLE,
    "detect": _instance_of(Failure),
    "classify": _instance_of(ToolError),
    "render_feedback": _ReturnType("a string or a mapping of JSON values", _is_rendered),
    "count_tokens": _ReturnType("a whole number", lambda answer: type(answer) is int and answer >= 0),
    "observe": _ReturnType("anything", lambda answer: True),
}
CONTRIBUTING_HOOKS: Mapping[str, _ReturnType] = {
    "middlewares": _CALLABLE,
    "hints": _instance_of(str),
    "feedback_formats": _named_instance_of(FeedbackFormat),
    "dialects": _named_instance_of(Dialect),
    "executors": _named_instance_of(ToolExecutor),
}


def check_result(hook: str, answer: Any) -> str | None:
    """Describes what is wrong with the result of a hook after its wrappers; None if it is valid.

    Args:
        hook: the hook's name.
        answer: the result of pluggy: one result, or a list of results.
    """
    is_list = hook in CONTRIBUTING_HOOKS or hook in ("authorize", "observe")
    if is_list and not isinstance(answer, (list, tuple)):
        return f"returned {type_name(answer)} instead of a list"
    for part in (answer if is_list else [answer]) or ():
        if hook in CONTRIBUTING_HOOKS:
            if not isinstance(part, (list, tuple)) or not all(CONTRIBUTING_HOOKS[hook].fits(item) for item in part):
                return f"returned {type_name(part)} instead of lists of {CONTRIBUTING_HOOKS[hook].name}"
        elif part is not None and not DECIDING_HOOKS[hook].fits(part):
            return f"returned {type_name(part)} instead of {DECIDING_HOOKS[hook].name} or None"
    return None


def guard_hookimpl(
    hook: str,
    function: Callable[..., Any],
    report: Report,
    *,
    plugin: str,
    required: bool,
    on_contribution: Callable[[Any], None],
) -> Callable[..., Any]:
    """A hookimpl that reports its faults instead of raising them.

    Args:
        hook: the hook's name.
        function: the hookimpl.
        report: receives each fault.
        plugin: the plugin's name.
        required: whether a crash before the run refuses the call, with a `Refusal`.
        on_contribution: receives each contribution.
    """
    if hook in CONTRIBUTING_HOOKS:
        return _guard_contributions(hook, function, report, on_contribution)
    expected, fits = DECIDING_HOOKS[hook].name, DECIDING_HOOKS[hook].fits
    adds_rule = hook in ("classify", "authorize")

    def decide(*args: Any) -> Any:
        exception: BaseException | None = None
        try:
            answer = function(*args)
            if answer is None:
                return None
            if fits(answer):
                return (
                    _with_plugin_rule(answer, plugin, hook) if adds_rule and isinstance(answer, ToolError) else answer
                )
            problem = f"returned {type_name(answer)} instead of {expected} or None"
        except MUST_PROPAGATE:
            raise
        except ToolArgumentError as error:
            if hook == "validate":
                raise
            problem, exception = describe(error), error
        except BaseException as error:
            problem, exception = describe(error), error
        report(problem, exception)
        if required and hook in BEFORE_THE_RUN:
            raise Refusal(plugin)
        return None

    return decide


def guard_observer(
    function: Callable[[Event], Any], report: Report, thread_id: Callable[[], int], *, is_off: Callable[[], bool]
) -> Callable[[Event], None]:
    """A hookimpl of `observe` that receives its own copy of the event, and reports its faults instead of raising them.

    It gets no events of the calls that it makes itself, since each would cause another.

    Args:
        function: the hookimpl.
        report: receives each fault.
        thread_id: the number of the present thread.
        is_off: whether its plugin is disabled by now: a call that runs on still has its hookimpls.
    """
    inside = 0  # the thread that it runs in; another may overwrite it, which lets one nested event pass

    def observe(event: Event) -> None:
        nonlocal inside
        thread = thread_id()
        if inside == thread or is_off():
            return
        inside = thread
        try:
            answer = function(event if type(event) is CallStarted else copy_event(event))
            if type(answer) is not CoroutineType:
                return
            answer.close()
            problem, exception = "returned a coroutine, which is not awaited; declare it `async def`", None
        except MUST_PROPAGATE:
            raise
        except BaseException as error:
            problem, exception = describe(error), error
        finally:
            inside = 0
        report(problem, exception)

    return observe


def _guard_contributions(
    hook: str, function: Callable[..., Any], report: Report, on_contribution: Callable[[Any], None]
) -> Callable[..., Any]:
    expected = CONTRIBUTING_HOOKS[hook]

    def contribute(*args: Any) -> list[Any]:
        """Exhausts a generator here, so that it cannot fail later; contributions before a crash are discarded."""
        kept: list[Any] = []
        problem, exception = "", None
        try:
            for item in islice(_iterate(function(*args)), _MOST_CONTRIBUTIONS):
                if not expected.fits(item):
                    problem = f"returned {type_name(item)} among its {hook} instead of {expected.name}"
                    break
                on_contribution(item)
                kept.append(item)
        except MUST_PROPAGATE:
            raise
        except BaseException as error:
            problem, exception = describe(error), error
        if problem:
            report(problem, exception)
            return []
        return kept

    return contribute


def _iterate(contributions: Any) -> Iterable[Any]:
    if contributions is None:
        return ()
    if isinstance(contributions, str) or not isinstance(contributions, Iterable):
        raise TypeError(f"expected a list or a generator, not {type_name(contributions)}")
    return contributions


def _with_plugin_rule(error: ToolError, plugin: str, hook: str) -> ToolError:
    """The error with its rule as `plugin:rule`."""
    rule = error.rule or hook
    if not rule.startswith(f"{plugin}:"):
        error.rule = f"{plugin}:{rule}"
    return error
