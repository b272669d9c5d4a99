"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_search
from tavily import UsageLimitExceededError
from wikipedia.exceptions import DisambiguationError, PageError

from mulligan.errors import ResourceNotFoundError, ToolArgumentError, ToolRateLimitError
from mulligan.testing import ClassifierConformance


class TestSearch(ClassifierConformance):
    plugin = mulligan_search
    samples = [
        (PageError(None, "Tydes"), ResourceNotFoundError, {"resource": "Tydes"}),
        (DisambiguationError("Mercury", ["Mercury (planet)", "Mercury (element)"]), ToolArgumentError),
        (UsageLimitExceededError("Not so fast."), ToolRateLimitError),
    ]
