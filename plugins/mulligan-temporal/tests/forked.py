"""Workers in processes that start quickly: a process that has imported everything makes them."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from multiprocessing.connection import Connection
from typing import Any

from mulligan_testkit.out_of_memory import outgrow, remove_groups

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["forked", "temporal_tools", "mulligan_temporal.worker"])


class ForkedWorker:
    """A worker with the tools of `temporal_tools`, in a process of its own, when it is ready."""

    def __init__(self, address: str, queue: str) -> None:
        mine, other = _processes.Pipe()
        self._process = _processes.Process(target=_run, args=(address, queue, other), daemon=True)
        self._process.start()
        other.close()
        assert mine.recv() == "ready"
        mine.close()

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.is_alive()

    def end(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.join()
        remove_groups()


def _run(address: str, queue: str, ready: Connection) -> None:
    warnings.simplefilter("ignore")
    logging.disable()
    asyncio.run(_work(address, queue, ready))


async def _work(address: str, queue: str, ready: Connection) -> None:
    import temporal_tools
    from mulligan_temporal.worker import ToolsPlugin
    from temporalio.client import Client
    from temporalio.worker import Worker

    from mulligan import Tool

    tools: list[Any] = [one for one in vars(temporal_tools).values() if isinstance(one, Tool)]
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, outgrow)
    with ThreadPoolExecutor(32) as pool:
        worker = Worker(
            await Client.connect(address),
            task_queue=queue,
            plugins=[ToolsPlugin(tools)],
            activity_executor=pool,
            max_heartbeat_throttle_interval=timedelta(seconds=0.5),
            graceful_shutdown_timeout=timedelta(seconds=0.2),
        )
        async with worker:
            ready.send("ready")
            ready.close()
            await ended.wait()
