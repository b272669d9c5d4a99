"""What a failure is about: a file, a path on a server, or the thing that the call named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.answers import method, url_path
from mulligan.bodies import Body, nodes
from mulligan.containment import safe_str
from mulligan.facts import field

_PATH = re.compile(r"[\w./\\:@~+-]{1,512}")
_THING = r"[\"'`‘“]([^\"'`’”\n]{1,200})[\"'`’”]"
_NAMED = (
    re.compile(rf"{_THING} (?:was |is |could )?(?:not (?:be )?found|does not exist|doesn't exist|already exists)"),
    re.compile(rf"(?:(?:no|named|called|find|open|access|to|for|id|at|type|table|relation|stat)\b[ :]{{0,2}}|: ){_THING}", re.IGNORECASE),
    re.compile(r"(?:not found|no such [\w ]{1,30}|does not exist|not find [\w ]{1,30}|[Pp]ermission denied): ?([\w./:@~+\\-]{1,200})"),
    re.compile(r"(?:^|[:] )([\w./@~+-]{1,200}): (?:No such file or directory|Permission denied|not found)"),
    re.compile(r"^(?:the )?([\w-]{1,40} [\w./:@-]{1,100}) (?:does not exist|not found|was not found)$", re.IGNORECASE),
    re.compile(r"(?:permission denied for|no such) (?:table|relation|column|database|schema|sequence|view|index)[: ]{1,2}\"?([\w.]{1,100})"),
)
_BODY = ("resource", "resourceName", "resource_name", "path", "_id", "Key", "BucketName", "QueueName", "instance", "keyName")
_INNER = (
    "path", "file", "filename", "file_path", "filepath", "key", "id", "uri", "url", "name", "title", "page", "resource", "object",
    "query_id", "user", "username", "function", "table", "topic", "queue", "channel", "document",
)  # fmt: skip
_OUTER = ("repo", "repository", "bucket", "collection", "index", "container", "directory", "dir", "folder", "database", "project")
_ENDINGS = ("_id", "_path", "_name", "_key", "_url", "_uri")


def stored_resource(exceptions: tuple[BaseException, ...]) -> str | None:
    """The file that an exception of a chain names.

    Args:
        exceptions: the chain.
    """
    for exception in exceptions:
        for name in ("filename", "filename2"):
            path = field(exception, name)
            if isinstance(path, (str, bytes)) and path:
                text = safe_str(path.decode(errors="replace") if isinstance(path, bytes) else path)
                if "://" not in text[:20]:
                    return text
    return None


def resource(value: object, found: Body | None, text: str, arguments: Mapping[str, Any] | None) -> str | None:
    """The path, URL or name that a failure is about, or None.

    What the call named counts first, where address or text hold it: the model knows the thing by that name.

    Args:
        value: the exception or answer.
        found: the body of the answer.
        text: what the failure says.
        arguments: the arguments of the call.
    """
    path = url_path(value)
    named = _named(arguments or {})
    for rank, name in named:
        if (rank < _OTHER or not name.isalpha()) and ((path and _holds(path, name)) or _holds(text, name)):
            return name
    if path and method(value) in ("", "GET", "HEAD", "DELETE", "PUT", "PATCH"):
        return path
    return _of_body(found) or named_in(text) or _only(named) or path


def _only(named: list[tuple[int, str]]) -> str | None:
    """The innermost thing that the call named, where one is."""
    first = [name for rank, name in named if rank == named[0][0] < _OTHER]
    return first[0] if len(first) == 1 else None


def _holds(text: str, name: str) -> bool:
    if len(name) < 2:  # noqa: PLR2004
        return False
    place = text.find(name)
    if place < 0:
        return False
    around = text[place - 1 : place] + text[place + len(name) : place + len(name) + 1]
    return not any(character.isalnum() for character in around)


def named_in(text: str) -> str | None:
    """The thing that a message names, quoted or after a colon, or None.

    Args:
        text: foreign text; its first 600 characters count.
    """
    for line in text[:600].strip().splitlines()[:4]:
        for pattern in _NAMED:
            found = pattern.search(line.strip().rstrip("."))
            if found is not None:
                return found[1].strip()
    return None


def bare_path(text: str) -> str | None:
    """`FileNotFoundError("a/b.ts")`: a message that is nothing but a path.

    Args:
        text: foreign text.
    """
    text = text.strip().strip("'\"")
    return text if _PATH.fullmatch(text) else None


def _of_body(found: Body | None) -> str | None:
    for node in nodes(found):
        for name in _BODY:
            told = node.get(name)
            if isinstance(told, str) and 0 < len(told) < 400 and "\n" not in told:  # noqa: PLR2004
                return told
    return None


def _named(arguments: Mapping[str, Any]) -> list[tuple[int, str]]:
    """The values of arguments with how surely each names a thing, the innermost first: a key before its bucket."""
    ranked = [(_rank(name), str(value)) for name, value in tuple(arguments.items())[:40] if _is_name(value)]
    return sorted(ranked, key=lambda pair: pair[0])


_OTHER = 3


def _rank(argument: str) -> int:
    name = argument.lower()
    if name in _INNER:
        return 0
    if name.endswith(_ENDINGS):
        return 2 if name.rsplit("_", 1)[0] in _OUTER else 1
    return 2 if name in _OUTER else _OTHER


def _is_name(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and 0 < len(str(value)[:400]) < 400  # noqa: PLR2004
