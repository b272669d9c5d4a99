"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_google
from google.api_core.exceptions import NotFound, TooManyRequests
from google.auth.exceptions import DefaultCredentialsError

from mulligan.errors import ResourceNotFoundError, ToolAuthenticationError, ToolRateLimitError
from mulligan.testing import ClassifierConformance


class TestGoogle(ClassifierConformance):
    plugin = mulligan_google
    samples = [
        (NotFound("It is not there."), ResourceNotFoundError),
        (TooManyRequests("Not so fast."), ToolRateLimitError),
        (DefaultCredentialsError("There are none."), ToolAuthenticationError),
    ]
