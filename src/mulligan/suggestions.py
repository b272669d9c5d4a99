"""Which of the existing tools is meant by a name that no tool has."""

from __future__ import annotations

import bisect
import contextlib
import functools
import heapq
import itertools
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mulligan.likeness import Likeness, Name, Question, Weights
    from mulligan.words import Lexicon

_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 400
_MOST_KEYS = 32
_MEMORY = 256
_ALL_COMPARED = 64  # up to so many tools each is compared in full; among more, candidates are picked first
_CANDIDATES = 12
_SAMPLE = 24
_NEAR_ENOUGH = 88
_MOST_HITS = 150
_MOST_SEARCHED = 800_000  # characters of names or descriptions
_MOST_DESCRIPTIONS = 2_000  # among more tools their descriptions are not searched, so that a miss stays cheap
_ARGUMENTS = 0.4
_WORTH_NAMING = 0.15
_END_OF_NAME = frozenset("(<{[\n\"'")
_NOT_CANONICAL = str.maketrans("", "", "-_. ")


class Entry(NamedTuple):
    """What a suggestion needs to know of a tool.

    Attributes:
        name: the tool's name.
        description: what the model is told that it does.
        parameters: the names of its parameters, or a function that gives them and is called only for the best candidates.
    """

    name: str
    description: str = ""
    parameters: Collection[str] | Callable[[], Collection[str]] = ()


class Suggestions(NamedTuple):
    """The answer to a name that no tool has.

    Attributes:
        names: the tools that may be meant, best first; empty when nothing speaks for any.
        confident: whether the first is near enough, and clear enough of the second, to be proposed as the one.
    """

    names: tuple[str, ...]
    confident: bool


class _Match(NamedTuple):
    score: float
    number: int
    likeness: Likeness


