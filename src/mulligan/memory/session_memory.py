"""What a conversation remembers: its loop guard and its budget, as the flow asks them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mulligan.arguments.reading import read_arguments
from mulligan.deadline import Deadline
from mulligan.errors import ToolArgumentError, ToolError
from mulligan.events import BudgetSpent
from mulligan.foreign.facts import guarded
from mulligan.memory.budget import Budget, Overspent, Spending
from mulligan.memory.loop_guard import LoopGuard
from mulligan.results import ToolResult
from mulligan.running.invocation import Host, Invocation
from mulligan.tools import Tool

OWN = "session:"


class SessionMemory:
    """The memory of one conversation; safe to use from several threads and tasks.

    Args:
        host: the pipeline's parts.
        id: the conversation's id, or None.
        budget: how much it may use, or None.

    Attributes:
        guard: what failed.
        spending: what is used of the budget; None without one.
        calls: how many calls have ended, in this process.
        failures: how many of them failed.
    """

    def __init__(self, host: Host, id: str | None, budget: Budget | None) -> None:
        self._host = host
        self._id = id
        self.guard = LoopGuard(host.clock)
        self.spending: Spending | None = None
        self._lock = threading.Lock()
        self._open_steps = 0
        self.calls = self.failures = 0
        if budget is not None:
            self.allow(budget)

    def allow(self, budget: Budget | None) -> None:
        """Sets the budget; what is used already stays used.

        Args:
            budget: how much the conversation may use, or None.
        """
        if budget is None:
            self.spending = None
        elif self.spending is None:
            self.spending = Spending(budget, self._host.clock)
        else:
            self.spending.budget = budget

    def load_spending(self, saved: Mapping[str, Any]) -> None:
        """Takes over what `Spending.to_dict` gave.

        Args:
            saved: what it gave.
        """
        spending = Spending(Budget(), self._host.clock)
        spending.load(saved)
        self.spending = spending

    @contextmanager
    def step(self) -> Iterator[None]:
        """The calls in here belong to one message of the model: it has read nothing in between."""
        with self._lock:
            if not self._open_steps:
                self.guard.next_step()
            self._open_steps += 1
        try:
            yield
        finally:
            with self._lock:
                self._open_steps -= 1

    @property
    def deadline(self) -> Deadline | None:
        """The moment at which the conversation's time is over, or None."""
        spending = self.spending
        if spending is None or spending.budget.seconds is None:
            return None
        return Deadline(spending.started + spending.budget.seconds, self._host.clock)

    def begin(self, state: Invocation) -> ToolError | None:
        """An error for a call that the conversation's budget does not allow, or None.

        Args:
            state: the call.
        """
        if not self._open_steps:
            self.guard.next_step()
        return None if self.spending is None else self._over(state, self.spending.begin())

    def refuse(self, state: Invocation, tool: Tool) -> ToolError | None:
        """An error for a call that must not be run, or must not be run once more; or None.

        Args:
            state: the call, its arguments validated.
            tool: its tool.
        """
        refused = self.guard.refuse(tool, state.arguments or {})
        if refused is not None or self.spending is None:
            return refused
        left = self.spending.seconds_left(tool.name)
        if left is not None and (state.deadline is None or left < state.deadline.remaining):
            state.deadline = Deadline(self._host.clock() + left, self._host.clock)
        return self._over(state, self.spending.begin(tool.name))

    def _over(self, state: Invocation, spent: Overspent | None) -> ToolError | None:
        if spent is None:
            return None
        name = self._host.answering.shown_name(state.call)
        state.note(BudgetSpent(self._id, state.call.id, name, spent.part, spent.limit, spent.tool))
        return spent.error()

    def failed(self, state: Invocation, error: ToolError) -> tuple[ToolError, str]:
        """Takes note of a failure.

        Args:
            state: the call.
            error: what the failure means, its fatality decided.

        Returns:
            The error that counts, and the name of a sentence on the repetition, or nothing.
        """
        if error.rule is not None and error.rule.startswith(OWN):
            return error, ""
        failure = state.failure
        told = "" if failure is None else guarded(lambda: failure.text) or ""
        return self.guard.failed(
            state.tool,
            state.call.name,
            self._read(state),
            error,
            ran=state.attempts > 0,
            told=told,
            started=state.started,
        )

    def _read(self, state: Invocation) -> Mapping[str, Any] | None:
        if state.arguments is not None:
            return state.arguments
        try:
            return read_arguments(state.call.arguments, self._host.limits)
        except ToolArgumentError:
            return None

    def finished(self, state: Invocation, result: ToolResult) -> None:
        """Takes note of a result.

        Args:
            state: the call.
            result: its result.
        """
        tool, error = state.tool, result.error
        with self._lock:
            self.calls += 1
            self.failures += result.is_error
        if tool is not None and error is None:
            self.guard.succeeded(tool, state.arguments or {})
        elif tool is not None and (names := getattr(error, "suggestions", ())):
            self.guard.proposed(tool, names)
        if self.spending is not None and not (error is not None and (error.rule or "").startswith(f"{OWN}budget")):
            name = None if tool is None else tool.name
            self.spending.end(name, result.duration, None if error is None else len(result.content))
