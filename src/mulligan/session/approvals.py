"""The calls of a conversation that a person decides about: those that wait, were rejected, or have been decided."""

from __future__ import annotations

from itertools import islice
from typing import Any

import attrs

from mulligan.calls import ToolCall
from mulligan.errors import ToolArgumentError, UsageError
from mulligan.execute.steps import Signal
from mulligan.forks import shared_lock, survive_fork
from mulligan.policy import Limits
from mulligan.session.answers import Answer, SavedAnswer
from mulligan.session.records import MOST_RECORDS, call_key
from mulligan.session.saved_state import Count, Name, save, short_repr
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_str
from mulligan.validate.arguments import read_arguments
from mulligan.validate.numbers import read_exact

RULE_PREFIX = "host:approval-"
"""How the rules of errors begin that mean: no person has approved the call."""
FATAL_REPETITION = 5
_LISTED_KEYS = 5
_UNBOUNDED = Limits(argument_bytes=1 << 40, depth=1_000)  # the pipeline's limits held when the call was made


@attrs.define(kw_only=True)
class Repetition:
    """How often a call was repeated unchanged, although it waits or was rejected.

    Attributes:
        count: in how many steps it was repeated.
        step: the last step when it was counted: the model has read the answer in every later one.
    """

    count: Count = 0
    step: int = attrs.field(default=-1, init=False)

    def add(self, step: int, now: int) -> bool:
        """Counts one more repetition, once for each step. Returns whether the run must end.

        Args:
            step: the step of the call.
            now: the step that is the last one by now.
        """
        if step > self.step:
            self.count, self.step = self.count + 1, now
        return self.count >= FATAL_REPETITION


