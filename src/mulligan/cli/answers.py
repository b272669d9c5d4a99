"""The answers of hookimpls and rules about one failure or value, for `mulligan explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Literal

import attrs

from mulligan.classify.failure import Failure
from mulligan.classify.rules import Rule
from mulligan.errors import ToolError
from mulligan.hooks.discovery import Hookimpl, PluginInfo
from mulligan.hooks.probing import IGNORED
from mulligan.hooks.registration import HOOKS
from mulligan.pipeline import Pipeline
from mulligan.results import ToolResult
from mulligan.tools import Tool

HookReply = Literal[
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
RuleReply = Literal["decided", "abstains", "other failures", "also matches", "failed"]


@attrs.frozen
class HookAnswer:
    """The answer of one hookimpl.

    Attributes:
        hook: its hook; empty for a plugin without hookimpls, such as a blocked one.
        plugin: the name of the plugin.
        answer: `decided`; `abstains`: it returned None; `also matches`: it would answer, too, but an earlier hookimpl
            decided; `contributes`; `failed`: it raised, or returned a wrong type; `ignored`: it claims even
            unknown inputs; `wraps`: it is a wrapper; `not loaded`, `blocked` or `disabled`: it is not called.
        says: the error class, the number of hints, or what is wrong; else None.
        marks: any of `tryfirst`, `trylast`, `wrapper` and `required`; empty for a plugin without hookimpls.
    """

    hook: str
    plugin: str
    answer: HookReply
    says: str | None = None
    marks: tuple[str, ...] = ()

    @property
    def shown_plugin(self) -> str:
        """The plugin's name, with the marks that explain its place in the order."""
        return with_marks(self.plugin, self.marks)


def with_marks(plugin: str, marks: Iterable[str]) -> str:
    """Return the name of a plugin with the marks of one of its hookimpls, as in `acme (trylast)`.

    Args:
        plugin: the name.
        marks: the marks.
    """
    listed = ", ".join(marks)
    return f"{plugin} ({listed})" if listed else plugin


def hookimpls_by_hook(infos: Iterable[PluginInfo]) -> dict[str, list[tuple[PluginInfo, Hookimpl]]]:
    """Sort the hookimpls of every hook in the order in which they are called.

    Args:
        infos: the plugins of a pipeline.
    """
    found: dict[str, list[tuple[PluginInfo, Hookimpl]]] = {hook: [] for hook in HOOKS}
    for info in infos:
        for hookimpl in info.hookimpls:
            found[hookimpl.hook].append((info, hookimpl))
    return {hook: sorted(impls, key=lambda impl: impl[1].place) for hook, impls in found.items()}


def hook_answers(pipeline: Pipeline, failure: Failure | None, result: ToolResult) -> Iterator[HookAnswer]:
    """Yield the answer of every hookimpl that takes part in handling a failure.

    Args:
        pipeline: the pipeline with the plugins.
        failure: what happened; None if mulligan itself decided, so that no plugin classifies it.
        result: the result of the call.
    """
    assert result.error is not None
    impls = hookimpls_by_hook(pipeline.plugins)
    for info, hookimpl in impls["classify"] if failure is not None else ():
        assert failure is not None
        answer = _classify_answer(pipeline, info, hookimpl, failure, result.error)
        yield attrs.evolve(answer, marks=hookimpl.marks)
    for info, hookimpl in impls["hints"]:
        answer = _hints_answer(pipeline, info, hookimpl, result.error, failure)
        yield attrs.evolve(answer, marks=hookimpl.marks)
    for info in pipeline.plugins:
        if not info.hookimpls:
            reply: HookReply = (
                "not loaded" if info.state == "failed" else "blocked" if info.state == "blocked" else "disabled"
            )
            yield HookAnswer("", info.name, reply, info.error)


def _classify_answer(
    pipeline: Pipeline, info: PluginInfo, hookimpl: Hookimpl, failure: Failure, decided: ToolError
) -> HookAnswer:
    if _has_decided(info, hookimpl, failure, decided):
        return HookAnswer("classify", info.name, "decided", type(decided).__name__)
    answer, given = _call_hookimpl(pipeline, info, hookimpl, copy(failure))
    return answer if given is None else attrs.evolve(answer, answer="also matches", says=type(given).__name__)


def _has_decided(info: PluginInfo, hookimpl: Hookimpl, failure: Failure, decided: ToolError) -> bool:
    """Whether this hookimpl decided: of a plugin with `last` rules too, the one whose rules hold the deciding one."""
    if not (decided.rule or "").startswith(f"{info.name}:"):
        return False
    rule = _deciding_rule(info, failure, decided)
    is_only = sum(impl.hook == "classify" for impl in info.hookimpls) == 1
    return is_only or rule is None or rule.last == ("trylast" in hookimpl.marks)


