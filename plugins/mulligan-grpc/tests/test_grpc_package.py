"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_grpc
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

SDKS = ("grpc", "grpc_status", "google.rpc", "google.protobuf")


def test_no_sdk_is_imported() -> None:
    code = f"import mulligan_grpc, sys; print([name for name in {SDKS!r} if name in sys.modules])"

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "grpc")

    assert (info.state, info.distribution, info.hooks) == ("active", "mulligan-grpc", ("classify",))


def test_every_rule_has_a_name_of_its_own_and_says_what_it_knows() -> None:
    listed = mulligan_grpc.rules.listed

    assert len({rule.name for rule in listed}) == len(listed)
    assert [rule.name for rule in listed if not rule.about.endswith(".")] == []
    assert [rule.name for rule in listed if not rule.classes] == []


@pytest.mark.parametrize(
    "text",
    [
        "StatusCode.NOT_FOUND",
        "took 404 ms",
        "UNAVAILABLE in the summer",
        "failed to connect to all addresses",
        "authored by grpc",
    ],
)
def test_words_alone_never_decide(pipeline: Pipeline, text: str) -> None:
    error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None
    assert not (error.rule or "").startswith("mulligan_grpc:")


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
