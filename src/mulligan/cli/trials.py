"""Calls every hookimpl of a pipeline with harmless sample data, to find faults. No tool runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.dialects import Dialect
from mulligan.events import CallStarted
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.discovery import Hookimpl, PluginInfo
from mulligan.pipeline import Pipeline
from mulligan.render.builtin import TextFormat
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import safe_str

_NAME = "doctor_trial"
_FAILURES = (
    RuntimeError("a trial"),
    TimeoutError("a trial"),
    ConnectionRefusedError(111, "a trial"),
    FileNotFoundError(2, "a trial", "trial.txt"),
    ValueError("a trial"),
)
Trials = Mapping[str, tuple[tuple[Any, ...], ...]]


@attrs.frozen
class Asked:
    """The outcome of the trials of one hookimpl.

    Attributes:
        plugin: its plugin.
        hook: its hook.
        seconds: the duration of its longest trial.
        gave: what it returned, trial by trial.
    """

    plugin: PluginInfo
    hook: str
    seconds: float
    gave: tuple[Any, ...]


def trial_tool() -> Tool:
    """A tool that does nothing and never runs."""
    return Tool.from_schema(_NAME, "A trial of the plugins.", {"type": "object"}, dict, read_only=True)


def ask_all(pipeline: Pipeline) -> Iterator[Asked]:
    """Calls every hookimpl of every plugin that is not built in; its errors become faults of the pipeline.

    Args:
        pipeline: the pipeline with the plugins and with the tool of `trial_tool`.
    """
    trials = _trials(pipeline)
    for plugin in pipeline.plugins:
        for hookimpl in () if plugin.built_in else plugin.hookimpls:
            if "wrapper" not in hookimpl.marks:
                yield _ask(plugin, hookimpl, trials[hookimpl.hook])


def _trials(pipeline: Pipeline) -> Trials:
    tool = pipeline.tools[_NAME]
    call, unknown = ToolCall(None, _NAME, "{}"), ToolCall(None, "doctor_trail", "{}")
    result = Pipeline([tool], autoload=False).call(unknown)
    return {
        "resolve": ((unknown, pipeline.tools), (call, pipeline.tools)),
        "validate": ((tool, call),),
        "repair": ((unknown, result.error, Toolset([tool]), str),),
        "authorize": ((tool, {}, call),),
        "execute": ((tool, {}, call),),
        "detect": (("a trial", tool), ({"trial": 1}, tool), (None, tool)),
        "classify": tuple((Failure(error),) for error in _FAILURES),
        "render_feedback": ((result.feedback, TextFormat()),),
        "count_tokens": (("a few words",),),
        "hints": ((result.error, None),),
        "middlewares": ((tool,),),
        "feedback_formats": ((),),
        "dialects": ((),),
        "observe": ((CallStarted(None, _NAME, lambda: "{}"),),),
    }


def _ask(plugin: PluginInfo, hookimpl: Hookimpl, trials: tuple[tuple[Any, ...], ...]) -> Asked:
    gave, longest = [], 0.0
    for trial in trials:
        started = time.perf_counter()
        try:
            gave.append(hookimpl.ask(*trial))
        except Exception:
            gave.append(None)  # it refused the call; the reason is in the faults of the pipeline
        longest = max(longest, time.perf_counter() - started)
    return Asked(plugin, hookimpl.hook, longest, tuple(gave))


def offers(asked: Asked) -> tuple[FeedbackFormat | Dialect, ...]:
    """The formats or dialects that a hookimpl contributes.

    Args:
        asked: the outcome of its trials.
    """
    return tuple(asked.gave[0] or ()) if asked.hook in ("feedback_formats", "dialects") else ()


def tried(offer: FeedbackFormat | Dialect) -> str | None:
    """What is wrong with a format or dialect in use; None if nothing is.

    Args:
        offer: a format or a dialect.
    """
    tool = trial_tool()
    result = Pipeline([tool], autoload=False).call("doctor_trail")
    assert result.feedback is not None
    try:
        if isinstance(offer, FeedbackFormat):
            return _misfit("render(feedback)", offer.render(result.feedback), (str, Mapping), "text or a mapping")
        wrong = _misfit("definition(tool)", offer.definition(tool), (Mapping,), "a mapping")
        return wrong or _misfit("message(result)", offer.message(result), (Mapping,), "a mapping")
    except Exception as error:
        return f"{type_name(error)}: {safe_str(error, 300)}"


def _misfit(what: str, given: Any, kinds: tuple[type, ...], wanted: str) -> str | None:
    return None if isinstance(given, kinds) else f"its {what} returned {type_name(given)} instead of {wanted}"
