"""Which argument of a call a message rejects: the one that it names as its subject, or whose value it shows.

`argument_named_in` reads the codes and messages of a service that is known to speak of an argument. The messages here may
be about anything, so a name counts only where a requirement or a verdict is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from mulligan.classify.call_arguments import LABELS, name_words
from mulligan.lazy import lazy_pattern
from mulligan.pointers import escape

_MOST_LEAVES, _MOST_ARGUMENTS, _DEEPEST = 60, 40, 3
_LONGEST_MESSAGE, _LONGEST_VALUE, _LONGEST_NAME = 600, 200, 60
_SHORTEST_WORD, _SHORTEST_NUMBER = 3, 10
_MOST_MENTIONS, _LONGEST_BEFORE = 8, 60
_QUOTED = lazy_pattern(r"(?<!\w)'([^'\n]{1,200})'(?!\w)|\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|\[([^\[\]\n]{1,200})\]")
_VERDICT = (
    r"(?:invalid|unknown|unsupported|unrecogni[sz]ed|illegal|malformed|bad|wrong|incorrect|missing|negative|empty|duplicate|"
    r"unexpected|undefined|out-of-range|no such)"
)
_PREDICATE = (
    r"(?:must|should|has to|have to|needs? to|cannot|can't|can not|may not|exceeds|out of|"
    r"does not|(?:is|are|was|were|be) (?:an? |the |of )?(?:-?\d|not|too|out|invalid|unknown|unsupported|"
    r"unrecogni[sz]ed|illegal|malformed|incorrect|wrong|required|missing|negative|empty|zero|null|none|"
    r"blank|greater|less|larger|smaller|longer|shorter|higher|lower|bigger|above|below|outside|over|under|expected|past|future|duplicate)|"
    r"too (?:long|short|large|small|big|high|low|many|few)|not (?:a |in |one |supported|valid|allowed|recogni[sz]ed))"
)
_START = r"(?:^|[.:;,(\[\n] ?|\b(?:argument|parameter|field|property|option|variable|the|value of|value for|given|provided) )"
_END = (
    r"(?=$|[.,;:!?)\]\n]| [\"'`(=\[]| -?\d"
    r"| (?:was|is|must|given|provided|specified|supplied|value|format|argument|parameter)\b)"
)
_OPEN = r"[\"'`]?"
_BEFORE_SUBJECT = lazy_pattern(rf"{_START}{_OPEN}$", re.IGNORECASE)
_AFTER_SUBJECT = lazy_pattern(rf"{_OPEN} (?:[=:]? ?\S{{1,60}} )?{_PREDICATE}\b", re.IGNORECASE)
_BEFORE_VERDICT = lazy_pattern(
    rf"\b(?:{_VERDICT} (?:value |argument |parameter |input )?(?:for |of |in )?|value (?:for|of) )(?:the )?{_OPEN}$",
    re.IGNORECASE,
)
_AFTER_VERDICT = lazy_pattern(_OPEN + _END, re.IGNORECASE)
_BUGS = lazy_pattern(  # what Python says of a mistake in the code, not of what was passed to it
    r"values? to unpack|\bx not in (?:list|tuple|deque)|substring not found|closed file|generator already|unsupported format"
    r"|truth value of|update sequence element|could not be broadcast|shape mismatch|unsupported operand|has no attribute"
    r"|object is not|not supported between|operands could not",
    re.IGNORECASE,
)


class Leaf(NamedTuple):
    """One value of the arguments.

    Attributes:
        pointer: its place.
        name: the last name on the way to it.
        value: the value: a text, a number, a truth value or None.
    """

    pointer: str
    name: str
    value: Any

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name, in lower case and singular."""
        return tuple(name_words(self.name[:_LONGEST_NAME]))


def leaves(arguments: Mapping[str, Any] | None) -> Iterator[Leaf]:
    """The single values within arguments: at most 60, at most three levels deep.

    Args:
        arguments: the arguments as JSON values.
    """
    queue: list[tuple[str, str, Any, int]] = [
        (f"/{escape(name)}", name, value, 1) for name, value in tuple((arguments or {}).items())[:_MOST_ARGUMENTS]
    ]
    count = 0
    while queue and count < _MOST_LEAVES:
        pointer, name, value, depth = queue.pop(0)
        if isinstance(value, Mapping):
            if depth < _DEEPEST:
                inner = tuple(value.items())[:_MOST_LEAVES]
                queue += [(f"{pointer}/{escape(key)}", str(key), one, depth + 1) for key, one in inner]
        elif isinstance(value, (list, tuple)):
            if depth < _DEEPEST:
                queue += [
                    (f"{pointer}/{place}", name, one, depth + 1) for place, one in enumerate(value[:_MOST_LEAVES])
                ]
        else:
            count += 1
            yield Leaf(pointer, name, value)


