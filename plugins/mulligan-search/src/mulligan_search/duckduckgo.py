"""DuckDuckGo and other engines through `ddgs`, and through `duckduckgo_search`, its former name."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    status_error,
)

rules = Rules("duckduckgo")
last = Rules("duckduckgo", last=True)
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
def rate_limit(_: Failure) -> ToolError:
    """Too many requests; the engine names no time."""
    return ToolRateLimitError("The rate limit of the search engine is reached.")


@rules(*named("TimeoutException"))
def timeout(_: Failure) -> ToolError:
    """No answer in time."""
    return ToolTimeoutError("The search engine did not respond in time.")


@rules("ddgs.DDGSException", "duckduckgo_search.DuckDuckGoSearchException")
def failed(failure: Failure) -> ToolError | None:
    """Nothing was found, nothing was asked, or the engines cannot be reached; only the text tells which."""
    if failure.says("no results found"):
        return ResourceNotFoundError("The search found nothing. Use other or fewer words.")
    if failure.says("query is mandatory", "keywords is mandatory"):
        return ToolArgumentError("A query is required.", problems=[Problem("/query", "is needed")])
    status = _STATUS.search(failure.text)
    if status is not None:
        return status_error(failure, int(status[1]))
    if failure.says(*_NO_CONNECTION):
        return ToolConnectionError("The search engines cannot be reached.", effect="none")
    return None


@last("ddgs.DDGSException", "duckduckgo_search.DuckDuckGoSearchException")
def other(_: Failure) -> ToolError:
    """Anything else of the client."""
    return ToolExecutionError("The search engines returned no usable response.")
