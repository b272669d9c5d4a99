"""A process that the Linux kernel kills since it has no memory left: in a control group of its own, which has a limit."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_LIMITS = ("memory.limit_in_bytes", "memory.max")
_BYTES = 64 << 20
_NAME = "mulligan-"


def can_outgrow() -> bool:
    """Whether this process may make a control group with a limit of memory."""
    try:
        group = _make_group()
    except OSError:
        return False
    group.rmdir()
    return True


def outgrow() -> None:
    """Takes memory until the kernel kills this process. `remove_groups` removes its control group."""
    (_make_group() / "cgroup.procs").write_text(str(os.getpid()))
    held = []
    while True:
        held.append(b"x" * (4 << 20))


def remove_groups() -> None:
    """Removes the control groups of processes that were killed."""
    parent = _own_group()
    for group in [] if parent is None else parent.glob(f"{_NAME}*"):
        with suppress(OSError):  # its process is ending
            group.rmdir()


def _make_group() -> Path:
    """A control group for this process, with a limit.

    Raises:
        OSError: it cannot be made here.
    """
    parent = _own_group()
    if parent is None:
        raise OSError("this process is in no control group for memory")
    group = parent / f"{_NAME}{os.getpid()}"
    group.mkdir(exist_ok=True)
    for name in _LIMITS:
        if (group / name).exists():
            (group / name).write_text(str(_BYTES))
            return group
    group.rmdir()
    raise OSError("control groups do not limit memory here")


def _own_group() -> Path | None:
    """The folder of the control group that limits the memory of this process: of version 1, or else of version 2."""
    groups = Path("/proc/self/cgroup")
    lines = [line.split(":", 2) for line in groups.read_text("utf-8").splitlines()] if groups.exists() else []
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            return _ROOT / "memory" / path.lstrip("/")
    return next((_ROOT / path.lstrip("/") for number, _, path in lines if number == "0"), None)