def blamed_pointer(text: str, leaves: Sequence[Leaf], *, by_value: bool = True) -> str | None:
    """The pointer to the argument that a message rejects; None if it rejects none, or several alike.

    `n must be positive`, `unknown unit: furlong` and `'furlong' is not a unit` each reject one. A value counts if it is
    quoted, or where a message shows values; a short number, which may be anything, does not.

    Args:
        text: the message; only the first 600 characters are read.
        leaves: the values of the arguments.
        by_value: whether an argument whose value is shown counts, too.
    """
    text = text[:_LONGEST_MESSAGE]
    if not leaves or not text or _BUGS.search(text):
        return None
    quoted = {part for match in _QUOTED.finditer(text) for part in match.groups() if part}
    name_matches = _unique([leaf for leaf in leaves if _names(text, leaf.name)])
    shown = [leaf for leaf in leaves if by_value and _is_quoted(leaf.value, quoted)]
    if not shown and by_value:
        shown = [leaf for leaf in leaves if _is_shown(leaf.value, text)]
    both = [leaf for leaf in shown if leaf in name_matches]
    for candidates in (both, name_matches, shown):
        if len(candidates) == 1:
            return candidates[0].pointer
    return _common_place(name_matches) if name_matches and not shown else None


def holding(value: object, known: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """The values within arguments that equal a value: a text as it is or in another case, a number also as text.

    Args:
        value: any value, such as the key of a `KeyError`.
        known: the values of the arguments.
    """
    if type(value) not in (str, int, float):
        return ()
    written = str(value)[:_LONGEST_VALUE].strip().casefold()
    found = (leaf for leaf in known if type(leaf.value) in (str, int, float))
    return tuple(leaf for leaf in found if str(leaf.value)[:_LONGEST_VALUE].strip().casefold() == written)


def _unique(found: list[Leaf]) -> list[Leaf]:
    """The leaves with the longest of the names: `ts_latest` rather than `latest`."""
    longest = max((len(leaf.words) for leaf in found), default=0)
    return [leaf for leaf in found if len(leaf.words) == longest]


def _common_place(found: Iterable[Leaf]) -> str | None:
    """The list whose items are all meant, or None."""
    places = {leaf.pointer.rpartition("/")[0] for leaf in found}
    place = places.pop() if len(places) == 1 else ""
    return place or None


def _names(text: str, name: str) -> bool:
    """Whether a text has a name as the subject of a sentence, or behind a verdict: `unknown unit`."""
    pattern = _name_pattern(name) if 0 < len(name) <= _LONGEST_NAME else None
    for match in islice(pattern.finditer(text), _MOST_MENTIONS) if pattern is not None else ():
        start, end = match.span()
        near = max(0, start - _LONGEST_BEFORE)
        if _BEFORE_SUBJECT.search(text, near, start) and _AFTER_SUBJECT.match(text, end):
            return True
        if _BEFORE_VERDICT.search(text, near, start) and _AFTER_VERDICT.match(text, end):
            return True
    return False


@lru_cache(maxsize=1_024)
def _name_pattern(name: str) -> re.Pattern[str]:
    words = name_words(name)
    subject = words[:-1] if len(words) > 1 and words[-1] in LABELS else words
    written = "|".join(dict.fromkeys((re.escape(name), *(_written(one) for one in (words, subject) if one))))
    flags = re.IGNORECASE if len(name) >= _SHORTEST_WORD else re.NOFLAG  # `I` and `A` are words
    return re.compile(rf"(?<!\w)(?:{written})(?!\w)", flags)


def _written(words: list[str]) -> str:
    """A name as it may be written: `max_results`, `maxResults`, `max results`."""
    return r"[\s_-]?".join(f"{re.escape(word)}s?" for word in words)


def _is_quoted(value: object, quoted: set[str]) -> bool:
    if type(value) not in (str, int, float):
        return False
    written = str(value)[:_LONGEST_VALUE]
    return bool(written) and (written in quoted or repr(value)[:_LONGEST_VALUE] in quoted)


def _is_shown(value: object, text: str) -> bool:
    """Whether a message shows a value without quotes: at its end after a colon, behind a verdict, or as its subject."""
    if type(value) in (int, float):
        if 0 <= value < _SHORTEST_NUMBER and type(value) is int:  # type: ignore[operator]
            return False
    elif type(value) is not str or len(value.strip()) < _SHORTEST_WORD:
        return False
    written = str(value).strip()[:_LONGEST_VALUE]
    if written not in text:
        return False
    found = re.escape(written)
    return (
        re.search(
            rf"(?:[:=]\s|=|\b(?:got|given|received|was|not|than):? |\(){found}(?=\s*(?:$|[\n;)]|[.,](?:\s|$)))"
            rf"|\b{_VERDICT} (?:\w{{1,30}} ){{0,2}}{found}(?=$|[\s.,;:)(])"
            rf"|(?:^|\n){found} (?:{_PREDICATE}|not)\b"
            rf"|\benum constant [\w.$]{{1,200}}\.{found}(?=$|\W)",
            text,
            re.IGNORECASE,
        )
        is not None
    )
