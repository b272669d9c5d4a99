"""Update the list of public names that tests hold: `python tools/public_names.py`. A name is added, and never taken away."""

from __future__ import annotations

import importlib
import inspect
import pathlib
from collections.abc import Iterator

LIST = pathlib.Path(__file__).parents[1] / "tests" / "data" / "public_names.txt"
FACES = (
    "mulligan",
    "mulligan.adapters",
    "mulligan.dialects",
    "mulligan.errors",
    "mulligan.events",
    "mulligan.hookspecs",
    "mulligan.middleware",
    "mulligan.pipeline",
    "mulligan.plugin",
    "mulligan.repair",
    "mulligan.testing",
    "pytest_mulligan",
)


def public_names() -> set[str]:
    """Return every public name as `module:name`; of a class its members too, of a function the parameters."""
    return {f"{face}:{name}" for face in FACES for name in _names_of(face)}


def _names_of(face: str) -> Iterator[str]:
    module = importlib.import_module(face)
    own = {name for name, value in vars(module).items() if getattr(value, "__module__", None) == face}
    for name in {*getattr(module, "__all__", ()), *own}:
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value):
            continue
        yield name
        if inspect.isclass(value):
            yield from (f"{name}.{member}" for member in dir(value) if not member.startswith("_"))
        elif inspect.isfunction(value):
            yield from (f"{name}({parameter})" for parameter in inspect.signature(value).parameters)


if __name__ == "__main__":
    known = set(LIST.read_text("utf-8").splitlines()) if LIST.exists() else set()
    LIST.write_text("\n".join(sorted(known | public_names())) + "\n", "utf-8")
