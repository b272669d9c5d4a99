"""The rules of a plugin that classifies: each has a name, and says for which exception classes it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mulligan.errors import ToolError
from mulligan.failure import Failure
from mulligan.hookimpl import hookimpl

Decide = Callable[[Failure], ToolError | None]
_MOST_KNOWN = 1_000


class Rule(NamedTuple):
    """One rule.

    Attributes:
        name: what `ToolError.rule` says after the plugin's name.
        about: one sentence: what it knows.
        classes: qualified names of exception classes; without any, it is asked about every failure.
        decide: gives the error, or None.
    """

    name: str
    about: str
    classes: tuple[str, ...]
    decide: Decide


class Rules:
    """An ordered list of rules; the first one that has an answer decides.

        rules = Rules("acme")

        @rules("acme.QuotaExceeded")
        def quota(failure):
            "The month's quota is used up."
            return ToolQuotaError("Acme's quota is used up.")

        classify = rules.hookimpl()

    Args:
        provider: the service that these rules know; it is put on every error that names none.
    """

    def __init__(self, provider: str | None = None) -> None:
        self.provider = provider
        self.listed: list[Rule] = []
        self._asked: dict[type, tuple[Rule, ...]] = {}
        self._counted = 0

    def __call__(self, *classes: str) -> Callable[[Decide], Decide]:
        """Adds a function as a rule, under its own name.

        Args:
            classes: qualified names of exception classes, as `Failure.matches` takes them.
        """

        def add(decide: Decide) -> Decide:
            name = getattr(decide, "__name__", "rule")
            about = (decide.__doc__ or "").strip().split("\n")[0]
            self.listed.append(Rule(name, about, classes, decide))
            return decide

        return add

    def decide(self, failure: Failure) -> ToolError | None:
        """The answer of the first rule that has one, with the rule's name and the provider on it.

        Args:
            failure: what happened.
        """
        kind = type(failure.exception)
        asked = self._asked.get(kind) if self._counted == len(self.listed) else None
        for rule in self._ask(kind, failure) if asked is None else asked:
            error = rule.decide(failure)
            if error is not None:
                error.rule = error.rule or rule.name
                if error.provider is None and self.provider is not None:
                    error.provider = self.provider
                return error
        return None

    def _ask(self, kind: type, failure: Failure) -> tuple[Rule, ...]:
        """The rules for a type of exception; which they are depends on its classes alone, so it is found once."""
        if self._counted != len(self.listed) or len(self._asked) >= _MOST_KNOWN:
            self._asked, self._counted = {}, len(self.listed)
        asked = tuple(rule for rule in self.listed if not rule.classes or failure.matches(*rule.classes))
        self._asked[kind] = asked
        return asked

    def hookimpl(self, **options: Any) -> Callable[[Failure], ToolError | None]:
        """The rules as a hookimpl of `classify`, to be assigned to that name in a plugin's module.

        Args:
            options: those of `hookimpl`, such as `trylast=True`.
        """

        def classify(failure: Failure) -> ToolError | None:
            return self.decide(failure)

        return hookimpl(**options)(classify) if options else hookimpl(classify)
