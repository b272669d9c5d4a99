"""Connection errors of requests, httpx, aiohttp and urllib that the services' clients do not wrap."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, transport_error

rules = Rules()
_SERVICES: Mapping[str, tuple[str, str]] = {  # by the client module that appears in the traceback
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
    "httpx2.TransportError",
    "aiohttp.ClientError",
    "urllib.error.URLError",
    "TimeoutError",
    "ConnectionError",
)


@rules(*_EXCEPTIONS)
def connection(failure: Failure) -> ToolError | None:
    """No connection to a service, or a connection dropped midway. The traceback identifies the service."""
    module = None if failure.status is not None else failure.came_through(*_SERVICES)
    if module is None:
        return None
    provider, service = _SERVICES[module]
    return transport_error(failure, service=service, provider=provider)
