"""Tavily: https://docs.tavily.com. Its exceptions carry no status, only a class and a text."""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
)

rules = Rules("tavily")


@rules("tavily.TavilyKeylessLimitError")
def keyless_limit(failure: Failure) -> ToolError:
    """The limit for calls without an API key; it says how long to wait, or that a key is needed."""
    wait = failure.look("retry_after_seconds")
    if isinstance(wait, (int, float)):
        return ToolRateLimitError("Tavily limits calls without an API key.", retry_after=wait)
    return ToolQuotaError("Tavily's allowance for calls without an API key is exhausted.")


@rules("tavily.UsageLimitExceededError")
def usage_limit(failure: Failure) -> ToolError:
    """Status 429: too many requests, or the plan is used up, which only the text tells apart."""
    if failure.says("plan", "usage limit", "pay-as-you-go", "credit", "credits", "quota", "upgrade"):
        return _quota_error()
    return ToolRateLimitError("Tavily's rate limit is reached.", http_status=429)


@rules("tavily.ForbiddenError")
def forbidden(failure: Failure) -> ToolError:
    """Statuses 432 and 433, a limit of the plan; status 403, a page that is not supported, or permission."""
    if failure.says("plan", "plan's", "limit", "pay-as-you-go", "credit", "credits", "upgrade"):
        return _quota_error()
    if failure.says("not supported"):
        return ToolArgumentError("Tavily does not support one of the addresses.", http_status=403)
    return ToolPermissionError("Tavily denied permission.")


def _quota_error() -> ToolError:
    return ToolQuotaError("The limit of the Tavily plan is exhausted.")


@rules("tavily.InvalidAPIKeyError", "tavily.MissingAPIKeyError", "tavily.KeylessUnsupportedEndpointError")
def key(_: Failure) -> ToolError:
    """The API key is missing or wrong."""
    return ToolAuthenticationError("Tavily requires a valid API key.")


@rules("tavily.BadRequestError")
def request(_: Failure) -> ToolError:
    """Status 400: arguments that Tavily does not accept."""
    return ToolArgumentError("Tavily rejected the arguments.", http_status=400)


@rules("tavily.TimeoutError")
def timeout(_: Failure) -> ToolError:
    """No answer in time."""
    return ToolTimeoutError("Tavily did not respond in time.")
