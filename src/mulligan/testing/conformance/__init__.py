"""Conformance suites: subclass the suite of your plugin's hook, name the plugin, and pytest runs it.

from mulligan.testing import ClassifierConformance

class TestAcme(ClassifierConformance):
    plugin = mulligan_acme
    samples = [(acme.Frozen(), ToolQuotaError), (acme.Busy(wait=7), ToolRateLimitError, {"retry_after": 7})]

Each test checks one property against the whole corpus of `mulligan.testing.faults`. A failure names the fault, what is
wrong, and what to do. To disable a test that does not apply to a plugin, set it to None, with a comment that says why.
"""

from mulligan.testing.conformance.classifiers import ClassifierConformance
from mulligan.testing.conformance.dialects import DialectConformance
from mulligan.testing.conformance.executors import ExecutorConformance
from mulligan.testing.conformance.formats import FormatConformance
from mulligan.testing.conformance.repairers import RepairerConformance

__all__ = [
    "ClassifierConformance",
    "DialectConformance",
    "ExecutorConformance",
    "FormatConformance",
    "RepairerConformance",
]
