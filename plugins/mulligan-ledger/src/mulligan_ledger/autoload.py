"""What the entry point loads: a ledger if `MULLIGAN_LEDGER` or `[tool.mulligan.ledger]` names a file, otherwise nothing.

The environment comes first. Pipelines of one process that record in the same file share one ledger.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mulligan.errors import UsageError
from mulligan.hookimpl import hookimpl
from mulligan.pipeline.config import read_plugin_settings
from mulligan.spelling import did_you_mean

if TYPE_CHECKING:
    from mulligan_ledger.ledger import Ledger

VARIABLE = "MULLIGAN_LEDGER"
_KEYS = ("path", "durable", "content", "keep_days", "keep_bytes")
_suspended: ContextVar[bool] = ContextVar("suspended", default=False)
_LEDGERS: dict[tuple[Any, ...], Ledger] = {}


class _Off:
    """Records nothing, because no file is configured. Its one hookimpl is called once per pipeline, never per call."""

    @hookimpl
    def feedback_formats(self) -> tuple[()]:
        """None."""
        return ()


def __getattr__(name: str) -> Any:
    """`plugin`, decided when a pipeline loads its plugins."""
    if name != "plugin":
        raise AttributeError(name)
    return _Off() if _suspended.get() else configured() or _Off()


@contextmanager
def suspended() -> Iterator[None]:
    """Pipelines created within this context record nothing: they replay what is recorded."""
    token = _suspended.set(True)
    try:
        yield
    finally:
        _suspended.reset(token)


def configured() -> Ledger | None:
    """The ledger that the environment or the nearest configuration file asks for, or None.

    Raises:
        UsageError: the settings are invalid; names the place and the key.
    """
    found = read_plugin_settings("ledger")
    file, table = found if found is not None else (None, {})
    settings = dict(table)
    where = VARIABLE if file is None else f"{file.name}, [tool.mulligan.ledger]"
    _check_keys(settings, where)
    if file is not None and isinstance(settings.get("path"), str):
        settings["path"] = str(file.parent / settings["path"])
    if path := os.environ.get(VARIABLE):
        settings["path"] = path
    if not settings.get("path"):
        if found is not None:
            raise UsageError(f"{where}: path is missing; write path = 'runs.db', or set {VARIABLE}")
        return None
    from mulligan_ledger.ledger import Ledger

    path = str(Path(settings.pop("path")).absolute())
    key = (path, *sorted(settings.items()))
    if key not in _LEDGERS:
        try:
            _LEDGERS[key] = Ledger(path, **settings)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
    return _LEDGERS[key]


def _check_keys(settings: Mapping[str, Any], where: str) -> None:
    for key in settings:
        if key not in _KEYS:
            raise UsageError(f"{where}: unknown key {key!r}. {did_you_mean(key, _KEYS)}")
