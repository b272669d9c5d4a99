"""One conversation: `Session` remembers which calls failed, so that the same failure is not repeated for ever.

Two calls count as the same when tool and canonical arguments are, or when the tool, the error class and the failing value
are (the resource, or an argument's pointer and value). The second failure says so, the third asks for another approach, the
fourth is refused without being run, the fifth is fatal.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.arguments import read_arguments
from mulligan.calls import ToolCall
from mulligan.containment import safe_str
from mulligan.errors import RepeatedCallError, ToolArgumentError, ToolError, UsageError
from mulligan.policy import Limits
from mulligan.results import Answers, ToolResult

if TYPE_CHECKING:
    from mulligan.feedback import FeedbackFormat
    from mulligan.pipeline import Pipeline
    from mulligan.tools import Tool

REFUSED_AFTER = 3
FATAL_AFTER = 4
IN_A_ROW = 12
_KEPT = 1_000
_LONGEST = 500


class LoopGuard:
    """Counts failures; safe to use from several threads and tasks.

    Args:
        limits: bounds, for reading arguments.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self.failures: dict[str, int] = {}
        self.in_a_row: dict[str, int] = {}
        self.fatal: dict[str, str] = {}
        self.values: dict[str, list[str]] = {}

    def refuse(self, call: ToolCall, tool: Tool, arguments: Mapping[str, Any]) -> ToolError | None:
        """An error for a call that must not be run once more, or None.

        Args:
            call: the call.
            tool: its tool.
            arguments: the validated arguments.
        """
        key = _call_key(tool.name, arguments)
        with self._lock:
            if key in self.fatal:
                message = f"This call was not run: it failed before in a way that cannot be mended ({self.fatal[key]})."
                return RepeatedCallError(message, fatal=True, rule="session:fatal-before")
            count = max([self.failures.get(key, 0), *self._failing_values(tool.name, arguments)])
            if count >= REFUSED_AFTER:
                return _refusal(count)
            if self.in_a_row.get(tool.name, 0) >= IN_A_ROW:
                message = f"This call was not run: {tool.name} failed {self.in_a_row[tool.name]} times in a row."
                return RepeatedCallError(message, rule="session:in-a-row")
        return None

    def _failing_values(self, name: str, arguments: Mapping[str, Any]) -> list[int]:
        """How often this tool failed on a value that stands in the same argument now."""
        held = {f"{argument}={value}" for argument, value in arguments.items() if isinstance(value, (str, int))}
        return [self.failures.get(key, 0) for key in self.values.get(name, ()) if key.rpartition("\0")[2] in held]

    def failed(self, call: ToolCall, arguments: Mapping[str, Any] | None, error: ToolError) -> tuple[ToolError, str]:
        """Takes note of a failure.

        Args:
            call: the call.
            arguments: the validated arguments, or None.
            error: what the failure means.

        Returns:
            The error that counts, and a sentence on the repetition; empty for the first failure.
        """
        name = safe_str(call.name, _LONGEST)
        with self._lock:
            keys = self._keys(name, call, arguments, error)
            for key in keys:
                self.failures[key] = self.failures.get(key, 0) + 1
            count = max(self.failures[key] for key in keys)
            self.in_a_row[name] = self.in_a_row.get(name, 0) + 1
            if error.fatal and not isinstance(error, RepeatedCallError):
                self.fatal[keys[0]] = type(error).__name__
            self._forget()
        if isinstance(error, RepeatedCallError):
            return error, ""
        if count > REFUSED_AFTER:
            return _refusal(count - 1), ""
        return error, _SENTENCES.get(count, "")

    def _keys(self, name: str, call: ToolCall, arguments: Mapping[str, Any] | None, error: ToolError) -> list[str]:
        if arguments is None:
            try:
                arguments = read_arguments(call.arguments, self._limits)
            except ToolArgumentError:
                arguments = {"": safe_str(call.arguments)}
        keys = [_call_key(name, arguments)]
        for value in _values(error, arguments):
            key = f"{name}\0{type(error).__name__}\0{value[:_LONGEST]}"
            keys.append(key)
            known = self.values.setdefault(name, [])
            if key not in known:
                known.append(key)
        return keys

    def succeeded(self, call: ToolCall, arguments: Mapping[str, Any], content: str) -> None:
        """Takes note of a success: what failed before with this tool is forgiven.

        Args:
            call: the call.
            arguments: the validated arguments.
            content: what the model reads.
        """
        with self._lock:
            self.in_a_row.pop(call.name, None)
            self.failures.pop(_call_key(call.name, arguments), None)
            for key in self.values.pop(call.name, ()):
                self.failures.pop(key, None)

    def _forget(self) -> None:
        for remembered in (self.failures, self.in_a_row, self.fatal):
            while len(remembered) > _KEPT:
                del remembered[next(iter(remembered))]
        while sum(map(len, self.values.values())) > _KEPT:
            first = next(iter(self.values))
            del self.values[first][0]
            if not self.values[first]:
                del self.values[first]


