"""Rules for botocore, boto3 and aiobotocore: what the error codes of AWS and the SDK's own exceptions mean."""

from __future__ import annotations

import re
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
    safe_str,
    status_error,
)
from mulligan_aws.codes import conflict, meaning, plain
from mulligan_aws.parameters import pointer, service_problems, validation_problems
from mulligan_aws.resources import resource

mulligan_api = "1.0"
rules = Rules("aws")

_SHOWN = r"[\w.-]{1,100}"
_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "AWS rejected the credentials",
    ToolPermissionError: "The AWS account lacks permission for this",
    ResourceNotFoundError: "The resource was not found",
    ResourceConflictError: "The current state of the resource does not allow this",
    ToolRateLimitError: "AWS's rate limit is reached",
    ToolQuotaError: "A quota of the AWS account is exhausted",
    ToolTimeoutError: "AWS did not respond in time",
    ToolUnavailableError: "The AWS service is temporarily unavailable",
    ToolArgumentError: "AWS rejected the request as invalid",
    ToolExecutionError: "The AWS call failed",
}
_WAITING = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)
_MAY_BE_MISSING = " Amazon S3 also denies access if the object does not exist and the account cannot list the bucket."
_NO_REGION = "No AWS region is set. Set AWS_DEFAULT_REGION, or `region` in the AWS configuration file."
_TRY_LATER = (
    "try again",
    "try after",
    "rate",
    "attempt",
    "attempts",
    "simultaneous",
    "simultaneously",
    "concurrent",
    "per second",
)
_HANDSHAKE = ("certificate", "CERTIFICATE_VERIFY_FAILED", "handshake", "WRONG_VERSION_NUMBER")
_ABSENT = ("does not exist", "doesn't exist")


@rules("botocore.exceptions.ClientError")
def answered(failure: Failure) -> ToolError | None:
    """The service answered with an error code."""
    return _by_code(failure, failure.look("response", "Error", "Code"))


def _by_code(failure: Failure, told: object) -> ToolError:
    code = plain(told)
    if code == "TransactionCanceled":
        code = _cancelled(failure) or code
    cls = _by_words(failure, code) or meaning(code, failure.status)
    if cls is None:
        return status_error(failure)
    about = resource(failure) if cls in (ResourceNotFoundError, ResourceConflictError) else None
    return cls(
        _message(cls, failure, code, about),
        code=_canonical(failure, code) if cls is ResourceConflictError else None,
        http_status=failure.status,
        retry_after=_wait(failure) if cls in _WAITING else None,
        resource=about,
        problems=service_problems(failure) if cls is ToolArgumentError else (),
        effect=cls.effect,
    )


def _by_words(failure: Failure, code: str) -> type[ToolError] | None:
    """Two codes that services use for two things, which their messages tell apart."""
    if code == "LimitExceeded" and failure.says(*_TRY_LATER):
        return ToolRateLimitError
    if code == "ValidationError" and failure.says(*_ABSENT):  # AWS CloudFormation, for a stack that is not there
        return ResourceNotFoundError
    return None


def _cancelled(failure: Failure) -> str | None:
    """The code of the operation for which DynamoDB cancelled a transaction."""
    reasons = failure.look("response", "CancellationReasons")
    codes = [plain(reason.get("Code")) for reason in reasons or () if isinstance(reason, Mapping)]
    return next((code for code in codes if code not in ("", "None")), None)


def _canonical(failure: Failure, code: str) -> str | None:
    return conflict(code) or ("ALREADY_EXISTS" if failure.says("already exists") else None)


def _message(cls: type[ToolError], failure: Failure, code: str, about: str | None = None) -> str:
    if about and cls is ResourceNotFoundError:
        return f"Resource not found: {about}"
    shown = f" ({code})" if re.fullmatch(_SHOWN, code) else ""
    hidden = cls is ToolPermissionError and failure.look("operation_name") in ("GetObject", "HeadObject")
    return f"{_MESSAGES[cls]}{shown}.{_MAY_BE_MISSING if hidden else ''}"


def _wait(failure: Failure) -> float | None:
    told = failure.look("response", "retryAfterSeconds")
    return float(told) if isinstance(told, str) and told.isdigit() else failure.retry_after


