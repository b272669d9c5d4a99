"""Fixtures: Temporal's development server for all tests, and workers in processes of their own."""

import os
import shutil
import socket
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import mulligan_temporal
import pytest
from mulligan_temporal import Temporal

from mulligan import Pipeline, Tool

HERE = Path(__file__).parent
START_SECONDS = 60
Make = Callable[..., Pipeline]


def program(name: str) -> str:
    """The path of a program that a test package installs."""
    path = shutil.which(name, path=f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    assert path is not None, f"{name} is not installed"
    return path


def free_port() -> int:
    """A TCP port of this machine that is not in use."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Waits until a server accepts connections."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server has not started")


def start_server(port: int, file: Path | None = None) -> subprocess.Popen[bytes]:
    """Starts a development server, without its web pages; with a file, it keeps its state there."""
    command = [program("temporal"), "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(port)]
    command += ["--log-level", "never", *([] if file is None else ["--db-filename", str(file)])]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    wait_for_port(port, process)
    return process


class DevServer:
    """A development server that keeps its state in a file, and can be stopped and started again."""

    def __init__(self, file: Path) -> None:
        self._file, self._port = file, free_port()
        self.address = f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts it."""
        self._process = start_server(self._port, self._file)

    def stop(self) -> None:
        """Kills it."""
        end(self._process)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process of these tests."""
    process.kill()
    process.wait()


def start_worker(address: str, queue: str, tools: str, folder: Path = HERE) -> subprocess.Popen[bytes]:
    """Starts a worker by the command, whose tools are in a module of a folder, and waits until it is ready."""
    command = [program("mulligan"), "temporal", "worker", "--tools", tools, "--task-queue", queue]
    command += ["--address", address]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)  # noqa: S603
    assert process.stderr is not None
    line = process.stderr.readline()
    process.stderr.close()
    if b"task queue" not in line:
        end(process)
        raise AssertionError(line.decode())
    return process


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a development server, which `TEMPORAL_ADDRESS` names, for the whole session."""
    port = free_port()
    server = start_server(port)
    os.environ["TEMPORAL_ADDRESS"] = f"127.0.0.1:{port}"
    yield f"127.0.0.1:{port}"
    del os.environ["TEMPORAL_ADDRESS"]
    end(server)


@pytest.fixture(scope="session")
def conformance_worker(address: str) -> Iterator[None]:
    """A worker with the tools of `mulligan.testing.tools`, on the default task queue."""
    worker = start_worker(address, "mulligan", "conformance_tools:TOOLS")
    yield
    end(worker)


@pytest.fixture(scope="session")
def worker(address: str) -> Iterator[None]:
    """A worker with the tools of `temporal_tools`, on the task queue `tests`."""
    process = start_worker(address, "tests", "temporal_tools")
    yield
    end(process)


@pytest.fixture
def pipeline_of(address: str) -> Iterator[Make]:
    """`pipeline_of(tool, queue="tests", **options)` makes a pipeline of tools that run on workers."""
    made: list[Pipeline] = []

    def make(*tools: Tool, queue: str = "tests", timeout: float | None = 30, **options: Any) -> Pipeline:
        executor = Temporal(task_queue=queue, heartbeat=1, address=address)
        changed = [one.with_options(executor=executor, timeout=timeout) for one in tools]
        made.append(Pipeline(changed, plugins=[mulligan_temporal], autoload=False, **options))
        return made[-1]

    yield make
    for pipeline in made:
        pipeline.close()
