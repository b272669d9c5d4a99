"""The arguments that a call sent, as text and as values, and whether they contain a given text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.policy import Limits
from mulligan.untrusted.objects import call_safely
from mulligan.validate.arguments import dump, read_arguments

_PIECES = re.compile(r"[^\W_]+")
_SHORTEST_WORD, _MOST_SEARCHED = 3, 100_000


def sent_text(call: ToolCall) -> str:
    """The arguments that a model sent, as text; empty if they cannot be serialised."""
    arguments = call.arguments
    if isinstance(arguments, str):
        return arguments
    return call_safely(lambda: dump(arguments)) or ""


def sent_arguments(call: ToolCall) -> Mapping[str, Any]:
    """The arguments that a model sent, as JSON values; empty if they cannot be parsed."""
    return call_safely(lambda: read_arguments(call.arguments, Limits())) or {}


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
    sent_words, thing_words = set(_PIECES.findall(sent)), set(_PIECES.findall(thing))
    if not sent_words.isdisjoint(thing_words):
        return True
    pairs = [(word, thing) for word in sent_words] + [(word, sent) for word in thing_words]
    return any(len(word) >= _SHORTEST_WORD and word in text for word, text in pairs)
