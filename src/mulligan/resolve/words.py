"""The words of a name: how it is split, the stems of the words, and which names differ only in style."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mulligan.lazy import lazy_pattern
from mulligan.resolve.synonyms import (
    ANTONYMS,
    CHANGING,
    DESTROYING,
    NAMESPACE_SEPARATORS,
    READING,
    RELATED,
    STOP_WORDS,
    SYNONYMS,
)

_PIECES = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FOREIGN_PIECES = lazy_pattern(r"[^\W\d_]+|\d+")
_IRREGULAR = frozenset({"news", "address"})
_READING, _CHANGING, _DESTROYING, _STOP_WORDS = (
    frozenset(words.split()) for words in (READING, CHANGING, DESTROYING, STOP_WORDS)
)
_VOWELS = frozenset("aeiouy")
SHORTEST_WORD = 3
_SHORTEST_RUN_ON, _LONGEST_RUN_ON = 6, 32
_SHORTEST_VERB_FORM, _SHORTEST_NOUN_OF_VERB = 6, 8
_MOST_WORDS = 16
_NEGATIVE_PREFIXES = ("un", "dis", "de", "re")
_LONGEST_NAME = 200
_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_NEGATIONS = frozenset(["not", "no", "non", "never", "un", "re", "ex", "de", "dis", "in", "im", "mis", "anti", "pre"])
_UNITS = frozenset(["s", "m", "h", "d", "y", "b", "g", "l", "c", "f"])
_WRAPPERS = ("functions.", "function.", "tools.", "tool.", "default_api.")
_WITHOUT_SEPARATORS = str.maketrans("", "", "-_. ")
_SEPARATORS = lazy_pattern(  # separators between words; not between two digits, and not the sign of a number
    r"(?<=[^\W\d_])(?![-_. ]+-\d)[-_. ]+(?=[^\W_])|(?<=\d)[-_. ]+(?=[^\W\d_])|^[_ ]+|[_ ]+$", re.MULTILINE
)


class Meaning(NamedTuple):
    """The groups of a word, each field as a bit set of line numbers.

    Attributes:
        same: the lines of SAME that contain it.
        related: the lines of SAME and RELATED that contain it.
        left: the lines of OPPOSITE with the word on the left.
        right: the lines of OPPOSITE with the word on the right.
    """

    same: int
    related: int
    left: int
    right: int


UNKNOWN = Meaning(0, 0, 0, 0)


class Word(NamedTuple):
    """One word of a name.

    Attributes:
        text: the word in lower case.
        stem: the word without its endings.
        meaning: its groups; `UNKNOWN` if it is in no table.
    """

    text: str
    stem: str
    meaning: Meaning

    @property
    def has_opposite(self) -> bool:
        """Whether it has an opposite, as most verbs do."""
        return bool(self.meaning.left | self.meaning.right)

    @property
    def changes(self) -> bool:
        """Whether it is a verb that does more than read."""
        return (self.has_opposite and not self.reads) or self.text in _CHANGING

    @property
    def reads(self) -> bool:
        """Whether it is a verb that changes nothing."""
        return self.text in _READING

    @property
    def is_form_of_reading(self) -> bool:
        """Whether it is a form of a verb that changes nothing, as "Reads" is in "Reads a file."."""
        return self.stem in _reading_stems()

    @property
    def destroys(self) -> bool:
        """Whether it is a verb that destroys something."""
        return self.text in _DESTROYING

    @property
    def is_stop_word(self) -> bool:
        """Whether it says almost nothing about which tool is meant."""
        return self.text in _STOP_WORDS


@functools.cache
def _reading_stems() -> frozenset[str]:
    return frozenset(map(stem, _READING))


def word_set(text: str) -> frozenset[str]:
    """The words of a text, separated by spaces."""
    return frozenset(text.split())


def split_words(text: str) -> list[str]:
    """Splits a name or a sentence at separators, digits and capitals into lower-case words."""
    pattern = _PIECES if text.isascii() else _FOREIGN_PIECES
    return [piece.lower() for piece in pattern.findall(text)]


def stem(word: str) -> str:
    """Removes the most common English endings of a lower-case word: `queries` and `query` have the same stem."""
    if word in _IRREGULAR:
        return word
    if len(word) > SHORTEST_WORD and word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    if len(word) >= _SHORTEST_VERB_FORM:
        if word[-3:] == "ing" and not _VOWELS.isdisjoint(word[:-3]):
            word = word[:-3]
        elif word[-2:] == "ed" and not _VOWELS.isdisjoint(word[:-2]):
            word = word[:-2]
        elif len(word) >= _SHORTEST_NOUN_OF_VERB and word[-3:] == "ion":
            word = word[:-3]
    if len(word) > SHORTEST_WORD and word[-1] == "e":
        return word[:-1]
    return word[:-1] + "i" if len(word) >= SHORTEST_WORD and word[-1] == "y" else word


class ParsedName(NamedTuple):
    """A parsed tool name.

    Attributes:
        whole: all its letters and digits, in lower case.
        tail: those after the namespace; the same as `whole` if there is no namespace.
        namespace: those of the namespace; empty if there is none.
        words: its words, with those of the namespace first; of a very long name, not all.
        texts: the texts of the words.
        namespace_length: how many of the words belong to the namespace.
        namespace_end: the index at which the namespace ends.
    """

    whole: str
    tail: str
    namespace: str
    words: tuple[Word, ...]
    texts: tuple[str, ...]
    namespace_length: int
    namespace_end: int

    @property
    def tail_words(self) -> tuple[Word, ...]:
        """The words after the namespace."""
        return self.words[self.namespace_length :]


@functools.lru_cache(maxsize=1_024)
def parse_name(name: str) -> ParsedName:
    """Parses a name. The namespace ends at the last namespace separator. The latest names are remembered."""
    namespace_end = max(name.rfind(mark) + len(mark) if mark in name else 0 for mark in NAMESPACE_SEPARATORS)
    namespace, tail = split_words(name[:namespace_end]), split_words(name[namespace_end:])
    if not tail:
        namespace, tail, namespace_end = [], namespace, 0
    namespace_words = look_up_words(namespace)[-_MOST_WORDS:]
    words = (*namespace_words, *look_up_words(tail)[:_MOST_WORDS])
    texts = tuple(word.text for word in words)
    return ParsedName(
        "".join(namespace + tail), "".join(tail), "".join(namespace), words, texts, len(namespace_words), namespace_end
    )


def strip_namespaces(name: str) -> list[str]:
    """The rest of a name after each of its namespaces. A verb such as `delete` is not a namespace."""
    ends = [
        start + len(mark) for mark in NAMESPACE_SEPARATORS for start in range(len(name)) if name.startswith(mark, start)
    ]
    return [name[end:] for end in ends if not requests_change(look_up_words(split_words(name[:end])))]


@functools.lru_cache(maxsize=2_048)
def look_up_word(text: str) -> Word:
    """Looks up a lower-case word in the tables."""
    root = stem(text)
    return Word(text, root, _meanings().get(root, UNKNOWN))


def look_up_words(texts: Iterable[str]) -> list[Word]:
    """Looks up several words. A joined word is split if all its parts are known: `readfile` is `read` and `file`."""
    found: list[Word] = []
    for text in texts:
        word = look_up_word(text)
        whole = word.meaning is not UNKNOWN or not _SHORTEST_RUN_ON <= len(text) <= _LONGEST_RUN_ON
        found += [word] if whole else map(look_up_word, split_compound(text))
    return found


def split_compound(text: str) -> list[str]:
    """Splits a joined word if every part is known: `readfile` becomes `read` and `file`."""
    meanings = _meanings()
    splits: dict[int, list[str]] = {0: []}
    for end in range(SHORTEST_WORD, len(text) + 1):
        found = [
            [*way, text[start:end]]
            for start, way in splits.items()
            if end - start >= SHORTEST_WORD and stem(text[start:end]) in meanings
        ]
        if found:
            splits[end] = min(found, key=len)
    return splits.get(len(text), [text])


def requests_change(words: Iterable[Word]) -> bool:
    """Whether a word asks for a change, such as `delete`, but not `creating`. Namespaces contain no such word."""
    return any(word.changes and not word.text.endswith("ing") for word in words)


def are_antonyms(one: Word, other: Word) -> bool:
    """Whether two words must never be confused with each other, such as `read` and `delete`, or `lock` and `unlock`."""
    a, b = one.meaning, other.meaning
    if a.same & b.same:
        return False
    if (a.left & b.right) | (a.right & b.left):
        return True
    if a is not UNKNOWN and b is not UNKNOWN:
        return False
    short, long = sorted((one.text, other.text), key=len)
    return long.endswith(short) and long[: len(long) - len(short)] in _NEGATIVE_PREFIXES


@functools.lru_cache(maxsize=1_024)
def antonyms(word: Word) -> tuple[str, ...]:
    """The opposites of a word in the tables."""
    found = []
    for number, line in enumerate(_lines(ANTONYMS)):
        left, _, right = line.partition("|")
        found += right.split() if word.meaning.left >> number & 1 else []
        found += left.split() if word.meaning.right >> number & 1 else []
    return tuple(text for text in found if not look_up_word(text).meaning.same & word.meaning.same)


def negated_forms(word: Word) -> list[str]:
    """The word with each negating prefix added, and without the one it has."""
    prefixed = [prefix + word.text for prefix in _NEGATIVE_PREFIXES]
    return prefixed + [word.text.removeprefix(prefix) for prefix in _NEGATIVE_PREFIXES if word.text.startswith(prefix)]


def synonyms(word: Word) -> list[str]:
    """Other words that can replace this one, the closest first."""
    found = dict.fromkeys(
        text
        for mask, lines in (
            (word.meaning.same, _lines(SYNONYMS)),
            (word.meaning.related, _lines(SYNONYMS) + _lines(RELATED)),
        )
        for number, line in enumerate(lines)
        if mask >> number & 1
        for text in line.split()
    )
    found.pop(word.text, None)
    return list(found)


@functools.cache
def _meanings() -> Mapping[str, Meaning]:
    """The tables by stem, built on first use."""
    stems: dict[str, str] = {}
    rows: dict[str, list[int]] = {}

    def note(field: int, number: int, words: str) -> None:
        for word in words.split():
            root = stems.get(word) or stems.setdefault(word, stem(word))
            rows.setdefault(root, [0, 0, 0, 0])[field] |= 1 << number

    same = _lines(SYNONYMS)
    for number, line in enumerate(same + _lines(RELATED)):
        note(1, number, line)
        if number < len(same):
            note(0, number, line)
    for number, line in enumerate(_lines(ANTONYMS)):
        left, _, right = line.partition("|")
        note(2, number, left)
        note(3, number, right)
    return {root: Meaning(*row) for root, row in rows.items()}


def _lines(table: str) -> list[str]:
    return table.strip().splitlines()


def canonical(name: str) -> str:
    """A name without case and without the `-`, `_`, `.` and spaces between its words, which are only style.

    A sign at the start or end and a separator between two digits are not style: `-date` is not `date`, `O-` is not `O`,
    and `1.5` is not `15`.
    """
    return _SEPARATORS.sub("", name).casefold()


def is_restyled(sent: str, name: str) -> bool:
    """Whether two names differ only in style: `filePath`, `FILE-PATH` and `file_path`.

    If a name mixes styles, the case of a word counts, as it does for the unit in `size_MB` and `dose_mg`. A separator
    that creates a negation or a unit counts too: `notable` is not `no_table`, and `timeouts` is not `timeout_s`.

    Args:
        sent: the name that was sent.
        name: the name that exists.
    """
    if canonical(sent) != canonical(name):
        return False
    ours, theirs = _WORDS.findall(sent), _WORDS.findall(name)
    if not has_same_words(sent, name):
        return False
    return ours == theirs or (_is_uniform(ours) and _is_uniform(theirs) and not _changes_unit(ours, theirs))


def _changes_unit(words: list[str], others: list[str]) -> bool:
    """Whether a one-letter word, such as `M` or `m`, differs in case, unless one of the names is all capitals."""
    is_upper = all(map(str.isupper, words)) or all(map(str.isupper, others))
    return not is_upper and any(len(one) == 1 and one != other for one, other in zip(words, others, strict=False))


def has_same_words(sent: str, name: str) -> bool:
    """Whether no separator creates or removes a negation or a one-letter unit, as it does in `notable` and `no_table`.

    Args:
        sent: the name that was sent.
        name: a canonically equal name.
    """
    ours, theirs = _WORDS.findall(sent), _WORDS.findall(name)
    return not (_joins_another_word(ours, theirs) or _joins_another_word(theirs, ours))


def _joins_another_word(words: list[str], others: list[str]) -> bool:
    """Whether the other name joins a negation to the next word, or a one-letter unit to a neighbour."""
    ends, place = {0}, 0
    for other in others:
        place += len(other)
        ends.add(place)
    start = 0
    for word in words:
        end, plain = start + len(word), word.casefold()
        is_joined = end not in ends or (plain in _UNITS and start not in ends)
        if is_joined and (plain in _NEGATIONS or plain in _UNITS):
            return True
        start = end
    return False


def _is_uniform(words: list[str]) -> bool:
    """Whether all words are in lower case, in upper case, or capitalized; the first may be in lower case."""
    first, *rest = words or [""]
    if all(map(str.islower, words)) or all(map(str.isupper, words)):
        return True
    return (first.islower() or first.istitle()) and all(word.istitle() or word.isdigit() for word in rest)


def is_same_tool(called: str, name: str) -> bool:
    """Whether a called name is a tool's name in another style, or with a prefix that providers add to every name.

    Args:
        called: the name that was called.
        name: the tool's name.
    """
    wrapper = next((mark for mark in _WRAPPERS if called.startswith(mark)), "")
    return is_restyled(called.removeprefix(wrapper), name)


def canonical_match(called: str, names: Iterable[str]) -> str | None:
    """The only name that differs from the called name just in style, or just by a namespace in one of the two.

    Args:
        called: the name that was called.
        names: the names that exist.

    Returns:
        The canonically equal name. If there is none, the name that is canonically equal without its namespace (`a__b`,
        `mcp__a__b`, `a.b`, `a:b`, `a/b`), or to the called name without a server's namespace. None if no name or more
        than one matches.
    """
    if not 0 < len(called) <= _LONGEST_NAME:
        return None
    existing = list(names)
    forms = canonical("\n".join(existing)).split("\n")
    if len(forms) != len(existing):
        forms = [canonical(name) for name in existing]
    canonical_name, tails = canonical(called), _canonical_tails_after_servers(called, existing)
    equal, similar = [], []
    for name, form in zip(existing, forms, strict=True):
        if form == canonical_name:
            if has_same_words(called, name):
                equal.append(name)
        elif form in tails or (form.endswith(canonical_name) and canonical_name in _canonical_tails(name)):
            similar.append(name)
    matches = equal or similar
    return matches[0] if len(matches) == 1 and canonical_name and not is_ambiguous(called, existing) else None


def is_ambiguous(called: str, names: Iterable[str]) -> bool:
    """Whether several names have the letters and digits of the called name: `v11` may mean `v1_1`.

    Args:
        called: the name that was called.
        names: the names that exist.
    """
    forms = "\n".join(["", *names, ""]).translate(_WITHOUT_SEPARATORS).casefold().replace("\n", "\n\n")
    return forms.count(f"\n{called.translate(_WITHOUT_SEPARATORS).casefold()}\n") > 1


def _canonical_tails(name: str) -> set[str]:

    return {canonical(tail) for tail in strip_namespaces(name)} - {""}


def _canonical_tails_after_servers(called: str, names: Iterable[str]) -> set[str]:
    """The rest of a name after each server's namespace; only after a provider's prefix if existing names have namespaces."""
    spaces = {tail: called[: -len(tail)] for tail in strip_namespaces(called) if tail}
    if spaces and any(map(strip_namespaces, names)):
        spaces = {tail: space for tail, space in spaces.items() if space in (*_WRAPPERS, "mcp__")}
    return {canonical(tail) for tail in spaces} - {""}
