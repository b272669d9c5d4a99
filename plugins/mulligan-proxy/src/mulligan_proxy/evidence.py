"""Evidence of why a connection ended: the program's last lines on stderr, or the last HTTP status."""

from __future__ import annotations

import os
import re
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import anyio
from httpx2 import Response

_LINES = 100
_CHUNK = 65_536
_SETTLE_SECONDS = 0.5
_TELLING = re.compile(
    r"\b\w*(?:Error|Exception)\b[:( ]|\b(?:not found|cannot|could not|no such|refused|denied|required|usage:)",
    re.IGNORECASE,
)


class Evidence:
    """Evidence from one connection.

    Attributes:
        status: the last HTTP status, or None.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        self._lines: deque[bytes] = deque(maxlen=_LINES)
        self._thread: threading.Thread | None = None

    @contextmanager
    def stderr(self) -> Iterator[TextIO]:
        """The file to which a program writes its stderr; all of it is copied to the proxy's own stderr."""
        source, sink = os.pipe()
        self._thread = threading.Thread(target=self._pass_on, args=(source,), daemon=True)
        self._thread.start()
        with os.fdopen(sink, "w") as file:
            yield file

    async def last_words(self) -> str:
        """The line that best explains why the program ended, or an empty text."""
        if self._thread is not None:
            await anyio.to_thread.run_sync(self._thread.join, _SETTLE_SECONDS)
        lines = [line for one in tuple(self._lines) if (line := one.decode("utf-8", "replace").strip())]
        return next((line for line in lines if _TELLING.search(line)), lines[-1] if lines else "")

    async def note(self, response: Response) -> None:
        """Records a response of a remote server.

        Args:
            response: the response.
        """
        self.status = response.status_code

    def _pass_on(self, source: int) -> None:
        rest = b""
        with os.fdopen(source, "rb", buffering=0) as stream:
            while chunk := stream.read(_CHUNK):
                with suppress(OSError):  # the client no longer reads it
                    os.write(2, chunk)
                *lines, rest = (rest + chunk).split(b"\n")
                self._lines.extend(lines)
                rest = rest[-_CHUNK:]
        self._lines.append(rest)
