"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_stores
from pymongo.errors import DuplicateKeyError
from redis.exceptions import AuthenticationError, BusyLoadingError

from mulligan.errors import ResourceConflictError, ToolAuthenticationError, ToolUnavailableError
from mulligan.testing import ClassifierConformance


class TestStores(ClassifierConformance):
    plugin = mulligan_stores
    samples = [
        (AuthenticationError("invalid username-password pair"), ToolAuthenticationError),
        (BusyLoadingError("Redis is loading the dataset in memory"), ToolUnavailableError),
        (DuplicateKeyError("E11000 duplicate key error", 11000), ResourceConflictError),
    ]
