"""GitHub's REST responses by status. If GitHub uses a status for several things, the body or a header decides.

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api and .../rate-limits-for-the-rest-api.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    ToolRateLimitError,
    status_error,
)
from mulligan_github.answers import body, field_errors, is_github, problems, resource, status, until_reset

Decide = Callable[[Failure], ToolError | None]

rules = Rules("github")
by_status = Rules("github")
_A_MINUTE = 60.0  # GitHub's documented wait if it states none
_OTHERS = sorted({*range(400, 600)} - {401, 403, 404, 409, 410, 422, 429, 451})
_AT_ONCE = ("secondary rate limit", "abuse detection mechanism", "submitted too quickly")
_MOVED = ("not a fast forward", "update failed", "branch was modified", "merge conflict", "already in progress")


def on(*statuses: int) -> Callable[[Decide], Decide]:
    """Makes a function a rule for GitHub's responses with one of the given statuses.

    Args:
        statuses: HTTP statuses.
    """
    known = frozenset(statuses)

    def add(decide: Decide) -> Decide:
        @by_status()
        @wraps(decide)
        def rule(failure: Failure) -> ToolError | None:
            answered = status(failure)
            if answered not in known:
                return None
            error = decide(failure)
            if error is not None:
                error.http_status = answered
            return error

        return decide

    return add


@rules()
def rest_answer(failure: Failure) -> ToolError | None:
    """A REST response of GitHub, by its status; the rule for that status is reported."""
    return by_status.decide(failure) if status(failure) is not None and is_github(failure) else None


@on(401)
def credentials(failure: Failure) -> ToolError:
    """401: no credentials, wrong ones, or a one-time password is missing."""
    if "x-github-otp" in failure.headers:
        return ToolAuthenticationError(
            "GitHub requires a second factor.", user_message="GitHub requires a one-time password: use a token instead."
        )
    return ToolAuthenticationError("GitHub rejected the credentials.")


@on(403)
def locked_out(failure: Failure) -> ToolError | None:
    """403: too many failed logins, after which GitHub temporarily rejects valid credentials too."""
    if not failure.says("login attempts exceeded"):
        return None
    return ToolAuthenticationError("GitHub temporarily rejects logins after too many wrong credentials.")


@on(403, 422, 429)
def secondary_rate_limit(failure: Failure) -> ToolError | None:
    """403, 422 or 429: too many requests at once, or too much content created; one minute if no wait is stated."""
    told_to_wait = "retry-after" in failure.headers and failure.headers.get("x-ratelimit-remaining") != "0"
    if not told_to_wait and not failure.says(*_AT_ONCE):
        return None
    wait = _A_MINUTE if failure.retry_after is None else failure.retry_after
    return ToolRateLimitError(
        "GitHub's secondary rate limit is reached: too many requests in a short time.", retry_after=wait
    )


@on(403, 429)
def primary_rate_limit(failure: Failure) -> ToolError | None:
    """403 or 429: the hourly rate limit is exhausted."""
    used_up = failure.headers.get("x-ratelimit-remaining") == "0" or failure.says("rate limit exceeded")
    if not used_up and status(failure) == 403:
        return None
    return ToolRateLimitError("GitHub's rate limit is reached.", retry_after=until_reset(failure))


@on(403, 406)
def too_large(failure: Failure) -> ToolError | None:
    """403 or 406 with the code `too_large`: the resource is too large for this endpoint."""
    if all(one.get("code") != "too_large" for one in field_errors(failure)):
        return None
    return ToolArgumentError("The resource is too large for this part of GitHub's API.", resource=resource(failure))


@on(403)
def archived(failure: Failure) -> ToolError | None:
    """403: the repository is archived, and thus read-only."""
    if not failure.says("was archived", "is archived"):
        return None
    return ResourceConflictError("The repository is archived and read-only.")


@on(403)
def single_sign_on(failure: Failure) -> ToolError | None:
    """403: the organization requires single sign-on, and the token is not authorized for it."""
    if "x-github-sso" not in failure.headers and not failure.says("SAML enforcement"):
        return None
    user = "The organization requires single sign-on: authorize the GitHub token for it."
    return ToolPermissionError("The organization rejects this token.", user_message=user)


@on(403)
def permission(failure: Failure) -> ToolError:
    """403: the account, the token or the app may not do this; GitHub's headers state the required permission."""
    needed = failure.headers.get("x-accepted-github-permissions") or failure.headers.get("x-accepted-oauth-scopes")
    user = f"The GitHub token lacks a permission. Required: {needed[:200]}." if needed else None
    return ToolPermissionError("GitHub denied permission.", resource=resource(failure), user_message=user)


