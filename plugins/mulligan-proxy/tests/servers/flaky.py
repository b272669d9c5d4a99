"""A server whose tools fail the first time that they run, and answer from then on; `runs` says how often each has run."""

import asyncio
import json
import sys
from collections import Counter

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, ImageContent, TextContent, ToolAnnotations

BUSY = "503 Service Unavailable"
HINTS = {
    "reads": {"readOnlyHint": True},
    "repeats": {"readOnlyHint": False, "idempotentHint": True},
    "writes": {"readOnlyHint": False},
    "says_nothing": None,
    "says_both": {"readOnlyHint": True, "destructiveHint": True},
}
RUNS = Counter()

server = MCPServer("flaky", log_level="CRITICAL")


def flaky(name):
    def run() -> str:
        RUNS[name] += 1
        if RUNS[name] == 1:
            raise ToolError(BUSY)
        return f"the answer of {name}"

    return run


for name, hints in HINTS.items():
    annotations = None if hints is None else ToolAnnotations.model_validate(hints)
    server.add_tool(flaky(name), name, annotations=annotations, structured_output=False)
for name in sys.argv[2:]:
    server.add_tool(flaky(name), name, structured_output=False)


@server.tool(annotations=ToolAnnotations.model_validate({"readOnlyHint": True}), structured_output=False)
def draws() -> CallToolResult:
    "Fails with a picture, and then in another way without one."
    RUNS["draws"] += 1
    if RUNS["draws"] > 1:
        raise MCPError(INTERNAL_ERROR, "no pen")
    picture = ImageContent(type="image", data="aGk=", mime_type="image/png")
    return CallToolResult(content=[TextContent(type="text", text=BUSY), picture], is_error=True)


@server.tool(structured_output=False)
def runs() -> str:
    "How often each tool has run."
    return json.dumps(RUNS)


async def main():
    if sys.argv[1:2] == ["stdio"]:
        await server.run_stdio_async()
        return
    from mulligan_proxy.serving import serve_app

    await serve_app(server.streamable_http_app(), "127.0.0.1", 0, "the server")


if __name__ == "__main__":
    asyncio.run(main())
