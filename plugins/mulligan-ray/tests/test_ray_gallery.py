"""The package's part of the gallery."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import mulligan_ray
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure


class TestGallery(Gallery):
    title = "Ray"
    plugin = mulligan_ray
    packages = ("ray",)

    @pytest.fixture
    def shown(self, connected: Any) -> Sequence[GalleryFailure]:
        def run(function: Any, seconds: float | None = None) -> None:
            task = connected.remote(function).options(max_retries=0, num_cpus=0.1)
            connected.get(task.remote(), timeout=seconds)

        def cancel() -> None:
            reference = connected.remote(lambda: None).options(max_retries=0, resources={"unicorn": 1}).remote()
            connected.cancel(reference)
            connected.get(reference)

        return [
            GalleryFailure(
                "A worker that dies", "train", {"model": "small"}, lambda: run(lambda: os._exit(3)), writes=True
            ),
            GalleryFailure("A task that does not end in time", "train", {}, lambda: run(lambda: time.sleep(2), 0.2)),
            GalleryFailure("A task that was cancelled", "train", {"model": "large"}, cancel),
        ]
