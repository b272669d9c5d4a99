"""In which form a text leads on: a ready call, a question, options, the same call, or none of these."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

FORMS = {
    "ready call": "Next: make this corrected call:",
    "question": r"Did you mean|\?",
    "options": r"(?i)\bone of\b|\bwhich\b|\bchoose\b|\bclosest\b|\bexpected only\b|\bavailable tools\b|\boptions\b",
    "same call": "exactly the same arguments",
}
FENCED = re.compile(r"<<<([0-9a-f]+)\n.*?\n\1>>>", re.DOTALL)
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')


class LabelledText(NamedTuple):
    """A text, whether its tool only reads, and whether the answer to it was right; None if it was not asked."""

    text: str
    reads: bool
    right: bool | None


def form_of(text: str) -> str:
    """The first form that mulligan's own words have: what others said, and values, ask nothing."""
    own = QUOTED.sub('""', FENCED.sub("", text))
    return next((form for form, pattern in FORMS.items() if re.search(pattern, own)), "neither")


def count(texts: Iterable[LabelledText]) -> str:
    """How often each form is used and how many of the answers to it are right, by what the tool is declared as."""
    found = [(form_of(one.text), one) for one in texts]
    lines = [["form", "texts", "recovered", "read_only", "recovered", "not read_only", "recovered"], ["---"] * 7]
    for wanted in (*FORMS, "neither", "all"):
        members = [one for form, one in found if wanted in {form, "all"}]
        split = members, [one for one in members if one.reads], [one for one in members if not one.reads]
        lines.append([wanted, *(cell for group in split for cell in _cells(group))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(group: list[LabelledText]) -> tuple[str, str]:
    asked = [one.right for one in group if one.right is not None]
    return str(len(group)), f"{sum(asked)}/{len(asked)}"
