"""Finds the tool that shows what exists, or the present state, for a call that failed, and the call of it if that is clear.

The relation between two tools is read from their names, the names of their arguments, and the first sentence of the
description. Only tools that read are found, and their arguments are values that the failed call sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mulligan.resolve.proposals import seems_to_read
from mulligan.resolve.words import Lexicon, Word, canonical, parse_name, split_words
from mulligan.tools import Tool

_LISTS = frozenset("list ls enumerate browse index all glob catalog directory".split())
_SEARCHES = frozenset("search find lookup query locate filter grep".split())
_READS_ONE = frozenset("get read fetch show describe view retrieve load info status inspect check".split())
_LABELS = frozenset("id ids key name uuid number no nr slug code ref reference url uri title value text file path".split())
_IDENTIFIES = frozenset("id ids key name uuid number no nr slug code ref reference sku email title".split())
_PLACES = frozenset("path file filename filepath folder directory dir filenames paths files".split())
_FOLDERS = frozenset("path folder directory dir root prefix parent".split())
_QUERIES = frozenset("query q text term terms keyword keywords pattern search name title guest phrase".split())
_CONTAINERS = frozenset(
    "owner repo repository project database db schema table bucket workspace org organization organisation team folder "
    "directory namespace region account guild server channel space board site tenant dataset collection".split()
)
_FIRST_WORDS = 12
_MOST_TOOLS, _MOST_DESCRIBED = 64, 500
_SEPARATOR = re.compile(r"[/\\]")


class Lookup(NamedTuple):
    """A tool that shows what is there.

    Attributes:
        tool: the tool; it only reads.
        arguments: arguments for it, all of them sent by the failed call; None if some are missing, or if it is not
            declared `read_only`.
    """

    tool: Tool
    arguments: Mapping[str, Any] | None


class _Wanted(NamedTuple):
    """What to look for: the words of its kind, and what the failed call says about it."""

    tool: Tool
    nouns: tuple[Word, ...]
    sent: Mapping[str, Any]
    missing: str | None
    value: object
    reads_one: bool


def find_existing(tool: Tool, sent: Mapping[str, Any], resource: str | None, tools: Mapping[str, Tool]) -> Lookup | None:
    """The tool that lists or searches things of the kind that a call did not find.

    Args:
        tool: the tool that was called.
        sent: its arguments.
        resource: the name of the missing thing, or None.
        tools: all tools by name.
    """
    missing = _missing_argument(sent, resource)
    nouns = _nouns_of_argument(missing) or _nouns_of_tool(tool)
    value = resource if missing is None else sent[missing]
    return _find(_Wanted(tool, nouns, sent, missing, value, reads_one=False), tools)


def find_state(tool: Tool, sent: Mapping[str, Any], tools: Mapping[str, Tool]) -> Lookup | None:
    """The tool that reads what a call wanted to change: the same thing by its identifier, or the list of such things.

    Args:
        tool: the tool that was called.
        sent: its arguments.
        tools: all tools by name.
    """
    named = [noun for name in sent if _is_identifier(name) for noun in _nouns_of_argument(name)]
    own = _nouns_of_tool(tool)
    return _find(_Wanted(tool, own, sent, None, None, reads_one=True), tools) or (
        _find(_Wanted(tool, tuple(named), sent, None, None, reads_one=True), tools) if named else None
    )


def _find(wanted: _Wanted, tools: Mapping[str, Tool]) -> Lookup | None:
    ranked = []
    for candidate in _candidates(wanted, tools):
        rank = _rank(candidate, wanted)
        if rank is not None:
            ranked.append(rank)
    ranked.sort(key=lambda pair: pair[0], reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]


def _candidates(wanted: _Wanted, tools: Mapping[str, Tool]) -> Iterable[Tool]:
    """The tools whose name, or else description, has a word of the kind; found by plain text, for large toolsets."""
    stems = {form for noun in wanted.nouns for form in _forms(noun)}
    named = [name for name in tools if any(stem in name.lower() for stem in stems)]
    found = [tools[name] for name in named[: 4 * _MOST_TOOLS]]
    if len(tools) <= _MOST_DESCRIBED:
        known = set(named)
        described = (one for one in tools.values() if one.name not in known)
        found += [one for one in described if any(stem in one.summary[:200].lower() for stem in stems)]
    readers = (one for one in found if one.name != wanted.tool.name and _is_reachable(one, wanted.tool))
    return [one for one in readers if not one.secret and (one.read_only or seems_to_read(one))][:_MOST_TOOLS]


def _is_reachable(candidate: Tool, tool: Tool) -> bool:
    """Whether what was sent to one tool may be sent to the other: never to the tool of another server."""
    return candidate.tool_type != "extension" or (
        tool.tool_type == "extension" and tool.provider == candidate.provider and _namespace(tool) == _namespace(candidate)
    )


def _namespace(tool: Tool) -> str:
    return parse_name(tool.name[:200], Lexicon()).namespace


def _rank(candidate: Tool, wanted: _Wanted) -> tuple[tuple[int, ...], Lookup] | None:
    """How well a tool fits, and the call of it; None if it does not."""
    lexicon = Lexicon()
    parsed = parse_name(candidate.name[:200], lexicon)
    words = parsed.words
    texts = {word.text for word in words}
    lists, searches = not texts.isdisjoint(_LISTS), not texts.isdisjoint(_SEARCHES)
    reads_one = wanted.reads_one and not (lists or searches) and not texts.isdisjoint(_READS_ONE)
    nouns = _nouns(words)
    matched = [noun for noun in nouns if any(_is_same(noun, other) for other in wanted.nouns)]
    if not (lists or searches or reads_one):
        is_plural = any(noun.text.endswith("s") and noun.text != noun.stem for noun in matched)
        lists = is_plural and bool(words) and words[0].reads
    if not (lists or searches or reads_one):
        return None
    is_named = bool(matched)
    if not is_named:
        described = lexicon.words(split_words(candidate.summary[:200]))[:_FIRST_WORDS]
        if nouns and not set(parsed.tail_words).isdisjoint(nouns):
            return None  # its name speaks of other things
        if not any(_is_same(word, other) for word in described for other in wanted.nouns):
            return None
    own = {word.stem for word in _nouns(parse_name(wanted.tool.name[:200], lexicon).words)}
    others = sum(1 for noun in nouns if noun not in matched and noun.stem not in own)
    arguments = _fill(candidate, wanted, searches=searches)
    if reads_one and not arguments:
        return None
    is_worded = isinstance(wanted.value, str) and (" " in wanted.value.strip())
    prefers = (searches if is_worded else lists) + 2 * reads_one
    rank = (int(is_named), int(arguments is not None), -others, int(prefers), len(arguments or ()))
    return rank, Lookup(candidate, arguments if candidate.read_only else None)


def _fill(candidate: Tool, wanted: _Wanted, *, searches: bool) -> Mapping[str, Any] | None:
    """Arguments for a tool, taken from those of the failed call; None if a required one is not among them."""
    schema = candidate.parameters
    properties = schema.get("properties")
    known: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    required = [name for name in schema.get("required") or () if isinstance(name, str)]
    sent = {canonical(name): value for name, value in wanted.sent.items() if name != wanted.missing}
    filled: dict[str, Any] = {}
    left: list[str] = []
    for name in required:
        if canonical(name) in sent:
            filled[name] = sent[canonical(name)]
        elif (folder := _folder(name, wanted)) is not None:
            filled[name] = folder
        else:
            left.append(name)
    text = _search_text(wanted)
    if left:
        if len(left) > 1 or not searches or text is None:
            return None
        filled[left[0]] = text
    for name in known:
        if name in filled:
            continue
        words = set(split_words(name))
        is_scope = not words.isdisjoint(_CONTAINERS) or (wanted.reads_one and not words.isdisjoint(_IDENTIFIES))
        if is_scope and canonical(name) in sent and isinstance(sent[canonical(name)], str | int):
            filled[name] = sent[canonical(name)]
        elif not required and searches and not left and text is not None and not words.isdisjoint(_QUERIES):
            filled[name], left = text, [name]
    if not _is_plain(filled):
        return None
    return filled if isinstance(candidate.fit(dict(filled)), dict) else None


def _folder(name: str, wanted: _Wanted) -> str | None:
    """The folder of a missing path, for an argument that takes one."""
    if not isinstance(wanted.value, str) or set(split_words(name)).isdisjoint(_FOLDERS):
        return None
    parts = list(_SEPARATOR.finditer(wanted.value))
    return wanted.value[: parts[-1].start()] or None if parts else None


def _search_text(wanted: _Wanted) -> str | None:
    """The text by which to search for the missing thing: its name without its folders."""
    if not isinstance(wanted.value, str):
        return None
    return _SEPARATOR.split(wanted.value.rstrip("/\\"))[-1].strip() or None


def _is_plain(arguments: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str | int | float | bool) for value in arguments.values())


def _missing_argument(sent: Mapping[str, Any], resource: str | None) -> str | None:
    """The argument that names the missing thing; None if that is not clear."""
    if resource is None:
        texts = [name for name, value in sent.items() if isinstance(value, str | int)]
        return texts[0] if len(texts) == 1 else None
    equal = [name for name, value in sent.items() if str(value) == resource]
    if not equal:
        equal = [name for name, value in sent.items() if isinstance(value, str) and value and value in resource]
    if not equal:
        equal = [name for name, value in sent.items() if isinstance(value, list) and resource in value]
    return equal[0] if len(equal) == 1 else None


def _is_identifier(name: str) -> bool:
    words = split_words(name)
    return bool(words) and words[-1] in _IDENTIFIES


def _nouns_of_argument(name: str | None) -> tuple[Word, ...]:
    """The words of the kind that an argument names: `channel_id` a channel, `path` a file."""
    words = split_words(name or "")
    if words and words[-1] in _PLACES:
        return tuple(map(Lexicon().word, ("file", "directory", "path")))
    return _nouns(tuple(Lexicon().words(word for word in words if word not in _LABELS)))


def _nouns_of_tool(tool: Tool) -> tuple[Word, ...]:
    """The words of what a tool is about: those of its name that are no verbs."""
    parsed = parse_name(tool.name[:200], Lexicon())
    return _nouns(parsed.tail_words) or _nouns(parsed.words)


def _nouns(words: Iterable[Word]) -> tuple[Word, ...]:
    verbs = _LISTS | _SEARCHES | _READS_ONE
    return tuple(
        word
        for word in words
        if not (word.is_stop_word or word.text in verbs or (word.reads or word.changes) or len(word.text) < 2)
    )


def _is_same(word: Word, other: Word) -> bool:
    return word.stem == other.stem or bool(word.meaning.same & other.meaning.same)


def _forms(word: Word) -> Iterable[str]:
    from mulligan.resolve.words import synonyms

    yield word.stem
    if word.meaning.same:
        yield from synonyms(word)[:4]
