"""Executors that tools name: `@tool(executor="ray")`, or an instance with options, such as `executor=Ray(num_cpus=2)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from mulligan.calls import ToolCall
from mulligan.errors import UsageError
from mulligan.execute.steps import Executor
from mulligan.spelling import did_you_mean
from mulligan.tools import Tool


class ToolExecutor(ABC):
    """Where tools run: on an engine, in a cluster. A plugin contributes one by the hook `executors`.

    `packed_call`, `run_packed_call` and `value_of_answer` of `mulligan.plugin` send a call to a worker as data, and
    bring back its value or exception.

    Attributes:
        name: the name by which tools choose it.
        in_flight: the maximum number of calls of one `acall_many` that have begun and not ended, None for all of them. The
            time of a call that has not begun does not pass, and it needs little memory.
    """

    name: str
    in_flight: int | None = None

    @abstractmethod
    def execute(self, tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor:
        """How to run a call, as in the hook `execute`: runs nothing yet, and starts nothing.

        Args:
            tool: the tool, whose `executor` may be this one.
            arguments: a copy of the validated arguments, as Python objects, injected ones included.
            call: the call as the model sent it.
        """

    def problem(self) -> str | None:
        """Why no tool can run on it now, in one sentence; None if nothing is known to be wrong. Starts nothing."""
        return None

    def close(self) -> None:  # noqa: B027 - optional
        """Ends what it has started, when a pipeline that used it is closed. The next call starts it again."""


@attrs.frozen
class ExecutorInfo:
    """One executor of a pipeline.

    Attributes:
        name: its name.
        tools: the names of the tools that run on it.
        problem: why no tool can run on it now, or None.
        executor: the executor itself.
    """

    name: str
    tools: tuple[str, ...]
    problem: str | None
    executor: ToolExecutor = attrs.field(repr=False, eq=False)


def executor_of(tool: Tool, known: Mapping[str, ToolExecutor]) -> ToolExecutor | None:
    """The executor that a tool names; None if it names none.

    Args:
        tool: the tool.
        known: the executors that plugins contribute, by name.

    Raises:
        UsageError: there is no executor of that name; names the package to install.
    """
    wanted = tool.executor
    if wanted is None or isinstance(wanted, ToolExecutor):
        return wanted
    if wanted in known:
        return known[wanted]
    near = did_you_mean(wanted, known) if known else ""
    step = near if "Did you mean" in near else f"Install the package that provides it: pip install mulligan-{wanted}"
    raise UsageError(f"tool {tool.name!r}: unknown executor {wanted!r}. {step}")


def list_executors(tools: Iterable[Tool], known: Mapping[str, ToolExecutor]) -> tuple[ExecutorInfo, ...]:
    """One record for each executor, those of plugins first.

    Args:
        tools: the tools, which may bring executors along.
        known: the executors that plugins contribute, by name.
    """
    users: dict[int, list[str]] = {id(executor): [] for executor in known.values()}
    executors = {id(executor): executor for executor in known.values()}
    for tool in tools:
        executor = executor_of(tool, known)
        if executor is not None:
            executors.setdefault(id(executor), executor)
            users.setdefault(id(executor), []).append(tool.name)
    return tuple(
        ExecutorInfo(executor.name, tuple(users[key]), executor.problem(), executor)
        for key, executor in executors.items()
    )
