"""The rules of a plugin that classifies: each has a name, and says for which exception classes it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mulligan.classify.failure import Failure
from mulligan.errors import ToolError, UsageError
from mulligan.hookimpl import hookimpl
from mulligan.untrusted.objects import type_name

Decide = Callable[[Failure], ToolError | None]
_MOST_KNOWN = 1_000
_RULES = "mulligan_rules"


class Rule(NamedTuple):
    """One rule.

    Attributes:
        name: what `ToolError.rule` says after the plugin's name.
        about: one sentence: what it knows.
        classes: qualified names of exception classes; without any, it is asked about every failure.
        decide: gives the error, or None.
        provider: the service that it knows; it is put on every error that names none.
    """

    name: str
    about: str
    classes: tuple[str, ...]
    decide: Decide
    provider: str | None = None

    def fits(self, failure: Failure) -> bool:
        """Whether the rule is asked about a failure.

        Args:
            failure: what happened.
        """
        return not self.classes or failure.matches(*self.classes)

    def __call__(self, failure: Failure) -> ToolError | None:
        """The rule's answer, with its name and provider on it; None where it has no opinion.

        Args:
            failure: what happened.
        """
        error = self.decide(failure)
        return None if error is None else self.signed(error)

    def signed(self, error: ToolError) -> ToolError:
        """The rule's answer, with its name and provider on it.

        Args:
            error: what `decide` gave.
        """
        if not isinstance(error, ToolError):
            raise TypeError(f"the rule {self.name!r} returned {type_name(error)} instead of a ToolError or None")
        error.rule = error.rule or self.name
        if error.provider is None and self.provider is not None:
            error.provider = self.provider
        return error


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

    Attributes:
        listed: the rules in the order in which they are asked.
    """

    def __init__(self, provider: str | None = None) -> None:
        self.provider = provider
        self.listed: list[Rule] = []
        self._rules_by_type: dict[type, tuple[Rule, ...]] = {}
        self._cached_count = 0

    def __call__(self, *classes: str) -> Callable[[Decide], Decide]:
        """Adds a function as a rule, under its own name.

        Args:
            classes: qualified names of exception classes, as `Failure.matches` takes them.

        Raises:
            UsageError: a class is not given by its name, or the parentheses are missing.
        """
        for qualified_name in classes:
            if not isinstance(qualified_name, str):
                name = getattr(qualified_name, "__name__", None) or type_name(qualified_name)
                raise UsageError(
                    f"@rules was given {name!r} instead of a qualified name: write @rules() for a rule about every "
                    'failure, or name its classes, as in @rules("package.Class")'
                )

        def add(decide: Decide) -> Decide:
            name = getattr(decide, "__name__", "rule")
            about = (decide.__doc__ or "").strip().split("\n")[0]
            self.listed.append(Rule(name, about, classes, decide, self.provider))
            return decide

        return add

    def include(self, *parts: Rules) -> None:
        """Adds the rules of other lists at the end; each keeps its provider.

        Args:
            parts: the other lists.
        """
        for part in parts:
            self.listed += part.listed

    def decide(self, failure: Failure) -> ToolError | None:
        """The answer of the first rule that has one, with the rule's name and the provider on it.

        Args:
            failure: what happened.
        """
        for rule in self.asked(failure):
            error = rule.decide(failure)
            if error is not None:
                return rule.signed(error)
        return None

    def asked(self, failure: Failure) -> tuple[Rule, ...]:
        """The rules that are asked about a failure. It depends on the classes of the exception alone, so it is found once.

        Args:
            failure: what happened.
        """
        kind = type(failure.exception)
        asked = self._rules_by_type.get(kind) if self._cached_count == len(self.listed) else None
        return self._find_rules(kind, failure) if asked is None else asked

    def _find_rules(self, kind: type, failure: Failure) -> tuple[Rule, ...]:
        if self._cached_count != len(self.listed) or len(self._rules_by_type) >= _MOST_KNOWN:
            self._rules_by_type, self._cached_count = {}, len(self.listed)
        asked = tuple(rule for rule in self.listed if rule.fits(failure))
        self._rules_by_type[kind] = asked
        return asked

    def hookimpl(self, **options: Any) -> Callable[[Failure], ToolError | None]:
        """The rules as a hookimpl of `classify`, to be assigned to that name in a plugin's module.

        Args:
            options: those of `hookimpl`, such as `trylast=True`.
        """

        def classify(failure: Failure) -> ToolError | None:
            return self.decide(failure)

        setattr(classify, _RULES, self)
        return hookimpl(**options)(classify) if options else hookimpl(classify)


def get_rules(function: object) -> Rules | None:
    """The list of rules behind a hookimpl of `classify`; None where it has none.

    Args:
        function: the hookimpl.
    """
    rules = getattr(function, _RULES, None)
    return rules if isinstance(rules, Rules) else None


def rules_of(function: object) -> tuple[Rule, ...]:
    """The rules behind a hookimpl of `classify`; empty where it has none that can be listed.

    Args:
        function: the hookimpl.
    """
    rules = get_rules(function)
    return () if rules is None else tuple(rules.listed)
