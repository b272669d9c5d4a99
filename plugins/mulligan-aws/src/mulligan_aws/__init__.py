"""Rules for botocore, boto3 and aiobotocore: the error codes of AWS and the SDK's own exceptions."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    pointer_to,
    safe_str,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_aws.codes import meaning_of, plain
from mulligan_aws.parameters import service_problems, validation_problems
from mulligan_aws.resources import resource

mulligan_api = "1.0"
rules = Rules("aws")
last = Rules("aws", last=True)

SERVICE = "AWS"
_WAITING = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)
_MAY_BE_MISSING = " Amazon S3 also denies access if the object does not exist and the account cannot list the bucket."
_NO_REGION = "No AWS region is set. Set AWS_DEFAULT_REGION, or `region` in the AWS configuration file."
_TRY_LATER = (
    *("try again", "try after", "rate", "attempt", "attempts"),
    *("simultaneous", "simultaneously", "concurrent", "per second"),
)
_ABSENT = ("does not exist", "doesn't exist")


@rules("botocore.exceptions.ClientError")
def answered(failure: Failure) -> ToolError | None:
    """The service responded with an error code."""
    return _by_code(failure, failure.look("response", "Error", "Code"))


def _by_code(failure: Failure, reported: object) -> ToolError:
    code = plain(reported)
    if code == "TransactionCanceled":
        code = _cancelled(failure) or code
    meaning = _by_words(failure, code) or meaning_of(code, failure.status)
    if meaning is None:
        return status_error(failure, service=SERVICE)
    if meaning is m.CONFLICT and failure.says("already exists"):
        meaning = m.EXISTS
    error = m.error_of(failure, meaning, service=SERVICE, told=code, resource=None, problems=())
    if error.retry_after is not None or isinstance(error, _WAITING):
        error.retry_after = _wait(failure)
    if isinstance(error, (ResourceNotFoundError, ResourceConflictError)):
        error.resource = resource(failure)
        if isinstance(error, ResourceNotFoundError) and error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        error.problems = service_problems(failure) or failure.problems
    elif isinstance(error, ToolPermissionError) and failure.look("operation_name") in ("GetObject", "HeadObject"):
        error.message += _MAY_BE_MISSING
    return error


def _by_words(failure: Failure, code: str) -> m.Meaning | None:
    """Two codes with two meanings each, which their messages distinguish."""
    if code == "LimitExceeded" and failure.says(*_TRY_LATER):
        return m.RATE_LIMIT
    if code == "ValidationError" and failure.says(*_ABSENT):  # AWS CloudFormation, for a stack that does not exist
        return m.NOT_FOUND
    return None


def _cancelled(failure: Failure) -> str | None:
    """The code of the operation that made DynamoDB cancel a transaction."""
    reasons = failure.look("response", "CancellationReasons")
    codes = [plain(reason.get("Code")) for reason in reasons or () if isinstance(reason, Mapping)]
    return next((code for code in codes if code not in ("", "None")), None)


def _wait(failure: Failure) -> float | None:
    seconds = failure.look("response", "retryAfterSeconds")
    return float(seconds) if isinstance(seconds, str) and seconds.isdigit() else failure.retry_after


@rules(
    "botocore.exceptions.ConnectionError",
    "botocore.exceptions.HTTPClientError",
    "botocore.exceptions.IncompleteReadError",
    "boto3.exceptions.RetriesExceededError",
    "s3transfer.exceptions.RetriesExceededError",
)
def connection(failure: Failure) -> ToolError | None:
    """A timeout for connection or response, an unreachable endpoint, or a connection dropped midway."""
    error = transport_error(failure, service=SERVICE) or m.error_of(failure, m.DROPPED, service=SERVICE)
    if isinstance(error, ToolConnectionError) and not error.transient and _names_endpoint(failure):
        error.fatal = False
    return error


def _names_endpoint(failure: Failure) -> bool:
    """Whether the call names the endpoint or its region, which may then be misspelled."""
    from urllib.parse import urlsplit

    host = urlsplit(safe_str(failure.look("kwargs", "endpoint_url") or "")).hostname or ""
    values = [value.lower() for value in (failure.arguments or {}).values() if isinstance(value, str) and value]
    return bool(host) and any(value in host or host in value for value in values)


@rules("botocore.parsers.ResponseParserError")
def unreadable(failure: Failure) -> ToolError | None:
    """A response that the SDK cannot parse, such as an empty one or a proxy's HTML page: the request was sent."""
    message = "The response of the service cannot be read"
    return m.error_of(failure, m.FAILED._replace(message=message), service=SERVICE)


@rules(
    *(
        f"botocore.exceptions.{name}"
        for name in (
            "NoCredentialsError",
            "PartialCredentialsError",
            "CredentialRetrievalError",
            "UnknownCredentialError",
            "NoAuthTokenError",
            "TokenRetrievalError",
            "UnknownTokenProviderError",
            "SSOError",
            "LoginError",
            "RefreshWithMFAUnsupportedError",
            "MetadataRetrievalError",
            "ProfileNotFound",
        )
    )
)
def credentials(failure: Failure) -> ToolError | None:
    """There are no credentials, or they could not be fetched or refreshed."""
    if failure.matches("botocore.exceptions.LoginInsufficientPermissions"):
        return ToolPermissionError("The AWS account cannot log in this way.", effect="none")
    return ToolAuthenticationError("No usable credentials were found for AWS.", effect="none")


