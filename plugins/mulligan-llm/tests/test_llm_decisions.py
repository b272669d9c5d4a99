"""What a careful engineer reads in the answers of model services, beyond the status."""

from collections.abc import Callable, Mapping
from typing import Any

import anthropic
import groq
import httpx
import httpx2
import ollama
import openai
import pytest
import replicate.exceptions
from cohere.core.api_error import ApiError
from google.genai import errors as genai
from huggingface_hub import errors as hub
from mistralai.client.errors import SDKError
from test_llm_stainless import anthropic_error, openai_error

from mulligan import Pipeline
from mulligan.errors import (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolUnavailableError,
)

OPENAI = "https://api.openai.com/v1/chat/completions"
CLIENTS: Mapping[str, Callable[..., Any]] = {
    "openai": openai.OpenAI,
    "anthropic": anthropic.Anthropic,
    "groq": groq.Groq,
}


def answered(sdk: str, status: int, body: object, url: str = OPENAI) -> Exception:
    """The exception that the SDK makes of an answer."""
    response = httpx.Response(status, request=httpx.Request("POST", url), json=body)
    with CLIENTS[sdk](api_key="k") as client:
        raised: Exception = client._make_status_error_from_response(response)
    return raised


def classified(pipeline: Pipeline, raised: Exception, **arguments: Any) -> ToolError:
    error = pipeline.classify(raised, tool="ask", arguments=arguments)
    assert error is not None
    assert (error.rule or "").startswith("mulligan_llm:")
    return error


TPM = "for m in organization o on tokens per min (TPM): "


@pytest.mark.parametrize(
    ("sdk", "status", "message", "cls", "wait"),
    [
        (
            "openai",
            429,
            f"Request too large {TPM}Limit 30000, Requested 50000. The input or output tokens must be reduced.",
            ToolArgumentError,
            None,
        ),
        ("openai", 429, f"Over the limit {TPM}Limit 30000, Requested 50000.", ToolArgumentError, None),
        ("groq", 413, f"Request too large {TPM}Limit 6000, Requested 7000, please reduce.", ToolArgumentError, None),
        (
            "openai",
            429,
            f"Rate limit reached {TPM}Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
            ToolRateLimitError,
            2,
        ),
    ],
)
def test_a_request_that_alone_exceeds_the_limit_is_an_argument(
    pipeline: Pipeline, sdk: str, status: int, message: str, cls: type[ToolError], wait: float | None
) -> None:
    error = classified(pipeline, answered(sdk, status, openai_error(message, "tokens", "rate_limit_exceeded")))

    assert (type(error), error.effect, error.retry_after, error.fatal) == (cls, "none", wait, False)


@pytest.mark.parametrize(
    ("message", "cls"),
    [
        ("You have reached your specified API usage limits. You will regain access on 2026-12-01.", ToolQuotaError),
        ("This organization has been disabled.", ToolPermissionError),
        ("The tool asks which organization has been chosen.", ToolArgumentError),
    ],
)
def test_a_400_that_no_arguments_can_mend(pipeline: Pipeline, message: str, cls: type[ToolError]) -> None:
    body = anthropic_error("invalid_request_error", message)

    error = classified(pipeline, answered("anthropic", 400, body, "https://api.anthropic.com/v1/messages"))

    assert (type(error), error.fatal, error.provider) == (cls, cls.fatal, "anthropic")


def test_a_text_that_is_too_long(pipeline: Pipeline) -> None:
    body = anthropic_error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")

    error = classified(pipeline, answered("anthropic", 400, body, "https://api.anthropic.com/v1/messages"))

    assert error.message == "The request is too large for Anthropic (HTTP 400)."