@on(404)
def missing_or_private(failure: Failure) -> ToolError:
    """404: it does not exist, or these credentials may not see it; GitHub does not distinguish the two."""
    missing = resource(failure)
    what = f"Resource not found: {missing}" if missing else "GitHub found no such resource"
    user = "GitHub has no such resource, or only a private one that these credentials may not see."
    message = f"{what}, or it is private and not visible with these credentials."
    return ResourceNotFoundError(message, resource=missing, user_message=user)


@on(410)
def gone(failure: Failure) -> ToolError:
    """410: it was deleted, or the feature is disabled for the repository."""
    missing = resource(failure)
    what = f"Resource not found: {missing}" if missing else "The resource was not found"
    return ResourceNotFoundError(f"{what}, it was deleted, or the feature is disabled.", resource=missing)


@on(405, 409, 422)
def against_the_rules(failure: Failure) -> ToolError | None:
    """405, 409 or 422: the rules of a branch or of the repository do not allow it."""
    if not failure.says("rule violations found", "protected branch", "protected ref", "required status check"):
        return None
    return ResourceConflictError("The rules of the repository do not allow this. Read them first.")


@on(405)
def not_mergeable(failure: Failure) -> ToolError | None:
    """405: a pull request that cannot be merged now."""
    if "merge" not in f"{body(failure).get('documentation_url')} {failure.resource}" and not failure.says("mergeable"):
        return None
    return ResourceConflictError("The pull request cannot be merged now.", code=_conflict(failure))


@on(409)
def conflict(failure: Failure) -> ToolError:
    """409: it has changed in the meantime, or is empty."""
    if failure.says("repository is empty"):
        return ResourceConflictError("The repository is empty.", resource=resource(failure))
    if failure.says("merge conflict"):
        return ResourceConflictError("The branches conflict. Resolve the conflict first.", resource=resource(failure))
    message = "It has changed since: read its current state first."
    return ResourceConflictError(message, code="ABORTED", resource=resource(failure))


@on(422)
def already_there(failure: Failure) -> ToolError | None:
    """422: something with that name already exists."""
    codes = {one.get("code") for one in field_errors(failure)}
    taken = codes == {"already_exists"}  # with further errors, the call needs correcting
    if not taken and not failure.says("already exists"):
        return None
    return ResourceConflictError("The resource already exists.", code="ALREADY_EXISTS", problems=problems(failure))


@on(422)
def missing_reference(failure: Failure) -> ToolError | None:
    """422: a branch, tag, commit or object named in the request does not exist."""
    if not failure.says("does not exist", "no commit found"):
        return None
    missing = resource(failure)
    message = f"Resource not found: {missing}" if missing else "A referenced object does not exist."
    return ResourceNotFoundError(message, resource=missing)


@on(422)
def moved_on(failure: Failure) -> ToolError | None:
    """422: the branch has advanced, so the update is not a fast-forward."""
    if not failure.says(*_MOVED):
        return None
    return ResourceConflictError("The branch has new commits: read its current state first.", code="ABORTED")


@on(422)
def validation(failure: Failure) -> ToolError:
    """422: fields that GitHub rejects, with one problem each."""
    found = problems(failure)
    return ToolArgumentError("GitHub rejected the request.", problems=found)


@on(451)
def blocked(failure: Failure) -> ToolError:
    """451: access is blocked for legal reasons, such as a takedown notice."""
    user = "GitHub has blocked this repository for legal reasons."
    return ToolPermissionError("Access is blocked for legal reasons.", user_message=user)


@on(*_OTHERS)
def other_status(failure: Failure) -> ToolError:
    """Any other status, as HTTP defines it."""
    return status_error(failure, status(failure), service="GitHub")


def _conflict(failure: Failure) -> str:
    return "ABORTED" if failure.says(*_MOVED) else "FAILED_PRECONDITION"
