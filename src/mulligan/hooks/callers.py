"""The compiled hooks of a pipeline: hookimpls as plain functions, with one typed caller for each hook."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from mulligan import hookspecs
from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.dialects import Dialect
from mulligan.errors import ToolError, UsageError
from mulligan.events import Event
from mulligan.execute.executors import ToolExecutor
from mulligan.execute.steps import Executor, Middleware
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookimpl import REQUIRED
from mulligan.hooks.guard import CONTRIBUTING_HOOKS
from mulligan.hookspecs import Repairer
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.execute.approval import NeedsApproval


def is_required(hook: str, function: Any) -> bool:
    """Whether a crash of a hookimpl refuses the call.

    Args:
        hook: the hook's name.
        function: the hookimpl.
    """
    return hook == "authorize" or bool(getattr(function, REQUIRED, False))


def parameters_of(hook: str) -> tuple[str, ...]:
    """The names of a hook's parameters, in order."""
    return tuple(inspect.signature(getattr(hookspecs, hook)).parameters)


def is_wrapper(impl: Any) -> bool:
    """Whether a hookimpl of pluggy is a wrapper, old or new style."""
    return bool(impl.wrapper or impl.hookwrapper)


def marks_of(impl: Any, hook: str) -> tuple[str, ...]:
    """The marks of a hookimpl.

    Args:
        impl: pluggy's hookimpl.
        hook: the hook's name.
    """
    marks = {
        "tryfirst": impl.tryfirst,
        "trylast": impl.trylast,
        "wrapper": is_wrapper(impl),
        "required": is_required(hook, impl.function),
    }
    return tuple(word for word, holds in marks.items() if holds)


def as_positional(impl: Any, parameters: tuple[str, ...]) -> Callable[..., Any]:
    """The hookimpl as a function of all parameters of its hook; it receives only those that it declares.

    Args:
        impl: pluggy's hookimpl.
        parameters: the parameters of the hook, in order.
    """
    function, declared = impl.function, tuple(impl.argnames)
    if declared == parameters:
        return function  # type: ignore[no-any-return]
    if not declared:
        return lambda *args: function()
    if declared == parameters[:-1]:  # most hookimpls omit the last parameter
        if len(declared) == 1:
            return lambda one, _: function(one)
        if len(declared) == 2:
            return lambda one, two, _: function(one, two)
    pick = itemgetter(*map(parameters.index, declared))
    if len(declared) == 1:
        return lambda *args: function(pick(args))
    return lambda *args: function(*pick(args))


