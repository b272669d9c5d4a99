"""A process that the Linux kernel kills because it exceeds the memory limit of its own control group."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_LIMITS = ("memory.limit_in_bytes", "memory.max")
_BYTES = 64 << 20
_NAME = "mulligan-"


def can_outgrow() -> bool:
    """Whether this process may create a control group with a memory limit."""
    try:
        group = _make_group()
    except OSError:
        return False
    group.rmdir()
    return True


def outgrow() -> None:
    """Allocates memory until the kernel kills this process. `remove_groups` removes its control group."""
    (_make_group() / "cgroup.procs").write_text(str(os.getpid()))
    held = []
    while True:
        held.append(b"x" * (4 << 20))


def remove_groups() -> None:
    """Removes the control groups of processes that were killed."""
    parent = _own_group()
    for group in [] if parent is None else parent.glob(f"{_NAME}*"):
        with suppress(OSError):  # its process is still ending
            group.rmdir()


def _make_group() -> Path:
    """Creates a control group for this process, with a memory limit.

    Raises:
        OSError: it cannot be created here.
    """
    parent = _own_group()
    if parent is None:
        raise OSError("this process is not in a control group for memory")
    group = parent / f"{_NAME}{os.getpid()}"
    group.mkdir(exist_ok=True)
    for name in _LIMITS:
        if (group / name).exists():
            (group / name).write_text(str(_BYTES))
            return group
    group.rmdir()
    raise OSError("control groups do not limit memory here")


def _own_group() -> Path | None:
    """The folder of the control group that limits the memory of this process: version 1, otherwise version 2."""
    groups = Path("/proc/self/cgroup")
    lines = [line.split(":", 2) for line in groups.read_text("utf-8").splitlines()] if groups.exists() else []
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            return _ROOT / "memory" / path.lstrip("/")
    return next((_ROOT / path.lstrip("/") for number, _, path in lines if number == "0"), None)
