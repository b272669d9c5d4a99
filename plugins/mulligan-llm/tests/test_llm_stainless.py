"""openai, anthropic, groq, together and litellm: the real clients over answers of the documented form."""

from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import groq
import httpx
import openai
import pytest
import together

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
Ask = Callable[..., object]
MESSAGES: Any = [{"role": "user", "content": "hi"}]


def ask_openai(url: str, timeout: float = 5) -> None:
    with openai.OpenAI(api_key="sk-x", base_url=f"{url}/v1", max_retries=0, timeout=timeout) as client:
        client.chat.completions.create(model="gpt-x", messages=MESSAGES)


def ask_anthropic(url: str, timeout: float = 5) -> None:
    with anthropic.Anthropic(api_key="k", base_url=url, max_retries=0, timeout=timeout) as client:
        client.messages.create(model="claude-x", max_tokens=9, messages=MESSAGES)


def ask_groq(url: str, timeout: float = 5) -> None:
    with groq.Groq(api_key="k", base_url=url, max_retries=0, timeout=timeout) as client:
        client.chat.completions.create(model="llama-x", messages=MESSAGES)


def ask_together(url: str, timeout: float = 5) -> None:
    with together.Together(api_key="k", base_url=url, max_retries=0, timeout=timeout) as client:
        client.chat.completions.create(model="llama-x", messages=MESSAGES)


CLIENTS = {"openai": ask_openai, "anthropic": ask_anthropic, "groq": ask_groq, "together": ask_together}


def raised_by(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    return pytest.fail("nothing was raised")


def classified(
    pipeline: Pipeline, call: Callable[[], object], provider: str, arguments: dict[str, Any] | None = None
) -> ToolError:
    error = pipeline.classify(raised_by(call), tool="ask", arguments=arguments)
    assert error is not None
    assert error.provider == provider
    return error


def openai_error(message: str, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def anthropic_error(kind: str, message: str = "no", **more: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message, **more}, "request_id": "r"}


@pytest.mark.parametrize(
    ("status", "kind", "code", "cls"),
    [
        (401, "invalid_request_error", "invalid_api_key", ToolAuthenticationError),
        (401, "invalid_request_error", "account_deactivated", ToolAuthenticationError),
        (403, "invalid_request_error", "unsupported_country_region_territory", ToolPermissionError),
        (404, "invalid_request_error", "model_not_found", ResourceNotFoundError),
        (400, "invalid_request_error", "previous_response_not_found", ResourceNotFoundError),
        (400, "invalid_request_error", "context_length_exceeded", ToolArgumentError),
        (400, "invalid_request_error", "content_policy_violation", ToolArgumentError),
        (400, "invalid_request_error", None, ToolArgumentError),
        (400, "invalid_request_error", "billing_hard_limit_reached", ToolQuotaError),
        (409, "invalid_request_error", None, ResourceConflictError),
        (422, "invalid_request_error", None, ToolArgumentError),
        (429, "requests", "rate_limit_exceeded", ToolRateLimitError),
        (429, "tokens", None, ToolRateLimitError),
        (429, "insufficient_quota", "insufficient_quota", ToolQuotaError),
        (429, "insufficient_quota", "billing_not_active", ToolQuotaError),
        (500, "server_error", None, ToolUnavailableError),
        (503, "server_error", "slow_down", ToolRateLimitError),
        (503, "server_error", None, ToolUnavailableError),
        (504, None, None, ToolTimeoutError),
    ],
)
def test_openai_answers(
    pipeline: Pipeline, serve: Serve, status: int, kind: str, code: str | None, cls: type[ToolError]
) -> None:
    error = classified(pipeline, lambda: ask_openai(serve(status, openai_error("no", kind, code))), "openai")

    assert (type(error), error.http_status, error.fatal) == (cls, status, cls.fatal)
    assert error.rule == "mulligan_llm:answered"


@pytest.mark.parametrize(
    ("status", "kind", "cls"),
    [
        (400, "invalid_request_error", ToolArgumentError),
        (401, "authentication_error", ToolAuthenticationError),
        (402, "billing_error", ToolQuotaError),
        (403, "permission_error", ToolPermissionError),
        (404, "not_found_error", ResourceNotFoundError),
        (413, "request_too_large", ToolArgumentError),
        (429, "rate_limit_error", ToolRateLimitError),
        (500, "api_error", ToolUnavailableError),
        (504, "timeout_error", ToolTimeoutError),
        (529, "overloaded_error", ToolUnavailableError),
    ],
)
def test_anthropic_answers(pipeline: Pipeline, serve: Serve, status: int, kind: str, cls: type[ToolError]) -> None:
    error = classified(pipeline, lambda: ask_anthropic(serve(status, anthropic_error(kind))), "anthropic")

    assert (type(error), error.http_status, error.fatal) == (cls, status, cls.fatal)


@pytest.mark.parametrize(
    ("status", "kind", "code", "cls"),
    [
        (429, "rate_limit_error", "enforced_spend_limit_reached", ToolQuotaError),
        (429, "rate_limit_error", "ramp_limit_exceeded", ToolRateLimitError),
        (400, "invalid_request_error", "storage_quota_exceeded", ToolQuotaError),
        (400, "invalid_request_error", "user_profile_not_found", ResourceNotFoundError),
        (400, "invalid_request_error", "invite_already_exists", ResourceConflictError),
        (403, "permission_error", "api_key_scope_missing", ToolPermissionError),
    ],
)
def test_anthropic_says_more_in_its_details(
    pipeline: Pipeline, serve: Serve, status: int, kind: str, code: str, cls: type[ToolError]
) -> None:
    body = anthropic_error(kind, details={"error_code": code})

    error = classified(pipeline, lambda: ask_anthropic(serve(status, body)), "anthropic")

    assert type(error) is cls


def test_a_credit_that_is_too_low_is_told_in_words_only(pipeline: Pipeline, serve: Serve) -> None:
    body = anthropic_error("invalid_request_error", "Your credit balance is too low to access this API.")

    error = classified(pipeline, lambda: ask_anthropic(serve(400, body)), "anthropic")

    assert (type(error), error.fatal) == (ToolQuotaError, True)


def test_an_error_inside_a_stream_has_no_status(pipeline: Pipeline, serve: Serve) -> None:
    event = 'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n'
    url = serve(200, event, {"Content-Type": "text/event-stream"})

    def stream() -> None:
        with anthropic.Anthropic(api_key="k", base_url=url, max_retries=0) as client:
            list(client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True))

    error = classified(pipeline, stream, "anthropic")

    assert (type(error), error.http_status) == (ToolUnavailableError, None)


