"""Tests for tools, plugins and agents: what a model reads, faults, conformance suites, and chaos.

from mulligan.testing import assert_classified

def test_a_frozen_workspace():
    assert_classified(acme.Frozen(), ToolQuotaError, plugins=[mulligan_acme], rule="frozen")

Its pytest plugin has the fixtures `pipeline`, `toolset`, `fake_clock` and `model_reads`. No name of this package needs
pytest, but conformance suites are only useful in its tests.
"""

from mulligan.testing.assertions import (
    assert_classified,
    assert_fault,
    assert_no_faults,
    assert_reads,
    feedback_for,
    result_for,
)
from mulligan.testing.chaos import Chaos, Saboteur
from mulligan.testing.conformance import (
    ClassifierConformance,
    DialectConformance,
    ExecutorConformance,
    FormatConformance,
    RepairerConformance,
)
from mulligan.testing.events import Events, capture_events
from mulligan.testing.faults import Fault
from mulligan.testing.pipelines import FakeClock, TimelessPipeline
from mulligan.testing.tools import failing_tool, sample_tools

__all__ = [
    "Chaos",
    "ClassifierConformance",
    "DialectConformance",
    "Events",
    "ExecutorConformance",
    "FakeClock",
    "Fault",
    "FormatConformance",
    "RepairerConformance",
    "Saboteur",
    "TimelessPipeline",
    "assert_classified",
    "assert_fault",
    "assert_no_faults",
    "assert_reads",
    "capture_events",
    "failing_tool",
    "feedback_for",
    "result_for",
    "sample_tools",
]
