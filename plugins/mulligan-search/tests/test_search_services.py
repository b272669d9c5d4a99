"""Tavily, SerpApi, and DuckDuckGo."""

import ddgs
import ddgs.exceptions
import duckduckgo_search.exceptions
import pytest
import requests
import serpapi
import serpapi.http
import tavily
import tavily.errors
from conftest import Classify
from search_server import Serve, raised

from mulligan.errors import (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)


@pytest.mark.parametrize(
    ("status", "told", "cls", "fatal"),
    [
        (400, "Query is too long.", ToolArgumentError, False),
        (401, "Unauthorized: missing or invalid API key.", ToolAuthenticationError, True),
        (403, "URL is not supported", ToolArgumentError, False),
        (403, "This endpoint is closed to you.", ToolPermissionError, True),
        (429, "Your request has been blocked due to excessive requests.", ToolRateLimitError, False),
        (429, "This request exceeds your plan's set usage limit.", ToolQuotaError, True),
        (432, "This request exceeds your plan's set usage limit.", ToolQuotaError, True),
        (433, "This request exceeds the pay-as-you-go limit.", ToolQuotaError, True),
    ],
)
def test_what_tavily_answers(classify: Classify, serve: Serve, status: int, told: str, cls: type, fatal: bool) -> None:
    client = tavily.TavilyClient(api_key="x", api_base_url=serve({"detail": {"error": told}}, status=status))
    error = classify(raised(lambda: client.search("coffee")))

    assert (type(error), error.fatal, error.provider, error.effect) == (cls, fatal, "tavily", "none")


def test_tavily_that_waits_too_long(classify: Classify, serve: Serve) -> None:
    client = tavily.TavilyClient(api_key="x", api_base_url=serve(how="hang"))
    error = classify(raised(lambda: client.search("coffee", timeout=0.2)))

    assert (type(error), error.effect, error.rule) == (ToolTimeoutError, "possible", "mulligan_search:timeout")


@pytest.mark.parametrize(("wait", "cls"), [(30, ToolRateLimitError), (None, ToolQuotaError)])
def test_tavily_without_a_key(classify: Classify, serve: Serve, wait: int | None, cls: type) -> None:
    body = {"error": {"code": "limited", "message": "Too many", "window": "day", "retry_after_seconds": wait}}
    client = tavily.TavilyClient(api_base_url=serve(body, status=429))
    error = classify(raised(lambda: client.search("coffee")))

    assert (type(error), error.retry_after) == (cls, wait)


def test_tavily_where_a_key_is_needed(classify: Classify, dead: str) -> None:
    client = tavily.TavilyClient(api_base_url=dead)
    error = classify(raised(lambda: client.crawl("https://example.com")))

    assert (type(error), error.message) == (ToolAuthenticationError, "Tavily requires a valid API key.")


def test_tavily_without_any_key(classify: Classify) -> None:
    assert type(classify(tavily.errors.MissingAPIKeyError())) is ToolAuthenticationError


def search_serpapi(url: str, **options: object) -> object:
    def search() -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(serpapi.http.HTTPClient, "BASE_DOMAIN", url)
            return serpapi.Client(api_key="x", **options).search(engine="google", q="coffee")

    return search


@pytest.mark.parametrize(
    ("status", "told", "cls", "fatal"),
    [
        (400, "Unsupported `foo` search engine.", ToolArgumentError, False),
        (401, "Invalid API key.", ToolAuthenticationError, True),
        (403, "The account has been deleted.", ToolPermissionError, True),
        (410, "The search expired.", ResourceNotFoundError, False),
        (429, "Your account has run out of searches.", ToolQuotaError, True),
        (429, "You are exceeding the hourly throughput limit.", ToolRateLimitError, False),
        (503, "Something went wrong.", ToolUnavailableError, False),
    ],
)
def test_what_serpapi_answers(classify: Classify, serve: Serve, status: int, told: str, cls: type, fatal: bool) -> None:
    error = classify(raised(search_serpapi(serve({"error": told}, status=status))))

    assert (type(error), error.fatal, error.provider, error.http_status) == (cls, fatal, "serpapi", status)


def test_serpapi_names_the_parameter_that_is_missing(classify: Classify, serve: Serve) -> None:
    error = classify(raised(search_serpapi(serve({"error": "Missing query `q` parameter."}, status=400))))

    assert [(one.pointer, one.message) for one in error.problems] == [("/q", "is needed")]


def test_serpapi_that_cannot_connect_has_sent_nothing(classify: Classify, dead: str) -> None:
    error = classify(raised(search_serpapi(dead)))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert (error.provider, error.message) == ("serpapi", "SerpApi cannot be reached.")


def test_serpapi_whose_connection_is_reset(classify: Classify, serve: Serve) -> None:
    error = classify(raised(search_serpapi(serve(how="reset"))))

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


