"""How operating systems and language runtimes name the same failure: an errno, its name, a class of Java or .NET.

The texts of these failures are rows of `phrases.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.errors import Problem

IS_DIRECTORY = m.ARGUMENT._replace(message="The path is a directory, not a file")
NOT_DIRECTORY = m.ARGUMENT._replace(message="A part of the path is not a directory")
NAME_TOO_LONG = m.ARGUMENT._replace(message="The name is too long")
LINK_LOOP = m.ARGUMENT._replace(message="The path contains a loop of symbolic links")
INVALID_PATH = m.ARGUMENT._replace(message="The path is invalid")
PATH_MEANINGS = (IS_DIRECTORY, NOT_DIRECTORY, NAME_TOO_LONG, LINK_LOOP, INVALID_PATH)
LOCAL_PERMISSION = m.PERMISSION._replace(fatal=False)
OUT_OF_RESOURCES = m.UNAVAILABLE._replace(message="The system is temporarily out of resources", effect="none")
OUT_OF_MEMORY = m.EXHAUSTED._replace(message="The tool ran out of memory")
FILE_SIZE = m.EXHAUSTED._replace(message="The file is larger than the system allows")
ARGUMENT_LIST = m.EXHAUSTED._replace(
    message="The arguments of a program are longer than the system allows", effect="none"
)

_BY_NAMES: Mapping[m.Meaning, str] = {
    m.NOT_FOUND: "ENOENT ENXIO ENODEV",
    m.EXISTS: "EEXIST EADDRINUSE",
    LOCAL_PERMISSION: "EACCES EPERM EROFS",
    m.CONFLICT: "ENOTEMPTY EBUSY ETXTBSY",
    IS_DIRECTORY: "EISDIR",
    NOT_DIRECTORY: "ENOTDIR",
    NAME_TOO_LONG: "ENAMETOOLONG",
    LINK_LOOP: "ELOOP",
    m.ARGUMENT: "EINVAL",
    m.DISK_FULL: "ENOSPC EDQUOT",
    OUT_OF_MEMORY: "ENOMEM",
    FILE_SIZE: "EFBIG",
    ARGUMENT_LIST: "E2BIG",
    OUT_OF_RESOURCES: "EMFILE ENFILE EAGAIN ENOBUFS",
    m.UNREACHABLE: (
        "ENOTFOUND EAI_AGAIN EAI_NONAME EAI_NODATA EAI_FAIL ECONNREFUSED EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN "
        "EADDRNOTAVAIL"
    ),
    m.DROPPED: "ECONNRESET ECONNABORTED EPIPE ENOTCONN",
    m.TIMEOUT: "ETIMEDOUT ESOCKETTIMEDOUT",
}
BY_NAME: Mapping[str, m.Meaning] = {name: meaning for meaning, names in _BY_NAMES.items() for name in names.split()}
CLASSES: Mapping[str, m.Meaning] = {  # of Java and .NET, whose words alone say something else
    "UnauthorizedAccessException": LOCAL_PERMISSION,
    "NotDirectoryException": NOT_DIRECTORY,
    "PathTooLongException": NAME_TOO_LONG,
    "InvalidPathException": INVALID_PATH,
}
_PATH_WORDS = frozenset(("path", "file", "filename", "filepath", "dir", "directory", "folder", "dirname"))


def path_problems(failure: Failure, meaning: m.Meaning) -> tuple[Problem, ...]:
    """The problem with the argument that holds the path, if the meaning is about a path; otherwise none.

    Args:
        failure: the failure.
        meaning: its meaning.
    """
    if meaning not in PATH_MEANINGS:
        return ()
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
    words = meaning.message.removeprefix("The path ").removeprefix("The ")
    return (Problem(found[0].pointer, words),) if len(found) == 1 else ()
