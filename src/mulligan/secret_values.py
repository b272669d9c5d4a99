"""Registered secret values, and every spelling in which a failure can carry them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from mulligan.secret_shapes import REDACTED, replace

_SHORTEST, _LONGEST, _CHUNK = 4, 16_384, 256
_PROBE, _FRAGMENT = 4, 6
_RARE_FIRST = "QZXJqKYjVWzGkHUBxOFDNPMRLCIwvSTEAyb7g8964h3f5mpd2u1c0nlaorsite"
_RARE_DIGITS = "7986543210BFDCEAbfdcea"  # in hex every letter has one of 3 to 7
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}


class Finder(NamedTuple):
    """Finds the registered values in a text.

    A text is searched for the rarest characters of the values first. Only where four characters from there on are part
    of a value, the patterns of the values that have this part are tried.

    Attributes:
        anchors: the characters that parts begin with.
        owners: the values that have a part, by part.
        loose: values without such a part, which are always tried.
        phrases: values that hold a blank, so that a text may end in the midst of them.
        patterns: the patterns that were needed so far.
    """

    anchors: str
    owners: dict[str, list[str]]
    loose: tuple[str, ...]
    phrases: tuple[str, ...]
    patterns: dict[str, re.Pattern[str]]

    @classmethod
    def of(cls, probes: Mapping[str, tuple[str, ...]]) -> Finder:
        """Build it from values and the result of `probes_of` for each."""
        owners: dict[str, list[str]] = {}
        for value, parts in probes.items():
            for part in parts:
                owners.setdefault(part, []).append(value)
        anchors = "".join(sorted({part[0] for part in owners}, key=_RARE_FIRST.index))
        loose = tuple(value for value, parts in probes.items() if not parts)
        phrases = tuple(value for value in probes if re.search(r"[\s\"',;&<>]", value))
        return cls(anchors, owners, loose, phrases, {})

    def redact(self, text: str) -> str:
        """Replace the values in a text, and the beginning of a value at its very end."""
        if values := self._candidates(text):
            text = replace(text, (match.span() for value in values for match in self._pattern(value).finditer(text)))
        for phrase in self.phrases:
            if text[-_FRAGMENT:] in phrase and (tail := _tail(text, phrase)):
                return text[:-tail] + REDACTED
        return text

    def _candidates(self, text: str) -> set[str]:
        found = set(self.loose)
        for anchor in self.anchors:
            if anchor in text:
                at = text.find(anchor)
                while at >= 0:
                    if owners := self.owners.get(text[at : at + _PROBE]):
                        found.update(owners)
                    at = text.find(anchor, at + 1)
        return found

    def _pattern(self, value: str) -> re.Pattern[str]:
        if value not in self.patterns:
            self.patterns[value] = re.compile(_source(value))
        return self.patterns[value]


def _tail(text: str, phrase: str) -> int:
    """How many characters of the beginning of a phrase a text ends with."""
    lengths = range(min(len(phrase), len(text)), _FRAGMENT - 1, -1)
    return next((length for length in lengths if text.endswith(phrase[:length])), 0)


def secrets_of(value: object) -> Iterator[str]:
    """The texts to hide for a value: its own, or those of everything in it."""
    waiting, seen = [value], 0
    while waiting and seen < 10_000:
        item = waiting.pop()
        seen += 1
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple, AbstractSet)):
            waiting.extend(item)
        elif (text := _text(item).strip()[:_LONGEST]) and len(text) >= _SHORTEST and text not in REDACTED:
            last = max(0, len(text) - _CHUNK)
            for start in {*range(0, last, _CHUNK), last}:
                yield text[start : start + _CHUNK]


def _text(item: Any) -> str:
    if isinstance(item, (bytes, bytearray)):
        return item.decode("utf-8", "replace")
    if isinstance(item, str):
        return str.__str__(item)
    return str(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else ""


def probes_of(value: str) -> tuple[str, ...]:
    """Four letters or digits out of each spelling of a value; empty where a spelling has no four in a row."""
    data = value.encode("utf-8", "surrogatepass")
    digits = data.hex()
    probes = [*map(_probe, [value, *_base64(data)]), _probe(digits, _RARE_DIGITS), _probe(digits.upper(), _RARE_DIGITS)]
    return () if "" in probes else tuple(dict.fromkeys(probes))


def _probe(literal: str, rare_first: str = _RARE_FIRST) -> str:
    parts = (literal[start : start + _PROBE] for start in range(len(literal) - _PROBE + 1))
    usable = (part for part in parts if part.isascii() and part.isalnum())
    return min(usable, key=lambda part: rare_first.index(part[0]), default="")


def _base64(data: bytes) -> Iterator[str]:
    """What the encoding of any text around the data must hold: one for each position modulo three."""
    from binascii import b2a_base64

    for lead, first in enumerate((0, 2, 3)):
        encoded = b2a_base64(bytes(lead) + data, newline=False).decode().rstrip("=")
        core = encoded[first : 8 * (lead + len(data)) // 6]
        if len(core) >= 6:
            yield core
        elif not lead:
            yield encoded


def _source(value: str) -> str:
    data = value.encode("utf-8", "surrogatepass")
    if value.isdecimal() and len(value) < 8:
        plain = rf"(?<!\d){value}(?!\d)"
    else:
        plain = "".join(map(_spell, re.findall(r"\\+|[^\\]", value)))
    padding = "(?:[A-Za-z0-9+/_-]?={1,2})?"
    encoded = ("".join(map(_spell_base64, core)) + padding for core in _base64(data))
    return "|".join([plain, *encoded, f"(?i:{data.hex()})"])


def _spell_base64(character: str) -> str:
    other = {"+": "-", "/": "_"}.get(character)
    return f"(?:{_spell(character)}|{other})" if other else character


def _spell(character: str) -> str:
    """A pattern for one character (or a run of backslashes) plain and as URLs, JSON, repr and HTML write it."""
    if character.isascii() and character.isalnum():
        return character
    if character[0] == "\\":
        escaped = f"(?i:%(?:25){{0,2}}5c){{{len(character)}}}"
        return rf"(?:\\{{{len(character)},{8 * len(character)}}}|{escaped})"
    data = character.encode("utf-8", "surrogatepass")
    code = ord(character)
    units = character.encode("utf-16-be", "surrogatepass").hex()
    forms = [
        "".join(f"%(?:25){{0,2}}{byte:02x}" for byte in data),
        "".join(rf"\\{{1,4}}x{byte:02x}" for byte in data),
        "".join(rf"\\{{1,4}}u{units[at : at + 4]}" for at in range(0, len(units), 4)),
        rf"\\{{1,4}}U{code:08x}",
        rf"&(?:amp;)?#(?:0{{0,4}}{code}|x0{{0,4}}{code:x});",
    ]
    if 127 < code < 256:
        forms.append(rf"\\{{1,4}}x{code:02x}")
    if character in _ENTITIES:
        forms.append(f"&(?:amp;){{0,2}}{_ENTITIES[character]};")
    if character in "\"'/":
        forms.append(rf"\\{{1,7}}{character}")
    if character in _CONTROLS:
        forms.append(rf"\\{{1,4}}{_CONTROLS[character]}")
    plain = r"[ +]" if character == " " else re.escape(character)
    return f"(?:{plain}|(?i:{'|'.join(forms)}))"
