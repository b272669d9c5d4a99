"""The package itself: what it imports, what its rules are called, and which words must not decide."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import mulligan_ops
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline


def test_no_library_is_imported():
    script = """
import sys
import mulligan.plugin
before = set(sys.modules)
import mulligan_ops
new = {name.partition(".")[0] for name in set(sys.modules) - before}
assert new == {"mulligan_ops"}, new
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_rule_has_a_name_and_a_sentence():
    rules = mulligan_ops.rules.listed
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.name.isidentifier()
        assert rule.about.endswith(".")


def test_it_registers_itself():
    assert any(plugin.name == "ops" for plugin in Pipeline().plugins)


TRAPS = [
    RuntimeError("fatal: not a git repository (or any of the parent directories): .git"),
    ValueError('Error from server (NotFound): pods "web" not found'),
    RuntimeError("curl: (6) Could not resolve host: api.example.com"),
]


@pytest.mark.parametrize("exception", TRAPS, ids=repr)
def test_words_alone_never_decide(exception):
    error = Pipeline(plugins=[mulligan_ops], autoload=False, strict=True).classify(exception)
    assert error.provider is None
    assert not error.rule.startswith("mulligan_ops")


def test_the_example_of_the_readme_runs():
    assert_example_runs(pathlib.Path(__file__).parents[1])
