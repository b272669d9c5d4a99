"""What search clients raise: wikipedia, Wikipedia-API, Tavily, SerpApi and ddgs. None of them is imported."""

from collections.abc import Iterator

from mulligan.plugin import Failure, Rule, Rules, ToolError
from mulligan_search import duckduckgo, serpapi, tavily, wikipedia

__all__ = ["classify", "rules"]


def _signed(part: Rules) -> Iterator[Rule]:
    """The rules of one service, which put its name on what they say."""
    for rule in part.listed:

        def decide(failure: Failure, rule: Rule = rule) -> ToolError | None:
            error = rule.decide(failure)
            if error is not None:
                error.provider = error.provider or part.provider
            return error

        yield rule._replace(decide=decide)


rules = Rules()
for _part in (wikipedia, tavily, serpapi, duckduckgo):
    rules.listed += _signed(_part.rules)

classify = rules.hookimpl()
