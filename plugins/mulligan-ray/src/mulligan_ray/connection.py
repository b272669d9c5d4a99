"""To which cluster this process is connected. Imports nothing of Ray."""

from __future__ import annotations

import os
import sys
import threading

CONNECTING = threading.Lock()  # held while this process connects or disconnects
_FORKED: list[int] = []  # this process, if the one from which it was forked was connected


def connection() -> str | None:
    """The id of this process's connection, made by the host or by an executor; None if there is none."""
    ray = sys.modules.get("ray")
    if _FORKED or ray is None or not hasattr(ray, "is_initialized") or not ray.is_initialized():
        return None
    try:
        return str(ray.get_runtime_context().get_job_id())
    except Exception:  # it has just ended
        return None


def is_forked() -> bool:
    """Whether this process was forked from a connected one: Ray does not work in it, and calls of it would not end."""
    return bool(_FORKED)


def _note_fork() -> None:
    if CONNECTING.locked() or connection() is not None:
        _FORKED.append(os.getpid())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)
