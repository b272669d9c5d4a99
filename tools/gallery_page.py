"""Write docs/reference/gallery.md from the recordings of the packages' tests: `python tools/gallery_page.py`.

The tests of each package record `gallery.json` if `MULLIGAN_RECORD=1` is set.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "gallery.md"
INTRO = """# Gallery: what each package makes of its provider's failures

Each failure below was raised by the provider's real library, against a local server that answers as the provider does, in
a pipeline with no other package. Below it is exactly what the model reads, except that the random mark of the fence is
always the same here. The README of each package lists everything else that it understands.

Recorded by `MULLIGAN_RECORD=1 nox -s plugins -- -k gallery` and written by `python tools/gallery_page.py`. A run
without recording checks that class, code, fatality and rule have not changed.

"""


def recorded() -> dict[str, dict[str, Any]]:
    """Return the recordings by package name."""
    paths = sorted((ROOT / "plugins").glob("mulligan-*/tests/gallery.json"))
    return {path.parents[1].name: json.loads(path.read_text("utf-8")) for path in paths}


def page() -> str:
    """Return the text of the page."""
    known = recorded()
    rows = [f"| [{one['title']}](#{_anchor(name)}) | {_counted(one['failures'])} |\n" for name, one in known.items()]
    table = "| provider | errors shown |\n|---|---|\n" + "".join(rows)
    return INTRO + table + "".join(_package(name, one) for name, one in known.items())


def _anchor(name: str) -> str:
    return name.lower()


def _counted(failures: list[dict[str, Any]]) -> str:
    names = dict.fromkeys(one["error"] for one in failures)
    return ", ".join(f"[`{name}`](errors.md#{name.lower()})" for name in names)


def _package(name: str, one: dict[str, Any]) -> str:
    versions = ", ".join(f"{package} {number}" for package, number in one["versions"].items())
    lines = [f"\n## {name}\n\n{one['title']}: [README](../../plugins/{name}/README.md). "]
    lines.append(f"Recorded on {one['date']} with {versions}, Python {one['python']}.\n")
    return "".join([*lines, *map(_failure, one["failures"])])


def _failure(told: dict[str, Any]) -> str:
    fatal = "**fatal**: the run stops" if told["fatal"] else "not fatal"
    raised = f" raised `{told['raised']}`" if told["raised"] else " returned a value that says so"
    error = f"[`{told['error']}`](errors.md#{told['error'].lower()})"
    facts = f"`{told['call']}`{raised}: {error}, code `{told['code']}`, {fatal}; rule `{told['rule']}`."
    return f"\n### {told['title']}\n\n{facts}\n\n~~~~text\n{told['reads']}\n~~~~\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
