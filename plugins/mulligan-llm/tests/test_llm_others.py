"""cohere, mistralai, google-genai, huggingface_hub, replicate, ollama: the real clients, each of a shape of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cohere
import httpx2
import ollama
import pytest
import replicate.exceptions
from google import genai
from huggingface_hub import HfApi, errors, hf_hub_download, repo_exists
from huggingface_hub.utils import hf_raise_for_status
from mistralai.client import Mistral
from mistralai.client.errors import NoResponseError
from test_llm_stainless import MESSAGES, classified

from mulligan import Pipeline
from mulligan.errors import (
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


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of these clients try again by themselves, with pauses."""
    monkeypatch.setattr("time.sleep", lambda _: None)


def ask_cohere(url: str, timeout: float = 5) -> None:
    client = cohere.ClientV2(api_key="x", base_url=url, timeout=timeout)
    try:
        client.chat(model="command-x", messages=MESSAGES, request_options={"max_retries": 0})
    finally:
        client._client_wrapper.httpx_client.httpx_client.close()


def ask_mistral(url: str, timeout: float = 5) -> None:
    with Mistral(api_key="x", server_url=url) as client:
        client.chat.complete(model="m", messages=MESSAGES, timeout_ms=int(timeout * 1_000))


def ask_gemini(url: str, timeout: float = 5) -> None:
    options = {"base_url": url, "timeout": int(timeout * 1_000), "retry_options": {"attempts": 1}}
    client = genai.Client(api_key="x", http_options=options)
    try:
        client.models.generate_content(model="gemini-x", contents="hi")
    finally:
        client.close()


def ask_ollama(url: str, timeout: float = 5) -> None:
    client = ollama.Client(host=url, timeout=timeout)
    try:
        client.chat("m", MESSAGES)
    finally:
        client._client.close()


def ask_replicate(url: str, timeout: float = 5) -> None:
    client = replicate.Client(api_token="x", base_url=url, timeout=timeout)
    try:
        client.models.get("acme/m")
    finally:
        client._client.close()


CLIENTS = {
    "cohere": ask_cohere,
    "mistral": ask_mistral,
    "google": ask_gemini,
    "ollama": ask_ollama,
    "replicate": ask_replicate,
}


@pytest.mark.parametrize("provider", CLIENTS)
@pytest.mark.parametrize(
    ("status", "cls"),
    [
        (400, ToolArgumentError),
        (401, ToolAuthenticationError),
        (403, ToolPermissionError),
        (404, ResourceNotFoundError),
        (422, ToolArgumentError),
        (500, ToolUnavailableError),
        (504, ToolTimeoutError),
    ],
)
def test_answers(pipeline: Pipeline, serve: Serve, provider: str, status: int, cls: type[ToolError]) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](serve(status, {"message": "no"})), provider)

    assert (type(error), error.http_status, error.fatal) == (cls, status, cls.fatal)


@pytest.mark.parametrize("provider", CLIENTS)
def test_nobody_listens(pipeline: Pipeline, dead: str, provider: str) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](dead), provider)

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


@pytest.mark.parametrize("provider", CLIENTS)
def test_no_answer_in_time(pipeline: Pipeline, serve: Serve, provider: str) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](serve(delay=20), timeout=0.2), provider)

    assert (type(error), error.fatal, error.effect) == (ToolTimeoutError, False, "possible")


@pytest.mark.parametrize("provider", CLIENTS)
def test_a_dropped_connection(pipeline: Pipeline, serve: Serve, provider: str) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](serve(drop=True)), provider)

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


# --- cohere


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (498, "invalid token", ToolAuthenticationError),
        (499, "request cancelled", ToolCancelledError),
        (429, "You are using a Trial key, which is limited to 1000 API calls / month.", ToolRateLimitError),
        (501, "no", ToolExecutionError),
    ],
)
def test_cohere(pipeline: Pipeline, serve: Serve, status: int, message: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, lambda: ask_cohere(serve(status, {"message": message})), "cohere")

    assert (type(error), error.http_status) == (cls, status)


def test_what_cohere_does_not_have(pipeline: Pipeline, serve: Serve) -> None:
    body = {"message": "model 'command-x' not found, make sure the correct model ID was used"}

    error = classified(pipeline, lambda: ask_cohere(serve(404, body)), "cohere")

    assert error.resource == "command-x"


# --- mistral


def test_mistral_names_the_fields(pipeline: Pipeline, serve: Serve) -> None:
    detail = {
        "type": "less_than_equal",
        "loc": ["body", "temperature"],
        "msg": "Input should be at most 1.5",
        "input": 9,
    }

    error = classified(pipeline, lambda: ask_mistral(serve(422, {"detail": [detail]})), "mistral")

    assert (type(error), error.problems[0].pointer) == (ToolArgumentError, "/temperature")


