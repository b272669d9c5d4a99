"""Separates foreign text, which belongs in the fence, from text that may appear in our own sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mulligan.classify.call_arguments import sent_text, was_sent
from mulligan.lazy import lazy_pattern
from mulligan.pointers import argument_of
from mulligan.secrets.redaction import redacted_pointer
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import is_name, safe_str

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.classify.failure import Failure
    from mulligan.errors import Problem, ToolError
    from mulligan.tools import Tool

_RUN_WORDS, _LONG_WORD_CHARS, _MAX_HINT_CHARS = 4, 24, 300
_UNSPACED = lazy_pattern(r"[^\x00-\u2fff]{8}")
_LINK = re.compile(r"\b(?:https?|ftp)://|\b(?:mailto|tel):|\bwww\.", re.IGNORECASE).search
_MARKED = lazy_pattern(r"[<>|{}\[\]]")


def untrusted_resource(error: ToolError, call: ToolCall) -> str | None:
    """The resource of an error if it belongs in the fence: only prose names it, or it is a sentence or a link, not a name.

    None if the model sent it itself, since its own text may be repeated to it.

    Args:
        error: the classified error.
        call: the call that failed.
    """
    resource = error.resource
    if resource is None:
        return None
    is_name_only = (resource.isascii() and " " not in resource) or is_name(resource, blanks=2)
    if not error.__dict__.get("_from_prose") and is_name_only and _LINK(resource) is None:
        return None
    return None if was_sent(resource, sent_text(call)) else resource


def split_problems(
    error: ToolError, tool: Tool | None, redact: Callable[[str], str] = str
) -> tuple[Sequence[Problem], list[str]]:
    """The problems at places that the model or the tool's author named, and as text those that only a service names.

    Args:
        error: the classified error.
        tool: the tool, or None.
        redact: removes secrets from a text.
    """
    problems = error.problems
    if not problems or (error.rule is not None and error.rule.startswith("host:")):
        return problems, []
    safe_names = {"", *(error.arguments or ())}
    properties = None if tool is None else tool.parameters.get("properties")
    if isinstance(properties, Mapping):
        safe_names |= set(properties)
    known_problems = [problem for problem in problems if argument_of(problem.pointer) in safe_names]
    foreign_texts = [
        f"{redacted_pointer(problem.pointer, redact)}: {problem.message}"
        for problem in problems
        if argument_of(problem.pointer) not in safe_names
    ]
    return known_problems, foreign_texts


def split_hints(hints: Iterable[str], failure: Failure | None) -> tuple[list[str], list[str]]:
    """The hints in a plugin's own words, and those that repeat text of the failure.

    Args:
        hints: advice of plugins.
        failure: the failure, or None if the tool did not run.
    """
    original: list[str] = []
    repeated: list[str] = []
    foreign = "" if failure is None else call_safely(lambda: _foreign_text(failure)) or ""
    for hint in hints:
        (repeated if _repeats(safe_str(hint, _MAX_HINT_CHARS), foreign) else original).append(hint)
    return original, repeated


def _foreign_text(failure: Failure) -> str:
    """All readable foreign text of a failure, in one line."""
    texts = (failure.text, failure.told, failure.body_text, failure.stderr, *failure.headers.values())
    names = (failure.resource or "", *map(safe_str, (failure.arguments or {}).values()))
    return " ".join(" ".join(texts + names).split())


def _repeats(hint: str, foreign: str) -> bool:
    words = hint.split()
    runs = (" ".join(words[start : start + _RUN_WORDS]) for start in range(len(words) - _RUN_WORDS + 1))
    telling = (word for word in words if len(word) >= _LONG_WORD_CHARS or _MARKED.search(word))
    unspaced = (hint[start : start + 8] for start in range(len(hint) - 7) if _UNSPACED.match(hint, start))
    return any(part in foreign for parts in (runs, telling, unspaced) for part in parts)
