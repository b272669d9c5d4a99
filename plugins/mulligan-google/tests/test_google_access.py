"""Credentials and connections of Google's libraries."""

from collections.abc import Callable
from pathlib import Path

import google.auth
import google.auth.exceptions
import google.auth.transport.requests
import google.oauth2.credentials
import googlemaps
import pytest
import requests
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from test_google_answers import classified, drive, raised_by

from mulligan import Pipeline
from mulligan.errors import (
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolTimeoutError,
    ToolUnavailableError,
)

Serve = Callable[..., str]


def test_no_credentials(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)

    error = classified(pipeline, google.auth.default)

    assert (type(error), error.fatal, error.rule) == (ToolAuthenticationError, True, "mulligan_google:missing")


def refresh(url: str) -> None:
    credentials = google.oauth2.credentials.Credentials(None, "r", token_uri=url, client_id="i", client_secret="s")
    request = google.auth.transport.requests.Request()
    try:
        credentials.refresh(request)
    finally:
        request.session.close()


def test_a_token_that_was_revoked(pipeline: Pipeline, serve: Serve) -> None:
    body = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}

    error = classified(pipeline, lambda: refresh(serve(400, body)))

    assert (type(error), error.fatal, error.effect) == (ToolAuthenticationError, True, "none")


def test_a_token_server_with_a_problem(pipeline: Pipeline, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)

    error = classified(pipeline, lambda: refresh(serve(503, {"error": "internal_failure"})))

    assert (type(error), error.fatal, error.effect) == (ToolUnavailableError, False, "none")


def test_a_token_server_that_cannot_be_reached(pipeline: Pipeline, dead: str) -> None:
    error = classified(pipeline, lambda: refresh(dead))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


@pytest.mark.parametrize(
    ("raised", "cls"),
    [
        (google.auth.exceptions.TimeoutError("x"), ToolTimeoutError),
        (google.auth.exceptions.MutualTLSChannelError("x"), ToolAuthenticationError),
        (google.auth.exceptions.MalformedError("x"), ToolAuthenticationError),
        (google.auth.exceptions.ReauthFailError("x"), ToolAuthenticationError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.__name__,
)
def test_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError]) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.provider) == (cls, "google")


def read_drive(url: str) -> None:
    drive(url, lambda files: files.get(fileId="x"))


def read_bucket(url: str) -> None:
    client = storage.Client(project="p", credentials=AnonymousCredentials(), client_options={"api_endpoint": url})
    try:
        client.bucket("data").reload(retry=None, timeout=0.5)
    finally:
        client.close()


def ask_maps(url: str) -> None:
    maps = googlemaps.Client(key="AIzaX", base_url=url, timeout=0.5)
    try:
        maps.geocode("Paris")
    finally:
        maps.session.close()


CALLS = {"drive": read_drive, "storage": read_bucket, "maps": ask_maps}


@pytest.mark.parametrize("name", CALLS)
def test_nobody_listens(pipeline: Pipeline, dead: str, name: str) -> None:
    error = classified(pipeline, lambda: CALLS[name](dead))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


@pytest.mark.parametrize("name", CALLS)
def test_no_answer_in_time(pipeline: Pipeline, serve: Serve, name: str) -> None:
    error = classified(pipeline, lambda: CALLS[name](serve(delay=20)))

    assert (type(error), error.fatal, error.effect) == (ToolTimeoutError, False, "possible")


@pytest.mark.parametrize("name", CALLS)
def test_a_dropped_connection(pipeline: Pipeline, serve: Serve, name: str) -> None:
    error = classified(pipeline, lambda: CALLS[name](serve(drop=True)))

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


def test_a_host_that_there_is_not(pipeline: Pipeline) -> None:
    error = classified(pipeline, lambda: read_drive("http://drive.example.invalid"))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


def test_a_missing_file_of_the_tool_is_not_googles(pipeline: Pipeline) -> None:
    error = pipeline.classify(raised_by(Path("/no/such/file").read_text))

    assert error is not None
    assert error.provider is None


def test_no_connection_in_time(pipeline: Pipeline) -> None:
    def fetch() -> None:
        try:
            raise requests.ConnectTimeout("late")
        except requests.ConnectTimeout as error:
            raise google.auth.exceptions.TransportError(error) from error

    error = classified(pipeline, fetch)

    assert (type(error), error.effect) == (ToolTimeoutError, "none")
