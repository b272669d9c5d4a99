"""Whether type checkers accept what the pages show: `python tests/typed_pages.py` asks mypy and basedpyright.

Each page's files are written to a folder of their own, since several pages have a `tools.py`. What is not annotated there is
not asked to be, but what is called has to fit.

`python tests/typed_pages.py plugins/mulligan-adk/README.md` asks mypy, strictly, of the code of one README, where the library that
it shows is installed: the blocks of a README are one program, and stand in the lines in which they stand there.
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
GIVEN = {
    "mulligan-langchain": "from langchain_core.language_models import BaseChatModel; model: BaseChatModel",
    "mulligan-openai-agents": "from agents import Model; model: Model",
    "mulligan-pydantic-ai": "from pydantic_ai.models import Model; model: Model",
}  # what the reader of a README has already
UNTYPED = {
    "mulligan-aws": "botocore has no types",
    "mulligan-google": "google-api-core has no types for the arguments of its exceptions",
    "mulligan-saas": "slack_sdk has no types for the arguments of its exceptions",
    "mulligan-search": "wikipedia has no types",
}  # why what a README calls of a library is not checked; all else in it is
OF_A_LIBRARY = ("[import-untyped]", "[no-untyped-call]")
STRICTLY = ("--config-file=", "--cache-dir=/dev/null", "--strict", "--no-error-summary")


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
            files = {"ten_lines.py": test_pages.blocks(page)[3][2]}
        if files:
            written.append(folder / page.stem)
            written[-1].mkdir()
        for name, text in files.items():
            (written[-1] / name).parent.mkdir(parents=True, exist_ok=True)
            (written[-1] / name).write_text(text, "utf-8")
    return written


def typed(page: pathlib.Path) -> bool:
    """Asks mypy of a plugin package's README, and prints what is wrong; returns whether nothing is.

    Args:
        page: the README.
    """
    package = page.parent.name
    why = UNTYPED.get(package)
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "README.py").write_text(program(page.read_text("utf-8"), GIVEN.get(package, "")), "utf-8")
        asked = [sys.executable, "-m", "mypy", *STRICTLY, "README.py"]
        ran = subprocess.run(asked, cwd=name, check=False, capture_output=True, text=True)
    told = [line for line in ran.stdout.splitlines() if ": error: " in line]
    if ran.returncode and not told:
        raise SystemExit(f"mypy could not check {page}: {ran.stdout}{ran.stderr}")
    wrong = [line for line in told if why is None or not line.endswith(OF_A_LIBRARY)]
    if why is not None and told == wrong:
        wrong.append(f": that {why} is so no longer: take it out of UNTYPED")
    elif why is not None:
        print(f"NOT CHECKED: what {page} calls of its library: {why}")
    print("".join(f"{page}{line.removeprefix('README.py')}\n" for line in wrong), end="")
    return not wrong


def program(page: str, given: str) -> str:
    """The Python code of a page, in the lines in which it stands there.

    Args:
        page: the text of the page.
        given: the first line.
    """
    lines = [""] * (page.count("\n") + 1)
    for found in test_pages.BLOCK.finditer(page):
        if found[2] == "python":
            first = page.count("\n", 0, found.start(4))
            code = found[4].splitlines()
            lines[first : first + len(code)] = code
    return "\n".join([given, *lines[1:]])


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
    sys.exit(not all([typed(pathlib.Path(name)) for name in sys.argv[1:]]) if sys.argv[1:] else main())
