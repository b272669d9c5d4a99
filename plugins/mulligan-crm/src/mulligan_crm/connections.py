"""Failed connections that the clients do not wrap; the traceback identifies the client."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError, ToolRateLimitError, status_error, transport_error

rules = Rules()

_SERVICES = {
    "hubspot": ("HubSpot", "hubspot", None),
    "simple_salesforce": ("Salesforce", "salesforce", None),
    "pyairtable": ("Airtable", "airtable", 30.0),  # the wait that the service documents after too many requests
}
_RETRIED = re.compile(r"\btoo many ([45]\d\d) error responses\b")


@rules("requests.RequestException", "urllib3.HTTPError")
def connection(failure: Failure) -> ToolError | None:
    """No connection, a connection dropped midway, or a client that stopped retrying after repeated rejections."""
    client = failure.came_through(*_SERVICES)
    if client is None or failure.status is not None:
        return None
    service, provider, wait = _SERVICES[client]
    retried = _RETRIED.search(failure.text) if failure.matches("requests.RetryError", "urllib3.MaxRetryError") else None
    error: ToolError | None
    if retried:
        error = status_error(failure, int(retried[1]), service=service)
        if isinstance(error, ToolRateLimitError):
            error.retry_after = wait
    else:
        error = transport_error(failure, service=service)
    if error is not None:
        error.provider = provider
    return error
