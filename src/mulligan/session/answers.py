"""The answers to calls with an id, so that one id runs a tool that may change something at most once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import attrs

from mulligan import errors
from mulligan.calls import ToolCall
from mulligan.execute.steps import Signal
from mulligan.forks import shared_lock, survive_fork
from mulligan.results import Source, ToolResult
from mulligan.session.hash_set import HashSet
from mulligan.session.saved_state import OPTIONAL, is_amount, save
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import safe_str

_MAX_ANSWERS, _MOST_CHARACTERS = 1_000, 50_000_000
_LONGEST_VALUE = 100_000
_ELLIPSIS = "…"
_CLASSES: Mapping[str, type[errors.ToolError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.ToolError)
}


@attrs.define
class Answer:
    """What came of a call.

    Attributes:
        is_error: whether it failed.
        value: what the tool returned.
        error: what the failure means, or None.
        content: what the model read.
    """

    is_error: bool
    value: Any
    error: errors.ToolError | None
    content: str

    @classmethod
    def from_result(cls, result: ToolResult) -> Answer:
        """The answer of a result, bounded like the text that the model read.

        The exception behind its error is left out: that would keep the frames of the call.
        """
        error = result.error
        if error is not None:
            copy = type(error).__new__(type(error), error.message)
            copy.__dict__.update(error.__dict__)
            error = copy
        return cls(result.is_error, _bound_value(result.value, result.content), error, result.content)

    def result(self, call: ToolCall, tool: Tool | None, source: Source) -> ToolResult:
        """The result of a call that repeats the one of this answer.

        Args:
            call: the call.
            tool: its tool, or None.
            source: the pipeline's part that makes results.
        """
        is_fatal = self.error is not None and self.error.fatal
        return ToolResult(
            call, tool, self.is_error, self.value, self.error, is_fatal, content=self.content, source=source
        )


def _bound_value(value: Any, content: str) -> Any:
    """The return value of a tool; if it is much larger than the text that the model read, that text, or its JSON value."""
    if type(value) is str:
        return value if len(value) <= len(content) else content
    if value is None or type(value) in (bool, int, float):
        return value
    if _ELLIPSIS in (content[-1:], content.partition("\n")[0][-1:]):  # JSON does not end so: it was shortened
        return content
    return value if len(content) <= _LONGEST_VALUE else call_safely(lambda: json.loads(content))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _status(value: Any) -> int | None:
    return value if is_amount(value, whole=True) else None


def _seconds(value: Any) -> float | None:
    return value if is_amount(value) else None


@attrs.frozen
class SavedError:
    """What is saved of an error, whose attributes these are.

    Attributes:
        type: its class in `mulligan.errors`.
    """

    type: str
    message: str
    code: str
    effect: errors.Effect
    fatal: bool
    transient: bool
    user_message: str | None = attrs.field(default=None, converter=_text, metadata=OPTIONAL)
    resource: str | None = attrs.field(default=None, converter=_text, metadata=OPTIONAL)
    http_status: int | None = attrs.field(default=None, converter=_status, metadata=OPTIONAL)
    provider: str | None = attrs.field(default=None, converter=_text, metadata=OPTIONAL)
    retry_after: float | None = attrs.field(default=None, converter=_seconds, metadata=OPTIONAL)
    rule: str | None = attrs.field(default=None, converter=_text, metadata=OPTIONAL)

    def __attrs_post_init__(self) -> None:
        if self.type not in _CLASSES:
            raise ValueError(f"has the unknown type {self.type!r:.40}")

    @classmethod
    def from_error(cls, error: errors.ToolError) -> SavedError:
        """What is saved of an error; attributes that a plugin set to something else are left out."""
        return cls(
            type=next(kind.__name__ for kind in type(error).__mro__ if _CLASSES.get(kind.__name__) is kind),
            message=safe_str(error.message),
            code=safe_str(error.code),
            effect=error.effect if error.effect in get_args(errors.Effect) else "possible",
            fatal=bool(error.fatal),
            transient=bool(error.transient),
            **{field.name: getattr(error, field.name) for field in attrs.fields(cls) if field.metadata},
        )

    def error(self) -> errors.ToolError:
        """The error again."""
        fields = save(self)
        return _CLASSES[fields.pop("type")](fields.pop("message"), **fields)


@attrs.frozen
class SavedAnswer:
    """What is saved of an answer; its value is read from what the model read.

    Attributes:
        is_text: whether the value is that text itself, not what it says as JSON.
    """

    is_error: bool
    is_text: bool
    content: str
    error: SavedError | None

    def __attrs_post_init__(self) -> None:
        if self.is_error is (self.error is None):
            raise ValueError("has is_error true without an error, or false with one")

    @classmethod
    def from_answer(cls, answer: Answer) -> SavedAnswer:
        """What is saved of an answer."""
        error = None if answer.error is None else SavedError.from_error(answer.error)
        return cls(answer.is_error, type(answer.value) is str, answer.content, error)

    def answer(self) -> Answer:
        """The answer again."""
        if self.error is not None:
            return Answer(True, None, self.error.error(), self.content)
        value = self.content if self.is_text else call_safely(lambda: json.loads(self.content))
        return Answer(False, value, None, self.content)


@attrs.frozen
class SavedAnswers:
    """What is saved of the answers of a conversation.

    Attributes:
        answers: by the hash of the call.
        older: the hashes of calls whose answer is not known, or their first 16 digits.
    """

    answers: dict[str, SavedAnswer]
    older: list[str]

    def __attrs_post_init__(self) -> None:
        HashSet(self.older)


class AnsweredCalls:
    """The answers of a conversation, by call; safe to use from several threads and tasks."""

    def __init__(self) -> None:
        self._lock = shared_lock()
        self._answers: dict[str, Answer] = {}
        self._characters = 0
        self._running: dict[str, list[Signal]] = {}
        self._without_answer = HashSet()
        survive_fork(self)

    def forked(self) -> None:
        """In a forked process, what runs in other threads of the parent never ends, and its answer is not known."""
        for key in self._running:
            self._without_answer.add(key)
        self._running.clear()

    def begin(self, key: str) -> Answer | Signal | errors.ToolError | None:
        """None for a new call, which is running from now on.

        Args:
            key: a hash of id, tool and arguments.

        Returns:
            The answer to the same call; a signal of its end if it is still running; an error if its answer is not known.
        """
        with self._lock:
            if (waiting := self._running.get(key)) is not None:
                waiting.append(Signal())
                return waiting[-1]
            if key in self._answers:
                return self._answers[key]
            if key in self._without_answer:
                message = "This call was not run: a call with this id was made before, and its result is unknown."
                return errors.ToolExecutionError(message, effect="possible", rule="session:same-id")
            self._running[key] = []
            return None

    def end(self, key: str, answer: Answer | None, *, has_run: bool) -> None:
        """Records how a call ended; one that has not run may be made again.

        Args:
            key: its hash.
            answer: its answer, or None if that is not known.
            has_run: whether the tool was run.
        """
        with self._lock:
            waiting = self._running.pop(key, [])
            if has_run:
                self._keep(key, answer)
        for signal in waiting:
            signal.set()

    def _keep(self, key: str, answer: Answer | None) -> None:
        if answer is None:
            self._without_answer.add(key)
            return
        self._answers[key] = answer
        self._characters += len(answer.content)
        while len(self._answers) > _MAX_ANSWERS or (self._characters > _MOST_CHARACTERS and len(self._answers) > 1):
            oldest = next(iter(self._answers))
            self._characters -= len(self._answers.pop(oldest).content)
            self._without_answer.add(oldest)

    def forgive(self) -> None:
        """Forgets the failures that definitely had no effect, so that the same calls may run."""
        with self._lock:
            harmless = [
                key for key, one in self._answers.items() if one.error is not None and one.error.effect == "none"
            ]
            for key in harmless:
                self._characters -= len(self._answers.pop(key).content)

    def to_dict(self) -> dict[str, Any]:
        """The answers as JSON values; a call that is still running counts as one whose answer is not known."""
        with self._lock:
            answers = {key: SavedAnswer.from_answer(answer) for key, answer in self._answers.items()}
            return save(SavedAnswers(answers, [*self._without_answer, *self._running]))

    def load(self, saved: SavedAnswers) -> None:
        """Continues with what was saved."""
        answers = {key: answer.answer() for key, answer in saved.answers.items()}
        with self._lock:
            self._answers, self._without_answer = answers, HashSet(saved.older)
            self._characters = sum(len(answer.content) for answer in answers.values())
