"""Exceptions of python-gitlab without a response: settings, arguments that it checks, and failed connections."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_gitlab.arguments import problems_of

rules = Rules("gitlab")
last = Rules("gitlab", last=True)
SERVICE = "GitLab"

UNREADABLE = m.FAILED._replace(message="The service sent an answer that its client cannot read", effect="possible")
REDIRECTED = m.FAILED._replace(
    message="The address of the service has changed, and the client sends no changes to another one", effect="none"
)
SETTINGS = m.FAILED._replace(message="The client of the service is misconfigured", effect="none")
_CONNECTIONS = (
    "requests.RequestException",
    "urllib3.HTTPError",
    "httpx.TransportError",
    "httpx2.TransportError",
    "gql.TransportConnectionFailed",
)
_ATTRIBUTES = re.compile(r"(?:Missing|one of these) attributes: ([\w, ]{1,400})")


@rules("gitlab.GitlabParsingError")
def unreadable(failure: Failure) -> ToolError:
    """A response that is not JSON; the request may have taken effect."""
    return m.error_of(failure, UNREADABLE, service=SERVICE)


@rules("gitlab.RedirectError")
def redirected(failure: Failure) -> ToolError:
    """The server's URL is outdated, or `http` instead of `https`; the client does not redirect writes."""
    user = "Update the URL of the GitLab server: it redirects to another address."
    return m.error_of(failure, REDIRECTED, service=SERVICE, user_message=user)


@rules("gitlab.config.ConfigError")
def settings(failure: Failure) -> ToolError:
    """The client's configuration file is missing or wrong: nothing was sent."""
    return m.error_of(failure, SETTINGS, service=SERVICE)


@rules("builtins.AttributeError")
def attributes(failure: Failure) -> ToolError | None:
    """Attributes that the client requires to create or update something: nothing was sent."""
    found = _ATTRIBUTES.search(failure.text)
    if found is None or failure.came_through("gitlab.types") is None:
        return None
    problems = problems_of(((name.strip(), "missing") for name in found[1].split(",")), failure.arguments)
    return ToolArgumentError("The GitLab client rejected the arguments.", problems=problems, effect="none")


@rules(*_CONNECTIONS)
def connection(failure: Failure) -> ToolError | None:
    """No connection to GitLab, or a connection dropped midway."""
    return None if failure.came_through("gitlab") is None else transport_error(failure, service=SERVICE)


@last("gitlab.GitlabError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The GitLab call failed.")
