"""GitLab's REST responses, as python-gitlab raises them: by GitLab's message, otherwise by status.

The client keeps the body of a response, but neither its headers nor its URL.

https://docs.gitlab.com/api/rest/troubleshooting/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    status_error,
)
from mulligan.plugin import meanings as m
from mulligan_gitlab.arguments import find_argument, problems_of

rules = Rules("gitlab")
SERVICE = "GitLab"

PROTECTED = m.PERMISSION._replace(message="The service does not allow this on that branch", fatal=False)
STALE = m.ABORTED._replace(message="It has changed since: read its current state first")
STORAGE = m.QUOTA._replace(message="The storage limit of the service is reached")
NOT_MERGEABLE = m.CONFLICT._replace(
    message="The service cannot merge it now: it may have conflicts, be a draft or closed, or lack approvals or a pipeline"
)
JOB_STATE = m.CONFLICT._replace(message="The service does not allow this in the job's current state")


class _Message(NamedTuple):
    """The meaning of a GitLab message.

    Attributes:
        pattern: searched for in the message; its group is the name of the resource.
        meaning: the meaning.
        kind: the kind of resource that the message is about.
    """

    pattern: re.Pattern[str]
    meaning: m.Meaning
    kind: str = ""


def _message(pattern: str, meaning: m.Meaning, kind: str = "") -> _Message:
    return _Message(re.compile(pattern, re.IGNORECASE), meaning, kind)


_MESSAGES = (
    _message(r"\balready exists\b(?: for this source branch: (!\d+))?|\bhas already been taken\b", m.EXISTS),
    _message(r"\bA file with this name doesn't exist\b", m.NOT_FOUND, "file"),
    _message(r"\bInvalid reference name: (\S+)|\bTarget (\S+) is invalid\b", m.NOT_FOUND, "reference"),
    _message(r"\bonly create or edit files when you are on a branch\b", m.NOT_FOUND, "branch"),
    _message(r"\bhas changed since you started editing\b|\bSHA does not match HEAD\b", STALE),
    _message(r"\bResource lock\b", m.BUSY),
    _message(r"\brepository has exceeded its size limit\b|\bnamespace storage limit\b", STORAGE),
    _message(r"\bMaximum number of .{1,80} exceeded\b|\bLimit reached\b", m.LIMIT_REACHED),
    _message(r"\bnot allowed to push\b", PROTECTED, "branch"),
    _message(r"\bnot (?:retryable|playable|cancelable|cancellable|erasable)\b|\bUnplayable Job\b", JOB_STATE),
)
_MERGES = tuple(
    f"gitlab.Gitlab{name}Error" for name in ("MRClosed", "MRRebase", "MROnBuildSuccess", "CherryPick", "Revert")
)
_CANNOT_MERGE = frozenset((405, 406, 422))
_REFUSALS = range(400, 500)
_MISSING_KIND = re.compile(r"^404 ([A-Za-z][A-Za-z ]{0,40}?) Not Found\b", re.IGNORECASE)
_PARAMETERS = re.compile(
    r"((?:[\w.\[\]]{1,80}, ){0,20}[\w.\[\]]{1,80}) "
    r"((?:is|are) (?:missing|empty|invalid|blank|mutually exclusive)|does not have a valid value)"
)


@rules("gitlab.GitlabError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from GitLab, by its message, otherwise by its status."""
    if failure.status is None:
        return None
    error = _by_message(failure) or status_error(failure, service=SERVICE)
    if isinstance(error, ResourceNotFoundError):
        _name_missing(error, failure)
    elif isinstance(error, ToolPermissionError):
        _name_scope(error, failure)
    elif isinstance(error, ToolAuthenticationError) and failure.came_through("gitlab.v4.objects.merge_requests"):
        error.user_message = "GitLab rejected the token, or the account may not merge or approve this merge request."
    else:
        error.problems = problems_of(_fields(failure), failure.arguments) or error.problems
    return error


@rules("httpx.HTTPStatusError", "httpx2.HTTPStatusError")
def answered_beside_httpx2(failure: Failure) -> ToolError | None:
    """An error response to GraphQL: beside httpx2, gql does not catch the exceptions of the client's httpx."""
    return None if failure.came_through("gitlab") is None else answered(failure)


def _by_message(failure: Failure) -> ToolError | None:
    if failure.status not in _REFUSALS or failure.status in (401, 429):
        return None
    text = "\n".join(reason for _, reason in _reasons(failure))
    for known in _MESSAGES:
        found = known.pattern.search(text)
        if found is not None:
            return _error(known, found, failure)
    if failure.status in _CANNOT_MERGE and failure.matches(*_MERGES):
        return m.error_of(failure, NOT_MERGEABLE, service=SERVICE, effect="none")
    return None


def _error(known: _Message, found: re.Match[str], failure: Failure) -> ToolError:
    named = next(filter(None, found.groups()), None)
    if known.kind and not named:
        named = _value(find_argument(known.kind, failure.arguments), failure)
    error = m.error_of(failure, known.meaning, service=SERVICE, effect="none", resource=named or failure.resource)
    if isinstance(error, ResourceConflictError) and named:
        error.message = f"{error.message.rstrip('.')}: {named}"
    return error


def _name_missing(error: ResourceNotFoundError, failure: Failure) -> None:
    """Names the missing resource by the kind that GitLab reports: `404 Project Not Found`. It may be hidden instead."""
    if failure.status == 404:
        match = next((found for _, text in _reasons(failure) if (found := _MISSING_KIND.search(text))), None)
        name = find_argument(match[1] if match else "", failure.arguments)
        error.resource = _value(name, failure) or (None if match else error.resource)
        kind = match[1].lower() if match else ""
        missing = f"{kind} {error.resource or ''}".strip() if kind or error.resource else ""
        if missing and missing.isdecimal():
            missing = f"{name or 'id'} {missing}"
        error.message = (
            f"Resource not found: {missing}, or not visible with these credentials."
            if missing
            else "GitLab found no such resource, or none visible with these credentials."
        )


def _value(name: str | None, failure: Failure) -> str | None:
    value = (failure.arguments or {}).get(name or "")
    return str(value) if type(value) in (str, int) else None


def _name_scope(error: ToolPermissionError, failure: Failure) -> None:
    body = _body(failure)
    if body.get("error") == "insufficient_scope":
        error.message = "The GitLab token lacks a scope."
        scope = body.get("scope")
        needed = f": {scope[:100]}" if isinstance(scope, str) and scope else ""
        error.user_message = f"The GitLab token lacks a scope{needed}."


def _body(failure: Failure) -> Mapping[str, Any]:
    return failure.body if isinstance(failure.body, Mapping) else {}


def _reasons(failure: Failure) -> Iterator[tuple[str, str]]:
    """Each reason in a response, with its field: `message` is a text, a list, or a mapping of reasons by field."""
    body = _body(failure)
    for member in (body.get("message"), body.get("error")) if body else (failure.body_text,):
        by_field = member.items() if isinstance(member, Mapping) else (("", member),)
        for field, reasons in list(by_field)[:20]:
            for reason in reasons[:8] if isinstance(reasons, list) else (reasons,):
                if isinstance(reason, str):
                    yield str(field), reason[:500]


def _fields(failure: Failure) -> Iterator[tuple[str, str]]:
    """Each field that GitLab rejects, with its reason: `title is missing, state does not have a valid value`."""
    for field, reason in _reasons(failure):
        if field not in ("", "base", "error"):
            yield field, reason
        for found in _PARAMETERS.finditer(reason) if not field else ():
            yield from ((name, found[2]) for name in found[1].split(", "))
