"""The package's part of the gallery."""

from collections.abc import Callable, Sequence
from typing import Any

import mulligan_grpc
import pytest
from google.protobuf import duration_pb2
from google.rpc import error_details_pb2
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_grpc_calls import Code, abort, call

Serve = Callable[[Callable[[bytes, Any], bytes]], str]


class TestGallery(Gallery):
    title = "gRPC"
    plugin = mulligan_grpc
    packages = ("grpcio",)

    @pytest.fixture
    def shown(self, serve: Serve, dead: str) -> Sequence[GalleryFailure]:
        wait = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=7))
        violation = error_details_pb2.BadRequest.FieldViolation(field="page.size", description="at most 100")
        violated = error_details_pb2.BadRequest(field_violations=[violation])
        file = {"path": "a/q3.csv"}
        return [
            GalleryFailure(
                "Something that is not there",
                "get_file",
                file,
                lambda: call(serve(abort(Code.NOT_FOUND, "no such file"))),
            ),
            GalleryFailure(
                "A field that does not fit",
                "list_files",
                {"page": {"size": 1000}},
                lambda: call(serve(abort(Code.INVALID_ARGUMENT, "bad page", violated))),
            ),
            GalleryFailure(
                "A service that asks for a pause",
                "get_file",
                file,
                lambda: call(serve(abort(Code.RESOURCE_EXHAUSTED, "slow down", wait))),
            ),
            GalleryFailure(
                "A caller without credentials", "get_file", file, lambda: call(serve(abort(Code.UNAUTHENTICATED)))
            ),
            GalleryFailure("A server that is not there", "get_file", file, lambda: call(dead)),
        ]
