"""Suggests existing tools for an unknown name."""

from __future__ import annotations

import functools
import heapq
import itertools
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.deadline import outer_deadline
from mulligan.lazy import lazy_pattern
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely

if TYPE_CHECKING:
    from mulligan.resolve.similarity import Match, Query, Weights
    from mulligan.resolve.text_index import TextIndex
    from mulligan.resolve.words import ParsedName


_LOWEST_SIMILARITY = 70.0
_MOST_RESOURCES = 10_000
_MOST_SECONDS = 5.0
_SHARE_OF_TIME = 0.8  # share of the remaining time of the call, so that time is left to use the names
_LONGEST_NAME, _LONGEST_DESCRIPTION = 200, 400
_MOST_KEYS = 32
_CACHE_SIZE = 256
_ALL_COMPARED = 64  # up to this number, each tool is compared in full; beyond it, candidates are selected first
_SAMPLE = 16
_MOST_DESCRIPTIONS = 2_000  # beyond this number, descriptions are not searched, so that an unknown name stays cheap
_NEAR_ASKED = 5  # reading parameters may build schemas, so only a few tools are asked if the spelling decides
_ARGUMENTS, _DESCRIBED, _WORTH_NAMING = 0.4, 0.05, 0.15
_FIRST_SENTENCE = lazy_pattern(r"([\w -]*)(?:\.|\Z)")
_END_OF_NAME = frozenset("(<{[\n\"'")


