"""The argument that holds a path with which something is wrong."""

from __future__ import annotations

from mulligan.classify.failure import Failure
from mulligan.errors import Problem

_PATH_WORDS = frozenset(("path", "file", "filename", "filepath", "dir", "directory", "folder", "dirname"))


def path_problems(failure: Failure, message: str) -> tuple[Problem, ...]:
    """The problem with the argument that holds the path; empty if none or several may hold it.

    Args:
        failure: the failure.
        message: what is wrong with the path, as a sentence about it.
    """
    resource = failure.resource or ""
    found = failure.holding(resource) or [
        leaf
        for leaf in failure.leaves
        if type(leaf.value) is str
        and leaf.value.strip("./")
        and (
            resource.endswith(f"/{leaf.value.strip('./')}")
            or (not resource and not _PATH_WORDS.isdisjoint((leaf.name.lower(), *leaf.words)))
        )
    ]
    words = message.removeprefix("The path ").removeprefix("The ")
    return (Problem(found[0].pointer, words),) if len(found) == 1 else ()
