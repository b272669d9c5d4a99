"""Read arguments sent as broken JSON, if their meaning is certain. No value is completed or dropped.

json-repair is used if it is installed. It repairs more, but guesses silently: it reads `tru` as a string and closes
truncated values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from typing import Any

from mulligan.errors import ToolArgumentError
from mulligan.policy import Limits
from mulligan.repair.content_check import preserves_content
from mulligan.repair.json_tokens import (
    IDENTIFIER,
    is_complete,
    language_of,
    read_quoted,
    strip_code_fence,
    unwrap_string,
)
from mulligan.validate.arguments import read_arguments

_LONGEST = 20_000
_KEY_BEHIND_QUOTE = re.compile(r"[\"']\s*[A-Za-z_$][\w$-]*\s*:")
_SEPARATORS = frozenset(",:;([{=")
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


def read_or_fix_arguments(sent: Any, limits: Limits, *, read_only: bool) -> dict[str, Any] | None:
    """Read a call's arguments as JSON values, repairing the JSON with `fix_json` if needed.

    Args:
        sent: the arguments as the model sent them: text, bytes, or a mapping.
        limits: bounds on size and depth.
        read_only: whether the tool is read-only.

    Returns:
        The arguments, or None if they cannot be read.
    """
    try:
        return read_arguments(sent, limits)
    except ToolArgumentError:
        return read_fixed_arguments(sent, limits, read_only=read_only)


def read_fixed_arguments(sent: Any, limits: Limits, *, read_only: bool) -> dict[str, Any] | None:
    """Read a call's arguments, which are not a JSON object as they are, as JSON values that `fix_json` repaired.

    Args:
        sent: the arguments as the model sent them.
        limits: bounds on size and depth.
        read_only: whether the tool is read-only.

    Returns:
        The arguments, or None if they cannot be read.
    """
    text = bytes(sent).decode(errors="replace") if isinstance(sent, (bytes, bytearray)) else sent
    fixed = fix_json(text, read_only=read_only) if isinstance(text, str) else None
    try:
        return None if fixed is None else read_arguments(fixed, limits)
    except ToolArgumentError:
        return None


def fix_json(text: str, *, read_only: bool) -> str | None:
    """Repair broken JSON, preserving its content exactly.

    Truncated text is completed only for read-only tools, and only with closing brackets.

    Args:
        text: the text as sent, which is not valid JSON.
        read_only: whether the tool is read-only.

    Returns:
        Valid JSON, or None if the meaning is ambiguous.
    """
    if len(text) > _LONGEST:
        return None
    text = unwrap_string(strip_code_fence(text))
    is_complete_text = is_complete(text)
    if not (is_complete_text or read_only):
        return None
    fixed = fix_syntax(text)
    if fixed is None and is_complete_text:
        fixed = _fix_with_json_repair(text)
    return fixed if fixed is not None and preserves_content(text, fixed, read_only=read_only) else None


def _fix_with_json_repair(text: str) -> str | None:
    """Repair with json-repair. It guesses silently, so text that may lack a quotation mark is rejected."""
    if _KEY_BEHIND_QUOTE.search(text):
        return None
    try:
        value = import_module("json_repair").loads(text, skip_json_loads=True)
    except Exception:  # not installed, or unable to repair
        return None
    return json.dumps(value, ensure_ascii=False) if type(value) is dict and not _has_cut_string(value) else None


def _has_cut_string(value: Any) -> bool:
    """Whether any string in a value ends in white space or a separator, as a truncated string does."""
    if isinstance(value, dict):
        return any(_has_cut_string(part) for member in value.items() for part in member)
    if isinstance(value, list):
        return any(map(_has_cut_string, value))
    return isinstance(value, str) and (value != value.rstrip() or value[-1:] in _SEPARATORS)


class _AmbiguousError(Exception):
    """The text does not have exactly one meaning."""


def fix_syntax(text: str) -> str | None:
    """Correct the syntax of nearly valid JSON.

    Corrected are a surrounding code fence, single quotes, unquoted keys, Python constants, extra commas at an end or
    between members, missing commas between members or objects, and closing brackets that are missing at the end or
    repeated.

    Rejected are two strings without a comma (one string in Python), `10 250` (one number in SI notation), `undefined`,
    a missing list item (`[1,,2]`), and comments, whose content JSON cannot carry.

    Args:
        text: the text as sent.

    Returns:
        Valid JSON, or None if the meaning is ambiguous, as for text that ends inside or before a value.
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
        """Yield the tokens of the corrected text."""
        for part, following in pairwise([*self._tokens, ""]):
            if self._last and not self._open_brackets:
                if part != "}" or self._tokens[:2] == ["{", "}"]:  # `{}}` may end an object whose beginning is lost
                    raise _AmbiguousError
                continue
            if not self._last and part not in _PAIRS:  # the beginning is lost
                raise _AmbiguousError
            yield from self._fix_token(part, following)
            self._last = part
        # More digits or items may be missing.
        may_continue = self._open_brackets and (self._tokens[-1][-1].isdigit() or "]" in self._open_brackets)
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
        """Whether a string ends where it seems to end, so that no quotation mark in or after it is missing.

        Its last character belongs to a word or value, and the next token opens with a quotation mark or bracket.
        """
        end = self._last[-2:-1]
        return following[:1] in (self._last[-1], *_PAIRS) and bool(end) and not (end.isspace() or end in _BETWEEN)

    def _may_lack_comma(self, part: str) -> bool:
        """Whether the next token starts a separate item: a member of an object, or an object after an object."""
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
    """Yield the tokens of a text, without white space."""
    for found in _PART.finditer(text):
        part = found[0]
        if part in _OPENED or part.startswith(
            ("//", "/*")
        ):  # searching for its end from every later position would be slow
            raise _AmbiguousError
        if not part.isspace():
            yield part
