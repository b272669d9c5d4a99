"""Reports a plugin whose import takes long: an import cannot be stopped, but the plugin can be blocked."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mulligan.cli.streams import tell
from mulligan.hooks.discovery import GROUP
from mulligan.hooks.entry_points import read_entry_points

SECONDS = 5.0


@contextmanager
def impatient() -> Iterator[None]:
    """Writes a line to stderr if a plugin is still being imported after some seconds."""
    timer = threading.Timer(SECONDS, _report)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _report() -> None:
    for name in _importing():
        step = f"block it with MULLIGAN_BLOCK_PLUGINS={name}"
        tell(f"mulligan: the import of plugin {name!r} takes more than {SECONDS:g} s; wait, or {step}\n")


def _importing() -> Iterator[str]:
    for entry in read_entry_points(GROUP):
        spec = getattr(sys.modules.get(entry.module), "__spec__", None)
        if getattr(spec, "_initializing", False):
            yield entry.name
