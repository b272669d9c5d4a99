"""The rules of all plugins, selected by the class of the exception: the same decisions as if every hookimpl is asked."""

from __future__ import annotations

import urllib.error
from types import SimpleNamespace
from typing import Any

import pytest

from mulligan import Failure, Pipeline
from mulligan.errors import ResourceNotFoundError, ToolError, ToolExecutionError, ToolQuotaError, ToolUnavailableError
from mulligan.plugin import Rules, hookimpl
from mulligan.testing.conformance.classifiers import ask_every_hookimpl
from mulligan.testing.faults import EXCEPTIONS


class AcmeError(Exception):
    """Anything that the library acme raises."""


class QuotaExceeded(AcmeError):
    """The month's quota is used up."""


class ZincError(Exception):
    """Anything that the library zinc raises."""


class UnknownError(Exception):
    """An exception that no plugin knows."""


class OtherUnknownError(Exception):
    """Another one."""


MODULE = __name__


def chain(*exceptions: BaseException) -> BaseException:
    """The exceptions, each raised from the next."""
    for outer, inner in zip(exceptions, exceptions[1:], strict=False):
        outer.__cause__ = inner
    return exceptions[0]


def plugin_of(rules: Rules, last: Rules, **options: Any) -> SimpleNamespace:
    return SimpleNamespace(
        __name__=rules.provider,
        rules=rules,
        last=last,
        classify=rules.hookimpl(**options),
        classify_last=last.hookimpl(),
    )


def acme(**options: Any) -> SimpleNamespace:
    rules, last = Rules("acme"), Rules("acme", last=True)

    @rules(f"{MODULE}.QuotaExceeded")
    def quota(failure: Failure) -> ToolError:
        """The quota is used up."""
        return ToolQuotaError("Acme's quota is used up.")

    @rules.returned
    def returned(failure: Failure) -> ToolError | None:
        """A value that reports a failure."""
        return ToolUnavailableError("Acme is down.") if failure.value == {"error": "acme is down"} else None

    @last(f"{MODULE}.AcmeError")
    def other(failure: Failure) -> ToolError:
        """Anything else of acme."""
        return ToolExecutionError("Acme failed.")

    return plugin_of(rules, last, **options)


def zinc(**options: Any) -> SimpleNamespace:
    rules, last = Rules("zinc"), Rules("zinc", last=True)

    @rules(f"{MODULE}.ZincError", "builtins.FileNotFoundError")
    def missing(failure: Failure) -> ToolError | None:
        """Zinc's file does not exist."""
        return ResourceNotFoundError("Zinc lost it.") if "zinc" in failure.text else None

    @last(f"{MODULE}.ZincError", f"{MODULE}.AcmeError")
    def other(failure: Failure) -> ToolError:
        """Anything else of zinc."""
        return ToolExecutionError("Zinc failed.")

    return plugin_of(rules, last, **options)


