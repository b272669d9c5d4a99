"""GitHub's GraphQL errors, which arrive with status 200 and state their kind in `type`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Effect,
    Failure,
    Problem,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolTimeoutError,
    pointer_to,
)
from mulligan.plugin import meanings as m
from mulligan_github.answers import body, resource

rules = Rules("github")
SERVICE = "GitHub"
_CLIENTS = ("githubkit.GraphQLFailed", "github.GithubException", "fastspec.GqlError")

HIDDEN = m.NOT_FOUND._replace(message="The service found no such resource, or none visible with these credentials")
codes = Codes(
    {
        m.AUTHENTICATION: "UNAUTHENTICATED UNAUTHORIZED",
        m.PERMISSION: "FORBIDDEN",
        m.PERMISSION._replace(
            message="The token for the service lacks a scope that this query needs"
        ): "INSUFFICIENT_SCOPES",
        HIDDEN: "NOT_FOUND",
        m.RATE_LIMIT: "RATE_LIMIT RATE_LIMITED",
        m.ARGUMENT._replace(
            message="The query asks for too many nodes: use smaller `first` values"
        ): "MAX_NODE_LIMIT_EXCEEDED",
        m.ARGUMENT._replace(message="The query costs too much: request less at once"): "RESOURCE_LIMITS_EXCEEDED",
        m.ARGUMENT._replace(message="A page is too large: `first` and `last` go up to 100"): "EXCESSIVE_PAGINATION",
        m.ARGUMENT._replace(message="A connection requires `first` or `last`"): "MISSING_PAGINATION_BOUNDARIES",
        m.ARGUMENT: "UNPROCESSABLE",
        m.ABORTED: "STALE_DATA",
        m.UNAVAILABLE: "SERVICE_UNAVAILABLE INTERNAL INTERNAL_ERROR",
    }
)
_FIELDS = ("fieldName", "argumentName", "variableName", "inputObjectArgumentName", "arguments", "name")
_NAMED = re.compile(r"Could not resolve to an? [\w ]+? with the [\w ]+? (?:of )?'?([^\s']+?)'?\.?$")


def graphql_errors(failure: Failure) -> list[Mapping[str, Any]]:
    """The `errors` of a GraphQL response; empty for any other failure."""
    for listed in (failure.look("response", "errors"), failure.look("errors"), body(failure).get("errors")):
        if isinstance(listed, list):
            errors = [_entry(one) for one in listed[:100]]
            return [one for one in errors if isinstance(one.get("type"), str) or one.get("locations") or _code(one)]
    return []


def _entry(error: object) -> Mapping[str, Any]:
    """An error as a mapping; githubkit uses objects."""
    if isinstance(error, Mapping):
        return error
    return {name: getattr(error, name, None) for name in ("type", "message", "path", "locations", "extensions")}


def _code(error: Mapping[str, Any]) -> str | None:
    extensions = error.get("extensions")
    code = extensions.get("code") if isinstance(extensions, Mapping) else None
    return code if isinstance(code, str) else None


@rules(*_CLIENTS)
def graphql_type(failure: Failure) -> ToolError | None:
    """A GraphQL error by its `type`: NOT_FOUND, FORBIDDEN, RATE_LIMITED, INSUFFICIENT_SCOPES and others."""
    return _by_type(failure)


@rules.returned
def graphql_value(failure: Failure) -> ToolError | None:
    """The same in a response that a tool returned."""
    return _by_type(failure)


def _by_type(failure: Failure) -> ToolError | None:
    listed = ((one, codes.meaning_of(one.get("type"))) for one in graphql_errors(failure))
    error, meaning = next(((one, known) for one, known in listed if known is not None), ({}, None))
    if meaning is None:
        return None
    if meaning is m.ARGUMENT and failure.says("already exists"):
        meaning = m.EXISTS
    made = m.error_of(failure, meaning, service=SERVICE, told=error["type"], resource=None)
    made.effect = _effect(failure, made)
    if meaning is HIDDEN:
        made.resource = _resource(error, failure)
        if made.resource:
            made.message = f"Resource not found: {made.resource}, or not visible with these credentials."
    if _saml(error):
        made.user_message = "The organization requires single sign-on: authorize the GitHub token for it."
    return made


def _effect(failure: Failure, made: ToolError) -> Effect:
    """Whether some of several mutations may have been applied: the response then contains data too."""
    data = body(failure).get("data") or failure.look("response", "data") or failure.look("data")
    applied = isinstance(data, Mapping) and any(value is not None for name, value in data.items() if name != "errors")
    return "possible" if applied else made.effect


def _resource(error: Mapping[str, Any], failure: Failure) -> str | None:
    named = _NAMED.search(str(error.get("message", ""))[:500])
    return named[1] if named else resource(failure)


def _saml(error: Mapping[str, Any]) -> bool:
    extensions = error.get("extensions")
    return isinstance(extensions, Mapping) and extensions.get("saml_failure") is True


@rules(*_CLIENTS)
def graphql_timeout(failure: Failure) -> ToolError | None:
    """GitHub gave up on a query that took more than ten seconds."""
    if not failure.says("may be the result of a timeout", "couldn't respond to your request in time"):
        return None
    return ToolTimeoutError("GitHub timed out on the query: request less at once.", http_status=failure.status)


@rules("githubkit.GraphQLFailed", "github.GithubException")
def graphql_query(failure: Failure) -> ToolError | None:
    """A query that does not match GitHub's schema: nothing was run. ghapi may raise it for another server."""
    errors = [one for one in graphql_errors(failure) if _code(one) and not one.get("type")]
    if not errors:
        return None
    problems = [found for one in errors if (found := _problem(one)) is not None]
    return ToolArgumentError("The query does not match GitHub's schema.", problems=problems, http_status=failure.status)


def _problem(error: Mapping[str, Any]) -> Problem | None:
    extensions = error["extensions"]
    name = next((extensions[name] for name in _FIELDS if isinstance(extensions.get(name), str)), None)
    return None if name is None else Problem(pointer_to([name]), "does not match the schema")
