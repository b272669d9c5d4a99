"""The page as a web application: one document, and the state that it asks for, on this machine only."""

from __future__ import annotations

import secrets
import socket
import sys
from contextlib import suppress
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mulligan_proxy.ui.recorder import Recorder

HOST = "127.0.0.1"
FIRST_PORT = 8766
_PORTS = 20
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
_POLICY = (
    "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def app_for(recorder: Recorder) -> Starlette:
    """The application. It answers only under the names of this machine, so that no other page can read it.

    Args:
        recorder: what it shows.
    """
    document = files("mulligan_proxy.ui").joinpath("page.html").read_text("utf-8")

    async def page(_: Request) -> Response:
        nonce = secrets.token_urlsafe(16)
        headers = {**_HEADERS, "Content-Security-Policy": _POLICY.format(nonce)}
        return HTMLResponse(document.replace("{{nonce}}", nonce), headers=headers)

    async def state(request: Request) -> Response:
        known = request.query_params.get("after", "0")
        return JSONResponse(recorder.state(int(known) if known.isdecimal() else 0), headers=_HEADERS)

    async def details(request: Request) -> Response:
        found = recorder.details(request.path_params["number"])
        return JSONResponse(found, status_code=404 if found is None else 200, headers=_HEADERS)

    async def export(_: Request) -> Response:
        return JSONResponse(recorder.export(), headers=_HEADERS)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/state", state),
            Route("/calls/{number:int}", details),
            Route("/export", export),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
    )


async def serve_page(recorder: Recorder) -> None:
    """Serves the page until cancelled, and says on stderr where.

    Args:
        recorder: what it shows.
    """
    listener = _listener()
    print(f"mulligan: the live view is at http://{HOST}:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)  # noqa: T201
    config = uvicorn.Config(app_for(recorder), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    await uvicorn.Server(config).serve([listener])


def _listener() -> socket.socket:
    """A socket on the first free port of a few that are always the same, so that a bookmark works."""
    for port in (*range(FIRST_PORT, FIRST_PORT + _PORTS), 0):
        with suppress(OSError):
            return socket.create_server((HOST, port))
    raise OSError("no port is free for the live view")
