"""Answers of Azure: the real clients over answers of the documented form."""

import json
from collections.abc import Callable
from typing import Any

import azure.eventhub.exceptions as eventhub
import azure.servicebus.exceptions as servicebus
import pytest
from azure.core import PipelineClient, exceptions
from azure.core.polling.base_polling import BadStatus
from azure.core.rest import HttpRequest
from azure.cosmos import exceptions as cosmos
from azure.identity import EnvironmentCredential
from azure.servicebus._pyamqp.error import AMQPException
from azure.storage.blob import BlobServiceClient

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
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
)

Serve = Callable[..., str]


def raised_by(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    return pytest.fail("nothing was raised")


def classified(pipeline: Pipeline, call: Callable[[], object], arguments: dict[str, Any] | None = None) -> ToolError:
    error = pipeline.classify(raised_by(call), tool="azure", arguments=arguments)
    assert error is not None
    assert error.provider == "azure"
    return error


def blobs(url: str, **options: Any) -> BlobServiceClient:
    credential = {"account_name": "acme", "account_key": "a2V5"}
    return BlobServiceClient(account_url=f"{url}/acme", credential=credential, retry_total=0, **options)


def read_blob(url: str, **options: Any) -> None:
    with blobs(url, **options) as service:
        service.get_blob_client("data", "a/q3.csv").get_blob_properties()


def list_blobs(url: str, **options: Any) -> None:
    with blobs(url, **options) as service:
        list(service.get_container_client("data").list_blobs())


def storage(serve: Serve, status: int, code: str, headers: dict[str, str] | None = None, extra: str = "") -> str:
    xml = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message>{extra}</Error>"
    return serve(status, xml, {"x-ms-error-code": code, **(headers or {})})


def arm(serve: Serve, status: int, code: str, message: str = "no", **more: Any) -> Callable[[], object]:
    url = serve(status, {"error": {"code": code, "message": message, **more}})

    def call() -> None:
        with PipelineClient(url) as client:
            path = f"{url}/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm1"
            answer = client.send_request(HttpRequest("GET", path))
            named = {
                401: exceptions.ClientAuthenticationError,
                404: exceptions.ResourceNotFoundError,
                409: exceptions.ResourceExistsError,
            }
            exceptions.map_error(answer.status_code, answer, named)
            raise exceptions.HttpResponseError(response=answer)

    return call


@pytest.mark.parametrize(
    ("status", "code", "cls"),
    [
        (400, "InvalidQueryParameterValue", ToolArgumentError),
        (400, "InvalidHeaderValue", ToolArgumentError),
        (403, "AuthenticationFailed", ToolAuthenticationError),
        (401, "NoAuthenticationInformation", ToolAuthenticationError),
        (400, "InvalidAuthenticationInfo", ToolAuthenticationError),
        (403, "AuthorizationFailure", ToolPermissionError),
        (403, "AuthorizationPermissionMismatch", ToolPermissionError),
        (403, "InsufficientAccountPermissions", ToolPermissionError),
        (403, "AccountIsDisabled", ToolPermissionError),
        (409, "PublicAccessNotPermitted", ToolPermissionError),
        (404, "ContainerNotFound", ResourceNotFoundError),
        (404, "BlobNotFound", ResourceNotFoundError),
        (409, "BlobArchived", ResourceConflictError),
        (409, "ContainerBeingDeleted", ResourceConflictError),
        (409, "LeaseAlreadyPresent", ResourceConflictError),
        (412, "ConditionNotMet", ResourceConflictError),
        (412, "LeaseIdMissing", ResourceConflictError),
        (409, "SnapshotOperationRateExceeded", ToolRateLimitError),
        (409, "SnapshotCountExceeded", ToolQuotaError),
        (413, "RequestBodyTooLarge", ToolArgumentError),
        (416, "InvalidRange", ToolArgumentError),
        (429, "TooManyRequests", ToolRateLimitError),
        (500, "InternalError", ToolUnavailableError),
        (500, "OperationTimedOut", ToolTimeoutError),
        (503, "ServerBusy", ToolRateLimitError),
    ],
)
def test_storage(pipeline: Pipeline, serve: Serve, status: int, code: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, lambda: list_blobs(storage(serve, status, code)))

    assert (type(error), error.http_status, error.fatal) == (cls, status, cls.fatal)
    assert error.rule == "mulligan_azure:answered"


@pytest.mark.parametrize(
    ("status", "cls"), [(404, ResourceNotFoundError), (403, ToolPermissionError), (503, ToolUnavailableError)]
)
def test_an_answer_to_head_has_its_code_in_a_header_or_none(
    pipeline: Pipeline, serve: Serve, status: int, cls: type[ToolError]
) -> None:
    error = classified(pipeline, lambda: read_blob(serve(status)))

    assert (type(error), error.http_status) == (cls, status)


def test_what_is_missing_is_named(pipeline: Pipeline, serve: Serve) -> None:
    given = {"container": "data", "blob": "a/q3.csv"}

    blob = classified(pipeline, lambda: read_blob(storage(serve, 404, "BlobNotFound")), given)
    container = classified(pipeline, lambda: read_blob(storage(serve, 404, "ContainerNotFound")), given)
    unnamed = classified(pipeline, lambda: read_blob(storage(serve, 404, "BlobNotFound")))
    machine = classified(
        pipeline,
        arm(serve, 404, "ResourceNotFound", "The Resource 'Microsoft.Compute/virtualMachines/vm1' was not found."),
    )
    secret = classified(
        pipeline, arm(serve, 404, "SecretNotFound", "A secret with (name/id) token was not found in this key vault.")
    )

    assert [error.resource for error in (blob, container, unnamed)] == ["a/q3.csv", "data", "/acme/data/a/q3.csv"]
    assert [error.resource for error in (machine, secret)] == ["Microsoft.Compute/virtualMachines/vm1", "token"]
    assert blob.message == "Resource not found: a/q3.csv"


def test_how_long_to_wait(pipeline: Pipeline, serve: Serve) -> None:
    seconds = classified(pipeline, lambda: read_blob(storage(serve, 503, "ServerBusy", {"Retry-After": "10"})))
    milliseconds = classified(
        pipeline, lambda: read_blob(storage(serve, 429, "Throttled", {"x-ms-retry-after-ms": "500"}))
    )

    assert [error.retry_after for error in (seconds, milliseconds)] == [10, 0.5]


def test_the_parameter_that_is_wrong(pipeline: Pipeline, serve: Serve) -> None:
    extra = "<QueryParameterName>maxresults</QueryParameterName>"

    first = classified(pipeline, lambda: list_blobs(storage(serve, 400, "OutOfRangeQueryParameterValue", extra=extra)))
    second = classified(pipeline, arm(serve, 400, "InvalidParameter", target="vmSize"))

    assert [error.problems[0].pointer for error in (first, second)] == ["/maxresults", "/vmSize"]


@pytest.mark.parametrize(
    ("status", "code", "message", "cls", "canonical"),
    [
        (401, "InvalidAuthenticationToken", "no", ToolAuthenticationError, "UNAUTHENTICATED"),
        (401, "ExpiredAuthenticationToken", "no", ToolAuthenticationError, "UNAUTHENTICATED"),
        (403, "AuthorizationFailed", "no", ToolPermissionError, "PERMISSION_DENIED"),
        (403, "RequestDisallowedByPolicy", "no", ToolPermissionError, "PERMISSION_DENIED"),
        (404, "ResourceGroupNotFound", "no", ResourceNotFoundError, "NOT_FOUND"),
        (404, "SubscriptionNotFound", "no", ResourceNotFoundError, "NOT_FOUND"),
        (409, "StorageAccountAlreadyTaken", "no", ResourceConflictError, "ALREADY_EXISTS"),
        (409, "ScopeLocked", "no", ResourceConflictError, "FAILED_PRECONDITION"),
        (409, "MissingSubscriptionRegistration", "no", ResourceConflictError, "FAILED_PRECONDITION"),
        (
            409,
            "OperationNotAllowed",
            "exceeding approved Total Regional Cores quota",
            ToolQuotaError,
            "RESOURCE_EXHAUSTED",
        ),
        (409, "OperationNotAllowed", "the machine is being moved", ResourceConflictError, "FAILED_PRECONDITION"),
        (400, "QuotaExceeded", "no", ToolQuotaError, "RESOURCE_EXHAUSTED"),
        (429, "SubscriptionRequestsThrottled", "no", ToolRateLimitError, "RESOURCE_EXHAUSTED"),
        (400, "InvalidTemplate", "no", ToolArgumentError, "INVALID_ARGUMENT"),
        (400, "SomethingNew", "no", ToolArgumentError, "INVALID_ARGUMENT"),
        (404, "SomethingNew", "no", ResourceNotFoundError, "NOT_FOUND"),
        (409, "SomethingNew", "no", ResourceConflictError, "FAILED_PRECONDITION"),
        (500, "InternalServerError", "no", ToolUnavailableError, "UNAVAILABLE"),
        (503, "AllocationFailed", "no", ToolUnavailableError, "UNAVAILABLE"),
        (504, "GatewayTimeout", "no", ToolTimeoutError, "DEADLINE_EXCEEDED"),
    ],
)
def test_resource_manager(
    pipeline: Pipeline, serve: Serve, status: int, code: str, message: str, cls: type[ToolError], canonical: str
) -> None:
    error = classified(pipeline, arm(serve, status, code, message))

    assert (type(error), error.http_status, error.code) == (cls, status, canonical)


@pytest.mark.parametrize(
    ("inner", "cls"), [("ForbiddenByPolicy", ToolPermissionError), ("SecretDisabled", ResourceConflictError)]
)
def test_key_vault_says_more_inside(pipeline: Pipeline, serve: Serve, inner: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, arm(serve, 403, "Forbidden", innererror={"code": inner}))

    assert type(error) is cls


@pytest.mark.parametrize(
    ("status", "cls"),
    [
        (400, ToolArgumentError),
        (401, ToolAuthenticationError),
        (403, ToolPermissionError),
        (404, ResourceNotFoundError),
        (409, ResourceConflictError),
        (410, ToolUnavailableError),
        (412, ResourceConflictError),
        (429, ToolRateLimitError),
        (449, ResourceConflictError),
        (503, ToolUnavailableError),
    ],
)
def test_cosmos(pipeline: Pipeline, serve: Serve, status: int, cls: type[ToolError]) -> None:
    kinds = {404: cosmos.CosmosResourceNotFoundError, 409: cosmos.CosmosResourceExistsError}
    kind = kinds.get(status, cosmos.CosmosHttpResponseError)

    error = pipeline.classify(kind(status_code=status, message="no"))

    assert (type(error), error.http_status, error.provider) == (cls, status, "azure")


@pytest.mark.parametrize(
    ("status", "substatus", "cls"),
    [
        (403, 3, ToolUnavailableError),
        (403, 5300, ToolPermissionError),
        (404, 1002, ToolUnavailableError),
        (404, 1003, ResourceNotFoundError),
        (400, 1001, ToolArgumentError),
        (410, 1002, ToolUnavailableError),
        (403, 1005, ToolQuotaError),
        (404, 0, ResourceNotFoundError),
        (404, 99, ResourceNotFoundError),
    ],
)
def test_the_substatus_of_cosmos(pipeline: Pipeline, status: int, substatus: int, cls: type[ToolError]) -> None:
    error = pipeline.classify(cosmos.CosmosHttpResponseError(status_code=status, message="no", sub_status=substatus))

    assert (type(error), error.fatal, error.provider) == (cls, cls.fatal, "azure")


def test_an_operation_of_cosmos_whose_time_is_used_up_by_retries(pipeline: Pipeline) -> None:
    def retry() -> None:
        try:
            raise cosmos.CosmosHttpResponseError(status_code=429, message="Request rate is large")
        except cosmos.CosmosHttpResponseError:
            raise cosmos.CosmosClientTimeoutError  # as `_retry_utility` does

    error = classified(pipeline, retry)

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "azure")