@pytest.mark.parametrize(
    ("status", "body", "cls"),
    [
        (
            400,
            {"object": "error", "message": "Invalid model: m", "type": "invalid_model", "code": "1500"},
            ToolArgumentError,
        ),
        (429, {"object": "error", "message": "slow", "type": "rate_limited", "code": "1300"}, ToolRateLimitError),
        (429, {"message": "no", "type": "service_tier_capacity_exceeded", "code": "3505"}, ToolRateLimitError),
        (402, {"detail": "no"}, ToolQuotaError),
    ],
)
def test_mistral(pipeline: Pipeline, serve: Serve, status: int, body: Any, cls: type[ToolError]) -> None:
    error = classified(pipeline, lambda: ask_mistral(serve(status, body)), "mistral")

    assert (type(error), error.http_status) == (cls, status)


def test_mistral_that_does_not_answer_or_answers_in_another_form(pipeline: Pipeline, serve: Serve) -> None:
    silent = pipeline.classify(NoResponseError())
    other = classified(pipeline, lambda: ask_mistral(serve(200, {"id": 3})), "mistral")

    assert (type(silent), silent.transient, silent.provider) == (ToolConnectionError, True, "mistral")
    assert type(other) is ToolExecutionError
    assert other.message == "Mistral sent an unexpected response."


# --- google-genai


def gemini(code: int, status: str, message: str = "no", *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "status": status, "message": message, "details": list(details)}}


