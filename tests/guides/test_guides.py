"""The guides are true: their files are written and their commands run, and print what stands there."""

from __future__ import annotations

import pathlib

import pytest
from example_outputs import with_outputs

DOCS = pathlib.Path(__file__).parents[2] / "docs"
ELSEWHERE = (
    "mcp-client.md",
    "mcp-desktop-client.md",
    "mcp-server.md",
    "metrics.md",
    "run-on-ray.md",
    "run-on-temporal.md",
    "traces.md",
)  # run by their packages' tests
GUIDES = sorted(
    str(path.relative_to(DOCS))
    for folder in ("how-to", "tutorial")
    for path in (DOCS / folder).glob("*.md")
    if path.name not in ELSEWHERE
)


@pytest.mark.parametrize("page", GUIDES)
def test_the_examples_are_what_really_happens(page, tmp_path):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert "\n$ " in text
    assert with_outputs(text, tmp_path) == text, f"update it: python tools/example_outputs.py docs/{page}"
