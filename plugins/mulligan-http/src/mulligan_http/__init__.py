"""What HTTP clients raise where there is no answer to read: requests, httpx, aiohttp, urllib3, and httpx2 and httpcore.

An answer with a status of 400 and above needs no package: mulligan itself understands it.
"""

from mulligan.plugin import Rules
from mulligan_http import for_aiohttp, for_httpx, for_requests, for_urllib3

__all__ = ["classify", "rules"]

rules = Rules()
for _part in (for_requests, for_urllib3, for_httpx, for_aiohttp):
    rules.listed += _part.rules.listed

classify = rules.hookimpl()