@pytest.mark.parametrize(
    ("condition", "cls"),
    [
        (b"amqp:unauthorized-access", ToolAuthenticationError),
        (b"amqp:resource-limit-exceeded", ToolQuotaError),
        (b"amqp:resource-locked", ResourceConflictError),
        (b"com.microsoft:argument-error", ToolArgumentError),
        (b"amqp:link:detach-forced", ToolConnectionError),
        (b"amqp:unknown-error", ToolExecutionError),
    ],
)
def test_amqp_conditions(pipeline: Pipeline, condition: bytes, cls: type[ToolError]) -> None:
    class Told(Exception):
        condition: bytes

    told = Told("no")
    told.condition = condition
    by_bus = pipeline.classify(servicebus.ServiceBusError("no", condition=condition))
    by_hub = pipeline.classify(eventhub.EventHubError("no", told))

    assert [(type(error), error.provider) for error in (by_bus, by_hub)] == [(cls, "azure")] * 2


@pytest.mark.parametrize(
    ("raised", "cls", "fatal"),
    [
        (eventhub.AuthenticationError("no"), ToolAuthenticationError, True),
        (eventhub.ConnectError("no"), ToolConnectionError, True),
        (eventhub.ConnectionLostError("no"), ToolConnectionError, False),
        (eventhub.EventDataError("no"), ToolArgumentError, False),
        (eventhub.EventDataSendError("no"), ToolExecutionError, False),
        (eventhub.OwnershipLostError("no"), ResourceConflictError, False),
        (eventhub.OperationTimeoutError("no"), ToolTimeoutError, False),
        (eventhub.ClientClosedError("no"), ToolExecutionError, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_event_hubs(pipeline: Pipeline, raised: Exception, cls: type[ToolError], fatal: bool) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.fatal, error.provider) == (cls, fatal, "azure")


def test_what_was_not_modified_is_no_conflict(pipeline: Pipeline, serve: Serve) -> None:
    error = pipeline.classify(exceptions.ResourceNotModifiedError("no"))

    assert (type(error), error.effect, error.fatal) == (ToolExecutionError, "none", False)
    assert "not modified" in error.message


@pytest.mark.parametrize(
    ("raised", "cls", "fatal"),
    [
        (servicebus.MessagingEntityNotFoundError(message="no"), ResourceNotFoundError, False),
        (servicebus.MessagingEntityAlreadyExistsError(message="no"), ResourceConflictError, False),
        (servicebus.MessageLockLostError(message="no"), ResourceConflictError, False),
        (servicebus.ServiceBusAuthenticationError(message="no"), ToolAuthenticationError, True),
        (servicebus.ServiceBusAuthorizationError(message="no"), ToolPermissionError, True),
        (servicebus.ServiceBusQuotaExceededError(message="no"), ToolQuotaError, True),
        (servicebus.ServiceBusServerBusyError(message="no"), ToolRateLimitError, False),
        (servicebus.OperationTimeoutError(message="no"), ToolTimeoutError, False),
        (servicebus.MessageSizeExceededError(message="no"), ToolArgumentError, False),
        (servicebus.ServiceBusConnectionError(message="no"), ToolConnectionError, True),
        (servicebus.ServiceBusCommunicationError(message="no"), ToolConnectionError, False),
        (servicebus.ServiceBusError(message="no"), ToolExecutionError, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_service_bus(pipeline: Pipeline, raised: Exception, cls: type[ToolError], fatal: bool) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.fatal, error.provider) == (cls, fatal, "azure")


def test_no_credentials(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID", "AZURE_USERNAME"):
        monkeypatch.delenv(name, raising=False)

    error = classified(pipeline, lambda: EnvironmentCredential().get_token("https://storage.azure.com/.default"))

    assert (type(error), error.fatal, error.effect) == (ToolAuthenticationError, True, "none")
    assert error.message == "No usable credentials were found for Azure."
    assert error.rule == "mulligan_azure:credentials"


def test_nobody_listens(pipeline: Pipeline, dead: str) -> None:
    error = classified(pipeline, lambda: read_blob(dead))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


def test_no_answer_in_time(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, lambda: read_blob(serve(delay=20), read_timeout=0.2))

    assert (type(error), error.fatal, error.effect) == (ToolTimeoutError, False, "possible")


def test_a_dropped_connection(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, lambda: read_blob(serve(drop=True)))

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


@pytest.mark.parametrize(
    ("raised", "cls", "effect"),
    [
        (exceptions.ServiceRequestTimeoutError("x"), ToolTimeoutError, "none"),
        (exceptions.ServiceResponseTimeoutError("x"), ToolTimeoutError, "possible"),
        (exceptions.ServiceResponseError("x", error=TimeoutError()), ToolTimeoutError, "possible"),
        (exceptions.ServiceRequestError("x"), ToolConnectionError, "none"),
        (exceptions.DecodeError("x"), ToolExecutionError, "possible"),
        (exceptions.IncompleteReadError("x"), ToolConnectionError, "possible"),
        (exceptions.SerializationError("x"), ToolArgumentError, "none"),
        (exceptions.DeserializationError("x"), ToolExecutionError, "possible"),
        (exceptions.ResourceModifiedError("x"), ResourceConflictError, "none"),
        (exceptions.AzureError("x"), ToolExecutionError, "possible"),
        (exceptions.TooManyRedirectsError([]), ToolExecutionError, "possible"),
        (BadStatus("x"), ToolExecutionError, "possible"),
        (AMQPException(b"amqp:resource-locked"), ResourceConflictError, "none"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError], effect: str) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.effect, error.provider) == (cls, effect, "azure")


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (exceptions.DecodeError("x"), "Azure's response cannot be read."),
        (exceptions.TooManyRedirectsError([]), "Azure redirects too many times."),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(pipeline: Pipeline, raised: Exception, message: str) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert error.message == message


def test_a_long_running_operation_that_failed(pipeline: Pipeline, serve: Serve) -> None:
    """Its last answer has HTTP 200; only the code tells."""
    url = serve(200, json.dumps({"error": {"code": "QuotaExceeded", "message": "no"}}))

    def poll() -> None:
        with PipelineClient(url) as client:
            raise exceptions.HttpResponseError(response=client.send_request(HttpRequest("GET", url)))

    error = classified(pipeline, poll)

    assert (type(error), error.http_status) == (ToolQuotaError, None)


def test_the_model_reads_it(serve: Serve) -> None:
    """From the exception to the words, as the README promises."""
    import mulligan_azure

    url = storage(serve, 404, "BlobNotFound")

    def size(blob: str) -> None:
        read_blob(url)

    with Pipeline([size], plugins=[mulligan_azure], autoload=False) as calling:
        content = calling.call("size", {"blob": "a/q3.csv"}).content

    assert content.startswith("Error executing tool size: Resource not found: a/q3.csv")
    assert "taken effect" not in content
