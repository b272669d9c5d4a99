"""Secrets beside their names in structures: members, attributes, pairs, lists, blocks, tables and logins.

Only a whole name counts, and only a value that is not ordinary prose: letters with digits or signs, and no space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_Q = r"\\{0,3}[\"'`]"
_NAME = (
    r"(?P<name>(?<![\w-])(?:[a-z0-9]{1,20}[_.-]){0,3}(?:pass(?:[ _-]?word|wd|[ _-]?phrase|code)|pwd|secret(?:[ _-]?key)?"
    r"|(?:api|access|secret|private|auth|client)[ _-]?(?:key|token|secret)|token))"
)
_PHRASE_NAME = r"(?P<name>(?<![\w-])(?:[a-z0-9]{1,20}[_.-]){0,3}(?:pass(?:[ _-]?word|wd|[ _-]?phrase|code)|pwd))"
_VALUE = r"(?P<value>[^\s\"'`\\]{4,256})"
_BARE = r"(?P<value>[^\s\"'`\\,;()\[\]{}<>]{4,256})"
_LABEL = (
    rf"(?:{_Q})?\b(?:name|key|field|id|header|label|property|variable|var|setting|param(?:eter)?)(?:{_Q})?"
    r"\s{0,4}[:=]\s{0,4}"
)
_CONTENT = rf"(?:{_Q})?\b(?:value|val|content|data|text|default|secret|plain(?:text)?)(?:{_Q})?\s{{0,4}}[:=]\s{{0,4}}"
_BETWEEN = r"\s{0,8}[,;]?\s{0,16}"
_FORMS = (
    rf"{_LABEL}{_Q}{_NAME}{_Q}{_BETWEEN}{_CONTENT}{_Q}{_VALUE}{_Q}",  # {"name": "password", "value": "..."}
    rf"{_CONTENT}{_Q}{_VALUE}{_Q}{_BETWEEN}{_LABEL}{_Q}{_NAME}{_Q}",
    rf"[(\[]\s{{0,4}}{_Q}{_NAME}{_Q}\s{{0,4}},\s{{0,4}}{_Q}{_VALUE}{_Q}\s{{0,4}}[)\]]",  # ("password", "...")
    rf"{_NAME}(?:{_Q})?\s{{0,4}}[:=]\s{{0,4}}[(\[]\s{{0,8}}{_Q}{_VALUE}{_Q}",  # "password": ["..."]
    rf"{_NAME}(?:{_Q})?\s{{0,4}}[:=]\s{{0,4}}\{{\s{{0,8}}{_CONTENT}{_Q}{_VALUE}{_Q}",  # "password": {"value": "..."}
    rf"{_NAME}[ \t]{{0,4}}:[ \t]{{0,4}}(?:[|>][-+]?)?\r?\n[ \t]{{1,16}}{_BARE}[ \t]{{0,4}}(?:\r?\n|\Z)",  # a YAML block
    rf"{_NAME}[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:\"\"\"|''')\s{{0,4}}{_VALUE}",
    rf"(?P<name>identified by)(?: password)?\s{{1,4}}(?:{_Q})?{_VALUE}",
    rf"(?P<name>(?<![\w-])pw)[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:{_Q})?{_VALUE}",
    rf"(?P<name>(?<![\w-])pass[ -](?:phrase|word))[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:{_Q})?{_VALUE}",
    rf"{_PHRASE_NAME} (?:for|of|on) [^\s:]{{1,64}}:[ \t]{{1,4}}(?:{_Q})?{_VALUE}",  # Password for bob: ...
    rf"{_NAME}\[{_BARE}\]",
    rf"{_NAME}(?:{_Q})?[ \t]{{0,4}}(?:-{{1,2}}>|=>|→|⇒|\|)[ \t]{{0,4}}(?:{_Q})?{_BARE}",
    rf"(?P<name>(?<![\w-])(?:api|access|secret|private|auth)[_-]?(?:key|token))[ \t]{{1,4}}{_BARE}",
    rf"\bname={_Q}{_NAME}{_Q}[^\n]{{0,80}}\r?\n(?:[\w-]{{1,40}}:[^\n]{{0,200}}\r?\n){{0,3}}\r?\n{_VALUE}",  # multipart
)
_LOGIN = r"(?<![\w/:@.%])[\w.+-]{1,64}:(?P<value>[^\s/:@\"'`<>\\]{6,128})@(?=[\w-]{1,64})"
_find_public_name = re.compile(r"(?:page|continuation|next|sync|cursor|csrf)").search
_match_column = re.compile(rf"(?:{_Q})?{_NAME}(?:{_Q})?").fullmatch
_SEPARATORS, _MOST_ROWS, _LONGEST_HEADER = (",", ";", "\t", "|"), 200, 1_000
_SIGNS = frozenset("!#$%^&*=?~")
WORDS = (
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "apikey",
    "api",
    "access",
    "private",
    "auth",
    "client",
    "identified by",
)

SOURCES = (*_FORMS, _LOGIN)


def structure_spans(text: str, lowered: str, is_password_like: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Find values beside the name of a secret in a structure.

    Args:
        text: foreign text of any length; the time taken is linear in it.
        lowered: the same text in lower case, with identical character positions.
        is_password_like: whether a word is not ordinary prose.
    """
    if any(map(lowered.__contains__, WORDS)):
        for source in _FORMS:
            for match in re.finditer(source, lowered):
                start, end = match.span("value")
                if not _find_public_name(match["name"]) and is_password_like(text[start:end].strip(".,;:!?()[]{} ")):
                    yield start, end
        yield from _column_spans(text, lowered, is_password_like)
    if "@" in text:
        for match in re.finditer(_LOGIN, text):
            if _is_strong(match["value"]):
                yield match.span("value")


def _is_strong(value: str) -> bool:
    """Whether a word before `@` is not part of an address: it has digits, and signs or letters of both cases."""
    is_mixed = any(map(str.isupper, value)) and any(map(str.islower, value))
    return any(map(str.isdigit, value)) and (is_mixed or not _SIGNS.isdisjoint(value))


def _column_spans(text: str, lowered: str, is_password_like: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Find the values in table columns whose headers name secrets."""
    next_start, rows, separator, count = 0, 0, "", 0
    secret_columns: list[int] = []
    for line in text.splitlines(keepends=True):
        start, next_start = next_start, next_start + len(line)
        cells = line.rstrip("\r\n").split(separator) if separator else []
        if secret_columns and len(cells) == count and rows < _MOST_ROWS:
            rows += 1
            at = start
            for number, cell in enumerate(cells):
                value = cell.strip(" \t\"'`")
                if number in secret_columns and " " not in value and is_password_like(value):
                    begin = at + cell.index(value)
                    yield begin, begin + len(value)
                at += len(cell) + 1
            continue
        secret_columns = []
        if len(line) <= _LONGEST_HEADER:
            for separator in _SEPARATORS:
                headers = lowered[start:next_start].rstrip("\r\n").split(separator)
                secret_columns = [number for number, head in enumerate(headers) if _match_column(head.strip())]
                if secret_columns and len(headers) > 1:
                    count, rows = len(headers), 0
                    break
                secret_columns = []
