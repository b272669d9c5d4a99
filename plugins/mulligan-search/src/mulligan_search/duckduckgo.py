"""DuckDuckGo and other engines through `ddgs`, and through `duckduckgo_search`, its former name."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Problem, Rules, ToolError, pointer_to, status_error
from mulligan.plugin import meanings as m

rules = Rules("duckduckgo")
last = Rules("duckduckgo", last=True)
SERVICE = "the search engine"
_PACKAGES = ("ddgs", "duckduckgo_search")
_STATUS = re.compile(r": HTTP ([45]\d\d)$")
_NO_CONNECTION = ("dns error", "connection refused", "failed to lookup address", "tcp connect error", "ConnectError")


def named(cls: str) -> tuple[str, ...]:
    """The qualified names of a class in both packages.

    Args:
        cls: its name.
    """
    return tuple(f"{package}.{cls}" for package in _PACKAGES)


@rules(*named("RatelimitException"), "duckduckgo_search.ConversationLimitException")
def rate_limit(failure: Failure) -> ToolError:
    """Too many requests; the engine states no wait."""
    return m.error_of(failure, m.RATE_LIMIT, service=SERVICE)


@rules("ddgs.DDGSException", "duckduckgo_search.DuckDuckGoSearchException")
def failed(failure: Failure) -> ToolError | None:
    """No results, an empty query, or unreachable engines; only the text distinguishes them."""
    if failure.says("no results found"):
        message = "The search found nothing. Use other or fewer words."
        return m.error_of(failure, m.NOT_FOUND, message=message, resource=None)
    if failure.says("query is mandatory", "keywords is mandatory"):
        problems = [Problem(pointer_to("query"), "is needed")]
        return m.error_of(failure, m.ARGUMENT, message="A query is required.", problems=problems)
    status = _STATUS.search(failure.text)
    if status is not None:
        return status_error(failure, int(status[1]), service=SERVICE)
    if failure.says(*_NO_CONNECTION):
        return m.error_of(failure, m.UNREACHABLE, message="The search engines cannot be reached.")
    return None


@last("ddgs.DDGSException", "duckduckgo_search.DuckDuckGoSearchException")
def other(failure: Failure) -> ToolError:
    """Any other exception of the client."""
    return m.error_of(failure, m.FAILED, message="The search engines returned no usable response.")
