"""Bodies of GitHub's error responses that a tool returned instead of raising."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import Failure, hookimpl
from mulligan_github.graphql import codes

_DOCS = "https://docs.github.com/"
_STATUSES = {
    "Bad credentials": 401,
    "Requires authentication": 401,
    "Forbidden": 403,
    "Not Found": 404,
    "Validation Failed": 422,
}


@hookimpl
def detect(value: Any) -> Failure | None:
    """A REST body with `message` and `documentation_url`, or a GraphQL body with typed errors and no data."""
    try:
        return _failure_of(value) if isinstance(value, Mapping) else None
    except Exception:  # an unreadable value reports no failure
        return None


def _failure_of(value: Mapping[Any, Any]) -> Failure | None:
    message = value.get("message")
    if isinstance(message, str) and str(value.get("documentation_url", "")).startswith(_DOCS):
        return Failure(value=value, message=message, status=_status(value, message))
    errors = value.get("errors")
    if isinstance(errors, list) and errors and _is_empty(value.get("data")) and all(_is_typed(one) for one in errors):
        return Failure(value=value, message=str(errors[0].get("message", "")))
    return None


def _status(value: Mapping[Any, Any], message: str) -> int | None:
    status = str(value.get("status", ""))
    return int(status) if len(status) == 3 and status.isdecimal() else _STATUSES.get(message)


def _is_empty(data: object) -> bool:
    """No data, or only nulls where the query's fields would be."""
    return data is None or (isinstance(data, Mapping) and all(value is None for value in data.values()))


def _is_typed(error: object) -> bool:
    return (
        isinstance(error, Mapping)
        and codes.meaning_of(error.get("type")) is not None
        and isinstance(error.get("message"), str)
    )
