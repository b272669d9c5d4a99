"""The fault table: each fault many times, for each declaration of a tool, as a task and on an actor.

    python plugins/mulligan-ray/bench/faults.py [TIMES]

Prints for each fault how often the class and the effect were right, how often a writing tool ran more than once, the
99th percentile of the lateness at a deadline, and whether the next call worked.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import os
import pathlib
import sys
import tempfile
import time
from collections import Counter
from typing import Any

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import mulligan_ray
import ray
import ray_tools
from mulligan_ray import Ray
from ray.cluster_utils import Cluster

from mulligan import Pipeline, Tool

DECLARED: dict[str, dict[str, Any]] = {
    "read-only": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False},
    "undeclared": {},
}
FAULTS = {
    "SIGKILL": "ToolUnavailableError",
    "os._exit": "ToolUnavailableError",
    "sys.exit": "ToolExecutionError",
    "out of memory": "ToolQuotaError",
    "deadline": "ToolTimeoutError",
}
TIMEOUT = 1.0


def pipeline_of(executor: Ray, **options: Any) -> Pipeline:
    """A pipeline whose tools run on an executor."""
    tools = [Tool.from_function(one, executor=executor, **options) for one in (ray_tools.die, ray_tools.beat)]
    tools.append(Tool.from_function(ray_tools.pid, executor=executor, timeout=60))
    return Pipeline(tools, plugins=[mulligan_ray], autoload=False)


def one_fault(pipeline: Pipeline, fault: str, path: pathlib.Path) -> Any:
    """The result of a call that meets a fault."""
    if fault == "deadline":
        return pipeline.call("beat", {"path": str(path), "seconds": 60})
    return pipeline.call("die", {"path": str(path), "how": fault})


def main(times: int = 20) -> None:
    """Prints the table."""
    node = {"num_cpus": 2, "object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    for fault, expected in FAULTS.items():
        for way in ({}, {"actors": 1}):
            for declared, options in DECLARED.items():
                seen, late = Counter[str](), []
                timeout = TIMEOUT if fault == "deadline" else 60
                with pipeline_of(Ray(**way), timeout=timeout, **options) as pipeline:
                    for number in range(times):
                        path = pathlib.Path(tempfile.mkdtemp()) / f"runs{number}"
                        pipeline.call("pid")  # a worker has started
                        began = time.perf_counter()
                        result = one_fault(pipeline, fault, path)
                        late.append(time.perf_counter() - began - timeout)
                        right = type(result.error).__name__ == expected and result.error.effect == "possible"
                        seen["right"] += right
                        processes = (
                            {line.split()[0] for line in path.read_text().splitlines()} if path.exists() else set()
                        )
                        seen["runs again"] += declared in ("write", "undeclared") and len(processes) > 1
                        seen["next works"] += not pipeline.call("pid").is_error
                lateness = f", latest {max(late) * 1_000:.0f} ms after its deadline" if fault == "deadline" else ""
                print(f"{fault}, {'actor' if way else 'task'}, {declared}: {seen['right']}/{times} right, ", end="")
                print(
                    f"{seen['runs again']} run again, {seen['next works']}/{times} next calls work{lateness}",
                    flush=True,
                )
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
