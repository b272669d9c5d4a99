"""Tools on a Ray cluster: `@tool(executor="ray")`, or `executor=Ray(num_cpus=2)`; and rules for Ray's own failures."""

from collections.abc import Iterator

from mulligan.plugin import ToolExecutor, hookimpl
from mulligan_ray.executor import Ray
from mulligan_ray.failures import rules

__all__ = ["Ray", "classify", "executors", "mulligan_api", "rules"]

mulligan_api = "1.0"
classify = rules.hookimpl()


@hookimpl
def executors() -> Iterator[ToolExecutor]:
    """The executor `ray`, with the defaults of `Ray`, on the cluster of `RAY_ADDRESS`."""
    yield Ray()
