"""Exceptions of requests and httpx that a search client does not wrap. The traceback identifies the client."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, status_error, transport_error

rules = Rules()
_CLIENTS = {
    "tavily": ("tavily", "Tavily"),
    "wikipedia": ("wikipedia", "Wikipedia"),
    "wikipediaapi": ("wikipedia", "Wikipedia"),
}


@rules("requests.RequestException", "httpx.HTTPError", "httpx2.HTTPError")
def http_failure(failure: Failure) -> ToolError | None:
    """A status or a failed connection below one of the clients."""
    package = failure.came_through(*_CLIENTS)
    if package is None:
        return None
    provider, service = _CLIENTS[package]
    if failure.status is not None:
        return status_error(failure, service=service, provider=provider)
    return transport_error(failure, service=service, provider=provider)
