"""Find the fenced code blocks of a Markdown page."""

from __future__ import annotations

import re

BLOCK = re.compile(
    r"^(?P<fence>`{3,}|~{3,})(?P<language>\w*)(?: (?P<name>\S+))?\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)


def code_blocks(page: str) -> list[tuple[str, str | None, str]]:
    """Return the language, the file name and the text of each block; a block without a file name has None.

    Args:
        page: Markdown text.
    """
    return [found.group("language", "name", "text") for found in BLOCK.finditer(page)]
