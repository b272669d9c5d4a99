"""What stands among our own words although somebody else wrote it, and so belongs into the fence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.policy import Limits
from mulligan.secrets.redaction import redacted_pointer
from mulligan.untrusted.objects import guarded
from mulligan.untrusted.text import is_name, safe_str
from mulligan.validate.arguments import dump, read_arguments

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.classify.failure import Failure
    from mulligan.errors import Problem, ToolError
    from mulligan.tools import Tool

_WORDS, _LONG, _MOST = 4, 24, 300
_UNSPACED = re.compile(r"[^\x00-\u2fff]{8}")
_PIECES = re.compile(r"[^\W_]+")
_TELLING, _MOST_SEARCHED = 3, 100_000
_LINK = re.compile(r"\b(?:https?|ftp)://|\b(?:mailto|tel):|\bwww\.", re.IGNORECASE).search
_MARKED = re.compile(r"[<>|{}\[\]]")


def sent_text(call: ToolCall) -> str:
    """The arguments that a model sent, as text; empty where they cannot be written.

    Args:
        call: the call.
    """
    arguments = call.arguments
    if isinstance(arguments, str):
        return arguments
    return guarded(lambda: dump(arguments)) or ""


def sent_arguments(call: ToolCall) -> Mapping[str, Any]:
    """The arguments that a model sent, as JSON values; empty where they cannot be read.

    Args:
        call: the call.
    """
    return guarded(lambda: read_arguments(call.arguments, Limits())) or {}


def was_sent(text: str, sent: str) -> bool:
    """Whether a text stands in what the model sent, as it is or as JSON writes it.

    Args:
        text: any text; half a surrogate pair, as in names of files, cannot have been sent.
        sent: the arguments, as text.
    """
    if text in sent:
        return True
    written = guarded(lambda: dump(text)[1:-1])
    return written is not None and written in sent


def was_named(resource: str | None, arguments: Mapping[str, Any]) -> bool:
    """Whether arguments may name a thing: a word of it stands in them, or it is not known.

    Args:
        resource: the thing, or None.
        arguments: the arguments as JSON values.
    """
    if resource is None or not arguments:
        return bool(arguments)
    written = guarded(lambda: dump(list(arguments.values())))
    if written is None or len(written) > _MOST_SEARCHED:
        return True
    thing, sent = resource.casefold(), written.casefold().replace("\\n", " ")
    ours, theirs = set(_PIECES.findall(sent)), set(_PIECES.findall(thing))
    if not ours.isdisjoint(theirs):
        return True
    pairs = [(word, thing) for word in ours] + [(word, sent) for word in theirs]
    return any(len(word) >= _TELLING and word in text for word, text in pairs)


def unnamed(error: ToolError, call: ToolCall) -> str | None:
    """What an error is about, if only the words of a failure name it, or if that is a sentence or a link, not a name.

    None for what the model sent: that may be repeated to it.

    Args:
        error: what the failure means.
        call: the call that failed.
    """
    resource = error.resource
    if resource is None:
        return None
    is_name_only = (resource.isascii() and " " not in resource) or is_name(resource, blanks=2)
    if not error.__dict__.get("_from_prose") and is_name_only and _LINK(resource) is None:
        return None
    return None if was_sent(resource, sent_text(call)) else resource


def placed(
    error: ToolError, tool: Tool | None, redact: Callable[[str], str] = str
) -> tuple[Sequence[Problem], list[str]]:
    """The problems at places that the model or the tool's author named, and those that only a service names, as text.

    Args:
        error: what the failure means.
        tool: the tool, or None.
        redact: takes secrets out of a text.
    """
    problems = error.problems
    if not problems or (error.rule is not None and error.rule.startswith("host:")):
        return problems, []
    known = {"", *(error.arguments or ())}
    properties = None if tool is None else tool.parameters.get("properties")
    if isinstance(properties, Mapping):
        known |= set(properties)
    own = [problem for problem in problems if argument_of(problem.pointer) in known]
    named = [
        f"{redacted_pointer(problem.pointer, redact)}: {problem.message}"
        for problem in problems
        if argument_of(problem.pointer) not in known
    ]
    return own, named


def argument_of(pointer: str) -> str:
    """The argument that a JSON Pointer leads into; empty for the arguments as a whole.

    Args:
        pointer: the pointer.
    """
    return pointer[1:].partition("/")[0].replace("~1", "/").replace("~0", "~")


def apart(hints: Iterable[str], failure: Failure | None) -> tuple[list[str], list[str]]:
    """The hints in a plugin's own words, and those that repeat what the failure says.

    Args:
        hints: advice of plugins.
        failure: what happened, where the tool ran.
    """
    own: list[str] = []
    repeated: list[str] = []
    foreign = "" if failure is None else guarded(lambda: _said(failure)) or ""
    for hint in hints:
        (repeated if _repeats(safe_str(hint, _MOST), foreign) else own).append(hint)
    return own, repeated


def _said(failure: Failure) -> str:
    """All foreign text of a failure that can be read, in one line."""
    texts = (failure.text, failure.told, failure.body_text, failure.stderr, *failure.headers.values())
    named = (failure.resource or "", *map(safe_str, (failure.arguments or {}).values()))
    return " ".join(" ".join(texts + named).split())


def _repeats(hint: str, foreign: str) -> bool:
    words = hint.split()
    runs = (" ".join(words[start : start + _WORDS]) for start in range(len(words) - _WORDS + 1))
    telling = (word for word in words if len(word) >= _LONG or _MARKED.search(word))
    unspaced = (hint[start : start + 8] for start in range(len(hint) - 7) if _UNSPACED.match(hint, start))
    return any(part in foreign for parts in (runs, telling, unspaced) for part in parts)
