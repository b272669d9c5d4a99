"""SerpApi: https://serpapi.com/api-status-and-error-codes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import Failure, Problem, Rules, ToolError, pointer_to, status_error
from mulligan.plugin import meanings as m

rules = Rules("serpapi")
last = Rules("serpapi", last=True)
SERVICE = "SerpApi"
NO_SEARCHES = m.QUOTA._replace(message="The account at the service has no searches left")
_MISSING = re.compile(r"\bmissing (?:query )?`(\w{1,40})` parameter", re.IGNORECASE)


@rules("serpapi.APIKeyNotProvided")
def no_key(failure: Failure) -> ToolError:
    """There is no API key."""
    return m.error_of(failure, m.AUTHENTICATION, message="SerpApi requires an API key.")


@rules("serpapi.SearchIDNotProvided")
def no_search_id(failure: Failure) -> ToolError:
    """An archived search was requested without its ID."""
    problems = [Problem(pointer_to("search_id"), "is needed")]
    return m.error_of(failure, m.ARGUMENT, message="The search ID is required.", problems=problems)


@rules("serpapi.HTTPError")
def answered(failure: Failure) -> ToolError | None:
    """An error status; 429 is the hourly limit, or an account that has run out of searches."""
    if failure.status is None:
        return None
    if failure.status == 429 and failure.says("run out of searches"):
        return m.error_of(failure, NO_SEARCHES, service=SERVICE)
    missing = _MISSING.search(f"{failure.look('error')}")
    if failure.status == 400 and missing:
        problems = [Problem(pointer_to(missing[1]), "is needed")]
        return m.error_of(failure, m.ARGUMENT, service=SERVICE, problems=problems)
    return status_error(failure, service=SERVICE)


@rules.returned
def no_results(failure: Failure) -> ToolError | None:
    """A returned response without results, which it reports under `error`."""
    value = failure.value
    if (
        not isinstance(value, Mapping)
        or "search_metadata" not in value
        or not failure.says("hasn't returned any results")
    ):
        return None
    message = "The search found nothing. Use other or fewer words."
    return m.error_of(failure, m.NOT_FOUND, message=message, resource=None)


@last("serpapi.SerpApiError")
def other_serpapi(failure: Failure) -> ToolError:
    """Any other exception of the client."""
    return m.error_of(failure, m.FAILED, service=SERVICE)
