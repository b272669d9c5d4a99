"""What one client alone raises."""

import asyncio
import math

import aiohttp
import httpx
import httpx2
import pytest
import requests
import urllib3
from clients import raised, with_aiohttp
from http_server import Serve, answer
from requests.adapters import HTTPAdapter
from test_http_outcomes import classify, meaning

from mulligan import Pipeline
from mulligan.errors import (
    ToolArgumentError,
    ToolConnectionError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

USED_WRONGLY = (ToolExecutionError, False, "possible")
NOT_SENT = (ToolArgumentError, False, "none")


@pytest.mark.parametrize(("status", "cls"), [(503, ToolUnavailableError), (429, ToolRateLimitError)])
def test_retries_that_are_used_up_on_a_status(pipeline: Pipeline, serve: Serve, status: int, cls: type) -> None:
    retry = urllib3.Retry(total=1, status_forcelist=[status], backoff_factor=0)

    def get(url: str) -> None:
        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(max_retries=retry))
            session.get(url, timeout=5)

    error = classify(pipeline, raised(get, serve(answer(f"{status} Nope"))))

    assert (type(error), error.http_status, error.rule) == (cls, status, "mulligan_http:answers")


def test_the_wait_that_the_last_answer_asked_for(pipeline: Pipeline, serve: Serve) -> None:
    retry = urllib3.Retry(total=1, status_forcelist=[429], backoff_factor=0, respect_retry_after_header=False)
    url = serve(answer("429 Slow Down", retry_after="5"))

    def get_by_requests(url: str) -> None:
        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(max_retries=retry))
            session.get(url, timeout=5)

    def get(url: str) -> None:
        with urllib3.PoolManager(retries=retry) as pool:
            pool.request("GET", url, timeout=5)

    assert classify(pipeline, raised(get_by_requests, url)).retry_after == 5
    assert classify(pipeline, raised(get, url)).retry_after == 5


def test_urllib3_that_met_different_statuses(pipeline: Pipeline) -> None:
    reason = urllib3.exceptions.ResponseError(urllib3.exceptions.ResponseError.GENERIC_ERROR)
    error = classify(pipeline, urllib3.exceptions.MaxRetryError(None, "/", reason))  # type: ignore[arg-type]

    assert type(error) is ToolUnavailableError
    assert error.message == "Every attempt failed with an error from the service."


def test_urllib3_whose_pool_is_in_use(pipeline: Pipeline, serve: Serve) -> None:
    url = serve(silent=True)

    def get(_: str) -> None:
        with urllib3.HTTPConnectionPool("127.0.0.1", int(url.rpartition(":")[2]), maxsize=1, block=True) as pool:
            connection = pool._get_conn()
            try:
                pool.request("GET", "/", pool_timeout=0.05, retries=False)
            finally:
                connection.close()

    error = classify(pipeline, raised(get, url))

    assert meaning(error) == (ToolUnavailableError, False, "none")


def test_urllib3_whose_pool_is_closed(pipeline: Pipeline, dead: str) -> None:
    pool = urllib3.HTTPConnectionPool("127.0.0.1", 9)
    pool.close()
    error = classify(pipeline, raised(lambda _: pool.request("GET", "/"), dead))

    assert meaning(error) == USED_WRONGLY
    assert error.message == "The tool uses its HTTP client incorrectly."


def test_urllib3_with_a_host_that_is_no_host(pipeline: Pipeline) -> None:
    error = classify(pipeline, raised(lambda url: urllib3.PoolManager().request("GET", url), "http://[::bad"))

    assert meaning(error) == NOT_SENT


def test_requests_with_a_proxy_that_is_no_url(pipeline: Pipeline, dead: str) -> None:
    error = classify(pipeline, raised(lambda url: requests.get(url, proxies={"http": "http://"}, timeout=5), dead))

    assert meaning(error) == (ToolConnectionError, True, "none")


@pytest.mark.parametrize("url", ["http://[::bad", "http://*.example.com/", "http:///path"])
def test_requests_with_an_address_that_is_no_url(pipeline: Pipeline, url: str) -> None:
    assert meaning(classify(pipeline, raised(lambda url: requests.get(url, timeout=5), url))) == NOT_SENT


def test_requests_with_a_header_that_cannot_be_sent(pipeline: Pipeline, dead: str) -> None:
    error = classify(pipeline, raised(lambda url: requests.get(url, headers={"X-Token": "a\n"}, timeout=5), dead))

    assert meaning(error) == NOT_SENT
    assert error.message == "A request header contains invalid characters."