class Opaque:
    """A plugin whose knowledge is not listed as rules."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @hookimpl
    def classify(self, failure: Failure) -> ToolError | None:
        self.asked.append(type(failure.exception).__name__)
        return ToolUnavailableError("Opaque knows it.") if "opaque" in failure.text else None


FAILURES = (
    QuotaExceeded("over"),
    AcmeError("odd"),
    AcmeError("opaque"),
    ZincError("the zinc is gone"),
    ZincError("odd"),
    UnknownError("odd"),
    UnknownError("opaque"),
    FileNotFoundError(2, "No such file or directory", "zinc.txt"),
    FileNotFoundError(2, "No such file or directory", "other.txt"),
    urllib.error.HTTPError("http://localhost/", 404, "Not Found", {}, None),  # type: ignore[arg-type]
    chain(UnknownError("a"), QuotaExceeded("b")),
    chain(UnknownError("a"), AcmeError("b")),
    chain(AcmeError("a"), UnknownError("b")),
    chain(AcmeError("a"), UnknownError("b"), ZincError("c")),
    chain(ZincError("a"), TimeoutError("timed out"), UnknownError("c")),
    chain(UnknownError("a"), OtherUnknownError("b"), UnknownError("c")),
    chain(UnknownError("a"), OtherUnknownError("opaque"), AcmeError("c")),
    ExceptionGroup("two", [UnknownError("a"), AcmeError("b")]),
    {"error": "acme is down"},
    {"ok": False, "error": "channel_not_found"},
    "no failure at all",
)


def decision(error: ToolError | None) -> Any:
    return error and (type(error), error.message, error.rule, error.provider, error.fatal, error.resource, error.code)


@pytest.mark.parametrize(
    "plugins",
    [
        lambda: [acme(), zinc()],
        lambda: [zinc(), acme()],
        lambda: [acme(tryfirst=True), zinc(), Opaque()],
        lambda: [Opaque(), acme(), zinc(tryfirst=True), Opaque()],
        lambda: [acme(trylast=True), Opaque(), zinc()],
        list,
    ],
)
def test_the_same_rule_decides(plugins: Any) -> None:
    failures = [*FAILURES, *(fault.make() for fault in EXCEPTIONS)]
    with Pipeline(plugins=plugins(), autoload=False) as selecting, Pipeline(plugins=plugins(), autoload=False) as every:
        ask_every_hookimpl(every)
        for failure in [*failures, *reversed(failures)]:
            selected, asked = (decision(one.classify(failure)) for one in (selecting, every))
            assert selected == asked, failure


def test_each_kind_of_rule_decides_something() -> None:
    """Otherwise the comparison above compares nothing."""
    with Pipeline(plugins=[Opaque(), acme(), zinc()], autoload=False) as pipeline:
        rules = {error.rule for error in map(pipeline.classify, FAILURES) if error is not None}
    assert {"acme:quota", "acme:returned", "acme:other", "zinc:missing", "zinc:other", "Opaque:classify"} <= rules


def test_a_hookimpl_without_rules_is_always_asked() -> None:
    opaque = Opaque()
    with Pipeline(plugins=[opaque, acme()], autoload=False) as pipeline:
        pipeline.classify(chain(UnknownError("a"), AcmeError("b")))
    assert opaque.asked == ["UnknownError", "AcmeError"]


def test_a_rule_that_is_added_later_counts() -> None:
    plugin = acme()
    with Pipeline(plugins=[plugin], autoload=False) as pipeline:
        assert decision(pipeline.classify(UnknownError("odd"))) != (ToolQuotaError, "Added later.")

        @plugin.rules(f"{MODULE}.UnknownError")
        def added(failure: Failure) -> ToolError:
            """Added later."""
            return ToolQuotaError("Added later.")

        error = pipeline.classify(UnknownError("odd"))
        assert error is not None and error.rule == "acme:added"


def test_a_disabled_plugin_is_not_asked() -> None:
    rules, calls = Rules("broken"), []

    @rules(f"{MODULE}.UnknownError")
    def broken(failure: Failure) -> ToolError:
        """It always fails."""
        calls.append(failure)
        raise RuntimeError("a bug")

    plugin = SimpleNamespace(__name__="broken", classify=rules.hookimpl())
    with Pipeline(plugins=[plugin], autoload=False) as pipeline:
        for _ in range(5):
            pipeline.classify(UnknownError("odd"))
        assert len(calls) == len(pipeline.faults) == 3
        assert next(info.state for info in pipeline.plugins if info.name == "broken") == "disabled"


def test_what_a_rule_changes_is_not_seen_by_the_next() -> None:
    rules, seen = Rules("rude"), []

    @rules()
    def rude(failure: Failure) -> None:
        """It changes everything that it can reach."""
        for one in (failure, failure.outer):
            if one is not None:
                one.arguments["path"].append("changed")  # type: ignore[index]
                one.arguments = {}
                one.tool_name = "changed"

    class Watching:
        @hookimpl
        def classify(self, failure: Failure) -> None:
            seen.append((failure.arguments, failure.tool_name, failure.outer and failure.outer.arguments))

    plugin = SimpleNamespace(__name__="rude", classify=rules.hookimpl())
    sent = {"path": ["a"]}
    with Pipeline(plugins=[Watching(), plugin], autoload=False) as pipeline:
        pipeline.classify(chain(UnknownError("a"), OtherUnknownError("b")), tool="read", arguments=sent)
    assert seen == [({"path": ["a"]}, "read", None), ({"path": ["a"]}, "read", {"path": ["a"]})]
    assert sent == {"path": ["a"]}
