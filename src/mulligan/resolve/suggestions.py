"""Suggests existing tools for an unknown name."""

from __future__ import annotations

import functools
import heapq
import itertools
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.deadline import outer_deadline
from mulligan.tools import Tool
from mulligan.untrusted.objects import guarded

if TYPE_CHECKING:
    from mulligan.resolve.similarity import Likeness, Question, Weights
    from mulligan.resolve.text_index import Texts
    from mulligan.resolve.words import Lexicon, Name


_NEAR = 70.0
_MOST = 10_000
_LONGEST = 5.0
_PART = 0.8  # share of the remaining time of the call, so that time is left to use the names


def candidates(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """The resource names that the tool's author provides. Stops after a few seconds, or shortly before the call's deadline.

    Args:
        tool: the tool.
        arguments: the call's arguments, since resources may depend on them.
    """
    given = tool.resources
    names: list[str] = []
    if given is not None:
        guarded(lambda: _collect(given(arguments) if callable(given) else given, names))
    return names


def _collect(given: Iterable[Any], names: list[str]) -> None:
    """Adds the names one by one, so that names that have arrived are kept if a later one fails."""
    outer = outer_deadline()
    seconds = _LONGEST if outer is None else min(_LONGEST, _PART * outer.remaining)
    end = time.monotonic() + seconds
    for name in islice(given, _MOST):
        if isinstance(name, str):
            names.append(name)
        if time.monotonic() > end:
            break


def near_names(missing: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """At most three names that are spelled similarly to a missing one, best first.

    Args:
        missing: the name that does not exist.
        candidates: the names that exist.
    """
    from rapidfuzz import fuzz, process

    found = process.extract(
        missing[:500], list(candidates), scorer=fuzz.ratio, processor=str.lower, limit=3, score_cutoff=_NEAR
    )
    return tuple(name for name, _, _ in found)


_LONGEST_NAME, _LONGEST_DESCRIPTION = 200, 400
_MOST_KEYS = 32
_MEMORY = 256
_ALL_COMPARED = 64  # up to this number, each tool is compared in full; beyond it, candidates are selected first
_SAMPLE = 16
_MOST_DESCRIPTIONS = 2_000  # beyond this number, descriptions are not searched, so that an unknown name stays cheap
_NEAR_ASKED = 5  # reading parameters may build schemas, so only a few tools are asked if the spelling decides
_ARGUMENTS, _WORTH_NAMING = 0.4, 0.15
_END_OF_NAME = frozenset("(<{[\n\"'")


class Entry(NamedTuple):
    """The facts about a tool that suggestions need.

    Attributes:
        name: the tool's name.
        description: its description for the model.
        parameters: the names of its parameters, or a function that returns them, called only for the best candidates.
    """

    name: str
    description: str = ""
    parameters: Collection[str] | Callable[[], Collection[str]] = ()


class Suggestions(NamedTuple):
    """The suggestions for an unknown name.

    Attributes:
        names: the tools that may be meant, best first; empty if no tool is similar.
        confident: whether the first is similar enough, and clearly better than the second, to be proposed as the one
            that was meant.
    """

    names: tuple[str, ...]
    confident: bool


class _Match(NamedTuple):
    score: float
    number: int
    likeness: Likeness


class NameIndex:
    """Ranks the tools of one toolset for unknown names. Everything costly is built on first use.

    Args:
        entries: the tools. A changed toolset needs a new index.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        self._parsed: dict[int, Name] = {}
        self._told: dict[int, frozenset[str]] = {}
        self._keys: dict[int, list[str]] = {}
        self._memory: dict[tuple[str, frozenset[str], int], Suggestions] = {}

    def suggest(self, called: str, arguments: Mapping[str, Any] | None = None, *, limit: int = 3) -> Suggestions:
        """Ranks the tools for an unknown name.

        Args:
            called: the name that was called: any text; only its first 200 characters count.
            arguments: the arguments of the call; their names break ties.
            limit: the maximum number of names to return.

        Returns:
            The best names, and whether the first may be proposed as the one that was meant.
        """
        keys = frozenset(str(key)[:64] for key in itertools.islice(arguments or (), _MOST_KEYS))
        question = (_clean(called), keys, limit)
        answer = self._memory.get(question)
        if answer is None:
            if len(self._memory) >= _MEMORY:
                self._memory.clear()
            answer = self._memory[question] = self._answer(*question)
        return answer

    def _answer(self, called: str, keys: frozenset[str], limit: int) -> Suggestions:
        from mulligan.resolve.similarity import Question

        question = Question(called, self._lexicon, self._weights)
        numbers: dict[int, None] = {}
        matches: list[_Match] = []
        for more, enough in self._candidates(called, question.called):
            numbers |= dict.fromkeys(more)
            matches = self._ranked(question, keys, numbers)
            if matches and matches[0].score >= enough:
                break
        worth = [match for match in matches if match.score >= max(_WORTH_NAMING, matches[0].score * 0.3)]
        names = tuple(self._entries[match.number].name for match in worth[:limit])
        return Suggestions(names, bool(names) and self._is_clear(question, keys, worth))

    def _ranked(self, question: Question, keys: frozenset[str], numbers: Iterable[int]) -> list[_Match]:
        """The candidates, best first. The fewer candidates have an argument's name, the more it counts."""
        spellings = {number: question.spelling(self._name(number)) for number in numbers}
        is_near = any(edits is not None for edits, _ in spellings.values())
        matches = []
        for number, spelling in spellings.items():
            likeness = question.compare(self._name(number), spelling, functools.partial(self._told_by, number, is_near))
            matches.append(_Match(likeness.score, number, likeness))
        best = heapq.nsmallest(20, matches, key=lambda match: (-match.score, match.number))
        if is_near:
            del best[_NEAR_ASKED:]
        if keys:
            fits = [self._fits(question, match.number, keys) for match in best]
            rarity = [1 - sum(column) / len(fits) for column in zip(*fits, strict=True)]
            for place, (match, fit) in enumerate(zip(best, fits, strict=True)):
                telling = sum(value * rare for value, rare in zip(fit, rarity, strict=True)) / len(keys)
                best[place] = match._replace(score=match.score + _ARGUMENTS * (1 - match.score) * telling)
            best.sort(key=lambda match: (-match.score, match.number))
        return [match for match in best if not question.is_danger(self._name(match.number), match.likeness)]

    def _is_clear(self, question: Question, keys: frozenset[str], worth: list[_Match]) -> bool:
        """Whether the best candidate may be proposed as the one that was meant."""
        best = worth[0]
        name = self._name(best.number)
        fits = self._fits(question, best.number, keys) if keys else []
        if question.called.whole == name.space and name.space != name.tail:
            return min(fits, default=0.0) == 1.0 and self._is_only_one_of_its_space(best.number)
        if len(worth) > 1 and best.score - worth[1].score < question.clearance(best.likeness):
            return False
        if question.called.space != name.space and self._is_one_of_many(best.number):
            return False
        if best.likeness.edits is None and keys and not any(fits) and self._parameters(best.number):
            return False
        return question.sure(name, best.likeness)

    def _is_only_one_of_its_space(self, number: int) -> bool:
        """Whether a tool changes nothing and is the only one in its namespace."""
        name = self._name(number)
        prefix = self._entries[number].name[: name.cut]
        return not any(word.changes for word in name.tail_words) and (
            sum(entry.name.startswith(prefix) for entry in self._entries) == 1
        )

    def _is_one_of_many(self, number: int) -> bool:
        """Whether a toolset too large to compare in full contains the same name in another namespace."""
        tail = self._entries[number].name[self._name(number).cut :]
        return len(self._entries) > _ALL_COMPARED and self._names.ending(tail) > 1

    def _fits(self, question: Question, number: int, keys: frozenset[str]) -> list[float]:
        """For each argument, how well its name matches a parameter of the tool, from 0 to 1."""
        parameters = self._parameters(number)
        return [
            1.0
            if key in parameters
            else max((question.key_kinship(key, parameter) for parameter in parameters), default=0.0)
            for key in sorted(keys)
        ]

    def _parameters(self, number: int) -> list[str]:
        """The names of a tool's parameters; empty if they cannot be read, so that a suggestion is still possible."""
        if number not in self._keys:
            given = self._entries[number].parameters
            names = guarded(lambda: tuple(itertools.islice(given() if callable(given) else given, _MOST_KEYS)))
            self._keys[number] = [name[:64] for name in names or ()]
        return self._keys[number]

    def _candidates(self, called: str, name: Name) -> Iterator[tuple[Iterable[int], float]]:
        """The tools to compare in full, in batches. If a match reaches the score of its batch, the rest is skipped."""
        from mulligan.resolve.words import synonyms

        if len(self._entries) <= _ALL_COMPARED:
            yield range(len(self._entries)), 0.0
            return
        near, enough = self._names.near(called)
        if enough:
            yield near, 0.8
        words = self._telling(name)
        held: dict[int, float] = {}
        yield [*near, *self._names.holding(words, held)], 0.5
        groups = [synonyms(word) for word in name.words]
        others = [text for texts in itertools.zip_longest(*groups) for text in texts if text]
        yield self._names.holding(others, held, 24), 0.5
        if len(self._entries) <= _MOST_DESCRIPTIONS:
            yield self._descriptions.holding([*words, *others[:2]], {}), 0.0

    def _telling(self, name: Name) -> list[str]:
        """The words of a name, the most distinctive first."""
        return [word.text for word in sorted(name.words, key=self._weights, reverse=True) if not word.is_light]

    @functools.cached_property
    def _names(self) -> Texts:
        from mulligan.resolve.text_index import Texts

        return Texts(list(map(itemgetter(0), self._entries)))

    @functools.cached_property
    def _descriptions(self) -> Texts:
        from mulligan.resolve.text_index import Texts

        return Texts([entry.description for entry in self._entries])

    @functools.cached_property
    def _weights(self) -> Weights:
        from mulligan.resolve.similarity import Weights

        step = 1 if len(self._entries) <= _ALL_COMPARED else len(self._entries) // _SAMPLE
        return Weights([self._name(number) for number in range(0, len(self._entries), step)])

    @functools.cached_property
    def _lexicon(self) -> Lexicon:
        from mulligan.resolve.words import Lexicon

        return Lexicon()

    def _name(self, number: int) -> Name:
        if number not in self._parsed:
            from mulligan.resolve.words import parse

            self._parsed[number] = parse(self._entries[number].name[:_LONGEST_NAME], self._lexicon)
        return self._parsed[number]

    def _told_by(self, number: int, is_idle: bool) -> frozenset[str]:
        """The words of a tool's description; empty if they would not be used."""
        if is_idle:
            return frozenset()
        if number not in self._told:
            from mulligan.resolve.words import pieces

            self._told[number] = frozenset(pieces(self._entries[number].description[:_LONGEST_DESCRIPTION]))
        return self._told[number]


def _clean(called: str) -> str:
    """The start of a called name, in Unicode's compatible form (NFKC), without stray text around it."""
    start = called[:_LONGEST_NAME]
    if not start.isascii():
        start = unicodedata.normalize("NFKC", start)[:_LONGEST_NAME]
    first = next((position for position, character in enumerate(start) if character.isalnum()), 0)
    end = next((position for position in range(first, len(start)) if start[position] in _END_OF_NAME), len(start))
    return start[first:end]
