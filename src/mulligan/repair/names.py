"""Whether two names, or two values, are the same in another spelling: what differs must not change what is meant."""

from __future__ import annotations

import re

from mulligan.repair.tables import is_known_name, same_names
from mulligan.repair.units import is_unit
from mulligan.resolve.similarity import distance
from mulligan.resolve.words import UNKNOWN, pieces, split, stem, word_of

_TURNS = """
not no non never without except excluding exclude skip ignore un min max minimum maximum old previous prev
"""
_KINDS = "id ids name names value values text string str number num list array"
_GREAT = """
admin administrator owner root superuser super sudo full all everything everyone anyone public unrestricted bypass
write writer edit editor grant delete remove destroy drop purge erase wipe truncate overwrite force hard permanent
permanently kill terminate shutdown reset revoke ban production prod live
"""
_TURN, _KIND = frozenset(_TURNS.split()), frozenset(_KINDS.split())
_GRAVE = frozenset(map(stem, _GREAT.split()))
_BEGINNING, _ONE_SLIP, _LONG_NAME = 4, 5, 7
_DIGITS = re.compile(r"\d+")
_DEGREE = re.compile(r"(?:e?r|e?st|most)")
_SIGNS = re.compile(r"[^\w\s.,:;/'\"()-]|(?<!\w)[-.]|[-.](?!\w)")


def is_same_name(given: str, name: str) -> bool:
    """Whether the name of an argument is another one in other words of the same: `lines` for `tail_lines`.

    No word of it is left out but one at its end that says what kind of value it is (`city_name`), and units.

    Args:
        given: the name that was sent.
        name: the name that exists.
    """
    ours, theirs = pieces(given), pieces(name)
    fewer, more = _unmatched(ours, theirs), _unmatched(theirs, ours)
    if len(given) >= _LONG_NAME and len(fewer) == len(more) == 1 and _is_slip_of_unknown(fewer[0], more[0]):
        fewer, more = [], []
    if not ours or (fewer and more) or not same_signs(given, name) or _has_digits(fewer + more):
        return False
    if _TURN & {*more} or any(map(is_unit, more)):  # what was not sent turns the meaning around, or is a unit
        return False
    return all(is_unit(word) or (word in _KIND and word == ours[-1]) for word in fewer)


def _is_slip_of_unknown(given: str, word: str) -> bool:
    """Whether a word that means nothing is another one with one slip, within a name long enough to tell."""
    means_something = word_of(given).meaning is not UNKNOWN or is_known_name(given) or is_unit(given) or is_unit(word)
    if means_something or given.isdigit() or _is_pair(given, word):
        return False
    may_differ = given[0] == word[0] or sorted(given) == sorted(word)  # a first letter is swapped, hardly ever another
    return may_differ and distance(given, word, 1) == 1


def _is_pair(one: str, other: str) -> bool:
    """Whether two words are the two sides of one thing, as `payer` and `payee` are."""
    return {one[-2:], other[-2:]} in ({"ee", "er"}, {"ee", "or"})


def is_same_value(given: str, value: str) -> bool:
    """Whether a value is another one in other words of the same, none of them left out: `accept` for `accepted`.

    Args:
        given: the value that was sent.
        value: the value that is allowed.
    """
    ours, theirs = _whole_words(given), _whole_words(value)
    more = _unmatched(theirs, ours)
    if (
        not ours
        or _unmatched(ours, theirs)
        or _TURN & {*more}
        or not (same_signs(given, value) and same_digits(given, value))
    ):
        return False
    return not any(map(_is_grave, more))


def same_signs(given: str, other: str) -> bool:
    """Whether two texts have the same signs: `+1` and `-1`, `!active` and `active`, `C++` and `c` have not.

    Args:
        given: what was sent.
        other: what there is.
    """
    return _SIGNS.findall(given.strip()) == _SIGNS.findall(other)


def same_digits(given: str, other: str) -> bool:
    """Whether two texts have the same numbers in the same order: `v2` and `v2/2`, `1250` and `12500` have not.

    Args:
        given: what was sent.
        other: what there is.
    """
    return _DIGITS.findall(given) == _DIGITS.findall(other)


def drops_words(given: str, value: str) -> bool:
    """Whether a value has all its words from what was sent, and leaves another word of it out: `read` for `read only`.

    Args:
        given: the value that was sent.
        value: the value that is allowed.
    """
    ours, theirs = pieces(given), pieces(value)
    return len(ours) > len(theirs) and not _unmatched(theirs, ours)


def is_too_much(given: str, value: str) -> bool:
    """Whether a value gives rights, or destroys, and was not sent itself, in whatever spelling.

    Args:
        given: the value that was sent.
        value: the value that is allowed.
    """
    ours = _whole_words(given)
    grave = [word for word in _whole_words(value) if _is_grave(word)]
    return bool(grave) and not (all(_is_sent(word, ours) for word in grave) and is_same_value(given, value))


def _is_sent(word: str, ours: list[str]) -> bool:
    """Whether a word was sent in some spelling; `allow` is none of `all`."""
    return word in ours or (len(word) >= _ONE_SLIP and not _unmatched([word], ours))


def _is_grave(word: str) -> bool:
    return stem(word) in _GRAVE


def _whole_words(text: str) -> list[str]:
    """The words of a value, those that are run on too: `readwrite` is `read`, `write`."""
    return [part for word in pieces(text) for part in split(word)]


def _has_digits(words: list[str]) -> bool:
    return any(word.isdigit() for word in words)


def _unmatched(words: list[str], others: list[str]) -> list[str]:
    """The words that have no word of their own among others; a word that is sent twice needs two."""
    left, found = list(others), []
    for word in sorted(words, key=lambda word: word not in others):
        match = word if word in left else next((other for other in left if _is_same_word(word, other)), None)
        if match is None:
            found.append(word)
        else:
            left.remove(match)
    return found


def _is_same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one, or one is cut short or misspelt; a first letter hardly ever is."""
    if one == other or stem(one) == stem(other):
        return True
    if one in _TURN or other in _TURN or one.isdigit() or other.isdigit():
        return False
    short, long = sorted((one, other), key=len)
    if one[0] != other[0] or len(short) < _BEGINNING:
        return False
    if long.startswith(short):
        return not _DEGREE.fullmatch(long[len(short) :])
    return _is_slip(short, long) and not (long.endswith("est") and _is_degree_of(long, short))


def _is_degree_of(word: str, other: str) -> bool:
    """Whether a word is a higher degree of another one, of which the last letter changes: `heaviest` of `heavy`."""
    return word.removesuffix("est")[:-1] == other[:-1]


def _is_slip(short: str, long: str) -> bool:
    """Whether a word is another one misspelt: not if both are known for different things, or are a pair as in `payee`."""
    slips = 0 if len(short) < _ONE_SLIP else 1
    apart = is_known_name(short) and is_known_name(long) and not same_names(short, [long])
    return distance(short, long, slips) <= slips and not _is_pair(short, long) and not apart
