"""The fault table: each fault many times, for read-only, idempotent, writing and undeclared tools.

    python plugins/mulligan-temporal/bench/faults.py --times 20

It starts a development server and workers on this machine. It prints, for each fault, how many calls had the right class and
effect, the latest answer after the deadline, and whether any tool that may not run again ran more than once.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import temporal_tools as tools
from conftest import end, free_port, start_server, start_worker
from mulligan_temporal import Temporal

from mulligan import Pipeline, Policy, Tool, ToolResult

KINDS: dict[str, dict[str, bool]] = {
    "read-only": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False},
    "undeclared": {},
}
DEADLINE = 1.0


class Bench:
    """A server, and the pipelines of one fault."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self.folder, self.number = address, folder, 0

    @contextmanager
    def pipeline(self, tool: Tool, queue: str, timeout: float, kind: str) -> Iterator[Pipeline]:
        """A pipeline with a tool of one kind."""
        executor = Temporal(address=self.address, task_queue=queue, heartbeat=1)
        placed = tool.with_options(executor=executor, timeout=timeout, **KINDS[kind])
        with Pipeline([placed], policy=Policy(retry=False)) as pipeline:
            yield pipeline

    def file(self) -> Path:
        """A new file, in which a tool notes its runs."""
        self.number += 1
        return self.folder / f"runs{self.number}"


def killed(bench: Bench, kind: str) -> tuple[ToolResult, Path, float]:
    """The worker is killed while it runs the tool."""
    worker, file = start_worker(bench.address, "killed", "temporal_tools"), bench.file()
    try:
        with bench.pipeline(tools.die, "killed", 20, kind) as pipeline:
            return pipeline.call("die", {"path": str(file)}), file, 0.0
    finally:
        end(worker)


def deadline(bench: Bench, kind: str) -> tuple[ToolResult, Path, float]:
    """The tool runs on at its deadline."""
    file = bench.file()
    with bench.pipeline(tools.asleep, "faults", DEADLINE, kind) as pipeline:
        started = time.monotonic()
        result = pipeline.call("asleep", {"seconds": 5, "path": str(file)})
        return result, file, time.monotonic() - started - DEADLINE


def no_worker(bench: Bench, kind: str) -> tuple[ToolResult, Path, float]:
    """No worker takes the call before its deadline."""
    file = bench.file()
    with bench.pipeline(tools.write, "nobody", DEADLINE, kind) as pipeline:
        started = time.monotonic()
        result = pipeline.call("write", {"path": str(file)})
        return result, file, time.monotonic() - started - DEADLINE


def leaves(bench: Bench, kind: str) -> tuple[ToolResult, Path, float]:
    """The tool calls `sys.exit`."""
    with bench.pipeline(tools.leave, "faults", 20, kind) as pipeline:
        return pipeline.call("leave"), bench.file(), 0.0


def raises(bench: Bench, kind: str) -> tuple[ToolResult, Path, float]:
    """The tool raises after it has had an effect."""
    file = bench.file()
    with bench.pipeline(tools.write, "faults", 20, kind) as pipeline:
        return pipeline.call("write", {"path": str(file)}), file, 0.0


FAULTS: dict[Callable[[Bench, str], tuple[ToolResult, Path, float]], tuple[str, str]] = {
    killed: ("ToolUnavailableError", "possible"),
    deadline: ("ToolTimeoutError", "possible"),
    no_worker: ("ToolTimeoutError", "none"),
    leaves: ("ToolExecutionError", "possible"),
    raises: ("ToolConnectionError", "possible"),
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    port = free_port()
    server = start_server(port)
    address, worker = f"127.0.0.1:{port}", None
    try:
        worker = start_worker(address, "faults", "temporal_tools")
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(address, Path(folder))
            for fault, expected in FAULTS.items():
                for kind in KINDS:
                    print(_row(bench, fault, kind, expected, times), flush=True)
    finally:
        for process in (worker, server):
            if process is not None:
                end(process)


def _row(bench: Bench, fault: Any, kind: str, expected: tuple[str, str], times: int) -> str:
    right, latest, twice = 0, 0.0, 0
    for _ in range(times):
        result, file, late = fault(bench, kind)
        error = result.error
        right += error is not None and (type(error).__name__, error.effect) == expected
        latest = max(latest, late)
        twice += file.exists() and len(file.read_text().splitlines()) > 1
    return f"{fault.__name__:<10} {kind:<11} {right}/{times} right, {latest * 1000:4.0f} ms late at most, {twice} ran twice"


if __name__ == "__main__":
    main()
