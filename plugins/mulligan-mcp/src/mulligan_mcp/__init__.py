"""mulligan for MCP.

`tools_from` makes the tools of any MCP server a `Toolset`. `mulligan_mcp.fastmcp` and `mulligan_mcp.sdk` provide middleware for
servers.
"""

from mulligan_mcp.client import tools_from

__all__ = ["tools_from"]
