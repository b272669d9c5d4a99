"""What a model reads of a real server's answer, through each client: the service's words, not the client's line."""

import asyncio
import json
import urllib.request
from urllib.error import HTTPError

import aiohttp
import pytest
from clients import with_httpx, with_httpx2, with_requests
from http_server import Serve, answer
from mulligan_http import keep_body, raise_for_status

from mulligan import Pipeline, Tool

SAYS = "no such city Atlantis"
FIELDS = [{"loc": ["body", "days"], "msg": "Input should be less than 10", "type": "less_than"}]
PAGE = b"<html><head><title>Closed</title></head><body><h1>Closed</h1><p>The shop opens at noon.</p></body></html>"


def with_aiohttp(url: str) -> object:
    async def get() -> str:
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            await raise_for_status(response)
            return await response.text()

    return asyncio.run(get())


def with_urllib(url: str) -> object:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.read()
    except HTTPError as error:
        raise keep_body(error) from None


CLIENTS = {
    "requests": with_requests,
    "httpx": with_httpx,
    "httpx2": with_httpx2,
    "aiohttp": with_aiohttp,
    "urllib": with_urllib,
}


def content(pipeline: Pipeline, client: str, url: str) -> str:
    """What the model reads after a GET."""

    def get_city(city: str, days: int) -> str:
        return str(CLIENTS[client](url))

    pipeline.tools.add(Tool.from_function(get_city))
    return pipeline.call("get_city", {"city": "Atlantis", "days": 12}).content


@pytest.fixture
def lenient() -> Pipeline:
    import mulligan_http

    return Pipeline(plugins=[mulligan_http], autoload=False)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_message_of_the_service(lenient: Pipeline, serve: Serve, client: str) -> None:
    text = content(lenient, client, serve(answer("404 Not Found", json.dumps({"message": SAYS}).encode())))

    assert f"\n{SAYS}\n" in text
    assert "developer.mozilla.org" not in text
    assert "Client" not in text


@pytest.mark.parametrize("client", CLIENTS)
def test_the_reason_for_a_field(lenient: Pipeline, serve: Serve, client: str) -> None:
    body = json.dumps({"detail": FIELDS}).encode()
    text = content(lenient, client, serve(answer("422 Unprocessable Entity", body)))

    assert "\n- /days: rejected by the service; got 12.\n" in text
    assert "\ndays: Input should be less than 10\n" in text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_page(lenient: Pipeline, serve: Serve, client: str) -> None:
    text = content(lenient, client, serve(answer("503 Service Unavailable", PAGE, content_type="text/html")))

    assert "\nClosed\nThe shop opens at noon.\n" in text
    assert "<h1>" not in text


def test_a_success_is_left_alone(serve: Serve) -> None:
    assert with_aiohttp(serve(answer(body=b"sun"))) == "sun"
    assert with_urllib(serve(answer(body=b"sun"))) == b"sun"


def test_a_body_that_nobody_read_is_not_read(lenient: Pipeline, serve: Serve) -> None:
    def get_city(url: str) -> str:
        return str(urllib.request.urlopen(url, timeout=5).read())

    lenient.tools.add(Tool.from_function(get_city))
    text = lenient.call("get_city", {"url": serve(answer("404 Not Found", b"{}"))}).content
    assert "HTTP Error 404: Not Found" in text
