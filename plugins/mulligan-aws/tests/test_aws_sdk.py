"""What botocore and boto3 raise by themselves: credentials, parameters, connections, waiters, uploads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import botocore.exceptions
import botocore.parsers
import mulligan_aws
import pytest
from test_aws_codes import classified, client

from mulligan import Pipeline, tool
from mulligan.errors import (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
)

Serve = Callable[..., str]


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


def test_no_credentials(pipeline: Pipeline, dead: str) -> None:
    s3 = boto3.Session(region_name="us-east-1").client("s3", endpoint_url=dead)

    error = classified(pipeline, s3.list_buckets)

    assert (type(error), error.fatal, error.effect, error.rule) == (
        ToolAuthenticationError,
        True,
        "none",
        "mulligan_aws:credentials",
    )


def test_a_profile_that_is_not_there(pipeline: Pipeline) -> None:
    error = classified(pipeline, lambda: boto3.Session(profile_name="nope").client("s3"))

    assert type(error) is ToolAuthenticationError


@pytest.mark.parametrize(
    ("raised", "cls"),
    [
        (
            botocore.exceptions.PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY"),
            ToolAuthenticationError,
        ),
        (botocore.exceptions.CredentialRetrievalError(provider="x", error_msg="y"), ToolAuthenticationError),
        (botocore.exceptions.UnauthorizedSSOTokenError(), ToolAuthenticationError),
        (botocore.exceptions.SSOTokenLoadError(error_msg="x"), ToolAuthenticationError),
        (botocore.exceptions.TokenRetrievalError(provider="sso", error_msg="x"), ToolAuthenticationError),
        (botocore.exceptions.RefreshWithMFAUnsupportedError(), ToolAuthenticationError),
        (botocore.exceptions.CapacityNotAvailableError(), ToolRateLimitError),
        (botocore.exceptions.ConfigParseError(path="x"), ToolExecutionError),
        (
            botocore.exceptions.ChecksumError(checksum_type="md5", expected_checksum="a", actual_checksum="b"),
            ToolExecutionError,
        ),
        (botocore.exceptions.ConnectionClosedError(endpoint_url="http://a"), ToolConnectionError),
        (botocore.exceptions.IncompleteReadError(actual_bytes=1, expected_bytes=2), ToolConnectionError),
        (botocore.exceptions.ProxyConnectionError(proxy_url="http://a"), ToolConnectionError),
        (botocore.exceptions.UnknownServiceError(service_name="s4", known_service_names=["s3"]), ToolArgumentError),
        (botocore.exceptions.InvalidRegionError(region_name="?"), ToolArgumentError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.__name__,
)
def test_what_the_sdk_raises_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError]) -> None:
    error = pipeline.classify(raised)

    assert (type(error), error.provider) == (cls, "aws")


def test_a_login_without_permission(pipeline: Pipeline) -> None:
    error = pipeline.classify(botocore.exceptions.LoginInsufficientPermissions())

    assert type(error) is ToolPermissionError


def nowhere(region: str | None = None) -> object:
    return boto3.Session("a", "b").client("dynamodb", region_name=region)


def test_no_region_is_a_matter_of_the_set_up() -> None:
    @tool(read_only=True)
    def list_tables(prefix: str = "") -> object:
        return nowhere()

    result = Pipeline([list_tables], plugins=[mulligan_aws], autoload=False).call("list_tables", {})
    error = result.error

    assert (type(error), result.fatal, error and error.effect) == (ToolAuthenticationError, True, "none")
    assert error is not None and error.rule == "mulligan_aws:region"
    assert "Set AWS_DEFAULT_REGION, or `region` in the AWS configuration file" in error.user_message
    assert "AWS_DEFAULT_REGION" in result.content and "without a tool call" in result.content


def test_no_region_where_the_tool_takes_one() -> None:
    def list_tables(aws_region: str = "") -> object:
        return nowhere(aws_region or None)

    result = Pipeline([list_tables], plugins=[mulligan_aws], autoload=False).call("list_tables", {})

    assert (type(result.error), result.fatal) == (ToolArgumentError, False)
    assert 'Next: call list_tables again with a valid "aws_region"' in result.content


def test_no_region_and_an_unknown_tool(pipeline: Pipeline) -> None:
    error = classified(pipeline, nowhere)

    assert (type(error), error.fatal, error.message) == (ToolArgumentError, False, "No AWS region is set.")


def test_parameters_that_do_not_fit(pipeline: Pipeline, dead: str) -> None:
    error = classified(
        pipeline,
        lambda: client("s3", dead).list_objects_v2(
            Bucket="b", MaxKeys="ten", Colour="red", OptionalObjectAttributes=[3]
        ),
    )

    assert (type(error), error.effect, error.fatal) == (ToolArgumentError, "none", False)
    assert [problem.pointer for problem in error.problems] == ["/Colour", "/MaxKeys", "/OptionalObjectAttributes/0"]
    assert [problem.message for problem in error.problems] == [
        "unknown",
        "has the wrong type",
        "has the wrong type",
    ]
    assert error.problems[1].expected == "int"


def test_a_parameter_that_is_missing(pipeline: Pipeline, dead: str) -> None:
    error = classified(
        pipeline, lambda: client("dynamodb", dead).get_item(TableName="Orders", Key={}, ExpressionAttributeNames=3)
    )
    missing = classified(pipeline, lambda: client("s3", dead).get_object(Bucket="b"))

    assert error.problems[0].pointer == "/ExpressionAttributeNames"
    assert [(problem.pointer, problem.message) for problem in missing.problems] == [("/Key", "is missing")]


def test_the_name_of_a_bucket(pipeline: Pipeline, dead: str) -> None:
    error = classified(pipeline, lambda: client("s3", dead).get_object(Bucket="my bucket!", Key="k"))

    assert [(problem.pointer, problem.message) for problem in error.problems] == [
        ("/Bucket", "is not a valid bucket name")
    ]
    assert "my bucket!" not in error.message


def test_nobody_listens(pipeline: Pipeline, dead: str) -> None:
    error = classified(pipeline, client("dynamodb", dead).list_tables)

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


def test_a_region_that_the_call_named_may_be_misspelt(pipeline: Pipeline) -> None:
    call = client("dynamodb", "http://dynamodb.us-esat-1.example.invalid").list_tables

    error = classified(pipeline, call, {"region": "us-esat-1"})

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, False, "none")


def test_an_answer_that_does_not_come(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, client("dynamodb", serve(delay=20), read_timeout=0.2).list_tables)

    assert (type(error), error.fatal, error.effect) == (ToolTimeoutError, False, "possible")


def test_a_connection_that_is_dropped(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, client("dynamodb", serve(drop=True)).list_tables)

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


def test_no_connection_in_time(pipeline: Pipeline) -> None:
    error = pipeline.classify(botocore.exceptions.ConnectTimeoutError(endpoint_url="http://a"))

    assert (type(error), error.effect) == (ToolTimeoutError, "none")


@pytest.mark.parametrize(
    ("said", "effect"),
    [
        ("CERTIFICATE_VERIFY_FAILED", "none"),
        ("read operation failed", "possible"),
        ("UNEXPECTED_EOF_WHILE_READING", "possible"),
    ],
)
def test_tls(pipeline: Pipeline, said: str, effect: str) -> None:
    error = pipeline.classify(botocore.exceptions.SSLError(endpoint_url="https://a", error=f"[SSL: {said}] no"))

    assert (type(error), error.effect) == (ToolConnectionError, effect)


def test_a_waiter_that_gives_up(pipeline: Pipeline, serve: Serve) -> None:
    waiter = client("s3", serve(404)).get_waiter("bucket_exists")

    error = classified(pipeline, lambda: waiter.wait(Bucket="data", WaiterConfig={"Delay": 0, "MaxAttempts": 2}))

    assert type(error) is ToolTimeoutError


def test_a_waiter_that_meets_an_error(pipeline: Pipeline, serve: Serve) -> None:
    waiter = client("s3", serve(403)).get_waiter("object_exists")

    error = classified(
        pipeline, lambda: waiter.wait(Bucket="data", Key="a", WaiterConfig={"Delay": 0, "MaxAttempts": 2})
    )

    assert (type(error), error.http_status) == (ToolPermissionError, 403)


def test_an_upload_that_fails(pipeline: Pipeline, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")
    xml = "<Error><Code>NoSuchBucket</Code><Message>no</Message><BucketName>data</BucketName></Error>"

    error = classified(pipeline, lambda: client("s3", serve(404, xml)).upload_file(str(file), "data", "a.txt"))

    assert (type(error), error.resource, error.http_status) == (ResourceNotFoundError, "data", 404)


def test_a_condition_that_is_none(pipeline: Pipeline, dead: str) -> None:
    table = boto3.Session("a", "b", region_name="us-east-1").resource("dynamodb", endpoint_url=dead).Table("Orders")

    error = classified(pipeline, lambda: table.scan(FilterExpression=3))

    assert type(error) is ToolArgumentError


def test_the_model_reads_what_to_do(serve: Serve, pipeline: Pipeline) -> None:
    """From the exception to the words, as the README promises."""
    import mulligan_aws

    xml = "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>q3.csv</Key></Error>"
    s3 = client("s3", serve(404, xml))

    def read_object(key: str) -> Any:
        return s3.get_object(Bucket="data", Key=key)["Body"].read()

    with Pipeline([read_object], plugins=[mulligan_aws], autoload=False) as calling:
        result = calling.call("read_object", {"key": "q3.csv"})

    assert result.content.startswith("Error executing tool read_object: Resource not found: q3.csv")
    assert "taken effect" not in result.content


def test_an_empty_answer_where_xml_should_be(pipeline: Pipeline) -> None:
    parser = botocore.parsers.create_parser("rest-xml")
    shape = boto3.client("s3", "us-east-1").meta.service_model.operation_model("ListBuckets").output_shape
    answer = {"status_code": 200, "headers": {}, "body": b"<html>"}

    error = classified(pipeline, lambda: parser.parse(answer, shape))

    assert (type(error), error.effect, error.rule) == (ToolExecutionError, "possible", "mulligan_aws:unreadable")
