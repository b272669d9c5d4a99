"""What the error codes of services mean: botocore raises its real exceptions over answers of the documented form."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

Serve = Callable[..., str]


def client(service: str, url: str, **config: Any) -> Any:
    settings = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}, proxies={}, **config)
    session = boto3.Session("AKIAX", "secret", region_name="us-east-1")
    return session.client(service, endpoint_url=url, config=settings)


def raised_by(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    return pytest.fail("nothing was raised")


def classified(pipeline: Pipeline, call: Callable[[], object], arguments: dict[str, Any] | None = None) -> ToolError:
    error = pipeline.classify(raised_by(call), tool="aws", arguments=arguments)
    assert error is not None
    assert error.provider == "aws"
    return error


def s3(serve: Serve, status: int, code: str, message: str = "no", extra: str = "") -> Callable[[], object]:
    xml = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message>{extra}</Error>"
    return lambda: client("s3", serve(status, xml)).get_object(Bucket="data", Key="reports/q3.csv")


def dynamodb(serve: Serve, code: str, message: str = "no", **more: Any) -> Callable[[], object]:
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message, **more}
    return lambda: client("dynamodb", serve(400, body)).get_item(TableName="Orders", Key={"id": {"S": "1"}})


def query(serve: Serve, status: int, code: str, message: str = "no") -> Callable[[], object]:
    xml = f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>"
    return lambda: client("iam", serve(status, xml)).get_user(UserName="bob")


@pytest.mark.parametrize(
    ("status", "code", "cls", "fatal"),
    [
        (404, "NoSuchBucket", ResourceNotFoundError, False),
        (404, "NoSuchKey", ResourceNotFoundError, False),
        (404, "NoSuchVersion", ResourceNotFoundError, False),
        (403, "AccessDenied", ToolPermissionError, True),
        (403, "AllAccessDisabled", ToolPermissionError, True),
        (403, "InvalidAccessKeyId", ToolAuthenticationError, True),
        (403, "SignatureDoesNotMatch", ToolAuthenticationError, True),
        (403, "RequestTimeTooSkewed", ToolAuthenticationError, True),
        (400, "TokenRefreshRequired", ToolAuthenticationError, True),
        (403, "InvalidObjectState", ResourceConflictError, False),
        (409, "OperationAborted", ResourceConflictError, False),
        (412, "PreconditionFailed", ResourceConflictError, False),
        (400, "TooManyBuckets", ToolQuotaError, True),
        (400, "EntityTooLarge", ToolArgumentError, False),
        (400, "InvalidBucketName", ToolArgumentError, False),
        (416, "InvalidRange", ToolArgumentError, False),
        (400, "RequestTimeout", ToolTimeoutError, False),
        (503, "SlowDown", ToolRateLimitError, False),
        (503, "ServiceUnavailable", ToolUnavailableError, False),
        (500, "InternalError", ToolUnavailableError, False),
        (501, "NotImplemented", ToolExecutionError, False),
    ],
)
def test_s3(pipeline: Pipeline, serve: Serve, status: int, code: str, cls: type[ToolError], fatal: bool) -> None:
    error = classified(pipeline, s3(serve, status, code))

    assert (type(error), error.fatal, error.http_status) == (cls, fatal, status)
    assert error.rule == "mulligan_aws:answered"
    assert error.effect == ("possible" if cls in (ToolTimeoutError, ToolUnavailableError) else "none")


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        ("ConditionalCheckFailedException", ResourceConflictError),
        ("TransactionConflictException", ResourceConflictError),
        ("ResourceInUseException", ResourceConflictError),
        ("ResourceNotFoundException", ResourceNotFoundError),
        ("ProvisionedThroughputExceededException", ToolRateLimitError),
        ("ThrottlingException", ToolRateLimitError),
        ("RequestLimitExceeded", ToolRateLimitError),
        ("ItemCollectionSizeLimitExceededException", ToolArgumentError),
        ("ValidationException", ToolArgumentError),
        ("SerializationException", ToolArgumentError),
        ("UnrecognizedClientException", ToolAuthenticationError),
        ("MissingAuthenticationTokenException", ToolAuthenticationError),
        ("ExpiredTokenException", ToolAuthenticationError),
        ("AccessDeniedException", ToolPermissionError),
        ("InternalServerError", ToolUnavailableError),
    ],
)
def test_a_service_that_answers_400_to_all(pipeline: Pipeline, serve: Serve, code: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, dynamodb(serve, code))

    assert (type(error), error.http_status) == (cls, 400)


@pytest.mark.parametrize(
    ("status", "code", "cls"),
    [
        (404, "NoSuchEntity", ResourceNotFoundError),
        (409, "EntityAlreadyExists", ResourceConflictError),
        (409, "DeleteConflict", ResourceConflictError),
        (409, "LimitExceeded", ToolQuotaError),
        (400, "MalformedPolicyDocument", ToolArgumentError),
        (403, "InvalidClientTokenId", ToolAuthenticationError),
        (403, "OptInRequired", ToolPermissionError),
        (400, "Throttling", ToolRateLimitError),
        (400, "InvalidInstanceID.NotFound", ResourceNotFoundError),
        (400, "InvalidGroup.Duplicate", ResourceConflictError),
        (400, "IncorrectInstanceState", ResourceConflictError),
        (400, "DependencyViolation", ResourceConflictError),
        (400, "VcpuLimitExceeded", ToolQuotaError),
        (500, "InsufficientInstanceCapacity", ToolUnavailableError),
        (403, "UnauthorizedOperation", ToolPermissionError),
        (402, "ServiceQuotaExceededException", ToolQuotaError),
        (401, "UnauthorizedException", ToolAuthenticationError),
        (429, "LimitExceededException", ToolRateLimitError),
        (424, "ModelErrorException", ToolExecutionError),
        (418, "SomethingNobodyHasHeardOf", ToolArgumentError),
    ],
)
def test_codes_of_many_services(pipeline: Pipeline, serve: Serve, status: int, code: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, query(serve, status, code))

    assert (type(error), error.http_status) == (cls, status)


@pytest.mark.parametrize(
    ("status", "cls"), [(404, ResourceNotFoundError), (403, ToolPermissionError), (412, ResourceConflictError)]
)
def test_an_answer_to_head_has_only_its_status(
    pipeline: Pipeline, serve: Serve, status: int, cls: type[ToolError]
) -> None:
    given = {"bucket": "data", "key": "reports/q3.csv"}

    error = classified(
        pipeline, lambda: client("s3", serve(status)).head_object(Bucket="data", Key="reports/q3.csv"), given
    )

    assert (type(error), error.http_status) == (cls, status)
    assert error.resource == ("reports/q3.csv" if cls is not ToolPermissionError else None)


def test_a_forbidden_object_may_be_a_missing_one(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, s3(serve, 403, "AccessDenied"))

    assert "if the object does not exist" in error.message


def test_what_is_missing_is_named(pipeline: Pipeline, serve: Serve) -> None:
    key = classified(pipeline, s3(serve, 404, "NoSuchKey", extra="<Key>reports/q3.csv</Key>"))
    bucket = classified(pipeline, s3(serve, 404, "NoSuchBucket", extra="<BucketName>data</BucketName>"))
    user = classified(pipeline, query(serve, 404, "NoSuchEntity", "The user with name bob cannot be found."))
    table = classified(
        pipeline, dynamodb(serve, "ResourceNotFoundException", "Requested resource not found"), {"table": "Orders"}
    )

    assert [error.resource for error in (key, bucket, user, table)] == ["reports/q3.csv", "data", "bob", "Orders"]
    assert key.message == "Resource not found: reports/q3.csv"


def test_conflicts_are_told_apart(pipeline: Pipeline, serve: Serve) -> None:
    exists = classified(pipeline, query(serve, 409, "EntityAlreadyExists"))
    concurrent = classified(pipeline, dynamodb(serve, "TransactionConflictException"))
    state = classified(pipeline, dynamodb(serve, "ConditionalCheckFailedException"))

    assert [error.code for error in (exists, concurrent, state)] == ["ALREADY_EXISTS", "ABORTED", "FAILED_PRECONDITION"]


@pytest.mark.parametrize(
    ("reason", "cls"),
    [
        ("ConditionalCheckFailed", ResourceConflictError),
        ("ThrottlingError", ToolRateLimitError),
        ("ValidationError", ToolArgumentError),
        ("AccessDenied", ToolPermissionError),
    ],
)
def test_a_cancelled_transaction_says_why(pipeline: Pipeline, serve: Serve, reason: str, cls: type[ToolError]) -> None:
    body = {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "message": "Transaction cancelled",
        "CancellationReasons": [{"Code": "None"}, {"Code": reason, "Message": "no"}],
    }
    put = {"Put": {"TableName": "Orders", "Item": {"id": {"S": "1"}}}}

    error = classified(
        pipeline, lambda: client("dynamodb", serve(400, body)).transact_write_items(TransactItems=[put, put])
    )

    assert type(error) is cls


def test_a_limit_may_be_a_quota_or_a_rate(pipeline: Pipeline, serve: Serve) -> None:
    rate = classified(
        pipeline, dynamodb(serve, "LimitExceededException", "Only 50 tables can be updated simultaneously")
    )
    quota = classified(pipeline, dynamodb(serve, "LimitExceededException", "Too large a number of tables exists"))

    assert (type(rate), rate.fatal, type(quota), quota.fatal) == (ToolRateLimitError, False, ToolQuotaError, True)


def test_a_stack_that_is_not_there_is_a_validation_error_to_cloudformation(pipeline: Pipeline, serve: Serve) -> None:
    xml = "<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack with id web does not exist</Message></Error></ErrorResponse>"

    error = classified(pipeline, lambda: client("cloudformation", serve(400, xml)).describe_stacks(StackName="web"))

    assert (type(error), error.resource) == (ResourceNotFoundError, "web")


def test_how_long_to_wait_comes_from_the_header_or_the_answer(pipeline: Pipeline, serve: Serve) -> None:
    body, headers = {"message": "Rate exceeded"}, {"x-amzn-ErrorType": "TooManyRequestsException", "Retry-After": "7"}

    error = classified(pipeline, lambda: client("lambda", serve(429, body, headers)).invoke(FunctionName="f"))

    assert (type(error), error.retry_after) == (ToolRateLimitError, 7)


def test_the_fields_that_a_service_refuses(pipeline: Pipeline, serve: Serve) -> None:
    message = (
        "2 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length greater "
        "than or equal to 3; Value 'x' at 'items.1.member.kind' failed to satisfy constraint: Member must satisfy enum value set: [A, B]"
    )

    error = classified(pipeline, dynamodb(serve, "ValidationException", message))

    assert [(problem.pointer, problem.expected) for problem in error.problems] == [
        ("/tableName", "at least 3 characters"),
        ("/items/1/member/kind", "one of A, B"),
    ]


def test_an_error_inside_an_event_stream(pipeline: Pipeline) -> None:
    error = pipeline.classify(
        EventStreamError({"Error": {"Code": "throttlingException", "Message": "wait"}}, "InvokeModelWithResponseStream")
    )

    assert (type(error), error.provider) == (ToolRateLimitError, "aws")


def test_fields_that_a_message_or_an_answer_names(pipeline: Pipeline, serve: Serve) -> None:
    named = "<ArgumentName>max-keys</ArgumentName><ArgumentValue>x</ArgumentValue>"
    null = "1 validation error detected: Value null at 'userName' failed to satisfy constraint: Member must not be null"

    by_name = classified(pipeline, s3(serve, 400, "InvalidArgument", extra=named))
    missing = classified(pipeline, query(serve, 400, "ValidationError", null))

    assert [problem.pointer for problem in by_name.problems] == ["/max-keys"]
    assert [(problem.pointer, problem.message) for problem in missing.problems] == [("/userName", "is missing")]


def test_a_client_error_that_lists_its_fields(pipeline: Pipeline) -> None:
    answer = {"Error": {"Code": "ValidationException", "Message": "no"}, "fieldList": [{"name": "a.b"}, 3]}

    error = pipeline.classify(ClientError(answer, "CreateApp"))

    assert [problem.pointer for problem in error.problems] == ["/a/b"]


def test_a_code_with_the_name_of_its_service(pipeline: Pipeline) -> None:
    answer = {"Error": {"Code": "AWS.SimpleQueueService.NonExistentQueue", "Message": "no"}}

    error = pipeline.classify(
        ClientError(answer, "GetQueueUrl"), arguments={"queue_name": "jobs", "region": "eu-west-1"}
    )

    assert (type(error), error.resource, error.http_status) == (ResourceNotFoundError, "jobs", None)


def test_an_answer_without_any_code(pipeline: Pipeline) -> None:
    error = pipeline.classify(ClientError({}, "GetObject"))

    assert (type(error), error.provider) == (ToolExecutionError, "aws")


def test_seconds_in_the_answer_itself(pipeline: Pipeline) -> None:
    answer = {"Error": {"Code": "TooManyRequestsException", "Message": "no"}, "retryAfterSeconds": "12"}

    error = pipeline.classify(ClientError(answer, "Invoke"))

    assert (type(error), error.retry_after) == (ToolRateLimitError, 12)


def test_an_identity_provider_that_cannot_be_reached_is_no_matter_of_the_credentials(
    pipeline: Pipeline, serve: Serve
) -> None:
    error = classified(pipeline, query(serve, 400, "IDPCommunicationError"))

    assert (type(error), error.fatal, error.message) == (
        ToolUnavailableError,
        False,
        "AWS is temporarily unavailable (IDPCommunicationError).",
    )


def test_a_dry_run_that_would_have_succeeded(pipeline: Pipeline, serve: Serve) -> None:
    xml = (
        "<Response><Errors><Error><Code>DryRunOperation</Code><Message>Request would have succeeded, but DryRun flag is set."
        "</Message></Error></Errors></Response>"
    )
    ec2 = client("ec2", serve(412, xml))

    error = classified(pipeline, lambda: ec2.stop_instances(InstanceIds=["i-1"], DryRun=True))

    assert (type(error), error.fatal, error.effect) == (ToolExecutionError, False, "none")
    assert error.message == "The dry run would have succeeded; nothing was changed (DryRunOperation)."


def test_s3_in_another_region(pipeline: Pipeline) -> None:
    answer = {"Error": {"Code": "PermanentRedirect"}, "ResponseMetadata": {"HTTPStatusCode": 301}}

    error = pipeline.classify(ClientError(answer, "GetObject"))
    head = pipeline.classify(ClientError({**answer, "Error": {"Code": "301"}}, "HeadObject"))

    assert type(head) is ToolArgumentError

    assert (type(error), error.fatal, error.effect) == (ToolArgumentError, False, "none")
    assert error.message == "The resource is in another region or at another endpoint of AWS (PermanentRedirect)."


def test_s3_has_nothing_newer(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, lambda: client("s3", serve(304)).get_object(Bucket="data", Key="a", IfNoneMatch='"x"'))

    assert (type(error), error.fatal, error.effect) == (ToolExecutionError, False, "none")
    assert "not modified" in error.message


def test_a_password_that_must_be_reset(pipeline: Pipeline, serve: Serve) -> None:
    body = {"__type": "PasswordResetRequiredException", "message": "Password reset required for the user"}
    cognito = client("cognito-idp", serve(400, body))

    error = classified(pipeline, lambda: cognito.initiate_auth(AuthFlow="USER_PASSWORD_AUTH", ClientId="c"))

    assert (type(error), error.fatal) == (ToolAuthenticationError, True)


def test_a_status_narrows_a_word(pipeline: Pipeline, serve: Serve) -> None:
    paused = classified(pipeline, query(serve, 400, "AccountSendingPausedException"))
    failed = classified(pipeline, query(serve, 400, "SourceBundleDeletionFailure"))
    rejected = classified(pipeline, query(serve, 401, "InvalidAccessException"))

    assert (type(paused), paused.fatal) == (ResourceConflictError, False)
    assert [type(failed), type(rejected)] == [ToolArgumentError, ToolAuthenticationError]
