"""One concrete step after a failure, by its cause: which template of the catalogue, and what is filled in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mulligan.catalogue import Catalogue
from mulligan.errors import (
    RepeatedCallError,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.foreign.containment import is_name, show_name
from mulligan.wording.quoting import redacted_pointer

if TYPE_CHECKING:
    from mulligan.tools import Tool

_NAMED = 3
_EXACT = 10.0
_PLAIN = (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolPermissionError,
)  # a note would distract


def next_step(
    error: ToolError, name: str, tool: Tool | None, words: Catalogue, line: Callable[[str], str] = str
) -> str:
    """One concrete step, as an imperative sentence.

    Args:
        error: what the failure means, its fatality decided.
        name: the name that was called, safe to show.
        tool: the tool, or None.
        words: the templates.
        line: makes one clean line of a foreign text.
    """
    if error.rule is not None and error.rule.startswith("session:budget"):
        return words["no_more" if error.fatal else "no_more_of_it"].format(tool=name)
    if error.rule == "host:schema":
        return words["unusable"].format(tool=name)
    if error.fatal:
        return words["stop"].format(tool=name)
    if isinstance(error, ToolNotFoundError):
        return _with_name("other_tool", error.suggestions, name, words, "") or words["any_tool"]
    if isinstance(error, ToolArgumentError):
        return _with_arguments(error, name, tool, words, line)
    if isinstance(error, ResourceNotFoundError):
        named = _with_name("other_name", error.suggestions, name, words, error.resource or "")
        return named or words["existing_name"].format(tool=name)
    if isinstance(error, ResourceConflictError) and not error.transient:
        return words["read_state"]
    if isinstance(error, RepeatedCallError):
        return words["another_approach"]
    if isinstance(error, ToolCancelledError):
        return words["if_needed"]
    return _after_failure(error, name, tool, words)


def _with_name(template: str, names: tuple[str, ...], tool: str, words: Catalogue, like: str) -> str:
    """A step that names something, unless its name is a sentence, which would read as one of ours."""
    if not names or not is_name(names[0], like):
        return ""
    return words[template].format(tool=tool, name=show_name(names[0], 256))


def _with_arguments(
    error: ToolError, name: str, tool: Tool | None, words: Catalogue, line: Callable[[str], str]
) -> str:
    problems = error.problems
    if problems and not problems[0].pointer:
        asked = problems[0].expected or ""
        own = (error.rule or "").startswith("host:") and '"' not in asked  # quotes hold words of a schema
        expected = line(asked) if own else ""
        return words["whole_corrected" if expected else "corrected"].format(tool=name, expected=expected)
    names = dict.fromkeys(problem.pointer for problem in problems[: _NAMED + 1])
    fit = [name for name in names if is_name(name) and (line is str or redacted_pointer(name, line) == name)]
    wrong = [f'"{show_name(name[1:], 64)}"' for name in fit]
    if not 0 < len(wrong) == len(names) <= _NAMED:
        return words["corrected"].format(tool=name)
    unknown = [pointer for pointer in fit if tool is not None and not _is_parameter(pointer, tool)]
    if unknown and unknown != fit:
        return words["corrected"].format(tool=name)
    is_missing = all(problem.message == "missing" for problem in problems)
    template = "without" if unknown else "added" if is_missing else "valid"
    return words[template].format(tool=name, names=words["and"].join(wrong))


def _is_parameter(pointer: str, tool: Tool) -> bool:
    """Whether a problem is about something that the tool takes, so that another value may fit."""
    known = tool.parameters.get("properties")
    return not isinstance(known, Mapping) or not known or pointer[1:].partition("/")[0] in known


def _after_failure(error: ToolError, name: str, tool: Tool | None, words: Catalogue) -> str:
    if not (error.effect == "none" or (tool is not None and (tool.read_only or tool.idempotent))):
        return words["check_effect"]
    if isinstance(error, ToolTimeoutError):
        return words["less"].format(tool=name)
    if error.transient or isinstance(error, (ToolRateLimitError, ToolUnavailableError, ToolConnectionError)):
        if error.retry_after is None:
            return words["again"].format(tool=name)
        return words["again_after"].format(tool=name, seconds=in_seconds(error.retry_after))
    return words["other_way"]


def in_seconds(seconds: float) -> str:
    """A time to wait, as digits: from ten seconds on as whole ones, rounded up.

    Args:
        seconds: how long.
    """
    return f"{seconds:g}" if seconds < _EXACT else str(math.ceil(seconds))


def effect_note(error: ToolError, tool: Tool | None, words: Catalogue) -> str:
    """What may have been changed already, as a sentence; empty where nothing was.

    Args:
        error: what the failure means.
        tool: the tool, or None.
        words: the templates.
    """
    if error.effect == "done":
        return words["done"]
    distracts = isinstance(error, _PLAIN)
    if error.effect == "possible" and tool is not None and not (tool.read_only or distracts):
        return words["possible"]
    return ""
