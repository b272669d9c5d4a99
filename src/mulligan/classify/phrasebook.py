"""A table of phrases and their meanings, in a readable notation.

    not found                     these words, in this order
    rate limit*                   a word with this prefix
    (invalid|expired) token       one of these words
    (very|) long                  an optional word
    ~ permission denied           preceded by up to six words
    permission denied …           optionally followed by a place or reason, such as `for table users`
    token @ expired               optional auxiliary words between, such as `has already been`

Phrases are indexed by one of their words and compiled on first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Generic, TypeVar

from mulligan.lazy import lazy_pattern

_QUOTED = lazy_pattern(r"\"[^\"\n]{0,200}\"|(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`")
_NAME = r"[\"'`]?[\w-]{1,80}(?:[./:][\w-]{1,80}){0,3}[\"'`]?"
_RUNNING = r"(?:execut|call|runn|invok)ing (?:(?:the |MCP )?(?:tool|function) )?"
_WITHIN = r"(?:execute|call|run|invoke|in|from|of|to) (?:the |MCP )?(?:tool|function) "
_TOOL = lazy_pattern(  # servers and frameworks write `Error executing tool NAME: ...` or `Tool NAME failed`
    rf"\b({_RUNNING}|{_WITHIN}){_NAME}(?=[:(,;]| \(| with |\.?\s*(?:$|\n))"
    rf"|\b((?:tool|function) ){_NAME}(?= (?:failed|raised|returned|reported)\b)",
    re.IGNORECASE,
)
_TOOL_HINTS = ("tool ", "function ", "executing ", "calling ", "running ", "invoking ")
_NO_SUCH_IDIOM = lazy_pattern(  # `no such file` names what is missing, these idioms do not
    r"\bno such (?:luck|thing|problem|trouble|need|guarantee|requirement|restriction|limitation|intention)s?\b",
    re.IGNORECASE,
)
_CLAUSES = lazy_pattern(
    r"[\n;,!?()\[\]{}<>|]+|:(?!\s*\d)|:(?=\s*\d{1,3}(?:\.\d{1,3}){3})|\.(?=\s|$)|\s[-\u2013\u2014]\s|\s(?:because|please|but|and|so)\s"
)
_HYPHENS = lazy_pattern(r"(?<=\w)[-_](?=\w)")
_MOST_CLAUSES = 24
_LONGEST_CLAUSE = 160


def hide_tool_names(text: str) -> str:
    """Replaces the name of a tool with `_` if a wrapper around the error reports it."""
    words = text.lower()
    return _TOOL.sub(r"\1\2_", text) if any(word in words for word in _TOOL_HINTS) else text


def clauses(text: str) -> Iterator[str]:
    """The clauses of a text in lower case, with quotations replaced by `_`, and hyphens and contractions expanded."""
    if '"' in text or "'" in text or "`" in text:
        text = _QUOTED.sub("_", text)
    if "o such " in text:
        text = _NO_SUCH_IDIOM.sub("_", text)
    for clause in _CLAUSES.split(text, _MOST_CLAUSES)[:_MOST_CLAUSES]:
        if len(clause) <= _LONGEST_CLAUSE:
            words = clause.lower()
            if "-" in words or "_" in words:
                words = _HYPHENS.sub(" ", words)
            if "'" in words:
                words = (
                    words.replace("can't", "cannot")
                    .replace("won't", "will not")
                    .replace("n't", " not")
                    .replace("'s ", " ")
                )
            yield words.strip()


T = TypeVar("T")
_BEFORE = r"(?:(?:the|a|an|your|this|no|any|some) ){0,2}(?:[^ ]{1,80} ){0,6}"
_AFTER = r"(?:(?:for|to|on|in|with|at|from|by|of|since|until|after|within|while|or|when|as|under|via|per) .{0,160})?"
_BETWEEN = (
    r"(?:(?:already|currently|temporarily|permanently|been|has|have|had|is|was|are|were|be|being|not yet|or) ){0,3}"
)
_TOKEN = lazy_pattern(r"\([^)]*\)|[^\s(]+")


class Phrasebook(Generic[T]):
    """A table of phrases, highest priority first.

    Args:
        table: meanings, each with comma-separated phrases.
        whole: whether a phrase must match the whole text.
    """

    def __init__(self, table: Iterable[tuple[T, str]], *, whole: bool) -> None:
        self._whole = whole
        self._listed = [(meaning, " ".join(phrase.split())) for meaning, line in table for phrase in line.split(",")]
        self._by_word: dict[str, list[int]] = {}
        self._by_start: dict[str, list[tuple[str, int]]] = {}
        for number, (_, phrase) in enumerate(self._listed):
            for word in _lookup_words(phrase):
                if word.endswith("*"):
                    self._by_start.setdefault(word[:2], []).append((word[:-1], number))
                else:
                    self._by_word.setdefault(word, []).append(number)

    def find(self, text: str, allowed: Iterable[T] | None = None) -> T | None:
        """The meaning of the first phrase in the table that the text contains or, with `whole`, equals.

        Args:
            text: lower-case words.
            allowed: the meanings that count; by default, all.
        """
        near = self._candidates(text.split())
        for number in sorted(near) if near else ():
            meaning, phrase = self._listed[number]
            if (allowed is None or meaning in allowed) and _matches(phrase, text, whole=self._whole):
                return meaning
        return None

    def _candidates(self, words: list[str]) -> set[int]:
        """The numbers of the phrases that share an indexed word with the text."""
        found: set[int] = set()
        by_word, by_start = self._by_word, self._by_start
        for word in words:
            if word in by_word:
                found.update(by_word[word])
            if word[:2] in by_start:
                found.update(number for start, number in by_start[word[:2]] if word.startswith(start))
        return found

    def __iter__(self) -> Iterator[tuple[T, str]]:
        return iter(self._listed)


def _lookup_words(phrase: str) -> list[str]:
    """The words that a phrase is indexed by: its longest plain word, else the first words of its alternatives."""
    tokens: list[str] = _TOKEN.findall(phrase)
    plain = [token for token in tokens if token[0].isalpha() and not token.endswith("*")]
    if plain:
        return [max(plain, key=len)]
    for token in tokens:
        choices = token.strip("()").split("|")
        if (token[0] == "(" or token[0].isalpha()) and all(choices):
            return [choice.split()[0] for choice in choices]
    raise ValueError(f"the phrase {phrase!r} has no word to be found by")


def _matches(phrase: str, text: str, *, whole: bool) -> bool:
    pattern = _pattern(phrase)
    return (pattern.fullmatch(f"{text} ") if whole else pattern.search(f"{text} ")) is not None


_SIGNS: Mapping[str, str] = {"~": _BEFORE, "…": _AFTER, "@": _BETWEEN}


@lru_cache(maxsize=2_048)
def _pattern(phrase: str) -> re.Pattern[str]:
    """The phrase as a pattern in which one space follows every word."""
    return re.compile(r"(?<!\S)" + "".join(_token_pattern(token) for token in _TOKEN.findall(phrase)))


def _token_pattern(token: str) -> str:
    if token in _SIGNS:
        return _SIGNS[token]
    choices = [_word_pattern(choice) for choice in token.strip("()").split("|")]
    written = f"(?:{'|'.join(choice for choice in choices if choice)}) "
    return written if all(choices) else f"(?:{written})?"


def _word_pattern(text: str) -> str:
    return re.escape(text).replace(r"\*", "[^ ]{0,40}").replace(r"\ ", " ")
