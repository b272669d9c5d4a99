"""Whether two names or two values are variants of each other that have the same meaning."""

from __future__ import annotations

import re

from mulligan.repair.synonyms import is_known_name, name_synonyms
from mulligan.repair.units import is_unit
from mulligan.resolve.similarity import distance
from mulligan.resolve.words import UNKNOWN, look_up_word, split_compound, split_words, stem

_MODIFIER_WORDS = """
not no non never without except excluding exclude skip ignore un min max minimum maximum old previous prev
"""
_TYPE_WORDS = "id ids name names value values text string str number num list array"
_PRIVILEGED = """
admin administrator owner root superuser super sudo full all everything everyone anyone public unrestricted bypass
write writer edit editor grant delete remove destroy drop purge erase wipe truncate overwrite force hard permanent
permanently kill terminate shutdown reset revoke ban production prod live
"""
_MODIFIERS, _TYPE_NAMES = frozenset(_MODIFIER_WORDS.split()), frozenset(_TYPE_WORDS.split())
_PRIVILEGED_STEMS = frozenset(map(stem, _PRIVILEGED.split()))
_SHORTEST_PREFIX, _SHORTEST_FOR_TYPO, _LONG_NAME = 4, 5, 7
_DIGITS = re.compile(r"\d+")
_DEGREE = re.compile(r"(?:e?r|e?st|most)")
_SIGNS = re.compile(r"[^\w\s.,:;/'\"()-]|(?<!\w)[-.]|[-.](?!\w)")


def is_same_name(sent: str, name: str) -> bool:
    """Whether an argument name is a variant of another: `lines` for `tail_lines`.

    The variant may drop only units and a final word that states the kind of value, as in `city_name`.

    Args:
        sent: the name as sent.
        name: the existing name.
    """
    ours, theirs = split_words(sent), split_words(name)
    dropped, added = _unmatched(ours, theirs), _unmatched(theirs, ours)
    if len(sent) >= _LONG_NAME and len(dropped) == len(added) == 1 and _is_typo_of_unknown(dropped[0], added[0]):
        dropped, added = [], []
    if not ours or (dropped and added) or not has_same_signs(sent, name) or _has_digits(dropped + added):
        return False
    if _MODIFIERS & {*added} or any(map(is_unit, added)):  # the added word reverses the meaning, or is a unit
        return False
    return all(is_unit(word) or (word in _TYPE_NAMES and word == ours[-1]) for word in dropped)


def _is_typo_of_unknown(sent: str, word: str) -> bool:
    """Whether a word without a known meaning is one typo away from another."""
    means_something = look_up_word(sent).meaning is not UNKNOWN or is_known_name(sent) or is_unit(sent) or is_unit(word)
    if means_something or sent.isdigit() or _is_pair(sent, word):
        return False
    # A first letter is rarely mistyped, except that it is swapped with the second.
    may_differ = sent[0] == word[0] or sorted(sent) == sorted(word)
    return may_differ and distance(sent, word, 1) == 1


def _is_pair(one: str, other: str) -> bool:
    """Whether two words are counterparts, such as `payer` and `payee`."""
    return {one[-2:], other[-2:]} in ({"ee", "er"}, {"ee", "or"})


def is_same_value(sent: str, value: str) -> bool:
    """Whether a value is a variant of another that drops no word: `accept` for `accepted`.

    Args:
        sent: the value as sent.
        value: the allowed value.
    """
    ours, theirs = _whole_words(sent), _whole_words(value)
    added = _unmatched(theirs, ours)
    if (
        not ours
        or _unmatched(ours, theirs)
        or _MODIFIERS & {*added}
        or not (has_same_signs(sent, value) and has_same_digits(sent, value))
    ):
        return False
    return not any(map(_is_privileged, added))


def has_same_signs(sent: str, other: str) -> bool:
    """Whether two texts contain the same signs; `+1` and `-1`, `!active` and `active`, or `C++` and `c` do not."""
    return _SIGNS.findall(sent.strip()) == _SIGNS.findall(other)


def has_same_digits(sent: str, other: str) -> bool:
    """Whether two texts contain the same numbers in the same order; `v2` and `v2/2`, or `1250` and `12500` do not."""
    return _DIGITS.findall(sent) == _DIGITS.findall(other)


def drops_words(sent: str, value: str) -> bool:
    """Whether a value consists of words that were sent, but drops at least one: `read` for `read only`.

    Args:
        sent: the value as sent.
        value: the allowed value.
    """
    ours, theirs = split_words(sent), split_words(value)
    return len(ours) > len(theirs) and not _unmatched(theirs, ours)


def escalates(sent: str, value: str) -> bool:
    """Whether a value grants rights or destroys something, and was not sent itself in any spelling.

    Args:
        sent: the value as sent.
        value: the allowed value.
    """
    ours = _whole_words(sent)
    privileged = [word for word in _whole_words(value) if _is_privileged(word)]
    return bool(privileged) and not (all(_is_sent(word, ours) for word in privileged) and is_same_value(sent, value))


def _is_sent(word: str, ours: list[str]) -> bool:
    """Whether a word was sent in some spelling; `allow` does not count as `all`."""
    return word in ours or (len(word) >= _SHORTEST_FOR_TYPO and not _unmatched([word], ours))


def _is_privileged(word: str) -> bool:
    return stem(word) in _PRIVILEGED_STEMS


def _whole_words(text: str) -> list[str]:
    """Split a value into words, including compound ones: `readwrite` becomes `read`, `write`."""
    return [part for word in split_words(text) for part in split_compound(word)]


def _has_digits(words: list[str]) -> bool:
    return any(word.isdigit() for word in words)


def _unmatched(words: list[str], others: list[str]) -> list[str]:
    """The words without a counterpart among others; a repeated word needs two counterparts."""
    left, found = list(others), []
    for word in sorted(words, key=lambda word: word not in others):
        match = word if word in left else next((other for other in left if _is_same_word(word, other)), None)
        if match is None:
            found.append(word)
        else:
            left.remove(match)
    return found


def _is_same_word(one: str, other: str) -> bool:
    """Whether two words with the same first letter are forms, abbreviations or typos of one another."""
    if one == other or stem(one) == stem(other):
        return True
    if one in _MODIFIERS or other in _MODIFIERS or one.isdigit() or other.isdigit():
        return False
    short, long = sorted((one, other), key=len)
    if one[0] != other[0] or len(short) < _SHORTEST_PREFIX:
        return False
    if long.startswith(short):
        return not _DEGREE.fullmatch(long[len(short) :])
    return _is_typo(short, long) and not (long.endswith("est") and _is_superlative_of(long, short))


def _is_superlative_of(word: str, other: str) -> bool:
    """Whether a word is the superlative of another that changes its last letter, such as `heaviest` and `heavy`."""
    return word.removesuffix("est")[:-1] == other[:-1]


def _is_typo(short: str, long: str) -> bool:
    """Whether two words differ by a typo; words with known distinct meanings and pairs such as `payer`, `payee` do not."""
    allowed = 0 if len(short) < _SHORTEST_FOR_TYPO else 1
    are_distinct = is_known_name(short) and is_known_name(long) and not name_synonyms(short, [long])
    return distance(short, long, allowed) <= allowed and not _is_pair(short, long) and not are_distinct
