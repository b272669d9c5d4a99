"""The package itself: what it imports, what its rules are called, and which words must not decide."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import mulligan_playwright
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline


def test_playwright_is_not_imported():
    script = """
import sys
import mulligan.plugin
before = set(sys.modules)
import mulligan_playwright
new = {name.partition(".")[0] for name in set(sys.modules) - before}
assert new == {"mulligan_playwright"}, new
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_rule_has_a_name_and_a_sentence():
    rules = mulligan_playwright.rules.listed
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.name.isidentifier()
        assert rule.about.endswith(".")


def test_it_registers_itself():
    assert any(plugin.name == "playwright" for plugin in Pipeline().plugins)


TRAPS = [
    RuntimeError("Page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:4040/"),
    ValueError("strict mode violation: resolved to 2 elements"),
    TimeoutError('Timeout 400ms exceeded, waiting for locator("#a")'),
]


@pytest.mark.parametrize("exception", TRAPS, ids=repr)
def test_words_alone_never_decide(exception):
    error = Pipeline(plugins=[mulligan_playwright], autoload=False, strict=True).classify(exception)
    assert error.provider is None
    assert not error.rule.startswith("mulligan_playwright")


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
