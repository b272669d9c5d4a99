"""What a forked process must not inherit: threads that it does not have, locks that they held, and shared event loops.

Only the thread that forks survives in the child. A pool whose workers are gone, or a lock that one of them held, would
make every later call in the child wait forever, as in servers that load the program once and fork their workers.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol
from weakref import WeakSet


class Forked(Protocol):
    """Holds threads, event loops, or places of callers that run in other threads."""

    def forked(self) -> None:
        """Called in the child process: drops what only the parent has."""


_LOCKS: WeakSet[Any] = WeakSet()
_LAZY_PACKAGES = frozenset({"mulligan", "msgspec", "jsonschema_rs", "cattrs", "rapidfuzz", "docstring_parser"})
_IMPORT_LOCKS: Mapping[str, object] = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
_MOST_IMPORTS = 100
_OWNERS: WeakSet[Forked] = WeakSet()


def shared_lock() -> threading.Lock:
    """A lock that is open in a forked process, whichever thread held it in the parent."""
    lock = threading.Lock()
    _LOCKS.add(lock)
    return lock


def shared_rlock() -> threading.RLock:
    """The same, reentrant."""
    lock = threading.RLock()
    _LOCKS.add(lock)
    return lock


def survive_fork(owner: Forked) -> None:
    """Registers an object whose `forked` is called in every forked process, for as long as the object lives.

    Args:
        owner: the object.
    """
    _OWNERS.add(owner)


def _finish_imports() -> None:
    """Waits for modules of ours, and of what is imported on first use, that other threads are about to import.

    The lock of a module that is half imported would stay locked in the child.
    """
    for _ in range(_MOST_IMPORTS):
        names = [name for name in tuple(_IMPORT_LOCKS) if name.partition(".")[0] in _LAZY_PACKAGES]
        if not names:
            return
        for name in names:
            with suppress(Exception):
                import_module(name)


def _reset_child() -> None:
    for lock in list(_LOCKS):
        lock._at_fork_reinit()  # noqa: SLF001 - as the standard library does
    for owner in list(_OWNERS):
        owner.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports, after_in_child=_reset_child)
