"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys
import types

import mulligan_gitlab
import pytest
from conftest import client, project, raised
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline
from mulligan.plugin import Rules, ToolConnectionError

CLIENTS = ("gitlab", "gql", "graphql", "requests", "httpx")


def test_no_client_is_imported() -> None:
    code = f"import mulligan_gitlab, sys; print([name for name in {CLIENTS!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "gitlab")

    assert (info.state, info.distribution) == ("active", "mulligan-gitlab")
    assert set(info.hooks) == {"classify", "detect"}


@pytest.mark.parametrize("rule", mulligan_gitlab.rules.listed, ids=lambda rule: rule.name)
def test_every_rule_says_what_it_knows(rule: object) -> None:
    assert rule.name.isidentifier()
    assert rule.about.endswith(".")


@pytest.mark.parametrize("text", ["404 Project Not Found", "title is missing", "took 404 ms", "Invalid token"])
def test_words_alone_never_decide(pipeline: Pipeline, text: str) -> None:
    error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])


def test_a_package_for_http_clients_does_not_take_gitlabs_failures(dead: str) -> None:
    http = Rules("http")
    http("requests.RequestException")(lambda failure: ToolConnectionError("Some server cannot be reached."))
    other = types.SimpleNamespace(classify=http.hookimpl())
    with Pipeline(plugins=[mulligan_gitlab, other], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(raised(lambda: project(client(dead))), tool="some_tool")

    assert error is not None
    assert error.provider == "gitlab"