QUOTA = {"@type": f"{RPC}QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}
RETRY = {"@type": f"{RPC}RetryInfo", "retryDelay": "34s"}


@pytest.mark.parametrize(
    ("body", "cls", "wait"),
    [
        (
            gemini(400, "INVALID_ARGUMENT", "no", {"@type": f"{RPC}ErrorInfo", "reason": "API_KEY_INVALID"}),
            ToolAuthenticationError,
            None,
        ),
        (gemini(403, "PERMISSION_DENIED"), ToolPermissionError, None),
        (gemini(429, "RESOURCE_EXHAUSTED", "no", QUOTA), ToolQuotaError, None),
        (gemini(429, "RESOURCE_EXHAUSTED", "no", QUOTA, RETRY), ToolRateLimitError, 34),
        (gemini(429, "RESOURCE_EXHAUSTED"), ToolRateLimitError, None),
        (gemini(503, "UNAVAILABLE", "The model is overloaded."), ToolUnavailableError, None),
    ],
)
def test_gemini(pipeline: Pipeline, serve: Serve, body: Any, cls: type[ToolError], wait: float | None) -> None:
    error = classified(pipeline, lambda: ask_gemini(serve(body["error"]["code"], body)), "google")

    assert (type(error), error.http_status, error.retry_after) == (cls, body["error"]["code"], wait)


def test_gemini_names_models_and_fields(pipeline: Pipeline, serve: Serve) -> None:
    missing = gemini(404, "NOT_FOUND", "models/gemini-x is not found for API version v1beta")
    wrong = gemini(
        400, "INVALID_ARGUMENT", "no", {"@type": f"{RPC}BadRequest", "fieldViolations": [{"field": "contents[0].role"}]}
    )

    first = classified(pipeline, lambda: ask_gemini(serve(404, missing)), "google")
    second = classified(pipeline, lambda: ask_gemini(serve(400, wrong)), "google")

    assert first.resource == "models/gemini-x"
    assert second.problems[0].pointer == "/contents/0/role"


def test_gemini_that_answers_in_another_form(pipeline: Pipeline) -> None:
    error = pipeline.classify(genai.errors.UnknownApiResponseError("x"))

    assert (type(error), error.provider) == (ToolExecutionError, "google")


def test_gemini_without_a_key(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    error = classified(pipeline, genai.Client, "google")

    assert type(error) is ToolAuthenticationError


# --- huggingface_hub


def hub(serve: Serve, status: int, headers: dict[str, str], body: Any = None) -> Callable[[], object]:
    return lambda: HfApi(endpoint=serve(status, body or {"error": "no"}, headers), token="hf_x").model_info(
        "acme/m", timeout=3
    )


@pytest.mark.parametrize(
    ("status", "headers", "cls", "resource"),
    [
        (404, {"X-Error-Code": "RepoNotFound"}, ResourceNotFoundError, "acme/m"),
        (404, {"X-Error-Code": "RevisionNotFound"}, ResourceNotFoundError, "acme/m"),
        (401, {"X-Error-Message": "Invalid credentials in Authorization header"}, ToolAuthenticationError, None),
        (403, {"X-Error-Code": "GatedRepo"}, ToolPermissionError, "acme/m"),
        (401, {"X-Error-Code": "GatedRepo"}, ToolAuthenticationError, "acme/m"),
        (403, {"X-Error-Message": "Access to this resource is disabled."}, ToolPermissionError, None),
        (403, {}, ToolPermissionError, None),
        (429, {"RateLimit": '"api";r=0;t=55'}, ToolRateLimitError, None),
        (400, {}, ToolArgumentError, None),
        (502, {}, ToolUnavailableError, None),
    ],
)
def test_the_hub(
    pipeline: Pipeline, serve: Serve, status: int, headers: dict[str, str], cls: type[ToolError], resource: str | None
) -> None:
    error = classified(pipeline, hub(serve, status, headers), "huggingface")

    assert (type(error), error.http_status, error.resource) == (cls, status, resource)
    assert error.retry_after == (55 if status == 429 else None)


def test_a_model_that_is_loading_says_how_long(pipeline: Pipeline, serve: Serve) -> None:
    body = {"error": "Model acme/m is currently loading", "estimated_time": 20.5}

    error = classified(pipeline, hub(serve, 503, {}, body), "huggingface")

    assert (type(error), error.retry_after) == (ToolUnavailableError, 20.5)


def test_the_hub_says_401_of_missing_repositories(pipeline: Pipeline) -> None:
    answer = httpx2.Response(401, request=httpx2.Request("GET", "https://huggingface.co/api/models/acme/m"))

    error = classified(pipeline, lambda: hf_raise_for_status(answer), "huggingface")

    assert (type(error), error.resource, error.fatal) == (ResourceNotFoundError, "acme/m", False)


def test_a_file_that_the_hub_does_not_have(pipeline: Pipeline, serve: Serve, tmp_path: Path) -> None:
    url = serve(404, "", {"X-Error-Code": "EntryNotFound"})

    error = classified(
        pipeline, lambda: hf_hub_download("acme/m", "a/config.json", endpoint=url, cache_dir=tmp_path), "huggingface"
    )

    assert (type(error), error.resource) == (ResourceNotFoundError, "a/config.json")
    assert "not visible with these credentials" in error.message


def test_a_file_that_is_not_cached(pipeline: Pipeline, dead: str, tmp_path: Path) -> None:
    def download(**options: Any) -> Callable[[], object]:
        return lambda: hf_hub_download("acme/m", "config.json", cache_dir=tmp_path, **options)

    absent = classified(pipeline, download(local_files_only=True), "huggingface")
    unreachable = classified(pipeline, download(endpoint=dead), "huggingface")

    assert (type(absent), absent.fatal) == (ResourceNotFoundError, False)
    assert (type(unreachable), unreachable.fatal) == (ToolConnectionError, True)


def test_a_name_that_the_sdk_refuses(pipeline: Pipeline) -> None:
    error = classified(pipeline, lambda: repo_exists("a b/c/d"), "huggingface")

    assert (type(error), error.effect) == (ToolArgumentError, "none")


@pytest.mark.parametrize(
    ("raised", "cls"),
    [
        (errors.LocalTokenNotFoundError("x"), ToolAuthenticationError),
        (errors.DeviceCodeError("x"), ToolAuthenticationError),
        (errors.OfflineModeIsEnabled("x"), ToolConnectionError),
        (errors.InferenceTimeoutError("x"), ToolTimeoutError),
        (errors.InferenceEndpointTimeoutError("x"), ToolTimeoutError),
        (errors.InferenceEndpointError("x"), ToolExecutionError),
        (errors.OverloadedError("x"), ToolUnavailableError),
        (errors.ValidationError("x"), ToolArgumentError),
        (errors.GenerationError("x"), ToolExecutionError),
        (errors.CacheNotFound("x", cache_dir="/cache"), ResourceNotFoundError),
        (errors.SandboxError("x"), ToolExecutionError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.__name__,
)
def test_what_the_hubs_sdk_raises_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError]) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.provider) == (cls, "huggingface")


# --- replicate and ollama


def test_a_model_that_fails_on_replicate(pipeline: Pipeline) -> None:
    class Prediction:
        error = "CUDA out of memory"

    error = pipeline.classify(replicate.exceptions.ModelError(Prediction()))

    assert (type(error), error.provider) == (ToolExecutionError, "replicate")


def test_what_ollama_does_not_have(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(pipeline, lambda: ask_ollama(serve(404, {"error": "model 'm9' not found"})), "ollama")

    assert (type(error), error.resource) == (ResourceNotFoundError, "m9")


def test_pythons_own_connection_error_from_elsewhere_is_not_ollamas(pipeline: Pipeline) -> None:
    error = pipeline.classify(ConnectionError("Failed to connect to Ollama"))

    assert error is not None
    assert error.provider is None
