"""Text that is nearly JSON, made JSON, where it is clear how: no value is completed or left out.

json-repair would mend more, but it guesses without saying so: it turns `tru` into a text and ends a value that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from mulligan.mending.faithful import unfenced

_PART = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|//[^\n]*|/\*.*?\*/|/\*|[{}\[\],:]|[^\s{}\[\],:"']+|\s+|.""", re.DOTALL
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_NAME = re.compile(r"[A-Za-z_$][\w$-]*")
_HALF_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])(?<!\\\\)')
_UNCLEAR_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\(?:[x0-7]|u(?![0-9A-Fa-f]{4}))")  # a character to some languages
_COMMA_WITHIN = (',"', ",'")
_PAIRS = {"{": "}", "[": "]"}
_CLOSING = ("}", "]")
_OPENED = ('"', "'", "/*")
_LONGEST = 20_000


class _Unmendable(Exception):
    """It is not clear what the text says."""


def mend_syntax(text: str) -> str | None:
    """The text as JSON; None where it is not clear what it says, as where it ends inside a value or before one.

    Mended are a code fence around it, single quotes, keys without quotes, words of Python and JavaScript, commas too many
    or too few, and brackets that are missing at the end or closed twice. A comment says something that JSON cannot.

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
        self._open: list[str] = []
        self._after_value = False
        self._last = ""

    def pieces(self) -> Iterator[str]:
        """The parts of the mended text."""
        for index, part in enumerate(self._parts):
            if index and not self._open:
                if part in _CLOSING:
                    return
                raise _Unmendable
            yield from self._piece(part, self._parts[index + 1] if index + 1 < len(self._parts) else "")
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
            self._after_value = part == following == ","
            if part == ":" or following not in ("", ",", *_CLOSING):
                yield part
        else:
            if self._after_value:
                if self._last[-2:] in _COMMA_WITHIN:  # a quotation mark may have been left out
                    raise _Unmendable
                yield ","
            self._after_value = part not in _PAIRS
            if part in _PAIRS:
                self._open.append(_PAIRS[part])
            yield part if part in _PAIRS else _as_json(part, is_key=following == ":")


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


def _as_json(part: str, *, is_key: bool) -> str:
    if _UNCLEAR_ESCAPE.search(part):
        raise _Unmendable
    if part[0] == '"' and len(part) > 1:
        part = part.replace("\\'", "'")
        return _HALF_ESCAPE.sub(r"\\\\", part).replace("\n", "\\n").replace("\t", "\\t")
    if part[0] == "'" and len(part) > 1:
        inner = part[1:-1].replace("\\'", "'")
        return '"' + re.sub(r'(?<!\\)"', '\\"', inner).replace("\n", "\\n") + '"'
    if is_key and _NAME.fullmatch(part):
        return f'"{part}"'
    if part in ("true", "false", "null") or _NUMBER.fullmatch(part):
        return part
    if part in _WORDS:
        return _WORDS[part]
    raise _Unmendable
