"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_github
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

SDKS = ("github", "githubkit", "ghapi", "requests", "httpx", "httpx2", "aiohttp")


def test_no_client_is_imported() -> None:
    code = f"import mulligan_github, sys; print([name for name in {SDKS!r} if name in sys.modules])"

    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "github")

    assert (info.state, info.distribution) == ("active", "mulligan-github")
    assert set(info.hooks) == {"classify", "detect"}


@pytest.mark.parametrize("rule", mulligan_github.rules.listed, ids=lambda rule: rule.name)
def test_every_rule_says_what_it_knows(rule: object) -> None:
    assert rule.about.endswith(".")
    assert len([one for one in mulligan_github.rules.listed if one.name == rule.name]) == 1


def test_the_model_reads_it(serve: object) -> None:
    """From the exception to the words, as the README promises."""
    import github
    from github_server import github_body

    url = serve(404, github_body(404, "Not Found"))

    def describe(repo: str) -> str:
        client = github.Github(base_url=url, auth=github.Auth.Token("x"), retry=None, seconds_between_requests=None)
        return client.get_repo(repo).description

    with Pipeline([describe], plugins=[mulligan_github], autoload=False, strict=False) as pipeline:
        content = pipeline.call("describe", {"repo": "acme/nope"}).content

    assert content.startswith("Error executing tool describe: Resource not found: acme/nope, or it is private")


TRAPS = [
    "took 404 ms", "author not found in 4290 lines", "listening on port 4040", "authored by the rate limit exceeded team",
    "403 files were scanned", "GET https://example.com/a: 404 Not Found", "see https://docs.github.com/ for 401",
]  # fmt: skip


@pytest.mark.parametrize("text", TRAPS)
def test_words_alone_never_decide(text: str) -> None:
    with Pipeline(plugins=[mulligan_github], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
