"""The loop guard's records, and what counts as the same call or the same failure. Only hashes are kept, never an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import attrs

from mulligan.catalogue import MISSING, UNKNOWN
from mulligan.errors import (
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
)
from mulligan.session.saved_state import OPTIONAL, Count, Hashes, Name
from mulligan.untrusted.text import safe_str
from mulligan.validate.numbers import float_to_int

_LONGEST, _LEAVES, _PROBLEMS = 500, 64, 8
_SHORTEST_PART = 3
_ABOUT_VALUES = (ResourceConflictError, ResourceNotFoundError, ToolArgumentError, ToolExecutionError)


def digest(text: str) -> str:
    """A hash of a text."""
    import hashlib

    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def call_key(name: str, arguments: Mapping[str, Any]) -> str:
    """A hash of a call: equal arguments give equal keys, however they were written."""
    import json

    try:
        text = json.dumps(_canonical(arguments), sort_keys=True, default=_decimal_digits)
    except (TypeError, ValueError, RecursionError):
        text = safe_str(arguments)
    return digest(f"{name}\0{text}")


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _canonical(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    return float_to_int(value) if isinstance(value, float) and value.is_integer() else value


def _decimal_digits(value: object) -> str:
    """The digits of a number that no float holds."""
    from decimal import Decimal

    if type(value) is not Decimal:
        raise TypeError
    return str(value)


def name_keys(name: object, error: ToolError) -> list[str]:
    """Hashes of a name that no tool has: of its letters, and of the tool that it most likely means.

    Args:
        name: what the model wrote.
        error: what is known of it.
    """
    letters = "".join(filter(str.isalnum, safe_str(name, _LONGEST).casefold()))
    meant = error.suggestions[:1] if isinstance(error, ToolNotFoundError) and error.confident else ()
    return [digest(f"name\0{letters}"), *(digest(f"meant\0{one}") for one in meant)]


def value_key(error: ToolError) -> str | None:
    """A hash of what a failure is about, or None: the resource, or the places and values of all problems.

    Numbers as text, case and white space make no difference to the value of an argument that does not fit.
    """
    kind = type(error).__name__
    if error.resource is not None:
        return digest(f"{kind}\0{safe_str(error.resource, _LONGEST)}")
    problems = sorted({f"{problem.pointer}\0{_normalize_value(problem.got)}" for problem in error.problems[:_PROBLEMS]})
    return digest("\0".join([kind, *problems])) if problems else None


def value_kind(error: ToolError) -> str:
    """What failures of other values have in common: the class, and the arguments whose values were rejected, as a hash.

    Empty if no list of existing values can help: the cause lies elsewhere, or the error says what is expected.
    """
    if not isinstance(error, _ABOUT_VALUES):
        return ""
    if not error.problems:
        return type(error).__name__
    kinds = sorted({f"{one.pointer}\0{one.message}" for one in error.problems[:_PROBLEMS] if _may_be_listed(one)})
    return digest("\0".join([type(error).__name__, *kinds])) if kinds else ""


def _may_be_listed(problem: Problem) -> bool:
    return bool(problem.pointer) and problem.expected is None and problem.message not in (MISSING, UNKNOWN)


def _normalize_value(got: str | None) -> str:
    text = (got or "")[:_LONGEST].strip(" \"'\t").replace("\\n", " ").casefold()
    text = " ".join(text.replace("\\t", " ").split())
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def argument_values(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The values of a call with the names of their arguments; the place in a list makes no difference."""
    return islice(_leaves("", arguments), _LEAVES)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(f"{name}/{key}", item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(name, item)
    elif isinstance(value, (str, int)):
        yield name, str(value)[:_LONGEST]


def argument_hashes(error: ToolError, arguments: Mapping[str, Any]) -> list[str]:
    """Hashes of the arguments that are the failing resource, so that a call with one of them is known beforehand."""
    if error.resource is None:
        return []
    resource = safe_str(error.resource, _LONGEST)
    return [
        argument_hash(name, value) for name, value in argument_values(arguments) if _names_resource(value, resource)
    ]


def _names_resource(value: str, resource: str) -> bool:
    """Whether an argument is the resource, or its path without the folder that the tool works in."""
    part = value.removeprefix("./")
    return value == resource or (len(part) >= _SHORTEST_PART and resource.endswith(f"/{part}"))


def argument_hash(name: str, value: str) -> str:
    """A hash of one argument.

    Args:
        name: its name, with the names around it.
        value: its value as text.
    """
    return digest(f"{name}={value}")


def result_key(error: ToolError, exception: str | None) -> str:
    """A hash of how a call failed. Its text makes no difference: request ids and times change in it.

    Args:
        error: what the failure means.
        exception: the qualified name of the exception's class, or None.
    """
    pointers = sorted({problem.pointer for problem in error.problems[:_PROBLEMS]})
    parts = (type(error).__name__, error.code, error.http_status, exception, error.resource, *pointers)
    return digest("\0".join(safe_str(part, _LONGEST) for part in parts))


MOST_RECORDS = 1_000
_MAX_RESULTS, _MAX_TRACES, _MAX_NAMES = 8, 16, 8


def _keep_newest(most: int) -> Callable[[Any, Any, list[str]], list[str]]:
    """Keeps the last ones of a list of texts."""
    return lambda _, __, values: list(dict.fromkeys(values))[-most:]


@attrs.define(kw_only=True)
class FailureRecord:
    """How often the same call, or a call with the same failing value, has failed.

    Attributes:
        invalid: whether no tool was reached, since the name or the arguments were wrong.
        of_value: whether it is about a failing value, not about one call.
        transient: whether the last failure was a transient one of a tool that only reads.
        count: in how many steps it failed.
        results: hashes of how it failed.
        traces: hashes of the arguments that hold the failing value.
        step: the last step when it was counted: the model has read the failure in every later one.
        calls: how many calls the conversation had begun by then.
        until: the moment until which the model was asked to wait, or None.
    """

    invalid: bool = False
    of_value: bool = False
    transient: bool = False
    count: Count = 0
    results: Hashes = attrs.field(factory=list, on_setattr=_keep_newest(_MAX_RESULTS))
    traces: Hashes = attrs.field(factory=list, on_setattr=_keep_newest(_MAX_TRACES))
    step: int = attrs.field(default=-1, init=False)
    calls: int = attrs.field(default=0, init=False)
    until: float | None = attrs.field(default=None, init=False)

    def count_before(self, step: int) -> int:
        """How many of the failures the model had read when it made its message.

        Args:
            step: the message.
        """
        return self.count - (step <= self.step)

    def add(self, step: int, now: int) -> None:
        """Counts one more failure, once for all that the model has not read yet.

        Args:
            step: the step of the call that failed.
            now: the step that is the last one by now.
        """
        if step > self.step or not self.count:
            self.count, self.step = self.count + 1, now


@attrs.define(kw_only=True)
class FailureStreak:
    """The steps in a row in which one tool failed, while nothing succeeded.

    Attributes:
        steps: how many there are, refused calls included.
        kind: what the last failure has in common with others, as `value_kind` says; may be empty.
        alike: in how many steps at the end it was that.
        invalid: whether the last one was a call that reached no tool.
        proposed: hashes of the names that the last feedback listed.
        step: the last step when it was counted.
    """

    steps: Count = 0
    kind: Name = ""
    alike: Count = 0
    invalid: bool = False
    proposed: Hashes = attrs.field(factory=list, on_setattr=_keep_newest(_MAX_NAMES))
    step: int = attrs.field(default=-1, init=False)

    def count_before(self, step: int) -> int:
        """How many of the steps the model had read when it made its message.

        Args:
            step: the message.
        """
        return self.steps - (step <= self.step)

    def add(self, step: int, now: int, kind: str, *, invalid: bool) -> None:
        """Counts one more failure, once for all that the model has not read yet.

        Args:
            step: the step of the call that failed.
            now: the step that is the last one by now.
            kind: what it has in common with failures of other values, or nothing.
            invalid: whether no tool was reached.
        """
        if step > self.step or not self.steps:
            self.steps, self.step = self.steps + 1, now
            self.alike = self.alike + 1 if kind == self.kind else 1
        elif kind != self.kind:
            self.alike = 1
        self.kind, self.invalid, self.proposed = kind, invalid, []


@attrs.frozen
class SavedGuard:
    """What is saved of the loop guard.

    Attributes:
        failed: what failed, by tool and key.
        streaks: the failures in a row, by tool.
        fatal: the calls that are not run again, by tool and key.
        proposed: the keys of the calls that a feedback proposed.
        step: the number of the last step; None before the first.
    """

    failed: dict[str, dict[str, FailureRecord]]
    streaks: dict[str, FailureStreak]
    fatal: dict[str, dict[str, Name]]
    proposed: Hashes
    step: Count | None = attrs.field(default=None, metadata=OPTIONAL)
