"""Connects to a server, and watches what it sends."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCResponse
from pydantic import ValidationError

from mulligan_proxy.evidence import Evidence
from mulligan_proxy.programs import Item, OversizedFrameError, open_program
from mulligan_proxy.specs import ServerSpec

_ID = re.compile(r'"id"\s*:\s*(\d{1,15})\b')
_CONNECT_SECONDS = 30.0


class InvalidAddressError(Exception):
    """The URL of a server is invalid."""


class InvalidHeaderError(Exception):
    """A header of a server contains invalid characters; the text is its name."""


class Arrival(enum.Enum):
    """What has arrived in answer to a request."""

    NONE = enum.auto()
    UNREADABLE = enum.auto()
    READ = enum.auto()


@asynccontextmanager
async def open_connection(spec: ServerSpec, evidence: Evidence) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of a connection to a server; a server that is a program is started.

    Args:
        spec: the server.
        evidence: collects what may explain why the connection ended.

    Raises:
        InvalidAddressError: the server's URL is invalid.
        InvalidHeaderError: one of its headers is invalid.
        OSError: the program cannot be started.
    """
    if spec.kind == "stdio":
        with evidence.stderr() as stderr:
            async with open_program(spec, stderr) as streams:
                yield streams
        return
    check_address(spec)
    if spec.kind == "http":
        # Each call has its own deadline, so only the connection has one here.
        timeout = httpx2.Timeout(None, connect=_CONNECT_SECONDS)
        async with (
            httpx2.AsyncClient(
                headers=dict(spec.headers), timeout=timeout, event_hooks={"response": [evidence.note]}
            ) as http,
            streamable_http_client(spec.url, http_client=http) as streams,
        ):
            yield streams
        return
    async with sse_client(spec.url, headers=dict(spec.headers), timeout=_CONNECT_SECONDS) as streams:
        yield streams


def check_address(spec: ServerSpec) -> None:
    """Rejects an invalid URL or header before anything is sent.

    Args:
        spec: a remote server.

    Raises:
        InvalidAddressError: it is not the address of a web server.
        InvalidHeaderError: a header contains invalid characters.
    """
    try:
        parts = urlsplit(spec.url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or any(one.isspace() for one in spec.url):
        raise InvalidAddressError(spec.url)
    for name, value in spec.headers.items():
        if not (name and (name + value).isascii() and (name + value).replace("\t", "").isprintable()):
            raise InvalidHeaderError(name)


async def relayed(
    source: Any,
    sink: MemoryObjectSendStream[Item],
    pending: dict[int | str, Arrival],
    on_broken: Callable[[str], None],
) -> None:
    """Passes on what a server sends until it ends; an unreadable frame fails only the call that it answers.

    Args:
        source: the stream that the transport fills.
        sink: the stream that the dispatcher reads.
        pending: the requests in flight, by id; each answer that arrives is recorded there.
        on_broken: called for each unreadable frame.
    """
    async for item in source:
        if isinstance(item, SessionMessage):
            _note(item, pending)
            await sink.send(item)
            continue
        frame, why, is_whole = _frame(item)
        answered = _answered(frame, is_whole, pending)
        if answered is None and '"jsonrpc"' not in frame:
            continue  # a log line on stdout
        on_broken(why)
        if answered is not None:
            pending[answered] = Arrival.UNREADABLE
            answer = ErrorData(code=PARSE_ERROR, message=f"a frame that cannot be read: {why}")
            await sink.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=answered, error=answer)))


def stream() -> tuple[MemoryObjectSendStream[Item], MemoryObjectReceiveStream[Item]]:
    """A stream without a buffer: the sender waits for the reader."""
    return anyio.create_memory_object_stream[Item](0)


def _frame(error: Exception) -> tuple[str, str, bool]:
    """The unreadable line, or its beginning; the reason; and whether it is nevertheless complete JSON."""
    if isinstance(error, OversizedFrameError):
        return str(error), "it is too long", False
    if not isinstance(error, ValidationError):
        return "", type(error).__name__, False
    first = error.errors(include_url=False)[0]
    line = first.get("input")
    if first["type"] == "json_invalid" and isinstance(line, str):
        return line, first["msg"], False
    return json.dumps(line, default=str), first["msg"], True


def _note(item: SessionMessage, pending: dict[int | str, Arrival]) -> None:
    """Records that a readable answer has arrived, if nothing arrived for that request before."""
    if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
        answered = coerce_request_id(item.message.id)
        if pending.get(answered) is Arrival.NONE:
            pending[answered] = Arrival.READ


def _answered(frame: str, is_whole: bool, pending: Collection[int | str]) -> int | str | None:
    """The request that a frame answers: the one that it names, or the only one in flight if its id may be cut off."""
    named = {int(one) for one in _ID.findall(frame)} & set(pending)
    if len(named) == 1:
        return named.pop()
    return next(iter(pending)) if len(pending) == 1 and '"jsonrpc"' in frame and not is_whole else None
