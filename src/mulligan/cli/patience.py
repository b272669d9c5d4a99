"""Says which plugin is being imported where that takes long: nobody can stop an import, but it can be blocked."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mulligan.cli.streams import tell
from mulligan.plugging.entry_points import read_entry_points
from mulligan.plugging.plugins import GROUP

SECONDS = 5.0


@contextmanager
def impatient() -> Iterator[None]:
    """Writes a line to stderr if what is done takes long since a plugin is being imported."""
    timer = threading.Timer(SECONDS, _tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell() -> None:
    for name in _importing():
        step = f"block it with MULLIGAN_BLOCK_PLUGINS={name}"
        tell(f"mulligan: plugin {name!r} is still being imported after {SECONDS:g} s; wait, or {step}\n")


def _importing() -> Iterator[str]:
    for entry in read_entry_points(GROUP):
        spec = getattr(sys.modules.get(entry.module), "__spec__", None)
        if getattr(spec, "_initializing", False):
            yield entry.name
