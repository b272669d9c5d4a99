"""Which characters cannot be seen, by their properties in the Unicode Character Database (version 16.0).

Sources: DerivedCoreProperties.txt for Default_Ignorable_Code_Point, DerivedGeneralCategory.txt for Cf and Zs, PropList.txt
for Prepended_Concatenation_Mark, which are of category Cf and seen all the same (https://www.unicode.org/Public/16.0.0/ucd/).
They are written down here, since the database that Python brings knows neither property, and differs by version.
"""

from __future__ import annotations

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"  # all but tab and line feed
_IGNORABLE = (  # Default_Ignorable_Code_Point: fillers, joiners, marks of direction, selectors, tags, reserved ones
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_FORMAT = "\ufff9-\ufffb\U00013430-\U00013440"  # Cf that is neither ignorable nor seen
_BLANK_MARKS = "\U00016fe4\U0001d159"  # they are drawn as nothing, though no property says so
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)
)
_WITH_PRESENTATION = (  # what a selector may follow: the symbols of emoji-variation-sequences.txt
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)

INVISIBLE = (
    f"[{_CONTROLS}{_IGNORABLE}{_FORMAT}{_BLANK_MARKS}{_NONCHARACTERS}]+|(?<![{_WITH_PRESENTATION}])[\ufe0e\ufe0f]"
)
"""A pattern of what is taken out. A selector that makes the symbol before it an emoji, or a plain sign, stays: once."""

BLANK = "[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\U00013441\U00013442]"
"""A pattern of what looks like a space: category Zs, and the empty cells of Braille and of hieroglyphs."""
