"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_aws
from botocore.exceptions import ClientError, NoCredentialsError

from mulligan.errors import ResourceNotFoundError, ToolAuthenticationError, ToolRateLimitError
from mulligan.testing import ClassifierConformance


def answer(code: str, status: int, **more: str) -> ClientError:
    error = {"Code": code, "Message": "It says so.", **more}
    return ClientError({"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}}, "GetObject")


class TestAWS(ClassifierConformance):
    plugin = mulligan_aws
    samples = [
        (answer("NoSuchKey", 404, Key="a.md"), ResourceNotFoundError, {"resource": "a.md", "rule": "answered"}),
        (answer("ThrottlingException", 400), ToolRateLimitError),
        (NoCredentialsError(), ToolAuthenticationError),
    ]
