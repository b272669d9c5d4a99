"""Each promise of docs/explanation/safety.md names the test that holds it."""

from __future__ import annotations

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "safety.md").read_text("utf-8")
PROMISES = PAGE.partition("\n## What an attacker can try")[2].partition("\n## ")[0]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_named_test_exists(file, test):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_a_test():
    promises = re.split(r"^- ", PROMISES, flags=re.MULTILINE)[1:]
    assert promises
    assert [promise for promise in promises if "`tests/" not in promise.partition("\n\n")[0]] == []
