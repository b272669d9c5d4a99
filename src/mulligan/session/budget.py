"""How much a conversation may use: `Budget`, and `Spending`, which enforces it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, NamedTuple

import attrs

from mulligan.errors import ToolError, ToolQuotaError, ToolTimeoutError, UsageError
from mulligan.forks import shared_lock
from mulligan.session.saved_state import OPTIONAL, is_amount, load, short_repr

Part = Literal["calls", "failures", "seconds", "feedback_chars"]
_PARTS: tuple[Part, ...] = ("calls", "failures", "seconds", "feedback_chars")
_TRANSPOSED = 2
_NAMES: Mapping[str, str] = {
    "calls": "{} call{s}",
    "failures": "{} failed call{s}",
    "seconds": "{} s",
    "feedback_chars": "{} character{s} of feedback",
}


@attrs.frozen(kw_only=True)
class Budget:
    """How much a conversation may use; None means no limit. A call beyond it is answered but not run.

    Attributes:
        calls: tool calls.
        failures: calls that fail.
        seconds: wall time from the start of the conversation; for a tool, the time spent in its calls together.
        feedback_chars: characters of feedback on calls that fail.
        tools: budgets of single tools, by name.
    """

    calls: int | None = None
    failures: int | None = None
    seconds: float | None = None
    feedback_chars: int | None = None
    tools: Mapping[str, Budget] = attrs.field(factory=dict, metadata=OPTIONAL)

    def __attrs_post_init__(self) -> None:
        for part in _PARTS:
            value = getattr(self, part)
            if value is not None and not is_amount(value, whole=part != "seconds"):
                raise UsageError(f"Budget({part}={short_repr(value)}): use a number from 0, or None for no limit")
        if not isinstance(self.tools, Mapping):
            raise UsageError(f"Budget(tools={self.tools!r:.40}): use a mapping of names to budgets")
        for name, budget in self.tools.items():
            if type(budget) is not Budget or budget.tools:
                raise UsageError(f"Budget(tools={{{name!r:.40}: ...}}): use a Budget without tools")

    def to_dict(self) -> dict[str, Any]:
        """The budget as JSON values."""
        parts: dict[str, Any] = {part: getattr(self, part) for part in _PARTS}
        return parts | ({"tools": {name: one.to_dict() for name, one in self.tools.items()}} if self.tools else {})

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Budget:
        """Restores the result of `to_dict`.

        Args:
            saved: that result.

        Raises:
            UsageError: it is something else.
        """
        return load(cls, saved, "Budget.to_dict()")


def check_tool_names(budget: Budget | None, tools: Collection[str]) -> None:
    """Checks that no budget is for a misspelt tool. Any other name may be that of a tool that is added later.

    Args:
        budget: the budget, or None.
        tools: the names of the tools that exist.

    Raises:
        UsageError: a name differs from that of a tool by a typo; names the tool.
    """
    if not isinstance(budget, Budget):
        return
    for name in budget.tools:
        if name not in tools:
            near = next((tool for tool in tools if tool not in budget.tools and _is_misspelt(str(name), tool)), None)
            if near is not None:
                raise UsageError(f"Budget(tools={{{name!r:.80}: ...}}): unknown tool. Did you mean {near!r:.80}?")


def _is_misspelt(name: str, tool: str) -> bool:
    """Whether a name is a tool's in another style, or with letters transposed or doubled; a plural may be another tool."""
    one, other = (re.sub(r"[\W_]", "", text).casefold() for text in (name, tool))
    if one == other or re.sub(r"(.)\1", r"\1", one) == re.sub(r"(.)\1", r"\1", other):
        return True
    return len(one) == len(other) and sorted(one) == sorted(other) and sum(map(str.__ne__, one, other)) == _TRANSPOSED


class ExhaustedPart(NamedTuple):
    """A part of a budget that is exhausted.

    Attributes:
        part: `calls`, `failures`, `seconds` or `feedback_chars`.
        limit: its size.
        tool: the tool whose budget it is, or None for the conversation's.
    """

    part: Part
    limit: float
    tool: str | None

    def error(self) -> ToolError:
        """The error of a call that is not run because of it."""
        amount = _NAMES[self.part].format(f"{self.limit:,}", s="" if self.limit == 1 else "s")
        whose = "this conversation" if self.tool is None else f"{self.tool} in this conversation"
        kind = ToolTimeoutError if self.part == "seconds" else ToolQuotaError
        return kind(
            f"This call was not run: the budget of {amount} for {whose} is exhausted.",
            fatal=self.tool is None,
            transient=False,
            effect="none",
            rule=f"session:budget-{self.part}",
            user_message=f"The budget of {amount} for {whose} is exhausted.",
        )


