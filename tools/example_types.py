"""Type-check the examples on the pages with mypy and basedpyright: `python tools/example_types.py`.

Each page's files are written to a folder of their own, since several pages have a `tools.py`. The examples need no annotations,
but their calls must fit the types.

`python tools/example_types.py plugins/mulligan-adk/README.md` checks one README with strict mypy, in an environment in which
its library is installed. The blocks of a README form one program; its line numbers are those of the README.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

from code_blocks import BLOCK, code_blocks

ROOT = pathlib.Path(__file__).parents[1]
MYPY = (
    "--config-file=",
    "--check-untyped-defs",
    "--ignore-missing-imports",
    "--warn-unreachable",
    "--no-error-summary",
)
MYPY_STRICT = ("--config-file=", "--cache-dir=/dev/null", "--strict", "--no-error-summary")
PYRIGHT = {"typeCheckingMode": "basic", "reportMissingImports": False, "reportPossiblyUnboundVariable": False}
PREAMBLES = {
    "mulligan-crewai": "from crewai import BaseLLM; llm: BaseLLM",
    "mulligan-agent-framework": "from agent_framework import BaseChatClient, ChatOptions; client: BaseChatClient[ChatOptions]",
    "mulligan-haystack": "from haystack.components.generators.chat.types import ChatGenerator; generator: ChatGenerator",
    "mulligan-langchain": "from langchain_core.language_models import BaseChatModel; model: BaseChatModel",
    "mulligan-llamaindex": "from llama_index.core.llms.function_calling import FunctionCallingLLM; llm: FunctionCallingLLM",
    "mulligan-openai-agents": "from agents import Model; model: Model",
    "mulligan-pydantic-ai": "from pydantic_ai.models import Model; model: Model",
    "mulligan-smolagents": "from smolagents import Model; model: Model",
}  # the names that a README expects its reader to have
UNTYPED = {
    "mulligan-aws": "botocore has no types",
    "mulligan-google": "google-api-core has no types for the arguments of its exceptions",
    "mulligan-saas": "slack_sdk has no types for the arguments of its exceptions",
    "mulligan-search": "wikipedia has no types",
    "mulligan-smolagents": "smolagents has no types",
}  # why calls of a README's library are not checked; everything else in the README is
UNTYPED_ERRORS = ("[import-untyped]", "[no-untyped-call]", "[untyped-decorator]")


def check_pages() -> bool:
    """Check the README and every page of the documentation, print what is wrong, and return whether all is right."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        mypy = [sys.executable, "-m", "mypy", *MYPY, f"--cache-dir={folder / '.mypy_cache'}", "."]
        codes = [subprocess.run(mypy, cwd=page, check=False).returncode for page in write_examples(folder)]
        (folder / "pyrightconfig.json").write_text(json.dumps({"include": ["."], **PYRIGHT}))
        pyright = ["basedpyright", "--level", "error", "-p", str(folder), "--pythonpath", sys.executable]
        codes.append(subprocess.run([sys.executable, "-m", *pyright], check=False).returncode)
    return not any(codes)


def write_examples(folder: pathlib.Path) -> list[pathlib.Path]:
    """Write the Python files of every page, and return one folder per page.

    Args:
        folder: an empty folder.
    """
    written = []
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        blocks = code_blocks(page.read_text("utf-8"))
        files = {name: text for _, name, text in blocks if name is not None and name.endswith(".py")}
        if page == ROOT / "README.md":
            files = {"ten_lines.py": next(text for language, _, text in blocks if language == "python")}
        if files:
            written.append(folder / page.stem)
            written[-1].mkdir()
        for name, text in files.items():
            (written[-1] / name).parent.mkdir(parents=True, exist_ok=True)
            (written[-1] / name).write_text(text, "utf-8")
    return written


def check_readme(page: pathlib.Path) -> bool:
    """Check the README of a plugin package, print what is wrong, and return whether all is right.

    Args:
        page: the path of the README.
    """
    package = page.parent.name
    reason = UNTYPED.get(package)
    with tempfile.TemporaryDirectory() as folder:
        program = join_blocks(page.read_text("utf-8"), PREAMBLES.get(package, ""))
        (pathlib.Path(folder) / "README.py").write_text(program, "utf-8")
        mypy = [sys.executable, "-m", "mypy", *MYPY_STRICT, "README.py"]
        done = subprocess.run(mypy, cwd=folder, check=False, capture_output=True, text=True)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    if done.returncode and not errors:
        raise SystemExit(f"mypy could not check {page}: {done.stdout}{done.stderr}")
    shown = [line for line in errors if reason is None or not line.endswith(UNTYPED_ERRORS)]
    if reason is not None and errors == shown:
        shown.append(f": it is no longer true that {reason}: remove {package} from UNTYPED")
    elif reason is not None:
        print(f"NOT CHECKED: the calls of its library in {page}: {reason}")
    print("".join(f"{page}{line.removeprefix('README.py')}\n" for line in shown), end="")
    return not shown


def join_blocks(page: str, preamble: str) -> str:
    """Return the Python code of a page; each line has the number that it has on the page.

    Args:
        page: the text of the page.
        preamble: the first line.
    """
    lines = [""] * (page.count("\n") + 1)
    for block in BLOCK.finditer(page):
        if block["language"] == "python":
            first = page.count("\n", 0, block.start("text"))
            code = block["text"].splitlines()
            lines[first : first + len(code)] = code
    return "\n".join([preamble, *lines[1:]])


def main() -> int:
    """Check the given READMEs, or all pages without arguments; return an exit code."""
    readmes = [pathlib.Path(argument) for argument in sys.argv[1:]]
    results = [check_readme(readme) for readme in readmes] if readmes else [check_pages()]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
