"""The gallery tells what the packages' own tests recorded, of every package that classifies."""

from __future__ import annotations

import re

import gallery_page


def test_the_page_is_what_was_recorded():
    assert gallery_page.PAGE.read_text("utf-8") == gallery_page.page(), "update it: python tools/gallery_page.py"


def test_every_package_that_classifies_is_in_it():
    folder = gallery_page.ROOT / "plugins"
    sources = {
        path.name: "".join(one.read_text("utf-8") for one in path.glob("src/**/*.py"))
        for path in folder.glob("mulligan-*")
        if "still being written" not in (path / "README.md").read_text("utf-8")
    }
    classifying = {
        name
        for name, text in sources.items()
        if re.search(r"^classify(?:, \w+)? = |^def classify\(", text, re.MULTILINE)
    }
    assert set(gallery_page.recorded()) == classifying


def test_each_shows_not_only_fatal_ones():
    for one in gallery_page.recorded().values():
        assert any(not told["fatal"] for told in one["failures"])
