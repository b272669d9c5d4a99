"""What installed distributions require, and which versions are installed."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from mulligan.errors import UsageError


@attrs.frozen
class Requirement:
    """One requirement of a distribution.

    Attributes:
        name: the required distribution.
        wanted: its versions, as in `>=1,<2`; empty for any.
        installed: the installed version, or None.
        extra: the extra that requires it, or empty.
        fits: whether the requirement is met; also true for an extra that is not installed.
    """

    name: str
    wanted: str
    installed: str | None
    extra: str
    fits: bool

    def __str__(self) -> str:
        return f"{self.name}{self.wanted}"


def requirements(distribution: str) -> Iterator[Requirement]:
    """What a distribution requires here, including extras; nothing if its metadata cannot be read.

    Args:
        distribution: its name.

    Raises:
        UsageError: the library that parses requirements is not installed.
    """
    import importlib_metadata

    try:
        from packaging.requirements import InvalidRequirement
        from packaging.requirements import Requirement as Line
    except ModuleNotFoundError:
        raise UsageError("mulligan doctor requires packaging: pip install 'mulligan[cli]'") from None

    try:
        lines = importlib_metadata.requires(distribution) or []
    except Exception:  # the distribution is not installed, or its metadata cannot be read: see `read_entry_points`
        return
    for text in lines:
        try:
            line = Line(text)
        except InvalidRequirement:
            continue
        extra = _extra(line)
        if extra is not None:
            installed = _version(line.name)
            fits = line.specifier.contains(installed, prereleases=True) if installed else bool(extra)
            yield Requirement(line.name, str(line.specifier), installed, extra, fits)


def _extra(line: object) -> str | None:
    """The extra that a requirement belongs to; empty for none, None if its marker excludes this environment."""
    import re

    marker = getattr(line, "marker", None)
    if marker is None or marker.evaluate({"extra": ""}):
        return ""
    found = re.search(r"""extra\s*==\s*["']([^"']+)["']""", str(marker))
    return found[1] if found and marker.evaluate({"extra": found[1]}) else None


def _version(distribution: str) -> str | None:
    import importlib_metadata

    try:
        return importlib_metadata.version(distribution)
    except Exception:  # unreadable metadata counts as not installed
        return None
