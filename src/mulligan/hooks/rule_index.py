"""`RuleIndex`: the rules of all plugins in one table by the class of the exception.

A hookimpl that lists its rules is asked only if one of them is about the failure. Which those are depends on the
exception's class alone, so it is worked out once for each class. The order of the hookimpls is unchanged, and those
without rules are always asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mulligan.classify.failure import Failure
from mulligan.classify.rules import Rules
from mulligan.errors import ToolError

Classify = Callable[[Failure], ToolError | None]
_MOST_CLASSES = 1_000


class _Selection(NamedTuple):
    """The hookimpls to ask about exceptions of one class.

    Attributes:
        before: the hookimpls that come before the first list of `last` rules.
        after: the others, without lists of `last` rules.
        after_alone: the others, if the exception has no causes.
        has_last: whether any `last` rule is about the class.
    """

    before: tuple[Classify, ...]
    after: tuple[Classify, ...]
    after_alone: tuple[Classify, ...]
    has_last: bool


class RuleIndex:
    """The hook `classify`: calls the hookimpls in order until one returns an error.

    Args:
        hookimpls: the hookimpls in the order of their calls, each with its rules, or with None if it lists none.
    """

    def __init__(self, hookimpls: Iterable[tuple[Classify, Rules | None]]) -> None:
        self._hookimpls = tuple(hookimpls)
        is_last = [rules is not None and rules.last for _, rules in self._hookimpls]
        self._first_last = is_last.index(True) if True in is_last else len(is_last)
        self._lists = tuple(rules.listed for _, rules in self._hookimpls if rules is not None)
        self._rule_count = 0
        self._by_class: dict[type, _Selection] = {}

    def __call__(self, failure: Failure) -> ToolError | None:
        """The error of the first hookimpl that does not abstain; None if all abstain."""
        if sum(map(len, self._lists)) != self._rule_count or len(self._by_class) >= _MOST_CLASSES:
            self._by_class, self._rule_count = {}, sum(map(len, self._lists))
        selection = self._select(failure)
        for classify in selection.before:
            error = classify(failure)
            if error is not None:
                return error
        for classify in self._after(failure, selection):
            error = classify(failure)
            if error is not None:
                return error
        return None

    def _after(self, failure: Failure, selection: _Selection) -> tuple[Classify, ...]:
        """The hookimpls from the first list of `last` rules on; such a list is asked once about a whole chain of causes."""
        if failure.outer is None and len(failure.exceptions) <= 1:
            return selection.after_alone
        if not any(self._select(one).has_last for one in failure.whole_chain):
            return selection.after
        return tuple(classify for classify, _ in self._hookimpls[self._first_last :])

    def _select(self, failure: Failure) -> _Selection:
        kind = type(failure.exception)
        selection = self._by_class.get(kind)
        if selection is None:
            selection = self._by_class[kind] = self._find(failure)
        return selection

    def _find(self, failure: Failure) -> _Selection:
        place = self._first_last
        fitting = [rules is None or any(rule.fits(failure) for rule in rules.listed) for _, rules in self._hookimpls]
        chosen = [impl for impl, fits in zip(self._hookimpls[place:], fitting[place:], strict=True) if fits]
        after = tuple(classify for classify, rules in chosen if rules is None or not rules.last)
        return _Selection(
            tuple(impl[0] for impl, fits in zip(self._hookimpls[:place], fitting[:place], strict=True) if fits),
            after,
            tuple(classify for classify, _ in chosen),
            len(after) < len(chosen),
        )
