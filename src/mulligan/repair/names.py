"""Which argument name or allowed value was meant by one that does not exist: a variant of it with the same meaning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from mulligan.repair.lossless import sent_twice
from mulligan.repair.synonyms import is_known_name, is_known_value, is_same_end, name_synonyms, value_synonyms
from mulligan.repair.units import ArgumentUnits, is_same_unit, is_unit, may_be_symbol
from mulligan.resolve.similarity import distance
from mulligan.resolve.suggestions import Entry, SuggestionIndex
from mulligan.resolve.words import UNKNOWN, canonical, is_restyled, look_up_word, split_compound, split_words, stem

_MOST_UNKNOWN = 32
_LONGEST, _MOST = 200, 200
_FEWEST_INITIALS = 3
_SHORTEST_COMMON = 3
_FEWEST_SHARING, _SHORTEST_UNIT_WORD = 2, 3
_IS_MOMENT = re.compile(
    r"\s*(?:\d{1,4}[-./:]\d|\d{9,13}\b|\d{8}(?:T|\b)|now|today|yesterday|tomorrow|noon|midnight)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
_MODIFIER_WORDS = """
not no non never without except excluding exclude skip ignore un min max minimum maximum old previous prev
"""
_TYPE_WORDS = "id ids name names value values text string str number num list array"
_LABEL_WORDS = """
id ids key name number no nr code ref reference value text
"""
_VALUE_LABEL_WORDS = "chart graph plot diagram view mode type kind format style layout level file"
_LONG_FORM_WORDS = """
error errors development environment environments document documents number string integer minimum maximum monday tuesday
wednesday thursday friday saturday sunday january february march april june july august september october november december
"""
_PRIVILEGED = """
admin administrator owner root superuser super sudo full all everything everyone anyone public unrestricted bypass
write writer edit editor grant delete remove destroy drop purge erase wipe truncate overwrite force hard permanent
permanently kill terminate shutdown reset revoke ban production prod live
"""
_OPERATORS = {
    "=": ("eq", "equal", "equals", "equalto", "is"),
    "!=": ("ne", "neq", "notequal", "notequals", "notequalto", "isnot"),
    ">": ("gt", "greater", "greaterthan", "morethan"),
    "<": ("lt", "less", "lessthan"),
    ">=": ("gte", "ge", "greaterorequal", "greaterthanorequal", "greaterequal", "atleast"),
    "<=": ("lte", "le", "lessorequal", "lessthanorequal", "lessequal", "atmost"),
}
_OPERATORS |= {"==": _OPERATORS["="], "<>": _OPERATORS["!="]}
_MODIFIERS, _TYPE_NAMES = frozenset(_MODIFIER_WORDS.split()), frozenset(_TYPE_WORDS.split())
_VALUE_LABELS, _LONG_FORMS = frozenset(_VALUE_LABEL_WORDS.split()), frozenset(_LONG_FORM_WORDS.split())
_PRIVILEGED_STEMS = frozenset(map(stem, _PRIVILEGED.split()))
_SHORTEST_PREFIX, _SHORTEST_FOR_TYPO, _LONG_NAME = 4, 5, 7
_DIGITS = re.compile(r"\d+")
_LABEL_STEMS = frozenset(map(stem, _LABEL_WORDS.split()))
_DEGREE = re.compile(r"(?:e?r|e?st|most)")
_OTHER_MEANING = re.compile(rf"{_DEGREE.pattern}|less(?:ly)?|free|proof|wise")
_SIGNS = re.compile(r"[^\w\s.,:;/'\"()-]|(?<!\w)[-.]|[-.](?!\w)")


class Choice(NamedTuple):
    """The candidate that was meant.

    Attributes:
        name: the candidate.
        sure: whether it differs only in case and separators.
    """

    name: str
    sure: bool


def match_names(
    value: Mapping[str, Any], members: Mapping[str, Any], missing: list[str], aliases: Mapping[str, Collection[str]]
) -> dict[str, Choice]:
    """Match each unknown member to the existing one that was meant, by spelling or meaning, if that is clear.

    Args:
        value: the object as sent.
        members: the schemas of existing members, by name.
        missing: the required members that were not sent.
        aliases: other names that the tool's author declared, by member.

    Returns:
        The chosen members, by the names that were sent.
    """
    choices: dict[str, Choice] = {}
    unknown = [name for name in value if name not in members]
    if unknown and len(value) > 1:
        twins = sent_twice(value)
        unknown = [name for name in unknown if name not in twins]
    for name in unknown if len(unknown) <= _MOST_UNKNOWN else ():
        taken = {*value, *(choice.name for choice in choices.values())}
        declared = [one for one, others in aliases.items() if name in others and one in members and one not in taken]
        if declared:
            choices[name] = Choice(declared[0], sure=True)
            continue
        for candidates in (missing, list(members)):
            choice = match_name(name, [one for one in candidates if one not in taken])
            if choice is not None and (choice.sure or _units_of(choice.name, members).has_units_of(name)):
                choices[name] = choice
                break
        else:
            left = [one for one in missing if one not in taken]
            measured = [one for one in left if _units_of(one, members).is_measured_in(name)]
            others = (
                measured or _match_end(name, value[name], left) or _match_unit_at_end(name, value[name], members, taken)
            )
            others = others or [one for one in _match_without_shared_word(name, missing) if one not in taken]
            if len(others) == 1:
                choices[name] = Choice(others[0], sure=False)
    return choices


def _match_unit_at_end(name: str, sent: object, candidates: Mapping[str, Any], taken: Collection[str]) -> list[str]:
    """The numbers whose name only adds a unit, where a quantity in a unit of that kind was sent: `wait_seconds` for `5m`."""
    if not isinstance(sent, str):
        return []
    from mulligan.repair.quantities import read_quantity

    words = split_words(name)
    return [
        one
        for one, schema in candidates.items()
        if one not in taken
        and (parts := split_words(one))[:-1] == words
        and isinstance(schema, Mapping)
        and schema.get("type") in ("integer", "number")
        and read_quantity(sent, parts[-1], "") is not None
    ]


def _match_end(name: str, sent: object, candidates: Sequence[str]) -> list[str]:
    """The candidates that name the same end of a period, where a moment was sent: `start` for `from`."""
    if not isinstance(sent, str) or _IS_MOMENT.match(sent) is None:
        return []
    return [one for one in candidates if is_same_end(name, one)]


def _match_without_shared_word(name: str, candidates: Sequence[str]) -> list[str]:
    """The candidates that mean the same without the word at the end that all of them share: `from_stop` for `origin`."""
    words = list(map(split_words, candidates))
    if len(words) < _FEWEST_SHARING or any(len(one) < 2 or one[-1] != words[0][-1] for one in words):
        return []
    return [one for one, parts in zip(candidates, words, strict=True) if name_synonyms(name, ["_".join(parts[:-1])])]


def match_labels(unknown: Sequence[str], missing: Sequence[str], tool_name: str) -> dict[str, str]:
    """Match unknown arguments to missing ones that differ only in labels and in words of the tool's name: to be asked.

    `ticket_id` of `close_ticket` may be its `number`, and `name` of `add_tag` its `tag`.

    Args:
        unknown: the arguments that do not exist.
        missing: the required ones that were not sent.
        tool_name: the name of the tool.
    """
    own = set(map(stem, split_words(tool_name)))
    stems = {name: _without_label(name) for name in (*unknown, *missing)}
    pairs = [
        (name, other)
        for name in unknown
        for other in missing
        if _differ_in_labels(stems[name], stems[other], own)
        and has_same_signs(name, other)
        and has_same_digits(name, other)
    ]
    counts = Counter(name for pair in pairs for name in pair)
    return {name: other for name, other in pairs if counts[name] == counts[other] == 1}


def match_listed(
    value: Mapping[str, Any], unknown: Sequence[str], missing: Sequence[str], members: Mapping[str, Any]
) -> dict[str, str]:
    """Match unknown arguments to missing ones by a value that only one of these lists: to be asked.

    `"op": "remove"` may be the `type` that is `add` or `remove`. A name that says more about a missing argument, such as
    `old_type`, is another one.

    Args:
        value: the object as sent.
        unknown: its members that do not exist.
        missing: the required ones that were not sent.
        members: the schemas of existing members, by name.
    """
    pairs = [(name, one) for name in unknown for one in missing if _lists(members.get(one), value[name])]
    counts = Counter(name for pair in pairs for name in pair)
    return {
        name: one
        for name, one in pairs
        if counts[name] == counts[one] == 1
        and {*split_words(name)}.isdisjoint((*split_words(one), *_MODIFIERS))
        and has_same_signs(name, one)
        and has_same_digits(name, one)
    }


def _lists(schema: object, sent: object) -> bool:
    """Whether a value is one of several words that a schema allows."""
    allowed = schema.get("enum") if isinstance(schema, (dict, Mapping)) else None
    return isinstance(sent, str) and len(sent) > 1 and isinstance(allowed, (list, tuple)) and sent in allowed


def _without_label(name: str) -> list[str]:
    """The stems of a name's words, without a label such as `id` at its end."""
    stems = list(map(stem, split_words(name)))
    return stems[:-1] if stems[-1:] and stems[-1] in _LABEL_STEMS else stems


