"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import httpx
import mulligan_http
import requests
import urllib3

from mulligan.errors import ToolArgumentError, ToolConnectionError, ToolTimeoutError
from mulligan.testing import ClassifierConformance


class TestHTTP(ClassifierConformance):
    plugin = mulligan_http
    samples = [
        (requests.ConnectTimeout("It took too long."), ToolTimeoutError),
        (httpx.ConnectError("[Errno -2] Name or service not known"), ToolConnectionError),
        (urllib3.exceptions.LocationValueError("No host specified."), ToolArgumentError),
    ]