def test_openai_inside_a_stream(pipeline: Pipeline, serve: Serve) -> None:
    event = 'data: {"error": {"message": "slow", "type": "requests", "code": "rate_limit_exceeded", "param": null}}\n\n'
    url = serve(200, event, {"Content-Type": "text/event-stream"})

    def stream() -> None:
        with openai.OpenAI(api_key="k", base_url=url, max_retries=0) as client:
            list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))

    error = classified(pipeline, stream, "openai")

    assert (type(error), error.http_status) == (ToolRateLimitError, None)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "20"}, 20),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}, 90),
    ],
)
def test_how_long_to_wait(pipeline: Pipeline, serve: Serve, headers: dict[str, str], seconds: float) -> None:
    body = openai_error("slow", "requests", "rate_limit_exceeded")

    error = classified(pipeline, lambda: ask_openai(serve(429, body, headers)), "openai")

    assert error.retry_after == seconds


@pytest.mark.parametrize(
    ("message", "resource"),
    [
        ("The model `gpt-x` does not exist or you do not have access to it.", "gpt-x"),
        ("No such File object: file-abc", "file-abc"),
        ("There is nothing here", None),
    ],
)
def test_what_openai_does_not_have(pipeline: Pipeline, serve: Serve, message: str, resource: str | None) -> None:
    error = classified(
        pipeline, lambda: ask_openai(serve(404, openai_error(message, "invalid_request_error"))), "openai"
    )

    assert (type(error), error.resource) == (ResourceNotFoundError, resource)


def test_what_anthropic_does_not_have_is_the_argument_that_it_names(pipeline: Pipeline, serve: Serve) -> None:
    body = anthropic_error("not_found_error", "model: claude-x-20990101")

    error = classified(
        pipeline, lambda: ask_anthropic(serve(404, body)), "anthropic", {"prompt": "hi", "model": "claude-x-20990101"}
    )

    assert (error.resource, error.message) == ("claude-x-20990101", "Resource not found: claude-x-20990101")


def test_the_field_that_is_wrong(pipeline: Pipeline, serve: Serve) -> None:
    by_param = openai_error("no", "invalid_request_error", "invalid_value", "messages[0].content")
    in_words = anthropic_error("invalid_request_error", "messages.0.content: Input should be a valid list")

    first = classified(pipeline, lambda: ask_openai(serve(400, by_param)), "openai")
    second = classified(pipeline, lambda: ask_anthropic(serve(400, in_words)), "anthropic")

    assert [error.problems[0].pointer for error in (first, second)] == ["/messages/0/content"] * 2


