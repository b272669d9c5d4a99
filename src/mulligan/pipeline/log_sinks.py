"""Where log lines go: to the standard logger, to loguru, or to standard error as JSON.

logging, loguru and datetime are imported with the first line. Foreign text is never a format string.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from mulligan.untrusted.text import safe_str

_STANDARD_LEVELS = {"INFO": 20, "SUCCESS": 20, "WARNING": 30, "ERROR": 40}


class LogLine(NamedTuple):
    """One line of the log.

    Attributes:
        level: how severe it is.
        text: what happened, one clean line.
        fields: the same as values, for programs that read logs.
        details: more lines, for the person who fixes the cause.
    """

    level: str
    text: str
    fields: Mapping[str, Any]
    details: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The line with its details, which are indented."""
        return "\n".join([self.text, *(f"  {line}" for text in self.details for line in text.splitlines())])


class Sink(Protocol):
    """Where lines go."""

    def is_on(self, level: str) -> bool:
        """Whether lines of this level are written at all."""

    def write(self, line: LogLine) -> None:
        """Writes a line."""


class StandardSink:
    """The standard logger `mulligan`. Its records have the fields of a line as the attribute `mulligan`."""

    def __init__(self) -> None:
        import logging

        self._logger = logging.getLogger("mulligan")

    def is_on(self, level: str) -> bool:
        """Whether the logger is enabled for this level."""
        return self._logger.isEnabledFor(_STANDARD_LEVELS[level])

    def write(self, line: LogLine) -> None:
        """Logs a line."""
        self._logger.log(_STANDARD_LEVELS[line.level], "%s", line.whole, extra={"mulligan": dict(line.fields)})


class LoguruSink:
    """The logger of loguru, with the fields of a line as its `extra`."""

    def __init__(self) -> None:
        from loguru import logger

        self._logger = logger

    def is_on(self, level: str) -> bool:
        """Always: loguru's own sinks decide."""
        return True

    def write(self, line: LogLine) -> None:
        """Logs a line."""
        self._logger.bind(**line.fields).log(line.level, "{}", line.whole)


class JsonSink:
    """Standard error, one JSON object for each line."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def is_on(self, level: str) -> bool:
        """Always."""
        return True

    def write(self, line: LogLine) -> None:
        """Writes an object with the time, the level, the message and the fields."""
        import json
        from datetime import datetime

        time = datetime.now().astimezone().isoformat(timespec="milliseconds")
        record = {"time": time, "level": line.level, "message": line.text, **line.fields}
        if line.details:
            record["details"] = list(line.details)
        text = json.dumps(record, ensure_ascii=False, default=safe_str)
        with self._lock:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


SINKS: Mapping[str, Callable[[], Sink]] = {"loguru": LoguruSink, "logging": StandardSink, "json": JsonSink}
