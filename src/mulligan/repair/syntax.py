"""Text that is nearly JSON, made JSON, where it is clear how: no value is completed or left out.

json-repair would repair more, but it guesses without saying so: it turns `tru` into a text and ends a value that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from mulligan.repair.faithful import unfenced
from mulligan.repair.quotations import NAME, language_of, read_quoted

_PART = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|//[^\n]*|/\*.*?\*/|/\*|[{}\[\],:]|[^\s{}\[\],:"']+|\s+|.""", re.DOTALL
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_QUOTES = ('"', "'")
_BETWEEN = ",:;([{=\"'"
_PAIRS = {"{": "}", "[": "]"}
_CLOSING = ("}", "]")
_OPENED = ('"', "'", "/*")
_LONGEST = 20_000


class _Unmendable(Exception):
    """It is not clear what the text says."""


def mend_syntax(text: str) -> str | None:
    """The text as JSON; None where it is not clear what it says, as where it ends inside a value or before one.

    Corrected are a code fence around it, single quotes, keys without quotes, words of Python, a comma too many at an end
    or between members, one too few between members or objects, and brackets that are missing at the end or closed twice.
    Two strings without a comma are one in Python, `10 250` is one number in SI, and `undefined` and a hole in a list
    (`[1,,2]`) are no values of JSON. A comment says something that JSON cannot.

    Args:
        text: what was sent.
    """
    if len(text) > _LONGEST:
        return None
    try:
        mended = "".join(_Mender(unfenced(text)).pieces())
        json.loads(mended)
    except (_Unmendable, ValueError, RecursionError):
        return None
    return mended


class _Mender:
    def __init__(self, text: str) -> None:
        self._parts = list(_parts(text))
        self._language = language_of(self._parts)
        self._open: list[str] = []
        self._after_value = False
        self._last = ""

    def pieces(self) -> Iterator[str]:
        """The parts of the corrected text."""
        for part, following in pairwise([*self._parts, ""]):
            if self._last and not self._open:
                if part != "}" or self._parts[:2] == ["{", "}"]:  # `{}}` may be the end of something that is lost
                    raise _Unmendable
                continue
            if not self._last and part not in _PAIRS:  # the beginning is lost
                raise _Unmendable
            yield from self._piece(part, following)
            self._last = part
        may_go_on = self._open and (self._parts[-1][-1].isdigit() or "]" in self._open)  # more digits or items
        if not self._after_value or may_go_on:
            raise _Unmendable
        yield from reversed(self._open)

    def _piece(self, part: str, following: str) -> Iterator[str]:
        if part in _CLOSING:
            if not self._open or part != self._open.pop():
                raise _Unmendable
            self._after_value = True
            yield part
        elif part in (",", ":"):
            if not self._after_value:
                raise _Unmendable
            self._after_value = part == following == "," and self._is_in_object
            if part == ":" or following not in ("", ",", *_CLOSING):
                yield part
        else:
            if self._after_value:
                if not self._may_lack_comma(part):
                    raise _Unmendable
                yield ","
            self._after_value = part not in _PAIRS
            if part in _PAIRS:
                self._open.append(_PAIRS[part])
            yield part if part in _PAIRS else self._as_json(part, is_key=following == ":")

    @property
    def _is_in_object(self) -> bool:
        return bool(self._open) and self._open[-1] == "}"

    def _is_whole_text(self, following: str) -> bool:
        """Whether a text before another part ends where it seems to end: no quotation mark in or behind it is missing.

        Its last character is part of a word or a value, and a quotation mark of its own begins what follows it.
        """
        end = self._last[-2:-1]
        return following[:1] in (self._last[-1], *_PAIRS) and bool(end) and not (end.isspace() or end in _BETWEEN)

    def _may_lack_comma(self, part: str) -> bool:
        """Whether what follows a value is a thing of its own: a member (a key tells), or an object behind an object."""
        if self._last[-1:] in _QUOTES and not self._is_whole_text(part):
            return False
        return self._is_in_object or (self._last == "}" and part == "{")

    def _as_json(self, part: str, *, is_key: bool) -> str:
        if part[0] in "\"'" and len(part) > 1:
            read = read_quoted(part, self._language)
            if read is None:
                raise _Unmendable
            return json.dumps(read)
        if is_key and NAME.fullmatch(part):
            return f'"{part}"'
        if part in ("true", "false", "null") or _NUMBER.fullmatch(part):
            return part
        if part in _WORDS:
            return _WORDS[part]
        raise _Unmendable


def _parts(text: str) -> Iterator[str]:
    """The parts of a text, without white space."""
    for found in _PART.finditer(text):
        part = found[0]
        if part in _OPENED or part.startswith(
            ("//", "/*")
        ):  # to look for its end at every further place would take long
            raise _Unmendable
        if not part.isspace():
            yield part
