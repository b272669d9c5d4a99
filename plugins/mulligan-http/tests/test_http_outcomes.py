"""Every way in which a request can end, through every client: class, fatality, and above all the effect."""

import ssl

import pytest
import requests
import urllib3
from clients import CLIENTS, Get, raised, with_aiohttp, with_httpx, with_requests, with_urllib3
from http_server import Serve, answer

from mulligan import Pipeline
from mulligan.errors import (
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolTimeoutError,
)

every = pytest.mark.parametrize("get", CLIENTS)


def classify(pipeline: Pipeline, failure: object, **arguments: object) -> ToolError:
    error = pipeline.classify(failure, tool="fetch_url", arguments=arguments)
    assert error is not None
    assert error.provider is None
    return error


def meaning(error: ToolError) -> tuple[type[ToolError], bool, str]:
    assert error.rule is not None
    assert error.rule.startswith(("mulligan_http:", "classify:payload"))  # mulligan alone knows aiohttp's payloads
    return type(error), error.fatal, error.effect


@every
def test_a_refused_connection_was_never_sent(pipeline: Pipeline, dead: str, get: Get) -> None:
    error = classify(pipeline, raised(get, dead))

    assert meaning(error) == (ToolConnectionError, True, "none")
    assert error.message == "The service cannot be reached."


@every
def test_a_host_that_the_call_names_may_be_another_next_time(pipeline: Pipeline, dead: str, get: Get) -> None:
    error = classify(pipeline, raised(get, dead), url=dead)

    assert meaning(error) == (ToolConnectionError, False, "none")
    assert error.message == "The host that the arguments name cannot be reached."


@every
def test_a_host_that_the_call_does_not_name_is_the_tools_own(pipeline: Pipeline, dead: str, get: Get) -> None:
    error = classify(pipeline, raised(get, dead), url="https://docs.example.com/")

    assert error.fatal


@every
def test_an_unknown_host_was_never_sent_anything(pipeline: Pipeline, get: Get) -> None:
    error = classify(pipeline, raised(get, "http://name.invalid/"))

    assert meaning(error) == (ToolConnectionError, True, "none")


@every
def test_a_connect_timeout_was_never_sent(pipeline: Pipeline, full: str, get: Get) -> None:
    error = classify(pipeline, raised(get, full, timeout=0.3))

    assert meaning(error) == (ToolTimeoutError, False, "none")
    assert error.message == "The connection to the service could not be established in time."


