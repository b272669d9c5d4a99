"""A server of the Model Context Protocol on standard input and output; its tools say that they only read."""

import pathlib

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("files")
ONLY_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True)


@server.tool(annotations=ONLY_READS)
def count_lines(path: str, limit: int) -> str:
    """Count the lines of a file."""
    if path == "b":
        raise ValueError("b is locked")
    return f"{path}: {limit} lines"


@server.tool(annotations=ONLY_READS)
def send(log: str) -> str:
    """Send."""
    with pathlib.Path(log).open("a") as file:
        file.write("sent\n")
    raise ConnectionResetError("Connection reset by peer")


server.run()
