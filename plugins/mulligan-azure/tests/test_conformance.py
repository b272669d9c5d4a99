"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_azure
from azure.core.exceptions import ClientAuthenticationError, ResourceExistsError, ServiceRequestError

from mulligan.errors import ResourceConflictError, ToolAuthenticationError, ToolConnectionError
from mulligan.testing import ClassifierConformance


class TestAzure(ClassifierConformance):
    plugin = mulligan_azure
    samples = [
        (ClientAuthenticationError("Authentication failed."), ToolAuthenticationError),
        (ServiceRequestError("Cannot connect."), ToolConnectionError, {"effect": "none"}),
        (ResourceExistsError("There is already a blob."), ResourceConflictError),
    ]
