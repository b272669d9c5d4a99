"""Temporal keeps the contract of an executor."""

import mulligan_temporal
import pytest

from mulligan.testing import ExecutorConformance


@pytest.mark.usefixtures("conformance_worker")
class TestTemporal(ExecutorConformance):
    plugin = mulligan_temporal
    options = {"executor": "temporal"}
    declined = {}
