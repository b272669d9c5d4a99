"""The package passes mulligan's own suites for executors and classifiers, as tasks and on actors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mulligan_ray
import pytest
from mulligan_ray import Ray
from ray import exceptions

from mulligan.errors import ToolQuotaError, ToolTimeoutError, ToolUnavailableError
from mulligan.testing import ClassifierConformance, ExecutorConformance


@pytest.mark.usefixtures("connected")
class TestTasks(ExecutorConformance):
    plugin = mulligan_ray
    options = {"executor": "ray"}
    declined = {}


ONE_ACTOR = Ray(actors=1)


@pytest.fixture(scope="class")
def one_actor(connected: Any) -> Iterator[None]:
    """Ends the actor, which would keep its processor for the other tests."""
    yield
    ONE_ACTOR.close()


@pytest.mark.usefixtures("one_actor")
class TestActors(ExecutorConformance):
    plugin = mulligan_ray
    options = {"executor": ONE_ACTOR}
    declined = {}


class TestFailures(ClassifierConformance):
    plugin = mulligan_ray
    samples = [
        (exceptions.WorkerCrashedError(), ToolUnavailableError),
        (exceptions.ActorDiedError(), ToolUnavailableError),
        (exceptions.OutOfMemoryError("node 10.0.0.1 is low on memory"), ToolQuotaError),
        (exceptions.GetTimeoutError("Get timed out"), ToolTimeoutError),
    ]
