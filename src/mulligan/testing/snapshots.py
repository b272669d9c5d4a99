"""Pins the text that a model reads in a plain text file beside the test."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from mulligan.plugin import ToolResult

UPDATE = "MULLIGAN_UPDATE"
_HOW = f"Read it; if it is as it should be, run pytest --mulligan-update, or set {UPDATE}=1."


def wants_update() -> bool:
    """Whether the environment requests an update of the snapshots (`MULLIGAN_UPDATE=1`)."""
    return os.environ.get(UPDATE, "") not in ("", "0")


def assert_reads(
    given: ToolResult | str, path: str | Path, *, hide: Mapping[str, str] | None = None, update: bool | None = None
) -> None:
    """Asserts that a model reads the content of a file; or updates the file.

    Args:
        given: a result, or a text.
        path: the file.
        hide: texts that change from run to run, such as a folder's name, and their replacements.
        update: whether the file is written; by default if the environment requests it.

    Raises:
        AssertionError: the texts differ, or the file does not exist; shows the difference and the next step.
    """
    __tracebackhide__ = True
    text = given if isinstance(given, str) else given.content
    for changing, fixed in (hide or {}).items():
        text = text.replace(changing, fixed)
    file, text = Path(path), text.rstrip("\n") + "\n"
    named = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    if wants_update() if update is None else update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return
    if not file.exists():
        raise AssertionError(f"there is no snapshot {named} yet. The model reads:\n{text}{_HOW}")
    kept = file.read_text(encoding="utf-8")
    if kept != text:
        raise AssertionError(f"the model reads something else than {named} says:\n{_difference(kept, text)}\n{_HOW}")


def _difference(kept: str, text: str) -> str:
    lines = (kept.splitlines(), text.splitlines())
    return "\n".join(difflib.unified_diff(*lines, "snapshot", "what the model reads", lineterm=""))
