"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_crm
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

CLIENTS = ("hubspot", "simple_salesforce", "pyairtable", "requests", "urllib3")


def test_no_client_is_imported() -> None:
    code = f"import mulligan_crm, sys; print([name for name in {CLIENTS!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "crm")

    assert (info.state, info.distribution) == ("active", "mulligan-crm")
    assert set(info.hooks) == {"classify", "detect"}


@pytest.mark.parametrize("rule", mulligan_crm.rules.listed, ids=lambda rule: f"{rule.provider}-{rule.name}")
def test_every_rule_says_what_it_knows(rule: object) -> None:
    assert rule.name.isidentifier()
    assert rule.about.endswith(".")


@pytest.mark.parametrize(
    "text", ["UNABLE_TO_LOCK_ROW", "took 404 ms", "too many 429 error responses", "Existing ID: 12345"]
)
def test_words_alone_never_decide(pipeline: Pipeline, text: str) -> None:
    error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
