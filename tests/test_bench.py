"""The benches are run by hand: what each of them takes from its neighbours exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
SCRIPTS = sorted(BENCH.rglob("*.py"))


def names_in(source: Path) -> set[str]:
    """The names at the top of a module, also those that it imports."""
    names: set[str] = set()
    for node in ast.parse(source.read_text("utf-8")).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        else:
            names |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    return names


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(BENCH)))
def test_what_a_bench_imports_from_its_neighbours_exists(script):
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        path = Path(*node.module.split(".")).with_suffix(".py")
        neighbour = next((folder / path for folder in (script.parent, BENCH) if (folder / path).is_file()), None)
        if neighbour is not None:
            assert {alias.name for alias in node.names} <= names_in(neighbour), f"{script.name} and {neighbour.name}"
