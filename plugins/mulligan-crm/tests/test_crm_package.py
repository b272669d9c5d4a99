"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys
import types

import mulligan_crm
import pytest
from conftest import create_record, raised
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline
from mulligan.plugin import Rules, ToolConnectionError

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


def test_a_package_for_http_clients_does_not_take_those_of_a_client(dead: str) -> None:
    http = Rules("http")
    http("requests.RequestException")(lambda failure: ToolConnectionError("Some server cannot be reached."))
    other = types.SimpleNamespace(classify=http.hookimpl())
    with Pipeline(plugins=[mulligan_crm, other], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(raised(lambda: create_record(dead)), tool="some_tool")

    assert error is not None
    assert error.provider == "airtable"
