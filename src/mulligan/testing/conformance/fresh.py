"""What an import does, seen in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from typing import NamedTuple

_PROGRAM = """
import json, sys, time
import mulligan.plugin
before, started = set(sys.modules), time.perf_counter()
__import__(sys.argv[1])
seconds = time.perf_counter() - started
print(json.dumps([seconds, sorted({name.partition(".")[0] for name in set(sys.modules) - before})]))
"""
_OWN = frozenset(
    {
        *(
            "attr",
            "attrs",
            "cattrs",
            "cloudpickle",
            "docstring_parser",
            "importlib_metadata",
            "jsonschema_rs",
            "loguru",
        ),
        *("msgspec", "mulligan", "pluggy", "rapidfuzz", "typing_extensions", "zipp"),
    }
)
_PATIENCE = 60


class Imported(NamedTuple):
    """What an import did.

    Attributes:
        seconds: how long it took.
        packages: what it imported besides the standard library and what mulligan itself depends on.
    """

    seconds: float
    packages: tuple[str, ...]


@lru_cache(maxsize=64)
def imported(module: str, attempt: int = 0) -> Imported:
    """Imports a module in a fresh interpreter, once mulligan is imported there.

    Args:
        module: its name.
        attempt: its number; attempts are independent.

    Raises:
        AssertionError: it cannot be imported; shows its output.
    """
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(  # noqa: S603 - this interpreter, and a module that is tested
        [sys.executable, "-c", _PROGRAM, module],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE,
        env={**os.environ, "PYTHONPATH": paths},
    )
    if done.returncode != 0:
        raise AssertionError(
            f"{module} cannot be imported in a fresh interpreter (exit status {done.returncode}):\n{done.stderr[-1_000:]}\n"
            "Is it installed, or its folder on the path? Where the plugin is made elsewhere, set `module`."
        )
    seconds, packages = json.loads(done.stdout.splitlines()[-1])
    foreign = (name for name in packages if name not in sys.stdlib_module_names and name not in _OWN)
    return Imported(seconds, tuple(name for name in foreign if not name.startswith("_")))
