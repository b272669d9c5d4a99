"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_playwright
from playwright.sync_api import Error, TimeoutError

from mulligan.errors import ResourceNotFoundError, ToolConnectionError
from mulligan.testing import ClassifierConformance

WAITED = 'Page.click: Timeout 1000ms exceeded.\nCall log:\n  - waiting for locator("#a")\n'
REFUSED = "Page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:1/"


class TestPlaywright(ClassifierConformance):
    plugin = mulligan_playwright
    samples = [
        (TimeoutError(WAITED), ResourceNotFoundError, {"resource": "#a"}),
        (Error(REFUSED), ToolConnectionError, {"resource": "http://127.0.0.1:1/"}),
    ]
