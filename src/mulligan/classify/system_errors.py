"""How operating systems and language runtimes name the same failure: an errno, its name, a class of Java or .NET.

The texts of these failures are rows of `phrases.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.classify import meanings as m

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
    m.IS_DIRECTORY: "EISDIR",
    m.NOT_DIRECTORY: "ENOTDIR",
    m.NAME_TOO_LONG: "ENAMETOOLONG",
    m.LINK_LOOP: "ELOOP",
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
    "NotDirectoryException": m.NOT_DIRECTORY,
    "PathTooLongException": m.NAME_TOO_LONG,
    "InvalidPathException": m.INVALID_PATH,
}
