"""`Ledger`, the plugin that records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

from mulligan.errors import MulliganError, UsageError
from mulligan.events import CallFinished, Event, RequestNoted
from mulligan.hookimpl import hookimpl
from mulligan_ledger.records import CONTENTS, Content
from mulligan_ledger.retention import Retention
from mulligan_ledger.writer import Writer


class LedgerError(MulliganError):
    """The ledger cannot write. It is reported once, as a fault of the plugin; calls are not affected."""


class Ledger:
    """Records every session, call, attempt, repair and feedback in an SQLite file.

    Pass it to a pipeline: `Pipeline(plugins=[Ledger("runs.db")])`. Several pipelines, threads and processes may record in
    one file. A forked child process continues to record on its own. Two ledgers of the same file are equal: a pipeline
    keeps only one of them, so that each call is recorded once. A ledger in code takes precedence over `MULLIGAN_LEDGER`
    and the settings.

    Args:
        path: the file; it is created, readable by its owner only, when the first call ends.
        durable: whether a call is written before its result is returned. Otherwise a thread writes four times a second, so
            that a process which is killed loses at most the last second.
        content: which arguments, results and texts are kept: `full` for all; `errors` for those of failed calls; `none`
            for none, only facts such as names, classes and times. Everything that is kept is redacted and bounded.
        keep_days: days after its last call when a conversation is deleted; None keeps all.
        keep_bytes: the maximum size of the file; beyond it, the oldest conversations are deleted. None for no limit.

    Attributes:
        path: the file.

    Raises:
        UsageError: an argument is invalid.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        durable: bool = False,
        content: Content = "full",
        keep_days: float | None = None,
        keep_bytes: int | None = None,
    ) -> None:
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise UsageError(f"Ledger takes the path of a file, not {path!r:.80}; as in Ledger('runs.db')")
        if content not in CONTENTS:
            raise UsageError(f"Ledger(content={content!r:.40}): use one of {', '.join(map(repr, CONTENTS))}")
        if not isinstance(durable, bool):
            raise UsageError(f"Ledger(durable={durable!r:.40}): use True or False")
        for name, value in (("keep_days", keep_days), ("keep_bytes", keep_bytes)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0):
                raise UsageError(f"Ledger({name}={value!r:.40}): use a number above 0, or None")
        self.path = Path(path)
        if self.path.is_dir() or not self.path.absolute().parent.is_dir():
            wrong = "is a directory" if self.path.is_dir() else f"{self.path.absolute().parent} is not a directory"
            raise UsageError(f"Ledger({str(path)!r}): {wrong}; use the path of a file in a directory that exists")
        self._file = os.path.realpath(self.path)
        self._durable = durable
        size = None if keep_bytes is None else int(keep_bytes)
        self._writer = Writer(Path(self._file), content, Retention(keep_days, size))
        self._put = self._writer.put
        self._has_reported = False

    @property
    def recorded(self) -> int:
        """The number of calls and requests that this process has written to the file."""
        return self._writer.recorded

    @property
    def lost(self) -> int:
        """The number of calls and requests of this process that could not be recorded."""
        return self._writer.lost

    @hookimpl(trylast=True)
    def observe(self, event: Event) -> None:
        """Records calls and requests of the user.

        Raises:
            LedgerError: earlier events cannot be written; raised once, so that it appears in `Pipeline.faults`.
        """
        kind = type(event)
        if kind is not CallFinished and kind is not RequestNoted:
            return
        if kind is CallFinished:
            event.result.value = None  # type: ignore[union-attr]  # our copy: its text is enough, and it may be large
        self._put(event)
        if self._durable:
            self._writer.flush()
        if self._writer.problem and not self._has_reported:
            self._has_reported = True
            raise LedgerError(f"{self._writer.problem}; calls continue, and those that are not recorded are counted")

    def flush(self) -> bool:
        """Writes everything that was observed so far.

        Returns:
            Whether all of it is in the file.
        """
        return self._writer.flush()

    def close(self) -> None:
        """Writes everything that was observed so far, and closes the file; at the program's end, this is automatic."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self._file == other._file

    def __hash__(self) -> int:
        return hash(self._file)

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, {self.recorded} recorded, {self.lost} lost)"
