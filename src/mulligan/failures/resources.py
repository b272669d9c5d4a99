"""What a failure is about: a file, a path on a server, or the thing that the call named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from mulligan.failures.telling import Nodes
from mulligan.foreign.containment import safe_str
from mulligan.foreign.facts import field

_PATH = re.compile(r"[\w./\\:@~+-]{1,512}")
_THING = r"[\"'`]([^\"'`\n{}]{1,200})[\"'`]"
_NAME = r"([\w./@~+\\-][\w./:@~+\\-]{0,199})"
_KIND = "id|table|relation|column|database|role|user|directory|file|path"
_MISSING = r"not found|no such [\w ]{1,30}|does not exist|not find [\w ]{1,30}|permission denied"
_NAMED = (
    rf"{_THING} (?:was |is |could )?(?:not (?:be )?found|does not exist|doesn't exist|already exists)",
    rf"\b(?:named|called|find|locate|open|access|{_KIND})[: ]{{1,2}}{_THING}",
    rf"(?:{_MISSING}|not a directory):? {_THING}",
    rf"(?:{_MISSING}|unknown [\w ]{{1,30}}): {_NAME}(?=[ ,;.)]{{0,3}}(?:$|[(:]))",
    rf"(?:^|[:] ){_NAME}: (?:No such file or directory|Permission denied|not found)",
    r"^(?:the )?([\w-]{1,40} [\w./:@-]{0,99}\d[\w./:@-]{0,99}) (?:does not exist|not found|was not found)$",
    rf"permission denied for (?:table|relation|column|database|schema|sequence|view|index) {_NAME}",
    rf"^(?!error|code|status|type)[a-z_ ]{{1,30}}: {_NAME}$",
)
# fmt: off
_BODY = (
    "resource", "resourceName", "resource_name", "path", "_id", "Key", "BucketName", "QueueName", "instance",
    "keyName",
)
_INNER = (
    "path", "file", "filename", "file_path", "filepath", "key", "id", "uri", "url", "name", "title", "page",
    "resource", "object", "query_id", "user", "username", "function", "table", "topic", "queue", "channel",
    "document", "model", "ticker", "symbol", "order", "task", "job", "event", "issue", "ticket", "sheet", "section",
)
_OUTER = (
    "repo", "repository", "bucket", "collection", "index", "container", "directory", "dir", "folder",
    "database", "project",
)
# fmt: on
_OTHER = 3  # the rank of an argument whose name does not say that it names a thing
_NAMING_METHODS = ("", "GET", "HEAD", "DELETE", "PUT", "PATCH")
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


def resource(asked: tuple[str | None, str], nodes: Nodes, text: str, arguments: Mapping[str, Any] | None) -> str | None:
    """The path, URL or name that a failure is about, or None.

    What a field of the body says counts first; then what the call named, where address or text hold it, since the model
    knows the thing by that name.

    Args:
        asked: the path and the method of the request.
        nodes: what the body of the answer tells.
        text: what the failure says.
        arguments: the arguments of the call.
    """
    stated = _of_body(nodes)
    if stated is not None:
        return stated
    path, method = asked
    named = _named(arguments or {})
    for rank, name in named:
        if (rank < _OTHER or not name.isalpha()) and ((path and _holds(path, name)) or _holds(text, name)):
            return name
    if path and method in _NAMING_METHODS:
        return path
    return named_in(text) or _only(named)


def _only(named: list[tuple[int, str]]) -> str | None:
    """The innermost thing that the call named, where one is."""
    first = [name for rank, name in named if rank == named[0][0] < _OTHER]
    return first[0] if len(first) == 1 else None


def _holds(text: str, name: str) -> bool:
    if len(name) < 2:
        return False
    place = text.find(name)
    if place < 0:
        return False
    around = text[place - 1 : place] + text[place + len(name) : place + len(name) + 1]
    return not any(character.isalnum() for character in around)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _NAMED)


def named_in(text: str) -> str | None:
    """The thing that a message names, quoted or after a colon, or None.

    Args:
        text: foreign text; its first 600 characters count.
    """
    for line in text[:600].strip().splitlines()[:4]:
        for pattern in _patterns():
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


def _of_body(nodes: Nodes) -> str | None:
    for node in nodes:
        for name in () if "field" in node else _BODY:
            found = node.get(name)
            if isinstance(found, str) and 0 < len(found) < 400 and "\n" not in found:
                return found
    return None


def _named(arguments: Mapping[str, Any]) -> list[tuple[int, str]]:
    """The values of arguments with how surely each names a thing, the innermost first: a key before its bucket."""
    ranked = [(_rank(name), str(value)) for name, value in tuple(arguments.items())[:40] if _is_name(value)]
    return sorted(ranked, key=lambda pair: pair[0])


def _rank(argument: str) -> int:
    name = argument.lower()
    if name in _INNER:
        return 0
    if name.endswith(_ENDINGS):
        return 2 if name.rsplit("_", 1)[0] in _OUTER else 1
    return 2 if name in _OUTER else _OTHER


def _is_name(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and 0 < len(str(value)[:400]) < 400
