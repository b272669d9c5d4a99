"""What only a fresh process shows: CPU and memory of imports, and of ten thousand concurrent calls."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys

ROUNDS = 15
_PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu(code: str, python: str = sys.executable) -> float:
    """CPU seconds of `python -c code`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL, env=_ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_ratio(code: str) -> float:
    """How many times the CPU time of a bare interpreter the code takes."""
    cpu(code)
    return statistics.median(cpu(code) / cpu("pass") for _ in range(ROUNDS))


def peak(code: str) -> float:
    """Peak memory of a fresh process that runs the code, in MiB (Linux only)."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_PEAK}"], check=True, capture_output=True, text=True, env=_ENVIRONMENT
    )
    return int(run.stdout.split()[-1]) / 1024


def growth(warm_up: str, code: str) -> float:
    """By how much the peak memory of a fresh process grows, in MiB, after a warm-up that loads what is needed once."""
    script = f"{warm_up}\n{_PEAK}\n{code}\n{_PEAK}"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=_ENVIRONMENT)
    before, after = (int(line) for line in run.stdout.split()[-2:])
    return (after - before) / 1024


def added(code: str) -> float:
    """Peak memory beyond a bare interpreter's, in MiB."""
    return statistics.median(peak(code) for _ in range(3)) - statistics.median(peak("pass") for _ in range(3))
