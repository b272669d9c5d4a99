"""A server of the Model Context Protocol on standard input and output."""

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("files")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def count_lines(path: str, limit: int) -> str:
    """Count the lines of a file."""
    return f"{path}: {limit} lines"


server.run()