@attrs.frozen
class SavedSpending:
    """What is saved of a budget and its use.

    Attributes:
        limits: the budget.
        used: what is used of it, by part.
        used_by_tool: what is used by single tools.
    """

    limits: Budget
    used: dict[Part, float]
    used_by_tool: dict[str, dict[Part, float]]

    def __attrs_post_init__(self) -> None:
        for used in (self.used, *self.used_by_tool.values()):
            for part, amount in used.items():
                if part != "seconds" and not is_amount(amount, whole=True):
                    raise ValueError(f"has {short_repr(amount)} used {part}; expected a whole number")


class Spending:
    """What a conversation has used of its budget; safe to use from several threads and tasks.

    Args:
        budget: how much it may use.
        clock: monotonic seconds.

    Attributes:
        budget: how much it may use.
        started: when the conversation began, by the clock.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self.budget = budget
        self._clock = clock
        self.started = clock()
        self._lock = shared_lock()
        self._used: dict[str | None, dict[Part, float]] = {}

    @classmethod
    def from_saved(cls, saved: SavedSpending, clock: Callable[[], float]) -> Spending:
        """Continues with what was saved. The time in between does not count."""
        spending, whole = cls(saved.limits, clock), {**saved.used}
        spending.started -= whole.pop("seconds", 0.0)
        spending._used.update(saved.used_by_tool)
        spending._used[None] = whole
        return spending

    def begin(self, tool: str | None = None) -> ExhaustedPart | None:
        """Counts one more call, unless a part is exhausted.

        Args:
            tool: the tool that would be run; None for the conversation as a whole.
        """
        budget = self._budget_of(tool)
        if budget is None:
            return None
        with self._lock:
            for part in _PARTS:
                limit = getattr(budget, part)
                if limit is not None and self._used_amount(tool, part) >= limit:
                    return ExhaustedPart(part, limit, tool)
            self._add(tool, "calls", 1)
        return None

    def end(self, tool: str | None, seconds: float, feedback: int | None) -> None:
        """Counts the use of a call.

        Args:
            tool: its tool, or None.
            seconds: how long it took.
            feedback: characters of its feedback; None if it succeeded.
        """
        if feedback is None and tool not in self.budget.tools:
            return  # a success counts for the budget of its tool only
        with self._lock:
            for scope in {None, tool}:
                if self._budget_of(scope) is None:
                    continue
                if scope is not None:
                    self._add(scope, "seconds", seconds)
                if feedback is not None:
                    self._add(scope, "failures", 1)
                    self._add(scope, "feedback_chars", feedback)

    def seconds_left(self, tool: str | None = None) -> float | None:
        """The time that is left, or None where it is not bounded.

        Args:
            tool: a tool, or None for the conversation as a whole.
        """
        budget = self._budget_of(tool)
        if budget is None or budget.seconds is None:
            return None
        return max(0.0, budget.seconds - self._used_amount(tool, "seconds"))

    def remaining(self) -> Budget:
        """What is left, as a budget."""
        with self._lock:
            tools = {name: Budget(**self._remaining_parts(name, one)) for name, one in self.budget.tools.items()}
            return Budget(**self._remaining_parts(None, self.budget), tools=tools)

    def _remaining_parts(self, tool: str | None, budget: Budget) -> dict[str, Any]:
        bounded = [part for part in _PARTS if getattr(budget, part) is not None]
        return {part: max(0, getattr(budget, part) - self._used_amount(tool, part)) for part in bounded}

    def _budget_of(self, tool: str | None) -> Budget | None:
        return self.budget if tool is None else self.budget.tools.get(tool)

    def _used_amount(self, tool: str | None, part: Part) -> float:
        if tool is None and part == "seconds":
            return self._clock() - self.started
        return self._used.get(tool, {}).get(part, 0)

    def _add(self, tool: str | None, part: Part, amount: float) -> None:
        used = self._used.setdefault(tool, {})
        used[part] = used.get(part, 0) + amount

    def to_dict(self) -> dict[str, Any]:
        """The budget and what is used of it, as JSON values."""
        with self._lock:
            whole: dict[Part, float] = {part: self._used_amount(None, part) for part in _PARTS if part != "seconds"}
            if self.budget.seconds is not None:
                whole["seconds"] = self._used_amount(None, "seconds")
            tools = {name: dict(used) for name, used in self._used.items() if name is not None}
            return {"limits": self.budget.to_dict(), "used": whole, "used_by_tool": tools}
