"""What search clients raise: wikipedia, Wikipedia-API, Tavily, SerpApi and ddgs. None of them is imported."""

from mulligan.plugin import Rules
from mulligan_search import duckduckgo, serpapi, tavily, wikipedia

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(wikipedia.rules, tavily.rules, serpapi.rules, duckduckgo.rules)
last = Rules(last=True)
last.include(duckduckgo.last, wikipedia.last)

classify = rules.hookimpl()
classify_last = last.hookimpl()
