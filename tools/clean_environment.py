"""The environment of programs that tests and page runners start: the same in a terminal, an editor and a build server."""

from __future__ import annotations

import os
import pathlib

SOURCE = str(pathlib.Path(__file__).parents[1] / "src")
_INHERITED = ("HOME", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")


def clean_environment(*folders: object, **variables: str) -> dict[str, str]:
    """Return an environment without variables that turn on colors, widths, build-server modes or settings of mulligan.

    Args:
        folders: more folders to import from, after the source of mulligan.
        variables: more variables; they replace those set here.
    """
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {
        **inherited,
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([SOURCE, *map(str, folders)]),
        **variables,
    }
