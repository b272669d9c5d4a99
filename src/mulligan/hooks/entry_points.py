"""Reads the entry points of installed distributions one by one: a broken distribution never hides the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from mulligan.untrusted.objects import describe

_FILE = "entry_points.txt"


@attrs.frozen
class Entry:
    """One entry point, or the reason why it is unreadable.

    Attributes:
        name: the name of the entry point; for an unreadable file, that of its distribution.
        value: the module, or `module:name`; empty if it cannot be read.
        distribution: the name of the distribution.
        version: the version of the distribution, or None.
        problem: what is wrong with the entry point and what to do, or None.
    """

    name: str
    value: str
    distribution: str
    version: str | None = None
    problem: str | None = None

    @property
    def module(self) -> str:
        """The module that the entry point names."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Imports the object that the entry point names; raises any exception of the import."""
        import importlib_metadata

        return importlib_metadata.EntryPoint(self.name, self.value, "").load()


def read_entry_points(group: str) -> Iterator[Entry]:
    """The entry points of a group, in the order of `sys.path`. Of distributions with the same name, the first counts.

    Args:
        group: the name of the group.
    """
    import importlib_metadata

    seen: set[str] = set()
    for distribution in importlib_metadata.distributions():
        entries = list(_entries(distribution, group))
        if entries and entries[0].distribution.lower() not in seen:
            seen.add(entries[0].distribution.lower())
            yield from entries


def _entries(distribution: Any, group: str) -> Iterator[Entry]:
    folder, *rest = _folder_name(distribution).rpartition(".")[0].split("-")
    version = rest[0] if rest else None
    try:
        text = distribution.read_text(_FILE)
    except Exception as error:
        yield Entry(folder, "", folder, version, f"{_FILE} of {folder} {_read_error(error)}; reinstall {folder}")
        return
    if text is None:
        if _has_file(distribution):
            yield Entry(folder, "", folder, version, f"cannot read {_FILE} of {folder}; reinstall {folder}")
        return
    lines = list(_lines(text, group)) if f"[{group}" in text else []
    if not lines:
        return
    name, version, problem = _name_and_version(distribution, folder, version)
    for number, line in lines:
        key, equals, value = (part.strip() for part in line.partition("="))
        wrong = problem
        if not (key and equals and value):
            wrong = f"{_FILE} of {name}, line {number}: {line!r:.80} is not NAME = MODULE; reinstall or update {name}"
        yield Entry(key or name, value, name, version, wrong)


def _lines(text: str, group: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a group, and unclosed headers that look like the group's header."""
    section = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip().removeprefix("\ufeff")
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            if section == group and not line.endswith("]"):
                yield number, line
        elif section == group:
            yield number, line


def _name_and_version(distribution: Any, folder: str, version: str | None) -> tuple[str, str | None, str | None]:
    """The name and version in the metadata; if the metadata is broken, those in the folder's name, and the problem."""
    try:
        name, version = str(distribution.metadata["Name"] or ""), distribution.version
        why = "has no name"
    except Exception as error:
        name, why = "", _read_error(error)
    return (name, version, None) if name else (folder, version, f"METADATA of {folder} {why}; reinstall {folder}")


def _read_error(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return f"cannot be read ({describe(error, 100)})"


def _folder_name(distribution: Any) -> str:
    return str(getattr(getattr(distribution, "_path", None), "name", "") or "unknown.dist-info")


def _has_file(distribution: Any) -> bool:
    """Whether the file exists. `read_text` returns None also for a directory and for a file without read permission."""
    path = getattr(distribution, "_path", None)
    try:
        return path is not None and bool(path.joinpath(_FILE).exists())
    except Exception:
        return False