def _hints_answer(
    pipeline: Pipeline, info: PluginInfo, hookimpl: Hookimpl, error: ToolError, failure: Failure | None
) -> HookAnswer:
    answer, given = _call_hookimpl(pipeline, info, hookimpl, error, failure)
    count = len(given or ())
    return attrs.evolve(answer, answer="contributes", says=f"{count} hint{'s' * (count != 1)}") if count else answer


def _call_hookimpl(pipeline: Pipeline, info: PluginInfo, hookimpl: Hookimpl, *args: Any) -> tuple[HookAnswer, Any]:
    """The answer to report if a hookimpl returns None, and what it returned."""
    if "wrapper" in hookimpl.marks:
        return HookAnswer(hookimpl.hook, info.name, "wraps"), None
    fault_count = len(pipeline.faults)
    returned = hookimpl.ask(*args)
    errors = [fault.error for fault in pipeline.faults if (fault.plugin, fault.hook) == (info.name, hookimpl.hook)]
    claims = next((error for error in errors if IGNORED in error), None)
    if claims is not None:
        return HookAnswer(hookimpl.hook, info.name, "ignored", claims.partition(IGNORED)[0]), None
    if len(pipeline.faults) > fault_count and errors:
        return HookAnswer(hookimpl.hook, info.name, "failed", errors[-1]), None
    return HookAnswer(hookimpl.hook, info.name, "abstains"), returned


@attrs.frozen
class Verdict:
    """The answer of one rule.

    Attributes:
        plugin: the plugin's name.
        rule: the rule's name.
        about: the rule's description.
        answer: `decided`; `abstains`: it returned None; `other failures`: it is about others; `also
            matches`: it would answer, too, but an earlier rule decided; `failed`: it raised.
        says: the error class of its answer, or the class of the exception that it raised; else None.
    """

    plugin: str
    rule: str
    about: str
    answer: RuleReply
    says: str | None = None


def verdicts(plugins: Iterable[PluginInfo], failure: Failure, decided: ToolError) -> Iterator[Verdict]:
    """Yield the answer of each rule, plugin by plugin.

    Args:
        plugins: the plugins of a pipeline.
        failure: what happened.
        decided: how it was classified.
    """
    for plugin in plugins:
        deciding = _deciding_rule(plugin, failure, decided)
        for rule in plugin.rules if plugin.state == "active" else ():
            if rule is deciding:
                answer: RuleReply = "decided"
                says: str | None = type(decided).__name__
            else:
                answer, says = _try_rule(rule, failure)
            yield Verdict(plugin.name, rule.name, rule.about, answer, says)


def _deciding_rule(plugin: PluginInfo, failure: Failure, decided: ToolError) -> Rule | None:
    """The rule of a plugin that decided, or None. Rules may share a name: then it is the first one that answers."""
    named = [rule for rule in plugin.rules if decided.rule == f"{plugin.name}:{rule.name}"]
    if len(named) > 1:
        named.sort(key=lambda rule: _try_rule(rule, failure)[0] != "also matches")
    return named[0] if named else None


def _try_rule(rule: Rule, failure: Failure) -> tuple[RuleReply, str | None]:
    if not rule.fits(failure):
        return "other failures", None
    try:
        error = rule(copy(failure))
    except Exception as raised:
        return "failed", type(raised).__name__
    return ("abstains", None) if error is None else ("also matches", type(error).__name__)


def summarize(answers: Iterable[Verdict]) -> str:
    """Summarize the answers of one plugin's rules in one line.

    Args:
        answers: the verdicts of the rules.
    """
    by_answer: dict[RuleReply, list[str]] = {}
    for one in answers:
        shown = f"{one.rule} ({one.says})" if one.says and one.answer != "decided" else one.rule
        by_answer.setdefault(one.answer, []).append(shown)
    elsewhere = by_answer.pop("other failures", ())
    parts = [f"{answer}: {', '.join(dict.fromkeys(names))}" for answer, names in sorted(by_answer.items(), key=_rank)]
    if elsewhere:
        parts.append(f"{len(elsewhere)} for other failures")
    return "; ".join(parts)


def _rank(item: tuple[RuleReply, list[str]]) -> int:
    return ("decided", "failed", "also matches", "abstains").index(item[0])


def detect_answers(pipeline: Pipeline, tool: Tool, value: Any, decided_by: str | None) -> Iterator[HookAnswer]:
    """Yield the answer of every hookimpl that examines a returned value.

    Args:
        pipeline: the pipeline with the plugins.
        tool: the tool that returned the value.
        value: the value.
        decided_by: the plugin that found a failure in it, or None.
    """
    for info, hookimpl in hookimpls_by_hook(pipeline.plugins)["detect"] if tool.detect is True else ():
        answer, found = _call_hookimpl(pipeline, info, hookimpl, value, tool)
        reply: HookReply = "decided" if info.name == decided_by else "also matches"
        answer = answer if found is None else attrs.evolve(answer, answer=reply, says="Failure")
        yield attrs.evolve(answer, marks=hookimpl.marks)
