"""A Ray cluster on this machine, for tests and measurements. Only this machine reaches it, and it leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

NODE = {
    "num_cpus": 2,
    "object_store_memory": 100 * 2**20,
    "node_ip_address": "127.0.0.1",
    "dashboard_agent_listen_port": None,  # any free one, so that two clusters do not conflict
}
os.environ |= {
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # else `ray.init` looks for a cluster at 127.0.0.1 at an outer address
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_health_check_timeout_ms": "60000",  # on a busy machine a node that lives answers late
    "RAY_memory_monitor_refresh_ms": "0",  # else a node ends workers if other programs fill this machine's memory
}  # read when Ray is imported


@contextmanager
def local_cluster(nodes: int = 1, **head: Any) -> Iterator[Any]:
    """Starts a cluster, and ends it with this process's connection to it. It takes half a minute.

    Args:
        nodes: the number of nodes.
        head: further options of the first node.
    """
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # noqa: S108 - the name of a socket has at most 107 bytes
    os.environ["RAY_TMPDIR"] = folder
    import ray
    from ray._private import services
    from ray.cluster_utils import Cluster

    cluster, get_node = Cluster(), services.get_node
    services.get_node = partial(_wait_for_node, get_node)
    try:
        _start_head(cluster, {**NODE, "include_dashboard": False, **head})
        for _ in range(nodes - 1):
            cluster.add_node(**NODE)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        services.get_node = get_node
        del os.environ["RAY_TMPDIR"]
        shutil.rmtree(folder, ignore_errors=True)


def restart_head(cluster: Any) -> None:
    """Starts the first node again, whose processes were killed, at the same address.

    Args:
        cluster: what `local_cluster` started.
    """
    port = int(cluster.address.rpartition(":")[2])
    cluster.head_node = None
    _start_head(cluster, {**NODE, "include_dashboard": False, "gcs_server_port": port})


def _start_head(cluster: Any, options: dict[str, Any]) -> None:
    """Starts the first node; on a busy machine its control plane does not always answer."""
    for attempts_left in (2, 1, 0):
        try:
            cluster.add_node(**options)
        except Exception:
            if not attempts_left:
                raise
        else:
            return


def _wait_for_node(get_node: Callable[..., Any], *given: Any) -> Any:
    """`get_node` of Ray, which gives a node 30 s to start; a busy machine needs more."""
    end = time.monotonic() + 60
    while True:
        try:
            return get_node(*given)
        except RuntimeError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
