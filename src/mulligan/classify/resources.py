"""Finds the resource that a failure is about: a file, a path on a server, or a resource named in the call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from mulligan.classify.call_arguments import argument_named_in, name_words
from mulligan.classify.error_body import Nodes
from mulligan.lazy import lazy_pattern
from mulligan.secrets.tokens import is_random
from mulligan.untrusted.objects import read_field
from mulligan.untrusted.text import safe_str

_PATH = lazy_pattern(r"[\w./\\:@~+-]{1,512}")
_QUOTED_NAME = r"[\"'`]([^\"'`\n{}]{1,200})[\"'`]"
_QUOTED = r"[\"'`][^\"'`\n{}]{1,200}[\"'`]"
_NAME = r"([\w./@~+\\-][\w./:@~+\\-]{0,199})"
_UNQUOTED_PATH = (  # starts like a path, has several segments, or has a file extension
    r"((?:[A-Za-z]:\\|\\\\|~/|\.{0,2}/)[^\s\"'`,;()<>]{1,200}|[\w@+-][\w@+.-]{0,99}(?:[/\\][\w@~+.-]{1,100}){1,20}"
    r"|[\w@+-]{1,100}\.[A-Za-z]\w{0,9})"
)
_KIND = "id|table|relation|column|database|role|user|directory|file|path|ref|branch|tag|name|key"
_MISSING = r"not found|no such [\w ]{1,30}|does not exist|not find [\w ]{1,30}|permission denied"
_IS_MISSING = r"(?:was |is |could |can)?(?:not (?:be )?found|does not exist|doesn't exist|already exists)"
_SYSTEM = (
    r"(?:no such file or directory|permission denied|not a directory|is a directory|access is denied|file exists"
    r"|the system cannot find the (?:file|path|drive) specified)"
)
_NUMBERED = "(?:error|code|status|http|exit|line)"  # what a number follows that names nothing
_FORMS = (  # how systems and libraries report a missing resource; the first match wins
    rf"\bE[A-Z]{{3,12}}: [^,'\"\n]{{1,60}}, \w{{1,20}} {_QUOTED_NAME}",  # Node.js
    rf"{_SYSTEM} @ \w{{1,40}} - (\S{{1,200}})",  # Ruby
    rf"\b\w{{2,20}} {_QUOTED_NAME}: {_SYSTEM}",  # `cp: cannot stat 'a.txt': No such file or directory`
    rf"{_SYSTEM} \(os error \d{{1,5}}\):? (?:{_QUOTED_NAME}|{_NAME})",  # Rust
    rf"(?:^|: )((?:[A-Za-z]:)?[^:\n]{{1,200}}) \({_SYSTEM}\)",  # Java
    r"\b\w{1,60}\(([^()\n]{1,200})\): failed to open stream(?:: [\w ]{1,60})?",  # PHP
    rf"{_SYSTEM}[:.]? (?:{_QUOTED_NAME}|{_UNQUOTED_PATH})",  # Python, Windows
    rf"(?:^|[: ])(?:open|stat|lstat|read|mkdir|chdir|remove|unlink|exec) ((?:[A-Za-z]:)?[^:\n]{{1,200}}): {_SYSTEM}",  # Go
    rf"(?:\b[\w.-]{{1,40}} )?{_QUOTED_NAME},? {_IS_MISSING}(?: (?:in|on|at|under) (?:the )?[\w-]{{1,40}}(?: {_QUOTED})?)?",
    rf"\bexec: {_QUOTED_NAME}: executable file not found",  # Go
    rf"\b(?:named|called|find|locate|open|access|{_KIND})[: ]{{1,2}}{_QUOTED_NAME}",
    rf"\b\w{{0,60}}(?:NoSuch|NotFound|AccessDenied|AlreadyExists|NotEmpty|NotDirectory)\w{{0,20}}(?:Exception|Error): {_NAME}$",
    rf"\b404 (?:for|on|at) (?:(?:url|{_KIND}):? )?(?:{_QUOTED_NAME}|{_UNQUOTED_PATH})",
    rf"\bno (?:\w{{1,30}} ){{1,3}}found (?:for|with|at|under|matching):? (?:the )?(?:(?:{_KIND}) )?(?:{_QUOTED_NAME}|{_NAME})",
    rf"(?:{_MISSING}|not a directory):? {_QUOTED_NAME}",
    rf"(?:{_MISSING}|unknown [\w ]{{1,30}}): {_NAME}(?=[ ,;.)]{{0,3}}(?:$|[(:]))",
    rf"(?:^|[:] ){_NAME}: (?:{_SYSTEM}|not found)",
    rf"(?<![\w./\\:-]){_UNQUOTED_PATH} {_IS_MISSING}",
    rf"\b(?:find|locate|open|read|load|access)(?: the)?(?: file| path| directory)? {_UNQUOTED_PATH}(?=[,;:)]|\s|$)",
    rf"^(?:the )?(?!{_NUMBERED} )([\w-]{{1,40}} [\w./:@-]{{0,99}}\d[\w./:@-]{{0,99}}) (?:does not exist|(?:was )?not found)$",
    rf"permission denied for (?:table|relation|column|database|schema|sequence|view|index) {_NAME}",
    rf"^(?!error|code|status|type)[a-z_ ]{{1,30}}: {_NAME}$",
)
_PLACE = lazy_pattern(r"\b(?:in|of|on|at|from|under|within|inside)(?: the)?(?: [\w-]+)? [\"'`]?$")
_LONGEST_PLACE = 60
_NOT_A_NAME = lazy_pattern(  # words in the position of a name: a status, a class, an error name, a generic noun
    r"[45]\d\d|ENOENT|EACCES|EPERM|EEXIST|EISDIR|ENOTDIR|ENOTFOUND|(?:[a-z_]\w{0,60}\.){1,8}[A-Z]\w{0,80}"
    r"|[\w.]{0,100}(?:Error|Exception|Warning|Failure|NotFound)"
    rf"|(?:https?|error|fatal|warning|it|resource|page|item|object|{_KIND})",
)
_REPORT_COUNT = len(_FORMS) - 1  # the last form does not report that anything is missing
_EMPTY_REPORTS = rf"{_SYSTEM}(?: \(os error \d{{1,5}}\))?|\b(?:{_MISSING})"
# fmt: off
_RESOURCE_FIELDS = (
    "resource", "resourceName", "resource_name", "path", "_id", "Key", "BucketName", "QueueName", "instance",
    "keyName",
)
_ITEM_ARGUMENTS = (
    "path", "file", "filename", "file_path", "filepath", "key", "id", "uri", "url", "name", "title", "page",
    "resource", "object", "query_id", "user", "username", "function", "table", "topic", "queue", "channel",
    "document", "model", "ticker", "symbol", "order", "task", "job", "event", "issue", "ticket", "sheet", "section",
)
_CONTAINER_ARGUMENTS = (
    "repo", "repository", "bucket", "collection", "index", "container", "directory", "dir", "folder",
    "database", "project",
)
# fmt: on
_CONTAINER_RANK = 2  # the rank of an argument that names a container, such as a bucket
_OTHER_RANK = 3  # the rank of an argument whose name does not suggest a resource
_SEPARATORS = ("/", "\\", " ")
_QUOTES = frozenset("\"'`")
_STEP = lazy_pattern(r"[/\\]\w|\w\.[a-z]\w{0,5}$")
_ESCAPED_PATH = lazy_pattern(r"[A-Za-z]:\\\\[^\\]|\\{4}\w")
_KEYS = frozenset(
    ("webhook", "webhooks", "hook", "hooks", "key", "keys", "token", "tokens", "bot", "secret", "secrets")
)
_SHORTEST_KEY, _LONG_STEP = 5, 16
_NAMING_METHODS = ("", "GET", "HEAD", "DELETE", "PUT", "PATCH")
_KIND_MISSING = lazy_pattern(  # `Key not found`, `user_not_found`, `No such space`
    r"\b([A-Za-z]\w{1,40}?(?: \w{1,30})?)[ _](?:was |is |could )?(?:not[ _](?:be )?found|does not exist|doesn't exist)\b"
    r"|\b(?:no such|unknown|no)[ _](\w{2,40})\b",
    re.IGNORECASE,
)
_NAMED_ARGUMENT = lazy_pattern(  # `The newsletter parameter doesn't match any newsletter`, `URL is already taken`
    r"\b(?:parameter|argument|field) [\"'`]?(\w{2,40})|\b(\w{2,40})[\"'`]? (?:parameter|argument|field)\b"
    r"|\b(\w{2,40})[\"'`]? (?:is |has |was )?already (?:been )?(?:taken|in use|registered|used)\b",
    re.IGNORECASE,
)
_ENDINGS = ("_id", "_path", "_name", "_key", "_url", "_uri")


def stored_resource(exceptions: tuple[BaseException, ...]) -> str | None:
    """The first file name that an exception of a chain stores, or None."""
    for exception in exceptions:
        for name in ("filename", "filename2"):
            path = read_field(exception, name)
            if type(path) in (str, bytes) and path:
                text = safe_str(path.decode(errors="replace") if type(path) is bytes else path)
                if "://" not in text[:20]:
                    return text
    return None


def stated_resources(request: tuple[str | None, str], nodes: Nodes) -> tuple[str, ...]:
    """The resources in structured fields of a response: in its body, and in the path of the request.

    Args:
        request: the path and the method of the request.
        nodes: the error mappings of the body.
    """
    return tuple(filter(None, (_resource_in_body(nodes), request[0])))


def find_resource(
    request: tuple[str | None, str], nodes: Nodes, text: str, arguments: Mapping[str, Any] | None, said: str = ""
) -> str | None:
    """The path, URL or name that a failure is about, or None.

    A field of the body comes first. Next comes a value from the call's arguments that also occurs in the address or the
    text, because the model knows the resource by that name.

    Args:
        request: the path and the method of the request.
        nodes: the error mappings of the body.
        text: the messages of the failure.
        arguments: the arguments of the call.
        said: what the service says in the body of its response, which counts more than the client's own message.
    """
    stated = _resource_in_body(nodes)
    if stated is not None:
        return stated
    path, method = request
    candidates = _rank_arguments(arguments or {})
    thing = (said and find_resource_in_text(said)) or find_resource_in_text(text)
    sent = next(
        (name for _, name in candidates if thing is not None and (thing == name or _ends_with_name(thing, name))), None
    )
    if sent is None:
        sent = _value_of_kind(said or text, arguments or {})
    if sent is not None:
        return sent
    named = [
        (rank, name)
        for rank, name in candidates
        if (rank < _OTHER_RANK or not name.isalpha()) and ((path and _holds(path, name)) or _holds(text, name))
    ]
    if named:
        rank = named[0][0]
        alike = [name for other, name in named if other == rank]
        name = next((name for name in alike if not _is_place(text, name, alike)), alike[0])
        return thing if thing is not None and not path and rank == _CONTAINER_RANK else name
    if path and method in _NAMING_METHODS:
        return _before_key(path)
    return thing or _only_innermost(candidates)


def _is_place(text: str, name: str, others: list[str]) -> bool:
    """Whether a text only says where another thing is missing, as `app1` in "Could not find table Guests in base app1"."""
    position = text.find(name)
    is_second = any(0 <= text.find(other) < position for other in others if other != name)
    return is_second and _PLACE.search(text[max(0, position - _LONGEST_PLACE) : position]) is not None


def _before_key(path: str) -> str | None:
    """A path that the model did not send, up to what may be a key, as in the address of a webhook; None if that is all."""
    steps = path.split("/")
    end = next((place for place in range(1, len(steps)) if _may_be_key(steps[place], steps[place - 1])), len(steps))
    return "/".join(steps[:end]) or None


def _may_be_key(step: str, before: str) -> bool:
    """Whether a step of a path is named as a key, or long and no word or number."""
    letters = "".join(filter(str.isalnum, step))
    if before.lower() in _KEYS and len(letters) >= _SHORTEST_KEY:
        return True
    is_mixed = any(map(str.isdigit, letters)) and any(map(str.isalpha, letters))
    return len(letters) >= _LONG_STEP and (is_mixed or letters.isupper() or is_random(letters))


def _value_of_kind(text: str, arguments: Mapping[str, Any]) -> str | None:
    """The value of the argument whose kind a report says is missing, or that it names: of `user` for `user_not_found`."""
    reported = _KIND_MISSING.search(text[:1_000])
    name = argument_named_in(reported[1] or reported[2], arguments) if reported is not None else None
    if name is None and (found := _NAMED_ARGUMENT.search(text[:1_000])) is not None:
        said = next(filter(None, found.groups())).casefold()
        name = next((one for one in arguments if one.casefold() == said), None)
    value = None if name is None else arguments[name]
    value = value[0] if type(value) is list and len(value) == 1 else value
    return str(value) if _is_name(value) else None


def _ends_with_name(path: str, name: str) -> bool:
    """Whether a path or phrase ends with a name: `/data/a.txt` with `a.txt` or `a`, `index logs2` with `logs2`."""
    stem, _, extension = path.rpartition(".")
    forms = (path, stem) if extension.isalnum() else (path,)
    return any(form.endswith(name) and form[-len(name) - 1 : -len(name)] in _SEPARATORS for form in forms)


def _only_innermost(named: list[tuple[int, str]]) -> str | None:
    """The innermost resource that the call named, if there is exactly one."""
    first = [name for rank, name in named if rank == named[0][0] < _OTHER_RANK]
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
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _FORMS)


def find_resource_in_text(text: str) -> str | None:
    """The resource that a message names in quotes, as a path or after a colon, or None.

    Args:
        text: untrusted text; only the first 600 characters are searched.
    """
    for line in text[:600].strip().splitlines()[:4]:
        for pattern in _patterns():
            for match in pattern.finditer(line.strip().rstrip(".")):
                name = _matched_name(match)
                if name is not None:
                    return name
    return None


def _matched_name(match: re.Match[str]) -> str | None:
    """The matched name; None if the word names nothing or is part of a path that contains a space."""
    number = match.lastindex or 0
    start, end = match.span(number)
    name, line = match[number].strip().strip("\"'`"), match.string
    is_quoted = line[start - 1 : start] in _QUOTES and line[end : end + 1] in _QUOTES
    if not name:
        return None
    if not is_quoted and (_NOT_A_NAME.fullmatch(name) or _is_partial_path(line[:start], line[end:])):
        return None
    return name.replace("\\\\", "\\") if _ESCAPED_PATH.match(name) else name


def _is_partial_path(before: str, after: str) -> bool:
    """Whether the path continues after the space that follows it, or starts before the space that precedes it."""
    words = (before.split()[-1:] if before.endswith(" ") else []) + (after.split()[:1] if after.startswith(" ") else [])
    return any(map(_STEP.search, words))


def remove_missing_reports(text: str) -> str:
    """Removes reports of missing resources from a text, so that their words are not matched again."""
    lines = text.splitlines()
    for pattern in (*_patterns()[:_REPORT_COUNT], _empty_reports()):
        lines = [pattern.sub(" ", line) for line in lines]
    return "\n".join(lines)


@cache
def _empty_reports() -> re.Pattern[str]:
    return re.compile(_EMPTY_REPORTS, re.IGNORECASE)


def bare_path(text: str) -> str | None:
    """The path, if a message consists of nothing else: `FileNotFoundError("a/b.ts")`; otherwise None."""
    text = text.strip().strip("'\"")
    return text if _PATH.fullmatch(text) else None


def _resource_in_body(nodes: Nodes) -> str | None:
    for node in nodes:
        for name in () if "field" in node else _RESOURCE_FIELDS:
            found = node.get(name)
            if type(found) is str and 0 < len(found) < 400 and "\n" not in found:
                return found
    return None


def _rank_arguments(arguments: Mapping[str, Any]) -> list[tuple[int, str]]:
    """The argument values that may name a resource, each with its rank, innermost first: a key before its bucket."""
    ranked = [(_rank(name), str(value)) for name, value in tuple(arguments.items())[:40] if _is_name(value)]
    return sorted(ranked, key=lambda pair: pair[0])


def _rank(argument: str) -> int:
    name = argument if argument.islower() else "_".join(name_words(argument))
    if name in _ITEM_ARGUMENTS:
        return 0
    if name.endswith(_ENDINGS):
        return _CONTAINER_RANK if name.rsplit("_", 1)[0] in _CONTAINER_ARGUMENTS else 1
    return _CONTAINER_RANK if name in _CONTAINER_ARGUMENTS else _OTHER_RANK


def _is_name(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and 0 < len(str(value)[:400]) < 400
