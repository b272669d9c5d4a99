"""A proxy between any MCP client and any MCP server: whenever a call fails, the model reads what it can do next."""

from mulligan_proxy.serving import serve_http, serve_stdio
from mulligan_proxy.specs import ProxyOptions, ServerSpec

__all__ = ["ProxyOptions", "ServerSpec", "serve_http", "serve_stdio"]
