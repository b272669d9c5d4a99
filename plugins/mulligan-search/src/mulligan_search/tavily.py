"""Tavily: https://docs.tavily.com. Its exceptions carry no status, only a class and a message."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules("tavily")
SERVICE = "Tavily"
PLAN = m.QUOTA._replace(message="The limit of the plan at the service is exhausted")
NO_KEY = m.AUTHENTICATION._replace(message="The service requires a valid API key")
_OF_PLAN = ("plan", "plan's", "pay-as-you-go", "credit", "credits", "upgrade")


@rules("tavily.TavilyKeylessLimitError")
def keyless_limit(failure: Failure) -> ToolError:
    """The limit for calls without an API key. The text says how long to wait, or that a key is required."""
    wait = failure.look("retry_after_seconds")
    if isinstance(wait, (int, float)):
        message = "Tavily limits calls without an API key."
        return m.error_of(failure, m.RATE_LIMIT, message=message, retry_after=wait)
    return m.error_of(failure, PLAN, message="Tavily's allowance for calls without an API key is exhausted.")


@rules("tavily.UsageLimitExceededError")
def usage_limit(failure: Failure) -> ToolError:
    """Status 429: too many requests, or the plan is exhausted; only the text distinguishes them."""
    is_plan = failure.says("usage limit", "quota", *_OF_PLAN)
    return m.error_of(failure, PLAN if is_plan else m.RATE_LIMIT, service=SERVICE, http_status=429)


@rules("tavily.ForbiddenError")
def forbidden(failure: Failure) -> ToolError:
    """Statuses 432 and 433: a plan limit. Status 403: an unsupported page, or missing permission."""
    if failure.says("limit", *_OF_PLAN):
        return m.error_of(failure, PLAN, service=SERVICE)
    if failure.says("not supported"):
        message = "Tavily does not support one of the addresses."
        return m.error_of(failure, m.ARGUMENT, message=message, http_status=403)
    return m.error_of(failure, m.PERMISSION, service=SERVICE)


@rules("tavily.InvalidAPIKeyError", "tavily.MissingAPIKeyError", "tavily.KeylessUnsupportedEndpointError")
def key(failure: Failure) -> ToolError:
    """The API key is missing or wrong."""
    return m.error_of(failure, NO_KEY, service=SERVICE)


@rules("tavily.BadRequestError")
def request(failure: Failure) -> ToolError:
    """Status 400: arguments that Tavily rejects."""
    return m.error_of(failure, m.ARGUMENT, service=SERVICE, http_status=400)


@rules("tavily.TimeoutError")
def timeout(failure: Failure) -> ToolError:
    """No response in time."""
    return m.error_of(failure, m.TIMEOUT, service=SERVICE)
