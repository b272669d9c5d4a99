"""How similar two tool names are: by spelling, by words, and by the meaning of the words.

Imported on the first unknown name, together with rapidfuzz.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from rapidfuzz.distance import OSA

from mulligan.resolve.words import (
    SHORTEST_WORD,
    UNKNOWN,
    ParsedName,
    Word,
    antonyms,
    are_antonyms,
    look_up_word,
    look_up_words,
    negated_forms,
    parse_name,
    requests_change,
    split_words,
)

# How well one word replaces another. From SYNONYM on, two words count as the same.
_SAME_STEM, SYNONYM, MISSPELT, _BEGINNING, RELATED = 0.96, 0.85, 0.8, 0.6, 0.5
# How well a word of a description matches: the same word, a synonym, a related word.
_IN_DESCRIPTION, _SYNONYM_IN_DESCRIPTION, _RELATED_IN_DESCRIPTION = 0.5, 0.4, 0.2
_BY_SPELLING = 0.7
_ONE_TYPO, _TWO_TYPOS = 4, 8  # from so many letters on, one may differ, or two
_SAME_PREPOSITIONS = (("in", "into"), ("on", "onto"))
_READ = look_up_word("read")
NEGATIONS = frozenset(("not", "no", "non", "never", "without", "except"))


class WordScores(dict[str, float]):
    """How well each word of the toolset replaces one word of the called name. Computed once per word.

    Args:
        word: the word of the called name.
    """

    def __init__(self, word: Word) -> None:
        self._word = word

    def __missing__(self, text: str) -> float:
        worth = self[text] = word_similarity(self._word, look_up_word(text))
        return worth


class DescriptionScores:
    """How well descriptions match one word of the called name.

    Args:
        word: the word of the called name.
    """

    def __init__(self, word: Word) -> None:
        self._word = word
        self._seen: set[str] = set()
        self._scores: dict[str, float] = {}

    def score(self, description: frozenset[str]) -> float:
        """How well a description matches the word, from 0 to 1."""
        for text in description - self._seen:
            word = look_up_word(text)
            if word.stem == self._word.stem:
                self._scores[text] = _IN_DESCRIPTION
            elif word.meaning.same & self._word.meaning.same:
                self._scores[text] = _SYNONYM_IN_DESCRIPTION
            elif word.meaning.related & self._word.meaning.related:
                self._scores[text] = _RELATED_IN_DESCRIPTION
        self._seen |= description
        return max((self._scores[text] for text in description & self._scores.keys()), default=0.0)


def word_similarity(one: Word, other: Word) -> float:
    """How well one word replaces another, from 0 to 1."""
    if one.stem == other.stem:
        return 1.0 if one.text == other.text else _SAME_STEM
    if one.meaning.same & other.meaning.same:
        return SYNONYM
    if one.meaning is UNKNOWN or other.meaning is UNKNOWN:
        short, long = sorted((one.text, other.text), key=len)
        allowed = allowed_typos(len(short))
        if allowed and distance(short, long, allowed) <= allowed:
            return MISSPELT
        if len(short) >= SHORTEST_WORD and long.startswith(short):
            return _BEGINNING
    return RELATED if one.meaning.related & other.meaning.related else 0.0


def is_other_form(one: Word, other: Word) -> bool:
    """Whether two words are the same in another form: a plural, a short form of the table, or `into` for `in`.

    Args:
        one: a word.
        other: another one.
    """
    short, long = sorted((one.text, other.text), key=len)
    if not long.startswith(short):
        return short == long[:-3] + "y" and long.endswith("ies")
    is_plural = one.stem == other.stem and long[len(short) :] in ("", "s", "es")
    return is_plural or bool(one.meaning.same & other.meaning.same) or (short, long) in _SAME_PREPOSITIONS


def nearness(sent: str, name: str) -> float:
    """How near an existing name is to one that was sent, from 0 to 1: by its words, by its initials, or by its spelling.

    Words that only the existing name has do not count: `garden` is near `north-garden-2`.

    Args:
        sent: the name that was sent.
        name: a name that exists.
    """
    ours, theirs = look_up_words(split_words(sent)), look_up_words(split_words(name))
    if not ours or not theirs:
        return 0.0
    telling = [word for word in ours if not word.is_stop_word] or ours
    by_words = sum(max(_similarity_to(one, other) for other in theirs) for one in telling) / len(telling)
    one, other = ("".join(word.text for word in words) for words in (ours, theirs))
    if len(one) > 1 and one == "".join(word.text[0] for word in theirs):
        by_words = max(by_words, SYNONYM)
    longest = max(len(one), len(other))
    return max(by_words, _BY_SPELLING * (1 - distance(one, other, longest) / longest))


def _similarity_to(sent: Word, other: Word) -> float:
    """How well a word replaces one that was sent; `off` is not the beginning of `officer`."""
    similar = word_similarity(sent, other)
    return 0.0 if similar == _BEGINNING and len(sent.text) < min(_ONE_TYPO, len(other.text)) else similar


def distance(one: str, other: str, most: int) -> int:
    """The number of letters to change, add, drop or swap with the next letter; `most + 1` if it is more than `most`."""
    return OSA.distance(one, other, score_cutoff=most)


def allowed_typos(length: int) -> int:
    """The number of letters in which a name of this length may differ and still count as a misspelling."""
    return (length >= _ONE_TYPO) + (length >= _TWO_TYPOS)


class Match(NamedTuple):
    """How well the name of a tool matches the called name.

    Attributes:
        score: from 0 to 1.
        edits: the number of different letters; None if there are too many for a misspelling.
        is_opposite: whether the two names ask for opposite things.
        asked: for each word of the called name, how well the tool's name matches it.
        offered: for each word of the tool's name, how well the called name matches it.
    """

    score: float
    edits: int | None
    is_opposite: bool
    asked: list[float]
    offered: list[float]


class Weights:
    """How distinctive each word is: a word that most names contain says little about which tool is meant.

    Args:
        names: a sample of the toolset's names, parsed.
    """

    def __init__(self, names: Collection[ParsedName]) -> None:
        self._counts = Counter(stem for name in names for stem in {word.stem for word in name.words})
        self._first_word_counts = Counter(name.words[0].stem for name in names if len(name.words) > 1)
        self._scale = math.log(2 + len(names))
        self._known: dict[str, float] = {}

    def __call__(self, word: Word) -> float:
        """The weight of a word, from 0 to 1."""
        weight = self._known.get(word.text)
        if weight is None:
            weight = max(0.1, 1 - math.log1p(self._counts[word.stem]) / self._scale)
            weight *= 0.4 if word.is_stop_word else 0.6 if word.has_opposite else 1.0
            self._known[word.text] = weight
        return weight

    def has_word(self, word: Word) -> bool:
        """Whether one of the names contains the word."""
        return word.stem in self._counts

    def is_common_prefix(self, word: Word) -> bool:
        """Whether several names start with the word and it is not a verb, such as the name of a server."""
        return self._first_word_counts[word.stem] > 1 and not word.has_opposite

    def mean(self, words: Iterable[Word], values: Iterable[float]) -> float:
        """The weighted mean of one value for each word."""
        total = found = 0.0
        for word, value in zip(words, values, strict=True):
            weight = self(word)
            total += weight
            found += weight * value
        return found / total if total else 0.0


class Query:
    """An unknown name that was called.

    Args:
        called: the name.
        weights: the weights of the words of the toolset.
    """

    def __init__(self, called: str, weights: Weights) -> None:
        self.called = parse_name(called)
        self._weights = weights
        self._word_scores = [WordScores(word) for word in self.called.words]
        self._description_scores = [DescriptionScores(word) for word in self.called.words]
        self._antonyms: dict[tuple[str, str], bool] = {}
        self._key_scores: dict[tuple[str, str], float] = {}

    def compare_spelling(self, other: ParsedName) -> tuple[int | None, float]:
        """Compares the spelling of two names.

        Returns:
            The number of different letters, None if there are too many for a misspelling; and a score from 0 to 1.
        """
        if not self.called.whole or not other.whole:
            return None, 0.0
        if self.called.whole == other.whole:
            return 0, 1.0
        best: int | None = None
        worth = 0.0
        for one, two in _variants(self.called, other):
            length = max(len(one), len(two))
            edits = distance(one, two, length // 2)
            if edits <= allowed_typos(length):
                best = edits if best is None or edits < best else best
                worth = max(worth, 0.95 - 0.05 * edits)
            elif edits * 2 < length:
                worth = max(worth, 0.8 - 1.6 * edits / length)
        return best, worth

    def compare(
        self, other: ParsedName, spelling: tuple[int | None, float], description: Callable[[], frozenset[str]]
    ) -> Match:
        """How well a tool matches the called name.

        Args:
            other: the tool's name.
            spelling: the result of `spelling` for that name.
            description: returns the words of the tool's description; called only if the name leaves words unmatched.
        """
        ours, theirs = self.called.words, other.words
        edits, spelling_score = spelling
        rows = [[kin[text] for text in other.texts] for kin in self._word_scores]
        called_scores = [max(row, default=0.0) for row in rows]
        tool_scores = [max(column) for column in zip(*rows, strict=True)] or [0.0] * len(theirs)
        explained_scores = (
            called_scores
            if min(called_scores, default=1.0) >= RELATED
            else self._raise_by_description(called_scores, description())
        )
        score = spelling_score
        if any(explained_scores):
            score = max(
                score,
                0.63 * self._weights.mean(ours, explained_scores) + 0.27 * self._weights.mean(theirs, tool_scores),
            )
        is_opposite = (
            score > 0
            and edits != 0
            and self._has_antonyms(_unmatched(ours, called_scores), _unmatched(theirs, tool_scores))
        )
        return Match(score / 2 if is_opposite else score, edits, is_opposite, called_scores, tool_scores)

    def described(self, match: Match, description: frozenset[str]) -> float:
        """The share of the called words that only the description has: "Move or rename a file" for `rename`.

        Args:
            match: the result of `compare` for the tool's name.
            description: the words of the tool's description.
        """
        pairs = zip(self.called.words, match.asked, strict=True)
        count = sum(value <= SYNONYM and word.text in description for word, value in pairs)
        return count / len(self.called.words) if count else 0.0

    def sure(self, other: ParsedName, match: Match, placed: Callable[[], frozenset[str]] = frozenset) -> bool:
        """Whether a tool may be proposed as the one that was meant.

        Args:
            other: the tool's name.
            match: the result of `compare` for that name.
            placed: returns the stems of the words that the call keeps although the tool's name lacks them.
        """
        if match.is_opposite or match.edits == 0:
            return not match.is_opposite
        ours, theirs = _unmatched(self.called.words, match.asked), _unmatched(other.words, match.offered)
        if any(word.text.isdigit() for word in ours) and any(word.text.isdigit() for word in theirs):
            return False
        if NEGATIONS.intersection(self.called.texts) != NEGATIONS.intersection(other.texts):
            return False
        if match.edits is None:
            return self._has_same_words(other, match, placed)
        if any(word.meaning is not UNKNOWN or self._weights.has_word(word) for word in ours):
            return False
        return not self._is_near_antonym(other, theirs, match.edits)

    def is_same_name(self, other: ParsedName) -> bool:
        """Whether two names have the same words in the same order, each perhaps in another form.

        Args:
            other: the tool's name.
        """
        ours, theirs = self.called.words, other.words
        return len(ours) == len(theirs) > 1 and all(map(is_other_form, ours, theirs))

    def is_dangerous(self, other: ParsedName, match: Match) -> bool:
        """Whether naming this tool would offer a harmful tool to a model that asked for something else.

        A tool that destroys is dangerous if the model did not ask to destroy, or asked about a different thing. A tool
        that writes is dangerous if the model asked about a different thing.
        """
        destroys = any(word.destroys for word in other.words)
        if destroys and match.is_opposite and not any(word.destroys for word in self.called.words):
            return True
        if match.edits is not None or not (destroys or any(are_antonyms(word, _READ) for word in other.words)):
            return False
        called_scores = self._topic_scores(self.called.words, match.asked, destroys)
        tool_scores = self._topic_scores(other.words, match.offered, destroys)
        if not called_scores or not tool_scores:
            return False
        return max(min(called_scores), min(tool_scores)) < MISSPELT if destroys else max(called_scores) < RELATED

    def _topic_scores(self, words: Iterable[Word], values: Iterable[float], unknown: bool) -> list[float]:
        """The values of the words that name a thing, without verbs and without namespaces.

        Args:
            words: the words of a name.
            values: one value for each word.
            unknown: whether to include words that are in no table.
        """
        return [
            value
            for word, value in zip(words, values, strict=True)
            if not (word.is_stop_word or word.has_opposite or word.changes or word.reads or word.destroys)
            and not self._weights.is_common_prefix(word)
            and (unknown or word.meaning is not UNKNOWN)
        ]

    def required_margin(self, match: Match) -> float:
        """The minimum lead in score over the second best tool that allows the best one to be proposed."""
        if match.edits is not None:
            return 0.04
        verb_replaced = any(
            word.has_opposite and value == SYNONYM for word, value in zip(self.called.words, match.asked, strict=True)
        )
        return 0.25 if verb_replaced else 0.08

    def key_similarity(self, one: str, other: str) -> float:
        """How well the name of an argument matches the name of a parameter, from 0 to 1."""
        pair = (one, other)
        worth = self._key_scores.get(pair)
        if worth is None:
            ours, theirs = look_up_words(split_words(one)), look_up_words(split_words(other))
            akin = max((word_similarity(a, b) for a in ours for b in theirs), default=0.0)
            worth = self._key_scores[pair] = 1.0 if one.lower() == other.lower() else 0.8 * akin
        return worth

    def _has_antonyms(self, ours: list[Word], theirs: list[Word]) -> bool:
        for one in ours:
            for two in theirs:
                pair = (one.text, two.text)
                are_opposite = self._antonyms.get(pair)
                if are_opposite is None:
                    are_opposite = self._antonyms[pair] = are_antonyms(one, two)
                if are_opposite:
                    return True
        return False

    def _raise_by_description(self, called_scores: list[float], description: frozenset[str]) -> list[float]:
        """The values of the called words, raised for unmatched words that the description explains."""
        return [
            value if value >= RELATED or not description else max(value, scores.score(description))
            for value, scores in zip(called_scores, self._description_scores, strict=True)
        ]

    def _has_same_words(self, other: ParsedName, match: Match, placed: Callable[[], frozenset[str]]) -> bool:
        """Whether both names contain every significant word, in any order; between tools that read, it may be placed."""
        asked = list(zip(self.called.words, match.asked, strict=True))
        offered = list(zip(other.words, match.offered, strict=True))[other.namespace_length :]
        shared = [(word, value) for word, value in asked if value >= MISSPELT and not word.is_stop_word]
        if any(word.destroys for word, value in asked if value == SYNONYM):
            return False
        reads = not any(word.changes for word in self.called.words + other.tail_words)
        is_ending = reads and len(shared) > 1 and other.texts[-len(asked) :] == self.called.texts

        def names_server(word: Word) -> bool:
            """Whether a word in front may be what a server puts before each of its tools: `tracker_get_issue`."""
            return self._weights.is_common_prefix(word) or (is_ending and word.meaning is UNKNOWN)

        offered = list(itertools.dropwhile(lambda pair: pair[1] < MISSPELT and names_server(pair[0]), offered))
        if reads and len(shared) > 1:
            asked = list(itertools.dropwhile(lambda pair: pair[1] < RELATED and pair[0].meaning is UNKNOWN, asked))
        unmatched = [word for word, value in asked if value < MISSPELT and not word.is_stop_word]
        extra = [(word, value) for word, value in offered if value < MISSPELT and not word.is_stop_word]
        if reads:  # between tools that read, a missing verb or a related extra word is not significant
            if any(word.reads for word in unmatched) and any(word.reads for word, _ in extra):
                return False
            unmatched = [word for word in unmatched if not word.reads]
            if len(shared) > 1:  # the last word says what is wanted
                unmatched = [word for word in unmatched if word is self.called.words[-1] or word.stem not in placed()]
            extra = [(word, value) for word, value in extra if not word.reads and value < RELATED]
        is_only_noun = len(shared) == 1 and not shared[0][0].has_opposite and shared[0][1] != SYNONYM
        return not unmatched and not extra and (len(shared) > 1 or is_only_noun)

    def _is_near_antonym(self, other: ParsedName, theirs: Iterable[Word], edits: int) -> bool:
        """Whether the called name is as close to an opposite of a tool as to the tool: `gt_user` is not `set_user`."""
        return any(
            distance(one, two.replace(word.text, text, 1), most) <= most
            for one, two in _variants(self.called, other)
            for word in theirs
            if word.text in two
            for texts, most in ((negated_forms(word), edits), (antonyms(word), edits + (edits > 1)))
            for text in texts
            if abs(len(one) - len(two) + len(word.text) - len(text)) <= most
        )


def _variants(called: ParsedName, other: ParsedName) -> Iterator[tuple[str, str]]:
    """The pairs of spellings to compare: with and without the namespaces, if these may be omitted."""
    yield called.whole, other.whole
    if other.namespace:
        yield called.whole, other.tail
        if called.namespace and _is_same_namespace(called, other):
            yield called.tail, other.tail
    elif called.namespace and not requests_change(called.words[: called.namespace_length]):
        yield called.tail, other.whole


def _is_same_namespace(called: ParsedName, other: ParsedName) -> bool:
    """Whether one namespace contains all words of the other, apart from words that any server may use."""
    ours, theirs = (
        {word.text for word in name.words[: name.namespace_length] if not word.is_stop_word} for name in (called, other)
    )
    return ours <= theirs or theirs <= ours


def _unmatched(words: Iterable[Word], values: Iterable[float]) -> list[Word]:
    return [word for word, value in zip(words, values, strict=True) if value < SYNONYM]
