"""The package's part of the gallery."""

from collections.abc import Callable, Sequence

import mulligan_google
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_google_answers import RPC, api_core, drive_file, legacy, rpc

Serve = Callable[..., str]


class TestGallery(Gallery):
    title = "Google"
    plugin = mulligan_google
    packages = ("google-api-core", "google-api-python-client")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        topic, file = {"topic": "projects/p/topics/news"}, {"file_id": "1AbC"}
        wait = {"@type": f"{RPC}RetryInfo", "retryDelay": "30s"}
        field = {"field": "topic.labels", "description": "Only lower case letters."}
        violated = {"@type": f"{RPC}BadRequest", "fieldViolations": [field]}
        return [
            GalleryFailure(
                "A topic that is not there",
                "get_topic",
                topic,
                api_core(serve, rpc(404, "NOT_FOUND", "Resource not found (resource=news).")),
            ),
            GalleryFailure(
                "Asked too often",
                "get_topic",
                topic,
                api_core(serve, rpc(429, "RESOURCE_EXHAUSTED", "Quota exceeded for requests per minute.", wait)),
            ),
            GalleryFailure(
                "A field that does not fit",
                "get_topic",
                topic,
                api_core(serve, rpc(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", violated)),
            ),
            GalleryFailure(
                "A file of somebody else",
                "read_file",
                file,
                drive_file(
                    serve,
                    legacy(403, "insufficientFilePermissions", "The user has not enough permissions for this file."),
                ),
            ),
            GalleryFailure(
                "A daily limit",
                "read_file",
                file,
                drive_file(serve, legacy(403, "dailyLimitExceeded", "Daily Limit Exceeded")),
            ),
        ]
