"""Undo encodings in a text: those of URLs, JSON, HTML, mail, shells, SQL and line breaks.

`values` finds spellings that leave letters and digits unchanged, without decoding the text. This module handles the
others, in which any character may be escaped, a quote may be doubled, or a line break may split a value.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mulligan.lazy import lazy_pattern

_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_INDENT = r"[ \t>|]{0,16}"
_ESCAPE = lazy_pattern(
    r"\\{1,4}u(?P<high>[dD][89abAB][0-9A-Fa-f]{2})\\{1,4}u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\{1,4}(?:u(?P<unit>[0-9A-Fa-f]{4})|x(?P<hex>[0-9A-Fa-f]{2})|(?P<octal>[0-3][0-7]{2})|(?P<tab>t))"
    r"|%(?:25){0,2}(?P<percent>[0-9A-Fa-f]{2})"
    r"|&(?:amp;){0,2}(?:#(?:(?P<decimal>[0-9]{1,7})|[xX](?P<point>[0-9A-Fa-f]{1,6}))|(?P<entity>amp|lt|gt|quot|apos));"
    r"|(?P<shell>'\\{1,4}''|'\"'\"')|(?P<quote>''|\"\")|\\{1,8}(?P<sign>[^\w\n\\])"
    rf"|(?P<wrap>\\{{1,4}}[rn](?:\\{{1,4}}n)?(?:\\{{1,4}}t){{0,8}}{_INDENT}|\\?(?:\r?\n|\r){_INDENT})"
)
_LINE_BREAK = lazy_pattern(rf"(?P<wrap>(?:\r?\n|\r){_INDENT})")
_SOFT_BREAK = lazy_pattern(r"(?P<wrap>=\r?\n)")
_MAIL = lazy_pattern(r"=(?P<mail>[0-9A-Fa-f]{2})|(?P<wrap>=?\r?\n|\r)")
_HEX = r"(?<![0-9A-Za-z])(?:0x)?(?P<pair>[0-9A-Fa-f]{2})(?![0-9A-Za-z])"
_LETTER = r"(?:'(?:[^'\\]|\\.)'|\"(?:[^\"\\]|\\.)\")"
_LISTED = (  # byte lists: a fast pattern that detects a run, and the pattern of one item
    (r":(?:[0-9A-Fa-f]{2}:){3}", rf"{_HEX}:?"),
    (r"-(?:[0-9A-Fa-f]{2}-){3}", rf"{_HEX}-?"),
    (r" (?:[0-9A-Fa-f]{2} ){3}", rf"{_HEX} ?"),
    (r",(?: ?0x[0-9A-Fa-f]{2},){3}", rf"{_HEX}(?:, ?)?"),
    (r",(?: ?[0-9]{1,3},){3}", r"(?<!\d)(?P<byte>[0-9]{1,3})(?!\d)(?:, ?)?"),
    (rf",(?: ?{_LETTER},){{3}}", rf"(?P<letter>{_LETTER})(?:, ?)?"),
)
_WIDER = 0xFEE0
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_WIDE = "(?P<wide>[\uff01-\uff5e])|(?P<wrap>[\r\n])"
_CODINGS = (  # required marks and pattern; separate, since `a=e3b0` and `\\n` may belong to the value
    (("\\", "%", "&", "''", '""', "'\"'\"'"), _ESCAPE),
    (("\n", "\r"), _LINE_BREAK),
    (("=\n", "=\r"), _SOFT_BREAK),
    (("=",), _MAIL),
)


def decode_each(text: str) -> Iterator[DecodedText]:
    """Decode a text once for each kind of encoding that it contains.

    Args:
        text: foreign text of any length; the time taken is linear in it.
    """
    yield from _unescaped(text)
    for five, one in _LISTED:
        if re.search(five, text):
            yield DecodedText(text, re.compile(one))
    if not text.isascii() and re.search(_WIDE, text):
        yield DecodedText(text, re.compile(_WIDE))


def _unescaped(text: str) -> Iterator[DecodedText]:
    for marks, coding in _CODINGS:
        if any(mark in text for mark in marks):
            yield DecodedText(text, coding)


class DecodedText:
    """A text with one kind of encoding undone.

    Args:
        text: the original text.
        coding: the pattern of the escapes to undo.

    Attributes:
        plain: the decoded text as UTF-8 bytes, one character per byte.
    """

    def __init__(self, text: str, coding: re.Pattern[str]) -> None:
        self._text, self._pattern = text, coding
        self.plain = coding.sub(_decode, text) if text.isascii() else "".join(piece for piece, _, _ in self._pieces())

    def find_spans(self, value: str) -> Iterator[tuple[int, int]]:
        """Find a value, and yield its positions in the original text.

        Args:
            value: the value, from `decoded_forms`.
        """
        begins: list[int] = []
        ends: list[int] = []
        for piece, start, end in self._pieces():
            is_verbatim = len(piece) == end - start
            begins += range(start, end) if is_verbatim else [start] * len(piece)
            ends += range(start + 1, end + 1) if is_verbatim else [end] * len(piece)
        at = self.plain.find(value)
        while at >= 0:
            yield begins[at], ends[at + len(value) - 1]
            at = self.plain.find(value, at + 1)

    def _pieces(self) -> Iterator[tuple[str, int, int]]:
        """Yield the decoded pieces of the text with their original positions."""
        done = 0
        for escape in self._pattern.finditer(self._text):
            yield from _verbatim(self._text, done, escape.start())
            done = escape.end()
            yield _decode(escape), escape.start(), done
        yield from _verbatim(self._text, done, len(self._text))


def decoded_forms(value: str) -> set[str]:
    """The forms in which `DecodedText.plain` may contain a value, with escapes in the value itself kept or undone.

    Args:
        value: a registered value.
    """
    return {
        _as_utf8_characters(value.replace("\r", "").replace("\n", "")),
        *(reading.plain for reading in _unescaped(value)),
    }


def _verbatim(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    part = text[start:end]
    if part.isascii():
        yield part, start, end
        return
    for at, character in enumerate(part, start):
        yield _as_utf8_characters(character), at, at + 1


def _decode(escape: re.Match[str]) -> str:
    kind = escape.lastgroup or ""
    if kind == "wrap":
        return ""
    meant = _decode_escape(escape, kind)
    return "" if meant in ("\r", "\n") else meant


def _decode_escape(escape: re.Match[str], kind: str) -> str:
    return _DECODERS[kind](escape[kind]) if kind != "low" else _pair(escape["high"], escape["low"])


def _pair(high: str, low: str) -> str:
    return _as_utf8_characters(bytes.fromhex(high + low).decode("utf-16-be"))


def _character(point: int) -> str:
    return _as_utf8_characters(chr(point)) if point <= sys.maxunicode else ""


def _as_utf8_characters(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1")


_DECODERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "unit": lambda digits: _character(int(digits, 16)),
        "hex": lambda digits: chr(int(digits, 16)),
        "percent": lambda digits: chr(int(digits, 16)),
        "mail": lambda digits: chr(int(digits, 16)),
        "octal": lambda digits: chr(int(digits, 8)),
        "decimal": lambda digits: _character(int(digits)),
        "point": lambda digits: _character(int(digits, 16)),
        "entity": lambda name: _ENTITIES[name],
        "pair": lambda digits: chr(int(digits, 16)),
        "byte": lambda digits: chr(int(digits)),
        "letter": lambda quoted: _as_utf8_characters(
            _ESCAPED.get(quoted[2], quoted[2]) if quoted[1] == "\\" else quoted[1]
        ),
        "wide": lambda letter: chr(ord(letter) - _WIDER),
        "tab": lambda _: "\t",
        "shell": lambda _: "'",
        "quote": lambda quotes: quotes[0],
        "sign": _as_utf8_characters,
    }
)
