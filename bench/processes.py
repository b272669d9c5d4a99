"""What only a fresh process shows: CPU and memory of imports, and of ten thousand concurrent calls."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

ROUNDS = 9
_RSS = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"


def cpu(code: str) -> float:
    """CPU seconds of `python -c code`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_ratio(code: str) -> float:
    """How many times the CPU time of a bare interpreter the code takes."""
    cpu(code)
    return statistics.median(cpu(code) / cpu("pass") for _ in range(ROUNDS))


def peak(code: str) -> float:
    """Peak memory of a fresh process that runs the code, in MiB."""
    run = subprocess.run([sys.executable, "-c", f"{code}\n{_RSS}"], check=True, capture_output=True, text=True)
    return int(run.stdout.split()[-1]) / 1024


def added(code: str) -> float:
    """Peak memory beyond a bare interpreter's, in MiB."""
    return statistics.median(peak(code) for _ in range(3)) - statistics.median(peak("pass") for _ in range(3))
