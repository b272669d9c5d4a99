"""Conformance suites: subclass the one of your plugin's hook in its tests, say which plugin it is, and pytest runs it.

from mulligan.testing import ClassifierConformance

class TestAcme(ClassifierConformance):
    plugin = mulligan_acme
    samples = [(acme.Frozen(), ToolQuotaError), (acme.Busy(wait=7), ToolRateLimitError, {"retry_after": 7})]

Each test holds one property against the whole corpus of `mulligan.testing.faults`. What fails says which fault it was, what is
wrong, and what to do. A test that cannot hold for a plugin is turned off by setting it to None, with a comment that says why.
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