def first_result(calls: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    """A function that calls the hookimpls in order until one returns a result."""

    def decide(*args: Any) -> Any:
        for call in calls:
            answer = call(*args)
            if answer is not None:
                return answer
        return None

    return calls[0] if len(calls) == 1 else decide


def collect(calls: tuple[Callable[..., Any], ...]) -> Callable[..., list[Any]]:
    """A function that collects the contributions of all hookimpls."""
    return lambda *args: [item for call in calls for item in call(*args)]


def notify_all(calls: tuple[Callable[..., Any], ...]) -> Callable[[Event], None]:
    """A function that calls every hookimpl of `observe`."""
    if len(calls) == 1:
        return calls[0]

    def notify(event: Event) -> None:
        for call in calls:
            call(event)

    return notify


def ask_all(calls: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    """A function that asks every hookimpl of `authorize` and joins the answers."""
    return calls[0] if len(calls) == 1 else lambda *args: join_authorizations([call(*args) for call in calls])


def join_authorizations(answers: Iterable[Any]) -> ToolError | NeedsApproval | None:
    """One answer of several hookimpls of `authorize`: the first error; otherwise all reasons why approval is needed.

    Args:
        answers: an error, `NeedsApproval` or None each.
    """
    from mulligan.execute.approval import NeedsApproval

    objections = [answer for answer in answers if answer is not None]
    errors = [answer for answer in objections if isinstance(answer, ToolError)]
    if errors or len(objections) < 2:
        return next(iter(errors or objections), None)
    return NeedsApproval(" ".join(dict.fromkeys(answer.reason for answer in objections if answer.reason)))


def _nothing(*_: Any) -> None:
    return None


def _no_contributions(*_: Any) -> list[Any]:
    return []


def empty_result(hook: str) -> Callable[..., Any]:
    """A hook without hookimpls, as a function that returns None or, for a contributing hook, an empty list."""
    return _no_contributions if hook in CONTRIBUTING_HOOKS else _nothing


def without_default(hook: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """A stage without its built-in plugin, which is blocked: it fails if no other hookimpl returns a result.

    Args:
        hook: the hook's name, which is also the name of its built-in plugin.
        call: calls the other hookimpls; its first argument is the tool.
    """

    def answer_or_refuse(tool: Tool, *more: Any) -> Any:
        answer = call(tool, *more)
        if answer is None and (hook != "execute" or tool.executor is None):
            raise UsageError(
                f"the built-in plugin {hook!r} is blocked, and no other hookimpl of {hook} answered for tool "
                f"{tool.name!r}; remove {hook!r} from block, or register a plugin that implements {hook}"
            )
        return answer

    return answer_or_refuse


def flatten_result(hook: str, answer: Any) -> Any:
    """The result of pluggy in the form that the compiled hook returns.

    Args:
        hook: the hook's name.
        answer: one result, or a list of results.
    """
    if hook in CONTRIBUTING_HOOKS:
        return [item for part in answer or () for item in part]
    if hook == "authorize":
        return join_authorizations(answer or ())
    return answer


def failing_wrapper(error: BaseException, wrappers: list[Any]) -> str:
    """The plugin of the wrapper that appears in the traceback; the outermost wrapper if none does.

    Args:
        error: the exception.
        wrappers: the hook's wrappers, the outermost first.
    """
    codes = {getattr(inspect.unwrap(impl.function), "__code__", None): impl.plugin_name for impl in wrappers}
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code in codes:
            return str(codes[frame.tb_frame.f_code])
        frame = frame.tb_next
    return str(wrappers[0].plugin_name)


Hook = Callable[..., Any]
Arguments = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class CompiledHooks:
    """The hooks that the flow calls. A hook without hookimpls costs one look-up.

    Each hook is an attribute, called with the parameters of its hookspec by position. Each hookimpl receives its own
    copies (`mulligan.copies`); the arguments are passed as a function that creates a copy.

    Args:
        hooks: a function for each hook; `observe_calls` is `observe` without the plugins that need failures only.
        plugged: the hooks that any plugin but the built-in ones implements.
        provider_of: the provider whose library raised a failure, or None.

    Attributes:
        has_resolve: whether a plugin may resolve names; otherwise the tool of exactly that name is called.
        has_execute: whether a plugin decides how tools run; otherwise the flow acts as the built-in plugin does.
        has_validate: whether a plugin may read the arguments, which are then bounded again; otherwise the flow reads
            them.
        has_authorize: whether a plugin may refuse calls, or ask for a person's approval.
        has_detect: whether a plugin examines every returned value, even those that are clearly results.
        has_render: whether a plugin may render feedback; otherwise only the format does.
        has_observe: whether a plugin observes calls that succeed; failures and steps are always observed.
        has_repair: whether a plugin repairs calls.
        has_middlewares: whether a plugin contributes middleware.
    """

    def __init__(
        self, hooks: Mapping[str, Hook], plugged: frozenset[str], provider_of: Callable[[Failure], str | None]
    ) -> None:
        self.resolve: Callable[[ToolCall, Toolset], Tool | None] = hooks["resolve"]
        self.validate: Callable[[Tool, ToolCall], Mapping[str, Any] | None] = hooks["validate"]
        self.repair: Callable[[ToolCall, ToolError, Toolset, Callable[[str], str]], Repairer | None] = hooks["repair"]
        self.authorize: Callable[[Tool, Arguments, ToolCall], ToolError | NeedsApproval | None]
        self.authorize = hooks["authorize"]
        self.execute: Callable[[Tool, Arguments, ToolCall], Executor | None] = hooks["execute"]
        self.detect: Callable[[Any, Tool], Failure | None] = hooks["detect"]
        self.classify: Callable[[Failure], ToolError | None] = hooks["classify"]
        self.provider_of = provider_of
        self.render_feedback: Callable[[Feedback, FeedbackFormat], str | Mapping[str, Any] | None]
        self.render_feedback = hooks["render_feedback"]
        self.count_tokens: Callable[[str], int | None] = hooks["count_tokens"]
        self.hints: Callable[[ToolError, Failure | None], list[str]] = hooks["hints"]
        self.observe: Callable[[Event], None] = hooks["observe"]
        self.observe_calls: Callable[[Event], None] = hooks.get("observe_calls", hooks["observe"])
        self._middlewares: Callable[[Tool], list[Middleware]] = hooks["middlewares"]
        self._formats: Callable[[], list[FeedbackFormat]] = hooks["feedback_formats"]
        self._dialects: Callable[[], list[Dialect]] = hooks["dialects"]
        self._executors: Callable[[], list[ToolExecutor]] = hooks["executors"]
        self.has_resolve = "resolve" in plugged
        self.has_execute = "execute" in plugged
        self.has_validate = "validate" in plugged
        self.has_authorize = "authorize" in plugged
        self.has_detect = "detect" in plugged
        self.has_render = "render_feedback" in plugged
        self.has_observe = "observe" in plugged
        self.has_repair = "repair" in plugged
        self.has_middlewares = "middlewares" in plugged
        self._middlewares_by_tool: dict[int, tuple[Tool, tuple[Middleware, ...]]] = {}

    def without_observers(self) -> CompiledHooks:
        """The same hooks without the observers."""
        twin = copy(self)
        twin.observe = twin.observe_calls = _nothing
        twin.has_observe = False
        return twin

    def keep_middlewares(self, before: CompiledHooks) -> None:
        """Keeps the middleware that was collected before a plugin without any was imported: it may count calls.

        Args:
            before: the hooks as they were.
        """
        self._middlewares_by_tool = before._middlewares_by_tool

    def middlewares(self, tool: Tool) -> tuple[Middleware, ...]:
        """The middleware of a tool, outermost first; collected once per tool."""
        cached = self._middlewares_by_tool.get(id(tool))
        if cached is None or cached[0] is not tool:
            cached = self._middlewares_by_tool[id(tool)] = (tool, tuple(self._middlewares(tool)))
        return cached[1]

    def formats(self) -> dict[str, FeedbackFormat]:
        """The feedback formats by name; if two have the same name, the one that was collected first counts."""
        return {format.name: format for format in reversed(self._formats())}

    def dialects(self) -> dict[str, Dialect]:
        """The dialects by name, in the order in which they are asked; if two have the same name, the first counts."""
        by_name: dict[str, Dialect] = {}
        for dialect in self._dialects():
            by_name.setdefault(dialect.name, dialect)
        return by_name

    def executors(self) -> dict[str, ToolExecutor]:
        """The executors by name; if two have the same name, the one that was collected first counts."""
        return {executor.name: executor for executor in reversed(self._executors())}