@rules("botocore.exceptions.ConnectTimeoutError", "botocore.exceptions.ReadTimeoutError")
def timed_out(failure: Failure) -> ToolError | None:
    """No connection, or no answer, in time."""
    if failure.matches("botocore.exceptions.ConnectTimeoutError"):
        return ToolTimeoutError("The connection to AWS timed out; nothing was sent.", effect="none")
    return ToolTimeoutError("AWS did not respond in time.", effect="possible")


@rules("botocore.exceptions.ConnectionError")
def unreachable(failure: Failure) -> ToolError | None:
    """The endpoint, or the proxy, cannot be reached, or is not whom it should be: nothing was sent."""
    from urllib.parse import urlsplit

    host = urlsplit(safe_str(failure.look("kwargs", "endpoint_url") or "")).hostname or ""
    values = [value.lower() for value in (failure.arguments or {}).values() if isinstance(value, str) and value]
    named = any(value in host or host in value for value in values) if host else False
    message = "The AWS endpoint that the arguments name cannot be reached." if named else "AWS cannot be reached."
    midway = failure.matches("botocore.exceptions.SSLError") and not failure.says(*_HANDSHAKE)
    return ToolConnectionError(message, fatal=not named, effect="possible" if midway else "none")


@rules(
    "botocore.exceptions.HTTPClientError",
    "botocore.exceptions.IncompleteReadError",
    "boto3.exceptions.RetriesExceededError",
    "s3transfer.exceptions.RetriesExceededError",
)
def dropped(failure: Failure) -> ToolError | None:
    """The connection was closed before the whole answer was there."""
    message = "The connection to AWS was dropped mid-request."
    return ToolConnectionError(message, fatal=False, transient=True, effect="possible")


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
    """There are no credentials, or they could not be fetched or renewed."""
    if failure.matches("botocore.exceptions.LoginInsufficientPermissions"):
        return ToolPermissionError("The AWS account cannot log in this way.", effect="none")
    return ToolAuthenticationError("No usable credentials were found for AWS.", effect="none")


@rules("botocore.exceptions.NoRegionError")
def region(failure: Failure) -> ToolError | None:
    """No region is set: part of the set-up like the credentials, unless the tool takes a region, or is not known."""
    taken = (failure.tool.parameters.get("properties") or {}) if failure.tool is not None else {}
    named = [name for name in taken if "region" in name.lower()]
    if named or failure.tool is None:
        problems = [Problem(pointer(name), "no AWS region is set") for name in named]
        return ToolArgumentError("No AWS region is set.", problems=problems, effect="none")
    return ToolAuthenticationError(_NO_REGION, user_message=_NO_REGION, effect="none")


@rules("botocore.exceptions.ParamValidationError")
def parameters(failure: Failure) -> ToolError | None:
    """The SDK found the parameters wrong and sent nothing."""
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
    problems = [Problem(pointer(str(name)), "rejected by the AWS SDK")] if known else []
    return ToolArgumentError("The AWS SDK rejected its input; nothing was sent.", problems=problems, effect="none")


@rules("botocore.exceptions.WaiterError")
def waiter(failure: Failure) -> ToolError | None:
    """A waiter gave up, or met a state or an error that ends it."""
    code = failure.look("last_response", "Error", "Code")
    if failure.says("max attempts exceeded"):
        return ToolTimeoutError("The resource did not reach the expected state in time.", effect="possible")
    cls = meaning(plain(code)) if code else None
    if cls is None:
        return ToolExecutionError("The resource reached a state from which the expected state is impossible.")
    return cls(
        _message(cls, failure, plain(code)),
        http_status=failure.look("last_response", "ResponseMetadata", "HTTPStatusCode"),
        effect=cls.effect,
    )


@rules("boto3.exceptions.S3UploadFailedError")
def upload(failure: Failure) -> ToolError | None:
    """An upload that failed: the SDK raises this while it handles the service's answer."""
    handled = failure.look("__context__")
    return answered(failure.about(handled)) if isinstance(handled, Exception) else None


@rules("botocore.exceptions.CapacityNotAvailableError")
def held_back(failure: Failure) -> ToolError | None:
    """The SDK holds requests back, since the service throttled earlier ones."""
    return ToolRateLimitError("The AWS SDK delays requests because earlier ones were throttled.", effect="none")


@rules("botocore.exceptions.BotoCoreError", "boto3.exceptions.Boto3Error")
def other(failure: Failure) -> ToolError | None:
    """Anything else of the SDK itself, such as a broken configuration."""
    return ToolExecutionError("The AWS SDK failed.")


classify = rules.hookimpl(tryfirst=True)
