"""Connections to the services: what their clients let through of requests, httpx, aiohttp and urllib."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, transport_error

rules = Rules()
_SERVICES: Mapping[str, tuple[str, str]] = {  # by the module of the client that is in the traceback
    "slack_sdk": ("slack", "Slack"),
    "notion_client": ("notion", "Notion"),
    "atlassian.confluence": ("confluence", "Confluence"),
    "atlassian.jira": ("jira", "Jira"),
    "jira.client": ("jira", "Jira"),
    "jira.resilientsession": ("jira", "Jira"),
    "discord.http": ("discord", "Discord"),
    "discord.gateway": ("discord", "Discord"),
}
_EXCEPTIONS = (
    "requests.RequestException",
    "httpx.TransportError",
    "aiohttp.ClientError",
    "urllib.error.URLError",
    "TimeoutError",
    "ConnectionError",
)


@rules(*_EXCEPTIONS)
def connection(failure: Failure) -> ToolError | None:
    """No connection to a service, or one that ended midway, as the traceback tells."""
    module = None if failure.status is not None else failure.came_through(*_SERVICES)
    if module is None:
        return None
    provider, service = _SERVICES[module]
    return transport_error(failure, service=service, provider=provider)
