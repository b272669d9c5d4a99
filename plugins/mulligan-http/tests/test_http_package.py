"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_http
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

CLIENTS = ("requests", "httpx", "httpx2", "httpcore", "aiohttp", "urllib3")


def test_no_client_is_imported() -> None:
    code = f"import mulligan_http, sys; print([name for name in {CLIENTS!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "http")

    assert (info.state, info.distribution, info.hooks) == ("active", "mulligan-http", ("classify",))


@pytest.mark.parametrize("rule", mulligan_http.rules.listed, ids=lambda rule: f"{rule.name}-{rule.classes[0]}")
def test_every_rule_says_what_it_knows(rule: object) -> None:
    assert rule.name.isidentifier()
    assert rule.about.endswith(".")
    assert rule.classes


def test_the_model_reads_it() -> None:
    import requests

    def fetch(url: str) -> str:
        return requests.get(url, timeout=5).text

    with Pipeline([fetch], plugins=[mulligan_http], autoload=False) as pipeline:
        content = pipeline.call("fetch", {"url": "example.com"}).content

    assert content.startswith("Error executing tool fetch: The address is not a valid URL")


TRAPS = [
    "took 404 ms",
    "connection refused by the editor",
    "timed out of 12 tries",
    "port 4040",
    "too many 503 error responses",
]


@pytest.mark.parametrize("text", TRAPS)
def test_words_alone_never_decide(text: str) -> None:
    with Pipeline(plugins=[mulligan_http], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert not str(error.rule).startswith("mulligan_http")


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
