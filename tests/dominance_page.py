"""Makes docs/reference/dominance/*.md of what the adapters' tests recorded: `python tests/dominance_page.py`.

The tests of each adapter keep `dominance.json`; `MULLIGAN_RECORD=1` makes them write it anew.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference" / "dominance"
INTRO = """# With mulligan and without it, framework by framework

Each framework plays the same {scenes} conversations twice, with a scripted model and everything else real: once alone, used as its
documentation begins, and once with its adapter. What a conversation should show (the run goes on, or stops with its reason;
every call is answered; the answer tells what went wrong; no secret, no flood) is checked by the same test for both. The table
counts these merits: alone → with mulligan, of all that there are. In no cell is a merit of the framework's own lost; a test holds it.

Recorded by `MULLIGAN_RECORD=1 nox -s plugins` and written by `python tests/dominance_page.py`. A framework's name leads to what
the model received, word for word.

"""


def tables() -> dict[str, dict[str, Any]]:
    """What was recorded, by the name of the package."""
    paths = sorted((ROOT / "plugins").glob("mulligan-*/tests/dominance.json"))
    return {path.parents[1].name: json.loads(path.read_text("utf-8")) for path in paths}


def pages() -> dict[str, str]:
    """The pages by file name."""
    known = tables()
    return {"README.md": _matrix(known)} | {f"{name}.md": _framework(name, table) for name, table in known.items()}


def _matrix(known: dict[str, dict[str, Any]]) -> str:
    scenes = next(iter(known.values()))["scenes"]
    heads = [f"[{table['framework']}]({name}.md)" for name, table in known.items()]
    lines = [INTRO.format(scenes=len(scenes)), f"| | {' | '.join(heads)} |\n", f"|---|{'---|' * len(heads)}\n"]
    for name, scene in scenes.items():
        cells = [_cell(table["scenes"][name]) for table in known.values()]
        lines.append(f"| {scene['title']} | {' | '.join(cells)} |\n")
    return "".join(lines)


def _cell(scene: dict[str, Any]) -> str:
    plain, guarded = (scene[way]["merits"] for way in ("plain", "guarded"))
    return f"{sum(plain.values())} → {sum(guarded.values())} of {len(guarded)}"


def _framework(name: str, table: dict[str, Any]) -> str:
    versions = ", ".join(f"{package} {number}" for package, number in table["versions"].items())
    lines = [f"# {table['framework']}, alone and with {name}\n\n"]
    lines.append(f"Recorded on {table['date']} with {versions}, Python {table['python']}.\n")
    if table["cannot"]:
        lines.append("\nWhat the adapter cannot give, and why:\n\n")
        lines += [f"- {merit}: {why}\n" for merit, why in table["cannot"].items()]
    for scene in table["scenes"].values():
        lines.append(f"\n## {scene['title']}\n")
        lines += [_way("Alone", scene["plain"]), _way("With mulligan", scene["guarded"])]
    return "".join(lines)


def _way(title: str, told: dict[str, Any]) -> str:
    lacks = [merit for merit, has in told["merits"].items() if not has]
    lines = [f"\n**{title}**: {_ended(told['ended'])}."]
    lines.append(f" Lacking: {'; '.join(lacks)}.\n" if lacks else "\n")
    answers = "\n".join(f"[{id}] {text}" for id, text in told["answers"].items())
    if answers:
        lines.append(f"\n~~~~text\n{answers}\n~~~~\n")
    return "".join(lines)


def _ended(ended: str) -> str:
    if ended == "finished":
        return "the run went on to its end"
    if ended == "stopped":
        return "the run stopped"
    return f"the run ended with `{' '.join(ended.split())}`".replace("``", "`")


def main() -> None:
    """Writes the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