def test_requests_with_data_that_is_not_json(pipeline: Pipeline, dead: str) -> None:
    error = classify(pipeline, raised(lambda url: requests.post(url, json={"x": math.nan}, timeout=5), dead))

    assert meaning(error) == NOT_SENT
    assert error.message == "The request data cannot be written as JSON."


def test_requests_with_an_answer_that_is_not_json(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(lambda url: requests.get(url, timeout=5).json(), serve(answer(body=b"<html>"))))

    assert meaning(error) == (ToolExecutionError, False, "possible")
    assert error.message == "The service returned a response that is not JSON."


def test_requests_that_reads_a_stream_twice(pipeline: Pipeline, serve: Serve) -> None:
    def get(url: str) -> None:
        with requests.get(url, timeout=5, stream=True) as reply:
            list(reply.iter_content(10))
            list(reply.iter_content(10))

    error = classify(pipeline, raised(get, serve(answer(body=b"abc"))))

    assert meaning(error) == USED_WRONGLY
    assert error.message == "The tool uses its HTTP client incorrectly."


def test_a_generic_connection_error_of_requests_may_have_been_acted_upon(pipeline: Pipeline) -> None:
    error = classify(pipeline, requests.ConnectionError("something"))

    assert meaning(error) == (ToolConnectionError, False, "possible")


@pytest.mark.parametrize("httpx_", [httpx, httpx2])
def test_a_redirect_that_httpx_does_not_follow(pipeline: Pipeline, serve: Serve, httpx_: object) -> None:
    def get(url: str) -> None:
        with httpx_.Client(trust_env=False) as client:
            client.get(url).raise_for_status()

    error = classify(pipeline, raised(get, serve(answer("302 Found", Location="/elsewhere"))))

    assert meaning(error) == (ToolExecutionError, False, "possible")
    assert (error.http_status, "redirects" in error.message) == (302, True)


@pytest.mark.parametrize("httpx_", [httpx, httpx2])
@pytest.mark.parametrize("url", ["http://[::bad", "http://host:port/"])
def test_httpx_with_an_address_that_is_no_url(pipeline: Pipeline, httpx_: object, url: str) -> None:
    assert meaning(classify(pipeline, raised(httpx_.get, url))) == NOT_SENT


@pytest.mark.parametrize("httpx_", [httpx, httpx2])
def test_httpx_with_a_header_that_cannot_be_sent(pipeline: Pipeline, dead: str, serve: Serve, httpx_: object) -> None:
    def get(url: str) -> None:
        with httpx_.Client(trust_env=False) as client:
            client.get(url, headers={"X-Token": "a\n"})

    assert meaning(classify(pipeline, raised(get, serve(answer())))) == NOT_SENT


@pytest.mark.parametrize("httpx_", [httpx, httpx2])
def test_httpx_whose_pool_is_in_use_has_sent_nothing(pipeline: Pipeline, serve: Serve, httpx_: object) -> None:
    def get(url: str) -> None:
        limits = httpx_.Limits(max_connections=1)
        timeout = httpx_.Timeout(5, pool=0.1)
        with httpx_.Client(trust_env=False, limits=limits, timeout=timeout) as client, client.stream("GET", url):
            client.get(url)

    error = classify(pipeline, raised(get, serve(answer(body=b"abc"))))

    assert meaning(error) == (ToolTimeoutError, False, "none")


@pytest.mark.parametrize("httpx_", [httpx, httpx2])
def test_httpx_that_reads_an_answer_too_late(pipeline: Pipeline, serve: Serve, httpx_: object) -> None:
    def get(url: str) -> None:
        with httpx_.Client(trust_env=False) as client, client.stream("GET", url) as reply:
            _ = reply.text

    assert meaning(classify(pipeline, raised(get, serve(answer(body=b"abc"))))) == USED_WRONGLY


def test_httpx_with_two_cookies_of_one_name(pipeline: Pipeline) -> None:
    cookies = httpx.Cookies()
    cookies.set("id", "1", domain="a.example")
    cookies.set("id", "2", domain="b.example")

    assert meaning(classify(pipeline, raised(cookies.get, "id"))) == USED_WRONGLY


def run(coroutine_function: object) -> object:
    return lambda url: asyncio.run(coroutine_function(url))


