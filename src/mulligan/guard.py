"""The guard around one hookimpl: what it raises, or gives of a wrong type, is reported and counts as "no opinion"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from mulligan.containment import safe_str
from mulligan.dialects import Dialect
from mulligan.errors import PluginError, ToolArgumentError, ToolError, ToolPermissionError
from mulligan.facts import type_name
from mulligan.failure import Failure
from mulligan.feedback import FeedbackFormat
from mulligan.tools import Tool

Report = Callable[[str, BaseException | None], None]
_MOST_CONTRIBUTIONS = 1_000
_PASSING = (KeyboardInterrupt, GeneratorExit, PluginError)


class Refusal(Exception):
    """A hookimpl that is required crashed, so the call is refused.

    Attributes:
        error: what the call is answered with.
    """

    def __init__(self, plugin: str) -> None:
        super().__init__(plugin)
        message = "Not allowed: a check that must approve this call failed."
        self.error = ToolPermissionError(message, rule=f"{plugin}:fails-closed")

DECIDES: Mapping[str, tuple[type, ...]] = {
    "resolve": (Tool,),
    "validate": (Mapping,),
    "repair": (Callable,),  # type: ignore[dict-item]
    "authorize": (ToolError,),
    "execute": (Callable,),  # type: ignore[dict-item]
    "detect": (Failure,),
    "classify": (ToolError,),
    "render_feedback": (str, Mapping),
    "observe": (object,),
}
CONTRIBUTES: Mapping[str, tuple[type, ...]] = {
    "middlewares": (Callable,),  # type: ignore[dict-item]
    "hints": (str,),
    "feedback_formats": (FeedbackFormat,),
    "dialects": (Dialect,),
}


def guarded(
    hook: str, function: Callable[..., Any], report: Report, *, plugin: str, required: bool
) -> Callable[..., Any]:
    """A hookimpl that never raises what is its own fault.

    Args:
        hook: the hook's name.
        function: the hookimpl.
        report: told what went wrong.
        plugin: the plugin's name.
        required: whether a crash refuses the call, by a `Refusal`.
    """
    if hook in CONTRIBUTES:
        return _contributing(hook, function, report)
    wanted = DECIDES[hook]
    signs = hook in ("classify", "authorize")

    def decide(*args: Any) -> Any:
        try:
            answer = function(*args)
            if answer is None:
                return None
            if isinstance(answer, wanted):
                return _signed(answer, plugin, hook) if signs else answer
            problem, exception = f"gave {type_name(answer)} instead of {_names(wanted)} or None", None
        except _PASSING:
            raise
        except ToolArgumentError as error:
            if hook == "validate":
                raise
            problem, exception = _told(error), error
        except BaseException as error:
            problem, exception = _told(error), error
        report(problem, exception)
        if required:
            raise Refusal(plugin)
        return None

    return decide


def _contributing(hook: str, function: Callable[..., Any], report: Report) -> Callable[..., Any]:
    wanted = CONTRIBUTES[hook]

    def contribute(*args: Any) -> list[Any]:
        """Exhausts a generator in here, so that it cannot fail later, elsewhere."""
        kept: list[Any] = []
        try:
            for item in islice(_each(function(*args)), _MOST_CONTRIBUTIONS):
                if not isinstance(item, wanted):
                    report(f"gave {type_name(item)} among its {hook} instead of {_names(wanted)}", None)
                    break
                kept.append(item)
        except _PASSING:
            raise
        except BaseException as error:
            report(_told(error), error)
        return kept

    return contribute


def _each(given: Any) -> Iterable[Any]:
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"expected a list or a generator, not {type_name(given)}")
    return given


def _told(error: BaseException) -> str:
    return f"{type_name(error)}: {safe_str(error, 300)}"


def _names(types: tuple[type, ...]) -> str:
    return " or ".join("a callable" if kind is Callable else kind.__name__ for kind in types)


def _signed(error: ToolError, plugin: str, hook: str) -> ToolError:
    """The error with its rule as `plugin:rule`."""
    rule = error.rule or hook
    if not rule.startswith(f"{plugin}:"):
        error.rule = f"{plugin}:{rule}"
    return error
