"""Makes foreign text visible: characters that are invisible, or that move others, are shown by their code points."""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

_KEPT = frozenset("\n\t")
_MOST_MARKS = 2


def _is_hidden(character: str) -> bool:
    if character in _KEPT:
        return False
    category = unicodedata.category(character)
    is_blank = category == "Zs" and character != " "
    return category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or is_blank or character in _FILLERS


_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\ufe0e\ufe0f")
_PLAIN = re.compile(r"[\x20-\x7e\n\t]*")


def parts(text: str) -> list[tuple[bool, str]]:
    """Splits a text into pieces, each with whether it is the code point of a hidden character.

    Of the marks that combine with one character, only the first two are kept: more would leave the line.

    Args:
        text: foreign text.
    """
    if _PLAIN.fullmatch(text):
        return [(False, text)]
    found: list[tuple[bool, str]] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        is_hidden = _is_hidden(character) or marks > _MOST_MARKS
        shown = f"U+{ord(character):04X}" if is_hidden else character
        if found and found[-1][0] is is_hidden and not is_hidden:
            found[-1] = (False, found[-1][1] + shown)
        else:
            found.append((is_hidden, shown))
    return found


def visible(text: str) -> str:
    """A text for a terminal, with hidden characters as `<U+200B>`.

    Args:
        text: foreign text.
    """
    return "".join(f"<{part}>" if is_hidden else part for is_hidden, part in parts(text))


def as_markup(text: object, most: int = 2_000) -> Markup:
    """A text for a page: escaped, bounded, with hidden characters in a box of their own.

    Args:
        text: foreign text, or a number.
        most: the maximum number of characters.
    """
    whole = str(text)
    shown = Markup().join(
        Markup('<span class="hid">{}</span>').format(part) if is_hidden else escape(part)
        for is_hidden, part in parts(whole[:most])
    )
    left = len(whole) - most
    return shown + Markup(' <span class="cut">… {} more characters</span>').format(f"{left:,}") if left > 0 else shown
