"""The world of the MCP filesystem server: the official npm package, through mulligan-mcp; absent where one of them is."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worlds import State, ToolSpec, World, read_files, write_start

SERVERS = Path(__file__).parents[2] / "plugins" / "mulligan-proxy" / "tests" / "servers"
INSTALLED = Path(sys.prefix) / "share" / "mulligan-proxy-servers"
PROGRAM = "mcp-server-filesystem"
USED = ("read_text_file", "write_file", "create_directory", "list_directory", "move_file")
SECONDS = 30


def missing() -> str:
    """Why this world cannot be used, or nothing."""
    for package in ("mcp", "mulligan_mcp"):
        if find_spec(package) is None:
            return f"the package {package} is not installed"
    return "" if shutil.which("node") and shutil.which("npm") else "node and npm are not installed"


def program() -> Path:
    """The server's program; npm installs it once, as the tests of mulligan-proxy do."""
    found = INSTALLED / "node_modules" / ".bin" / PROGRAM
    if not found.exists():
        INSTALLED.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SERVERS / name, INSTALLED / name)
        command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run(command, cwd=INSTALLED, check=True, timeout=300, capture_output=True)
    return found


class McpError(Exception):
    """A result with `isError`, for loops that know exceptions only."""


class McpFiles(World):
    """A folder, through the server, which runs as long as the world."""

    def __init__(self, root: Path) -> None:
        super().__init__("mcp", root)
        write_start(root, self.start)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[Any] = self._loop.create_future()
        self._task = asyncio.run_coroutine_threadsafe(self._serve(), self._loop)
        self.client = self.wait_for(self._when_ready())
        self.specs = self.wait_for(self._read_specs())

    async def _when_ready(self) -> Any:
        return await self._ready

    async def _serve(self) -> None:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        server = StdioServerParameters(
            command=str(program()), args=[str(self.root)], cwd=str(self.root), env=dict(os.environ)
        )
        with open(os.devnull, "w", encoding="utf-8") as silent:
            try:
                async with Client(stdio_client(server, errlog=silent)) as client:
                    self._ready.set_result(client)
                    await self._closing.wait()
            except Exception as error:
                if self._ready.done():
                    raise
                self._ready.set_exception(error)

    async def _read_specs(self) -> dict[str, ToolSpec]:
        from mulligan_mcp import tools_from

        tools = await tools_from(self.client, trusted=True)
        schemas = {one["function"]["name"]: one["function"]["parameters"] for one in tools.definitions("openai")}
        return {
            name: ToolSpec(
                name=name,
                description=tools[name].description.partition(". ")[0] + ".",
                parameters=_without_version(schemas[name]),
                read_only=bool(tools[name].read_only),
                idempotent=bool(tools[name].idempotent),
                destructive=bool(tools[name].destructive),
            )
            for name in USED
        }

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of work on the client's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(SECONDS)

    def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The server's result, errors too."""
        return self.wait_for(self.client.call_tool(name, dict(arguments)))

    def tools(self, run: Callable[[str, Mapping[str, Any]], Any]) -> list[Any]:
        """mulligan's tools of this server, each call through `run`."""
        from mulligan_mcp import tools_from

        class Client:
            list_tools = self.client.list_tools

            async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
                return await asyncio.to_thread(run, name, arguments)

        found = self.wait_for(tools_from(Client(), trusted=True, timeout=SECONDS))
        return [found[name] for name in USED]

    def state(self) -> State:
        """Folders and files."""
        return read_files(self.root)

    def close(self) -> None:
        """End the server, then the loop."""
        self._loop.call_soon_threadsafe(self._closing.set)
        self._task.result(SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def text_of(result: Any) -> str:
    """The text of a result.

    Raises:
        McpError: the result says that it is an error.
    """
    text = "\n".join(one.text for one in result.content if one.type == "text")
    if result.is_error:
        raise McpError(text)
    return text


def _without_version(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "$schema"}
