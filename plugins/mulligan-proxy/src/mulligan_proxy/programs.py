"""Runs a server that is a program: talks to it on stdin and stdout, and ends it with everything that it started.

The SDK's own transport searches the whole of an unfinished line again for each chunk that arrives, so a result of a hundred
megabytes takes minutes. This one looks at each byte once, and reads more only when the previous message has been consumed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TextIO

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import (
    close_process_job,
    create_windows_process,
    get_windows_executable_command,
    terminate_windows_process_tree,
)
from mcp.shared.message import SessionMessage

from mulligan_proxy.specs import ServerSpec

Item = SessionMessage | Exception
_FLUSH_SECONDS = 0.5
_EXIT_SECONDS = 2.0
_KILL_SECONDS = 2.0
_POLL_SECONDS = 0.01
_MOST_BYTES = 1 << 28
_BEGINNING = 1_000
_GONE = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


class OversizedFrameError(Exception):
    """A line that is too long to keep; the text is its beginning."""


@asynccontextmanager
async def open_program(spec: ServerSpec, stderr: TextIO) -> AsyncIterator[tuple[Any, Any]]:
    """Starts a program, and yields the streams of messages from it and to it. Leaving the context ends it.

    Args:
        spec: the server.
        stderr: where its stderr goes.

    Raises:
        OSError: it cannot be started.
    """
    process = await _start(spec, stderr)
    arrived, read = anyio.create_memory_object_stream[Item](0)
    write, accepted = anyio.create_memory_object_stream[SessionMessage](0)
    flushed = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, process, arrived)
        tasks.start_soon(_write, process, accepted, arrived, flushed)
        try:
            yield read, write
        finally:
            with anyio.CancelScope(shield=True):
                read.close()  # its remaining output is discarded, so that it does not block on writing
                write.close()
                with anyio.move_on_after(_FLUSH_SECONDS):
                    await flushed.wait()
                await _end(process)
            tasks.cancel_scope.cancel()


async def _start(spec: ServerSpec, stderr: TextIO) -> Any:
    environment = {**os.environ, **spec.env}
    program, arguments = spec.command[0], list(spec.command[1:])
    if sys.platform == "win32":
        command = await anyio.to_thread.run_sync(get_windows_executable_command, program)
        return await create_windows_process(command, arguments, environment, stderr, spec.cwd)
    return await anyio.open_process(
        [program, *arguments], env=environment, stderr=stderr, cwd=spec.cwd, start_new_session=True
    )


async def _read(process: Any, arrived: MemoryObjectSendStream[Item]) -> None:
    line = _Line()
    async with arrived:
        with suppress(*_GONE):
            async for chunk in process.stdout:
                first, *rest = chunk.split(b"\n")
                line.add(first)
                for part in rest:
                    await arrived.send(line.message())
                    line = _Line()
                    line.add(part)
    with suppress(*_GONE):
        while True:
            await process.stdout.receive()


class _Line:
    """A line that is still arriving. If it is too long, only its beginning is kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= _MOST_BYTES:
            self._parts.append(part)
        elif len(self._parts) > 1:
            self._parts = [b"".join(self._parts)[:_BEGINNING]]

    def message(self) -> Item:
        if self._size > _MOST_BYTES:
            return OversizedFrameError(b"".join(self._parts).decode("utf-8", "replace"))
        text = b"".join(self._parts)
        try:
            return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
        except ValueError:
            pass
        try:  # invalid UTF-8 is replaced, so that the message is not lost
            return SessionMessage(
                types.jsonrpc_message_adapter.validate_json(text.decode("utf-8", "replace"), by_name=False)
            )
        except ValueError as error:
            return error


async def _write(
    process: Any,
    accepted: MemoryObjectReceiveStream[SessionMessage],
    arrived: MemoryObjectSendStream[Item],
    flushed: anyio.Event,
) -> None:
    try:
        async with accepted:
            async for item in accepted:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")
    except _GONE:
        await arrived.aclose()  # it may survive, but no request reaches it any more
    finally:
        flushed.set()


async def _end(process: Any) -> None:
    with suppress(*_GONE):
        await process.stdin.aclose()
    if not await _has_exited(process, _EXIT_SECONDS):
        if sys.platform == "win32":
            await terminate_windows_process_tree(process)
        else:
            await terminate_posix_process_tree(process, _KILL_SECONDS)
        await _has_exited(process, _KILL_SECONDS)
    close_process_job(process)
    with suppress(*_GONE):
        await process.stdout.aclose()
    _release_pipes(process)


async def _has_exited(process: Any, seconds: float) -> bool:
    """Whether it exits in time. `wait` also waits for the pipes, which a program that it started may hold open."""
    with anyio.move_on_after(seconds):
        while process.returncode is None:
            await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None


def _release_pipes(process: Any) -> None:
    """Closes the pipes that a surviving child of the program holds open; there is no public function for it."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    close = getattr(transport, "close", None)
    if callable(close):
        with suppress(PermissionError):
            close()
