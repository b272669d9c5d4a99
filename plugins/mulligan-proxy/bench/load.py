"""What the proxy costs, and whether it loses calls.

    python bench/load.py PROGRAMS [CALLS] [CLIENTS]

PROGRAMS is the folder of the npm packages' programs (`node_modules/.bin`). Prints the latency that the proxy adds to one
call on stdin and stdout, then how many of CALLS mixed calls of CLIENTS clients over HTTP were answered as they should be.
"""

# ruff: noqa: ANN001, ANN201, INP001, S603, T201
from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

THOUGHT = {"thought": "first", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
PROXY = (sys.executable, "-m", "mulligan_proxy")
ROUNDS = 1_000


@contextlib.asynccontextmanager
async def client_of(*words: str):
    """A client of a program on stdin and stdout."""
    parameters = StdioServerParameters(command=words[0], args=list(words[1:]))
    with open("/dev/null", "w") as quiet:
        async with stdio_client(parameters, errlog=quiet) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


async def latencies(words: tuple[str, ...], tool: str, arguments: dict) -> list[float]:
    """Milliseconds of each of many calls, one after the other, after a warm-up."""
    async with client_of(*words) as client:
        taken = []
        for number in range(ROUNDS + 100):
            began = time.perf_counter()
            await client.call_tool(tool, arguments)
            if number >= 100:
                taken.append((time.perf_counter() - began) * 1_000)
        return taken


async def added(programs: pathlib.Path) -> None:
    """Prints what the proxy adds to a call that succeeds."""
    words = (str(programs / "mcp-server-everything"),)
    for name, arguments in (("echo", {"message": "x"}), ("get-tiny-image", {})):
        direct = await latencies(words, name, arguments)
        behind = await latencies((*PROXY, "--", *words), name, arguments)
        for label, taken in (("direct", direct), ("proxy", behind)):
            tail = statistics.quantiles(taken, n=100)[98]
            print(f"{name:>15} {label:>7}: median {statistics.median(taken):6.2f} ms, 99 % {tail:6.2f} ms")
        print(f"{name:>15}   added: median {statistics.median(behind) - statistics.median(direct):6.2f} ms")


@contextlib.contextmanager
def proxy_over_http(config: pathlib.Path):
    """The proxy in front of the servers of a file, and its address."""
    words = [*PROXY, "--http", "127.0.0.1:0", "--log", "off", "--config", str(config)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(words, stderr=log, text=True)
        try:
            while not (found := re.search(r"is at (http://\S+)", _read(log))):
                time.sleep(0.05)
            yield found[1]
        finally:
            process.terminate()
            process.wait(timeout=20)


def _read(log) -> str:
    log.seek(0)
    return log.read()


def mixture(folder: pathlib.Path) -> list[tuple[str, dict, str | None]]:
    """Calls, with what each answer holds; None: an error."""
    file = folder / "a.txt"
    file.write_text("alpha")
    return [
        ("everything__echo", {"message": "{n}"}, "Echo: {n}"),
        ("files__read_text_file", {"path": str(file)}, "alpha"),
        ("thinking__sequentialthinking", THOUGHT, '"thoughtNumber": 1'),
        ("everything__ecko", {"message": "{n}"}, None),
        ("everything__get-structured-content", {"location": "{n}"}, None),
        ("files__get_file_info", {"path": str(folder / "none-{n}.txt")}, None),
        ("files__list_directory", {"path": "/etc"}, None),
        ("everything__get-sum", {"a": 1, "b": 2}, "3"),
    ]


async def mixed(url: str, calls: int, clients: int, made: list[tuple[str, dict, str | None]]) -> dict[str, int]:
    """Makes calls from many clients at once; how they ended."""
    numbers = iter(range(calls))
    ended = {"as they should": 0, "otherwise": 0, "lost": 0}

    async def one(client: Client, number: int) -> None:
        name, arguments, expected = made[number % len(made)]
        filled = json.loads(json.dumps(arguments).replace("{n}", str(number)))
        try:
            result = await asyncio.wait_for(client.call_tool(name, filled), 120)
        except Exception as error:
            ended["lost"] += 1
            print("lost:", repr(error)[:300])
            return
        told = " ".join(block.text for block in result.content if block.type == "text")
        wanted = None if expected is None else expected.replace("{n}", str(number))
        right = result.is_error if wanted is None else not result.is_error and wanted in told
        ended["as they should" if right else "otherwise"] += 1
        if not right:
            print("otherwise:", name, told[:300])

    async def many(place: int) -> None:
        async with Client(url, mode="legacy" if place % 2 else "auto") as client:
            for number in numbers:
                await one(client, number)

    await asyncio.gather(*(many(place) for place in range(clients)))
    return ended


async def load(programs: pathlib.Path, calls: int, clients: int) -> dict[str, int]:
    """The three servers of the MCP project behind one proxy, used by many clients at once."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made).resolve()
        words = {"everything": (), "filesystem": (str(folder),), "sequential-thinking": ()}
        names = {"everything": "everything", "filesystem": "files", "sequential-thinking": "thinking"}
        servers = {
            names[one]: {"command": str(programs / f"mcp-server-{one}"), "args": list(more)}
            for one, more in words.items()
        }
        config = folder / "client.json"
        config.write_text(json.dumps({"mcpServers": servers}))
        with proxy_over_http(config) as url:
            return await mixed(url, calls, clients, mixture(folder))


async def main() -> int:
    """Measures and prints."""
    programs = pathlib.Path(sys.argv[1])
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    clients = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    await added(programs)
    began = time.perf_counter()
    ended = await load(programs, calls, clients)
    seconds = time.perf_counter() - began
    print(f"{calls:,} mixed calls of {clients} clients in {seconds:.0f} s, {calls / seconds:.0f} a second: {ended}")
    return 0 if ended["as they should"] == calls else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
