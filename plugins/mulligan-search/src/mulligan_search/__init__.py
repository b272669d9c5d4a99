"""Rules for search clients: wikipedia, Wikipedia-API, Tavily, SerpApi and ddgs. None of them is imported.

The rules run early, because some of these clients do not wrap the exceptions of their HTTP client.
"""

from mulligan.plugin import Rules
from mulligan_search import connections, duckduckgo, serpapi, tavily, wikipedia

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(wikipedia.rules, tavily.rules, serpapi.rules, duckduckgo.rules, connections.rules)
last = Rules(last=True)
last.include(duckduckgo.last, serpapi.last, wikipedia.last)

classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
