"""The memory of a conversation: its loop guard, its answers and its budget. It never sees a call in progress."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import count
from operator import itemgetter
from typing import Any, NamedTuple

import attrs

from mulligan.calls import ToolCall
from mulligan.deadline import Deadline
from mulligan.errors import ToolError, ToolTimeoutError, UsageError
from mulligan.execute.steps import Signal, Sleep
from mulligan.forks import shared_lock
from mulligan.results import ToolResult
from mulligan.session.answers import Answer, AnsweredCalls, SavedAnswers
from mulligan.session.approvals import RULE_PREFIX as APPROVAL_PREFIX
from mulligan.session.approvals import Approvals, SavedApprovals
from mulligan.session.budget import Budget, ExhaustedPart, SavedSpending, Spending
from mulligan.session.loop_guard import LoopGuard
from mulligan.session.open_effect import OpenEffect
from mulligan.session.records import MOST_RECORDS, SavedGuard, call_key, digest
from mulligan.session.saved_state import OPTIONAL, load, short_repr
from mulligan.session.tally import Tally
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_str

SAVED_VERSION = 1
RULE_PREFIX = "session:"
_LONGEST_WAIT = 60.0
_NUMBERS = count(1)
_LONGEST_ID = 1_000_000


@attrs.frozen
class SavedSession:
    """What is saved of a conversation.

    Attributes:
        id: its id, or None.
        format: the name of its feedback format, or None for the pipeline's.
        format_is_own: whether that is an object that the pipeline does not know by name.
        guard: what failed.
        answered: the answers to calls with an id.
        budget: its budget and what is used of it, or None.
        approvals: what a person decides about; None if there is nothing.
    """

    version: int
    id: str | None
    format: str | None
    format_is_own: bool
    guard: SavedGuard
    answered: SavedAnswers
    budget: SavedSpending | None
    approvals: SavedApprovals | None = attrs.field(default=None, metadata=OPTIONAL)


class Admission(NamedTuple):
    """Whether a call may run now; at most one of the last four is given, and then it may not.

    Attributes:
        key: under which its answer will be recorded, or None.
        deadline: the moment by which it must have ended, or None.
        error: why it must not run.
        wait: until when to ask again, since the call with the same id is running.
        answer: that of the call with the same id, which has run.
        spent: the part of the budget that is used up.
    """

    key: str | None = None
    deadline: Deadline | None = None
    error: ToolError | None = None
    wait: Sleep | None = None
    answer: Answer | None = None
    spent: ExhaustedPart | None = None


@attrs.define(eq=False)
class OpenStep:
    """A step in the context that it was opened in.

    Attributes:
        memory: that of its conversation.
        number: its number in the conversation.
        is_joined: whether it is a part of the step that is open around it.
        is_open: whether it continues.
        ended: when its calls came in, and their results.
    """

    memory: SessionMemory
    number: int
    is_joined: bool
    is_open: bool = True
    ended: list[tuple[float, ToolResult]] = attrs.field(init=False, factory=list)

    @property
    def results(self) -> list[ToolResult]:
        """The results of its calls, in the order in which they came in."""
        return [result for _, result in sorted(self.ended, key=itemgetter(0))]


_current_step: ContextVar[OpenStep | None] = ContextVar("mulligan_step", default=None)


class SessionMemory:
    """The memory of one conversation; safe to use from several threads and tasks.

    Args:
        clock: monotonic seconds.
        id: the conversation's id, or None.
        budget: how much it may use, or None.

    Attributes:
        id: the conversation's id, or None.
        number: the conversation's number in this process, counted from 1.
        guard: what failed.
        answers: the answers to the calls that have an id.
        approvals: what a person decides about.
        spending: the used part of the budget; None without one.
        tally: how its calls have ended, in this process.
        open_effect: the last call that may have taken effect, until its tool succeeds or a look-up shows the state; not saved.
    """

    def __init__(self, clock: Callable[[], float], id: str | None, budget: Budget | None) -> None:
        self.id = id
        self.number = next(_NUMBERS)
        self._clock = clock
        self.guard = LoopGuard(clock)
        self.answers = AnsweredCalls()
        self.approvals = Approvals()
        self.spending: Spending | None = None
        self._lock = shared_lock()
        self._open_steps = 0
        self._collecting: dict[int, OpenStep] = {}
        self.tally = Tally()
        self.open_effect: OpenEffect | None = None
        self._interrupted: dict[str, int] = {}
        self.set_budget(budget)

    def set_budget(self, budget: Budget | None) -> None:
        """Sets the budget; the used part stays used.

        Raises:
            UsageError: it is neither a `Budget` nor None.
        """
        if not isinstance(budget, (Budget, type(None))):
            raise UsageError(f"budget must be a Budget, not {budget!r:.80}")
        if budget is None:
            self.spending = None
        elif self.spending is None:
            self.spending = Spending(budget, self._clock)
        else:
            self.spending.budget = budget

    def remaining(self) -> Budget:
        """What is left of the budget; None where there is no bound."""
        return Budget() if self.spending is None else self.spending.remaining()

    def load(self, saved: SavedSession) -> None:
        """Continues with what was saved."""
        self.guard.load(saved.guard)
        self.answers.load(saved.answered)
        if saved.approvals is not None:
            self.approvals.load(saved.approvals)
        if saved.budget is not None:
            self.spending = Spending.from_saved(saved.budget, self._clock)

    @contextmanager
    def step(self, *, joins: bool = False) -> Iterator[OpenStep]:
        """The calls in here belong to one message of the model: it has read nothing in between.

        Args:
            joins: whether it is a part of the step that is open around it, if there is one.
        """
        outer = _current_step.get()
        is_joined = joins and outer is not None and outer.is_open and outer.memory is self
        with self._lock:
            if not is_joined:
                self.guard.next_step()
            step = OpenStep(self, self.guard.step, is_joined)
            self._open_steps += 1
            if not joins:
                self._collecting[step.number] = step
        _current_step.set(step)
        try:
            yield step
        finally:
            step.is_open = False
            if _current_step.get() is step:
                _current_step.set(outer)
            with self._lock:
                self._open_steps -= 1
                if not joins:
                    self._collecting.pop(step.number, None)

    @property
    def is_collecting(self) -> bool:
        """Whether any step is open whose results are kept."""
        return bool(self._collecting)

    def collect(self, number: int, started: float, result: ToolResult) -> None:
        """Keeps a result until its step ends.

        Args:
            number: that of the step.
            started: when the call came in.
            result: the result.
        """
        step = self._collecting.get(number)
        if step is not None:
            step.ended.append((started, result))

    @property
    def deadline(self) -> Deadline | None:
        """The moment when the conversation's time ends, or None."""
        spending = self.spending
        if spending is None or spending.budget.seconds is None:
            return None
        return Deadline(spending.started + spending.budget.seconds, self._clock)

    def begin(self) -> tuple[int, ExhaustedPart | None]:
        """The step that a new call belongs to, and the part of the budget that is used up, or None."""
        step = self.guard.begin(is_step=not self._open_steps)
        return step, None if self.spending is None else self.spending.begin()

    def add_interrupted(self, call: ToolCall, step: int) -> None:
        """Remembers a call that a framework has interrupted.

        Args:
            call: the call; without an id, it cannot be known again.
            step: the conversation's step that it belongs to.
        """
        if call.id is not None:
            with self._lock:
                self._interrupted[safe_str(call.id, _LONGEST_ID)] = step
                if len(self._interrupted) > MOST_RECORDS:
                    del self._interrupted[next(iter(self._interrupted))]

    def take_interrupted(self, call: ToolCall) -> int | None:
        """The step of a call that a framework has interrupted and now makes again; None for any other.

        Args:
            call: the call.
        """
        return self._interrupted.pop(safe_str(call.id, _LONGEST_ID), None) if self._interrupted else None

    def admit(
        self,
        call: ToolCall,
        tool: Tool,
        arguments: Mapping[str, Any],
        step: int,
        deadline: Deadline | None,
        *,
        is_resumed: bool = False,
    ) -> Admission | None:
        """Whether a call may run: one id runs a tool that may change something once, and repeated failures end.

        Args:
            call: the call.
            tool: its tool.
            arguments: its arguments, validated.
            step: the conversation's step that it belongs to.
            deadline: the moment by which it must have ended, or None.
            is_resumed: whether a person has decided that it runs, and it was counted when it was made.

        Returns:
            None for a call that may run as it is.
        """
        key = None
        if call.id is not None and not (tool.read_only or tool.idempotent):
            key = digest(f"{safe_str(call.id, _LONGEST_ID)}\0{call_key(tool.name, _with_defaults(tool, arguments))}")
            previous = self.answers.begin(key)
            if isinstance(previous, Signal):
                return self._wait_for(previous, deadline)
            if isinstance(previous, Answer):
                return self._repeat(previous, tool, arguments, step)
            if previous is not None:
                return Admission(error=previous)
        refusal = None if is_resumed else self.guard.refuse(tool, arguments, step)
        if refusal is not None or self.spending is None:
            return None if refusal is None and key is None else Admission(key, deadline, refusal)
        seconds_left = self.spending.seconds_left(tool.name)
        is_shorter = seconds_left is not None and (deadline is None or seconds_left < deadline.remaining)
        if seconds_left is not None and is_shorter:
            deadline = Deadline(self._clock() + seconds_left, self._clock)
        spent = None if is_resumed else self.spending.begin(tool.name)
        return Admission(key, deadline, spent=spent) if is_shorter or key or spent else None

    def _wait_for(self, ended: Signal, deadline: Deadline | None) -> Admission:
        left = _LONGEST_WAIT if deadline is None else deadline.remaining
        if left > 0:
            return Admission(wait=Sleep(min(left, _LONGEST_WAIT), ended))
        message = "This call was not run: a call with the same id is still running."
        return Admission(error=ToolTimeoutError(message, effect="possible", rule=f"{RULE_PREFIX}same-id"))

    def _repeat(self, answer: Answer, tool: Tool, arguments: Mapping[str, Any], step: int) -> Admission:
        """The recorded answer, unless the model has repeated a failure so often that the run ends."""
        if answer.error is not None and not answer.error.fatal:
            refusal = self.guard.refuse(tool, arguments, step)
            if refusal is not None and refusal.fatal:
                return Admission(error=refusal)
            self.guard.count_repeat(tool, arguments, step)
        return Admission(answer=answer)

    def record_result(
        self, result: ToolResult, arguments: Callable[[], Mapping[str, Any]], key: str | None, waited: float = 0.0
    ) -> None:
        """Records a result.

        Args:
            result: the result.
            arguments: reads the validated arguments of its call; asked only after a success that ends earlier failures.
            key: under which its answer is recorded, or None.
            waited: seconds that a person took to decide; they are not time of the tool.
        """
        tool, error = result.tool, result.error
        has_failed = error is not None and not (error.rule or "").startswith(APPROVAL_PREFIX)
        with self._lock:
            self.tally.add(result, has_failed=has_failed)
        if tool is not None and error is None:
            self.guard.record_success(tool, arguments)
            if self.open_effect is not None and tool.name == self.open_effect.tool.name:
                self.open_effect = None  # also after other arguments: the model may have corrected the call
        elif error is not None:
            names = getattr(error, "suggestions", ())
            corrected = None if result.feedback is None else _as_call(result.feedback.corrected)
            if names or corrected is not None:
                self.guard.record_proposal(tool, corrected, names)
        if key is not None:
            self.answers.end(key, Answer.from_result(result), has_run=result.attempts > 0)
        if self.spending is not None:
            is_over = error is not None and (error.rule or "").startswith(f"{RULE_PREFIX}budget")
            # A call over a budget counts for the conversation only.
            name = None if tool is None or is_over else tool.name
            self.spending.end(name, result.duration - waited, len(result.content) if has_failed else None)

    def record_abandoned(self, key: str, *, may_have_run: bool) -> None:
        """Records a call that ended without a result, such as one that the host cancelled.

        Args:
            key: under which its answer would be recorded.
            may_have_run: whether its tool may have been run.
        """
        self.answers.end(key, None, has_run=may_have_run)

    def forgive(self) -> None:
        """Forgets every failure, so that the same calls may run again."""
        self.guard.clear()
        self.answers.forgive()
        self.approvals.forgive()
        self.open_effect = None


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
    call = json.loads(corrected)
    return call["name"], call["arguments"]


def load_session(saved: Mapping[str, Any]) -> SavedSession:
    """What `Session.to_dict` saved.

    Args:
        saved: its result.

    Raises:
        UsageError: it is something else, or of another version.
    """
    version: Any = SAVED_VERSION
    with suppress(LookupError, TypeError):
        version = saved["version"]
    if type(version) is not int or version != SAVED_VERSION:
        raise UsageError(
            f"this conversation was saved in version {short_repr(version)}; this mulligan reads version {SAVED_VERSION}: "
            "use the version that saved it, or start a new conversation"
        )
    return load(SavedSession, saved, "Session.to_dict()")
