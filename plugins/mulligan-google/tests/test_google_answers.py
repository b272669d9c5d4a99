"""Answers of Google's APIs: the real libraries over answers of the documented form."""

from collections.abc import Callable
from typing import Any

import googlemaps
import grpc
import gspread
import httplib2
import pytest
import requests
from firebase_admin import exceptions as firebase
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage.exceptions import DataCorruption
from google.protobuf import duration_pb2
from google.rpc import error_details_pb2
from googleapiclient.discovery import build
from googleapiclient.errors import InvalidJsonError

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
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
RPC = "type.googleapis.com/google.rpc."


def raised_by(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    return pytest.fail("nothing was raised")


def classified(pipeline: Pipeline, call: Callable[[], object], arguments: dict[str, Any] | None = None) -> ToolError:
    error = pipeline.classify(raised_by(call), tool="google", arguments=arguments)
    assert error is not None
    assert error.provider == "google"
    return error


def rpc(code: int, status: str, message: str = "no", *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "status": status, "message": message, "details": list(details)}}


def legacy(code: int, reason: str, message: str = "no", **more: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "errors": [{"reason": reason, "message": message, **more}]}}


def api_core(serve: Serve, body: dict[str, Any], headers: dict[str, str] | None = None) -> Callable[[], object]:
    def call() -> None:
        url = serve(body["error"]["code"], body, headers)
        raise exceptions.from_http_response(requests.get(f"{url}/v1/projects/p/topics/news", timeout=5))

    return call


def drive(url: str, ask: Callable[[Any], Any]) -> None:
    """Makes a request of Drive's `files`, and executes it."""
    http, options = httplib2.Http(timeout=0.5), {"api_endpoint": url}
    service = build("drive", "v3", http=http, developerKey="k", static_discovery=True, client_options=options)
    try:
        ask(service.files()).execute(num_retries=0)
    finally:
        http.close()


def drive_file(serve: Serve, body: dict[str, Any]) -> Callable[[], object]:
    return lambda: drive(serve(body["error"]["code"], body), lambda files: files.get(fileId="1AbC"))


@pytest.mark.parametrize(
    ("code", "status", "cls"),
    [
        (400, "INVALID_ARGUMENT", ToolArgumentError),
        (400, "FAILED_PRECONDITION", ResourceConflictError),
        (400, "OUT_OF_RANGE", ToolArgumentError),
        (401, "UNAUTHENTICATED", ToolAuthenticationError),
        (403, "PERMISSION_DENIED", ToolPermissionError),
        (404, "NOT_FOUND", ResourceNotFoundError),
        (409, "ALREADY_EXISTS", ResourceConflictError),
        (409, "ABORTED", ResourceConflictError),
        (412, "CONDITION_NOT_MET", ResourceConflictError),
        (429, "RESOURCE_EXHAUSTED", ToolRateLimitError),
        (500, "INTERNAL", ToolUnavailableError),
        (501, "UNIMPLEMENTED", ToolExecutionError),
        (503, "UNAVAILABLE", ToolUnavailableError),
        (504, "DEADLINE_EXCEEDED", ToolTimeoutError),
    ],
)
def test_canonical_codes_over_http(
    pipeline: Pipeline, serve: Serve, code: int, status: str, cls: type[ToolError]
) -> None:
    error = classified(pipeline, api_core(serve, rpc(code, status)))

    assert (type(error), error.http_status, error.fatal) == (cls, code, cls.fatal)
    assert error.rule == "mulligan_google:answered"
    assert error.code == (status if status not in ("CONDITION_NOT_MET", "INTERNAL") else cls.code)