@pytest.mark.parametrize("provider", CLIENTS)
def test_nobody_listens(pipeline: Pipeline, dead: str, provider: str) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](dead), provider)

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert error.rule == "mulligan_llm:disconnected"


@pytest.mark.parametrize("provider", CLIENTS)
def test_no_answer_in_time(pipeline: Pipeline, serve: Serve, provider: str) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](serve(delay=20), timeout=0.2), provider)

    assert (type(error), error.fatal, error.effect) == (ToolTimeoutError, False, "possible")
    assert error.rule == "mulligan_llm:timed_out"


@pytest.mark.parametrize("provider", CLIENTS)
def test_a_dropped_connection(pipeline: Pipeline, serve: Serve, provider: str) -> None:
    error = classified(pipeline, lambda: CLIENTS[provider](serve(drop=True)), provider)

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


@pytest.mark.parametrize("provider", ["groq", "together"])
@pytest.mark.parametrize(
    ("status", "code", "cls"),
    [
        (401, "invalid_api_key", ToolAuthenticationError),
        (404, "model_not_found", ResourceNotFoundError),
        (400, "model_decommissioned", ResourceNotFoundError),
        (400, "tool_use_failed", ToolArgumentError),
        (400, "organization_restricted", ToolPermissionError),
        (429, "rate_limit_exceeded", ToolRateLimitError),
        (503, "service_unavailable", ToolUnavailableError),
    ],
)
def test_other_services_of_that_shape(
    pipeline: Pipeline, serve: Serve, provider: str, status: int, code: str, cls: type[ToolError]
) -> None:
    body = openai_error("no", "invalid_request_error", code)

    error = classified(pipeline, lambda: CLIENTS[provider](serve(status, body)), provider)

    assert (type(error), error.http_status) == (cls, status)


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI", "ANTHROPIC", "GROQ", "TOGETHER", "GEMINI", "GOOGLE"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    return None


@pytest.mark.parametrize(
    ("client", "provider"), [(openai.OpenAI, "openai"), (groq.Groq, "groq"), (together.Together, "together")]
)
def test_no_key_is_set(pipeline: Pipeline, no_keys: None, client: Callable[[], object], provider: str) -> None:
    error = classified(pipeline, client, provider)

    assert (type(error), error.fatal, error.effect) == (ToolAuthenticationError, True, "none")


def test_anthropic_says_so_with_a_plain_exception(
    pipeline: Pipeline, no_keys: None, dead: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    def ask() -> None:
        with anthropic.Anthropic(base_url=dead, max_retries=0) as client:
            client.messages.create(model="m", max_tokens=9, messages=MESSAGES)

    error = classified(pipeline, ask, "anthropic")

    assert type(error) is ToolAuthenticationError


def test_an_answer_that_was_cut(pipeline: Pipeline, serve: Serve) -> None:
    import pydantic

    class Answer(pydantic.BaseModel):
        x: int

    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": '{"x"'}}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-x", "choices": [choice]}

    def parse() -> None:
        with openai.OpenAI(api_key="k", base_url=serve(200, body), max_retries=0) as client:
            client.chat.completions.parse(model="gpt-x", messages=MESSAGES, response_format=Answer)

    error = classified(pipeline, parse, "openai")

    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_llm:other")


def test_a_value_error_of_the_tool_is_not_about_a_key(pipeline: Pipeline) -> None:
    error = pipeline.classify(ValueError("no api_key is set in the settings"))

    assert error is not None
    assert error.provider is None


LITELLM = pytest.mark.filterwarnings("ignore")


