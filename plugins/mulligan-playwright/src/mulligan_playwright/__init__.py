"""Rules for Playwright.

Playwright has only three exception classes, so the fixed parts of its messages decide: the browser's own error
codes (`net::ERR_...`), the call log, and the sentences that Playwright itself writes. Playwright is not imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_playwright import elements, network, pages

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules("playwright")
rules.include(pages.rules, elements.rules, network.rules)
last = Rules("playwright", last=True)
last.include(network.last)

classify = rules.hookimpl()
classify_last = last.hookimpl()
