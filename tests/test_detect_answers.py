"""Answers that services give under status 200, or that a tool hands on: what reports a failure, and what is a result."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Pipeline, errors

ANSWERS: dict[str, tuple[Any, type[errors.ToolError]]] = {
    "a detail alone": ({"detail": "Not authenticated"}, errors.ToolAuthenticationError),
    "a message that is a phrase of HTTP": ({"message": "Forbidden"}, errors.ToolPermissionError),
    "a message that begins with a status": ({"message": "404 Project Not Found"}, errors.ResourceNotFoundError),
    "a list of texts": ({"errors": ["permission denied"]}, errors.ToolPermissionError),
    "a text as errors": ({"errors": "Not Found"}, errors.ResourceNotFoundError),
    "errors with a reason each": ({"errors": [{"reason": "Not found"}]}, errors.ResourceNotFoundError),
    "errors with a field each": (
        {"errors": [{"message": "The authorization grant is invalid", "field": None}]},
        errors.ToolAuthenticationError,
    ),
    "a list as error": ({"error": [{"message": "class not found"}]}, errors.ResourceNotFoundError),
    "a status that holds an error": ({"status": {"error": "Not found: x"}, "time": 0.1}, errors.ResourceNotFoundError),
    "a code and a message": ({"code": "unauthorized", "message": "no"}, errors.ToolAuthenticationError),
    "a status of three words": (
        {"status": "REQUEST_DENIED", "error_message": "The provided API key is invalid.", "results": []},
        errors.ToolAuthenticationError,
    ),
    "a number as error": ({"reason": "private", "message": "Forbidden", "error": 403}, errors.ToolPermissionError),
    "a status, a category": (
        {"status": "error", "message": "resource not found", "correlationId": "a", "category": "OBJECT_NOT_FOUND"},
        errors.ResourceNotFoundError,
    ),
    "a tagged union": (
        {"error_summary": "path/not_found/..", "error": {".tag": "path", "path": {".tag": "not_found"}}},
        errors.ResourceNotFoundError,
    ),
    "a text with a status": ("Error: 401 Unauthorized", errors.ToolAuthenticationError),
}
RESULTS: dict[str, Any] = {
    "a validator's findings": {"valid": False, "errors": [{"path": "a", "message": "must be string"}]},
    "a linter's findings": {"errors": [{"line": 3, "message": "name not found", "rule": "F821"}], "files": 1},
    "a message about a search": {"message": "No users found"},
    "a message of success": {"message": "Created"},
    "a detail of something": {"detail": "the long story of a short table"},
    "a code of a table": {"code": 404, "name": "Not Found", "description": "The server cannot find it"},
    "a health check": {"status": "fail", "checks": {"db": "down"}},
    "an order": {"order": 1, "status": "failed", "reason": "card declined", "amount": 3},
    "a code that is no failure": {"code": "A1", "message": "Welcome"},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_of_a_service_that_reports_a_failure(name):
    value, cls = ANSWERS[name]
    assert type(Pipeline(autoload=False).classify(value)) is cls


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_that_speaks_of_failures(name):
    assert Pipeline(autoload=False).classify(RESULTS[name]) is None
