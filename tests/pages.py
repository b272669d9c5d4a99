"""Pages whose examples are run: `python tests/pages.py docs/how-to/*.md` writes the true outputs into them.

A fenced block whose info string names a file (```` ```python acme.py ````) is that file; each `$ ` line of a `console` block
is run in a shell, in a folder that holds the files so far, and what it prints stands below it.
"""

from __future__ import annotations

import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

SOURCE = str(pathlib.Path(__file__).parents[1] / "src")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {
    "mulligan": "-m mulligan.cli",
    "python": "",
    "pip": "-m pip --disable-pip-version-check --quiet",
}
TOOK = re.compile(r" in \d+\.\d+s")


def filled(page: str, folder: pathlib.Path) -> str:
    """The page with the outputs that its commands really have.

    Args:
        page: its text.
        folder: an empty folder to work in.
    """
    work, programs, site = (folder / name for name in ("work", "bin", "site"))
    for made in (work, programs, site):
        made.mkdir()
    for name, words in PROGRAMS.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IEXEC)
    environment = surroundings(programs, site, work)

    def fill(found: re.Match[str]) -> str:
        language, name, text = found.groups()
        if name is not None:
            (work / name).write_text(text, encoding="utf-8")
        if language != "console":
            return found[0]
        commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(shown(command, work, environment) for command in commands) + "```"

    return BLOCK.sub(fill, page)


def surroundings(programs: pathlib.Path, site: pathlib.Path, work: pathlib.Path) -> dict[str, str]:
    """An environment in which `pip install` goes to a folder of its own, offline, and other plugins do not count."""
    import importlib.metadata

    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MULLIGAN_", "COLUMNS", "PIP_"))}
    others = [point.name for point in importlib.metadata.entry_points(group="mulligan")]
    return kept | {
        "PATH": os.pathsep.join([str(programs), kept["PATH"]]),
        "PYTHONPATH": os.pathsep.join([SOURCE, str(site), str(work)]),
        "MULLIGAN_BLOCK_PLUGINS": ",".join(others),
        "PIP_TARGET": str(site),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


def shown(command: str, work: pathlib.Path, environment: dict[str, str]) -> str:
    """A command with what it prints, as a terminal shows it.

    Args:
        command: a line for the shell.
        work: where it is run.
        environment: its environment.
    """
    done = subprocess.run(
        command, shell=True, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    lines = [line.rstrip() for line in TOOK.sub(" in 0.01s", done.stdout.decode()).splitlines()]
    return "\n".join([f"$ {command}", *lines, ""])


if __name__ == "__main__":
    for given in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            given.write_text(filled(given.read_text(encoding="utf-8"), pathlib.Path(folder)), encoding="utf-8")
