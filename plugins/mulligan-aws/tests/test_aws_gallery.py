"""The package's part of the gallery."""

from collections.abc import Callable, Sequence

import mulligan_aws
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_aws_codes import client, dynamodb, s3

Serve = Callable[..., str]


class TestGallery(Gallery):
    title = "AWS"
    plugin = mulligan_aws
    packages = ("boto3", "botocore")

    @pytest.fixture
    def shown(self, serve: Serve, dead: str) -> Sequence[GalleryFailure]:
        key = {"bucket": "data", "key": "reports/q3.csv"}
        return [
            GalleryFailure(
                "An object that is not there",
                "read_object",
                key,
                s3(serve, 404, "NoSuchKey", "The specified key does not exist."),
            ),
            GalleryFailure(
                "A request that may not be made", "read_object", key, s3(serve, 403, "AccessDenied", "Access Denied")
            ),
            GalleryFailure(
                "A token that has expired", "read_object", key, s3(serve, 400, "ExpiredToken", "The token has expired.")
            ),
            GalleryFailure(
                "A table that is asked too often",
                "get_order",
                {"id": "1"},
                dynamodb(serve, "ProvisionedThroughputExceededException", "Slow down."),
            ),
            GalleryFailure(
                "Parameters that do not fit",
                "list_objects",
                {"Bucket": "data", "MaxKeys": "ten"},
                lambda: client("s3", dead).list_objects_v2(Bucket="data", MaxKeys="ten"),
            ),
        ]
