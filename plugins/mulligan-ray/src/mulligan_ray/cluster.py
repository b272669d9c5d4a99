"""This process's connection to a Ray cluster. Ray allows one, which all executors share; the last one that leaves ends it."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from mulligan.plugin import UsageError, safe_str
from mulligan_ray.answers import ANSWERS
from mulligan_ray.connection import CONNECTING

T = TypeVar("T")
LOCAL = "local"
CHECK_SECONDS = 5.0
FAILED_CHECKS = 4  # Ray ends the process of a host that has not reached the head for 60 s
_MEMBERS: dict[int, Callable[[], None]] = {}
_JOINED: list[str] = []  # the address that this module has connected to, if it has
_LEFT = [threading.Event()]  # set when the current connection has ended


def address_of(address: str | None, *, start: bool) -> str | None:
    """The address of the cluster to join: the given one, or `RAY_ADDRESS`; `local` to start one; None if none is named.

    Args:
        address: that of the executor's options.
        start: whether to start a local cluster.
    """
    return LOCAL if start else address or os.environ.get("RAY_ADDRESS") or None


def join(member: int, address: str | None, lost: Callable[[], None]) -> Any:
    """Connects this process, unless it is connected, and returns the module `ray`. Blocks.

    Args:
        member: the identity of the executor that joins.
        address: the cluster's address, or `local` to start one; not used if the host has connected this process.
        lost: called if the head of the cluster is gone; only if this module has connected the process.

    Raises:
        UsageError: this process is connected to another cluster.
        Exception: Ray cannot connect.
    """
    import ray

    with CONNECTING:
        if not ray.is_initialized():
            if address is None:
                raise UsageError("the host has disconnected from its Ray cluster; set RAY_ADDRESS, or connect again")
            _JOINED.clear()
            if _host_and_port(address) is not None and not _is_reachable(address):
                raise ConnectionError(f"nothing answers at {address}")  # at once; Ray tries for minutes
            ray.init(address=address, log_to_driver=False, configure_logging=False, **_start_options(address))
            _JOINED.append(str(address))
            _watch(ray, address)
        elif _JOINED and address is not None and _JOINED[0] != address:
            raise UsageError(
                f"this process is connected to the Ray cluster {safe_str(_JOINED[0], 100)}, and Ray allows one for each "
                f"process; use the same address instead of {safe_str(address, 100)}"
            )
        _MEMBERS[member] = lost
    return ray


def leave(member: int) -> None:
    """Ends the connection if this was the last executor that used it, and the host had not made it.

    Args:
        member: the identity of the executor that joined.
    """
    with CONNECTING:
        if _MEMBERS.pop(member, None) is not None and not _MEMBERS and _JOINED:
            _disconnect("the executor was closed")


def _disconnect(reason: str) -> None:
    ray = sys.modules["ray"]
    _JOINED.clear()
    _LEFT[0].set()
    ANSWERS.end(ray.exceptions.RaySystemError(reason))
    ray.shutdown()


def _watch(ray: Any, address: str) -> None:
    """Disconnects when the head of the cluster is gone, before Ray's library ends this process for that."""
    if "://" in address:  # Ray Client, which has no such rule
        return
    head, left = ray.get_runtime_context().gcs_address, threading.Event()
    _LEFT[0] = left

    def watch() -> None:
        failed = 0
        while failed < FAILED_CHECKS:
            if left.wait(CHECK_SECONDS):
                return
            failed = 0 if _is_reachable(head) else failed + 1
        with CONNECTING:
            if left.is_set():
                return
            members = list(_MEMBERS.values())
            _MEMBERS.clear()
            for lost in members:
                lost()
            _disconnect("the head of the cluster is gone")

    threading.Thread(target=watch, name="mulligan-ray-watch", daemon=True).start()


def _host_and_port(address: str) -> tuple[str, int] | None:
    host, _, port = address.rpartition(":")
    return (host.strip("[]"), int(port)) if host and port.isdecimal() and "://" not in address else None


def _is_reachable(address: str) -> bool:
    place = _host_and_port(address)
    if place is None:
        return True
    try:
        socket.create_connection(place, timeout=CHECK_SECONDS).close()
    except OSError:
        return False
    return True


def in_thread(function: Callable[[], T], *, stays: bool = False) -> Future[T]:
    """Runs a function that blocks in a thread of its own, which ends with the program; nothing can cancel it.

    Args:
        function: takes no arguments.
        stays: whether the thread stays when the function ends. Linux kills Ray's processes with the thread that started
            them.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)
        else:
            if stays:
                threading.Event().wait()

    threading.Thread(target=work, name="mulligan-ray", daemon=True).start()
    return future


def _start_options(address: str | None) -> dict[str, Any]:
    """A cluster of our own is for this machine only, so nothing of it listens at an outer address."""
    return {"include_dashboard": False, "_node_ip_address": "127.0.0.1"} if address == LOCAL else {}
