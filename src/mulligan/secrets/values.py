"""Registered secret values, and every spelling in which a failure can contain them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from mulligan.secrets import REDACTED, redact_spans
from mulligan.secrets.decoding import decode_each, decoded_forms

_SHORTEST, _LONGEST, _CHUNK, _MOST_ITEMS = 4, 16_384, 256, 10_000
_SHORTEST_OF_ALL = 2
_PROBE, _FRAGMENT, _LONGEST_PIN = 4, 6, 7
_SHORTEST_CODED, _SHORTEST_FOLDED = 6, 8
_RARE_FIRST = "QZXJqKYjVWzGkHUBxOFDNPMRLCIwvSTEAyb7g8964h3f5mpd2u1c0nlaorsite"
_RARE_DIGITS = "7986543210BFDCEAbfdcea"  # the hex code of an ASCII letter or digit starts with 3 to 7
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}


class Probe(NamedTuple):
    """What a text must contain to contain one spelling of a value.

    Attributes:
        part: four letters or digits of the spelling, the first of them as rare as possible.
        runs: all parts of the spelling that no escape changes.
    """

    part: str
    runs: tuple[str, ...]


class Finder(NamedTuple):
    """Finds the registered values in a text.

    It searches for the rarest characters of the values, then for the parts that begin there, then for the rest of what
    each value needs. Only values that pass these checks are searched for with a pattern.

    Attributes:
        anchors: the first characters of all parts.
        values_by_part: for each part, the values that contain it and what else they need.
        unprobed: values without such a part, which are always searched for.
        phrases: values with white space or separators, which a truncated text may end inside.
        sources: cached patterns of the values searched for so far.
        decoded_values: decoded values to search for in decoded text, by their first characters.
    """

    anchors: str
    values_by_part: dict[str, list[tuple[str, tuple[str, ...]]]]
    unprobed: tuple[str, ...]
    phrases: tuple[str, ...]
    sources: dict[str, str]
    decoded_values: dict[str, list[str]]

    @classmethod
    def of(cls, probes: Mapping[str, tuple[Probe, ...]]) -> Finder:
        """Build a finder from values and the result of `probes_of` for each."""
        values_by_part: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for value, needed_probes in probes.items():
            for part, runs in needed_probes:
                values_by_part.setdefault(part, []).append((value, runs))
        anchors = "".join(sorted({part[0] for part in values_by_part}, key=_RARE_FIRST.index))
        unprobed = tuple(value for value, needed_probes in probes.items() if not needed_probes)
        phrases = tuple(value for value in probes if re.search(r"[\s\"',;&<>]", value))
        decoded_values: dict[str, list[str]] = {}
        for value in probes:
            for decoded in () if _is_pin(value) else decoded_forms(value):
                if len(decoded) >= _SHORTEST_CODED:
                    decoded_values.setdefault(decoded[:_PROBE], []).append(decoded)
        return cls(anchors, values_by_part, unprobed, phrases, {}, decoded_values)

    def redact(self, text: str) -> str:
        """Replace the values in a text, and the beginning of a value at its very end."""
        if values := self._candidates(text):
            text = redact_spans(
                text, [match.span() for value in values for match in re.finditer(self.pattern_of(value), text)]
            )
        if self.decoded_values and (coded := self._decoded_spans(text)):
            text = redact_spans(text, coded)
        for phrase in self.phrases:
            if text[-_FRAGMENT:] in phrase and (tail := _tail_length(text, phrase)):
                return text[:-tail] + REDACTED
        return text

    def _decoded_spans(self, text: str) -> list[tuple[int, int]]:
        """Find the values that a text contains in some encoding."""
        found: list[tuple[int, int]] = []
        for reading in decode_each(text):
            for part, values in self.decoded_values.items():
                if part in reading.plain:
                    found += (
                        place for value in values if value in reading.plain for place in reading.find_spans(value)
                    )
        return found

    def pattern_of(self, value: str) -> str:
        """The pattern that finds a value in every spelling."""
        known = self.sources.get(value)
        if known is None:
            known = self.sources[value] = _make_pattern(value)
        return known

    def _candidates(self, text: str) -> set[str]:
        found = set(self.unprobed)
        for anchor in self.anchors:
            if anchor in text:
                at = text.find(anchor)
                while at >= 0:
                    for value, runs in self.values_by_part.get(text[at : at + _PROBE], ()):
                        if value not in found and all(run in text for run in runs):
                            found.add(value)
                    at = text.find(anchor, at + 1)
        return found


def _tail_length(text: str, phrase: str) -> int:
    """The length of the beginning of a phrase that a text ends with."""
    lengths = range(min(len(phrase), len(text)), _FRAGMENT - 1, -1)
    return next((length for length in lengths if text.endswith(phrase[:length])), 0)


def secrets_of(value: object) -> Iterator[str]:
    """Yield the texts to hide for a value: its own, or those of everything inside it."""
    for text in _texts_of(value):
        if len(text) >= _SHORTEST and text not in REDACTED:
            last = max(0, len(text) - _CHUNK)
            for start in {*range(0, last, _CHUNK), last}:
                yield text[start : start + _CHUNK]


def short_secrets_of(value: object) -> Iterator[str]:
    """The two- and three-character texts in a value, which are too short to hide everywhere."""
    return (text for text in _texts_of(value) if _SHORTEST_OF_ALL <= len(text) < _SHORTEST)


def _texts_of(value: object) -> Iterator[str]:
    waiting: list[object] = [value]
    seen: dict[int, object] = {}  # keeps the items alive, so that ids stay unique
    while waiting and len(seen) < _MOST_ITEMS:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen[id(item)] = item
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple, AbstractSet)):
            waiting.extend(item)
        elif text := _text(item).strip()[:_LONGEST]:
            yield text


def _text(item: Any) -> str:
    if isinstance(item, (bytes, bytearray)):
        return item.decode("utf-8", "replace")
    if isinstance(item, str):
        return str.__str__(item)
    return str(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else ""


def probes_of(value: str) -> tuple[Probe, ...]:
    """What each spelling of a value needs; empty if a spelling has no four consecutive letters or digits."""
    data = value.encode("utf-8", "surrogatepass")
    probes = [_probe(literal, _RARE_FIRST) for literal in (value, *_other_cases(value), *_encoded(value))]
    probes += [_probe(digits, _RARE_DIGITS) for digits in (data.hex(), data.hex().upper())]
    return tuple(probe for probe in probes if probe) if all(probes) else ()


def _probe(literal: str, rare_first: str) -> Probe | None:
    runs = re.findall("[A-Za-z0-9]+", literal)
    parts = [run[start : start + _PROBE] for run in runs for start in range(len(run) - _PROBE + 1)]
    return Probe(min(parts, key=lambda part: rare_first.index(part[0])), tuple(runs)) if parts else None


def _other_cases(value: str) -> Iterator[str]:
    """A value in upper and lower case, if it cannot be a word."""
    if (
        len(value) >= _SHORTEST_FOLDED
        and value.isascii()
        and re.search("[0-9]", value)
        and re.search("[A-Za-z]", value)
    ):
        yield from {value.upper(), value.lower()} - {value}


def _encoded(value: str) -> Iterator[str]:
    """A value in base64 (also of its UTF-16 or base64 form) and in base32."""
    import base64

    data = value.encode("utf-8", "surrogatepass")
    yield from _base64_cores(data)
    if len(value) >= _SHORTEST_CODED:
        yield from _base64_cores(value.encode("utf-16-le", "surrogatepass"))
        yield next(_base64_cores(base64.b64encode(data).rstrip(b"=")))
        yield base64.b32encode(data)[: 8 * len(data) // 5].decode()


def _base64_cores(data: bytes) -> Iterator[str]:
    """The parts common to any base64 text that contains the data, one for each position modulo three."""
    from binascii import b2a_base64

    for lead, first in enumerate((0, 2, 3)):
        encoded = b2a_base64(bytes(lead) + data, newline=False).decode().rstrip("=")
        core = encoded[first : 8 * (lead + len(data)) // 6]
        if len(core) >= _FRAGMENT:
            yield core
        elif not lead:
            yield encoded


def _make_pattern(value: str) -> str:
    data = value.encode("utf-8", "surrogatepass")
    spelled = "".join(map(_character_pattern, re.findall(r"\\+|[^\\]", value)))
    literal = rf"(?<!\d){value}(?!\d)" if _is_pin(value) else spelled
    cases = (f"{re.escape(case)}" for case in _other_cases(value))
    padding = "(?:[A-Za-z0-9+/_-]?={1,2})?"
    encoded = ("".join(map(_base64_pattern, core)) + padding for core in _encoded(value))
    return "|".join([literal, *cases, *encoded, f"(?i:{data.hex()})"])


def _is_pin(value: str) -> bool:
    """Whether a value is a short number, which may occur inside many others."""
    return value.isdecimal() and len(value) <= _LONGEST_PIN


def _base64_pattern(character: str) -> str:
    other = {"+": "-", "/": "_"}.get(character)
    return f"(?:{_character_pattern(character)}|{other})" if other else character


def _character_pattern(character: str) -> str:
    """A pattern for one character (or a run of backslashes), plain and as escaped in URLs, JSON, repr and HTML."""
    if character.isascii() and character.isalnum():
        return character
    if character[0] == "\\":
        escaped = rf"(?i:%(?:25){{0,2}}5c|\\{{1,4}}x5c|\\{{1,4}}u005c|&#(?:92|x5c);){{{len(character)}}}"
        return rf"(?:\\{{{len(character)},{8 * len(character)}}}|{escaped})"
    data = character.encode("utf-8", "surrogatepass")
    code = ord(character)
    units = character.encode("utf-16-be", "surrogatepass").hex()
    forms = [
        "".join(f"%(?:25){{0,2}}{byte:02x}" for byte in data),
        "".join(rf"\\{{1,4}}x{byte:02x}" for byte in data),
        "".join(rf"\\{{1,4}}u{units[at : at + 4]}" for at in range(0, len(units), 4)),
        rf"&(?:amp;)?#(?:0{{0,4}}{code}|x0{{0,4}}{code:x});",
    ]
    if not character.isascii():
        forms.append(rf"\\{{1,4}}{ascii(character)[2:-1]}")
    if character in _ENTITIES:
        forms.append(f"&(?:amp;){{0,2}}{_ENTITIES[character]};")
    if character in "\"'/":
        forms.append(rf"\\{{1,7}}{character}")
    if character in _CONTROLS:
        forms.append(rf"\\{{1,4}}{_CONTROLS[character]}")
    plain = "[ +]|%(?:25){0,2}2[Bb]" if character == " " else re.escape(character)
    return f"(?:{plain}|(?i:{'|'.join(forms)}))"
