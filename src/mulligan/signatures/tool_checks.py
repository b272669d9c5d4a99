"""What is checked when a tool is made, and the error for arguments that do not fit it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.errors import Problem, ToolArgumentError, UsageError

OPTIONS = frozenset(
    [
        "timeout",
        "read_only",
        "idempotent",
        "destructive",
        "inline",
        "killable",
        "secret",
        "resources",
        "detect",
        "format",
        "tags",
        "tool_type",
        "provider",
    ]
)


def invalid(problems: Sequence[Problem]) -> ToolArgumentError:
    """The error for arguments with these problems.

    Args:
        problems: what is wrong with them.
    """
    count = len(problems)
    what = "one problem" if count == 1 else f"{count} problems"
    message = f"Invalid arguments: {what}; nothing was run."
    return ToolArgumentError(message, problems=problems, rule="host:arguments")


def refuse_to_run(**_: Any) -> Any:
    """The handler of a tool that is only a spec.

    Raises:
        UsageError: always.
    """
    raise UsageError("a repairer cannot run a tool: it gets specs without handlers")


def check_tool(name: Any, handler: Any, timeout: Any) -> None:
    """What every tool needs.

    Args:
        name: its name.
        handler: the function that runs.
        timeout: seconds, or None.

    Raises:
        UsageError: one of them is wrong.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"a tool needs a name that is a text and not empty, not {name!r}")
    if not callable(handler):
        raise UsageError(f"tool {name!r}: its handler must be callable, not {handler!r:.80}")
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
        raise UsageError(f"tool {name!r}: timeout must be above zero seconds, not {timeout!r}")


def check_options(options: Mapping[str, Any]) -> None:
    """Whether all of these are options of a tool.

    Args:
        options: by name.

    Raises:
        UsageError: one of them is not.
    """
    unknown = [option for option in options if option not in OPTIONS]
    if unknown:
        raise UsageError(f"unknown tool option {unknown[0]!r}; there are {', '.join(sorted(OPTIONS))}")
