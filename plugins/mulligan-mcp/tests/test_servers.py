"""The middleware: servers made with FastMCP and with the MCP SDK, called by the real client."""

from __future__ import annotations

import asyncio
import threading

import mcp_types as types
import pytest
from conftest import said
from fastmcp import Client as FastClient
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError as FastToolError
from fastmcp.server import create_proxy
from fastmcp.tools import ToolResult
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mulligan_mcp.fastmcp import MulliganMiddleware as FastMiddleware
from mulligan_mcp.sdk import MulliganMiddleware, protect

from mulligan import Pipeline, Policy
from mulligan.errors import UsageError

pytestmark = pytest.mark.anyio
SECRET = "sk-live-0123456789abcdef0123"


def add_tools(server, deliberate):
    @server.tool()
    def read_file(path: str) -> str:
        "Read a text file."
        return open(path).read()

    @server.tool()
    def add(a: int, b: int = 0) -> int:
        "Add two numbers."
        return a + b

    @server.tool()
    async def wait() -> str:
        "Wait for ever."
        await asyncio.sleep(3_600)

    @server.tool()
    def crash() -> str:
        "Fail in a way that nobody foresaw."
        raise RuntimeError(f"bad luck with {SECRET}")

    @server.tool()
    def refuse() -> str:
        "Fail in the author's own words."
        raise deliberate("Ask for fewer than 10 rows.")

    @server.tool()
    def protocol() -> str:
        "Answer with an error of the protocol."
        raise MCPError(-32042, "open this page")

    return server


def fast(**more):
    middleware = FastMiddleware(more.pop("pipeline", None), timeout=more.pop("timeout", None))
    return add_tools(FastMCP("plain", middleware=[middleware], **more), FastToolError)


def sdk(**more):
    return protect(
        add_tools(MCPServer("plain"), ToolError), more.pop("pipeline", None), timeout=more.pop("timeout", None)
    )


def client_of(server, mode):
    if isinstance(server, FastMCP):
        import fastmcp

        return Adapted(fastmcp.Client(server))
    return Client(server, mode=mode)


class Adapted:
    """FastMCP's client, asked as the SDK's is."""

    def __init__(self, client):
        self.client = client

    async def __aenter__(self):
        await self.client.__aenter__()
        return self

    async def __aexit__(self, *about):
        await self.client.__aexit__(*about)

    async def call_tool(self, name, arguments):
        return await self.client.call_tool_mcp(name, arguments)


BOTH = pytest.mark.parametrize("made", [fast, sdk])
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@BOTH
@MODES
async def test_good_answers_stay_as_they_are(made, mode):
    plain = add_tools(FastMCP("plain") if made is fast else MCPServer("plain"), FastToolError)
    async with client_of(made(), mode) as client, client_of(plain, mode) as direct:
        for arguments in ({"a": 1, "b": 2}, {"a": "3"}):
            assert await client.call_tool("add", arguments) == await direct.call_tool("add", arguments)


@BOTH
@MODES
async def test_each_failure_is_told(made, mode, tmp_path):
    missing = str(tmp_path / "a.txt")
    async with client_of(made(timeout=0.3), mode) as client:

        async def told(name, arguments):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            return said(result)

        assert 'Did you mean "read_file"?' in await told("readFile", {"path": "x"})
        wrong = await told("add", {"a": "one", "c": 2})
        assert "/a: wrong type; expected integer" in wrong
        assert "nothing was run" in wrong
        assert "/a: missing" in await told("add", {})
        first = f"Error executing tool read_file: Resource not found: {missing}"
        assert (await told("read_file", {"path": missing})).startswith(first)
        assert "No response within 0.3 s" in await told("wait", {})
        refused = await told("refuse", {})
        assert 'The tool says: "Ask for fewer than 10 rows."' in refused
        assert "taken effect" not in refused and "<<<" not in refused
        assert SECRET not in await told("crash", {})


async def test_an_authors_error_is_not_temporary_and_runs_a_reading_tool_once():
    ran = []
    server = MCPServer("plain")

    @server.tool(annotations=types.ToolAnnotations(read_only_hint=True))
    def order(id: int) -> str:
        ran.append(id)
        raise ToolError("Order 77 belongs to another customer.")

    async with Client(protect(server)) as client:
        text = said(await client.call_tool("order", {"id": 77}))
    assert 'The tool says: "Order 77 belongs to another customer."' in text
    assert ran == [77]


async def test_an_answer_marked_as_an_error_is_the_authors_unless_it_is_another_servers():
    shop = FastMCP("shop")

    @shop.tool
    def order(id: int) -> ToolResult:
        return ToolResult(content="Order 77 is locked; call unlock_order(77) first.", is_error=True)

    near = FastMCP("near", middleware=[FastMiddleware()])
    near.add_tool(await shop.get_tool("order"))
    far = create_proxy(shop)
    far.add_middleware(FastMiddleware())
    texts = []
    for server in (near, far):
        async with client_of(server, "auto") as client:
            texts.append(said(await client.call_tool("order", {"id": 77})))
    assert 'The tool says: "Order 77 is locked; call unlock_order(77) first."' in texts[0]
    assert "The tool says" not in texts[1]
    assert "Order 77 is locked" in texts[1] and "<<<" in texts[1]


