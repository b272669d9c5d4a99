"""What the clients raise without an answer, or with a class that says more than the answer."""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
)

rules = Rules("github")


@rules("github.RateLimitExceededExceedsMaxWait")
def wait_too_long(failure: Failure) -> ToolError:
    """PyGithub: the wait for the rate limit is longer than it was allowed to be."""
    wait = failure.look("wait")
    return ToolRateLimitError("GitHub's rate limit is reached.", retry_after=wait, http_status=failure.status)


@rules("githubkit.RateLimitExceeded")
def githubkit_rate_limit(failure: Failure) -> ToolError:
    """githubkit: the primary or secondary rate limit; GraphQL reports it under status 200."""
    return ToolRateLimitError(
        "GitHub's rate limit is reached.", retry_after=failure.retry_after, http_status=failure.status
    )


@rules("githubkit.AuthCredentialError", "githubkit.AuthExpiredError")
def no_credentials(failure: Failure) -> ToolError:
    """githubkit: the credentials are incomplete or have expired, so nothing was sent."""
    return ToolAuthenticationError("The GitHub credentials are incomplete or have expired.")


@rules("githubkit.RequestTimeout")
def request_timeout(failure: Failure) -> ToolError:
    """githubkit: no answer in time; the request was not sent where the connection was not made."""
    before = failure.met("httpx.ConnectTimeout", "httpx.PoolTimeout")
    return ToolTimeoutError("GitHub did not respond in time.", effect="none" if before else "possible")


@rules("githubkit.RequestError")
def no_answer(failure: Failure) -> ToolError | None:
    """githubkit: no connection, so that nothing was sent, or one that was dropped midway."""
    if failure.met("httpx.ConnectError"):
        return ToolConnectionError("GitHub cannot be reached.", effect="none")
    if failure.met("httpx.NetworkError", "httpx.RemoteProtocolError"):
        message = "The connection to GitHub was dropped mid-request."
        return ToolConnectionError(message, fatal=False, transient=True, effect="possible")
    return None


@rules("github.BadAttributeException", "github.IncompletableObject", "githubkit.CacheUnsupportedError")
def misread(failure: Failure) -> ToolError:
    """The client could not make sense of what GitHub sent, or of its own set-up."""
    return ToolExecutionError("The GitHub client received an unusable response.")


@rules("githubkit.GraphQLPaginationError")
def pagination(failure: Failure) -> ToolError:
    """githubkit: a query to be paged asks for no `pageInfo`, or its cursor does not move on."""
    return ToolArgumentError("The query must request pageInfo { hasNextPage endCursor } and use the cursor.")


@rules("githubkit.WebhookTypeNotFound")
def webhook_type(failure: Failure) -> ToolError:
    """githubkit: there is no webhook event of that name."""
    return ToolArgumentError("GitHub has no webhook event with that name.", resource=failure.look("name"))
