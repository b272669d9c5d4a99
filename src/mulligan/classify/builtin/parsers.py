"""Texts that came with the call and that a parser inside the tool could not read.

The parser may be of any library. Its exception stores what it read, or shows the line: `yaml.ScannerError`,
`jmespath.ParseError`, `re.error`. What a parser reads that did not come with the call is a file or a response.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mulligan.classify.builtin.checks import rejection
from mulligan.classify.failure import Failure
from mulligan.classify.rules import Rules
from mulligan.errors import ToolError

rules = Rules()
_PARSER_CLASS = re.compile(
    r"Pars(?:e|er|ing)(?![a-z])|Syntax|Scanner|Lex(?:er|ical|ing)?(?![a-z])|Tokeni[sz]|Decode|Sympify|Pattern(?![a-z])"
    r"|Unexpected(?:Char|Token|Input|E[Oo][Ff]|End)|YAML|Malformed"
)
_OTHER_PARSERS = ("re.error",)
_STORED = (  # where parsers store what they read; the last is of PyYAML
    *(("doc",), ("text",), ("pattern",), ("expression",), ("source",), ("string",), ("query",), ("input",), ("pstr",)),
    ("problem_mark", "buffer"),
)
_LONGEST_TEXT, _LONGEST_MESSAGE, _SHORTEST_LINE = 20_000, 4_000, 3
_AROUND = "\"'`\0 \t\r\n"


@rules()
def unreadable(failure: Failure) -> ToolError | None:
    """A parser rejected one argument, such as a query, a pattern or a document."""
    for one in failure.whole_chain if failure.arguments else ():
        classes = type(one.exception).__mro__
        if not any(_names_parser(cls.__name__) for cls in classes) and not one.matches(*_OTHER_PARSERS):
            continue
        read = {_bare(text) for text in _stored_texts(one) if len(text) <= _LONGEST_TEXT}
        shown = {_bare(line) for line in one.text[:_LONGEST_MESSAGE].splitlines()}
        texts = [(pointer, value[:_LONGEST_TEXT]) for pointer, _, value in one.leaves if type(value) is str]
        found = [pointer for pointer, value in texts if _is_among(value, read, shown)]
        if len(found) == 1:
            return rejection(one, found[0], "not valid")
    return None


@lru_cache(maxsize=1_024)
def _names_parser(name: str) -> bool:
    return _PARSER_CLASS.search(name) is not None


def _stored_texts(failure: Failure) -> Iterator[str]:
    texts = (failure.field(*path) for path in _STORED)
    yield from (text for text in texts if type(text) is str)


def _is_among(value: str, read: set[str], shown: set[str]) -> bool:
    """Whether a value was read whole, or it or one of its lines was read or is shown."""
    if _bare(value) in read:
        return True
    lines = [_bare(line) for line in value.splitlines()]
    return any(len(line) >= _SHORTEST_LINE and (line in read or line in shown) for line in lines)


def _bare(text: str) -> str:
    return text.strip(_AROUND) or text
