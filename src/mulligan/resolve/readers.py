"""Finds the tools that read things of a kind: by their names, or the first words of their descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from mulligan.resolve.proposals import seems_to_read
from mulligan.resolve.words import Word, look_up_word, look_up_words, parse_name, split_words, stem, synonyms, word_set
from mulligan.tools import Tool

LISTS = word_set("list ls enumerate browse index all glob catalog tree")
_SEARCHES = word_set("search find lookup query locate filter grep")
_READS_ONE = word_set("get read fetch show describe view retrieve load info status inspect check")
_ASPECTS = word_set("state details detail schedule availability history metadata settings summary overview usage")
_VERBS = LISTS | _SEARCHES | _READS_ONE
_ADDS, _TO = word_set("add insert append attach assign put move upload push save invite"), word_set("to into onto in")
_REMOVES, _FROM = word_set("remove detach unassign delete take kick"), word_set("from")
_PREPOSITIONS = word_set("in of for by from on with at to")
_LABELS = word_set("id ids key name uuid number no nr slug code ref reference sku email title url uri value text")
_LABEL_STEMS = frozenset(map(stem, _LABELS))
_PLACES = word_set("path paths file files filename filepath filenames folder directory dir")
_FIRST_WORDS, _LONGEST_NAME, _LONGEST_SUMMARY = 12, 200, 200
_MOST_FOUND, _MOST_DESCRIBED, _CACHE_SIZE = 64, 500, 256


class Reader(NamedTuple):
    """A tool that reads things of a kind.

    Attributes:
        tool: the tool; it seems to read only.
        is_named: whether its name says the kind, not just its description.
        lists: whether it lists things.
        searches: whether it searches things.
        others: how many other things its name speaks of.
    """

    tool: Tool
    is_named: bool
    lists: bool
    searches: bool
    others: int

    @property
    def reads_one(self) -> bool:
        """Whether it reads one thing, by its identifier."""
        return not (self.lists or self.searches)


class ReaderIndex:
    """The tools of one toolset that read, by the kind of thing.

    Args:
        tools: the tools by name. A changed toolset needs a new index.
    """

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._lines = "\n".join(name.replace("\n", " ").lower() for name in tools)
        self._names = list(tools)
        self._cache: dict[tuple[str, tuple[Word, ...]], tuple[Reader, ...]] = {}

    def find(self, tool: Tool, kind: tuple[Word, ...]) -> tuple[Reader, ...]:
        """The tools beside a failed one that read things of a kind.

        Args:
            tool: the tool that was called.
            kind: the words for the kind of thing.
        """
        key = tool.name, kind
        found = self._cache.get(key)
        if found is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            readers = (
                _reader(candidate, tool, kind) for candidate in self._candidates(kind) if candidate.name != tool.name
            )
            found = self._cache[key] = tuple(filter(None, readers))
        return found

    def _candidates(self, kind: Sequence[Word]) -> Iterable[Tool]:
        """The tools whose name, or else description, has a word of the kind; found as text, for large toolsets."""
        if not kind:
            return []
        pattern = re.compile("|".join(re.escape(form) for word in kind for form in _forms(word)))
        numbers: list[int] = []
        line = position = 0
        for match in pattern.finditer(self._lines):
            line += self._lines.count("\n", position, match.start())
            position = match.start()
            if not numbers or numbers[-1] != line:
                numbers.append(line)
        candidates = [self._tools[self._names[number]] for number in numbers[: 4 * _MOST_FOUND]]
        if len(self._names) <= _MOST_DESCRIBED:
            rest = (self._tools[name] for number, name in enumerate(self._names) if number not in set(numbers))
            candidates += [tool for tool in rest if pattern.search(tool.summary[:_LONGEST_SUMMARY].lower())]
        reading = (tool for tool in candidates if not tool.secret and (tool.read_only or seems_to_read(tool)))
        return list(islice(reading, _MOST_FOUND))


def _reader(candidate: Tool, tool: Tool, kind: Sequence[Word]) -> Reader | None:
    """A candidate as a reader of a kind; None if its name or description says that it is none."""
    parsed = parse_name(candidate.name[:_LONGEST_NAME])
    if not (parsed.words and is_reachable(candidate, tool)):
        return None
    words, nouns = parsed.words, _things(parsed.words)
    own_stems = {word.stem for word in kind_of_tool(tool.name)}
    matched = [noun for noun in nouns if is_of_kind(noun, kind)]
    shows_aspect = bool(matched) and words[-1].text in _ASPECTS and matched[-1] in words[-2:-1]  # `room_schedule`
    if matched:
        if not shows_aspect and matched[-1] is not _head(words):  # `list_board_members` lists no boards
            return None
    elif any(noun.stem not in own_stems for noun in _nouns(parsed.tail_words)) or not _is_described(candidate, kind):
        return None
    texts = {word.text for word in words}
    lists, searches = not LISTS.isdisjoint(texts), not _SEARCHES.isdisjoint(texts)
    if not (lists or searches):
        is_noun = all(map(_is_thing, parsed.tail_words))  # `snapshots`
        lists = (words[0].reads or is_noun) and any(map(_is_plural, matched))
        lists = lists or (words[0].reads and bool(matched) and not _requires_any(candidate))
        if not lists and not shows_aspect and _READS_ONE.isdisjoint(texts):
            return None
    other_nouns = sum(noun not in matched and noun.stem not in own_stems for noun in nouns)
    return Reader(candidate, bool(matched), lists, searches, other_nouns)


def _requires_any(tool: Tool) -> bool:
    return bool(tool.parameters.get("required"))


def is_reachable(candidate: Tool, tool: Tool) -> bool:
    """Whether what was sent to one tool may be sent to the other: never to the tool of another server."""
    if candidate.tool_type != "extension":
        return True
    return (tool.tool_type, tool.provider, _namespace(tool.name)) == (
        candidate.tool_type,
        candidate.provider,
        _namespace(candidate.name),
    )


def _namespace(name: str) -> str:
    return parse_name(name[:_LONGEST_NAME]).namespace


def _is_described(candidate: Tool, kind: Sequence[Word]) -> bool:
    """Whether the description speaks of the kind at its start."""
    described = look_up_words(split_words(candidate.summary[:_LONGEST_SUMMARY]))[:_FIRST_WORDS]
    return any(is_of_kind(word, kind) for word in described)


@lru_cache(maxsize=1024)
def kind_of_argument(name: str) -> tuple[Word, ...]:
    """The words for the kind of thing that an argument names: `channel_id` a channel, `path` a file."""
    words = split_words(name[:_LONGEST_NAME])
    nouns = tuple(look_up_words(word for word in words if word not in _LABELS | _PLACES))
    if nouns or _PLACES.isdisjoint(words):
        return nouns
    return tuple(map(look_up_word, ("file", "directory", "path")))


@lru_cache(maxsize=1024)
def kind_of_tool(name: str) -> tuple[Word, ...]:
    """The words for what a tool is about: those of its name that are no verbs, and the last, as of `trigger_build_run`.

    If there are none, the words of its namespace: the playlists of `radio.playlists.create`.
    """
    parsed = parse_name(name[:_LONGEST_NAME])
    words = parsed.tail_words
    last = words[-1:] if any(map(_is_verb, words[:-1])) and not words[-1].is_stop_word else ()
    nouns = tuple(word for word in words if word in last or _is_thing(word))
    inner = parse_name(name[: parsed.namespace_end].rstrip("._:/-")).tail_words
    return nouns or _nouns(inner) or _nouns(parsed.words) or words[1:][-1:]


@lru_cache(maxsize=1024)
def kind_of_container(name: str) -> tuple[Word, ...]:
    """The words for what a tool adds things to, or takes them from: the board of `add_card_to_board`; empty without one."""
    words = parse_name(name[:_LONGEST_NAME]).tail_words
    verb = words[0].text if words else ""
    before = _TO if verb in _ADDS else _FROM if verb in _REMOVES else frozenset()
    places = [number for number, word in enumerate(words) if word.text in before]
    return _nouns(words[places[-1] + 1 :]) if places else ()


def _nouns(words: Iterable[Word]) -> tuple[Word, ...]:
    """The words that name things: `run` is a verb, and `runs` are things."""
    return tuple(word for word in words if len(word.text) > 1 and not word.is_stop_word and not _is_verb(word))


def _things(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words that name things, and the last one after a verb, whatever it is elsewhere: the run of `get_run`."""
    nouns, last = _nouns(words), words[-1:]
    follows = last and last[0] not in nouns and not last[0].is_stop_word and last[0].text not in _VERBS
    return (*nouns, *last) if follows and any(map(_is_verb, words[:-1])) else nouns


def _is_thing(word: Word) -> bool:
    return bool(_nouns((word,)))


def _head(words: Sequence[Word]) -> Word | None:
    """The noun that says what a name is about: the last one, or the last before a word such as `in`, `by` or `codes`."""
    head = None
    things = _things(words)
    for word in words:
        if head is not None and (word.text in _PREPOSITIONS or word.stem in _LABEL_STEMS):
            break
        head = word if word in things else head
    return head


def _is_verb(word: Word) -> bool:
    return not _is_plural(word) and (word.reads or word.changes or word.text in _VERBS)


def _is_plural(word: Word) -> bool:
    return word.text.endswith("s") and word.text != word.stem


def is_of_kind(word: Word, kind: Sequence[Word]) -> bool:
    """Whether a word names one of these kinds of thing."""
    return any(word.stem == other.stem or word.meaning.same & other.meaning.same for other in kind)


def _forms(word: Word) -> Iterable[str]:
    yield word.stem.rstrip("i")  # of `directories`
    if word.meaning.same:
        yield from synonyms(word)[:4]
