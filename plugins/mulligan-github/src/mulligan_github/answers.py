"""Reads GitHub's error responses, wherever a client stores them: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import Failure, Problem, argument_named_in, pointer_to

_CLIENTS = ("github.GithubException", "githubkit.RequestFailed")
_HOSTS = frozenset({"api.github.com", "uploads.github.com"})
_URLS = (("request", "url"), ("response", "url"), ("url",), ("request_info", "real_url"))
_DOCS = "https://docs.github.com/"

# How GitHub's own MCP server and other programs that use go-github report a response: method, URL, status, text.
_GO = re.compile(r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) https://[\w.-]+/(?:api/v3/)?[^\s:]*: ([45]\d\d) ([^\[\n]*)")
_GO_RESET = re.compile(r"\[rate reset in (?:(\d+)h)?(?:(\d+)m)?(\d+)s\]")
_GO_ERROR = re.compile(r"\{Resource:(\S*) Field:(\S*) Code:(\S*) Message:([^}]*)\}")

# https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
_CODES = {
    "missing": "refers to something that does not exist",
    "missing_field": "is required",
    "invalid": "is not valid",
    "already_exists": "is already taken",
    "unprocessable": "was not accepted",
    "too_large": "is too large",
    "custom": "was not accepted",
}
_VAGUE = (_CODES["custom"], _CODES["invalid"])
_WORDS = (
    (re.compile(r"already (?:exists|taken|in use)"), _CODES["already_exists"]),
    (re.compile(r"too (?:long|large)\b|is longer than"), "is too long"),
    (re.compile(r"can't be blank|is required|is missing"), _CODES["missing_field"]),
    (re.compile(r"does not exist|could not (?:be found|resolve)"), _CODES["missing"]),
)
_ALIASES = {"q": "query"}  # GitHub's field names and those that tools use
_FIELD = re.compile(r"\"(\w+)\" (wasn't supplied|is not a permitted key)|For 'properties/([\w/]+)'")
_SPECIFIC = ("path", "file_path", "branch", "ref", "sha", "tag", "username", "login", "user")
_REPOSITORY = ("owner", "repo", "repository")
_NUMBERS = ("issue_number", "pull_number", "issueNumber", "pullNumber", "number")


def status(failure: Failure) -> int | None:
    """The HTTP status of GitHub's response; for a failure that is only text, the one that go-github writes."""
    if failure.status is not None or failure.exception is not None:
        return failure.status
    match = _GO.search(failure.text)
    return int(match[1]) if match else None


def is_github(failure: Failure) -> bool:
    """Whether GitHub or a GitHub Enterprise Server responded: by client, header, documentation link or host."""
    if failure.matches(*_CLIENTS) or "x-github-request-id" in failure.headers:
        return True
    if str(body(failure).get("documentation_url", "")).startswith(_DOCS):
        return True
    return any(_host(failure.look(*names)) in _HOSTS for names in _URLS) or _is_from_go(failure)


def _host(url: object) -> str | None:
    return None if url is None else str(url)[:2_000].partition("://")[2].partition("/")[0]


def _is_from_go(failure: Failure) -> bool:
    match = _GO.search(failure.text) if failure.exception is None else None
    return match is not None and ("://api.github.com/" in match[0] or "/api/v3/" in match[0])


def body(failure: Failure) -> Mapping[str, Any]:
    """The JSON object of the response; empty if there is none."""
    return failure.body if isinstance(failure.body, Mapping) else {}


def message(failure: Failure) -> str:
    """GitHub's `message`, for comparison, not for display."""
    said = body(failure).get("message")
    if isinstance(said, str):
        return said
    match = _GO.search(failure.text)
    return match[2] if match else ""


def field_errors(failure: Failure) -> list[Mapping[str, Any]]:
    """The objects in the response's `errors`, each with some of `resource`, `field`, `code` and `message`."""
    errors = body(failure).get("errors")
    if isinstance(errors, list):
        return [one for one in errors[:100] if isinstance(one, Mapping)]
    names = ("resource", "field", "code", "message")
    return [dict(zip(names, found, strict=True)) for found in _GO_ERROR.findall(failure.text)[:100]]


def until_reset(failure: Failure) -> float | None:
    """Seconds until the rate limit resets, from a header or from go-github's text."""
    match = _GO_RESET.search(failure.text) if failure.exception is None else None
    if match is None:
        return failure.retry_after
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(3_600 * hours + 60 * minutes + seconds)


def problems(failure: Failure) -> list[Problem]:
    """One problem per field, from `errors`, otherwise from a message that names one field."""
    found = [
        Problem(_pointer(str(one["field"]), failure), _fault(one)) for one in field_errors(failure) if one.get("field")
    ]
    return found or [_problem(match, failure) for match in _FIELD.finditer(message(failure))]


def _fault(error: Mapping[str, Any]) -> str:
    """The problem with a field, by its code, otherwise by its message."""
    fault = _CODES.get(str(error.get("code")), _CODES["custom"])
    said = str(error.get("message", ""))[:500]
    return next((words for pattern, words in _WORDS if pattern.search(said)), fault) if fault in _VAGUE else fault


def _problem(match: re.Match[str], failure: Failure) -> Problem:
    name, fault, nested = match.groups()
    if name is None:
        return Problem(_pointer(nested, failure), _CODES["invalid"])
    return Problem(_pointer(name, failure), "is required" if fault == "wasn't supplied" else "unknown")


def _pointer(field: str, failure: Failure) -> str:
    """The pointer to a field, or to the argument of the call that it refers to."""
    known = failure.arguments or {}
    alias = _ALIASES.get(field, field)
    return pointer_to(alias if field not in known and alias in known else _named(field, known))


def _named(field: str, known: Mapping[str, Any]) -> str:
    return field if field in known else argument_named_in(field, known) or field


def resource(failure: Failure) -> str | None:
    """The requested resource: the argument that GitHub's message names, else the most specific one, else the URL."""
    arguments = failure.arguments or {}
    said = message(failure)
    texts = {name: value for name, value in arguments.items() if isinstance(value, str) and 0 < len(value) < 400}
    for value in texts.values():
        if len(value) > 2 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said):
            return value
    named = argument_named_in(said, texts)
    if named is not None and named not in _REPOSITORY:
        return texts[named]
    for name in _SPECIFIC:
        if name in texts:
            return texts[name]
    repository = "/".join(texts[name] for name in _REPOSITORY if name in texts)
    number = next((arguments[name] for name in _NUMBERS if type(arguments.get(name)) is int), None)
    if repository:
        return repository if number is None else f"{repository}#{number}"
    return failure.resource if str(failure.resource).startswith("/") else None