def test_an_answer_that_ends_midway_is_no_wrong_argument_even_without_this_package(serve: Serve) -> None:
    error = raised(with_aiohttp, serve(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"))
    with Pipeline(autoload=False, strict=True) as bare:
        found = classify(bare, error)

    assert (type(found), found.http_status, found.effect) == (ToolConnectionError, None, "possible")


def test_aiohttp_with_another_content_type(pipeline: Pipeline, serve: Serve) -> None:
    async def get(url: str) -> None:
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            await reply.json()

    error = classify(pipeline, raised(run(get), serve(answer(body=b"<html>", Content_Type="text/html"))))

    assert meaning(error) == (ToolExecutionError, False, "possible")
    assert error.message == "The service returned an unexpected content type."


def test_an_error_page_that_aiohttp_should_read_as_json_is_the_error(pipeline: Pipeline, serve: Serve) -> None:
    async def get(url: str) -> None:
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            await reply.json()

    reply = answer("502 Bad Gateway", body=b"<html>", Content_Type="text/html")
    error = classify(pipeline, raised(run(get), serve(reply)))

    assert (type(error), error.http_status) == (ToolUnavailableError, 502)


def test_aiohttp_whose_web_socket_is_not_accepted(pipeline: Pipeline, serve: Serve) -> None:
    async def get(url: str) -> None:
        async with aiohttp.ClientSession() as session, session.ws_connect(url):
            pass

    error = classify(pipeline, raised(run(get), serve(answer())))

    assert meaning(error) == (ToolExecutionError, False, "possible")


def test_aiohttp_redirected_to_an_address_that_is_no_url_was_sent(pipeline: Pipeline, serve: Serve) -> None:
    async def get(url: str) -> None:
        async with aiohttp.ClientSession() as session, session.get(url):
            pass

    error = classify(pipeline, raised(run(get), serve(answer("302 Found", Location="ftp://example.com/"))))

    assert meaning(error) == (ToolExecutionError, False, "possible")


def test_aiohttp_whose_server_shows_another_certificate(pipeline: Pipeline, serve: Serve, untrusted: object) -> None:
    async def get(url: str) -> None:
        try:
            async with aiohttp.ClientSession() as session, session.get(url, ssl=aiohttp.Fingerprint(b"\0" * 32)):
                pass
        finally:
            await asyncio.sleep(0.1)  # aiohttp closes TLS transports a little later

    error = classify(pipeline, raised(run(get), serve(tls=untrusted)))

    assert meaning(error) == (ToolConnectionError, True, "none")


def test_aiohttp_whose_connector_is_closed(pipeline: Pipeline) -> None:
    error = classify(pipeline, aiohttp.ClientConnectionError("Connector is closed."))

    assert meaning(error) == USED_WRONGLY


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        (
            aiohttp.ClientConnectionResetError("Cannot write to closing transport"),
            (ToolConnectionError, False, "possible"),
        ),
        (aiohttp.UploadAbortedError("The request body was not fully sent"), (ToolConnectionError, False, "possible")),
        (aiohttp.ClientConnectionError("Connection closed"), USED_WRONGLY),
        (aiohttp.ServerConnectionError("no"), (ToolConnectionError, True, "possible")),
        (aiohttp.WebSocketError(1002, "no"), (ToolExecutionError, False, "possible")),
        (urllib3.exceptions.HeaderParsingError([], b"x"), (ToolExecutionError, False, "possible")),
        (requests.ConnectTimeout("no"), (ToolTimeoutError, False, "none")),
        (requests.ReadTimeout("no"), (ToolTimeoutError, False, "possible")),
        (requests.exceptions.SSLError("no"), (ToolConnectionError, True, "possible")),
        (requests.exceptions.ContentDecodingError("no"), (ToolExecutionError, False, "possible")),
        (httpx.LocalProtocolError("Too little data for declared Content-Length"), USED_WRONGLY),
        (urllib3.exceptions.IncompleteRead(3, 7), (ToolConnectionError, False, "possible")),
    ],
)
def test_a_class_alone_is_enough(pipeline: Pipeline, exception: Exception, expected: tuple[type, bool, str]) -> None:
    assert meaning(classify(pipeline, exception)) == expected


def test_an_address_that_cannot_be_parsed_names_no_host(pipeline: Pipeline) -> None:
    request = requests.Request("GET", "http://[::bad")
    error = classify(pipeline, requests.exceptions.SSLError("no", request=request), url="http://[::bad")

    assert meaning(error) == (ToolConnectionError, False, "possible")