@attrs.define(eq=False)
class PendingCall:
    """A call that waits for a person.

    Attributes:
        key: the call's id, or `pending-N`.
        call: the call, with the name of its tool, and its validated arguments as JSON text.
        reason: why a person must approve it.
        tool: its tool; None for a restored call.
        repetition: how often the model has repeated it.
    """

    key: str
    call: ToolCall
    reason: str
    tool: Tool | None = None
    repetition: Repetition = attrs.field(factory=Repetition)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments as JSON values, a new copy."""
        return read_arguments(self.call.arguments, _UNBOUNDED, numbers=read_exact)

    @property
    def hash(self) -> str:
        """The hash of tool and arguments."""
        return call_key(self.call.name, self.arguments)


@attrs.define(eq=False)
class DecidedCall:
    """A call that has been decided, or is being decided.

    Attributes:
        call: the call, with the name of its tool.
        answer: its answer; None if that is not known (yet).
        waiting: the signals of its end; None once it has ended.
    """

    call: ToolCall
    answer: Answer | None = None
    waiting: list[Signal] | None = None


@attrs.define
class Rejection:
    """A call that a person rejected.

    Attributes:
        reason: the person's; may be empty.
        repetition: how often the model has repeated it.
    """

    reason: str
    repetition: Repetition = attrs.field(factory=Repetition)


@attrs.frozen
class SavedPending:
    """What is saved of a call that waits.

    Attributes:
        id: its id, or None.
        tool: the name of its tool.
        arguments: its arguments as JSON text.
        reason: why a person must approve it.
        repetition: how often the model has repeated it.
    """

    id: str | None
    tool: Name
    arguments: str
    reason: str
    repetition: Repetition

    def __attrs_post_init__(self) -> None:
        try:
            read_arguments(self.arguments, _UNBOUNDED, numbers=read_exact)
        except ToolArgumentError as error:
            raise ValueError(f"has arguments that cannot be read: {error.problems[0].message}") from error

    @classmethod
    def from_pending(cls, pending: PendingCall) -> SavedPending:
        """What is saved of a call."""
        id, name, arguments = pending.call
        return cls(None if id is None else as_key(id), name, str(arguments), pending.reason, pending.repetition)

    def pending(self, key: str) -> PendingCall:
        """The call again."""
        return PendingCall(key, ToolCall(self.id, self.tool, self.arguments), self.reason, None, self.repetition)


@attrs.frozen
class SavedDecided:
    """What is saved of a call that has been decided.

    Attributes:
        id: its id, or None.
        tool: the name of its tool.
        answer: its answer, or None if that is not known.
    """

    id: str | None
    tool: Name
    answer: SavedAnswer | None

    @classmethod
    def from_decided(cls, decided: DecidedCall) -> SavedDecided:
        """What is saved of a call; of one that is being decided, the answer is not known."""
        id, name, _ = decided.call
        answer = None if decided.answer is None else SavedAnswer.from_answer(decided.answer)
        return cls(None if id is None else as_key(id), name, answer)

    def decided(self) -> DecidedCall:
        """The call again."""
        return DecidedCall(ToolCall(self.id, self.tool), None if self.answer is None else self.answer.answer())


@attrs.frozen
class SavedApprovals:
    """What is saved of all of them.

    Attributes:
        pending: the calls that wait, by key.
        rejected: those that were rejected, by the hash of tool and arguments.
        decided: those that have been decided, by key.
    """

    pending: dict[str, SavedPending]
    rejected: dict[str, Rejection]
    decided: dict[str, SavedDecided]


class Approvals:
    """What a person decides about in one conversation; safe to use from several threads and tasks."""

    def __init__(self) -> None:
        self._lock = shared_lock()
        self._pending: dict[str, PendingCall] = {}
        self._keys: dict[str, str] = {}
        self._rejected: dict[str, Rejection] = {}
        self._decided: dict[str, DecidedCall] = {}
        survive_fork(self)

    def forked(self) -> None:
        """In a forked process, what is being decided in other threads of the parent never ends: its answer is not known."""
        for decided in self._decided.values():
            decided.waiting = None

    @property
    def pending(self) -> tuple[PendingCall, ...]:
        """The calls that wait, the oldest first, without those that are being decided."""
        with self._lock:
            return self._waiting()

    def _waiting(self) -> tuple[PendingCall, ...]:
        return tuple(pending for key, pending in self._pending.items() if key not in self._decided)

    def find(self, hash: str) -> PendingCall | Rejection | None:
        """The call with this hash, if it waits or was rejected.

        Args:
            hash: that of tool and arguments.
        """
        with self._lock:
            key = self._keys.get(hash)
            return self._rejected.get(hash) if key is None else self._pending[key]

    def add(self, call: ToolCall, tool: Tool, hash: str, reason: str, step: int) -> PendingCall | None:
        """Adds a call that waits; if the same call waits already, that one counts.

        Args:
            call: the call, with the name of its tool, and its validated arguments as JSON text.
            tool: its tool.
            hash: that of tool and arguments.
            reason: why a person must approve it.
            step: the last step of the conversation.

        Returns:
            The call that waits; None if too many wait.
        """
        with self._lock:
            if (known := self._keys.get(hash)) is not None:
                return self._pending[known]
            if len(self._pending) >= MOST_RECORDS:
                return None
            pending = PendingCall(self._free_key(call.id), call, reason, tool)
            pending.repetition.step = step
            self._pending[pending.key], self._keys[hash] = pending, pending.key
            return pending

    def _free_key(self, id: Any) -> str:
        """The call's id; `pending-N` if it has none, or if it is that of another call."""
        if id is not None and not self._is_taken(as_key(id)):
            return as_key(id)
        number = 1
        while self._is_taken(f"pending-{number}"):
            number += 1
        return f"pending-{number}"

    def _is_taken(self, key: str) -> bool:
        return key in self._pending or key in self._decided

    def reject(self, hash: str, reason: str, step: int) -> None:
        """Remembers a rejection, so that the same call is not put before a person again.

        Args:
            hash: that of tool and arguments.
            reason: the person's; may be empty.
            step: the last step of the conversation.
        """
        rejection = Rejection(reason)
        rejection.repetition.step = step
        with self._lock:
            self._rejected[hash] = rejection
            while len(self._rejected) > MOST_RECORDS:
                del self._rejected[next(iter(self._rejected))]

    def count_repetition(self, found: PendingCall | Rejection, step: int, now: int) -> bool:
        """Counts that the model has repeated a call. Returns whether the run must end.

        Args:
            found: the call.
            step: the step that the repetition belongs to.
            now: the last step of the conversation.
        """
        with self._lock:
            return found.repetition.add(step, now)

    def claim(self, key: str) -> PendingCall | DecidedCall | Signal:
        """Takes a call that waits, so that it is decided once; `settle` must follow.

        Args:
            key: its key.

        Returns:
            The call; or one that has been decided; or a signal of the end of one that another caller has taken.

        Raises:
            UsageError: no call has this key.
        """
        with self._lock:
            if not self._is_taken(key):
                keys = [short_repr(pending.key) for pending in self._waiting()]
                listed = ", ".join(keys[:_LISTED_KEYS]) + (", ..." if len(keys) > _LISTED_KEYS else "")
                raise UsageError(
                    f"no call with the key {short_repr(key)} waits for approval; waiting: {listed or 'none'}"
                )
            decided = self._decided.get(key)
            if decided is None:
                pending = self._pending[key]
                del self._keys[pending.hash]
                self._decided[key] = DecidedCall(pending.call._replace(arguments=None), waiting=[])
                return pending
            if decided.waiting is None:
                return decided
            decided.waiting.append(Signal())
            return decided.waiting[-1]

    def settle(self, pending: PendingCall, answer: Answer | None, *, is_decided: bool) -> None:
        """Ends what `claim` began.

        Args:
            pending: the call.
            answer: its answer, or None if that is not known.
            is_decided: whether it may have run, or was rejected; otherwise it waits again.
        """
        with self._lock:
            decided = self._decided[pending.key]
            waiting, decided.waiting, decided.answer = decided.waiting or (), None, answer
            if is_decided:
                del self._pending[pending.key]
            else:
                del self._decided[pending.key]
                self._keys[pending.hash] = pending.key
            for older in islice(reversed(self._decided.values()), MOST_RECORDS, MOST_RECORDS + 1):
                older.answer = None  # its key stays taken, so that no other call is decided in its place
        for signal in waiting:
            signal.set()

    def forgive(self) -> None:
        """Forgets rejections and repetitions, so that a person may be asked again."""
        with self._lock:
            self._rejected.clear()
            for pending in self._pending.values():
                pending.repetition.count = 0

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values; empty if there is nothing."""
        with self._lock:
            if not (self._pending or self._rejected or self._decided):
                return {}
            pending = {one.key: SavedPending.from_pending(one) for one in self._waiting()}
            decided = {key: SavedDecided.from_decided(one) for key, one in self._decided.items()}
            return save(SavedApprovals(pending, self._rejected, decided))

    def load(self, saved: SavedApprovals) -> None:
        """Continues with what was saved."""
        pending = {key: one.pending(key) for key, one in saved.pending.items()}
        decided = {key: one.decided() for key, one in saved.decided.items()}
        with self._lock:
            self._pending, self._rejected, self._decided = pending, saved.rejected, decided
            self._keys = {one.hash: key for key, one in pending.items()}


def as_key(id: Any) -> str:
    """The id of a call as text."""
    return id if isinstance(id, str) else safe_str(id)
