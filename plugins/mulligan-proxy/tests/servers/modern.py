"""A server of version 2026-07-28 only: no handshake; it asks for input, and tells of changes to whoever listens."""

import asyncio
import sys

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

server = MCPServer("modern", version="1", instructions="No handshake.")


@server.tool(structured_output=False)
async def name(ctx: Context) -> str | types.InputRequiredResult:
    "Asks for a name, then greets."
    answers = ctx.input_responses
    if not answers:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        asked = types.ElicitRequest(params=types.ElicitRequestFormParams(message="Who?", requested_schema=schema))
        return types.InputRequiredResult(input_requests={"who": asked}, request_state="asked")
    return f"Hello {answers['who'].content['name']}"


@server.tool(structured_output=False)
async def steps(ctx: Context) -> str:
    "Tells how far it is."
    for step in range(3):
        await ctx.report_progress(step, 3)
    return "done"


@server.tool()
def fail() -> str:
    "Fails."
    raise FileNotFoundError(2, "No such file or directory", "/data/x")


@server.tool(structured_output=False)
async def grow(ctx: Context) -> str:
    "Adds a tool, and says so."
    server.add_tool(sprout)
    await ctx.notify_tools_changed()
    return "grown"


def sprout() -> str:
    "New."
    return "sprouted"


@server.resource("test://note")
def note() -> str:
    "A note."
    return "noted"


async def no_handshake(ctx, call_next):
    if ctx.method == "initialize":
        data = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
        raise MCPError(types.UNSUPPORTED_PROTOCOL_VERSION, "no handshake here", data)
    return await call_next(ctx)


server.middleware.append(no_handshake)


async def main():
    low = server._lowlevel_server
    if sys.argv[1:] == ["stdio"]:
        async with stdio_server() as streams:
            await low.run(*streams, low.create_initialization_options())
        return
    from mulligan_proxy.serving import serve_app

    await serve_app(server.streamable_http_app(), "127.0.0.1", 0, "the server")


if __name__ == "__main__":
    asyncio.run(main())
