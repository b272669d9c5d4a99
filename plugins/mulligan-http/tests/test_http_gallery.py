"""The package's part of the gallery."""

import ssl
from collections.abc import Sequence

import mulligan_http
import pytest
from clients import with_aiohttp, with_httpx, with_requests
from http_server import Serve
from mulligan_testkit.gallery import Gallery, GalleryFailure


class TestGallery(Gallery):
    title = "HTTP clients"
    plugin = mulligan_http
    packages = ("requests", "httpx", "aiohttp", "urllib3")

    @pytest.fixture
    def shown(self, serve: Serve, dead: str, untrusted: ssl.SSLContext) -> Sequence[GalleryFailure]:
        page = {"page": "reports/q3"}
        return [
            GalleryFailure("A server that is not there", "fetch_page", page, lambda: with_requests(dead)),
            GalleryFailure("The same, named by the model", "fetch_page", {"url": dead}, lambda: with_requests(dead)),
            GalleryFailure("A connection that is reset midway", "fetch_page", page, lambda: with_httpx(serve(None))),
            GalleryFailure(
                "An answer that does not come", "fetch_page", page, lambda: with_httpx(serve(silent=True), timeout=0.3)
            ),
            GalleryFailure(
                "A certificate that nobody trusts", "fetch_page", page, lambda: with_aiohttp(serve(tls=untrusted))
            ),
        ]