@pytest.mark.parametrize(
    ("url", "provider", "named"),
    [
        (OPENAI, "openai", "OpenAI"),
        ("https://acme.openai.azure.com/openai/deployments/m", "azure", "Azure"),
        ("https://openrouter.ai/api/v1/chat/completions", "openrouter", "OpenRouter"),
        ("https://api.deepseek.com/chat/completions", "deepseek", "DeepSeek"),
        ("https://notopenrouter.ai/v1", "openai", "OpenAI"),
        ("http://127.0.0.1:8000/v1", "openai", "OpenAI"),
    ],
)
def test_the_service_is_the_one_that_was_asked(pipeline: Pipeline, url: str, provider: str, named: str) -> None:
    error = classified(pipeline, answered("openai", 401, openai_error("no", "x", "invalid_api_key"), url))

    assert (error.provider, error.message) == (provider, f"{named} rejected the credentials (invalid_api_key).")


def test_the_model_is_named_not_the_project(pipeline: Pipeline) -> None:
    body = openai_error("Project `proj_x` does not have access to model `gpt-5`", "x", "model_not_found")

    error = classified(pipeline, answered("openai", 403, body))

    assert (type(error), error.resource, error.fatal) == (ResourceNotFoundError, "gpt-5", False)


def test_the_argument_that_a_code_names(pipeline: Pipeline) -> None:
    body = {"object": "error", "message": "Invalid model: m9", "type": "invalid_model", "code": "1500"}
    response = httpx2.Response(400, request=httpx2.Request("POST", "https://api.mistral.ai/v1"), json=body)

    error = classified(pipeline, SDKError("API error occurred", response, response.text), model="m9", text="hi")

    assert [problem.pointer for problem in error.problems] == ["/model"]


