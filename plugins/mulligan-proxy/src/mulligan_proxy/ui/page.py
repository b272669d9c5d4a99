"""The page as a web application on this machine only: the documents, and the state that they request."""

from __future__ import annotations

import secrets
import socket
import sys
from contextlib import suppress
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from mulligan_proxy.ui.recorder import Recorder
from mulligan_proxy.ui.report import Report, version_of

HOST = "127.0.0.1"
FIRST_PORT = 8766
_PORTS = 20
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
_FRAMES = {"X-Frame-Options": "DENY"}  # the report has its own policy, and only a header can forbid frames
_BACK = '<a class="button" href="./">Report</a>\n'
_POLICY = (
    "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def app_for(recorder: Recorder, report: Report | None = None) -> Starlette:
    """The application. It answers only requests to the names of this machine, so that no other page can read it.

    Args:
        recorder: what it shows.
        report: what is shown first, where mulligan-ledger is installed; the list of calls otherwise.
    """
    document = files("mulligan_proxy.ui").joinpath("page.html").read_text("utf-8")
    document = document.replace("{{report}}", "" if report is None else _BACK)

    async def calls(_: Request) -> Response:
        nonce = secrets.token_urlsafe(16)
        headers = {**_HEADERS, "Content-Security-Policy": _POLICY.format(nonce)}
        return HTMLResponse(document.replace("{{nonce}}", nonce), headers=headers)

    async def first(request: Request) -> Response:
        if report is None:
            return await calls(request)
        return HTMLResponse(await run_in_threadpool(report.document, recorder.summary()), headers=_HEADERS | _FRAMES)

    async def version(_: Request) -> Response:
        return PlainTextResponse(version_of(recorder.summary()), headers=_HEADERS)

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
            Route("/", first),
            Route("/version", version),
            Route("/calls", calls),
            Route("/state", state),
            Route("/calls/{number:int}", details),
            Route("/export", export),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
    )


async def serve_page(recorder: Recorder, report: Report | None = None) -> None:
    """Serves the page until cancelled, and prints its address to stderr.

    Args:
        recorder: what it shows.
        report: what is shown first, where mulligan-ledger is installed.
    """
    listener = _listener()
    print(f"mulligan: the live view is at http://{HOST}:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)  # noqa: T201
    config = uvicorn.Config(app_for(recorder, report), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    await uvicorn.Server(config).serve([listener])


def _listener() -> socket.socket:
    """A socket on the first free port of a fixed list, so that a bookmark works."""
    for port in (*range(FIRST_PORT, FIRST_PORT + _PORTS), 0):
        with suppress(OSError):
            return socket.create_server((HOST, port))
    raise OSError("no port is free for the live view")
