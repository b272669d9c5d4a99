"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_crm
from pyairtable.exceptions import MissingRecordError
from simple_salesforce.exceptions import (
    SalesforceAuthenticationFailed,
    SalesforceMalformedRequest,
    SalesforceOperationError,
    SalesforceResourceNotFound,
)

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolExecutionError,
)
from mulligan.testing import ClassifierConformance

URL = "https://x.my.salesforce.com/services/data/v59.0/sobjects/Account/0011x00000ABCDE"


def entry(code: str, *fields: str) -> list[dict[str, object]]:
    return [{"errorCode": code, "message": "No.", "fields": list(fields)}]


class TestCrm(ClassifierConformance):
    plugin = mulligan_crm
    samples = [
        (SalesforceMalformedRequest(URL, 400, "Account", entry("REQUIRED_FIELD_MISSING", "Name")), ToolArgumentError),
        (SalesforceMalformedRequest(URL, 400, "Account", entry("UNABLE_TO_LOCK_ROW")), ResourceConflictError),
        (SalesforceResourceNotFound(URL, 404, "Account", entry("NOT_FOUND")), ResourceNotFoundError),
        (SalesforceAuthenticationFailed("INVALID_LOGIN", "Invalid username"), ToolAuthenticationError),
        (SalesforceOperationError("wobbly"), ToolExecutionError, {"rule": "other"}),
        (MissingRecordError(["recA"]), ResourceNotFoundError),
    ]
