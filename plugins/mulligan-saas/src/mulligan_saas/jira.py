"""Jira, through `jira` and through `atlassian` (atlassian-python-api), which raises requests' HTTPError.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes
"""

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
    ToolExecutionError,
    argument_named_in,
    pointer_to,
    status_error,
)
from mulligan_saas.arguments import name_sent

rules = Rules("jira")
last = Rules("jira", last=True)

_THINGS = ("issue", "sprint", "board", "version", "component", "filter", "user", "group", "project", "id", "key")
_PATH = re.compile(r"/rest/(?:api/(?:2|3|latest)|agile/\d|servicedeskapi)/")
_LAST = re.compile(r"/rest/[\w/.-]*?/(?:issue|project|user|group|filter|board|sprint|version|component)/([\w.-]+)")
_REQUIRED = re.compile(r"\brequired\b|\bmust specify\b", re.IGNORECASE)
_FOR_FIELD = re.compile(r"\bfor the field '([\w ]{1,60})'")
_DENIED = re.compile(r"CAPTCHA|AUTHENTICATION_DENIED|AUTHENTICATED_FAILED", re.IGNORECASE)


@rules("jira.JIRAError", "requests.HTTPError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Jira, by status. A 403 can be a rejected login, and a 400 names its fields."""
    if failure.status is None or not _is_jira(failure):
        return None
    if failure.status == 403 and _refused_login(failure):
        user = "Jira rejected the login. Correct the credentials, or log in once by browser and solve the captcha."
        return ToolAuthenticationError("Jira rejected the login.", http_status=403, user_message=user)
    if failure.status == 400:
        return ToolArgumentError("Jira rejected the arguments.", http_status=400, problems=_problems(failure))
    error = status_error(failure, service="Jira")
    if isinstance(error, ResourceNotFoundError):
        error.resource = _resource(failure)
        what = f"Resource not found: {error.resource}" if error.resource else "Jira found no such resource"
        error.message = f"{what}, or not visible with these credentials."
    return error


def _is_jira(failure: Failure) -> bool:
    return failure.matches("jira.JIRAError") or _PATH.search(str(failure.look("response", "url"))[:2_000]) is not None


def _refused_login(failure: Failure) -> bool:
    headers = failure.headers
    if "x-authentication-denied-reason" in headers:
        return True
    return _DENIED.search(headers.get("x-seraph-loginreason", "")) is not None


def _resource(failure: Failure) -> str | None:
    """The argument that names an issue, project or similar, otherwise the last name in the URL."""
    sent = name_sent(failure, _THINGS)
    if sent is not None:
        return sent
    address = _LAST.search(f"{failure.look('url')} {failure.look('response', 'url')}"[:4_000])
    return address[1] if address else failure.resource


def _problems(failure: Failure) -> list[Problem]:
    """The fields of `errors`; in JQL, the field that the message names."""
    body = failure.body
    errors = body.get("errors") if isinstance(body, Mapping) else None
    if isinstance(errors, Mapping) and errors:
        return [_problem(failure, str(field), str(reason)) for field, reason in list(errors.items())[:20]]
    named = _FOR_FIELD.search(failure.text)
    return [Problem(pointer_to([named[1]]), "has a value unknown to Jira")] if named else []


def _problem(failure: Failure, field: str, reason: str) -> Problem:
    """A problem with Jira's field (`issuetype`), at the argument with a similar name (`issue_type`)."""
    known = failure.arguments or {}
    squeezed = {name.replace("_", "").lower(): name for name in known}
    name = field if field in known else argument_named_in(field, known) or squeezed.get(field.lower(), field)
    return Problem(pointer_to([name]), "is required" if _REQUIRED.search(reason[:200]) else "is not accepted")


@rules("jira.NotJIRAInstanceError")
def misuse(_: Failure) -> ToolError:
    """A function of the client that was called without a client."""
    return ToolExecutionError("The Jira client is used incorrectly.", effect="none")


@last("jira.JIRAError")
def without_answer(failure: Failure) -> ToolError | None:
    """A bug in the client, or an empty response."""
    return ToolExecutionError("The Jira client received no usable response.")