def test_serpapi_that_waits_too_long(classify: Classify, serve: Serve) -> None:
    error = classify(raised(search_serpapi(serve(how="hang"), timeout=0.2)))

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "serpapi")


def test_a_connect_timeout_of_serpapi_has_sent_nothing(classify: Classify) -> None:
    import urllib3

    reason = urllib3.exceptions.ConnectTimeoutError("no")
    inner = requests.ConnectTimeout(urllib3.exceptions.MaxRetryError(None, "/", reason))  # type: ignore[arg-type]
    error = classify(serpapi.HTTPConnectionError(inner))

    assert (type(error), error.effect) == (ToolTimeoutError, "none")


def test_serpapi_without_key_or_search_id(classify: Classify) -> None:
    error = classify(raised(lambda: serpapi.Client(api_key="x").search_archive()))

    assert type(error) is ToolArgumentError
    assert type(classify(serpapi.APIKeyNotProvided("no key"))) is ToolAuthenticationError


def test_a_returned_answer_of_serpapi_without_results(classify: Classify) -> None:
    value = {"search_metadata": {"status": "Success"}, "error": "Google hasn't returned any results for this query."}
    error = classify(value)

    assert (type(error), error.fatal, error.provider) == (ResourceNotFoundError, False, "serpapi")


MODULES = [ddgs.exceptions, duckduckgo_search.exceptions]


@pytest.mark.parametrize("module", MODULES)
def test_a_rate_limit_of_duckduckgo(classify: Classify, module: object) -> None:
    error = classify(module.RatelimitException("https://html.duckduckgo.com/html 202 Ratelimit"))

    assert (type(error), error.provider, error.fatal) == (ToolRateLimitError, "duckduckgo", False)


@pytest.mark.parametrize("module", MODULES)
def test_a_timeout_of_duckduckgo(classify: Classify, module: object) -> None:
    assert type(classify(module.TimeoutException("operation timed out"))) is ToolTimeoutError


def test_the_end_of_a_conversation(classify: Classify) -> None:
    error = classify(duckduckgo_search.exceptions.ConversationLimitException("ERR_CONVERSATION_LIMIT"))

    assert type(error) is ToolRateLimitError


def test_ddgs_without_a_query(classify: Classify) -> None:
    error = classify(raised(lambda: ddgs.DDGS().text("")))

    assert (type(error), error.problems[0].pointer) == (ToolArgumentError, "/query")


def test_ddgs_that_cannot_fetch_a_page(classify: Classify, serve: Serve) -> None:
    url = serve("", status=404)
    error = classify(raised(lambda: ddgs.DDGS().extract(url)))

    assert (type(error), error.http_status, error.provider) == (ResourceNotFoundError, 404, "duckduckgo")


def test_ddgs_that_cannot_connect(classify: Classify, dead: str) -> None:
    error = classify(raised(lambda: ddgs.DDGS().extract(dead)))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


@pytest.mark.parametrize(
    ("told", "cls"), [("No results found.", ResourceNotFoundError), ("Could not extract vqd.", ToolExecutionError)]
)
def test_what_ddgs_tells(classify: Classify, told: str, cls: type) -> None:
    assert type(classify(ddgs.exceptions.DDGSException(told))) is cls


def test_serpapi_without_a_status_is_known_by_what_it_wraps(classify: Classify) -> None:
    error = classify(serpapi.HTTPError(requests.RequestException("no")))

    assert error.rule is not None
    assert error.rule != "mulligan_search:answered"


def test_what_tavily_lets_through_names_tavily(classify: Classify, serve: Serve, dead: str) -> None:
    failing = tavily.TavilyClient(api_key="x", api_base_url=serve({"detail": "no"}, status=500))
    gone = tavily.TavilyClient(api_key="x", api_base_url=dead)

    answered = classify(raised(lambda: failing.search("coffee")))
    refused = classify(raised(lambda: gone.search("coffee")))

    assert (type(answered), answered.provider, answered.http_status) == (ToolUnavailableError, "tavily", 500)
    assert (type(refused), refused.provider, refused.effect) == (ToolConnectionError, "tavily", "none")
    assert refused.message == "Tavily cannot be reached."


def test_a_status_of_another_client_is_not_of_a_search_service(classify: Classify, serve: Serve) -> None:
    url = serve("", status=500)
    error = classify(raised(lambda: requests.get(url, timeout=5).raise_for_status()))

    assert (type(error), error.provider) == (ToolUnavailableError, None)


def test_anything_else_of_serpapi_names_it(classify: Classify) -> None:
    error = classify(serpapi.SerpApiError("no"))

    assert (type(error), error.provider) == (ToolExecutionError, "serpapi")