def _differ_in_labels(one: list[str], other: list[str], of_tool: Collection[str]) -> bool:
    """Whether names differ at most in that one of them repeats words of the tool: the user of a group is not the group."""
    theirs = [[word for word in stems if word in of_tool] for stems in (one, other)]
    rest = [[word for word in stems if word not in of_tool] for stems in (one, other)]
    return rest[0] == rest[1] and (not all(theirs) or theirs[0] == theirs[1])


def _units_of(name: str, members: Mapping[str, Any]) -> ArgumentUnits:
    schema = members.get(name)
    return ArgumentUnits(name, schema if isinstance(schema, Mapping) else {}, dict)


def match_value(sent: str, candidates: Sequence[str]) -> Choice | None:
    """Match a value to an allowed one.

    Args:
        sent: the value as sent.
        candidates: the allowed values.

    Returns:
        The match, or None if it is ambiguous or would do more than the value that was sent.
    """
    choice = _match_candidate(sent, tuple(candidates), _synonyms, is_same_value)
    if choice is None or (not choice.sure and escalates(sent, choice.name)):
        choice = _match_part(sent, candidates)
    return choice if choice is not None and _has_same_unit_case(sent, choice.name) else None


def _match_part(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The allowed value of which more or less was sent, in one of four ways."""
    return (
        _match_without_shared_words(sent, candidates)
        or _match_initials(sent, candidates)
        or _match_abbreviation(sent, candidates)
        or _match_without_label(sent, candidates)
        or _match_unit(sent, candidates)
        or _match_operator(sent, candidates)
    )


def _match_operator(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The name of the operator that was sent as a sign: `GREATER_THAN` for `>`."""
    names = _OPERATORS.get(sent.strip(), ())
    found = [name for name in candidates if canonical(name) in names]
    return Choice(found[0], sure=False) if len(found) == 1 else None


def _match_unit(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The symbol of the unit that was written out, where several units are allowed: `s` for `seconds`."""
    word = sent.strip().lower()
    if len(word) < _SHORTEST_UNIT_WORD or sum(map(is_unit, candidates)) < 2:
        return None
    found = [name for name in candidates if is_same_unit(word, name)]
    return Choice(found[0], sure=False) if len(found) == 1 else None


def _match_without_shared_words(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The allowed value that lacks only the words that all of them begin with: `append` for `WRITE_APPEND`."""
    if not 2 <= len(candidates) <= _MOST or max(map(len, candidates)) > _LONGEST:
        return None
    words = list(map(split_words, candidates))
    shared = 0
    while all(len(one) > shared + 1 and one[shared] == words[0][shared] for one in words):
        shared += 1
    found = [
        name
        for name, parts in zip(candidates, words, strict=True)
        if shared and is_restyled(sent.strip(), "_".join(parts[shared:]))
    ]
    return Choice(found[0], sure=False) if len(found) == 1 else None


def _synonyms(sent: str, candidates: Sequence[str]) -> list[str]:
    """The candidates with the same meaning that drop no word and have no different number."""
    has_number = any(map(str.isdigit, sent))
    return [
        value
        for value in value_synonyms(sent, candidates)
        if not (
            drops_words(sent, value)
            or (has_number and any(map(str.isdigit, value)) and not has_same_digits(sent, value))
        )
    ]


def _match_initials(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The allowed value that consists of the initials of what was sent: `gtc` for `good_till_cancelled`."""
    words = split_words(sent) if len(sent) <= _LONGEST else []
    initials = "".join(word[0] for word in words)
    found = [name for name in candidates if len(words) >= _FEWEST_INITIALS and name.casefold() == initials]
    return Choice(found[0], sure=False) if len(found) == 1 and not escalates(sent, found[0]) else None


def _match_abbreviation(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The allowed value with which the word begins that was sent: `emerg` for `emergency`, `err` for `error`."""
    word = sent.strip().casefold()
    if not word.isalpha() or len(word) > _LONGEST:
        return None
    alike = [name for name in candidates if name.casefold()[:_SHORTEST_COMMON] == word[:_SHORTEST_COMMON]]
    if len(alike) != 1 or not word.startswith(alike[0].casefold()) or escalates(sent, alike[0]):
        return None
    left = word[len(alike[0]) :]
    is_short_form = len(alike[0]) > _SHORTEST_COMMON <= len(left) and _OTHER_MEANING.fullmatch(left) is None
    is_short_form = is_short_form or (len(alike[0]) == _SHORTEST_COMMON and word in _LONG_FORMS)
    return Choice(alike[0], sure=False) if is_short_form else None


def _match_without_label(sent: str, candidates: Sequence[str]) -> Choice | None:
    """The allowed value that lacks only a word for its kind: `bar` for `bar chart`."""
    words = split_words(sent) if len(sent) <= _LONGEST else []
    kept = [word for word in words if word not in _VALUE_LABELS]
    found = [name for name in candidates if kept and len(kept) < len(words) and split_words(name) == kept]
    return Choice(found[0], sure=False) if len(found) == 1 and not escalates(sent, found[0]) else None


def _has_same_unit_case(sent: str, value: str) -> bool:
    """Whether no word differs only in case in a way that may make it another unit."""
    ours, theirs = _WORD.findall(sent), _WORD.findall(value)
    pairs = zip(ours, theirs, strict=False)
    differing = [(one, other) for one, other in pairs if one != other and one.casefold() == other.casefold()]
    return not any(may_be_symbol(one, other) and not is_known_value(other) for one, other in differing)


def match_name(sent: str, candidates: Sequence[str]) -> Choice | None:
    """Match an argument name to one of the tool's argument names.

    Args:
        sent: the name as sent.
        candidates: the existing names that were not sent.

    Returns:
        The match, or None if it is ambiguous.
    """
    return _match_candidate(sent, tuple(candidates), name_synonyms, is_same_name)


@lru_cache(maxsize=256)
def _match_candidate(
    sent: str,
    candidates: tuple[str, ...],
    find_synonyms: Callable[[str, Sequence[str]], list[str]],
    is_variant: Callable[[str, str], bool],
) -> Choice | None:
    if not sent or len(sent) > _LONGEST or not candidates or len(candidates) > _MOST:
        return None
    equal = [name for name in candidates if is_restyled(sent.strip(), name)]
    if len(equal) == 1:
        return Choice(equal[0], sure=True)
    synonyms = [name for name in find_synonyms(sent, candidates) if has_same_signs(sent, name)]
    if len(synonyms) == 1:
        return Choice(synonyms[0], sure=False)
    nearest_name = find_nearest(sent, synonyms or candidates)
    return Choice(nearest_name, sure=False) if nearest_name is not None and is_variant(sent, nearest_name) else None


def find_nearest(sent: str, candidates: Sequence[str]) -> str | None:
    """Find the nearest candidate by spelling, words and meaning, as for tool names; None if several are plausible."""
    names, confident = SuggestionIndex([Entry(name) for name in candidates]).suggest(sent)
    return names[0] if confident or len(names) == 1 else None


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


def turns_around(sent: str, name: str) -> bool:
    """Whether a name says the opposite of what was sent, or would do more: `not_ready` and `ready`, `user` and `user_admin`.

    Args:
        sent: the name that was sent.
        name: a name that exists.
    """
    ours, theirs = set(split_words(sent)), set(split_words(name))
    if any(map(is_modifier, ours ^ theirs)) or escalates(sent, name):
        return True
    return any(f"{prefix}{word}" in theirs ^ ours for word in ours ^ theirs for prefix in ("un", "de", "dis"))


def is_modifier(word: str) -> bool:
    """Whether a word turns around or narrows what the words beside it mean: `not`, `except`, `min`, `previous`."""
    return word in _MODIFIERS


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
