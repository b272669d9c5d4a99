"""The how-to pages are true: their files are written and their commands run, and print what stands there."""

from __future__ import annotations

import pathlib

import pages
import pytest

HOW_TO = pathlib.Path(__file__).parents[1] / "docs" / "how-to"


@pytest.mark.parametrize("page", sorted(path.name for path in HOW_TO.glob("*.md")))
def test_the_examples_are_what_really_happens(page, tmp_path):
    text = (HOW_TO / page).read_text(encoding="utf-8")
    assert "\n$ " in text
    assert pages.filled(text, tmp_path) == text
