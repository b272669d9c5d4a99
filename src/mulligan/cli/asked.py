"""Which hookimpls are called for a failure, in which order, and what each of them answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Literal

import attrs

from mulligan.classify.failure import Failure
from mulligan.errors import ToolError
from mulligan.hooks.discovery import Hookimpl, PluginInfo
from mulligan.hooks.probing import LEFT_OUT
from mulligan.hooks.registration import HOOKS
from mulligan.pipeline import Pipeline
from mulligan.results import ToolResult

Reply = Literal[
    "decided",
    "abstains",
    "also matches",
    "contributes",
    "failed",
    "ignored",
    "wraps",
    "not loaded",
    "blocked",
    "disabled",
]


@attrs.frozen
class Answered:
    """What one hookimpl answered.

    Attributes:
        hook: its hook; empty for a plugin without hookimpls, such as a blocked one.
        plugin: the name of the plugin.
        answer: `decided`; `abstains`: it returned None; `also matches`: it would have an answer, but an earlier hookimpl
            decided; `contributes`; `failed`: it raised, or returned a wrong type; `ignored`: it claims what it cannot
            know; `wraps`: it is a wrapper; `not loaded`, `blocked` or `disabled`: it is not called.
        says: the error class, the number of hints, or what is wrong; else None.
    """

    hook: str
    plugin: str
    answer: Reply
    says: str | None = None


def order(infos: Iterable[PluginInfo]) -> dict[str, list[tuple[PluginInfo, Hookimpl]]]:
    """The hookimpls of every hook, in the order in which they are called.

    Args:
        infos: the plugins of a pipeline.
    """
    found: dict[str, list[tuple[PluginInfo, Hookimpl]]] = {hook: [] for hook in HOOKS}
    for info in infos:
        for hookimpl in info.hookimpls:
            found[hookimpl.hook].append((info, hookimpl))
    return {hook: sorted(impls, key=lambda impl: impl[1].place) for hook, impls in found.items()}


def answers(pipeline: Pipeline, failure: Failure | None, result: ToolResult) -> Iterator[Answered]:
    """What every hookimpl that takes part in handling a failure answers.

    Args:
        pipeline: the pipeline with the plugins.
        failure: what happened; None if mulligan itself decided, so that no plugin classifies it.
        result: the result of the call.
    """
    assert result.error is not None
    impls = order(pipeline.plugins)
    for info, hookimpl in impls["classify"] if failure is not None else ():
        yield _classifies(pipeline, info, hookimpl, failure, result.error)
    for info, hookimpl in impls["hints"]:
        yield _hints(pipeline, info, hookimpl, result.error, failure)
    for info in pipeline.plugins:
        if not info.hookimpls:
            answer: Reply = (
                "not loaded" if info.state == "failed" else "blocked" if info.state == "blocked" else "disabled"
            )
            yield Answered("", info.name, answer, info.error)


def _classifies(
    pipeline: Pipeline, info: PluginInfo, hookimpl: Hookimpl, failure: Failure | None, decided: ToolError
) -> Answered:
    if (decided.rule or "").startswith(f"{info.name}:"):
        return Answered("classify", info.name, "decided", type(decided).__name__)
    answer, given = _ask(pipeline, info, hookimpl, copy(failure))
    return answer if given is None else attrs.evolve(answer, answer="also matches", says=type(given).__name__)


def _hints(
    pipeline: Pipeline, info: PluginInfo, hookimpl: Hookimpl, error: ToolError, failure: Failure | None
) -> Answered:
    answer, given = _ask(pipeline, info, hookimpl, error, failure)
    count = len(given or ())
    return attrs.evolve(answer, answer="contributes", says=f"{count} hint{'s' * (count != 1)}") if count else answer


def _ask(pipeline: Pipeline, info: PluginInfo, hookimpl: Hookimpl, *args: Any) -> tuple[Answered, Any]:
    """What a hookimpl returns, and the answer to report if it returns None."""
    if "wrapper" in hookimpl.marks:
        return Answered(hookimpl.hook, info.name, "wraps"), None
    before = len(pipeline.faults)
    given = hookimpl.ask(*args)
    own = [fault.error for fault in pipeline.faults if (fault.plugin, fault.hook) == (info.name, hookimpl.hook)]
    claims = next((error for error in own if LEFT_OUT in error), None)
    if claims is not None:
        return Answered(hookimpl.hook, info.name, "ignored", claims.partition(LEFT_OUT)[0]), None
    if len(pipeline.faults) > before and own:
        return Answered(hookimpl.hook, info.name, "failed", own[-1]), None
    return Answered(hookimpl.hook, info.name, "abstains"), given
