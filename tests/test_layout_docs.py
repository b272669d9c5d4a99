"""The pages about the layout are true: every path that they name exists, and the floors are those that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "mulligan"
PAGES = ("CONTRIBUTING.md", "docs/explanation/design.md", "docs/explanation/one-call.md")
DESIGN = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
EXAMPLES = {"docs/setup.md", "docs/stup.md", "docs/plan.md"}  # files of a tool
BUILT = {"site/"}
QUOTED = re.compile(r"`([\w./-]+)`")
COMMAND = re.compile(r"(?<![\w/.-])(?:bench|docs|plugins|src|tests|tools)/[\w./-]*[\w/]")


def named_paths(text: str) -> set[str]:
    """What a page names as a path: whatever ends like a file, or has a slash."""
    quoted = {name for name in QUOTED.findall(text) if "/" in name or name.endswith((".py", ".md", ".toml"))}
    return quoted | set(COMMAND.findall(text))


def exists(path: str) -> bool:
    return any((root / path).exists() for root in (ROOT, SOURCE))


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_is_named_exists(page):
    paths = named_paths((ROOT / page).read_text("utf-8")) - EXAMPLES - BUILT
    assert paths
    assert sorted(path for path in paths if not exists(path)) == []


def test_the_floors_are_those_that_are_checked():
    drawn = re.findall(r"^ ?(\d+)  (.+)$", DESIGN, re.MULTILINE)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = (one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    checked = [set(re.split(r" [|:] ", layer)) for layer in contract["layers"]]
    assert [{re.sub(r"(/|\.py)$", "", name) for name in names.split()} for _, names in drawn] == checked
    assert [int(number) for number, _ in drawn] == list(range(len(checked), 0, -1))


def test_a_name_on_a_floor_is_a_room_or_a_file():
    for names in re.findall(r"^ ?\d+  (.+)$", DESIGN, re.MULTILINE):
        for name in names.split():
            assert (SOURCE / name).is_dir() == name.endswith("/"), name
            assert (SOURCE / name).exists(), name


def test_every_room_has_a_paragraph_and_a_place_in_the_picture():
    picture = (ROOT / "docs" / "_static" / "one-call.svg").read_text("utf-8")
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert rooms == set(re.findall(r"\*\*`(\w+)/`\*\*", DESIGN))
    assert set(re.findall(r'"room"[^>]*>(\w+)/<', picture)) == rooms - {
        "adapters",
        "cli",
        "testing",
        "secrets",
        "untrusted",
    }