_SENTENCES: Mapping[int, str] = {2: "second_time", 3: "third_time"}  # templates of the catalogue


def _refusal(count: int) -> RepeatedCallError:
    message = f"This call was not run: the same has failed {count} times."
    return RepeatedCallError(message, fatal=count >= FATAL_AFTER, rule="session:repeated")


def _call_key(name: str, arguments: Mapping[str, Any]) -> str:
    import hashlib
    import json

    try:
        text = json.dumps(arguments, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        text = safe_str(arguments)
    return hashlib.sha256(f"{name}\0{text}".encode(errors="surrogatepass")).hexdigest()


def _values(error: ToolError, arguments: Mapping[str, Any]) -> list[str]:
    """The failing value, with the argument that it stands in, or with its pointer."""
    if error.resource is not None:
        named = [name for name, value in arguments.items() if value == error.resource]
        return [f"{named[0] if named else ''}={error.resource}"]
    return [f"{problem.pointer}={problem.got}" for problem in error.problems if problem.got is not None][:8]


class Session:
    """One conversation with a pipeline. Made by `Pipeline.session`.

    Attributes:
        id: the conversation's id, or None.
    """

    def __init__(self, pipeline: Pipeline, id: str | None = None, *, format: FeedbackFormat | None = None) -> None:
        self.id = id
        self._pipeline = pipeline
        self.format = format
        self.guard = LoopGuard(pipeline.limits)

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

    def forgive(self) -> None:
        """Forgets every failure: the person has mended what was wrong, and the same calls may run again."""
        self.guard = LoopGuard(self._pipeline.limits)

    def to_dict(self) -> dict[str, Any]:
        """The conversation's memory as JSON values; it holds hashes and failing values, no arguments as a whole."""
        guard = self.guard
        return {
            "id": self.id,
            "format": None if self.format is None else self.format.name,
            "failures": dict(guard.failures),
            "in_a_row": dict(guard.in_a_row),
            "fatal": dict(guard.fatal),
            "values": {name: list(keys) for name, keys in guard.values.items()},
        }

    @classmethod
    def from_dict(cls, pipeline: Pipeline, saved: Mapping[str, Any]) -> Session:
        """The conversation that `to_dict` saved, to go on in another process.

        Args:
            pipeline: a pipeline with the same tools.
            saved: what `to_dict` gave.

        Raises:
            UsageError: it is something else.
        """
        try:
            session = pipeline.session(saved["id"], format=saved.get("format"))
            guard = session.guard
            guard.failures = {str(key): int(count) for key, count in saved["failures"].items()}
            guard.in_a_row = {str(key): int(count) for key, count in saved["in_a_row"].items()}
            guard.fatal = {str(key): str(name) for key, name in saved["fatal"].items()}
            guard.values = {str(name): [str(key) for key in keys] for name, keys in saved["values"].items()}
        except (KeyError, AttributeError, TypeError, ValueError) as error:
            raise UsageError(f"this is not what Session.to_dict() gave: {type(error).__name__} at {error}") from None
        return session
