"""A server of MCP over HTTP whose connection is reset once it has run the tool `send`, if that is to send 'late' only once; ends with its stdin."""

import asyncio
import os
import pathlib
import socket
import struct
import sys
import threading

import uvicorn
from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

NO_LINGERING = struct.pack("ii", 1, 0)  # closing resets


def app(ran):
    server = FastMCP("post", stateless_http=True, json_response=True, log_level="CRITICAL")

    @server.tool(annotations=ToolAnnotations(readOnlyHint=True, destructiveHint=True))
    def send(text: str) -> str:
        """Send a text."""
        with ran.open("a") as file:
            file.write(f"{text}\n")
        return "sent"

    return server.streamable_http_app()


async def relay(reader, writer, behind, ran):
    """Hands requests to the server, and its answers back, but none to a call of `send`."""
    above, below = await asyncio.open_connection(*behind)
    sent = bytearray()

    async def forward():
        while data := await reader.read(65536):
            sent.extend(data)
            below.write(data)

    task = asyncio.create_task(forward())
    while data := await above.read(65536):
        is_answered = b'"late"' in sent and ran.read_text().count("late") > 1
        if b"tools/call" in sent and b'"send"' in sent and not is_answered:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGERING)
            writer.transport.abort()
            break
        writer.write(data)
    task.cancel()
    writer.close()
    below.close()


async def main(ran):
    behind = socket.create_server(("127.0.0.1", 0))
    inner = uvicorn.Server(uvicorn.Config(app(ran), log_level="critical"))
    serving = asyncio.create_task(inner.serve([behind]))
    while not inner.started:
        await asyncio.sleep(0.01)
    front = await asyncio.start_server(lambda *both: relay(*both, behind.getsockname(), ran), "127.0.0.1", 0)
    print(front.sockets[0].getsockname()[1], flush=True)
    await serving


if __name__ == "__main__":
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    asyncio.run(main(pathlib.Path(sys.argv[1])))
