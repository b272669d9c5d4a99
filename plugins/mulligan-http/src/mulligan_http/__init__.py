"""Rules for HTTP client errors without a response: requests, httpx, aiohttp, urllib3, httpx2 and httpcore.

A response with status 400 or above needs no package: mulligan itself classifies it.
"""

from mulligan.plugin import Rules
from mulligan_http import aiohttp, httpx, requests, urllib3
from mulligan_http.bodies import keep_body, raise_for_status

__all__ = ["classify", "keep_body", "mulligan_api", "raise_for_status", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(requests.rules, urllib3.rules, httpx.rules, aiohttp.rules)

classify = rules.hookimpl()
