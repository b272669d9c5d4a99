"""The client's messages on stdin, read so that the proxy can end while it waits for one."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from typing import Any

_LONGEST = 1 << 28


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
    """The lines of stdin, or None where the SDK's own reader, a thread that cannot be stopped, must do.

    Only a pipe or a socket can be waited for without a thread, and only one that is not stdout at the same time.
    """
    try:
        held, other = os.fstat(0), os.fstat(1)
    except OSError:
        return None
    if sys.platform == "win32" or not (stat.S_ISFIFO(held.st_mode) or stat.S_ISSOCK(held.st_mode)):
        return None
    if (held.st_dev, held.st_ino) == (other.st_dev, other.st_ino):
        return None
    reader = asyncio.StreamReader(limit=_LONGEST)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return Lines(reader)
