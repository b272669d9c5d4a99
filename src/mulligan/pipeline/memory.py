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
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.results import ToolResult
from mulligan.session.answers import Answer, AnsweredCalls, SavedAnswers
from mulligan.session.budget import Budget, ExhaustedPart, SavedSpending, Spending
from mulligan.session.loop_guard import LoopGuard
from mulligan.session.records import SavedGuard, call_key, digest
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_str
from mulligan.validate.arguments import read_arguments

RULE_PREFIX = "session:"
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
        runtime: the pipeline's parts.
        id: the conversation's id, or None.
        budget: how much it may use, or None.

    Attributes:
        guard: what failed.
        answers: the answers to the calls that have an id.
        spending: the used part of the budget; None without one.
        calls: how many calls have ended, in this process.
        failures: how many of them failed.
    """

    def __init__(self, runtime: Runtime, id: str | None, budget: Budget | None) -> None:
        self._runtime = runtime
        self._id = id
        self.guard = LoopGuard(runtime.clock)
        self.answers = AnsweredCalls()
        self.spending: Spending | None = None
        self._lock = shared_lock()
        self._open_steps = 0
        self.calls = self.failures = 0
        if budget is not None:
            self.set_budget(budget)

    def set_budget(self, budget: Budget | None) -> None:
        """Sets the budget; the used part stays used."""
        if budget is None:
            self.spending = None
        elif self.spending is None:
            self.spending = Spending(budget, self._runtime.clock)
        else:
            self.spending.budget = budget

    def load(self, guard: SavedGuard, answers: SavedAnswers, spending: SavedSpending | None) -> None:
        """Continues with what was saved."""
        self.guard.load(guard)
        self.answers.load(answers)
        if spending is not None:
            self.spending = Spending.from_saved(spending, self._runtime.clock)

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
        return Deadline(spending.started + spending.budget.seconds, self._runtime.clock)

    def begin(self, invocation: Invocation) -> ToolError | None:
        """An error for a call that the conversation's budget does not allow, or None."""
        invocation.step = self.guard.begin(is_step=not self._open_steps)
        return None if self.spending is None else self._budget_error(invocation, self.spending.begin())

    def refuse(self, invocation: Invocation, tool: Tool) -> ToolError | ToolResult | Sleep | None:
        """An error for a call that must not be run, or must not be run again; or None.

        Args:
            invocation: the call, its arguments validated.
            tool: its tool.

        Returns:
            The result of the call with the same id, if it has run already; a wait while it is running.
        """
        arguments = invocation.arguments or {}
        if invocation.call.id is not None and not (tool.read_only or tool.idempotent):
            key = digest(
                f"{safe_str(invocation.call.id, _LONGEST_ID)}\0{call_key(tool.name, _with_defaults(tool, arguments))}"
            )
            previous = self.answers.begin(key)
            if isinstance(previous, Signal):
                return self._wait_for(invocation, previous)
            if isinstance(previous, Answer):
                return self._recorded_result(invocation, tool, previous)
            if previous is not None:
                return previous
            invocation.recording_key = key
        refusal = self.guard.refuse(tool, arguments, invocation.step)
        if refusal is not None or self.spending is None:
            return refusal
        seconds_left = self.spending.seconds_left(tool.name)
        if seconds_left is not None and (invocation.deadline is None or seconds_left < invocation.deadline.remaining):
            invocation.deadline = Deadline(self._runtime.clock() + seconds_left, self._runtime.clock)
        return self._budget_error(invocation, self.spending.begin(tool.name))

    def _wait_for(self, invocation: Invocation, ended: Signal) -> ToolError | Sleep:
        left = _LONGEST_WAIT if invocation.deadline is None else invocation.deadline.remaining
        if left > 0:
            return Sleep(min(left, _LONGEST_WAIT), ended)
        message = "This call was not run: a call with the same id is still running."
        return ToolTimeoutError(message, effect="possible", rule=f"{RULE_PREFIX}same-id")

    def _recorded_result(self, invocation: Invocation, tool: Tool, answer: Answer) -> ToolError | ToolResult:
        """The recorded answer, unless the model has repeated a failure so often that the run ends."""
        if answer.error is not None and not answer.error.fatal:
            refused = self.guard.refuse(tool, invocation.arguments or {}, invocation.step)
            if refused is not None and refused.fatal:
                return refused
            self.guard.count_repeat(tool, invocation.arguments or {}, invocation.step)
        return answer.result(invocation.call, tool, self._runtime.result_factory)

    def _budget_error(self, invocation: Invocation, spent: ExhaustedPart | None) -> ToolError | None:
        if spent is None:
            return None
        name = self._runtime.result_factory.display_name(invocation.call)
        invocation.note(BudgetSpent(self._id, invocation.call.id, name, spent.part, spent.limit, spent.tool))
        return spent.error()

    def record_failure(self, invocation: Invocation, error: ToolError) -> tuple[ToolError, str]:
        """Records a failure.

        Args:
            invocation: the call.
            error: what the failure means, its fatality decided.

        Returns:
            The error that counts, and the name of a sentence on the repetition, or nothing.
        """
        if error.rule is not None and error.rule.startswith(RULE_PREFIX):
            return error, ""
        failure = invocation.failure
        return self.guard.record_failure(
            invocation.tool,
            invocation.call.name,
            self._arguments_of(invocation),
            error,
            step=invocation.step or self.guard.step,
            ran=invocation.attempts > 0,
            exception=None if failure is None else failure.type_name,
            started=invocation.started,
        )

    def _arguments_of(self, invocation: Invocation) -> Mapping[str, Any] | None:
        if invocation.arguments is not None:
            return invocation.arguments
        try:
            return read_arguments(invocation.call.arguments, self._runtime.limits)
        except ToolArgumentError:
            return None

    def record_result(self, invocation: Invocation, result: ToolResult) -> None:
        """Records a result."""
        tool, error = invocation.tool, result.error
        with self._lock:
            self.calls += 1
            self.failures += result.is_error
        if tool is not None and error is None:
            self.guard.record_success(tool, invocation.arguments or {})
        elif error is not None:
            names = getattr(error, "suggestions", ())
            corrected = None if result.feedback is None else _as_call(result.feedback.corrected)
            if names or corrected is not None:
                self.guard.record_proposal(tool, corrected, names)
        if invocation.recording_key is not None:
            self._record(invocation, Answer.from_result(result), has_run=invocation.attempts > 0)
        if self.spending is not None and not (
            error is not None and (error.rule or "").startswith(f"{RULE_PREFIX}budget")
        ):
            name = None if tool is None else tool.name
            self.spending.end(name, result.duration, None if error is None else len(result.content))

    def record_abandoned(self, invocation: Invocation, *, may_have_run: bool) -> None:
        """Records a call that ended without a result, such as one that the host cancelled.

        Args:
            invocation: the call.
            may_have_run: whether its tool may have been run.
        """
        self._record(invocation, None, has_run=may_have_run)

    def _record(self, invocation: Invocation, answer: Answer | None, *, has_run: bool) -> None:
        key, invocation.recording_key = invocation.recording_key, None
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
