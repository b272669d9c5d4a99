"""What holds for the package without a cluster."""

from __future__ import annotations

import math
import pathlib
import subprocess
import sys
import time
from typing import Any

import mulligan_ray
import pytest
from mulligan_ray import Ray
from mulligan_ray.executor import _STOPPING_SECONDS, _stopping_seconds
from mulligan_ray.failures import engine_error
from ray import exceptions

from mulligan import Pipeline, Tool
from mulligan.errors import ToolConnectionError, ToolError, ToolUnavailableError, UsageError
from mulligan.plugin import Deadline


@pytest.fixture
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cluster is named, and this process is not connected."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr("mulligan_ray.executor.connection", lambda: None)


def square(number: int) -> int:
    """Squares a number."""
    return number * number


def test_ray_is_not_imported() -> None:
    code = "import mulligan_ray, sys; mulligan_ray.Ray().problem(); print('ray' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_cpus": -1}, "Ray(num_cpus=-1): use a number, at least 0"),
        ({"memory": math.nan}, "Ray(memory=nan): use a number, at least 0"),
        ({"resources": {"licence": "one"}}, "Ray(licence='one'): use a number, at least 0"),
        ({"actors": 1.5}, "Ray(actors=1.5): use a whole number, at least 0"),
        ({"in_flight": 0}, "Ray(in_flight=0): use a whole number, at least 1"),
        ({"address": "auto", "start": True}, "Ray(address=..., start=True) contradict each other; remove one of them"),
    ],
)
def test_impossible_options(options: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Ray(**options)
    assert str(caught.value) == text


@pytest.mark.usefixtures("unnamed")
def test_without_a_named_cluster_nothing_is_started() -> None:
    with Pipeline([Tool.from_function(square, executor="ray")], plugins=[mulligan_ray], autoload=False) as pipeline:
        (info,) = pipeline.executors
        assert info.problem is not None
        assert info.problem.startswith("No Ray cluster is named. Set RAY_ADDRESS, or use Ray(address=...)")
        with pytest.raises(UsageError, match="tool 'square' runs on ray: No Ray cluster is named"):
            pipeline.call("square", {"number": 2})


def test_a_cluster_that_cannot_be_reached_is_the_executors_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(member: int, address: str | None, lost: object) -> None:
        raise ConnectionError(f"Failed to connect to {address}")

    monkeypatch.setattr("mulligan_ray.cluster.join", refuse)
    executor = Ray(address="127.0.0.1:1")
    with Pipeline([Tool.from_function(square, executor=executor)], autoload=False) as pipeline:
        result = pipeline.call("square", {"number": 2})
        assert (type(result.error), result.error.effect) == (ToolConnectionError, "none")
        assert pipeline.executors[0].problem == "Ray cannot connect: ConnectionError: Failed to connect to 127.0.0.1:1"


def test_every_failure_of_ray_has_a_meaning() -> None:
    names = [
        name for name, one in vars(exceptions).items() if isinstance(one, type) and issubclass(one, exceptions.RayError)
    ]
    wrappers = {"RayError", "RayTaskError", "CrossLanguageError", "UserCodeException"}
    mistakes = {
        *("ObjectRefStreamEndOfStreamError", "OufOfBandObjectRefSerializationException"),
        *("ActorAlreadyExistsError", "ActorHandleNotFoundError"),
    }
    known = {name for rule in mulligan_ray.rules.listed for name in rule.classes}
    missing = [
        name
        for name in names
        if name not in wrappers | mistakes
        and not known & {f"ray.exceptions.{base.__name__}" for base in vars(exceptions)[name].__mro__}
    ]
    assert missing == []


def test_what_a_call_reads_of_ray_names_no_actor_process_or_address() -> None:
    died = exceptions.ActorDiedError()
    died.error_msg = "The actor died.\n\tpid: 4711\n\tip: 10.0.0.7"
    error = engine_error(died)
    assert error is not None
    assert str(error) == "The worker that ran the tool was lost."
    assert engine_error(ValueError("The actor died.")) is None


def test_words_alone_never_decide() -> None:
    with Pipeline(plugins=[mulligan_ray], autoload=False) as pipeline:
        error = pipeline.classify(RuntimeError("ray.exceptions.WorkerCrashedError: The worker died unexpectedly"))
    assert isinstance(error, ToolError)
    assert not isinstance(error, ToolUnavailableError) or not (error.rule or "").startswith("mulligan_ray")


@pytest.mark.usefixtures("unnamed")
def test_the_example_of_the_readme_runs() -> None:
    from mulligan_testkit.readme import assert_example_runs

    assert_example_runs(pathlib.Path(__file__).parents[1])


def test_a_call_that_is_given_up_late_waits_no_longer_for_its_end_than_one_given_up_in_time() -> None:
    now = time.monotonic()
    assert _stopping_seconds(None) == _STOPPING_SECONDS
    assert _stopping_seconds(Deadline(now + 60)) == _STOPPING_SECONDS  # the host cancels before the deadline
    assert _stopping_seconds(Deadline(now - _STOPPING_SECONDS / 2)) <= _STOPPING_SECONDS / 2
    assert _stopping_seconds(Deadline(now - 60)) == 0
