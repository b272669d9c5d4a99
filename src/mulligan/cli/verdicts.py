"""What every rule of every plugin says of one failure: who decided, and why others did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Literal

import attrs

from mulligan.classifying.rules import Rule
from mulligan.errors import ToolError
from mulligan.failures.failure import Failure
from mulligan.plugging.plugins import PluginInfo

Answer = Literal["decided", "no opinion", "other classes", "fits too", "failed"]


@attrs.frozen
class Verdict:
    """What one rule says.

    Attributes:
        plugin: the plugin's name.
        rule: the rule's name.
        about: what the rule knows.
        answer: `decided`; `no opinion`: it was asked and declined; `other classes`: it is not asked about such an
            exception; `fits too`: it would have an answer, but another was asked before; `failed`: it raised.
        says: the class of error that it would give, or of the exception that it raised; else None.
    """

    plugin: str
    rule: str
    about: str
    answer: Answer
    says: str | None = None


def verdicts(plugins: Iterable[PluginInfo], failure: Failure, decided: ToolError) -> Iterator[Verdict]:
    """What each rule says, plugin by plugin.

    Args:
        plugins: the plugins of a pipeline.
        failure: what happened.
        decided: how it was classified.
    """
    for plugin in plugins:
        for rule in plugin.rules if plugin.state == "active" else ():
            if decided.rule == f"{plugin.name}:{rule.name}":
                answer: Answer = "decided"
                says: str | None = type(decided).__name__
            else:
                answer, says = _ask(rule, failure)
            yield Verdict(plugin.name, rule.name, rule.about, answer, says)


def _ask(rule: Rule, failure: Failure) -> tuple[Answer, str | None]:
    if not rule.fits(failure):
        return "other classes", None
    try:
        error = rule(copy(failure))
    except Exception as raised:
        return "failed", type(raised).__name__
    return ("no opinion", None) if error is None else ("fits too", type(error).__name__)


def summary(told: Iterable[Verdict]) -> str:
    """What the rules of one plugin say, in a line.

    Args:
        told: their verdicts.
    """
    by_answer: dict[Answer, list[str]] = {}
    for one in told:
        shown = f"{one.rule} ({one.says})" if one.says and one.answer != "decided" else one.rule
        by_answer.setdefault(one.answer, []).append(shown)
    elsewhere = by_answer.pop("other classes", ())
    parts = [f"{answer}: {', '.join(names)}" for answer, names in sorted(by_answer.items(), key=_rank)]
    if elsewhere:
        parts.append(f"{len(elsewhere)} for other classes")
    return "; ".join(parts)


def _rank(item: tuple[Answer, list[str]]) -> int:
    return ("decided", "failed", "fits too", "no opinion").index(item[0])
