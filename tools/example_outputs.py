"""Run the commands on pages and write their outputs below them: `python tools/example_outputs.py docs/how-to/*.md`.

A fenced block whose info string names a file (```` ```python acme.py ````) is that file. Each `$ ` line of a `console` block
runs in a shell, in a folder that holds the files so far, and its output is written below it. Each command starts in the
folder and with the environment that the command before it left. If a page creates a virtual environment, mulligan is
installed into it from a wheel of this checkout; all other libraries are those of the interpreter that runs this program.
"""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import re
import stat
import subprocess
import sys
import sysconfig
import tempfile

from clean_environment import SOURCE, clean_environment
from code_blocks import BLOCK

PROGRAMS = {
    "mulligan": "-m mulligan.cli",
    "python": "",
    "pip": "-m pip --disable-pip-version-check --quiet",
}
DURATION = re.compile(r" in \d+\.\d+s")


def with_outputs(page: str, folder: pathlib.Path) -> str:
    """Return the page with the actual outputs of its commands.

    Args:
        page: the text of the page.
        folder: an empty folder in which the commands run.
    """
    work, programs, site = (folder / name for name in ("work", "bin", "site"))
    for subfolder in (work, programs, site):
        subfolder.mkdir()
    for name, words in PROGRAMS.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IEXEC)
    environment = _offline(programs, site, work)
    if "import logging" not in page:
        environment["MULLIGAN_LOG"] = "off"  # log lines on standard error hold durations and paths
    if "python -m venv" in page:
        environment |= _for_virtual_environment(folder / "wheels")
    shell = Shell(work, environment, folder)

    def fill(block: re.Match[str]) -> str:
        language, name, text = block.group("language", "name", "text")
        if name is not None:
            file = shell.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if language != "console":
            return block[0]
        commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(map(shell.run, commands)) + "```"

    return BLOCK.sub(fill, page)


class Shell:
    """A shell that keeps its folder and its environment from one command to the next.

    Args:
        folder: the folder of the first command.
        environment: the environment of the first command.
        notes: a folder in which the environment is kept between commands.
    """

    def __init__(self, folder: pathlib.Path, environment: dict[str, str], notes: pathlib.Path) -> None:
        self.folder = folder
        self._environment = environment
        self._note = notes / "environment"

    def run(self, command: str) -> str:
        """Run a command and return it with its output, as a terminal shows both.

        Args:
            command: a line for the shell.
        """
        done = subprocess.run(
            f'{command}\nenv -0 > "{self._note}"',
            shell=True,
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if self._note.exists():
            pairs = self._note.read_bytes().decode().rstrip("\0").split("\0")
            self._environment = dict(pair.split("=", 1) for pair in pairs)
            self.folder = pathlib.Path(self._environment["PWD"])
        lines = [line.rstrip() for line in DURATION.sub(" in 0.01s", done.stdout.decode()).splitlines()]
        return "\n".join([f"$ {command}", *lines, ""])


def _offline(programs: pathlib.Path, site: pathlib.Path, work: pathlib.Path) -> dict[str, str]:
    """An environment in which `pip install` works offline and fills `site`, and installed plugins are blocked."""
    installed = [point.name for point in importlib.metadata.entry_points(group="mulligan")]
    return clean_environment(site, work) | {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "MULLIGAN_BLOCK_PLUGINS": ",".join(installed),
        "PIP_TARGET": str(site),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


def _for_virtual_environment(wheels: pathlib.Path) -> dict[str, str]:
    """The variables that differ if a page creates a virtual environment: mulligan comes from a wheel, not from the source.

    Args:
        wheels: a folder for the wheel, which replaces the package index.
    """
    build = ["wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels)]
    subprocess.run([sys.executable, "-m", "pip", *build, str(pathlib.Path(SOURCE).parent)], check=True)
    libraries = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    return {
        "PYTHONPATH": os.pathsep.join(sorted(libraries)),
        "PIP_TARGET": "",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_IGNORE_INSTALLED": "1",
        "PIP_QUIET": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


if __name__ == "__main__":
    for page in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(with_outputs(page.read_text(encoding="utf-8"), pathlib.Path(folder)), encoding="utf-8")