@LITELLM
@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (401, "no", ToolAuthenticationError),
        (404, "The model `m` does not exist", ResourceNotFoundError),
        (400, "This model's maximum context length is 9 tokens", ToolArgumentError),
        (429, "slow", ToolRateLimitError),
        (500, "no", ToolUnavailableError),
        (503, "no", ToolUnavailableError),
    ],
)
def test_litellm(
    pipeline: Pipeline, serve: Serve, monkeypatch: pytest.MonkeyPatch, status: int, message: str, cls: type[ToolError]
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    url = serve(status, openai_error(message, "invalid_request_error"))

    error = classified(
        pipeline,
        lambda: litellm.completion("openai/m", MESSAGES, api_base=url, api_key="k", num_retries=0, max_retries=0),
        "openai",
    )

    assert (type(error), error.http_status) == (cls, status)


@LITELLM
def test_litellm_by_itself(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm.exceptions import BudgetExceededError, PaymentRequiredError, Timeout
    from litellm.types.router import RouterRateLimitError

    budget = pipeline.classify(BudgetExceededError(current_cost=2, max_budget=1))
    payment = pipeline.classify(PaymentRequiredError("no", "m", "groq"))
    rest = pipeline.classify(
        RouterRateLimitError(model="m", cooldown_time=5, enable_pre_call_checks=False, cooldown_list=[])
    )

    assert [type(error) for error in (budget, payment, rest)] == [ToolQuotaError, ToolQuotaError, ToolRateLimitError]
    assert (payment.provider, rest.retry_after) == ("groq", 5)
    late = pipeline.classify(Timeout("late", "m", "groq"))  # without a cause
    assert (type(late), late.fatal, late.message) == (ToolTimeoutError, False, "Groq did not respond in time.")


def test_the_model_reads_what_to_do(serve: Serve) -> None:
    """From the exception to the words, as the README promises."""
    import mulligan_llm

    url = serve(429, openai_error("slow", "requests", "rate_limit_exceeded"), {"Retry-After": "20"})

    def ask(question: str) -> None:
        ask_openai(url)

    with Pipeline([ask], plugins=[mulligan_llm], autoload=False) as calling:
        content = calling.call("ask", {"question": "hi"}).content

    assert content.startswith("Error executing tool ask: The rate limit of OpenAI is reached (rate_limit_exceeded).")
    assert "20 s" in content


@pytest.mark.parametrize(("body", "kind"), [('{"id": ', "application/json"), ("Welcome!", "text/plain")])
def test_an_answer_of_another_form(pipeline: Pipeline, serve: Serve, body: str, kind: str) -> None:
    def ask() -> None:
        url = serve(200, body, {"Content-Type": kind})
        with openai.OpenAI(api_key="k", base_url=url, max_retries=0, _strict_response_validation=True) as client:
            client.models.list()

    error = pipeline.classify(raised_by(ask))

    assert error is not None
    assert type(error) is ToolExecutionError
    assert kind == "application/json" or error.message == "OpenAI sent an unexpected response."


@pytest.mark.parametrize(
    ("raised", "cls", "provider"),
    [
        (openai.WebSocketConnectionClosedError("x", unsent_messages=[]), ToolConnectionError, "openai"),
        (openai.InvalidWebhookSignatureError("x"), ToolAuthenticationError, "openai"),
        (anthropic.CredentialsError("x"), ToolAuthenticationError, "anthropic"),
        (anthropic.AnthropicError("x"), ToolExecutionError, "anthropic"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError], provider: str) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.provider) == (cls, provider)


def test_credentials_that_are_not_set(pipeline: Pipeline) -> None:
    error = pipeline.classify(anthropic.CredentialsError("x"))

    assert error is not None
    assert error.message == "No usable credentials for Anthropic are set."


def test_a_file_that_the_sdk_refuses(pipeline: Pipeline) -> None:
    error = pipeline.classify(together.FileTypeError("a folder"))

    assert error is not None
    assert (type(error), error.effect, error.provider) == (ToolArgumentError, "none", "together")
    assert error.message == "The SDK rejected the file; nothing was sent."


@pytest.mark.parametrize(
    ("raised", "name"), [(groq.GroqError("x"), "Groq"), (together.TogetherError("x"), "Together AI")]
)
def test_any_other_failure_of_an_sdk_names_its_service(pipeline: Pipeline, raised: Exception, name: str) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.message) == (ToolExecutionError, f"The SDK of {name} failed.")


def test_no_connection_in_time(pipeline: Pipeline) -> None:
    request = httpx.Request("POST", "https://api.openai.com/v1")

    def ask() -> None:
        try:
            raise httpx.ConnectTimeout("late")
        except httpx.ConnectTimeout as error:
            raise openai.APITimeoutError(request) from error

    error = classified(pipeline, ask, "openai")

    assert (type(error), error.effect) == (ToolTimeoutError, "none")


def test_a_connection_that_failed_for_an_unknown_reason(pipeline: Pipeline) -> None:
    error = pipeline.classify(openai.APIConnectionError(request=httpx.Request("POST", "https://api.openai.com/v1")))

    assert error is not None
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "possible")


@pytest.mark.parametrize("body", ["", "[]", '[{"error": {"code": "invalid_api_key"}}]', '"no"', "{"])
def test_a_body_of_another_form_leaves_the_status(pipeline: Pipeline, serve: Serve, body: str) -> None:
    error = classified(pipeline, lambda: ask_openai(serve(401, body)), "openai")

    assert (type(error), error.http_status) == (ToolAuthenticationError, 401)
