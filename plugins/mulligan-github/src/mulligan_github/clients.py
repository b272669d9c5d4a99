"""Exceptions of PyGithub and githubkit without a response, or whose class says more than the response."""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    transport_error,
)

rules = Rules("github")
last = Rules("github", last=True)
SERVICE = "GitHub"
_HTTP = ("requests.RequestException", "urllib3.exceptions.HTTPError")


@rules("github.RateLimitExceededExceedsMaxWait")
def wait_too_long(failure: Failure) -> ToolError:
    """PyGithub: the wait for the rate limit exceeds the allowed maximum."""
    wait = failure.look("wait")
    return ToolRateLimitError("GitHub's rate limit is reached.", retry_after=wait, http_status=failure.status)


@rules("githubkit.AuthCredentialError", "githubkit.AuthExpiredError")
def no_credentials(failure: Failure) -> ToolError:
    """githubkit: the credentials are incomplete or have expired, so nothing was sent."""
    return ToolAuthenticationError("The GitHub credentials are incomplete or have expired.")


@rules(*_HTTP)
def transport(failure: Failure) -> ToolError | None:
    """A connection error of the HTTP client. PyGithub does not wrap it; the traceback identifies the library."""
    if failure.status is not None or failure.came_through("github") is None:
        return None
    return transport_error(failure, service=SERVICE)


@rules("github.BadAttributeException", "github.IncompletableObject", "githubkit.CacheUnsupportedError")
def misread(failure: Failure) -> ToolError:
    """The client could not interpret GitHub's response, or its own configuration."""
    return ToolExecutionError("The GitHub client received an unusable response.")


@rules("githubkit.GraphQLPaginationError")
def pagination(failure: Failure) -> ToolError:
    """githubkit: a paginated query does not request `pageInfo`, or its cursor does not advance."""
    return ToolArgumentError("The query must request pageInfo { hasNextPage endCursor } and use the cursor.")


@rules("githubkit.WebhookTypeNotFound")
def webhook_type(failure: Failure) -> ToolError:
    """githubkit: no webhook event has that name."""
    return ToolArgumentError("GitHub has no webhook event with that name.", resource=failure.look("name"))


@last("github.GithubException", "githubkit.GitHubException", "fastspec.GqlError")
def client_failed(_: Failure) -> ToolError:
    """Any other exception of the clients."""
    return ToolExecutionError("The GitHub call failed.")
