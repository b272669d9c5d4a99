"""GitLab's GraphQL responses: exceptions of `gitlab.GraphQL` through gql, and mutations that return errors.

https://docs.gitlab.com/api/graphql/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import Failure, Rules, Tool, ToolError, hookimpl, text_error
from mulligan.plugin import meanings as m
from mulligan_gitlab.arguments import find_argument, query_problems

rules = Rules("gitlab")
SERVICE = "GitLab"

HIDDEN = m.NOT_FOUND._replace(message="The service found no such resource, or none visible with these credentials")
COSTLY = m.TOO_LARGE._replace(message="The query costs too much for the service: request less at once")
SCHEMA = m.ARGUMENT._replace(message="The query does not match the schema of the service")
REJECTED = m.ARGUMENT._replace(message="The service rejected the values of this mutation")
SYNTAX = m.ARGUMENT._replace(message="The query is not valid GraphQL", effect="none")
_MESSAGES = (
    (HIDDEN, re.compile(r"\bdoes not exist or you don't have permission\b")),
    (COSTLY, re.compile(r"\bexceeds max (?:complexity|depth)\b")),
    (SCHEMA, re.compile(r"^Variable \$(\w+) of type \S+ was provided invalid value\b")),
    (m.TIMEOUT, re.compile(r"^Request timed out\b")),
    (m.AUTHENTICATION, re.compile(r"^Invalid token\b")),
    (m.UNAVAILABLE, re.compile(r"^Internal server error\b")),
)
_SCHEMA_CODE = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")
_NAMES = ("argumentName", "variableName", "fieldName", "inputObjectType", "arguments", "name")
_VARIABLE = re.compile(r"^Variable \$(\w{1,80}) ")


@rules("gql.TransportQueryError")
def answered(failure: Failure) -> ToolError | None:
    """The errors of a GraphQL response, by their message or by a code of the schema validation."""
    if failure.came_through("gitlab") is None:
        return None
    errors = [one for one in failure.look("errors") or () if isinstance(one, Mapping)][:20]
    meaning = next(filter(None, map(_meaning_of, errors)), None)
    applied = _has_data(failure.look("data"))
    if meaning is None:
        error = text_error(failure, effect="possible")
        return error or m.error_of(failure, m.FAILED, service=SERVICE, effect="possible")
    error = m.error_of(failure, meaning, service=SERVICE)
    if applied:
        error.effect = "possible"
    if meaning is HIDDEN:
        name = find_argument("", failure.arguments)
        error.resource = str((failure.arguments or {})[name]) if name else None
        if error.resource:
            error.message = f"Resource not found: {error.resource}, or not visible with these credentials."
    elif meaning is SCHEMA:
        error.problems = query_problems(_names(errors), failure.arguments)
    return error


@rules("graphql.GraphQLSyntaxError")
def syntax(failure: Failure) -> ToolError | None:
    """A query that is not valid GraphQL: nothing was sent."""
    if failure.came_through("gitlab") is None:
        return None
    return m.error_of(failure, SYNTAX, problems=query_problems(iter(("query",)), failure.arguments))


def _meaning_of(error: Mapping[str, Any]) -> m.Meaning | None:
    message = error.get("message")
    text = message[:1_000] if isinstance(message, str) else ""
    known = next((meaning for meaning, pattern in _MESSAGES if pattern.search(text)), None)
    return known or (SCHEMA if _SCHEMA_CODE.fullmatch(str(_extension(error, "code"))) else None)


def _extension(error: Mapping[str, Any], name: str) -> Any:
    extensions = error.get("extensions")
    return extensions.get(name) if isinstance(extensions, Mapping) else None


def _names(errors: list[Mapping[str, Any]]) -> Iterator[str]:
    """The argument, variable or field of each error."""
    for error in errors:
        variable = _VARIABLE.search(str(error.get("message", "")))
        named = variable[1] if variable else next((x for name in _NAMES if (x := _extension(error, name))), None)
        if isinstance(named, str):
            yield from (name.strip() for name in named.split(",")[:8])


def _has_data(data: object) -> bool:
    return isinstance(data, Mapping) and any(value is not None for value in data.values())


@hookimpl
def detect(value: Any, tool: Tool) -> Failure | None:
    """A response in which all mutations list errors and made nothing, from a tool whose name mentions GitLab."""
    try:
        messages = _mutation_errors(value) if "gitlab" in tool.name.lower() else []
    except Exception:  # an unreadable value reports no failure
        return None
    return Failure(value=value, message="\n".join(messages)) if messages else None


def _mutation_errors(value: Any) -> list[str]:
    """The messages of `{"createIssue": {"errors": ["Title can't be blank"], "issue": null}}`."""
    inner = value.get("data") if isinstance(value, Mapping) and set(value) == {"data"} else value
    if not isinstance(inner, Mapping) or not inner:
        return []
    messages: list[str] = []
    for answer in inner.values():
        errors = answer.get("errors") if isinstance(answer, Mapping) else None
        if not isinstance(errors, list) or not errors or not all(isinstance(one, str) for one in errors):
            return []
        if any(made is not None for name, made in answer.items() if name not in ("errors", "clientMutationId")):
            return []
        messages += errors[:8]
    return messages[:20]


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """The errors of a mutation. GitLab sends only sentences, so mulligan's reading of them decides."""
    if "gitlab" not in str(failure.tool_name).lower() or not _mutation_errors(failure.value):
        return None
    error = text_error(failure) or m.error_of(failure, REJECTED, service=SERVICE)
    error.effect = "none"
    return error
