"""A message as clauses: what is quoted, and what is only the name of a tool or a thing, says nothing of what went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = re.compile(r"\"[^\"\n]{0,200}\"|(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`")
_NAME = r"[\"'`]?[\w-]{1,80}(?:[./:][\w-]{1,80}){0,3}[\"'`]?"
_RUNNING = r"(?:execut|call|runn|invok)ing (?:(?:the |MCP )?(?:tool|function) )?"
_WITHIN = r"(?:execute|call|run|invoke|in|from|of|to) (?:the |MCP )?(?:tool|function) "
_TOOL = re.compile(  # as servers and frameworks write: `Error executing tool NAME: ...`, `Tool NAME failed`
    rf"\b({_RUNNING}|{_WITHIN}){_NAME}(?=[:(,;]| \(| with |\.?\s*(?:$|\n))"
    rf"|\b((?:tool|function) ){_NAME}(?= (?:failed|raised|returned|reported)\b)",
    re.IGNORECASE,
)
_AROUND = ("tool ", "function ", "executing ", "calling ", "running ", "invoking ")
_IDLE = re.compile(  # `no such file` tells what is not found, these words tell nothing
    r"\bno such (?:luck|thing|problem|trouble|need|guarantee|requirement|restriction|limitation|intention)s?\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"[\n;,!?()\[\]{}<>|]+|:(?!\s*\d)|:(?=\s*\d{1,3}(?:\.\d{1,3}){3})|\.(?=\s|$)|\s[-\u2013\u2014]\s|\s(?:because|please|but|and|so)\s"
)
_HYPHENS = re.compile(r"(?<=\w)[-_](?=\w)")
_MOST = 24
_LONGEST = 160


def unnamed(text: str) -> str:
    """A text in which the name of a tool, where a wrapper around the error tells it, is a `_`.

    Args:
        text: foreign text.
    """
    words = text.lower()
    return _TOOL.sub(r"\1\2_", text) if any(word in words for word in _AROUND) else text


def clauses(text: str) -> Iterator[str]:
    """The clauses of a text in lower case, each quotation a `_`, hyphens and contractions resolved.

    Args:
        text: foreign text.
    """
    if '"' in text or "'" in text or "`" in text:
        text = _QUOTED.sub("_", text)
    if "o such " in text:
        text = _IDLE.sub("_", text)
    for clause in _CLAUSES.split(text, _MOST)[:_MOST]:
        if len(clause) <= _LONGEST:
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