class NameIndex:
    """Ranks the tools of one toolset for names that it does not have. Everything costly is built at the first look-up.

    Args:
        entries: the tools; a toolset that changes makes a new index.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._parsed: dict[int, Name] = {}
        self._told: dict[int, frozenset[str]] = {}
        self._keys: dict[tuple[str, str], float] = {}
        self._weights: Weights | None = None
        self._memory: dict[tuple[str, frozenset[str], int], Suggestions] = {}

    def suggest(self, called: str, arguments: Mapping[str, Any] | None = None, *, limit: int = 3) -> Suggestions:
        """Rank the tools for a name that none of them has.

        Args:
            called: the name that was called: any text, of which the first 200 characters count.
            arguments: the arguments of the call; their names break ties.
            limit: how many names to give at most.

        Returns:
            The best names, and whether the first may be proposed as the one that was meant.
        """
        keys = frozenset(key[:64] for key, _ in zip(arguments or (), range(_MOST_KEYS), strict=False) if isinstance(key, str))
        question = (_clean(called), keys, limit)
        answer = self._memory.get(question)
        if answer is None:
            answer = self._answer(*question)
            if len(self._memory) >= _MEMORY:
                self._memory.pop(next(iter(self._memory)), None)
            self._memory[question] = answer
        return answer

    def _answer(self, called: str, keys: frozenset[str], limit: int) -> Suggestions:
        from mulligan.likeness import Question, parse

        question = Question(parse(called, self._lexicon), self._lexicon, self._weighed())
        matches = self._ranked(question, keys, self._candidates(called, question.called))
        if len(self._entries) > _ALL_COMPARED and (not matches or matches[0].score < 0.5):
            matches = self._ranked(question, keys, [*(match.number for match in matches), *self._by_meaning(question.called)])
        worth = [match for match in matches if match.score >= max(_WORTH_NAMING, matches[0].score * 0.3)]
        return Suggestions(tuple(self._entries[match.number].name for match in worth[:limit]), self._is_confident(question, keys, worth))

    def _ranked(self, question: Question, keys: frozenset[str], numbers: Iterable[int]) -> list[_Match]:
        """The candidates, best first; the names of the arguments count the more, the fewer candidates have them."""
        spellings = {number: question.spelling(self._name(number)) for number in numbers}
        is_near = any(edits is not None for edits, _ in spellings.values())
        matches = []
        for number, spelling in spellings.items():
            describe = frozenset if is_near else functools.partial(self._description, number)
            likeness = question.compare(self._name(number), spelling, describe)
            matches.append(_Match(likeness.score, number, likeness))
        best = heapq.nsmallest(20, matches, key=lambda match: (-match.score, match.number))
        if keys:
            fits = [self._fits(match.number, keys) for match in best]
            rarity = [1 - sum(column) / len(fits) for column in zip(*fits, strict=True)]
            for place, (match, fit) in enumerate(zip(best, fits, strict=True)):
                telling = sum(value * rare for value, rare in zip(fit, rarity, strict=True)) / len(keys)
                best[place] = match._replace(score=match.score + _ARGUMENTS * (1 - match.score) * telling)
            best.sort(key=lambda match: (-match.score, match.number))
        return [match for match in best if not self._is_danger(question.called, match)]

    def _is_danger(self, called: Name, match: _Match) -> bool:
        """Whether a tool that destroys would be named to a model that did not ask to destroy."""
        words = self._name(match.number).words
        return match.likeness.opposed and any(word.destroys for word in words) and not any(word.destroys for word in called.words)

    def _is_confident(self, question: Question, keys: frozenset[str], worth: list[_Match]) -> bool:
        if not worth:
            return False
        best = worth[0]
        name = self._name(best.number)
        if question.called.whole == name.space and name.space != name.tail:
            return self._is_only_one_of_its_space(best.number) and bool(keys) and min(self._fits(best.number, keys)) == 1.0
        if len(worth) > 1 and best.score - worth[1].score < question.clearance(best.likeness):
            return False
        if best.likeness.edits is None and keys and self._parameters(best.number) and not any(self._fits(best.number, keys)):
            return False
        return question.sure(name, best.likeness)

    def _is_only_one_of_its_space(self, number: int) -> bool:
        """Whether a tool that changes nothing is the only one of its namespace."""
        name = self._name(number)
        prefix = self._entries[number].name[: name.cut]
        return not any(word.changes for word in name.tail_words) and (
            sum(entry.name.startswith(prefix) for entry in self._entries) == 1
        )

    def _fits(self, number: int, keys: frozenset[str]) -> list[float]:
        """How well the tool's parameters answer the name of each argument, from 0 to 1."""
        parameters = self._parameters(number)
        return [
            1.0 if key in parameters else max((self._key_kinship(key, parameter) for parameter in parameters), default=0.0)
            for key in sorted(keys)
        ]

    def _key_kinship(self, one: str, other: str) -> float:
        """What one name of an argument is worth in the place of another, from 0 to 1."""
        from mulligan.likeness import kinship
        from mulligan.words import pieces

        pair = (one, other)
        if pair not in self._keys:
            ours, theirs = self._lexicon.words(pieces(one)), self._lexicon.words(pieces(other))
            akin = 0.8 * max((kinship(a, b) for a in ours for b in theirs), default=0.0)
            self._keys[pair] = 1.0 if one.lower() == other.lower() else akin
        return self._keys[pair]

    def _parameters(self, number: int) -> list[str]:
        given = self._entries[number].parameters
        with contextlib.suppress(Exception):  # a schema that cannot be built must not cost the model its suggestion
            return [name[:64] for name, _ in zip(given() if callable(given) else given, range(_MOST_KEYS), strict=False)]
        return []

    def _candidates(self, called: str, name: Name) -> Iterable[int]:
        """The tools to compare in full: those near in spelling, and those that share the rarest words."""
        if len(self._entries) <= _ALL_COMPARED:
            return range(len(self._entries))
        near = self._names.near(called)
        if near and near[0][1] >= _NEAR_ENOUGH:
            return [number for number, _ in near]
        return [*(number for number, _ in near), *self._names.holding(self._telling(name))]

    def _by_meaning(self, called: Name) -> list[int]:
        """Tools whose names hold synonyms of the words called, and whose descriptions hold those words."""
        from mulligan.words import synonyms

        near = [synonyms(word) for word in called.words]
        others = [text for texts in itertools.zip_longest(*near) for text in texts if text]
        if len(self._entries) > _MOST_DESCRIPTIONS:
            return self._names.holding(others)
        return [*self._names.holding(others), *self._descriptions.holding([*self._telling(called), *others[:2]])]

    def _telling(self, name: Name) -> list[str]:
        """The words of a name, those first that tell most about which tool is meant."""
        return [word.text for word in sorted(name.words, key=self._weighed(), reverse=True) if not word.is_light]

    @functools.cached_property
    def _names(self) -> _Texts:
        return _Texts([entry.name for entry in self._entries])

    @functools.cached_property
    def _descriptions(self) -> _Texts:
        return _Texts([entry.description for entry in self._entries])

    def _weighed(self) -> Weights:
        from mulligan.likeness import Weights

        if self._weights is None:
            step = max(1, len(self._entries) // _SAMPLE)
            self._weights = Weights([self._name(number) for number in range(0, len(self._entries), step)])
        return self._weights

    def _name(self, number: int) -> Name:
        from mulligan.likeness import parse

        if number not in self._parsed:
            self._parsed[number] = parse(self._entries[number].name[:_LONGEST_NAME], self._lexicon)
        return self._parsed[number]

    def _description(self, number: int) -> Collection[str]:
        from mulligan.words import pieces

        if number not in self._told:
            self._told[number] = frozenset(pieces(self._entries[number].description[:_LONGEST_DESCRIPTION]))
        return self._told[number]

    @functools.cached_property
    def _lexicon(self) -> Lexicon:
        from mulligan.words import Lexicon

        return Lexicon()


class _Texts:
    """Many short texts that are searched as one long one, which costs a fraction of a loop over them."""

    def __init__(self, texts: list[str]) -> None:
        self._each = texts

    def near(self, text: str) -> list[tuple[int, float]]:
        """The numbers of the texts spelled most alike, best first, each with a percentage."""
        found = self._spelled_like(text, self._each) if text.islower() else []
        if (found and found[0][1] >= _NEAR_ENOUGH) or (text.islower() and self._joined_as_given.islower()):
            return found
        return self._spelled_like(text.lower(), map(str.lower, self._each))

    def holding(self, words: list[str]) -> list[int]:
        """The numbers of the texts that hold the most, and the rarest, of some words; of the first few if the texts are long."""
        held: dict[int, float] = {}
        for word in words[: max(2, _MOST_SEARCHED // (len(self._joined) + 1))]:
            numbers = self._with(word.rstrip("s"))
            for number in numbers:
                held[number] = held.get(number, 0.0) + 1 / len(numbers)
        return heapq.nlargest(_CANDIDATES, held, key=held.__getitem__)

    def _spelled_like(self, text: str, texts: Iterable[str]) -> list[tuple[int, float]]:
        from rapidfuzz import fuzz, process

        found = process.extract(text, texts, scorer=fuzz.ratio, processor=None, score_cutoff=60, limit=_CANDIDATES - 4)
        return [(number, score) for _, score, number in found]

    def _with(self, word: str) -> list[int]:
        numbers: list[int] = []
        position = self._joined.find(word) if len(word) > 2 else -1
        while position >= 0 and len(numbers) < _MOST_HITS:
            number = bisect.bisect_right(self._ends, position)
            numbers.append(number)
            position = self._joined.find(word, self._ends[number])
        return numbers

    @functools.cached_property
    def _joined_as_given(self) -> str:
        return "".join(self._each)

    @functools.cached_property
    def _joined(self) -> str:
        lowered = self._joined_as_given.lower()
        return lowered if len(lowered) == len(self._joined_as_given) else self._joined_as_given

    @functools.cached_property
    def _ends(self) -> list[int]:
        return list(itertools.accumulate(map(len, self._each)))


def canonical(name: str) -> str:
    """A name without case, `-`, `_`, `.` and spaces: what two names have in common that differ in style only."""
    return name.casefold().translate(_NOT_CANONICAL)


def canonical_match(called: str, names: Iterable[str]) -> str | None:
    """The one name that is the name called but for style, or but for the namespace that one of the two has.

    Args:
        called: the name that was called.
        names: the names that exist.

    Returns:
        The name that is canonically equal; without one, the name that is once a namespace (`a__b`, `mcp__a__b`, `a.b`,
        `a:b`, `a/b`) is taken off it or off the name called; None where there is none or more than one.
    """
    if not 0 < len(called) <= _LONGEST_NAME:
        return None
    wanted, shorter = canonical(called), _without_space(called)
    equal, akin = [], []
    for name in names:
        have = canonical(name)
        if have == wanted:
            equal.append(name)
        elif have in shorter or (have.endswith(wanted) and wanted in _without_space(name)):
            akin.append(name)
    found = equal or akin
    return found[0] if len(found) == 1 and wanted else None


def _without_space(name: str) -> set[str]:
    """The canonical forms of a name once one namespace, or several, are taken off."""
    from mulligan.synonyms import SPACE_MARKS

    ends = (position + len(mark) for mark in SPACE_MARKS for position in _positions(name, mark))
    return {form for form in (canonical(name[end:]) for end in ends) if form}


def _positions(text: str, mark: str) -> list[int]:
    return [position for position in range(len(text)) if text.startswith(mark, position)]


def _clean(called: str) -> str:
    """The start of a name that was called, without arguments or markup that came along, its characters in their commonest form."""
    start = called[:_LONGEST_NAME]
    if not start.isascii():
        start = unicodedata.normalize("NFKC", start)[:_LONGEST_NAME]
    for position, character in enumerate(start):
        if character in _END_OF_NAME and any(map(str.isalnum, start[:position])):
            return start[:position]
    return start
