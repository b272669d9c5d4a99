"""What HTTP clients raise where there is no answer to read: requests, httpx, aiohttp, urllib3, and httpx2 and httpcore.

An answer with a status of 400 and above needs no package: mulligan itself understands it.
"""

from mulligan.plugin import Rules
from mulligan_http import for_aiohttp, for_httpx, for_requests, for_urllib3

__all__ = ["classify", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(for_requests.rules, for_urllib3.rules, for_httpx.rules, for_aiohttp.rules)

classify = rules.hookimpl()
