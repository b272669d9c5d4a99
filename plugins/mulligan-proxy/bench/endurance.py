"""Whether the proxy holds out: mixed calls at a steady rate, and a server killed now and then.

    python bench/endurance.py [SECONDS] [CALLS_A_SECOND] [SECONDS_BETWEEN_KILLS]

By default an hour, 50 calls a second, a kill each minute. It speaks to one proxy in front of three servers, counts the
answers to each request, and looks at the proxy's memory and processes. It ends with 1 if a call was lost or answered twice,
if an answer was not what it should be, if the memory grew by more than a tenth after the first tenth of the time, or if a
zombie is left. The memory and the load of the machine are printed ten times.
"""

# ruff: noqa: INP001, T201, S311
from __future__ import annotations

import asyncio
import datetime
import json
import os
import pathlib
import platform
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from importlib.metadata import version

SERVERS = pathlib.Path(__file__).parents[1] / "tests" / "servers"
DOWN = ("exited while running this call", "is not running")
REPEATED = "it has already failed"  # the loop guard: a stalled machine delays the calls that work in between
PATIENCE = 70.0


class Run:
    """One run against one proxy.

    Attributes:
        expected: what each request that has not been answered should get.
        answers: how often each id was answered.
        outcomes: how the calls ended.
        memory: the proxy's memory in MB, at each look.
        loads: the machine's load (an average of one minute), at each look.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.expected: dict[int, tuple[str, float]] = {}
        self.answers: Counter[int] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.memory: list[float] = []
        self.loads: list[float] = []
        self.slowest = 0.0
        self._id = 0
        self._waiting: dict[int, asyncio.Future] = {}

    def send(self, method: str, params: dict, expected: str = "") -> int:
        """Sends a request, and remembers what it should get."""
        self._id += 1
        self.expected[self._id] = (expected, time.monotonic())
        self._write({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self._id

    async def ask(self, method: str, params: dict) -> dict:
        """Sends a request and waits for its answer."""
        future = asyncio.get_running_loop().create_future()
        number = self.send(method, params, "any")
        self._waiting[number] = future
        return await asyncio.wait_for(future, PATIENCE)

    def note(self, method: str) -> None:
        """Sends a notification."""
        self._write({"jsonrpc": "2.0", "method": method})

    async def read(self) -> None:
        """Takes the answers, and compares each with what it should be."""
        async for line in self.process.stdout:
            message = json.loads(line)
            number = message.get("id")
            if number is None or "method" in message:
                continue
            self.answers[number] += 1
            expected, began = self.expected.pop(number, ("", time.monotonic()))
            self.slowest = max(self.slowest, time.monotonic() - began)
            if number in self._waiting:
                waiting = self._waiting.pop(number)
                if not waiting.done():
                    waiting.set_result(message)
                continue
            told = json.dumps(message, ensure_ascii=False)
            if expected in told:
                self.outcomes["as they should"] += 1
            elif any(words in told for words in DOWN):
                self.outcomes["answered that the server is down"] += 1
            elif REPEATED in told:
                self.outcomes["refused as repeated"] += 1
            else:
                self.outcomes["otherwise"] += 1
                print("otherwise:", expected, told[:400])

    def _write(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")


def call(run: Run, number: int) -> None:
    """One call of the mixture."""
    server = f"s{number % 3}"
    kind = number % 10
    if kind == 0:
        run.send("tools/call", {"name": f"{server}__ecko", "arguments": {}}, "not found")
    elif kind == 1:
        run.send("tools/call", {"name": f"{server}__echo", "arguments": {"text": number}}, "wrong type")
    elif kind == 2:
        message = f"Seat {number} is taken"
        run.send(
            "tools/call",
            {"name": f"{server}__protocol_error", "arguments": {"code": -32000, "message": message}},
            message,
        )
    elif kind == 3:
        run.send("tools/call", {"name": f"{server}__picture", "arguments": {}}, '"isError": false')
    elif kind == 4:
        run.send("tools/list", {}, f"{server}__echo")
    else:
        run.send("tools/call", {"name": f"{server}__echo", "arguments": {"text": f"text {number}"}}, f'"text {number}"')


async def kills(run: Run, every: float) -> None:
    """Kills a server now and then."""
    while True:
        await asyncio.sleep(every)
        name = f"s{random.randrange(3)}"
        try:
            answer = await run.ask("tools/call", {"name": f"{name}__pid", "arguments": {}})
        except TimeoutError:
            run.outcomes["kills put off"] += 1  # the machine stands still
            continue
        text = answer["result"]["content"][0]["text"]
        if text.isdigit():
            os.kill(int(text), signal.SIGKILL)
            run.outcomes["servers killed"] += 1


async def looks(run: Run, every: float) -> None:
    """Notes the proxy's memory and the machine's load."""
    while True:
        with open(f"/proc/{run.process.pid}/status") as status:
            (line,) = (line for line in status if line.startswith("VmRSS"))
        run.memory.append(int(line.split()[1]) / 1024)
        run.loads.append(os.getloadavg()[0])
        if len(run.memory) % 20 == 0:
            print(f"{run.memory[-1]:.0f} MB, load {run.loads[-1]:.1f}, {dict(run.outcomes)}", flush=True)
        await asyncio.sleep(every)


def children(pid: int) -> list[str]:
    """The states of the processes that a process has started."""
    states = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == pid:
            states.append(state)
    return states


async def endure(seconds: float, rate: float, between: float) -> int:
    """The whole run; 0 if all is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "client.json"
        entry = {"command": sys.executable, "args": [str(SERVERS / "faulty.py")]}
        config.write_text(json.dumps({"mcpServers": {f"s{number}": entry for number in range(3)}}))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mulligan_proxy", "--log", "off", "--config", str(config)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 24,
        )
        run = Run(process)
        reader = asyncio.create_task(run.read())
        about = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "endurance", "version": "1"},
        }
        await run.ask("initialize", about)
        run.note("notifications/initialized")
        tasks = [asyncio.create_task(kills(run, between)), asyncio.create_task(looks(run, max(seconds / 200, 0.5)))]
        began = time.monotonic()
        total = int(seconds * rate)
        for number in range(total):
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            call(run, number)
            await process.stdin.drain()
        for task in tasks:
            task.cancel()
        deadline = time.monotonic() + PATIENCE
        while run.expected and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        states = children(process.pid)
        process.stdin.close()
        code = await asyncio.wait_for(process.wait(), 30)
        await reader
    return report(run, total, states, code)


