"""The answers to calls with an id, so that one id runs a tool that may change something at most once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs

from mulligan import errors
from mulligan.calls import ToolCall
from mulligan.execute.steps import Signal
from mulligan.forks import shared_lock
from mulligan.results import Source, ToolResult
from mulligan.session.records import check_mapping, check_value, short_repr
from mulligan.tools import Tool
from mulligan.untrusted.objects import guarded
from mulligan.untrusted.text import safe_str

_MAX_ANSWERS, _MOST_CHARACTERS = 1_000, 50_000_000
_LONGEST_VALUE = 100_000
_LARGEST = 1e9
_EFFECTS = ("none", "possible", "done")
_ELLIPSIS = "…"
_OPTIONAL_FIELDS: Mapping[str, tuple[type[Any], ...]] = {
    "user_message": (str,),
    "resource": (str,),
    "http_status": (int,),
    "provider": (str,),
    "retry_after": (int, float),
    "rule": (str,),
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

        Args:
            result: the result of the call.
        """
        error = result.error
        if error is not None:
            copy = type(error).__new__(type(error), error.message)
            copy.__dict__.update(error.__dict__)
            error = copy
        return cls(result.is_error, _bound_value(result.value, result.content), error, result.content)

    def result(self, call: ToolCall, tool: Tool, source: Source) -> ToolResult:
        """The result of a call that repeats the one of this answer.

        Args:
            call: the call.
            tool: its tool.
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
    return value if len(content) <= _LONGEST_VALUE else guarded(lambda: json.loads(content))


class AnsweredCalls:
    """The answers of a conversation, by call; safe to use from several threads and tasks."""

    def __init__(self) -> None:
        self._lock = shared_lock()
        self._answers: dict[str, Answer] = {}
        self._characters = 0
        self._running: dict[str, list[Signal]] = {}
        self._without_answer: dict[str, None] = {}

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
            self._without_answer[key] = None
            return
        self._answers[key] = answer
        self._characters += len(answer.content)
        while len(self._answers) > _MAX_ANSWERS or (self._characters > _MOST_CHARACTERS and len(self._answers) > 1):
            oldest = next(iter(self._answers))
            self._characters -= len(self._answers.pop(oldest).content)
            self._without_answer[oldest] = None

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
            return {
                "answers": {key: _save_answer(answer) for key, answer in self._answers.items()},
                "older": [*self._without_answer, *self._running],
            }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restores the result of `to_dict`.

        Args:
            saved: that result.

        Raises:
            TypeError, ValueError, KeyError: it is something else.
        """
        answers = {key: _load_answer(fields) for key, fields in check_mapping("answers", saved["answers"]).items()}
        older = saved["older"]
        if type(older) is not list or not all(type(key) is str for key in older):
            raise TypeError(f"older, which is {short_repr(older)}")
        with self._lock:
            self._answers, self._without_answer = answers, dict.fromkeys(older)
            self._characters = sum(len(answer.content) for answer in answers.values())


def _save_answer(answer: Answer) -> dict[str, Any]:
    return {
        "is_error": answer.is_error,
        "is_text": type(answer.value) is str,
        "content": answer.content,
        "error": None if answer.error is None else _save_error(answer.error),
    }


def _save_error(error: errors.ToolError) -> dict[str, Any]:
    known = {name: getattr(error, name) for name in _OPTIONAL_FIELDS}
    return {
        "type": next(kind.__name__ for kind in type(error).__mro__ if _CLASSES.get(kind.__name__) is kind),
        "message": safe_str(error.message),
        "code": safe_str(error.code),
        "effect": error.effect if error.effect in _EFFECTS else "possible",
        "fatal": bool(error.fatal),
        "transient": bool(error.transient),
        **{name: value for name, value in known.items() if _is_valid_field(name, value)},
    }


def _is_valid_field(name: str, value: Any) -> bool:
    return type(value) in _OPTIONAL_FIELDS[name] and (type(value) is str or 0 <= value < _LARGEST)


def _load_answer(saved: Any) -> Answer:
    fields = check_mapping("an answer", saved)
    is_error, is_text = (check_value(name, fields[name], bool) for name in ("is_error", "is_text"))
    content, error = _check_text("content", fields["content"]), fields["error"]
    if is_error:
        return Answer(True, None, _load_error(check_mapping("error", error)), content)
    if error is not None:
        raise ValueError("error, of a call that did not fail")
    return Answer(False, content if is_text else guarded(lambda: json.loads(content)), None, content)


def _load_error(fields: Mapping[str, Any]) -> errors.ToolError:
    kind = _CLASSES.get(_check_text("type", fields["type"]))
    if kind is None:
        raise ValueError(f"type, which is {short_repr(fields['type'])}")
    if fields["effect"] not in _EFFECTS:
        raise ValueError(f"effect, which is {short_repr(fields['effect'])}")
    known = {name: fields[name] for name in _OPTIONAL_FIELDS if fields.get(name) is not None}
    for name, value in known.items():
        if not _is_valid_field(name, value):
            raise TypeError(f"{name}, which is {short_repr(value)}")
    flags = {name: check_value(name, fields[name], bool) for name in ("fatal", "transient")}
    code = _check_text("code", fields["code"])
    return kind(_check_text("message", fields["message"]), code=code, effect=fields["effect"], **flags, **known)


def _check_text(name: str, value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"{name}, which is {short_repr(value)}")
    return value


_CLASSES: Mapping[str, type[errors.ToolError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.ToolError)
}
