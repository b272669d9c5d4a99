"""The memory of a conversation: its loop guard, its answers and its budget, as the flow uses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mulligan.calls import BudgetSpent
from mulligan.deadline import Deadline
from mulligan.errors import ToolArgumentError, ToolError, ToolTimeoutError
from mulligan.execute.steps import Signal, Sleep
from mulligan.forks import shared_lock
from mulligan.pipeline.invocation import Host, Invocation
from mulligan.results import ToolResult
from mulligan.session.answers import Answer, AnsweredCalls
from mulligan.session.budget import Budget, Overspent, Spending
from mulligan.session.loop_guard import LoopGuard
from mulligan.session.records import call_key, digest
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_str
from mulligan.validate.arguments import read_arguments

OWN = "session:"
_LONGEST_WAIT = 60.0
_LONGEST_ID = 1_000_000


class _OpenStep:
    """A step in the context that it was opened in."""

    __slots__ = ("is_open", "memory")

    def __init__(self, memory: SessionMemory) -> None:
        self.memory = memory
        self.is_open = True


_current_step: ContextVar[_OpenStep | None] = ContextVar("mulligan_step", default=None)


class SessionMemory:
    """The memory of one conversation; safe to use from several threads and tasks.

    Args:
        host: the pipeline's parts.
        id: the conversation's id, or None.
        budget: how much it may use, or None.

    Attributes:
        guard: what failed.
        answers: the answers to the calls that have an id.
        spending: the used part of the budget; None without one.
        calls: how many calls have ended, in this process.
        failures: how many of them failed.
    """

    def __init__(self, host: Host, id: str | None, budget: Budget | None) -> None:
        self._host = host
        self._id = id
        self.guard = LoopGuard(host.clock)
        self.answers = AnsweredCalls()
        self.spending: Spending | None = None
        self._lock = shared_lock()
        self._open_steps = 0
        self.calls = self.failures = 0
        if budget is not None:
            self.allow(budget)

    def allow(self, budget: Budget | None) -> None:
        """Sets the budget; the used part stays used.

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
        """Restores the result of `Spending.to_dict`.

        Args:
            saved: that result.
        """
        spending = Spending(Budget(), self._host.clock)
        spending.load(saved)
        self.spending = spending

    @contextmanager
    def step(self, *, joins: bool = False) -> Iterator[None]:
        """The calls in here belong to one message of the model: it has read nothing in between.

        Args:
            joins: whether it is a part of the step that is open around it, if there is one.
        """
        outer = _current_step.get()
        step = _OpenStep(self)
        with self._lock:
            if not (joins and outer is not None and outer.is_open and outer.memory is self):
                self.guard.next_step()
            self._open_steps += 1
        _current_step.set(step)
        try:
            yield
        finally:
            step.is_open = False
            if _current_step.get() is step:
                _current_step.set(outer)
            with self._lock:
                self._open_steps -= 1

    @property
    def deadline(self) -> Deadline | None:
        """The moment when the conversation's time ends, or None."""
        spending = self.spending
        if spending is None or spending.budget.seconds is None:
            return None
        return Deadline(spending.started + spending.budget.seconds, self._host.clock)

    def begin(self, state: Invocation) -> ToolError | None:
        """An error for a call that the conversation's budget does not allow, or None.

        Args:
            state: the call.
        """
        state.step = self.guard.begin(is_step=not self._open_steps)
        return None if self.spending is None else self._over(state, self.spending.begin())

    def refuse(self, state: Invocation, tool: Tool) -> ToolError | ToolResult | Sleep | None:
        """An error for a call that must not be run, or must not be run again; or None.

        Args:
            state: the call, its arguments validated.
            tool: its tool.

        Returns:
            The result of the call with the same id, if it has run already; a wait while it is running.
        """
        arguments = state.arguments or {}
        if state.call.id is not None and not (tool.read_only or tool.idempotent):
            key = digest(
                f"{safe_str(state.call.id, _LONGEST_ID)}\0{call_key(tool.name, _with_defaults(tool, arguments))}"
            )
            known = self.answers.begin(key)
            if isinstance(known, Signal):
                return self._wait(state, known)
            if isinstance(known, Answer):
                return self._repeat(state, tool, known)
            if known is not None:
                return known
            state.recording = key
        refused = self.guard.refuse(tool, arguments, state.step)
        if refused is not None or self.spending is None:
            return refused
        left = self.spending.seconds_left(tool.name)
        if left is not None and (state.deadline is None or left < state.deadline.remaining):
            state.deadline = Deadline(self._host.clock() + left, self._host.clock)
        return self._over(state, self.spending.begin(tool.name))

    def _wait(self, state: Invocation, ended: Signal) -> ToolError | Sleep:
        left = _LONGEST_WAIT if state.deadline is None else state.deadline.remaining
        if left > 0:
            return Sleep(min(left, _LONGEST_WAIT), ended)
        message = "This call was not run: a call with the same id is still running."
        return ToolTimeoutError(message, effect="possible", rule=f"{OWN}same-id")

    def _repeat(self, state: Invocation, tool: Tool, known: Answer) -> ToolError | ToolResult:
        """The recorded answer, unless the model has repeated a failure so often that the run ends."""
        if known.error is not None and not known.error.fatal:
            refused = self.guard.refuse(tool, state.arguments or {}, state.step)
            if refused is not None and refused.fatal:
                return refused
            self.guard.repeat(tool, state.arguments or {}, state.step)
        return known.result(state.call, tool, self._host.answering)

    def _over(self, state: Invocation, spent: Overspent | None) -> ToolError | None:
        if spent is None:
            return None
        name = self._host.answering.shown_name(state.call)
        state.note(BudgetSpent(self._id, state.call.id, name, spent.part, spent.limit, spent.tool))
        return spent.error()

    def failed(self, state: Invocation, error: ToolError) -> tuple[ToolError, str]:
        """Records a failure.

        Args:
            state: the call.
            error: what the failure means, its fatality decided.

        Returns:
            The error that counts, and the name of a sentence on the repetition, or nothing.
        """
        if error.rule is not None and error.rule.startswith(OWN):
            return error, ""
        failure = state.failure
        return self.guard.failed(
            state.tool,
            state.call.name,
            self._read(state),
            error,
            step=state.step or self.guard.step,
            ran=state.attempts > 0,
            exception=None if failure is None else failure.type_name,
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
        """Records a result.

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
        elif error is not None:
            names = getattr(error, "suggestions", ())
            corrected = None if result.feedback is None else _as_call(result.feedback.corrected)
            if names or corrected is not None:
                self.guard.propose(tool, corrected, names)
        if state.recording is not None:
            self._record(state, Answer.of(result), has_run=state.attempts > 0)
        if self.spending is not None and not (error is not None and (error.rule or "").startswith(f"{OWN}budget")):
            name = None if tool is None else tool.name
            self.spending.end(name, result.duration, None if error is None else len(result.content))

    def abandoned(self, state: Invocation, *, may_have_run: bool) -> None:
        """Records a call that ended without a result, such as one that the host cancelled.

        Args:
            state: the call.
            may_have_run: whether its tool may have been run.
        """
        self._record(state, None, has_run=may_have_run)

    def _record(self, state: Invocation, answer: Answer | None, *, has_run: bool) -> None:
        key, state.recording = state.recording, None
        if key is not None:
            self.answers.end(key, answer, has_run=has_run)

    def forgive(self) -> None:
        """Forgets every failure, so that the same calls may run again."""
        self.guard.clear()
        self.answers.forgive()


def _with_defaults(tool: Tool, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments that a tool runs with: an explicit default does not make a different call."""
    declared = tool.parameters.get("properties")
    if not isinstance(declared, Mapping) or len(arguments) == len(declared):
        return arguments
    missing = {name: part for name, part in declared.items() if name not in arguments and isinstance(part, Mapping)}
    return {**arguments, **{name: part["default"] for name, part in missing.items() if "default" in part}}


def _as_call(corrected: str) -> tuple[str, Mapping[str, Any]] | None:
    """A corrected call as name and arguments."""
    if not corrected:
        return None
    import json

    call = json.loads(corrected)
    return call["name"], call["arguments"]