def report(run: Run, total: int, states: list[str], code: int) -> int:
    """Prints what was seen; 0 if all is as it should be."""
    twice = sum(count > 1 for count in run.answers.values())
    early = run.memory[: max(1, len(run.memory) // 10)]
    late = run.memory[-max(1, len(run.memory) // 10) :]
    growth = sum(late) / len(late) / max(early) - 1
    versions = ", ".join(f"{name} {version(name)}" for name in ("mulligan", "mulligan-proxy", "mcp"))
    print(
        f"{datetime.date.today()}, CPython {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, load {min(run.loads):.1f} to {max(run.loads):.1f}; {versions}"
    )
    print(f"{total:,} calls: {dict(run.outcomes)}; lost {len(run.expected)}, answered twice {twice}")
    print(f"slowest answer {run.slowest:.1f} s; memory {max(early):.0f} MB early, {sum(late) / len(late):.0f} MB late")
    print(f"server processes {len(states)}, zombies {states.count('Z')}, exit code {code}")
    failed = (run.expected, twice, run.outcomes["otherwise"], states.count("Z"), len(states) != 3, code, growth > 0.1)
    return 1 if any(failed) else 0


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    sys.exit(asyncio.run(endure(*given, *(3_600.0, 50.0, 60.0)[len(given) :])))
