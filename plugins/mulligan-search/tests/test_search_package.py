"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_search
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

CLIENTS = ("wikipedia", "wikipediaapi", "tavily", "serpapi", "ddgs", "duckduckgo_search", "requests", "httpx")


def test_no_client_is_imported() -> None:
    code = f"import mulligan_search, sys; print([name for name in {CLIENTS!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "search")

    assert (info.state, info.distribution, info.hooks) == ("active", "mulligan-search", ("classify",))


@pytest.mark.parametrize("rule", mulligan_search.rules.listed, ids=lambda rule: rule.name)
def test_every_rule_says_what_it_knows(rule: object) -> None:
    assert rule.name.isidentifier()
    assert rule.about.endswith(".")


TRAPS = [
    "took 404 ms",
    "no results found in 3 files",
    "query is mandatory reading",
    "port 4040",
    "the plan's usage limit",
]


@pytest.mark.parametrize("text", TRAPS)
def test_words_alone_never_decide(text: str) -> None:
    with Pipeline(plugins=[mulligan_search], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
