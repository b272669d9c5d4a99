"""The help pages: the usage line of each command, and line wrapping with hanging indents."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

USES: Mapping[str, str] = {
    "demo": "[--plain] [--fast]",
    "call": "--tools MODULE[:NAME] [--format FORMAT] [--json] TOOL [JSON]",
    "run": "FILE --tools MODULE[:NAME] [--out FILE] [--dialect DIALECT] [--json]",
    "plugins": "[--rules] [--json]",
    "doctor": "[--check] [--json]",
    "explain": "[--tools MODULE[:NAME]] [--tool NAME] [--format FORMAT] [--text] [--json] [FAILURE]",
    "schema": "--tools MODULE[:NAME] [--dialect DIALECT]",
    "new": "classifier|format|dialect|executor|repairer NAME",
}
UNWRAPPED = 10_000
"""The width at which a page is rendered before it is wrapped here."""


def tidy(page: str, width: int | None) -> str:
    """A help page with wrapped lines and at most one empty line in a row.

    Args:
        page: the page.
        width: the maximum width; None if the page is already wrapped.
    """
    lines = [part for line in page.splitlines() for part in (_wrapped(line.rstrip(), width) if width else [line])]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    below = f"{indent}    " if indent or line.startswith("Usage: ") else ""
    wrapped = textwrap.wrap(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return wrapped or [""]
