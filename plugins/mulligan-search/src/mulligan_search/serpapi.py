"""SerpApi: https://serpapi.com/api-status-and-error-codes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolQuotaError,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m

rules = Rules("serpapi")
SERVICE = "SerpApi"
_MISSING = re.compile(r"\bmissing (?:query )?`(\w{1,40})` parameter", re.IGNORECASE)


@rules("serpapi.APIKeyNotProvided")
def no_key(_: Failure) -> ToolError:
    """There is no API key."""
    return ToolAuthenticationError("SerpApi requires an API key.")


@rules("serpapi.SearchIDNotProvided")
def no_search_id(_: Failure) -> ToolError:
    """An archived search is asked for without its id."""
    return ToolArgumentError("The search ID is required.", problems=[Problem("/search_id", "is needed")])


@rules("serpapi.TimeoutError")
def timeout(failure: Failure) -> ToolError:
    """No answer in time."""
    return transport_error(failure, service=SERVICE) or m.error_of(failure, m.TIMEOUT, service=SERVICE)


@rules("serpapi.HTTPConnectionError")
def connection(failure: Failure) -> ToolError:
    """No connection, or one that was dropped."""
    return transport_error(failure, service=SERVICE) or m.error_of(failure, m.DROPPED, service=SERVICE)


@rules("serpapi.HTTPError")
def answered(failure: Failure) -> ToolError | None:
    """An error status; 429 is the hourly limit, or an account that has run out of searches."""
    if failure.status is None:
        return None
    if failure.status == 429 and failure.says("run out of searches"):
        return ToolQuotaError("The SerpApi account has no searches left.", http_status=429)
    missing = _MISSING.search(f"{failure.look('error')}")
    if failure.status == 400 and missing:
        problems = [Problem(f"/{missing[1]}", "is needed")]
        return ToolArgumentError("SerpApi rejected the arguments.", http_status=400, problems=problems)
    return status_error(failure)


@rules()
def no_results(failure: Failure) -> ToolError | None:
    """A returned answer without results, which says so under `error`."""
    value = failure.value
    if (
        not isinstance(value, Mapping)
        or "search_metadata" not in value
        or not failure.says("hasn't returned any results")
    ):
        return None
    return ResourceNotFoundError("The search found nothing. Use other or fewer words.")
