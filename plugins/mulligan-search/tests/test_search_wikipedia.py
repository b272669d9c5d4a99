"""Wikipedia, through both of its clients."""

import httpx
import pytest
import requests
import wikipedia
import wikipedia.wikipedia
import wikipediaapi
from conftest import Classify
from search_server import Serve, raised

from mulligan.errors import (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

pytestmark = pytest.mark.filterwarnings("ignore:No parser was explicitly specified")  # wikipedia leaves that to bs4


@pytest.fixture
def ask(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> object:
    """`ask(*bodies)` makes `wikipedia` talk to this machine."""

    def start(*bodies: object) -> None:
        monkeypatch.setattr(wikipedia.wikipedia, "API_URL", serve(*bodies))
        wikipedia.search.clear_cache()

    return start


def page(**more: object) -> dict[str, object]:
    return {"query": {"pages": {"19": {"pageid": 19, "title": "Mercury", "fullurl": "x", **more}}}}


def test_a_title_that_is_not_there(classify: Classify, ask: object) -> None:
    ask(page(missing=""))
    error = classify(raised(lambda: wikipedia.page("Zzz", auto_suggest=False)))

    assert (type(error), error.fatal, error.provider) == (ResourceNotFoundError, False, "wikipedia")
    assert (error.resource, error.message) == ("Zzz", "Resource not found: Zzz")
    assert error.rule == "mulligan_search:no_page"


def test_a_page_id_that_is_not_there(classify: Classify, ask: object) -> None:
    ask(page(missing=""))

    assert classify(raised(lambda: wikipedia.page(pageid=404))).resource == "404"


def test_a_title_of_several_pages_offers_them(classify: Classify, ask: object) -> None:
    listed = (
        '<ul><li><a title="Mercury (planet)">Mercury (planet)</a></li><li><a title="x">Mercury (element)</a></li></ul>'
    )
    ask(
        page(pageprops={"disambiguation": ""}),
        {"query": {"pages": {"19": {"revisions": [{"*": listed}]}}}},
    )
    error = classify(raised(lambda: wikipedia.page("Mercury", auto_suggest=False)), topic="mercury")

    assert (type(error), error.fatal) == (ToolArgumentError, False)
    assert [problem.pointer for problem in error.problems] == ["/topic"]
    assert error.problems[0].expected == "one of: Mercury (planet), Mercury (element)"


def test_a_title_that_redirects(classify: Classify, ask: object) -> None:
    redirects = {"query": {"redirects": [{"from": "Mercury", "to": "Hermes"}], "pages": {"19": {"title": "Hermes"}}}}
    ask(redirects)
    error = classify(raised(lambda: wikipedia.page("Mercury", auto_suggest=False, redirect=False)))

    assert (type(error), error.problems[0].pointer) == (ToolArgumentError, "/title")


def test_neither_title_nor_page_id(classify: Classify) -> None:
    error = classify(raised(wikipedia.page))

    assert (type(error), error.provider, error.problems[0].pointer) == (ToolArgumentError, "wikipedia", "/title")


def test_any_other_value_error_is_left_alone(classify: Classify) -> None:
    error = classify(raised(lambda: int("title")))

    assert error.provider is None


@pytest.mark.parametrize(
    ("told", "cls"),
    [
        ("HTTP request timed out.", ToolTimeoutError),
        ("Pool queue is full", ToolTimeoutError),
        ("You've exceeded your rate limit. Please wait some time and try again.", ToolRateLimitError),
        ('The "srsearch" parameter must be set.', ToolArgumentError),
        ("Search request is longer than the maximum allowed length.", ToolArgumentError),
        ("The wiki is currently in read-only mode.", ToolUnavailableError),
        ("Something else", ToolExecutionError),
    ],
)
def test_what_wikipedias_api_tells(classify: Classify, ask: object, told: str, cls: type) -> None:
    ask({"error": {"info": told}})
    error = classify(raised(lambda: wikipedia.search(told)))

    assert (type(error), error.fatal, error.provider) == (cls, False, "wikipedia")


def client(url: str, monkeypatch: pytest.MonkeyPatch, **options: object) -> wikipediaapi.Wikipedia:
    wiki = wikipediaapi.Wikipedia("tests of mulligan-search (https://example.org)", "en", max_retries=0, **options)
    real = wiki._client.get
    monkeypatch.setattr(wiki._client, "get", lambda _, **more: real(url, **more))
    return wiki


@pytest.mark.parametrize(
    ("status", "cls", "fatal"),
    [
        (404, ResourceNotFoundError, False),
        (403, ToolPermissionError, True),
        (400, ToolArgumentError, False),
        (503, ToolUnavailableError, False),
    ],
)
def test_a_status_that_wikipediaapi_reports(
    classify: Classify, serve: Serve, monkeypatch: pytest.MonkeyPatch, status: int, cls: type, fatal: bool
) -> None:
    wiki = client(serve("", status=status), monkeypatch)
    error = classify(raised(lambda: wiki.page("Zzz").summary), title="Zzz")

    assert (type(error), error.fatal, error.http_status, error.provider) == (cls, fatal, status, "wikipedia")
    assert error.resource in (None, "Zzz")


def test_the_rate_limit_that_wikipediaapi_reports(
    classify: Classify, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = client(serve("", status=429, headers={"Retry-After": "12"}), monkeypatch)
    error = classify(raised(lambda: wiki.page("Zzz").summary))

    assert (type(error), error.retry_after, error.http_status) == (ToolRateLimitError, 12.0, 429)


def test_wikipediaapi_that_cannot_connect_has_sent_nothing(
    classify: Classify, dead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = classify(raised(lambda: client(dead, monkeypatch).page("Zzz").summary))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert error.provider == "wikipedia"


def test_wikipediaapi_that_waits_too_long(classify: Classify, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki = client(serve(how="hang"), monkeypatch, timeout=0.2)
    error = classify(raised(lambda: wiki.page("Zzz").summary))

    assert (type(error), error.effect) == (ToolTimeoutError, "possible")


def test_a_connect_timeout_of_wikipediaapi_has_sent_nothing(classify: Classify) -> None:
    def get() -> None:
        raise wikipediaapi.WikiHttpTimeoutError("https://x") from httpx.ConnectTimeout("no")

    assert classify(raised(get)).effect == "none"


def test_wikipediaapi_with_an_answer_that_is_not_json(
    classify: Classify, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = classify(raised(lambda: client(serve("<html>"), monkeypatch).page("Zzz").summary))

    assert (type(error), error.message) == (
        ToolExecutionError,
        "Wikipedia returned a response that is not JSON.",
    )


def test_a_network_failure_that_wikipedia_lets_through_names_wikipedia(
    classify: Classify, dead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikipedia.wikipedia, "API_URL", dead)
    exception = raised(lambda: wikipedia.search("nobody listens"))

    error = classify(exception)

    assert isinstance(exception, requests.ConnectionError)
    assert (type(error), error.provider, error.effect) == (ToolConnectionError, "wikipedia", "none")
