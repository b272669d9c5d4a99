"""The records that are generated, and what is seen of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

EFFECTS = ("read", "write", "destroy", "undeclared")
_GAP = re.compile(r"(?<=[^\W_])[-_. ]+(?=[^\W_])")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool's name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as its author declares it. `changes` is the rank of what its name says: 0 reads, 1 changes, 2 destroys."""

    name: str
    effect: str
    schema: Mapping[str, Any]
    description: str = ""
    changes: int = 0
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also_called: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    is_foreign: bool = False  # of a server that cannot be trusted: may be refused when it is made

    @property
    def rank(self) -> int:
        """How much it is known to change: by what is declared, or else by what its name says."""
        return {"destroy": 2, "read": 0}.get(self.effect, self.changes)

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schemas of its arguments."""
        return self.schema.get("properties", {})


@dataclass(slots=True)
class Case:
    """One call with a known meaning.

    Attributes:
        key: `world:index`, by which it is made again.
        kind: how what was sent differs from what was meant.
        tool: the tool that was meant; None if there is none.
        tools: the whole tool set.
        name: the name that is sent.
        sent: the arguments that are sent, a mapping or text.
        said: what the sent arguments say, as values, however they are written; None if they say nothing whole.
        acceptable: calls that a ready call may be. Empty: there must be none.
        rule: the rule that a ready call breaks if it is not one of `acceptable`.
        wanted: whether one of `acceptable` must be given for the case to count as answered.
        partial: any part of the one acceptable call will do (for tools that only read).
        intent: what the sent name says, as `ToolSpec.changes`.
        others: tools that are another thing than what was sent: never proposed with confidence.
        failure: what the tool does: raises this text, or returns or raises what `form` says.
        form: `raise`, `return`, `status` (an HTTP error with a body), `author` (mulligan's own error, by the tool's author),
            `recover` (no call: the text of another runtime's failure).
        names: names that only foreign text holds.
        sentences: sentences that only foreign text or a foreign schema holds.
        quotable: sentences and names may be shown in quotes, as they are a schema's or a tool's own.
        repair: whether the pipeline repairs (`Policy(repair="all")`).
        budget: whether the steps are counted.
    """

    key: str
    kind: str
    tool: ToolSpec | None
    tools: tuple[ToolSpec, ...]
    name: str
    sent: Any
    said: Mapping[str, Any] | None
    acceptable: tuple[Call, ...] = ()
    rule: str = "d"
    wanted: bool = False
    partial: bool = False
    intent: int = 0
    others: frozenset[str] = frozenset()
    failure: Any = None
    form: str = "raise"
    names: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    quotable: bool = False
    repair: bool = False
    budget: bool = False


@dataclass(slots=True)
class Outcome:
    """What is seen of a call: `ran` is what the handler was called with, `sources` is None if there is no such attribute."""

    content: str
    is_error: bool
    ran: Call | None = None
    sources: Mapping[str, str] | None = None
    user_message: str = ""
    steps: int = 0
    seconds: float = 0.0


def closed_schema(properties: Mapping[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """The schema of an object that takes nothing else; all is required if nothing is said."""
    needed = list(properties) if required is None else required
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}


def canonical(name: str) -> str:
    """A name without case and separators. A separator between two digits, or at an end, counts: `v1_5` is not `v15`."""
    return _GAP.sub(lambda gap: gap[0] if _between_digits(gap) else "", name).casefold()


def _between_digits(gap: re.Match[str]) -> bool:
    text = gap.string
    return text[gap.start() - 1].isdigit() and text[gap.end()].isdigit()


def distance(a: str, b: str, at_most: int = 99) -> int:
    """How many letters differ: inserted, left out, replaced, or two swapped (our own count, not the library's)."""
    if abs(len(a) - len(b)) > at_most:
        return at_most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
