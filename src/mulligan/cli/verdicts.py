"""What every rule of every plugin answers for one failure: which one decided, and why others did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Literal

import attrs

from mulligan.classify.failure import Failure
from mulligan.classify.rules import Rule
from mulligan.errors import ToolError
from mulligan.hooks.discovery import PluginInfo

Answer = Literal["decided", "abstains", "other classes", "also matches", "failed"]


@attrs.frozen
class Verdict:
    """What one rule answers.

    Attributes:
        plugin: the plugin's name.
        rule: the rule's name.
        about: the rule's description.
        answer: `decided`; `abstains`: it returned None; `other classes`: it is for other exception classes; `also
            matches`: it would have an answer, but an earlier rule decided; `failed`: it raised.
        says: the error class of its answer, or the class of the exception that it raised; else None.
    """

    plugin: str
    rule: str
    about: str
    answer: Answer
    says: str | None = None


def verdicts(plugins: Iterable[PluginInfo], failure: Failure, decided: ToolError) -> Iterator[Verdict]:
    """What each rule answers, plugin by plugin.

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
    return ("abstains", None) if error is None else ("also matches", type(error).__name__)


def summary(answers: Iterable[Verdict]) -> str:
    """The answers of the rules of one plugin, in one line.

    Args:
        answers: their verdicts.
    """
    by_answer: dict[Answer, list[str]] = {}
    for one in answers:
        shown = f"{one.rule} ({one.says})" if one.says and one.answer != "decided" else one.rule
        by_answer.setdefault(one.answer, []).append(shown)
    elsewhere = by_answer.pop("other classes", ())
    parts = [f"{answer}: {', '.join(names)}" for answer, names in sorted(by_answer.items(), key=_rank)]
    if elsewhere:
        parts.append(f"{len(elsewhere)} for other classes")
    return "; ".join(parts)


def _rank(item: tuple[Answer, list[str]]) -> int:
    return ("decided", "failed", "also matches", "abstains").index(item[0])
