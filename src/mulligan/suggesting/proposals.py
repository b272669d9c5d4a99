"""How far a tool may be proposed for a name that no tool has: what it does decides, not only how alike the names are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from mulligan.suggesting.canonical import is_same_tool
from mulligan.suggesting.kinship import MISSPELT, RELATED, kinship
from mulligan.suggesting.synonyms import HARMLESS
from mulligan.suggesting.words import Lexicon, Word, parse, pieces
from mulligan.tools import Tool

Proposal = Literal["clear", "likely", "listed"]

_ARTICLES = frozenset(("a", "an", "the"))
_HARMLESS = frozenset(HARMLESS.split())
_FIRST_WORDS = 3


def proposal(tool: Tool, called: str, *, is_clear: bool) -> Proposal | None:
    """Whether a tool may be named as the one that was meant, as one that may be, or only in a list; None for not at all.

    Args:
        tool: the tool.
        called: the name that was called.
        is_clear: whether the names, arguments and descriptions of the toolset speak for this tool alone.
    """
    if called in tool.also_called:
        return "likely" if tool.destructive else "clear"
    lexicon = Lexicon()
    ours, theirs = parse(called[:200], lexicon).tail_words, parse(tool.name[:200], lexicon).tail_words
    dropped, added = _unmatched(ours, theirs), _unmatched(theirs, ours)
    is_same = is_same_tool(called, tool.name)
    if not is_same and _changes(tool, theirs, lexicon) and not _asks_for_change(ours, theirs):
        return None
    if tool.read_only:
        light = [word for word in dropped if word.is_light and word.text not in _ARTICLES]
        return "clear" if is_clear and not light else "likely"
    if is_same:
        return "likely" if tool.destructive else "clear"
    if seems_to_read(tool) and any(kinship(word, other) >= RELATED for word in ours for other in theirs):
        return "likely"
    is_reworded = bool(tool.destructive) and [word.text for word in ours] != [word.text for word in theirs]
    return "listed" if dropped or added or is_reworded else "likely"


def seems_to_read(tool: Tool) -> bool:
    """Whether a tool says in its name or description that it reads, and in neither that it changes something.

    Good enough for how a failure is worded, and never for running a tool again.

    Args:
        tool: a tool whose author declared nothing.
    """
    if tool.read_only or tool.destructive:
        return tool.read_only
    lexicon = Lexicon()
    words = parse(tool.name[:200], lexicon).tail_words
    described = lexicon.words(pieces(tool.summary[:80])[:_FIRST_WORDS])
    names_what_it_returns = any(word.text in _ARTICLES for word in described[:1])  # "The weather of a city."
    reads = names_what_it_returns or any(word.reads for word in (*words[:1], *described[:1]))
    return reads and not _changes(tool, words, lexicon)


def _changes(tool: Tool, words: Sequence[Word], lexicon: Lexicon) -> bool:
    """Whether a tool is declared destructive, or its own name or description says that it changes something."""
    if tool.destructive:
        return True
    described = lexicon.words(pieces(tool.summary[:80])[:_FIRST_WORDS])
    return not tool.read_only and any(map(_is_change, (*words, *described[:1])))


def _is_change(word: Word) -> bool:
    return word.destroys or (word.changes and word.text not in _HARMLESS)


def _asks_for_change(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether a name says that something is to be changed, if only by a misspelt word of the tool's name."""
    if any(word.reads for word in ours[:1]):
        return False
    verbs = list(filter(_is_change, theirs))
    return any(_is_change(word) or any(kinship(word, verb) >= MISSPELT for verb in verbs) for word in ours)


def _unmatched(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    left = list(others)
    found = []
    for word in words:
        match = next((other for other in left if kinship(word, other) >= MISSPELT), None)
        if match is None:
            found.append(word)
        else:
            left.remove(match)
    return found
