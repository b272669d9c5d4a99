"""What the failures of Playwright mean, for mulligan; it registers itself when it is installed.

Playwright has three classes of exceptions only, so the fixed parts of its messages decide: the browser's own error
codes (`net::ERR_...`), the call log, and the sentences that Playwright itself writes. Playwright is not imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_playwright import _elements, _network, _pages

__all__ = ["classify", "rules"]

mulligan_api = "1.0"
rules = Rules("playwright")
rules.include(_pages.rules, _elements.rules, _network.rules)
classify = rules.hookimpl()
