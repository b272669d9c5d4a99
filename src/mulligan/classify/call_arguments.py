"""The arguments that a call sent, as text and as values, and whether they contain a given text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.lazy import lazy_pattern
from mulligan.untrusted.objects import call_safely
from mulligan.validate.arguments import dump

_PIECES = lazy_pattern(r"[^\W_]+")
_NO_WORD = {code: " " for code in range(128) if not chr(code).isalnum()}  # for ASCII, much faster than the pattern
_SHORTEST_WORD, _MOST_SEARCHED = 3, 100_000
_NAME_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_QUOTED = lazy_pattern(r"[\"'`]([^\"'`\n]{1,200})[\"'`]")
LABELS = frozenset(("id", "ids", "key", "name", "uuid", "number", "slug"))  # `channel_id` is the channel
_MOST_ARGUMENTS, _LONGEST_MESSAGE = 40, 1_000


def sent_text(call: ToolCall) -> str:
    """The arguments that a model sent, as text; empty if they cannot be serialised."""
    arguments = call.arguments
    if isinstance(arguments, str):
        return arguments
    return call_safely(lambda: dump(arguments)) or ""


def was_sent(text: str, sent: str) -> bool:
    """Whether a text occurs in the arguments that the model sent, verbatim or escaped as in JSON.

    Args:
        text: any text; one with a lone surrogate, as in file names, cannot have been sent.
        sent: the arguments, as text.
    """
    if text in sent:
        return True
    written = call_safely(lambda: dump(text)[1:-1])
    return written is not None and written in sent


def may_be_named_in(resource: str | None, arguments: Mapping[str, Any]) -> bool:
    """Whether arguments may name a resource: they share a word with it, or the resource is not known.

    Args:
        resource: the resource, or None.
        arguments: the arguments as JSON values.
    """
    if resource is None or not arguments:
        return bool(arguments)
    written = call_safely(lambda: dump(list(arguments.values())))
    if written is None or len(written) > _MOST_SEARCHED:
        return True
    thing, sent = resource.casefold(), written.casefold().replace("\\n", " ")
    thing_words = _words_of(thing)
    if _holds_any(sent, thing_words):
        return True
    sent_words = _words_of(sent)
    return not sent_words.isdisjoint(thing_words) or _holds_any(thing, sent_words)


def _words_of(text: str) -> set[str]:
    return set(text.translate(_NO_WORD).split() if text.isascii() else _PIECES.findall(text))


def _holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether a text contains one of these words; short ones do not count."""
    for word in words:  # noqa: SIM110 - a generator takes twice as long
        if len(word) >= _SHORTEST_WORD and word in text:
            return True
    return False


def argument_named_in(text: str, arguments: Mapping[str, Any] | None) -> str | None:
    """The name of the argument that a code or message speaks of; None if it names none, or several alike.

    `channel_not_found` and `Unknown Channel` name `channel`, `channelId` or `channel_name`; `invalid_ts_latest` names
    `ts_latest` before `latest`. If no name occurs, an argument counts whose value is quoted: `no such city "Atlantis"`.

    Args:
        text: a code or message; only the first 1,000 characters are read.
        arguments: the arguments of the call.
    """
    text, known = text[:_LONGEST_MESSAGE], tuple((arguments or {}).items())[:_MOST_ARGUMENTS]
    message = f" {' '.join(name_words(text))} "
    ranked = sorted(((_rank_name(name, message), name) for name, _ in known), reverse=True)
    if ranked and ranked[0][0] > (0, 0):
        return ranked[0][1] if len(ranked) == 1 or ranked[1][0] < ranked[0][0] else None
    quoted = set(_QUOTED.findall(text))
    by_value = [name for name, value in known if type(value) in (str, int) and str(value) in quoted]
    return by_value[0] if len(by_value) == 1 else None


def shows_sent_value(text: str, arguments: Mapping[str, Any] | None) -> bool:
    """Whether a text contains the whole value of an argument, as `no such file: a.md` does after `{"path": "a.md"}`.

    Args:
        text: a message; only the first 1,000 characters are read.
        arguments: the arguments of the call.
    """
    values = [str(value) for value in (arguments or {}).values() if type(value) in (str, int)][:_MOST_ARGUMENTS]
    told = text[:_LONGEST_MESSAGE]
    return any(
        len(value) >= _SHORTEST_WORD and value in told and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", told)
        for value in values
    )


def name_words(text: str) -> list[str]:
    """The words of a name or a text, in lower case and singular: `userIds` are `user` and `id`.

    Args:
        text: a name such as `max_results` or `maxResults`, or a text.
    """
    words = (word.lower() for word in _NAME_WORDS.findall(text))
    return [word[:-1] if len(word) > _SHORTEST_WORD and word[-1] == "s" and word[-2] != "s" else word for word in words]


def _rank_name(name: str, message: str) -> tuple[int, int]:
    """How well a text names an argument: by its whole name or without its label, and by how many words."""
    words = name_words(name[:_LONGEST_MESSAGE])
    subject = words[:-1] if words and words[-1] in LABELS else words
    for rank, part in ((2, words), (1, subject)):
        if part and f" {' '.join(part)} " in message:
            return rank, len(part)
    return 0, 0
