"""One concrete step after a failure, by its cause: which template of the catalogue, and what is filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mulligan.catalogue import Catalogue
from mulligan.containment import show_name
from mulligan.errors import (
    Problem,
    RepeatedCallError,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolNotFoundError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

if TYPE_CHECKING:
    from mulligan.tools import Tool

_NAMED = 3


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
    if error.fatal:
        return words["stop"].format(tool=name)
    if isinstance(error, ToolNotFoundError):
        return _with_name("other_tool", error.suggestions, name, words) or words["any_tool"]
    if isinstance(error, ToolArgumentError):
        return _with_arguments(error.problems, name, words, line)
    if isinstance(error, ResourceNotFoundError):
        return _with_name("other_name", error.suggestions, name, words) or words["existing_name"].format(tool=name)
    if isinstance(error, ResourceConflictError) and not error.transient:
        return words["read_state"]
    if isinstance(error, RepeatedCallError):
        return words["another_approach"]
    if isinstance(error, ToolCancelledError):
        return words["if_needed"]
    return _after_failure(error, name, tool, words)


def _with_name(template: str, names: tuple[str, ...], tool: str, words: Catalogue) -> str:
    return words[template].format(tool=tool, name=show_name(names[0], 256)) if names else ""


def _with_arguments(problems: Sequence[Problem], name: str, words: Catalogue, line: Callable[[str], str]) -> str:
    if problems and not problems[0].pointer:
        expected = line(problems[0].expected or "")
        return words["whole_corrected" if expected else "corrected"].format(tool=name, expected=expected)
    wrong = dict.fromkeys(f'"{show_name(problem.pointer[1:], 64)}"' for problem in problems[: _NAMED + 1])
    if not 0 < len(wrong) <= _NAMED:
        return words["corrected"].format(tool=name)
    is_missing = all(problem.message == "missing" for problem in problems)
    return words["added" if is_missing else "valid"].format(tool=name, names=words["and"].join(wrong))


def _after_failure(error: ToolError, name: str, tool: Tool | None, words: Catalogue) -> str:
    if not (error.effect == "none" or (tool is not None and (tool.read_only or tool.idempotent))):
        return words["check_effect"]
    if isinstance(error, ToolTimeoutError):
        return words["less"].format(tool=name)
    if error.transient or isinstance(error, (ToolRateLimitError, ToolUnavailableError, ToolConnectionError)):
        if error.retry_after is None:
            return words["again"].format(tool=name)
        return words["again_after"].format(tool=name, seconds=f"{error.retry_after:g}")
    return words["other_way"]
