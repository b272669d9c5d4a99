"""Rules of a classifier plugin. Each rule has a name and lists the exception classes that it handles."""

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
        name: the part of `ToolError.rule` after the plugin's name.
        about: one sentence that describes the failures it covers.
        classes: qualified names of exception classes; if empty, the rule is asked about every failure.
        decide: returns the error, or None to abstain.
        provider: the service that the rule covers; it is set on every error that has no provider.
        last: whether the rule is asked after mulligan's own.
        returned: whether the rule is asked only about returned values, never about exceptions.
    """

    name: str
    about: str
    classes: tuple[str, ...]
    decide: Decide
    provider: str | None = None
    last: bool = False
    returned: bool = False

    def fits(self, failure: Failure) -> bool:
        """Whether the rule is asked about a failure."""
        if self.returned:
            return failure.exception is None
        return not self.classes or failure.matches(*self.classes)

    def __call__(self, failure: Failure) -> ToolError | None:
        """The error of the rule, with its name and provider; None if the rule abstains."""
        error = self.decide(failure)
        return None if error is None else self.signed(error)

    def signed(self, error: ToolError) -> ToolError:
        """Sets the rule's name and provider on an error that has none.

        Args:
            error: the result of `decide`.

        Raises:
            TypeError: the result is not a `ToolError`.
        """
        if not isinstance(error, ToolError):
            raise TypeError(f"the rule {self.name!r} returned {type_name(error)} instead of a ToolError or None")
        error.rule = error.rule or self.name
        if error.provider is None and self.provider is not None:
            error.provider = self.provider
        return error


class Rules:
    """An ordered list of rules; the first one that returns an error decides.

        rules = Rules("acme")
        last = Rules("acme", last=True)

        @rules("acme.QuotaExceeded")
        def quota(failure):
            "The month's quota is used up."
            return ToolQuotaError("Acme's quota is used up.")

        @last("acme.AcmeError")
        def other(failure):
            "Anything else that Acme's client raises."
            return ToolExecutionError("Acme failed.")

        classify = rules.hookimpl()
        classify_last = last.hookimpl()

    The rules of a `last` list know no more than the library that failed. They are asked after mulligan's own rules,
    once about the whole chain of causes, outermost first. So they never hide what the status, the body, the text or
    the cause of a failure says. Whichever rule decides, an
    error about one of their classes has their provider if it would have none.

    Args:
        provider: the service that these rules cover; it is set on every error that has no provider.
        last: whether the rules are asked after mulligan's own.

    Attributes:
        listed: the rules in the order in which they are asked.
    """

    def __init__(self, provider: str | None = None, *, last: bool = False) -> None:
        self.provider = provider
        self.last = last
        self.listed: list[Rule] = []
        self._rules_by_type: dict[type, tuple[Rule, ...]] = {}
        self._cached_count = 0

    def __call__(self, *classes: str) -> Callable[[Decide], Decide]:
        """Adds a function as a rule, named after the function.

        Args:
            classes: qualified names of exception classes, as in `Failure.matches`; at least one in a `last` list.

        Raises:
            UsageError: a class is passed instead of its name, the parentheses are missing, or a `last` rule names no
                class.
        """
        for qualified_name in classes:
            if not isinstance(qualified_name, str):
                name = getattr(qualified_name, "__name__", None) or type_name(qualified_name)
                raise UsageError(
                    f"@rules was given {name!r} instead of a qualified name: write @rules() for a rule about every "
                    'failure, or name its classes, as in @rules("package.Class")'
                )
        if self.last and not classes:
            raise UsageError(
                "a rule of Rules(last=True) names no class, so it would claim the failures of every library; name the "
                'classes, as in @last("package.Class")'
            )

        return lambda decide: self._add(decide, classes)

    def returned(self, decide: Decide) -> Decide:
        """Adds a function as a rule about values that tools return: `@rules.returned`. It is not asked about exceptions.

        Args:
            decide: the function; its failures have a `value`, and no exception.

        Raises:
            UsageError: it is not a function, or the list is asked last, where each rule names classes of exceptions.
        """
        if not callable(decide):
            raise UsageError(
                f"@rules.returned was given {type_name(decide)} instead of a function: write it without parentheses"
            )
        if self.last:
            raise UsageError(
                "a rule of Rules(last=True) is about exceptions of one library; add it to a list that is asked first, "
                "as in @rules.returned"
            )
        return self._add(decide, returned=True)

    def _add(self, decide: Decide, classes: tuple[str, ...] = (), *, returned: bool = False) -> Decide:
        name = getattr(decide, "__name__", "rule")
        about = (decide.__doc__ or "").strip().split("\n")[0]
        self.listed.append(Rule(name, about, classes, decide, self.provider, self.last, returned))
        return decide

    def include(self, *parts: Rules) -> None:
        """Appends the rules of other lists; each rule keeps its provider.

        Args:
            parts: the other lists.

        Raises:
            UsageError: only one of the two lists is asked last.
        """
        for part in parts:
            if part.last != self.last:
                kinds = ("last", "first") if part.last else ("first", "last")
                raise UsageError(
                    f"rules that are asked {kinds[0]} cannot be included in a list that is asked {kinds[1]}"
                )
            self.listed += part.listed

    def decide(self, failure: Failure) -> ToolError | None:
        """The error of the first rule that does not abstain, with the rule's name and provider.

        Args:
            failure: the failure to classify.
        """
        rules = self.asked(failure)
        if not rules:
            return None
        for one in failure.whole_chain if self.last else (failure,):
            for rule in self._rules_for(one) if self.last else rules:
                error = rule.decide(one)
                if error is not None:
                    return rule.signed(error)
        return None

    def asked(self, failure: Failure) -> tuple[Rule, ...]:
        """The rules that are asked about a failure. They depend only on the exception's class and are cached by it.

        Args:
            failure: the failure to classify.
        """
        if not self.last:
            return self._rules_for(failure)
        exceptions = (failure.outer or failure).exceptions
        if len(exceptions) <= 1:
            return self._rules_for(failure)
        if failure.exception is not exceptions[-1]:
            return ()
        cached = self._rules_by_type if self._cached_count == len(self.listed) else {}
        if all(cached.get(type(one)) == () for one in exceptions):  # as for most failures: another library's
            return ()
        return tuple(dict.fromkeys(rule for one in failure.whole_chain for rule in self._rules_for(one)))

    def provider_of(self, failure: Failure) -> str | None:
        """The provider of the first rule that covers the exception or one of its causes, outermost first.

        Args:
            failure: a failure that another rule may have classified.
        """
        for one in (failure, *failure.inner):
            for rule in self._rules_for(one):
                if rule.provider is not None:
                    return rule.provider
        return None

    def _rules_for(self, failure: Failure) -> tuple[Rule, ...]:
        kind = type(failure.exception)
        cached = self._rules_by_type.get(kind) if self._cached_count == len(self.listed) else None
        return self._find_rules(kind, failure) if cached is None else cached

    def _find_rules(self, kind: type, failure: Failure) -> tuple[Rule, ...]:
        if self._cached_count != len(self.listed) or len(self._rules_by_type) >= _MOST_KNOWN:
            self._rules_by_type, self._cached_count = {}, len(self.listed)
        rules = tuple(rule for rule in self.listed if rule.fits(failure))
        self._rules_by_type[kind] = rules
        return rules

    def hookimpl(self, **options: Any) -> Callable[[Failure], ToolError | None]:
        """A hookimpl of `classify` with these rules; assign it to a name in a plugin's module.

        The usual names are `classify`, and `classify_last` for a `last` list.

        Args:
            options: options of `hookimpl`, such as `tryfirst=True`; a `last` list is `trylast` without being told.
        """

        def classify(failure: Failure) -> ToolError | None:
            return self.decide(failure)

        keep_rules(classify, self)
        options.setdefault("trylast", self.last and not options.get("tryfirst"))
        impl: Callable[[Failure], ToolError | None] = hookimpl(**options, specname="classify")(classify)
        return impl


def get_rules(function: object) -> Rules | None:
    """The list of rules behind a hookimpl of `classify`; None if it has none."""
    rules = getattr(function, _RULES, None)
    return rules if isinstance(rules, Rules) else None


def keep_rules(function: object, rules: Rules | None) -> None:
    """Notes on a function that it asks a list of rules, as one does that calls a hookimpl.

    Args:
        function: the function.
        rules: the rules of the hookimpl; None if it has none.
    """
    if rules is not None:
        setattr(function, _RULES, rules)


def rules_of(function: object) -> tuple[Rule, ...]:
    """The rules behind a hookimpl of `classify`; empty if it has none."""
    rules = get_rules(function)
    return () if rules is None else tuple(rules.listed)
