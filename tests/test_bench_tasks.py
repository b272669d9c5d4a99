"""The benchmark of whole tasks, without the model: some tasks of each toolset; all of them by `python bench/tasks/run.py check`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).parents[1] / "bench" / "tasks" / "run.py"
TASKS = "files-1,shop-2,tickets-2,tickets-6,git-4"


def test_tasks_can_be_solved_with_faults_and_not_by_doing_nothing():
    done = subprocess.run(
        [sys.executable, str(RUN), "check", "--only", TASKS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("5 tasks;"), done.stdout
