"""Patterns of invisible characters, by their properties in the Unicode Character Database (version 16.0).

Sources: DerivedCoreProperties.txt for Default_Ignorable_Code_Point, DerivedGeneralCategory.txt for Cf and Zs, and
PropList.txt for Prepended_Concatenation_Mark, which is in category Cf but visible
(https://www.unicode.org/Public/16.0.0/ucd/). The patterns are hard-coded because Python's own database lacks these
properties and differs by version.
"""

from __future__ import annotations

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
