"""The built-in plugins pass the suites that outsiders subclass."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import abstaining
import dialect_samples
import pytest

from mulligan import Limits, errors
from mulligan.classify import builtin as classify
from mulligan.classify import detect
from mulligan.dialects import builtin as dialects
from mulligan.execute import builtin as execute
from mulligan.plugin import Rules, ToolCall
from mulligan.render import builtin as formats
from mulligan.repair.builtin import DefaultRepairer
from mulligan.testing import (
    ClassifierConformance,
    DialectConformance,
    ExecutorConformance,
    FormatConformance,
    RepairerConformance,
)


def answered(status: int, **headers: str) -> Exception:
    """An exception of a client that nobody knows, with an HTTP answer."""
    error = RuntimeError("the request failed")
    error.response = SimpleNamespace(status_code=status, headers=headers, text="")
    return error


class TestClassify(ClassifierConformance):
    plugin = classify
    samples = [
        (FileNotFoundError(errno.ENOENT, "No such file", "a.md"), errors.ResourceNotFoundError, {"resource": "a.md"}),
        (ConnectionResetError(errno.ECONNRESET, "reset"), errors.ToolConnectionError, {"transient": True}),
        (answered(429, **{"Retry-After": "7"}), errors.ToolRateLimitError, {"retry_after": 7, "rule": "http_status"}),
        (answered(401), errors.ToolAuthenticationError, {"http_status": 401, "fatal": True}),
    ]
    test_claims_only_what_it_knows = None  # it knows what Python raises, and is asked last
    test_says_no_less_than_mulligan = None  # it is what a plugin is compared with


class TestDetect(ClassifierConformance):
    plugin = detect
    hook = "detect"
    instead_of = ("detect",)
    test_samples = None  # it finds failures, and others say what they mean
    test_says_no_less_than_mulligan = None
    test_claims_only_what_it_knows = None


class TestFormats(FormatConformance):
    plugin = formats


class BuiltInDialect(DialectConformance):
    """One of the built-in dialects, with the messages of the other tests."""

    plugin = dialects

    def asking(self, calls: Sequence[ToolCall]) -> Any:
        return dialect_samples.MESSAGES[self.dialect](*calls)


class TestOpenAI(BuiltInDialect):
    dialect = "openai"


class TestOpenAIResponses(BuiltInDialect):
    dialect = "openai-responses"


class TestAnthropic(BuiltInDialect):
    dialect = "anthropic"


class TestGemini(BuiltInDialect):
    dialect = "gemini"


class TestAISDK(BuiltInDialect):
    dialect = "ai-sdk"


class TestMCP(BuiltInDialect):
    dialect = "mcp"
    several = False
    has_ids = False


class TestExecute(ExecutorConformance):
    plugin = execute
    instead_of = ("execute",)
    declined = {"killable": True}


class TestKillable(ExecutorConformance):
    """Tools in processes of their own, which the pipeline itself starts where no plugin runs them."""

    plugin = abstaining
    options = {"killable": True}


class TestRepair(RepairerConformance):
    plugin = DefaultRepairer(("json", "coerce", "name"), Limits())
    samples = [
        ("read_file", "{'path': 'a.md',}", "read_file", {"path": "a.md"}),
        ("write_file", {"path": "a.md", "count": "10"}, "write_file", {"path": "a.md", "count": 10}),
        ("Read-File", '{"path": "a.md"}', "read_file", {"path": "a.md"}),
    ]


@pytest.mark.parametrize("suite", [ClassifierConformance, DialectConformance, ExecutorConformance, FormatConformance])
def test_a_suite_without_a_plugin_says_what_is_missing(suite):
    with pytest.raises(errors.UsageError, match="does not say which plugin it tests: write plugin = my_module in it"):
        suite().required()


def suite_of(decide: Any, *samples: Any) -> ClassifierConformance:
    """The suite of a plugin whose one rule for RuntimeError is `decide`."""
    rules = Rules("acme")
    rules("RuntimeError")(decide)
    plugin = SimpleNamespace(classify=rules.hookimpl())
    return type("TestAcme", (ClassifierConformance,), {"plugin": plugin, "samples": list(samples)})()


LIMITED = answered(429, **{"Retry-After": "7"})


def acme(failure: Any) -> errors.ToolError:
    return errors.ToolExecutionError("Acme failed.")


@pytest.mark.parametrize(
    ("decide", "sample", "complaint"),
    [
        (
            acme,
            (LIMITED, errors.ToolExecutionError),
            "ToolExecutionError .acme., but mulligan alone ToolRateLimitError",
        ),
        (
            lambda failure: errors.ToolRateLimitError("Slow down."),
            (LIMITED, errors.ToolRateLimitError),
            "no retry_after, but mulligan alone reads 7",
        ),
        (
            lambda failure: errors.ResourceNotFoundError("It is not there."),
            (RuntimeError("No such file or directory: 'a.md'"), errors.ResourceNotFoundError),
            "no resource, but mulligan alone reads 'a.md'",
        ),
        (
            lambda failure: errors.ToolArgumentError("No."),
            (RuntimeError("missing required parameter 'city'"), errors.ToolArgumentError),
            "no problems, but mulligan alone reads .*'/city'",
        ),
    ],
)
def test_a_plugin_that_hides_what_mulligan_knows_alone_fails(decide: Any, sample: Any, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        suite_of(decide, sample).test_says_no_less_than_mulligan(None)


@pytest.mark.parametrize(
    ("decide", "sample"),
    [
        (acme, (LIMITED, errors.ToolExecutionError, {"message": "Acme failed."})),  # the sample says that it is meant
        (
            lambda failure: errors.ToolRateLimitError("Slow down."),
            (LIMITED, errors.ToolRateLimitError, {"retry_after": None}),
        ),
        (acme, (RuntimeError("it broke"), errors.ToolExecutionError)),
        (lambda failure: None, (LIMITED, errors.ToolRateLimitError)),
        (lambda failure: errors.ToolQuotaError("Pay."), (LIMITED, errors.ToolQuotaError)),
    ],
)
def test_a_plugin_that_says_as_much_or_means_to_say_less_passes(decide: Any, sample: Any) -> None:
    suite_of(decide, sample).test_says_no_less_than_mulligan(None)


def test_a_catch_all_that_is_asked_after_mulligan_hides_nothing() -> None:
    last = Rules("acme", last=True)
    last("RuntimeError")(acme)
    plugin = SimpleNamespace(classify_last=last.hookimpl())
    samples = [
        (LIMITED, errors.ToolRateLimitError, {"retry_after": 7}),
        (RuntimeError("it broke"), errors.ToolExecutionError, {"rule": "acme"}),
    ]
    type(
        "TestAcme", (ClassifierConformance,), {"plugin": plugin, "samples": samples}
    )().test_says_no_less_than_mulligan(None)
