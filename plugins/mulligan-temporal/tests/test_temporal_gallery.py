"""The package's part of the gallery."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import mulligan_temporal
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from temporalio.client import Client
from temporalio.common import RetryPolicy


def activity(address: str, name: str, queue: str, wait: float = 20, **arguments: Any) -> Callable[[], Any]:
    """Runs an activity, as a tool does that uses Temporal itself."""

    async def main(client: Client) -> Any:
        request = {"call_id": "c1", "arguments": '{"path": "reports/q3.txt"}', "context": {}, "seconds": 20}
        return await client.execute_activity(
            name,
            request,
            id=str(uuid4()),
            task_queue=queue,
            schedule_to_start_timeout=timedelta(seconds=wait),
            start_to_close_timeout=timedelta(seconds=20),
            retry_policy=RetryPolicy(maximum_attempts=1),
            **arguments,
        )

    return with_client(address, main)


def terminated(address: str) -> Callable[[], Any]:
    async def main(client: Client) -> Any:
        limit = timedelta(seconds=20)
        handle = await client.start_activity(
            "read", {}, id=str(uuid4()), task_queue="nobody", schedule_to_close_timeout=limit
        )
        await handle.terminate()
        return await handle.result()

    return with_client(address, main)


def with_client(
    address: str, main: Callable[[Client], Coroutine[Any, Any, Any]], namespace: str = "default"
) -> Callable[[], Any]:
    async def whole() -> Any:
        return await main(await Client.connect(address, namespace=namespace))

    return lambda: asyncio.run(whole())


@pytest.mark.usefixtures("worker")
class TestGallery(Gallery):
    title = "Temporal"
    plugin = mulligan_temporal
    packages = ("temporalio",)

    @pytest.fixture
    def shown(self, address: str) -> Sequence[GalleryFailure]:
        report = {"month": "2026-10"}
        count = with_client(address, lambda client: client.count_activities(""), namespace="finance")
        return [
            GalleryFailure(
                "An activity that did not find its file", "make_report", report, activity(address, "read", "tests")
            ),
            GalleryFailure(
                "An activity that no worker took",
                "make_report",
                report,
                activity(address, "read", "nobody", wait=0.5),
                writes=True,
            ),
            GalleryFailure(
                "An activity that the workers do not have",
                "make_report",
                report,
                activity(address, "reed", "tests"),
            ),
            GalleryFailure(
                "An activity that an operator ended", "make_report", report, terminated(address), writes=True
            ),
            GalleryFailure("A namespace that does not exist", "count_reports", {}, count),
        ]