@pytest.mark.parametrize(
    ("code", "reason", "cls"),
    [
        (400, "API_KEY_INVALID", ToolAuthenticationError),
        (403, "SERVICE_DISABLED", ToolPermissionError),
        (403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", ToolPermissionError),
        (403, "RATE_LIMIT_EXCEEDED", ToolRateLimitError),
        (429, "RESOURCE_QUOTA_EXCEEDED", ToolQuotaError),
        (400, "SOMETHING_NEW", ToolArgumentError),
    ],
)
def test_reasons(pipeline: Pipeline, serve: Serve, code: int, reason: str, cls: type[ToolError]) -> None:
    info = {"@type": f"{RPC}ErrorInfo", "reason": reason, "domain": "googleapis.com"}

    error = classified(pipeline, api_core(serve, rpc(code, "INVALID_ARGUMENT", "no", info)))

    assert type(error) is cls


def test_a_daily_quota_and_a_delay(pipeline: Pipeline, serve: Serve) -> None:
    quota = {"@type": f"{RPC}QuotaFailure", "violations": [{"subject": "project:1", "description": "Queries per day"}]}
    retry = {"@type": f"{RPC}RetryInfo", "retryDelay": "34.5s"}

    used_up = classified(pipeline, api_core(serve, rpc(429, "RESOURCE_EXHAUSTED", "no", quota)))
    for_now = classified(pipeline, api_core(serve, rpc(429, "RESOURCE_EXHAUSTED", "no", quota, retry)))
    header = classified(pipeline, api_core(serve, rpc(503, "UNAVAILABLE"), {"Retry-After": "9"}))

    assert [type(error) for error in (used_up, for_now, header)] == [
        ToolQuotaError,
        ToolRateLimitError,
        ToolUnavailableError,
    ]
    assert [error.retry_after for error in (used_up, for_now, header)] == [None, 34.5, 9]


def test_names_and_fields(pipeline: Pipeline, serve: Serve) -> None:
    info = {"@type": f"{RPC}ResourceInfo", "resourceType": "topic", "resourceName": "projects/p/topics/news"}
    bad = {"@type": f"{RPC}BadRequest", "fieldViolations": [{"field": "instances[0].name", "description": "no"}]}

    stated = classified(pipeline, api_core(serve, rpc(404, "NOT_FOUND", "no", info)))
    in_words = classified(pipeline, api_core(serve, rpc(404, "NOT_FOUND", "Resource not found (resource=news).")))
    by_url = classified(pipeline, api_core(serve, rpc(404, "NOT_FOUND")), {"topic": "news", "limit": "5"})
    wrong = classified(pipeline, api_core(serve, rpc(400, "INVALID_ARGUMENT", "no", bad)))

    assert [error.resource for error in (stated, in_words, by_url)] == ["projects/p/topics/news", "news", "news"]
    assert stated.message.startswith("Resource not found: projects/p/topics/news. Or the account cannot see it.")
    assert [problem.pointer for problem in wrong.problems] == ["/instances/0/name"]


@pytest.mark.parametrize(
    ("status", "cls"),
    [
        (grpc.StatusCode.CANCELLED, ToolCancelledError),
        (grpc.StatusCode.UNKNOWN, ToolExecutionError),
        (grpc.StatusCode.INVALID_ARGUMENT, ToolArgumentError),
        (grpc.StatusCode.DEADLINE_EXCEEDED, ToolTimeoutError),
        (grpc.StatusCode.NOT_FOUND, ResourceNotFoundError),
        (grpc.StatusCode.ALREADY_EXISTS, ResourceConflictError),
        (grpc.StatusCode.PERMISSION_DENIED, ToolPermissionError),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, ToolRateLimitError),
        (grpc.StatusCode.FAILED_PRECONDITION, ResourceConflictError),
        (grpc.StatusCode.ABORTED, ResourceConflictError),
        (grpc.StatusCode.OUT_OF_RANGE, ToolArgumentError),
        (grpc.StatusCode.UNIMPLEMENTED, ToolExecutionError),
        (grpc.StatusCode.INTERNAL, ToolUnavailableError),
        (grpc.StatusCode.UNAVAILABLE, ToolUnavailableError),
        (grpc.StatusCode.DATA_LOSS, ToolExecutionError),
        (grpc.StatusCode.UNAUTHENTICATED, ToolAuthenticationError),
    ],
)
def test_canonical_codes_over_grpc(pipeline: Pipeline, status: grpc.StatusCode, cls: type[ToolError]) -> None:
    error = pipeline.classify(exceptions.from_grpc_status(status, "no"))

    assert error is not None
    assert (type(error), error.provider) == (cls, "google")


