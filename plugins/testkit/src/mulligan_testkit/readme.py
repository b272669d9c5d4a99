"""The example of a package's README, run as a reader would run it."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from itertools import takewhile


def assert_example_runs(package: pathlib.Path) -> None:
    """Checks that the first Python block of the README runs and prints what the comments at its end show.

    Args:
        package: the package's folder.
    """
    code = (package / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    expected = [*takewhile(lambda line: line.startswith("#"), reversed(code.splitlines()))][::-1]
    command = [sys.executable, "-X", "utf8", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")  # noqa: S603 - our own README
    assert run.returncode == 0, run.stderr
    assert expected, "the example does not show what it prints"
    assert [f"# {line}" for line in run.stdout.splitlines()] == expected