@pytest.mark.parametrize(
    ("raised", "cls", "fatal", "provider"),
    [
        (ApiError(status_code=499, body={"message": "closed"}), ToolCancelledError, False, "cohere"),
        (
            genai.ClientError(499, {"error": {"code": 499, "status": "CANCELLED", "message": "no"}}),
            ToolCancelledError,
            False,
            "google",
        ),
        (
            genai.ClientError(
                400,
                {
                    "error": {
                        "code": 400,
                        "status": "FAILED_PRECONDITION",
                        "message": "User location is not supported for the API use.",
                    }
                },
            ),
            ToolPermissionError,
            True,
            "google",
        ),
        (genai.UnknownFunctionCallArgumentError("no"), ToolArgumentError, False, "google"),
        (genai.UnsupportedFunctionError("no"), ToolExecutionError, False, "google"),
        (
            ollama.ResponseError("model requires more system memory (10 GiB) than is available (4 GiB)", 500),
            ToolQuotaError,
            False,
            "ollama",
        ),
        (openai.WebSocketQueueFullError("no"), ToolUnavailableError, False, "openai"),
        (openai.ContentFilterFinishReasonError(), ToolArgumentError, False, "openai"),
        (hub.SafetensorsParsingError("no"), ToolExecutionError, False, "huggingface"),
        (hub.FileMetadataError("no"), ToolExecutionError, False, "huggingface"),
        (hub.EntryNotFoundError("no"), ResourceNotFoundError, False, "huggingface"),
        (replicate.exceptions.ReplicateException("no"), ToolExecutionError, False, "replicate"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_what_the_classes_mean(
    pipeline: Pipeline, raised: Exception, cls: type[ToolError], fatal: bool, provider: str
) -> None:
    error = classified(pipeline, raised)

    assert (type(error), error.fatal, error.provider) == (cls, fatal, provider)


def test_a_missing_model_of_replicate_is_the_argument(pipeline: Pipeline) -> None:
    missing = replicate.exceptions.ReplicateError(status=404, detail="The requested resource could not be found.")

    error = pipeline.classify(missing, tool="ask", arguments={"model": "acme/m"})

    assert error is not None
    assert (error.resource, error.provider) == ("acme/m", "replicate")


def test_a_signature_that_does_not_hold_is_no_missing_key(pipeline: Pipeline) -> None:
    error = classified(pipeline, openai.InvalidWebhookSignatureError("no"))

    assert (type(error), error.message) == (ToolAuthenticationError, "The signature of the webhook does not match.")


@pytest.mark.filterwarnings("ignore")
def test_litellm_by_class(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import exceptions as litellm

    quota = litellm.RateLimitError("You exceeded your current quota, please check your plan.", "openai", "m")
    unknown = litellm.APIConnectionError("'NoneType' object has no attribute 'x'", "vertex_ai", "m")
    blocked = litellm.GuardrailRaisedException("pii", "no")
    wrong = litellm.BadRequestError("no", "m", "azure")
    found = [classified(pipeline, one) for one in (quota, unknown, blocked, wrong)]

    assert [type(one) for one in found] == [ToolQuotaError, ToolExecutionError, ToolArgumentError, ToolArgumentError]
    assert [one.provider for one in found] == ["openai", "vertex_ai", "litellm", "azure"]
    assert [one.problems for one in found[2:]] == [(), ()]
    assert classified(pipeline, litellm.ModelNotMappedError("x")).message == "LiteLLM failed."


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "cls", "message"),
    [
        ("ContextWindowExceededError", ToolArgumentError, "The request is too large for OpenAI (HTTP 400)."),
        ("ContentPolicyViolationError", ToolArgumentError, "OpenAI refused the content (HTTP 400)."),
        ("ImageFetchError", ToolArgumentError, "OpenAI could not fetch the image (HTTP 400)."),
        ("UnsupportedParamsError", ToolArgumentError, "OpenAI rejected the arguments (HTTP 400)."),
        ("PaymentRequiredError", ToolQuotaError, "The quota or credit balance at OpenAI is exhausted (HTTP 402)."),
    ],
)
def test_a_class_of_litellm_says_more_than_its_status(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch, name: str, cls: type[ToolError], message: str
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import exceptions as litellm

    error = classified(pipeline, getattr(litellm, name)("no", model="m", llm_provider="openai"))

    assert (type(error), error.message) == (cls, message)


@pytest.mark.parametrize(
    ("raised", "quoted"),
    [
        (
            ApiError(status_code=422, body={"detail": [{"loc": ["body", "texts"], "msg": "too few texts"}]}),
            "texts: too few texts",
        ),
        (
            genai.ClientError(
                400,
                {
                    "error": {
                        "code": 400,
                        "status": "INVALID_ARGUMENT",
                        "message": "Invalid JSON payload.",
                        "details": [
                            {
                                "@type": "type.googleapis.com/google.rpc.BadRequest",
                                "fieldViolations": [{"field": "contents[0].role", "description": "Unknown role."}],
                            }
                        ],
                    }
                },
            ),
            "contents[0].role: Unknown role.",
        ),
    ],
    ids=["cohere", "google"],
)
def test_the_reason_of_each_field_is_quoted(pipeline: Pipeline, raised: Exception, quoted: str) -> None:
    result = pipeline.recover(raised)

    assert quoted in result.content


@pytest.mark.parametrize(
    ("ask", "pointers"),
    [
        (lambda client: client.chat.completions.create(), ["/messages", "/model"]),
        (lambda client: client.models.retrieve(""), ["/model"]),
        (lambda client: client.files.create(file=3, purpose="batch"), ["/file"]),
    ],
)
def test_what_the_sdk_refuses_to_send(pipeline: Pipeline, ask: Callable[[Any], object], pointers: list[str]) -> None:
    try:
        with openai.OpenAI(api_key="k", base_url="http://127.0.0.1:9") as client:
            ask(client)
    except Exception as raised:
        error = classified(pipeline, raised)

    assert (type(error), error.effect, error.provider) == (ToolArgumentError, "none", "openai")
    assert [problem.pointer for problem in error.problems] == pointers


def test_the_same_words_of_a_tool_are_not_the_sdks(pipeline: Pipeline) -> None:
    error = pipeline.classify(TypeError("Missing required arguments; Expected 'a'"))

    assert error is not None
    assert error.provider is None


def test_a_wrapped_exception_keeps_its_provider(pipeline: Pipeline) -> None:
    wrapped = RuntimeError("The summary failed.")
    wrapped.__cause__ = answered("openai", 429, openai_error("no", "insufficient_quota", "insufficient_quota"))

    for raised in (wrapped, ExceptionGroup("several", [ValueError("no"), wrapped])):
        error = classified(pipeline, raised)
        assert (type(error), error.provider) == (ToolQuotaError, "openai")
