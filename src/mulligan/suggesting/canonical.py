"""Names that are the same but for their style."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST_NAME = 200
_NOT_CANONICAL = str.maketrans("", "", "-_. ")


def canonical(name: str) -> str:
    """A name without case, `-`, `_`, `.` and spaces: what two names have in common that differ in style only."""
    return name.casefold().translate(_NOT_CANONICAL)


def canonical_match(called: str, names: Iterable[str]) -> str | None:
    """The one name that is the name called but for style, or but for the namespace that one of the two has.

    Args:
        called: the name that was called.
        names: the names that exist.

    Returns:
        The name that is canonically equal; without one, the name that is once a namespace (`a__b`, `mcp__a__b`, `a.b`,
        `a:b`, `a/b`) is taken off it or off the name called; None where there is none or more than one.
    """
    if not 0 < len(called) <= _LONGEST_NAME:
        return None
    given = list(names)
    forms = canonical("\n".join(given)).split("\n")
    if len(forms) != len(given):
        forms = [canonical(name) for name in given]
    wanted, shorter = canonical(called), _tails(called)
    equal, akin = [], []
    for name, form in zip(given, forms, strict=True):
        if form == wanted:
            equal.append(name)
        elif form in shorter or (form.endswith(wanted) and wanted in _tails(name)):
            akin.append(name)
    found = equal or akin
    return found[0] if len(found) == 1 and wanted else None


def _tails(name: str) -> set[str]:
    from mulligan.suggesting.words import tails

    return {canonical(tail) for tail in tails(name)} - {""}
