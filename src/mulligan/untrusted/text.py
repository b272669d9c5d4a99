"""Make foreign text safe to show: read it without failing, remove invisible characters, and fence it."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from mulligan.untrusted.classes import exception_text

# Invisible characters, by their properties in the Unicode Character Database (version 16.0):
# DerivedCoreProperties.txt for Default_Ignorable_Code_Point, DerivedGeneralCategory.txt for Cf and Zs, and PropList.txt
# for Prepended_Concatenation_Mark, which is in category Cf but visible (https://www.unicode.org/Public/16.0.0/ucd/).
# The patterns are hard-coded because Python's own database lacks these properties and differs by version.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"  # all except tab and line feed
_IGNORABLE = (  # Default_Ignorable_Code_Point: fillers, joiners, direction marks, selectors, tags, reserved
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_FORMAT = "\ufff9-\ufffb\U00013430-\U00013440"  # category Cf, invisible but not ignorable
_BLANK_MARKS = "\U00016fe4\U0001d159"  # invisible, although no property says so
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)
)
_WITH_PRESENTATION = (  # symbols that a variation selector may follow, from emoji-variation-sequences.txt
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
INVISIBLE = (
    f"[{_CONTROLS}{_IGNORABLE}{_FORMAT}{_BLANK_MARKS}{_NONCHARACTERS}]+|(?<![{_WITH_PRESENTATION}])[\ufe0e\ufe0f]"
)
"""A pattern of the characters to remove. One variation selector is kept after a symbol that can be an emoji."""
BLANK = "[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\U00013441\U00013442]"
"""A pattern of characters that look like a space: category Zs, and blank Braille and hieroglyph cells."""

_ANSI = (  # control sequences, strings such as window titles (maybe unterminated), and short escapes
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x9b[0-?]{1,64}[ -/]{0,8}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]{0,8}[0-~]"
)
_BREAKS = "[\u2028\u2029]"
_SURROGATES = "[\ud800-\udfff]"
_LOOKALIKES = (  # Greek, Cyrillic, Armenian, Cherokee, Coptic, Lisu
    "[\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u2c80-\u2cff\ua4d0-\ua4ff\ua640-\ua69f\uab70-\uabbf]"
)
_ACCENTED = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0130\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u017e"
_DISGUISES = (  # other forms of Latin letters
    "[\u0131-\u0133\u0138\u013f\u0140\u0149\u017f\u2100-\u214f\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
_PROSE_MARKS = re.compile(r"[!?;<>{}|`\"*\n\t¿¡\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]|[.,:] ")
_FEW_WORDS = re.compile(r"/?[A-Za-z]{1,64}(?:[_-][A-Za-z]{1,32}){0,3}").fullmatch
_STEPS = re.compile(r"[/\\]+")
_NAME_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS, _LONGEST_NAME = 6, 256
_LONGEST_WORD = 512
_ESCAPED = {"\\": r"\\", '"': r"\"", "'": r"\'", "\n": r"\n", "\t": r"\t", "\u2028": r"\n", "\u2029": r"\n"}
_MARK_LENGTH = 16
_MEMORY_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.:/-]+").fullmatch
MUST_PROPAGATE = (KeyboardInterrupt, GeneratorExit)  # never swallowed by guards around foreign code
_TYPE_NAME = re.compile(r"[\w.<>]{1,400}").fullmatch
_PLAIN_QUOTES = dict.fromkeys((*range(0x2018, 0x201C), 0x2039, 0x203A), "'")
_PLAIN_QUOTES |= dict.fromkeys((*range(0x201C, 0x2020), 0xAB, 0xBB), '"')


def clean(text: str, *, newlines: bool = True) -> str:
    """Remove invisible characters: control characters, terminal escapes, and what Unicode defines as not displayed.

    Args:
        text: foreign text.
        newlines: whether to keep line feeds and tabs; otherwise each run of them becomes one space.

    Returns:
        The cleaned text. Other kinds of space become a space, lone surrogates become U+FFFD, and the Unicode line and
        paragraph separators become line feeds.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text or "\x9b" in text:
        text = re.sub(_ANSI, "", text)
    text = re.sub(INVISIBLE, "", text)
    if not text.isascii():
        text = re.sub(BLANK, " ", text)
        text = re.sub(_SURROGATES, "\ufffd", re.sub(_BREAKS, "\n", text))
    return text if newlines else re.sub(r"[\n\t]+", " ", text)


def show_name(name: object, limit: int = 64) -> str:
    """Show an untrusted name on one line, so that it cannot be mistaken for another.

    Args:
        name: the name, of any type.
        limit: the maximum length of the result; a longer name is cut and ends with `…`.

    Returns:
        The name, with quotes, backslashes and line breaks escaped. Accented letters are kept. Other non-ASCII characters
        are escaped if most letters are Latin, or if they look like Latin letters; a name in another script stays readable.
    """
    if type(name) is str and len(name) <= limit and _PLAIN_NAME(name):
        return name
    text = _read_text(name, 4 * limit)
    raw = re.sub(_ANSI, "", text)
    letters = "".join(filter(str.isalnum, raw))
    latin_count = len(re.findall(f"[\x00-\x7f{_ACCENTED}]", letters))
    mixed = f"{_LOOKALIKES}|{_DISGUISES}" if latin_count else _DISGUISES
    escaped_pattern = f"[^\x00-\x7f{_ACCENTED}]" if latin_count >= len(letters) - latin_count else mixed
    pieces = [_show_character(character, escaped_pattern) for character in raw]
    lengths = list(accumulate(map(len, pieces)))
    if len(text) < 4 * limit and (not lengths or lengths[-1] <= limit):
        return "".join(pieces)
    return "".join(pieces[: bisect_right(lengths, limit - 1)]) + "…"