def test_details_as_messages(pipeline: Pipeline) -> None:
    retry = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=7, nanos=500_000_000))
    bad = error_details_pb2.BadRequest(field_violations=[{"field": "name", "description": "no"}])
    info = error_details_pb2.ResourceInfo(resource_type="file", resource_name="files/abc")

    wait = pipeline.classify(exceptions.ResourceExhausted("slow", details=[retry]))
    wrong = pipeline.classify(exceptions.InvalidArgument("no", details=[bad]))
    gone = pipeline.classify(exceptions.NotFound("gone", details=[info]))

    assert (wait.retry_after, wrong.problems[0].pointer, gone.resource) == (7.5, "/name", "files/abc")


def test_retries_that_took_too_long(pipeline: Pipeline) -> None:
    error = pipeline.classify(exceptions.RetryError("Timeout of 60.0s exceeded", exceptions.ServiceUnavailable("no")))

    assert (type(error), error.provider, error.effect) == (ToolTimeoutError, "google", "possible")


@pytest.mark.parametrize(
    ("raised", "cls", "effect"),
    [
        (
            exceptions.ServiceUnavailable("failed to connect to all addresses; last error: refused"),
            ToolConnectionError,
            "none",
        ),
        (
            exceptions.from_grpc_status(grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
            ToolConnectionError,
            "possible",
        ),
        (exceptions.NotModified("no"), ToolExecutionError, "none"),
        (exceptions.UploadCancelledError("no"), ToolCancelledError, "possible"),
        (exceptions.ServerError("no"), ToolUnavailableError, "possible"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_what_has_no_http_status(pipeline: Pipeline, raised: Exception, cls: type[ToolError], effect: str) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.effect, error.provider) == (cls, effect, "google")


def test_a_corrupted_download_may_be_tried_again(pipeline: Pipeline) -> None:
    error = pipeline.classify(DataCorruption(None, "Checksum mismatch"))

    assert error is not None
    assert (type(error), error.transient, error.provider) == (ToolConnectionError, True, "google")
    assert "checksum" in error.message


@pytest.mark.parametrize(
    ("code", "reason", "cls"),
    [
        (400, "keyInvalid", ToolAuthenticationError),
        (400, "required", ToolArgumentError),
        (400, "failedPrecondition", ResourceConflictError),
        (401, "required", ToolAuthenticationError),
        (401, "authError", ToolAuthenticationError),
        (403, "userRateLimitExceeded", ToolRateLimitError),
        (403, "rateLimitExceeded", ToolRateLimitError),
        (403, "dailyLimitExceeded", ToolQuotaError),
        (403, "quotaExceeded", ToolQuotaError),
        (403, "storageQuotaExceeded", ToolQuotaError),
        (403, "insufficientFilePermissions", ToolPermissionError),
        (403, "accessNotConfigured", ToolPermissionError),
        (403, "fileNotDownloadable", ToolArgumentError),
        (403, "exportSizeLimitExceeded", ToolArgumentError),
        (403, "responseTooLarge", ToolArgumentError),
        (404, "notFound", ResourceNotFoundError),
        (409, "duplicate", ResourceConflictError),
        (410, "deleted", ResourceNotFoundError),
        (412, "conditionNotMet", ResourceConflictError),
        (500, "backendError", ToolUnavailableError),
        (503, "backendError", ToolUnavailableError),
    ],
)
def test_reasons_of_older_apis(pipeline: Pipeline, serve: Serve, code: int, reason: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, drive_file(serve, legacy(code, reason)))

    assert (type(error), error.http_status) == (cls, code)


def test_what_drive_names(pipeline: Pipeline, serve: Serve) -> None:
    missing = classified(pipeline, drive_file(serve, legacy(404, "notFound", "File not found: 1AbC.")))
    wrong = classified(
        pipeline, drive_file(serve, legacy(400, "invalidParameter", location="pageSize", locationType="parameter"))
    )

    assert missing.resource == "1AbC"
    assert [problem.pointer for problem in wrong.problems] == ["/pageSize"]


@pytest.mark.parametrize(
    ("call", "pointer", "words"),
    [
        (lambda files: files.get(fileId="x", colour="red"), "/colour", "unknown"),
        (lambda files: files.get(), "/fileId", "is missing"),
        (lambda files: files.list(corpus="moon"), "/corpus", "is not an allowed value"),
    ],
)
def test_parameters_that_do_not_fit(
    pipeline: Pipeline, dead: str, call: Callable[[Any], object], pointer: str, words: str
) -> None:
    error = classified(pipeline, lambda: drive(dead, call))

    assert (type(error), error.effect) == (ToolArgumentError, "none")
    assert [(problem.pointer, problem.message) for problem in error.problems] == [(pointer, words)]


def test_a_type_error_of_the_tool_is_not_googles(pipeline: Pipeline) -> None:
    error = pipeline.classify(TypeError("Got an unexpected keyword argument colour"))

    assert error is not None
    assert error.provider is None


def test_an_api_that_there_is_not(pipeline: Pipeline) -> None:
    error = classified(pipeline, lambda: build("moon", "v9", developerKey="k", static_discovery=True))

    assert type(error) is ToolArgumentError


@pytest.mark.parametrize(
    ("code", "reason", "cls"),
    [
        (403, "forbidden", ToolPermissionError),
        (404, "notFound", ResourceNotFoundError),
        (409, "conflict", ResourceConflictError),
        (412, "conditionNotMet", ResourceConflictError),
        (429, "rateLimitExceeded", ToolRateLimitError),
    ],
)
def test_cloud_storage(pipeline: Pipeline, serve: Serve, code: int, reason: str, cls: type[ToolError]) -> None:
    body = legacy(code, reason)

    def call() -> None:
        options = {"api_endpoint": serve(code, body)}
        client = storage.Client(project="p", credentials=AnonymousCredentials(), client_options=options)
        try:
            client.bucket("data").blob("reports/q3.csv").reload(retry=None)
        finally:
            client.close()

    error = classified(pipeline, call)

    assert (type(error), error.http_status) == (cls, code)
    assert error.resource == ("reports/q3.csv" if cls in (ResourceNotFoundError, ResourceConflictError) else None)


def test_an_object_and_its_bucket_are_told_apart(pipeline: Pipeline, serve: Serve) -> None:
    """The answer names both; the object is what is missing."""
    given = {"bucket": "data", "name": "reports/q3.csv"}

    error = classified(pipeline, api_core(serve, rpc(404, "NOT_FOUND", "No such object: data/reports/q3.csv")), given)

    assert error.resource == "reports/q3.csv"


@pytest.mark.parametrize(
    ("status", "cls"),
    [
        ("OVER_QUERY_LIMIT", ToolRateLimitError),
        ("OVER_DAILY_LIMIT", ToolQuotaError),
        ("REQUEST_DENIED", ToolAuthenticationError),
        ("INVALID_REQUEST", ToolArgumentError),
        ("NOT_FOUND", ResourceNotFoundError),
        ("UNKNOWN_ERROR", ToolUnavailableError),
        ("SOMETHING_NEW", ToolExecutionError),
    ],
)
def test_maps(pipeline: Pipeline, serve: Serve, status: str, cls: type[ToolError]) -> None:
    url = serve(200, {"status": status, "error_message": "no"})
    maps = googlemaps.Client(key="AIzaX", base_url=url, retry_over_query_limit=False)

    error = classified(pipeline, lambda: maps.geocode("Paris"))

    assert type(error) is cls


def test_maps_with_an_http_status(pipeline: Pipeline, serve: Serve) -> None:
    maps = googlemaps.Client(key="AIzaX", base_url=serve(403, {}))

    error = classified(pipeline, lambda: maps.geocode("Paris"))

    assert (type(error), error.http_status) == (ToolPermissionError, 403)


@pytest.mark.parametrize(
    ("body", "cls"),
    [
        (rpc(403, "PERMISSION_DENIED"), ToolPermissionError),
        (rpc(404, "NOT_FOUND", "Requested entity was not found."), ResourceNotFoundError),
        (
            rpc(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Read requests' per minute"),
            ToolRateLimitError,
        ),
    ],
)
def test_sheets(pipeline: Pipeline, serve: Serve, body: dict[str, Any], cls: type[ToolError]) -> None:
    answer = requests.get(serve(body["error"]["code"], body), timeout=5)

    error = pipeline.classify(gspread.exceptions.APIError(answer))

    assert error is not None
    assert (type(error), error.http_status, error.provider) == (cls, body["error"]["code"], "google")


@pytest.mark.parametrize(
    ("raised", "cls", "resource"),
    [
        (gspread.exceptions.WorksheetNotFound("Q3"), ResourceNotFoundError, "Q3"),
        (gspread.exceptions.SpreadsheetNotFound(), ResourceNotFoundError, None),
        (gspread.exceptions.NoValidUrlKeyFound(), ToolArgumentError, None),
        (gspread.exceptions.IncorrectCellLabel("ZZ"), ToolArgumentError, None),
    ],
)
def test_sheets_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError], resource: str | None) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.resource, error.provider) == (cls, resource, "google")


@pytest.mark.parametrize(
    ("raised", "cls"),
    [
        (firebase.NotFoundError("no"), ResourceNotFoundError),
        (firebase.AlreadyExistsError("no"), ResourceConflictError),
        (firebase.InvalidArgumentError("no"), ToolArgumentError),
        (firebase.UnauthenticatedError("no"), ToolAuthenticationError),
        (firebase.PermissionDeniedError("no"), ToolPermissionError),
        (firebase.ResourceExhaustedError("no"), ToolRateLimitError),
        (firebase.UnavailableError("no"), ToolUnavailableError),
        (firebase.DeadlineExceededError("no"), ToolTimeoutError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.__name__,
)
def test_firebase(pipeline: Pipeline, raised: Exception, cls: type[ToolError]) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.provider) == (cls, "google")


def test_the_model_reads_it(serve: Serve) -> None:
    """From the exception to the words, as the README promises."""
    import mulligan_google

    url = serve(404, legacy(404, "notFound", "File not found: 1AbC."))

    def read_file(file_id: str) -> None:
        drive(url, lambda files: files.get(fileId=file_id))

    with Pipeline([read_file], plugins=[mulligan_google], autoload=False) as calling:
        content = calling.call("read_file", {"file_id": "1AbC"}).content

    assert content.startswith("Error executing tool read_file: Resource not found: 1AbC. Or the account cannot see it.")


def test_libraries_that_fail_by_themselves(pipeline: Pipeline) -> None:
    error = pipeline.classify(InvalidJsonError("x"))

    assert (type(error), error.provider) == (ToolExecutionError, "google")


@pytest.mark.parametrize("body", ["", "[]", '[{"error": {"message": "no"}}]', "<html>"])
def test_a_body_of_another_form_leaves_the_status(pipeline: Pipeline, serve: Serve, body: str) -> None:
    def call() -> None:
        raise exceptions.from_http_response(requests.get(f"{serve(404, body)}/v1/topics/news", timeout=5))

    error = pipeline.classify(raised_by(call))

    assert (type(error), error.http_status, error.resource) == (ResourceNotFoundError, 404, "/v1/topics/news")


def test_details_that_are_no_details(pipeline: Pipeline) -> None:
    class Odd:
        violations = 3

        @property
        def reason(self) -> str:
            raise RuntimeError

    error = pipeline.classify(exceptions.ResourceExhausted("slow", details=[Odd(), 3, None]))

    assert (type(error), error.provider) == (ToolRateLimitError, "google")
