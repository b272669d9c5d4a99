"""A server of MCP over standard input and output."""

from mcp.server.fastmcp import FastMCP, Image
from mcp.types import ToolAnnotations

server = FastMCP("library", log_level="ERROR")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def read_page(path: str) -> str:
    """Read a page."""
    if path == "leak":
        raise ValueError("token=ghp_" + "a1B2c3D4e5" * 4 + " is not valid")
    if path != "home.md":
        raise FileNotFoundError(2, "No such file or directory", path)
    return "Welcome."


@server.tool()
def picture() -> Image:
    """Give a picture."""
    return Image(data=b"png", format="png")


if __name__ == "__main__":
    server.run()