def resource_candidates(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """The resource names that the tool's author provides. Stops after a few seconds, or shortly before the call's deadline.

    Args:
        tool: the tool.
        arguments: the call's arguments, since resources may depend on them.
    """
    resources = tool.resources
    names: list[str] = []
    if resources is not None:
        call_safely(lambda: _collect_names(resources(arguments) if callable(resources) else resources, names))
    return names


def _collect_names(resources: Iterable[Any], names: list[str]) -> None:
    """Adds the names one by one, so that names that have arrived are kept if a later one fails."""
    outer = outer_deadline()
    seconds = _MOST_SECONDS if outer is None else min(_MOST_SECONDS, _SHARE_OF_TIME * outer.remaining)
    end = time.monotonic() + seconds
    for name in islice(resources, _MOST_RESOURCES):
        if isinstance(name, str):
            names.append(name)
        if time.monotonic() > end:
            break


def similar_names(missing: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """At most three names that are spelled similarly to a missing one, best first.

    Args:
        missing: the name that does not exist.
        candidates: the names that exist.
    """
    from rapidfuzz import fuzz, process

    matches = process.extract(
        missing[:500],
        list(candidates),
        scorer=fuzz.ratio,
        processor=str.lower,
        limit=3,
        score_cutoff=_LOWEST_SIMILARITY,
    )
    return tuple(name for name, _, _ in matches)


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


class _RankedTool(NamedTuple):
    score: float
    number: int
    name_match: Match


class SuggestionIndex:
    """Ranks the tools of one toolset for unknown names. Everything costly is built on first use.

    Args:
        entries: the tools, or a dict of them by name: of that, only those that may be meant are read, since touching each
            of ten thousand takes as long as searching their names. A changed toolset needs a new index.
        names: their names, in a list that may only be extended; by default a new list.
    """

    def __init__(self, entries: Iterable[Entry] | dict[str, Entry], names: list[str] | None = None) -> None:
        self._entries = entries if isinstance(entries, dict) else {entry.name: entry for entry in entries}
        self._names = list(self._entries) if names is None else names
        self._description_words: dict[int, frozenset[str]] = {}
        self._parameter_names: dict[int, list[str]] = {}
        self._cache: dict[tuple[str, frozenset[str], int], Suggestions] = {}

    def suggest(self, called: str, arguments: Mapping[str, Any] | None = None, *, limit: int = 3) -> Suggestions:
        """Ranks the tools for an unknown name.

        Args:
            called: the name that was called: any text; only its first 200 characters count.
            arguments: the arguments of the call; their names break ties.
            limit: the maximum number of names to return.

        Returns:
            The best names, and whether the first may be proposed as the one that was meant.
        """
        keys = frozenset([str(key)[:64] for key in itertools.islice(arguments or (), _MOST_KEYS)])
        cache_key = (_clean(called), keys, limit)
        suggestions = self._cache.get(cache_key)
        if suggestions is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            suggestions = self._cache[cache_key] = self._find_suggestions(*cache_key)
        return suggestions

    def having(self, keys: Collection[str]) -> list[str]:
        """The names of the tools that have all these parameters; none if there are too many tools to ask each.

        Args:
            keys: the names of arguments.
        """
        if len(self._names) > _ALL_COMPARED:
            return []
        return [name for number, name in enumerate(self._names) if {*keys} <= {*self._parameters(number)}]

    def _find_suggestions(self, called: str, keys: frozenset[str], limit: int) -> Suggestions:
        from mulligan.resolve.similarity import Query

        query = Query(called, self._weights)
        numbers: dict[int, None] = {}
        matches: list[_RankedTool] = []
        for batch, sufficient_score in self._candidate_batches(called, query.called):
            numbers |= dict.fromkeys(batch)
            matches = self._rank(query, keys, numbers)
            if matches and matches[0].score >= sufficient_score:
                break
        plausible = [match for match in matches if match.score >= max(_WORTH_NAMING, matches[0].score * 0.3)]
        named = plausible[:1] + [match for match in plausible[1:] if not self._distracts(match, plausible[0], query)]
        names = tuple(self._names[match.number] for match in named[:limit])
        return Suggestions(names, bool(names) and self._is_clear(query, keys, plausible))

    def _distracts(self, match: _RankedTool, best: _RankedTool, query: Query) -> bool:
        """Whether a tool has another name, where the called name is the best one's in another namespace.

        So does one with other words where the called name has the best one's in other forms, and one that changes something
        where the called name is the best one's, misspelt.
        """
        called, tail = query.called, self._parsed_name(best.number).tail
        if len(called.tail_words) > 1 and called.tail == tail != self._parsed_name(match.number).tail:
            return True
        if query.is_same_name(self._parsed_name(best.number)) and not query.is_same_name(
            self._parsed_name(match.number)
        ):
            return True
        is_other = best.name_match.edits is not None and match.name_match.edits is None
        return is_other and any(word.changes for word in self._parsed_name(match.number).words)

    def _rank(self, query: Query, keys: frozenset[str], numbers: Iterable[int]) -> list[_RankedTool]:
        """The candidates, best first. The fewer candidates have an argument's name, the more it counts."""
        spellings = {number: query.compare_spelling(self._parsed_name(number)) for number in numbers}
        is_near = any(edits is not None for edits, _ in spellings.values())
        matches = []
        for number, spelling in spellings.items():
            name_match = query.compare(
                self._parsed_name(number), spelling, functools.partial(self._read_description, number, is_near)
            )
            matches.append(_RankedTool(name_match.score, number, name_match))
        best = heapq.nsmallest(20, matches, key=lambda match: (-match.score, match.number))
        if is_near:
            del best[_NEAR_ASKED:]
        if keys:
            key_scores = [self._key_scores(query, match.number, keys) for match in best]
            rarity = [1 - sum(column) / len(key_scores) for column in zip(*key_scores, strict=True)]
            for place, (match, scores) in enumerate(zip(best, key_scores, strict=True)):
                key_score = sum(value * rare for value, rare in zip(scores, rarity, strict=True)) / len(keys)
                best[place] = match._replace(score=match.score + _ARGUMENTS * (1 - match.score) * key_score)
            best.sort(key=lambda match: (-match.score, match.number))
        if not is_near:
            best = self._prefer_described(query, best)
        return [match for match in best if not query.is_dangerous(self._parsed_name(match.number), match.name_match)]

    def _prefer_described(self, query: Query, best: list[_RankedTool]) -> list[_RankedTool]:
        """The same tools; of those that are about as good as the first, the one whose description has the called words."""
        near = [match for match in best if best[0].score - match.score <= _DESCRIBED]
        if len(near) < 2:
            return best
        shares = {
            match.number: query.described(match.name_match, self._read_description(match.number, False))
            for match in near
        }
        return (
            sorted(near, key=lambda match: (-match.score - _DESCRIBED * shares[match.number], match.number))
            + best[len(near) :]
        )

    def _is_clear(self, query: Query, keys: frozenset[str], plausible: list[_RankedTool]) -> bool:
        """Whether the best candidate may be proposed as the one that was meant."""
        best = plausible[0]
        name = self._parsed_name(best.number)
        key_scores = self._key_scores(query, best.number, keys) if keys else []
        if query.called.whole == name.namespace and name.namespace != name.tail:
            return min(key_scores, default=0.0) == 1.0 and self._is_only_tool_of_namespace(best.number)
        if len(plausible) > 1 and best.score - plausible[1].score < query.required_margin(best.name_match):
            return False
        if query.called.namespace != name.namespace and self._is_in_other_namespaces(best.number):
            return False
        if best.name_match.edits is None and keys and not any(key_scores) and self._parameters(best.number):
            return False
        return query.sure(name, best.name_match, functools.partial(self._placed_stems, query, best.number, keys))

    def _placed_stems(self, query: Query, number: int, keys: frozenset[str]) -> frozenset[str]:
        """The stems of words that a call of the tool expresses outside its name: by its arguments, or by what the tool is.

        `list_project_issues` with a `project_id` is `list_issues` with that `project_id`, and a tool that is described as
        "Meeting rooms." lists meeting rooms.
        """
        from mulligan.resolve.words import look_up_words, split_words

        sent = [word for key in keys & {*self._parameters(number)} for word in split_words(key)]
        sentence = _FIRST_SENTENCE.match(self._entry(number).description[:_LONGEST_DESCRIPTION])
        described = look_up_words(split_words(sentence[1] if sentence else ""))
        in_names = {word.stem for word in (*query.called.words, *self._parsed_name(number).words)}
        if any(word.stem not in in_names for word in described):  # `Hidden files are not listed.` says something else
            described = []
        return frozenset(word.stem for word in (*look_up_words(sent), *described))

    def _is_only_tool_of_namespace(self, number: int) -> bool:
        """Whether a tool changes nothing and is the only one in its namespace."""
        name = self._parsed_name(number)
        prefix = self._names[number][: name.namespace_end]
        return not any(word.changes for word in name.tail_words) and (
            sum(other.startswith(prefix) for other in self._names) == 1
        )

    def _is_in_other_namespaces(self, number: int) -> bool:
        """Whether a toolset too large to compare in full contains the same name in another namespace."""
        tail = self._names[number][self._parsed_name(number).namespace_end :]
        return len(self._names) > _ALL_COMPARED and self._name_index.ending(tail) > 1

    def _key_scores(self, query: Query, number: int, keys: frozenset[str]) -> list[float]:
        """For each argument, how well its name matches a parameter of the tool, from 0 to 1."""
        parameters = self._parameters(number)
        return [
            1.0
            if key in parameters
            else max((query.key_similarity(key, parameter) for parameter in parameters), default=0.0)
            for key in sorted(keys)
        ]

    def _parameters(self, number: int) -> list[str]:
        """The names of a tool's parameters; empty if they cannot be read, so that a suggestion is still possible."""
        if number not in self._parameter_names:
            parameters = self._entry(number).parameters
            names = call_safely(
                lambda: tuple(itertools.islice(parameters() if callable(parameters) else parameters, _MOST_KEYS))
            )
            self._parameter_names[number] = [name[:64] for name in names or ()]
        return self._parameter_names[number]

    def _candidate_batches(self, called: str, name: ParsedName) -> Iterator[tuple[Iterable[int], float]]:
        """The tools to compare in full, in batches. If a match reaches the score of its batch, the rest is skipped."""
        from mulligan.resolve.words import synonyms

        if len(self._names) <= _ALL_COMPARED:
            yield range(len(self._names)), 0.0
            return
        near, is_near = self._name_index.near(called)
        if is_near:
            yield near, 0.8
        words = self._distinctive_words(name)
        scores: dict[int, float] = {}
        yield [*near, *self._name_index.find_containing(words, scores)], 0.5
        groups = [synonyms(word) for word in name.words]
        other_words = [text for texts in itertools.zip_longest(*groups) for text in texts if text]
        yield self._name_index.find_containing(other_words, scores, 24), 0.5
        if len(self._names) <= _MOST_DESCRIPTIONS:
            yield self._description_index.find_containing([*words, *other_words[:2]], {}), 0.0

    def _distinctive_words(self, name: ParsedName) -> list[str]:
        """The words of a name, the most distinctive first."""
        return [word.text for word in sorted(name.words, key=self._weights, reverse=True) if not word.is_stop_word]

    @functools.cached_property
    def _name_index(self) -> TextIndex:
        from mulligan.resolve.text_index import TextIndex

        return TextIndex(self._names)

    @functools.cached_property
    def _description_index(self) -> TextIndex:
        from mulligan.resolve.text_index import TextIndex

        return TextIndex([self._entry(number).description for number in range(len(self._names))])

    @functools.cached_property
    def _weights(self) -> Weights:
        from mulligan.resolve.similarity import Weights

        step = 1 if len(self._names) <= _ALL_COMPARED else len(self._names) // _SAMPLE
        return Weights([self._parsed_name(number) for number in range(0, len(self._names), step)])

    @functools.cached_property
    def _parse_name(self) -> Callable[[str], ParsedName]:
        from mulligan.resolve.words import parse_name

        return parse_name

    def _entry(self, number: int) -> Entry:
        """The facts about a tool; only its name if it was removed in the meantime."""
        name = self._names[number]
        return self._entries.get(name) or Entry(name)

    def _parsed_name(self, number: int) -> ParsedName:
        return self._parse_name(self._names[number][:_LONGEST_NAME])

    def _read_description(self, number: int, is_unneeded: bool) -> frozenset[str]:
        """The words of a tool's description; empty if they would not be used."""
        if is_unneeded:
            return frozenset()
        if number not in self._description_words:
            from mulligan.resolve.words import split_words

            self._description_words[number] = frozenset(
                split_words(self._entry(number).description[:_LONGEST_DESCRIPTION])
            )
        return self._description_words[number]


def _clean(called: str) -> str:
    """The start of a called name, in Unicode's compatible form (NFKC), without stray text around it."""
    start = called[:_LONGEST_NAME]
    if not start.isascii():
        start = unicodedata.normalize("NFKC", start)[:_LONGEST_NAME]
    if start[:1].isalnum() and _END_OF_NAME.isdisjoint(start):  # as nearly always
        return start
    first = next((position for position, character in enumerate(start) if character.isalnum()), 0)
    end = next((position for position in range(first, len(start)) if start[position] in _END_OF_NAME), len(start))
    return start[first:end]
