"""Write the output of each command into docs/reference/cli.md: `python tools/cli_page.py`."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from clean_environment import clean_environment
from code_blocks import code_blocks

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "cli.md"
EXCERPT = re.compile(r"(?<=^One of the nine \(an excerpt\):\n\n```text\n)(.*?)(?=^```)", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """Return the texts of all blocks in one language.

    Args:
        page: the text of the page.
        language: the language that the blocks name.
    """
    return [text for block_language, _, text in code_blocks(page) if block_language == language]


def demo_turn(demo: str, excerpt: str) -> str:
    """Return one turn of the demo.

    Args:
        demo: the output of the demo.
        excerpt: the turn that the page shows; the turn with the same number is returned.
    """
    number = excerpt.split(maxsplit=1)[0]
    turns = re.split(r"^(?= ?\d+  )", demo, flags=re.MULTILINE)
    return next(turn for turn in turns if turn.split(maxsplit=1)[0] == number).rstrip() + "\n"


def with_outputs(page: str, folder: pathlib.Path) -> str:
    """Return the page with what its commands print when no plugin is installed.

    Args:
        page: the text of the page.
        folder: an empty folder in which the commands run.
    """
    (folder / "shoes.py").write_text(blocks(page, "python")[0], encoding="utf-8")
    (folder / "chat.jsonl").write_text(blocks(page, "json")[0], encoding="utf-8")
    environment = clean_environment(MULLIGAN_DISABLE_PLUGIN_AUTOLOAD="1")

    def run(words: list[str]) -> str:
        command = [sys.executable, "-m", "mulligan.cli", *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def run_block(block: re.Match[str]) -> str:
        lines = re.findall(r"^\$ (.*)$", block[1], re.MULTILINE)
        return "```console\n" + "".join(f"$ {line}\n{run(shlex.split(line)[1:])}" for line in lines) + "```"

    demo = run(["demo", "--fast", "--plain"])
    return CONSOLE.sub(run_block, EXCERPT.sub(lambda excerpt: demo_turn(demo, excerpt[0]), page))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(with_outputs(PAGE.read_text(encoding="utf-8"), pathlib.Path(folder)), encoding="utf-8")