@every
def test_a_read_timeout_may_have_been_acted_upon(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    error = classify(pipeline, raised(get, serve(silent=True), timeout=0.3))

    assert meaning(error) == (ToolTimeoutError, False, "possible")


@every
@pytest.mark.parametrize("reply", [b"", None], ids=["closed", "reset"])
def test_a_dropped_connection_may_have_been_acted_upon(
    pipeline: Pipeline, serve: Serve, get: Get, reply: bytes | None
) -> None:
    error = classify(pipeline, raised(get, serve(reply)))

    assert meaning(error) == (ToolConnectionError, False, "possible")
    assert error.transient


@every
def test_an_answer_that_ends_too_early_was_acted_upon(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    error = classify(pipeline, raised(get, serve(answer(body=b"abc", Content_Length="100"))))

    assert meaning(error) == (ToolConnectionError, False, "possible")


@every
def test_a_broken_chunk_was_acted_upon(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    reply = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"
    error = classify(pipeline, raised(get, serve(reply)))

    assert meaning(error) == (ToolConnectionError, False, "possible")


@every
def test_what_does_not_speak_http(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    error = classify(pipeline, raised(get, serve(b"\x16\x03\x01 not http at all\r\n\r\n")))

    assert meaning(error) == (ToolConnectionError, True, "possible")
    assert error.message == "The server does not speak HTTP."
    assert error.http_status is None


@every
def test_a_certificate_that_nobody_trusts(
    pipeline: Pipeline, serve: Serve, untrusted: ssl.SSLContext, get: Get
) -> None:
    error = classify(pipeline, raised(get, serve(tls=untrusted)))

    assert meaning(error) == (ToolConnectionError, True, "none")
    assert error.message == "The TLS connection to the service could not be established."


@every
def test_tls_where_none_is_spoken(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    url = serve(answer()).replace("http://", "https://")
    error = classify(pipeline, raised(get, url))

    assert (type(error), error.fatal) == (ToolConnectionError, True)


@every
def test_a_loop_of_redirects_was_sent(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    error = classify(pipeline, raised(get, serve(answer("302 Found", Location="/again"))))

    assert meaning(error) == (ToolExecutionError, False, "possible")
    assert error.message == "The service redirects too many times."


@every
def test_an_answer_that_is_not_compressed_as_it_says(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    error = classify(pipeline, raised(get, serve(answer(body=b"plain text", Content_Encoding="gzip"))))

    assert meaning(error) == (ToolExecutionError, False, "possible")
    assert error.message == "The response cannot be decoded."


@every
@pytest.mark.parametrize("url", ["example.com", "htp://example.com/", "http://"])
def test_an_address_that_is_no_url(pipeline: Pipeline, get: Get, url: str) -> None:
    if get is with_urllib3 and url == "example.com":
        url = "example.com:x"  # urllib3 takes a bare name for a host
    error = classify(pipeline, raised(get, url), url=url)

    assert meaning(error) == (ToolArgumentError, False, "none")
    assert "not a valid URL" in error.message
    assert "https://" in error.message


@pytest.mark.parametrize("get", [with_requests, with_httpx, with_aiohttp])
def test_a_redirect_to_an_address_that_is_no_url_was_sent(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    url = serve(answer("302 Found", Location="ftp://example.com/"))
    error = classify(pipeline, raised(get, url), url=url)

    assert meaning(error) == (ToolExecutionError, False, "possible")
    assert error.message == "The service redirects to an unusable address."


@every
def test_a_proxy_that_is_not_there(pipeline: Pipeline, dead: str, get: Get) -> None:
    error = classify(pipeline, raised(get, "http://127.0.0.1:9/", proxy=dead), url="http://127.0.0.1:9/")

    if get in (with_requests, with_urllib3, with_aiohttp):
        assert meaning(error) == (ToolConnectionError, True, "none")
        assert "proxy" in error.user_message
    else:  # httpx raises the same ConnectError as for a service
        assert (type(error), error.effect) == (ToolConnectionError, "none")


@every
def test_a_proxy_that_asks_for_credentials(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    proxy = serve(answer("407 Proxy Authentication Required", Proxy_Authenticate="Basic"))
    error = classify(pipeline, raised(get, "https://service.invalid/", proxy=proxy))

    assert meaning(error) == (ToolAuthenticationError, True, "none")
    assert error.http_status == 407
    assert "credentials" in error.user_message


@every
def test_a_proxy_that_refuses(pipeline: Pipeline, serve: Serve, get: Get) -> None:
    proxy = serve(answer("403 Forbidden"))
    error = classify(pipeline, raised(get, "https://service.invalid/", proxy=proxy))

    assert meaning(error) == (ToolConnectionError, True, "none")
    assert error.message == "The proxy blocks the request."


@pytest.mark.parametrize("get", [with_requests, with_httpx, with_aiohttp])
@pytest.mark.parametrize(("status", "cls"), [(401, "ToolAuthenticationError"), (404, "ResourceNotFoundError")])
def test_an_error_status_is_left_to_mulligan_itself(
    pipeline: Pipeline, serve: Serve, get: Get, status: int, cls: str
) -> None:
    error = classify(pipeline, raised(get, serve(answer(f"{status} Nope")) + "/items/7"))

    assert (type(error).__name__, error.http_status) == (cls, status)
    assert not str(error.rule).startswith("mulligan_http")


def test_a_connection_that_ends_within_tls_may_have_had_an_effect(pipeline: Pipeline) -> None:
    ended = ssl.SSLEOFError(8, "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol")
    retried = urllib3.exceptions.MaxRetryError(None, "/", urllib3.exceptions.SSLError(ended))  # type: ignore[arg-type]

    for raised_error in (requests.exceptions.SSLError(retried), retried, urllib3.exceptions.SSLError(ended)):
        error = classify(pipeline, raised_error)
        assert meaning(error) == (ToolConnectionError, False, "possible")
        assert error.transient
