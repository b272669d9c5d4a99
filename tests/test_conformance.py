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
from mulligan.plugin import ToolCall
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


class TestDetect(ClassifierConformance):
    plugin = detect
    hook = "detect"
    instead_of = ("detect",)
    test_samples = None  # it finds failures, and others say what they mean
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