@BOTH
@MODES
async def test_an_error_of_the_protocol_stays_one(made, mode):
    plain = add_tools(FastMCP("plain") if made is fast else MCPServer("plain"), FastToolError)

    async def outcome(server):
        async with client_of(server, mode) as client:
            try:
                result = await client.call_tool("protocol", {})
            except MCPError as error:
                return error.error.code
            return result.is_error

    assert await outcome(made()) == await outcome(plain)


async def test_what_a_server_keeps_to_itself_is_not_told():
    async with client_of(fast(mask_error_details=True), "legacy") as client:
        told = said(await client.call_tool("crash", {}))
        assert "luck" not in told
        assert "RuntimeError" in told
    async with client_of(sdk(), "legacy") as client:
        assert "luck" not in said(await client.call_tool("crash", {}))
    async with client_of(sdk(pipeline=Pipeline(policy=Policy(detail="quoted"))), "legacy") as client:
        told = said(await client.call_tool("crash", {}))
        assert "luck" in told
        assert SECRET not in told


@BOTH
async def test_tools_that_come_and_go_are_known_at_once(made):
    server = made()
    async with client_of(server, "legacy") as client:
        assert not (await client.call_tool("add", {"a": 1})).is_error

        @server.tool()
        def added(n: int) -> int:
            "New."
            return n

        assert said(await client.call_tool("added", {"n": 3})) == "3"
        (server.local_provider if made is fast else server).remove_tool("add")
        gone = said(await client.call_tool("add", {"a": 1}))
        assert gone.startswith("Error: Tool 'add' not found.")
        assert '"added"' in gone
        (server.local_provider if made is fast else server).remove_tool("added")

        @server.tool(name="added")
        def changed(m: str) -> int:
            "Other arguments."
            return len(m)

        assert said(await client.call_tool("added", {"m": "x"})) == "1"
        assert "/m: missing" in said(await client.call_tool("added", {"n": 3}))


async def test_a_low_level_server_is_protected_too():
    async def list_tools(ctx, params):
        return types.ListToolsResult(tools=[types.Tool(name="find", input_schema={"type": "object"})])

    async def call_tool(ctx, params):
        if params.name == "find":
            raise FileNotFoundError(2, "No such file or directory", "/data/x")
        raise ValueError(f"unknown {params.name}")

    server = protect(Server("low", on_list_tools=list_tools, on_call_tool=call_tool))
    async with Client(server, mode="legacy") as client:
        assert "Resource not found: /data/x" in said(await client.call_tool("find", {}))
        assert 'Closest: "find".' in said(await client.call_tool("fnd", {}))


async def test_middleware_without_protect_tells_what_it_can():
    server = add_tools(MCPServer("plain", middleware=[MulliganMiddleware()]), ToolError)
    async with Client(server, mode="legacy") as client:
        assert 'Did you mean "read_file"?' in said(await client.call_tool("readFile", {}))
        assert (await client.call_tool("crash", {})).is_error


def test_what_cannot_be_protected_is_named():
    with pytest.raises(UsageError, match="is no server of the MCP SDK"):
        protect(object())
    with pytest.raises(UsageError, match="is protected already"):
        protect(sdk())
    with pytest.raises(UsageError, match="pipeline must be a Pipeline"):
        protect(MCPServer("x"), "text")


@pytest.mark.parametrize("kind", ["FastMCP", "MCPServer"])
async def test_a_tool_in_a_thread_may_run_on_after_its_deadline_and_an_async_one_is_cancelled(kind):
    ended = threading.Event()
    if kind == "FastMCP":
        server = FastMCP("s", middleware=[FastMiddleware(timeout=1)])
    else:
        server = protect(MCPServer("s"), timeout=1)

    @server.tool()
    def blocks() -> str:
        "Waits in a thread."
        ended.wait(10)
        return "ended"

    @server.tool()
    async def waits() -> str:
        "Waits without a thread."
        await asyncio.sleep(10)
        return "ended"

    async with (FastClient if kind == "FastMCP" else Client)(server) as client:
        call = getattr(client, "call_tool_mcp", client.call_tool)
        assert "; it may still be running." in said(await call("blocks", {}))
        assert "; it was cancelled." in said(await call("waits", {}))
        ended.set()


async def test_a_caller_never_reads_of_tools_that_only_another_may_see():
    caller = "admin"

    def entry(name):
        return types.Tool(name=name, input_schema={"type": "object", "properties": {"p": {"type": "string"}}})

    async def listed(ctx, params):
        return types.ListToolsResult(tools=[entry("read"), *([entry("wipe_all")] if caller == "admin" else [])])

    async def called(ctx, params):
        refused = params.name == "wipe_all" and caller != "admin"
        text = "Unknown tool: wipe_all" if refused else "ok"
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=refused)

    async with Client(protect(Server("s", on_list_tools=listed, on_call_tool=called))) as client:
        assert said(await client.call_tool("wipe_all", {"p": "x"})) == "ok"
        caller = "guest"
        refused = said(await client.call_tool("wipe_all", {"p": "x"}))
        assert refused == said(await client.call_tool("wipe_all", {"p": 1})), "as for any name that does not exist"
        assert "Available tools (1): read." in refused