@rules("botocore.exceptions.NoRegionError")
def region(failure: Failure) -> ToolError | None:
    """No region is set. This is configuration, like credentials, unless the tool takes a region or is unknown."""
    taken = (failure.tool.parameters.get("properties") or {}) if failure.tool is not None else {}
    named = [name for name in taken if "region" in name.lower()]
    if named or failure.tool is None:
        problems = [Problem(pointer_to(name), "no AWS region is set") for name in named]
        return ToolArgumentError("No AWS region is set.", problems=problems, effect="none")
    return ToolAuthenticationError(_NO_REGION, user_message=_NO_REGION, effect="none")


@rules("botocore.exceptions.ParamValidationError")
def parameters(failure: Failure) -> ToolError | None:
    """The SDK rejected the parameters and sent nothing."""
    return ToolArgumentError(
        "The parameters do not match the AWS operation; nothing was sent.",
        problems=validation_problems(failure),
        effect="none",
    )


@rules(
    *(
        f"botocore.exceptions.{name}"
        for name in (
            "ValidationError",
            "MissingParametersError",
            "BaseEndpointResolverError",
            "EndpointProviderError",
            "DataNotFoundError",
            "UnknownRegionError",
            "ApiVersionNotFoundError",
            "ServiceNotInRegionError",
            "UnknownServiceStyle",
            "InvalidExpressionError",
            "UnknownClientMethodError",
            "OperationNotPageableError",
            "PaginationError",
            "UnseekableStreamError",
            "InvalidDNSNameError",
            "InvalidS3AddressingStyleError",
            "UnsupportedS3ArnError",
            "UnsupportedS3ControlArnError",
            "InvalidHostLabelError",
            "UnsupportedOutpostResourceError",
            "UnsupportedS3ConfigurationError",
            "UnsupportedS3AccesspointConfigurationError",
            "UnsupportedS3ControlConfigurationError",
            "InvalidEndpointConfigurationError",
        )
    ),
    "boto3.exceptions.ResourceNotExistsError",
    "boto3.exceptions.UnknownAPIVersionError",
    "boto3.exceptions.NoVersionFound",
    "boto3.exceptions.DynamoDBOperationNotSupportedError",
    "boto3.exceptions.DynamoDBNeedsConditionError",
    "boto3.exceptions.DynamoDBNeedsKeyConditionError",
    "s3transfer.exceptions.S3ValidationError",
)
def unfit(failure: Failure) -> ToolError | None:
    """A service, region, operation or value that the SDK does not know or cannot use; nothing was sent."""
    name = failure.look("kwargs", "param") or failure.look("kwargs", "name")
    known = failure.matches("botocore.exceptions.ValidationError") and isinstance(name, str)
    problems = [Problem(pointer_to(str(name)), "rejected by the AWS SDK")] if known else []
    return ToolArgumentError("The AWS SDK rejected its input; nothing was sent.", problems=problems, effect="none")


@rules("botocore.exceptions.WaiterError")
def waiter(failure: Failure) -> ToolError | None:
    """A waiter timed out, or encountered a terminal state or error."""
    code = failure.look("last_response", "Error", "Code")
    if failure.says("max attempts exceeded"):
        return ToolTimeoutError("The resource did not reach the expected state in time.", effect="possible")
    meaning = meaning_of(plain(code)) if code else None
    if meaning is None:
        return ToolExecutionError("The resource reached a state from which the expected state is impossible.")
    status = failure.look("last_response", "ResponseMetadata", "HTTPStatusCode")
    known = status if isinstance(status, int) else None
    return m.error_of(failure, meaning, service=SERVICE, told=plain(code), http_status=known)


@rules("boto3.exceptions.S3UploadFailedError")
def upload(failure: Failure) -> ToolError | None:
    """A failed upload. The SDK raises this while it handles the service's error."""
    handled = failure.look("__context__")
    return answered(failure.about(handled)) if isinstance(handled, Exception) else None


@rules("botocore.exceptions.CapacityNotAvailableError")
def held_back(failure: Failure) -> ToolError | None:
    """The SDK delays requests because the service throttled earlier ones."""
    return ToolRateLimitError("The AWS SDK delays requests because earlier ones were throttled.", effect="none")


@rules("botocore.exceptions.ConfigParseError", "botocore.exceptions.ConfigNotFound")
def configuration(failure: Failure) -> ToolError | None:
    """The SDK's configuration file is missing or broken; nothing was sent."""
    return ToolExecutionError("The configuration of the AWS SDK cannot be read.", effect="none")


@last("botocore.exceptions.BotoCoreError", "boto3.exceptions.Boto3Error")
def other(failure: Failure) -> ToolError | None:
    """Any other exception of the SDK itself."""
    return ToolExecutionError("The AWS SDK failed.")


classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
