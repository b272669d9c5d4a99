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
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """The texts of all blocks of one language.

    Args:
        page: its text.
        language: as the blocks name it.
    """
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def filled(page: str, folder: pathlib.Path) -> str:
    """The page with what its commands print, without any plugin that is installed here.

    Args:
        page: its text.
        folder: an empty folder to work in.
    """
    (folder / "shoes.py").write_text(blocks(page, "python")[0], encoding="utf-8")
    (folder / "chat.jsonl").write_text(blocks(page, "json")[0], encoding="utf-8")
    environment = surroundings(MULLIGAN_DISABLE_PLUGIN_AUTOLOAD="1")

    def shown(line: str) -> str:
        _, *words = shlex.split(line)
        command = [sys.executable, "-m", "mulligan.cli", *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return f"$ {line}\n{done.stdout}{done.stderr}"

    def fill(found: re.Match[str]) -> str:
        lines = re.findall(r"^\$ (.*)$", found[1], re.MULTILINE)
        return "```console\n" + "".join(map(shown, lines)) + "```"

    return CONSOLE.sub(fill, page)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), pathlib.Path(folder)), encoding="utf-8")
