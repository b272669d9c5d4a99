"""The stdin and stdout of the proxy: messages are read so that it can end while it waits, or refused if it cannot start."""

from __future__ import annotations

import asyncio
import json
import os
import select
import stat
import sys
from typing import Any

_LONGEST = 1 << 28
_INTERNAL_ERROR = -32603
_SILENCE = 5.0


class Lines:
    """The lines of a stream, each with its line feed.

    Args:
        reader: the stream.
    """

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        line = await self._reader.readline()
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


async def standard_input() -> Any:
    """The lines of stdin, or None if only the SDK's own reader works, a thread that cannot be stopped.

    Only a pipe or a socket can be read without a thread, and only if it is not stdout at the same time.
    """
    if not _is_pipe():
        return None
    held, other = os.fstat(0), os.fstat(1)
    if (held.st_dev, held.st_ino) == (other.st_dev, other.st_ino):
        return None
    reader = asyncio.StreamReader(limit=_LONGEST)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return Lines(reader)


def refuse_requests(sentence: str) -> None:
    """Answers each request on stdin with an error, until the client leaves or is silent for five seconds.

    A client that starts the proxy shows the answer to its first request; most do not show the stderr of a program.

    Args:
        sentence: why the proxy cannot start.
    """
    if not _is_pipe():
        return
    held = b""
    while select.select([0], [], [], _SILENCE)[0] and (chunk := os.read(0, 1 << 16)):
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict) and isinstance(message.get("id"), int | str) and "method" in message:
                error = {"code": _INTERNAL_ERROR, "message": sentence}
                sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}) + "\n")
                sys.stdout.flush()


def discard_output() -> None:
    """Discards what is still to be written to stdout: no one reads it, and Python would report that at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_pipe() -> bool:
    """Whether stdin can be read without a thread."""
    try:
        mode = os.fstat(0).st_mode
        os.fstat(1)
    except OSError:
        return False
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
