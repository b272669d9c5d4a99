"""The package passes mulligan's own suite for formats. Each format quotes in its own way, so each says what is outside."""

from __future__ import annotations

import re

import mulligan_formats

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
