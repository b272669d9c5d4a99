"""Tools as activities of Temporal: `@tool(executor="temporal")`, workers that run them, and rules for Temporal's failures.

`mulligan_temporal.worker` is what workers need, and `mulligan_temporal.workflows` what workflows need.
"""

from collections.abc import Iterator

from mulligan.plugin import ToolExecutor, hookimpl
from mulligan_temporal.executor import Temporal
from mulligan_temporal.failures import rules

__all__ = ["Temporal", "classify", "executors", "mulligan_api", "rules"]

mulligan_api = "1.0"
classify = rules.hookimpl()


@hookimpl
def executors() -> Iterator[ToolExecutor]:
    """The executor `temporal`, with the defaults of `Temporal`."""
    yield Temporal()
