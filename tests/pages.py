"""Pages whose examples are run: `python tests/pages.py docs/how-to/*.md` writes the true outputs into them.

A fenced block whose info string names a file (```` ```python acme.py ````) is that file; each `$ ` line of a `console` block
is run in a shell, in a folder that holds the files so far, and what it prints stands below it. The next command goes on where
the last one left off: in its folder, and in its environment. A page that makes a virtual environment installs mulligan into it
from a wheel of this checkout; all other libraries are those of the interpreter that runs this.
"""

from __future__ import annotations

import os
import pathlib
import re
import stat
import subprocess
import sys
import sysconfig
import tempfile

from surroundings import SOURCE, surroundings

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
    environment = offline(programs, site, work)
    if "python -m venv" in page:
        environment |= of_its_own(folder / "wheels")
    shell = Shell(work, environment, folder)

    def fill(found: re.Match[str]) -> str:
        language, name, text = found.groups()
        if name is not None:
            file = shell.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if language != "console":
            return found[0]
        commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(map(shell.shown, commands)) + "```"

    return BLOCK.sub(fill, page)


def offline(programs: pathlib.Path, site: pathlib.Path, work: pathlib.Path) -> dict[str, str]:
    """An environment in which `pip install` goes to a folder of its own, offline, and other plugins do not count."""
    import importlib.metadata

    others = [point.name for point in importlib.metadata.entry_points(group="mulligan")]
    return surroundings(site, work) | {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "MULLIGAN_BLOCK_PLUGINS": ",".join(others),
        "PIP_TARGET": str(site),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


def of_its_own(wheels: pathlib.Path) -> dict[str, str]:
    """What differs where a page makes a virtual environment: mulligan comes from a wheel, and nothing of the checkout counts.

    Args:
        wheels: a folder for the wheel, which stands in for the package index.
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


class Shell:
    """A shell in which one command comes after the other.

    Args:
        folder: where it begins.
        environment: its environment.
        notes: a folder for what it remembers.
    """

    def __init__(self, folder: pathlib.Path, environment: dict[str, str], notes: pathlib.Path) -> None:
        self.folder = folder
        self._environment = environment
        self._note = notes / "environment"

    def shown(self, command: str) -> str:
        """A command with what it prints, as a terminal shows it.

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
        lines = [line.rstrip() for line in TOOK.sub(" in 0.01s", done.stdout.decode()).splitlines()]
        return "\n".join([f"$ {command}", *lines, ""])


if __name__ == "__main__":
    for given in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            given.write_text(filled(given.read_text(encoding="utf-8"), pathlib.Path(folder)), encoding="utf-8")
