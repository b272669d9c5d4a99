"""The compiled hooks of a pipeline: hookimpls as plain functions, one typed caller for each hook."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from mulligan import hookspecs
from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.dialects import Dialect
from mulligan.errors import ToolError, UsageError
from mulligan.events import Event
from mulligan.execute.steps import Executor, Middleware
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookimpl import REQUIRED
from mulligan.hooks.guard import CONTRIBUTING_HOOKS
from mulligan.hookspecs import Repairer
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool


def is_required(hook: str, function: Any) -> bool:
    """Whether the crash of a hookimpl refuses the call.

    Args:
        hook: the hook's name.
        function: the hookimpl.
    """
    return hook == "authorize" or bool(getattr(function, REQUIRED, False))


def parameters_of(hook: str) -> tuple[str, ...]:
    """The parameters of a hook, in order.

    Args:
        hook: its name.
    """
    return tuple(inspect.signature(getattr(hookspecs, hook)).parameters)


def is_wrapper(impl: Any) -> bool:
    """Whether a hookimpl of pluggy is a wrapper, old or new.

    Args:
        impl: the hookimpl.
    """
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
    """The hookimpl as a function of all parameters of its hook; it receives those that it declares.

    Args:
        impl: pluggy's hookimpl.
        parameters: the parameters of the hook, in order.
    """
    function, wanted = impl.function, tuple(impl.argnames)
    if wanted == parameters:
        return function  # type: ignore[no-any-return]
    if not wanted:
        return lambda *args: function()
    if wanted == parameters[:-1]:  # most hookimpls leave out the last one
        if len(wanted) == 1:
            return lambda one, _: function(one)
        if len(wanted) == 2:
            return lambda one, two, _: function(one, two)
    pick = itemgetter(*map(parameters.index, wanted))
    if len(wanted) == 1:
        return lambda *args: function(pick(args))
    return lambda *args: function(*pick(args))


def first_result(calls: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    """Calls one hookimpl after another until one has an answer.

    Args:
        calls: the hookimpls.
    """

    def decide(*args: Any) -> Any:
        for call in calls:
            answer = call(*args)
            if answer is not None:
                return answer
        return None

    return calls[0] if len(calls) == 1 else decide


def collect(calls: tuple[Callable[..., Any], ...]) -> Callable[..., list[Any]]:
    """Collects the contributions of all hookimpls.

    Args:
        calls: the hookimpls.
    """
    return lambda *args: [item for call in calls for item in call(*args)]


def call_all(calls: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    """Calls every hookimpl; the first answer counts.

    Args:
        calls: the hookimpls.
    """
    if len(calls) == 1:
        return calls[0]

    def ask(*args: Any) -> Any:
        answers = [call(*args) for call in calls]
        return next((answer for answer in answers if answer is not None), None)

    return ask


def _nothing(*_: Any) -> None:
    return None


def _no_contributions(*_: Any) -> list[Any]:
    return []


def empty_result(hook: str) -> Callable[..., Any]:
    """The result of a hook without hookimpls.

    Args:
        hook: its name.
    """
    return _no_contributions if hook in CONTRIBUTING_HOOKS else _nothing


def without_default(hook: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """A stage whose built-in plugin is blocked: some other hookimpl must answer.

    Args:
        hook: the hook's name, which is that of its built-in plugin.
        call: asks the other hookimpls; its first argument is the tool.
    """

    def answer_or_refuse(tool: Tool, *more: Any) -> Any:
        answer = call(tool, *more)
        if answer is None:
            raise UsageError(
                f"the built-in plugin {hook!r} is blocked, and no other hookimpl of {hook} answered for tool "
                f"{tool.name!r}; remove {hook!r} from block, or register a plugin that implements {hook}"
            )
        return answer

    return answer_or_refuse


def flatten_result(hook: str, answer: Any) -> Any:
    """The answer of pluggy, in the form that the compiled hook returns.

    Args:
        hook: the hook's name.
        answer: one answer, or a list of them.
    """
    if hook in CONTRIBUTING_HOOKS:
        return [item for part in answer or () for item in part]
    if hook == "authorize":
        return next((error for error in answer or () if error is not None), None)
    return answer


def failing_wrapper(error: BaseException, wrappers: list[Any]) -> str:
    """The plugin whose wrapper is in the traceback; the outermost one if none is.

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

    The hooks themselves are attributes, called with the parameters of their hookspec by position. Each hookimpl is given
    copies of its own (`mulligan.copies`); of the arguments, by a function that makes one.

    Args:
        hooks: each hook as a function.
        outside: the hooks that a plugin other than the built-in ones implements.

    Attributes:
        executes: a plugin decides how tools run; otherwise the flow does the same as the built-in plugin.
        validates: a plugin may read the arguments, so they are bounded again; otherwise the flow reads them.
        authorizes: a plugin may refuse calls.
        doubts: a plugin examines every returned value, even those that are clearly results.
        rewords: a plugin may render feedback; otherwise only the format does.
        observed: a plugin observes.
        may_repair: a plugin repairs.
        has_middlewares: a plugin contributes middleware.
    """

    def __init__(self, hooks: Mapping[str, Hook], plugged: frozenset[str]) -> None:
        self.resolve: Callable[[ToolCall, Toolset], Tool | None] = hooks["resolve"]
        self.validate: Callable[[Tool, ToolCall], Mapping[str, Any] | None] = hooks["validate"]
        self.repair: Callable[[ToolCall, ToolError, Toolset, Callable[[str], str]], Repairer | None] = hooks["repair"]
        self.authorize: Callable[[Tool, Arguments, ToolCall], ToolError | None] = hooks["authorize"]
        self.execute: Callable[[Tool, Arguments, ToolCall], Executor | None] = hooks["execute"]
        self.detect: Callable[[Any, Tool], Failure | None] = hooks["detect"]
        self.classify: Callable[[Failure], ToolError | None] = hooks["classify"]
        self.render_feedback: Callable[[Feedback, FeedbackFormat], str | Mapping[str, Any] | None]
        self.render_feedback = hooks["render_feedback"]
        self.count_tokens: Callable[[str], int | None] = hooks["count_tokens"]
        self.hints: Callable[[ToolError, Failure | None], list[str]] = hooks["hints"]
        self.observe: Callable[[Event], None] = hooks["observe"]
        self._middlewares: Callable[[Tool], list[Middleware]] = hooks["middlewares"]
        self._formats: Callable[[], list[FeedbackFormat]] = hooks["feedback_formats"]
        self._dialects: Callable[[], list[Dialect]] = hooks["dialects"]
        self.has_execute = "execute" in plugged
        self.has_validate = "validate" in plugged
        self.has_authorize = "authorize" in plugged
        self.has_detect = "detect" in plugged
        self.has_render = "render_feedback" in plugged
        self.has_observe = "observe" in plugged
        self.has_repair = "repair" in plugged
        self.has_middlewares = "middlewares" in plugged
        self._middlewares_by_tool: dict[int, tuple[Tool, tuple[Middleware, ...]]] = {}

    def middlewares(self, tool: Tool) -> tuple[Middleware, ...]:
        """The middleware of a tool, outermost first; collected once per tool.

        Args:
            tool: the tool.
        """
        cached = self._middlewares_by_tool.get(id(tool))
        if cached is None or cached[0] is not tool:
            cached = self._middlewares_by_tool[id(tool)] = (tool, tuple(self._middlewares(tool)))
        return cached[1]

    def formats(self) -> dict[str, FeedbackFormat]:
        """The feedback formats by name; of two with the same name, the one that was called first counts."""
        return {format.name: format for format in reversed(self._formats())}

    def dialects(self) -> dict[str, Dialect]:
        """The dialects by name, in the order of their calls; of two with the same name, the first counts."""
        found: dict[str, Dialect] = {}
        for dialect in self._dialects():
            found.setdefault(dialect.name, dialect)
        return found
