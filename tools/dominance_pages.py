"""Write docs/reference/dominance/*.md from the recordings of the adapters' tests: `python tools/dominance_pages.py`.

The tests of each adapter record `dominance.json` if `MULLIGAN_RECORD=1` is set.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference" / "dominance"
INTRO = """# With mulligan and without it, framework by framework

Each framework plays the same {scenes} conversations twice, with a scripted model and everything else real: once alone, as
its documentation introduces it, and once with its adapter. The same test checks both for what a conversation should show:
the run continues, or stops with a reason; every call is answered; the answer says what went wrong; no secret and no flood
of text gets through; a new message of the user forgives, and neither another agent, nor a branch, nor a replay pays for
what was before; no tool runs more or less often than it should, counted by the tool. The table counts these merits:
alone → with mulligan, of the total. A test checks that no framework loses a merit that it has alone. "-" means that the
framework has no such notion; its page says why. If a framework alone leaves out the siblings of a call that raises, its
count depends on which of them was quicker.

Recorded by `MULLIGAN_RECORD=1 nox -s plugins` and written by `python tools/dominance_pages.py`. Each framework's name links
to the exact texts that the model received.

"""


def tables() -> dict[str, dict[str, Any]]:
    """Return the recordings by package name."""
    paths = sorted((ROOT / "plugins").glob("mulligan-*/tests/dominance.json"))
    return {path.parents[1].name: json.loads(path.read_text("utf-8")) for path in paths}


def pages() -> dict[str, str]:
    """Return the text of each page, by file name."""
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
    if "absent" in scene:
        return "-"
    plain, guarded = (scene[way]["merits"] for way in ("plain", "guarded"))
    return f"{sum(plain.values())} → {sum(guarded.values())} of {len(guarded)}"


def _framework(name: str, table: dict[str, Any]) -> str:
    versions = ", ".join(f"{package} {number}" for package, number in table["versions"].items())
    lines = [f"# {table['framework']}, alone and with {name}\n\n"]
    lines.append(f"Recorded on {table['date']} with {versions}, Python {table['python']}.\n")
    if table["cannot"]:
        lines.append("\nWhat the adapter cannot provide, and why:\n\n")
        lines += [f"- {merit}: {why}\n" for merit, why in table["cannot"].items()]
    for scene in table["scenes"].values():
        lines.append(f"\n## {scene['title']}\n")
        if "absent" in scene:
            lines.append(f"\nNot played: {scene['absent']}.\n")
        else:
            lines += [_way("Alone", scene["plain"]), _way("With mulligan", scene["guarded"])]
    return "".join(lines)


def _way(title: str, told: dict[str, Any]) -> str:
    lacks = [merit for merit, has in told["merits"].items() if not has]
    lines = [f"\n**{title}**: {', then '.join(_ended(turn['ended']) for turn in told['turns'])}."]
    lines.append(f" Lacking: {'; '.join(lacks)}.\n" if lacks else "\n")
    for turn in told["turns"]:
        answers = "\n".join(f"[{id}] {text}" for id, text in turn["answers"].items())
        if answers:
            lines.append(f"\n~~~~text\n{answers}\n~~~~\n")
    return "".join(lines)


def _ended(ended: str) -> str:
    if ended == "finished":
        return "the run finished"
    if ended == "stopped":
        return "the run stopped"
    return f"the run ended with `{' '.join(ended.split())}`".replace("``", "`")


def main() -> None:
    """Write the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