def show_type_name(name: str) -> str:
    """Show a type's qualified name safely; empty if it is not a dotted name, which could read as mulligan's own words.

    Args:
        name: the name.
    """
    return show_name(name, 128) if _TYPE_NAME(name) else ""


def _show_character(character: str, suspect: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    if re.match(suspect, character):
        digits = f"{ord(character):04x}"
        return f"\\u{digits}" if len(digits) == len("ffff") else f"\\U{digits:0>8}"
    return clean(character, newlines=False)


def is_name(text: str, like: str = "", *, blanks: int = 0) -> bool:
    """Whether text is a name, not a sentence, so that it can appear within mulligan's own text.

    Args:
        text: a foreign name, such as a file name.
        like: known text; a name may contain the same signs and as many words.
        blanks: the number of spaces that each path segment may contain.

    Returns:
        False if the text is empty or long, has too many words, or contains signs that only sentences have.
    """
    if _FEW_WORDS(text):  # as most names
        return True
    if not 0 < len(text) <= _LONGEST_NAME or clean(text, newlines=False) != text:
        return False
    if any(mark not in like for mark in _PROSE_MARKS.findall(text)):
        return False
    known = _STEPS.split(like)
    spaces = max(blanks, *(len(step.split()) - 1 for step in known))
    words = max(_MOST_WORDS, *(len(_NAME_WORD.findall(step)) for step in known))
    steps = _STEPS.split(text)
    return all(len(step.split()) - 1 <= spaces and len(_NAME_WORD.findall(step)) <= words for step in steps)


def with_plain_quotes(text: str) -> str:
    """A text with `'` and `"` for typographic quotation marks and apostrophes, as programs write them in some locales.

    Args:
        text: any text.
    """
    return text if text.isascii() else text.translate(_PLAIN_QUOTES)


def fence(text: str, *, key: str, label: str) -> str:
    """Quote text so that it cannot close its own quotation.

    Args:
        text: foreign text, cleaned and redacted.
        key: seeds the mark together with the text, so that equal input gives equal output.
        label: a line of mulligan's own that describes the text.

    Returns:
        The label, then the text between two lines with a mark that does not occur in the text.
    """
    mark = _make_mark(f"{key}\0{text}", text)
    return f"{label}\n<<<{mark}\n{text}\n{mark}>>>"


def _make_mark(seed: str, text: str) -> str:
    from hashlib import sha256

    while True:
        seed = sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
        if seed[:_MARK_LENGTH] not in text:
            return seed[:_MARK_LENGTH]


def safe_str(value: object, limit: int = 2000) -> str:
    """Convert any object to text, even if its `__str__` fails.

    Args:
        value: any object, often an exception.
        limit: the maximum length of the result.

    Returns:
        The beginning of `str(value)`, as an exact `str`. It is cut at a word boundary, so that part of a secret never
        escapes redaction. If the text cannot be read, a note that names the type.

    Raises:
        KeyboardInterrupt: the user interrupts while the text is read.
        GeneratorExit: the calling generator is closed during the call.
    """
    if type(value) is str and len(value) <= limit:
        return value
    return _truncate_at_word(_read_text(value, limit + 1), limit)


def first_line(text: str, limit: int = 200) -> str:
    """The first line of a foreign text, so that what follows cannot pass for a line of ours.

    Args:
        text: the text.
        limit: characters to keep.
    """
    return next(iter(text[: limit + 1].strip().splitlines()), "")[:limit]


def plain_str(value: object, limit: int = 2000) -> str:
    """Like `safe_str`, but without memory addresses, which carry no meaning and differ each time.

    Args:
        value: any object.
        limit: the maximum length of the result.
    """
    return _MEMORY_ADDRESS.sub("", safe_str(value, limit))


def safe_repr(value: object, limit: int = 80) -> str:
    """Show a value in an error of the host's code: its `repr` without an address if that is short, otherwise its class.

    Args:
        value: any object.
        limit: the maximum length of the `repr`.
    """
    kind = type(value)
    try:
        text = _MEMORY_ADDRESS.sub("", repr(value))
        if len(text) <= limit and text.isprintable():
            return text
    except MUST_PROPAGATE:
        raise
    except BaseException:  # whatever a foreign __repr__ raises
        text = ""
    owner = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"a value of type {owner}{kind.__qualname__}"


def _read_text(value: Any, limit: int) -> str:
    kind = type(value)
    try:
        if issubclass(kind, str):
            return str.__getitem__(value, slice(0, limit))
        if issubclass(kind, (bytes, bytearray)):
            value = value[:limit]
        text = exception_text(value) if issubclass(kind, BaseException) else str(value)
        return str.__getitem__(text, slice(0, limit))
    except MUST_PROPAGATE:
        raise
    except BaseException:  # whatever a foreign __str__ raises, including SystemExit
        return _unreadable(kind)[:limit]


def _unreadable(kind: type) -> str:
    try:
        name = str.__getitem__(type.__dict__["__name__"].__get__(kind), slice(0, 64))
        return f"<{clean(name, newlines=False)} whose text cannot be read>"
    except (RecursionError, MemoryError):
        return "<a value whose text cannot be read>"


def _truncate_at_word(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    window = max(0, limit - _LONGEST_WORD)
    if not text[limit].isspace():
        blank = max(text.rfind(character, window, limit) for character in " \n\t")
        mark = max(text.rfind(character, window, limit) for character in "\"',;&<>")
        if blank > 0 or mark >= 0:
            return text[:blank] if blank > 0 else text[: mark + 1]
    return text[:limit]
