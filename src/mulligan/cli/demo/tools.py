"""The tools of the demo, and the service that some of them call: an HTTP server on 127.0.0.1 that stops with the demo.

The tools are ordinary functions that know nothing of mulligan's error handling.
"""

from __future__ import annotations

import asyncio
import csv
import errno
import http.client
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mulligan.errors import UsageError
from mulligan.tools import Tool, tool

FILES = {
    "brief.txt": "Report the best days, a forecast, and the prices in GBP and USD.\n",
    "prices.csv": "item,EUR\ncoffee,2.50\ncake,4.00\n",
    "sales.csv": "day,cups\nMon,212\nTue,187\nWed,240\nThu,231\nFri,318\nSat,402\nSun,365\n",
}
FORECAST_SECONDS = 2
_SIMULATION = """
import random, statistics, sys
days, runs = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(7).random
weeks = (sum(187 + int(216 * draw()) for _ in range(days)) for _ in range(runs))
print(f"median {statistics.median(weeks):.0f} cups in {days} days ({runs} runs)")
"""
TOKEN = "demo-4f9d2c7ab81e06f35d9911"  # noqa: S105
RATES = {"CHF": "0.94", "EUR": "1", "GBP": "0.85", "USD": "1.09"}
BUSY_CURRENCY = "USD"
RETRY_AFTER = 1


class ServiceError(Exception):
    """An error response of the service, as HTTP clients raise it."""

    def __init__(self, response: http.client.HTTPResponse, url: str) -> None:
        super().__init__(response.read().decode())
        self.status_code = response.status
        self.headers = dict(response.headers)
        self.url = url


def make_tools(workspace: Path, port: int) -> list[Tool]:
    """Create the tools of the conversation.

    Args:
        workspace: the folder that the file tools read.
        port: the port of the service on 127.0.0.1.
    """
    return [*_file_tools(workspace), _forecast_tool(), *_service_tools(port), _thinking_tool()]


def _file_tools(workspace: Path) -> list[Tool]:
    def names() -> list[str]:
        return sorted(path.name for path in workspace.iterdir())

    def find(path: str) -> Path:
        if path not in names():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return workspace / path

    @tool(read_only=True, resources=lambda _: names())
    def read_file(path: str) -> str:
        """Read a text file of the workspace."""
        return find(path).read_text(encoding="utf-8")

    @tool(read_only=True, resources=lambda _: names())
    def best_days(path: str, count: int) -> str:
        """The days with the highest sales, from a CSV file."""
        with find(path).open(encoding="utf-8", newline="") as stream:
            rows = sorted(csv.DictReader(stream), key=lambda row: -int(row["cups"]))
        return ", ".join(f"{row['day']} {row['cups']}" for row in rows[:count])

    return [read_file, best_days]


def _forecast_tool() -> Tool:
    @tool(read_only=True, timeout=FORECAST_SECONDS)
    async def forecast(days: int, runs: int) -> str:
        """Simulate future sales in a separate Python process."""
        program = (sys.executable, "-I", "-S", "-c", _SIMULATION, str(days), str(runs))
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*program, stdin=nothing, stdout=pipe, stderr=nothing)
        try:
            out, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return out.decode().strip()

    return forecast


def _service_tools(port: int) -> list[Tool]:
    def request(method: str, path: str, body: str | None = None) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {TOKEN}"})
            response = connection.getresponse()
            if response.status >= 400:
                raise ServiceError(response, path)
            return response.read().decode()
        finally:
            connection.close()

    @tool(read_only=True)
    def get_rate(currency: str) -> str:
        """Get the exchange rate of a currency."""
        return request("GET", f"/rates/{currency}")

    @tool
    def publish_report(title: str, text: str) -> str:
        """Publish a report."""
        return request("POST", "/reports", f"{title}\n\n{text}")

    return [get_rate, publish_report]


def _thinking_tool() -> Tool:
    @tool(name="sequential-thinking__sequentialthinking", read_only=True)
    def think(thought: str, number: int) -> str:
        """Think about a problem in steps."""
        return f"Thought {number} is noted ({len(thought.split())} words)."

    return think


class _Server(ThreadingHTTPServer):
    """Answers requests, and is busy once."""

    daemon_threads = True
    was_busy = False


class _Handler(BaseHTTPRequestHandler):
    """Serves exchange rates, one of them only on the second request; rejects reports, since the token has expired."""

    def do_GET(self) -> None:
        code = self.path.rpartition("/")[2]
        if code not in RATES:
            self._answer(404, f"Unknown currency {code}. Known: {', '.join(RATES)}.")
        elif code == BUSY_CURRENCY and self._is_first_request():
            self._answer(429, "At most one request a second.", retry_after=RETRY_AFTER)
        else:
            self._answer(200, f"1 EUR = {RATES[code]} {code}")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(401, f"The token has expired: {self.headers.get('Authorization')}")

    def _is_first_request(self) -> bool:
        assert isinstance(self.server, _Server)
        first, self.server.was_busy = not self.server.was_busy, True
        return first

    def _answer(self, status: int, text: str, *, retry_after: int | None = None) -> None:
        body = text.encode()
        self.send_response(status)
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, so that the screen shows only the demo."""


@contextmanager
def run_server() -> Iterator[int]:
    """Serve on a free port of 127.0.0.1, yield the port, and stop at the end.

    Raises:
        UsageError: no port is available.
    """
    try:
        server = _Server(("127.0.0.1", 0), _Handler)
    except OSError as error:
        raise UsageError(f"the demo cannot open a port on 127.0.0.1: {error.strerror}") from None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="demo-server")
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
