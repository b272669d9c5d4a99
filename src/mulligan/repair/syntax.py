"""Text that is nearly JSON, made JSON, where it is clear how: no value is completed or left out.

json-repair would repair more, but it guesses without saying so: it turns `tru` into a text and ends a value that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from mulligan.repair.json_tokens import strip_code_fence
from mulligan.repair.string_literals import IDENTIFIER, language_of, read_quoted

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


class _AmbiguousError(Exception):
    """It is not clear what the text says."""


def fix_syntax(text: str) -> str | None:
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
        fixed = "".join(_SyntaxFixer(strip_code_fence(text)).pieces())
        json.loads(fixed)
    except (_AmbiguousError, ValueError, RecursionError):
        return None
    return fixed


class _SyntaxFixer:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokenize(text))
        self._language = language_of(self._tokens)
        self._open_brackets: list[str] = []
        self._is_after_value = False
        self._last = ""

    def pieces(self) -> Iterator[str]:
        """The parts of the corrected text."""
        for part, following in pairwise([*self._tokens, ""]):
            if self._last and not self._open_brackets:
                if part != "}" or self._tokens[:2] == ["{", "}"]:  # `{}}` may be the end of something that is lost
                    raise _AmbiguousError
                continue
            if not self._last and part not in _PAIRS:  # the beginning is lost
                raise _AmbiguousError
            yield from self._fix_token(part, following)
            self._last = part
        may_continue = self._open_brackets and (
            self._tokens[-1][-1].isdigit() or "]" in self._open_brackets
        )  # more digits or items
        if not self._is_after_value or may_continue:
            raise _AmbiguousError
        yield from reversed(self._open_brackets)

    def _fix_token(self, part: str, following: str) -> Iterator[str]:
        if part in _CLOSING:
            if not self._open_brackets or part != self._open_brackets.pop():
                raise _AmbiguousError
            self._is_after_value = True
            yield part
        elif part in (",", ":"):
            if not self._is_after_value:
                raise _AmbiguousError
            self._is_after_value = part == following == "," and self._is_in_object
            if part == ":" or following not in ("", ",", *_CLOSING):
                yield part
        else:
            if self._is_after_value:
                if not self._may_lack_comma(part):
                    raise _AmbiguousError
                yield ","
            self._is_after_value = part not in _PAIRS
            if part in _PAIRS:
                self._open_brackets.append(_PAIRS[part])
            yield part if part in _PAIRS else self._as_json(part, is_key=following == ":")

    @property
    def _is_in_object(self) -> bool:
        return bool(self._open_brackets) and self._open_brackets[-1] == "}"

    def _is_complete_string(self, following: str) -> bool:
        """Whether a text before another part ends where it seems to end: no quotation mark in or behind it is missing.

        Its last character is part of a word or a value, and a quotation mark of its own begins what follows it.
        """
        end = self._last[-2:-1]
        return following[:1] in (self._last[-1], *_PAIRS) and bool(end) and not (end.isspace() or end in _BETWEEN)

    def _may_lack_comma(self, part: str) -> bool:
        """Whether what follows a value is a thing of its own: a member (a key tells), or an object behind an object."""
        if self._last[-1:] in _QUOTES and not self._is_complete_string(part):
            return False
        return self._is_in_object or (self._last == "}" and part == "{")

    def _as_json(self, part: str, *, is_key: bool) -> str:
        if part[0] in "\"'" and len(part) > 1:
            read = read_quoted(part, self._language)
            if read is None:
                raise _AmbiguousError
            return json.dumps(read)
        if is_key and IDENTIFIER.fullmatch(part):
            return f'"{part}"'
        if part in ("true", "false", "null") or _NUMBER.fullmatch(part):
            return part
        if part in _WORDS:
            return _WORDS[part]
        raise _AmbiguousError


def _tokenize(text: str) -> Iterator[str]:
    """The parts of a text, without white space."""
    for found in _PART.finditer(text):
        part = found[0]
        if part in _OPENED or part.startswith(
            ("//", "/*")
        ):  # to look for its end at every further place would take long
            raise _AmbiguousError
        if not part.isspace():
            yield part
