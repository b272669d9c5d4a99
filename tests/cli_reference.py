"""Makes the examples of docs/reference/cli.md true: `python tests/cli_reference.py` writes what each command really prints."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from surroundings import surroundings

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "cli.md"
EXCERPT = re.compile(r"(?<=^One of the nine \(an excerpt\):\n\n```text\n)(.*?)(?=^```)", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """The texts of all blocks of one language.

    Args:
        page: its text.
        language: as the blocks name it.
    """
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def excerpt(demo: str, like: str) -> str:
    """One turn of the demo.

    Args:
        demo: all that it prints.
        like: the turn that the page has: that of the same number is given.
    """
    number = like.split()[0]
    turns = re.split(r"^(?= ?\d+  )", demo, flags=re.MULTILINE)
    return next(turn for turn in turns if turn.split()[0] == number).rstrip() + "\n"


def filled(page: str, folder: pathlib.Path) -> str:
    """The page with what its commands print, without any plugin that is installed here.

    Args:
        page: its text.
        folder: an empty folder to work in.
    """
    (folder / "shoes.py").write_text(blocks(page, "python")[0], encoding="utf-8")
    (folder / "chat.jsonl").write_text(blocks(page, "json")[0], encoding="utf-8")
    environment = surroundings(MULLIGAN_DISABLE_PLUGIN_AUTOLOAD="1")

    def printed(words: list[str]) -> str:
        command = [sys.executable, "-m", "mulligan.cli", *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def shown(line: str) -> str:
        return f"$ {line}\n{printed(shlex.split(line)[1:])}"

    def fill(found: re.Match[str]) -> str:
        lines = re.findall(r"^\$ (.*)$", found[1], re.MULTILINE)
        return "```console\n" + "".join(map(shown, lines)) + "```"

    demo = printed(["demo", "--fast", "--plain"])
    return CONSOLE.sub(fill, EXCERPT.sub(lambda found: excerpt(demo, found[0]), page))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), pathlib.Path(folder)), encoding="utf-8")
