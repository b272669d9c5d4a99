"""One conversation: `Session` remembers which calls failed, enforces a budget, and can continue in another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.calls import ToolCall
from mulligan.deadline import Deadline
from mulligan.errors import UsageError
from mulligan.feedback import FeedbackFormat
from mulligan.pipeline.invocation import Runtime
from mulligan.results import Answers, ToolResult
from mulligan.session.answers import SavedAnswers
from mulligan.session.budget import Budget, SavedSpending
from mulligan.session.records import SavedGuard
from mulligan.session.saved_state import load, short_repr

if TYPE_CHECKING:
    from mulligan.pipeline import Pipeline
    from mulligan.pipeline.diagnosis import Diagnosis

_VERSION = 1


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
    """

    version: int
    id: str | None
    format: str | None
    format_is_own: bool
    guard: SavedGuard
    answered: SavedAnswers
    budget: SavedSpending | None


class Session:
    """One conversation with a pipeline. Made by `Pipeline.session`.

    Attributes:
        id: the conversation's id, or None.
        format: the feedback format, or None for the pipeline's.
        memory: the failures, and the used part of the budget.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        runtime: Runtime,
        diagnosis: Diagnosis,
        id: str | None = None,
        *,
        format: str | FeedbackFormat | None = None,
        budget: Budget | None = None,
    ) -> None:
        from mulligan.pipeline.memory import SessionMemory

        if not isinstance(budget, (Budget, type(None))):
            raise UsageError(f"budget must be a Budget, not {budget!r:.80}")
        self.id = id
        self._pipeline = pipeline
        self._runtime = runtime
        self._diagnosis = diagnosis
        self.format = None if format is None else runtime.result_factory.find_format(format)
        self.memory = SessionMemory(runtime, id, budget)

    def __repr__(self) -> str:
        return f"Session(id={self.id!r}, {self.memory.calls} calls, {self.memory.failures} failures)"

    def call(self, name: str | ToolCall, arguments: Any = None, **options: Any) -> ToolResult:
        """`Pipeline.call` with this conversation's memory."""
        return self._pipeline.call(name, arguments, session=self, **options)

    async def acall(self, name: str | ToolCall, arguments: Any = None, **options: Any) -> ToolResult:
        """`Pipeline.acall` with this conversation's memory."""
        return await self._pipeline.acall(name, arguments, session=self, **options)

    def call_many(self, calls: Sequence[Any], **options: Any) -> list[ToolResult]:
        """`Pipeline.call_many` with this conversation's memory."""
        return self._pipeline.call_many(calls, session=self, **options)

    async def acall_many(self, calls: Sequence[Any], **options: Any) -> list[ToolResult]:
        """`Pipeline.acall_many` with this conversation's memory."""
        return await self._pipeline.acall_many(calls, session=self, **options)

    def answer(self, message: Any, **options: Any) -> Answers:
        """`Pipeline.answer` with this conversation's memory."""
        return self._pipeline.answer(message, session=self, **options)

    async def aanswer(self, message: Any, **options: Any) -> Answers:
        """`Pipeline.aanswer` with this conversation's memory."""
        return await self._pipeline.aanswer(message, session=self, **options)

    def step(self) -> AbstractContextManager[None]:
        """The calls in here belong to one message of the model: it has read nothing in between.

        `answer` and `call_many` do this automatically; frameworks that make the calls one by one have to do it.
        """
        return self.memory.step()

    def recover(self, text_or_exception: str | BaseException) -> ToolResult:
        """`Pipeline.recover` in this conversation's format; a name that no tool has is remembered.

        Args:
            text_or_exception: the other runtime's report.
        """
        with self.memory.step(joins=True):
            return self._diagnosis.recover(text_or_exception, self.memory, self.format)

    def forgive(self) -> None:
        """Forgets every failure: the user has fixed the cause, and the same calls may run again.

        The used part of the budget stays used, and a call with an id that may have had an effect is not run again.
        """
        self.memory.forgive()

    def note_request(self, text: str) -> None:
        """Records a new message of the user: failures before it no longer count, as after `forgive`.

        Args:
            text: what the user wrote.
        """
        if not isinstance(text, str):
            raise UsageError(f"note_request takes the user's message as a string, not {text!r:.80}")
        self.memory.forgive()

    @property
    def budget(self) -> Budget | None:
        """How much this conversation may use. It can be replaced; the used part stays used."""
        return None if self.memory.spending is None else self.memory.spending.budget

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        if not isinstance(budget, (Budget, type(None))):
            raise UsageError(f"budget must be a Budget, not {budget!r:.80}")
        self.memory.set_budget(budget)

    @property
    def remaining(self) -> Budget:
        """The remaining budget; None where there is no bound."""
        return Budget() if self.memory.spending is None else self.memory.spending.remaining()

    @property
    def deadline(self) -> Deadline | None:
        """The moment when the budget's time ends, or None. No tool runs beyond it."""
        return self.memory.deadline

    def to_dict(self) -> dict[str, Any]:
        """The conversation's memory as JSON values: hashes of what failed, and the recorded answers of calls with an id.

        The answers are what the tools returned, unredacted: keep the values where you keep the conversation itself.
        A format that the pipeline does not know by name cannot be saved: pass it to `from_dict` again.
        """
        name = None if self.format is None else self.format.name
        known = None if name is None else self._runtime.result_factory.formats.get(name)
        spending = self.memory.spending
        return {
            "version": _VERSION,
            "id": self.id,
            "format": name,
            "format_is_own": self.format is not known,
            "guard": self.memory.guard.to_dict(),
            "answered": self.memory.answers.to_dict(),
            "budget": None if spending is None else spending.to_dict(),
        }

    @classmethod
    def from_dict(
        cls, pipeline: Pipeline, saved: Mapping[str, Any], *, format: str | FeedbackFormat | None = None
    ) -> Session:
        """Restores the conversation that `to_dict` saved, to continue in another process.

        The time in between does not count; the rest of the used budget stays used.

        Args:
            pipeline: a pipeline with the same tools.
            saved: the result of `to_dict`.
            format: another feedback format than the saved one; required if the saved one was a custom object.

        Raises:
            UsageError: `saved` is something else, or of another version; or the pipeline has no such format.
        """
        version: Any = _VERSION
        with suppress(LookupError, TypeError):
            version = saved["version"]
        if type(version) is not int or version != _VERSION:
            raise UsageError(
                f"this conversation was saved in version {short_repr(version)}; this mulligan reads version {_VERSION}: "
                "use the version that saved it, or start a new conversation"
            )
        state = load(SavedSession, saved, "Session.to_dict()")
        if format is None and state.format_is_own:
            raise UsageError(
                f"the format {short_repr(state.format)} of this conversation is an object, which cannot be "
                "saved: pass it again, Session.from_dict(pipeline, saved, format=...)"
            )
        session = pipeline.session(state.id, format=format or state.format)
        session.memory.load(state.guard, state.answered, state.budget)
        return session
