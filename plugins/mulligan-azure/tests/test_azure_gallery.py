"""The package's part of the gallery."""

from collections.abc import Callable, Sequence

import mulligan_azure
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_azure_answers import arm, read_blob, storage

Serve = Callable[..., str]


class TestGallery(Gallery):
    title = "Azure"
    plugin = mulligan_azure
    packages = ("azure-core", "azure-storage-blob")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        blob, machine = {"container": "data", "name": "a/q3.csv"}, {"name": "vm1"}
        limited = "The number of requests is over the limit."
        return [
            GalleryFailure(
                "A blob that is not there", "read_blob", blob, lambda: read_blob(storage(serve, 404, "BlobNotFound"))
            ),
            GalleryFailure(
                "A key that is refused",
                "read_blob",
                blob,
                lambda: read_blob(storage(serve, 403, "AuthenticationFailed")),
            ),
            GalleryFailure(
                "A server that is busy", "read_blob", blob, lambda: read_blob(storage(serve, 503, "ServerBusy"))
            ),
            GalleryFailure(
                "An account without the role",
                "get_machine",
                machine,
                arm(serve, 403, "AuthorizationFailed", "The client may not read this machine."),
            ),
            GalleryFailure("Too many requests", "get_machine", machine, arm(serve, 429, "TooManyRequests", limited)),
        ]
