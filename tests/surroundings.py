"""What a program inherits that a test starts: the same on every machine, in a terminal, an editor or a build server."""

from __future__ import annotations

import os
import pathlib

SOURCE = str(pathlib.Path(__file__).parents[1] / "src")
_INHERITED = ("HOME", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")


def surroundings(*places: object, **more: str) -> dict[str, str]:
    """An environment of its own: without what turns on colours, widths, build-server modes or settings of mulligan.

    Args:
        places: folders whose modules are to be importable, after mulligan itself.
        more: further variables, or others in the place of these.
    """
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {
        **inherited,
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([SOURCE, *map(str, places)]),
        **more,
    }
