"""An MCP server whose tool says with which `_meta` it was called."""

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("archive")


@server.tool()
async def look(word: str, ctx: Context) -> str:
    """Look a word up."""
    return str((ctx.request_context.meta or {}).get("traceparent"))


if __name__ == "__main__":
    server.run()
