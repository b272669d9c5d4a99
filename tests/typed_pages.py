"""Whether type checkers accept what the pages show: `python tests/typed_pages.py` asks mypy and basedpyright.

Each page's files are written to a folder of their own, since several pages have a `tools.py`. What is not annotated there is
not asked to be, but what is called has to fit.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

import test_pages

ROOT = pathlib.Path(__file__).parents[1]
MYPY = (
    "--config-file=",
    "--check-untyped-defs",
    "--ignore-missing-imports",
    "--warn-unreachable",
    "--no-error-summary",
)
PYRIGHT = {"typeCheckingMode": "basic", "reportMissingImports": False, "reportPossiblyUnboundVariable": False}


def write(folder: pathlib.Path) -> list[pathlib.Path]:
    """Writes the Python files of every page.

    Args:
        folder: an empty folder.

    Returns:
        A folder for each page.
    """
    written = []
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        files = {name: text for _, name, text in test_pages.blocks(page) if (name or "").endswith(".py")}
        if page.name == "README.md" and page.parent == ROOT:
            files = {"ten_lines.py": test_pages.blocks(page)[2][2]}
        if files:
            written.append(folder / page.stem)
            written[-1].mkdir()
        for name, text in files.items():
            (written[-1] / name).parent.mkdir(parents=True, exist_ok=True)
            (written[-1] / name).write_text(text, "utf-8")
    return written


def main() -> int:
    """Asks both; returns how many runs complained."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failed = 0
        for page in write(folder):
            asked = [sys.executable, "-m", "mypy", *MYPY, f"--cache-dir={folder / '.mypy_cache'}", "."]
            failed += bool(subprocess.run(asked, cwd=page, check=False).returncode)
        (folder / "pyrightconfig.json").write_text(json.dumps({"include": ["."], **PYRIGHT}))
        asked = [
            sys.executable,
            "-m",
            "basedpyright",
            "--level",
            "error",
            "-p",
            str(folder),
            "--pythonpath",
            sys.executable,
        ]
        failed += bool(subprocess.run(asked, check=False).returncode)
    return failed


if __name__ == "__main__":
    sys.exit(main())
