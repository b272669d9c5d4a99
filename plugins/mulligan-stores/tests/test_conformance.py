"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_stores
import redis.exceptions
from pymongo.errors import BulkWriteError, CursorNotFound, DuplicateKeyError, ExecutionTimeout
from redis.exceptions import AuthenticationError, BusyLoadingError

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.testing import ClassifierConformance


class TestStores(ClassifierConformance):
    plugin = mulligan_stores
    samples = [
        (AuthenticationError("invalid username-password pair"), ToolAuthenticationError),
        (BusyLoadingError("Redis is loading the dataset in memory"), ToolUnavailableError),
        (DuplicateKeyError("E11000 duplicate key error", 11000), ResourceConflictError),
        (redis.exceptions.ExecAbortError("Transaction discarded"), ResourceConflictError),
        (redis.exceptions.ConnectionError("Connection closed by server."), ToolConnectionError),
        (redis.exceptions.ResponseError("syntax error"), ToolArgumentError),
        (CursorNotFound("cursor id 7 not found", 43), ResourceNotFoundError),
        (ExecutionTimeout("operation exceeded time limit", 50), ToolTimeoutError),
        (BulkWriteError({"writeErrors": [{"code": 11000, "errmsg": "E11000"}]}), ResourceConflictError),
    ]
