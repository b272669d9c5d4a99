"""Runs the whole proxy: on stdin and stdout, or on a port of this machine."""

from __future__ import annotations

import socket
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler

from mulligan import Limits, Pipeline, Policy
from mulligan.errors import UsageError
from mulligan.events import PluginFaulted
from mulligan_proxy.approvals import Approvals, RefuseWithoutQuestion
from mulligan_proxy.call_log import CallLog
from mulligan_proxy.failures import ForwardedError
from mulligan_proxy.fleet import Fleet
from mulligan_proxy.refusals import answering_unreadable
from mulligan_proxy.relay import Relay, Watcher
from mulligan_proxy.specs import ProxyOptions, ServerSpec
from mulligan_proxy.standard_streams import discard_output, standard_input

_ARGUMENT_BYTES = 64_000_000


def pipeline_for(options: ProxyOptions, plugins: Iterable[Any] = ()) -> Pipeline:
    """The pipeline that calls run through.

    Args:
        options: how the proxy treats its servers.
        plugins: plugins besides the installed ones.
    """
    policy = Policy(repair="all" if options.repair else (), retry=options.retry, control_flow=(ForwardedError,))
    log = CallLog()
    pipeline = Pipeline(
        plugins=[log, RefuseWithoutQuestion(), *plugins],
        block=["logging"],  # the client's log gets only the proxy's own lines
        approver=Approvals().approve,
        policy=policy,
        limits=Limits(argument_bytes=_ARGUMENT_BYTES),
        format=options.format,
        tool_options=options.tool_options,
    )
    for fault in pipeline.faults:  # from loading, before anything could observe it
        log.observe(PluginFaulted(fault.plugin, fault.hook, fault.error, set_aside=False))
    return pipeline


@asynccontextmanager
async def proxy(
    specs: Iterable[ServerSpec], options: ProxyOptions, pipeline: Pipeline, watch: Watcher | None = None
) -> AsyncIterator[Server[Any]]:
    """The proxy as a server of the SDK; the servers behind it end with it.

    Args:
        specs: the servers.
        options: how they are treated.
        pipeline: what calls run through.
        watch: sees the servers and each call.
    """
    async with anyio.create_task_group() as tasks:
        fleet = Fleet(tuple(specs), options, pipeline, tasks)
        server: Server[Any] = Server(
            "mulligan", version=version("mulligan-proxy"), on_subscriptions_listen=ListenHandler(fleet.bus)
        )
        server.middleware = [Relay(fleet, pipeline, watch)]
        try:
            yield server
        finally:
            tasks.cancel_scope.cancel()


async def serve_stdio(
    specs: Iterable[ServerSpec], options: ProxyOptions, pipeline: Pipeline, watch: Watcher | None = None
) -> None:
    """Serves the one client on stdin and stdout until it leaves.

    Args:
        specs: the servers.
        options: how they are treated.
        pipeline: what calls run through.
        watch: sees the servers and each call.
    """
    stdin = await standard_input()
    try:
        async with (
            proxy(specs, options, pipeline, watch) as server,
            stdio_server(stdin) as (read, write),
            answering_unreadable(read, write) as messages,
        ):
            await server.run(messages, write, server.create_initialization_options())
    except* BrokenPipeError:  # the client no longer reads: it has left
        discard_output()


async def serve_http(
    specs: Iterable[ServerSpec],
    options: ProxyOptions,
    pipeline: Pipeline,
    watch: Watcher | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
) -> None:
    """Serves any number of clients at `http://HOST:PORT/mcp` until interrupted.

    Args:
        specs: the servers.
        options: how they are treated.
        pipeline: what calls run through.
        watch: sees the servers and each call.
        host: where to listen.
        port: where to listen; 0 for any that is free.
    """
    async with proxy(specs, options, pipeline, watch) as server:
        await serve_app(server.streamable_http_app(host=host), host, port, "the proxy")


async def serve_app(app: Any, host: str, port: int, what: str, path: str = "/mcp") -> None:
    """Runs a web application, and prints its address to stderr.

    Args:
        app: the application.
        host: where to listen.
        port: where to listen; 0 for any that is free.
        what: what it is, for that line.
        path: the path to open.

    Raises:
        UsageError: the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2_048)
    except OSError as error:
        raise UsageError(f"{what} cannot listen on {host}:{port}: {error.strerror or error}") from None
    shown = f"[{host}]" if family is socket.AF_INET6 else host
    print(f"mulligan: {what} is at http://{shown}:{listener.getsockname()[1]}{path}", file=sys.stderr, flush=True)  # noqa: T201
    config = uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=2)
    await uvicorn.Server(config).serve([listener])
