"""Fixtures: one Ray cluster on this machine for all tests, to which they add nodes, and pipelines whose tools run on it."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import hypothesis  # noqa: F401 - pytest would import it after the last test, where CPython 3.11.7 fails to compile it
import mulligan_ray
import pytest
from local_cluster import NODE, local_cluster

from mulligan import Pipeline, Tool

Make = Callable[..., Pipeline]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A cluster of one node, which `RAY_ADDRESS` names, for the whole session: it takes half a minute to start."""
    with local_cluster() as started:
        os.environ["RAY_ADDRESS"] = started.address
        yield started
        del os.environ["RAY_ADDRESS"]


@pytest.fixture
def second_node(cluster: Any) -> Iterator[Any]:
    """A second node, with the resource `second`, which the test may remove."""
    node = cluster.add_node(**NODE, resources={"second": 2})
    yield node
    if node in cluster.worker_nodes:
        cluster.remove_node(node)


@pytest.fixture(scope="session")
def connected(cluster: Any) -> Any:
    """The module `ray`, connected to the cluster as by a host, so that closing a pipeline does not disconnect."""
    import ray

    ray.init(address=cluster.address, log_to_driver=False)
    return ray


@pytest.fixture
def pipeline_of(connected: Any) -> Iterator[Make]:
    """`pipeline_of(function, **options)` makes a pipeline of tools that run on the cluster."""
    made: list[Pipeline] = []

    def make(*functions: Callable[..., Any], plugins: Sequence[object] = (), **options: Any) -> Pipeline:
        options = {"executor": "ray", "timeout": 60, **options}
        tools = [Tool.from_function(function, **options) for function in functions]
        made.append(Pipeline(tools, plugins=[mulligan_ray, *plugins], autoload=False))
        return made[-1]

    yield make
    for pipeline in made:
        for info in pipeline.executors:
            info.executor.close()
        pipeline.close()
