"""The package passes mulligan's own suite for formats. Each format quotes in its own way, so each says what is outside."""

from __future__ import annotations

import re
from types import SimpleNamespace

import mulligan_formats
import pytest

from mulligan.plugin import HOOK_API, UsageError
from mulligan.testing import FormatConformance

QUOTED = {
    "xml": r"<reported[^>]*>.*?</reported>",
    "markdown": r"(?ms)^(`{3,})[^\n]*\n.*?^\1",
    "terse": r'"(?:[^"\\]|\\.)*"',
}


class TestFormats(FormatConformance):
    plugin = mulligan_formats

    def outside(self, format: str, text: str) -> str:
        return re.sub(QUOTED[format], " … ", text, flags=re.DOTALL)


def suite(**attributes: object) -> FormatConformance:
    """The suite of a plugin that is installed under an entry point, as this package is."""
    plugin = SimpleNamespace(**attributes)
    return type("TestOther", (FormatConformance,), {"plugin": plugin, "module": "mulligan_formats"})()


def test_the_suite_asks_an_installed_plugin_for_the_hooks_that_it_is_made_for() -> None:
    suite(mulligan_api=HOOK_API).test_it_says_its_api()
    with pytest.raises(AssertionError, match="does not say which hook API it is made for") as raised:
        suite().test_it_says_its_api()
    assert f"Write mulligan_api = '{HOOK_API}' in it" in str(raised.value)
    with pytest.raises(UsageError, match="'mulligan_formats' needs hook API 99.0, but this mulligan has"):
        suite(mulligan_api="99.0").test_it_says_its_api()


def test_the_suite_asks_nothing_of_a_plugin_that_is_not_installed() -> None:
    of_a_file = type("TestOwn", (FormatConformance,), {"plugin": SimpleNamespace(), "module": "a_file"})()
    assert of_a_file.test_it_says_its_api() is None, "it passes: nothing is raised"
