"""What a corrected call never is: the call that was just refused, one that is refused too, or a guess that may do harm."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import attrs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool

MARK = "Next: make this corrected call: "


def told(function: Any, arguments: Any, **options: Any) -> str:
    """What the model reads after a call of a tool."""
    made = function if isinstance(function, Tool) else Tool.from_function(function, **options)
    with Pipeline([made], autoload=False) as pipeline:
        result = pipeline.call(made.name, arguments)
    assert result.is_error
    return result.content


def proposed(function: Any, arguments: Any, **options: Any) -> Any:
    """The arguments of the corrected call that the model reads; None without one."""
    lines = [line for line in told(function, arguments, **options).splitlines() if line.startswith(MARK)]
    return json.loads(lines[0].removeprefix(MARK))["arguments"] if lines else None


# --- it is another call, and it would be let in


class Range(pydantic.BaseModel):
    first: int
    last: int

    @pydantic.field_validator("first")
    @classmethod
    def at_least_one(cls, first: int) -> int:
        if first < 1:
            raise ValueError("first must be 1 or more")
        return first

    @pydantic.model_validator(mode="after")
    def in_order(self) -> Range:
        if self.last < self.first:
            raise ValueError("last must not be before first")
        return self


@attrs.define
class Rated:
    stars: int = attrs.field(validator=attrs.validators.in_([1, 3, 5]))


@dataclass
class Span:
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.high < self.low:
            raise ValueError("high must not be below low")


@dataclass
class Order:
    item: str
    quantity: int


BUILT = [
    (dt.datetime, "tomorrow"),
    (dt.datetime, 1714557600),
    (dt.date, "2026-13-45"),
    (dt.time, "noon"),
    (dt.timedelta, "a while"),
    (UUID, "abc"),
    (bytes, "no base64!"),
    (Range, {"first": 0, "last": 3}),
    (Range, {"first": 5, "last": 3}),
    (Rated, {"stars": 2}),
    (Span, {"low": 3, "high": 1}),
    (list[dt.date], ["2026-01-01", "soon"]),
]


@pytest.mark.parametrize(("kind", "sent"), BUILT)
def test_what_no_object_can_be_built_from_is_not_proposed_again(kind, sent):
    def remind(text: str, when: kind) -> str:  # type: ignore[valid-type]
        return text

    remind.__annotations__ = {"text": str, "when": kind, "return": str}
    content = told(remind, {"text": "tea", "when": sent})
    assert "- /when" in content
    assert "corrected call" not in content
    assert "Next: call remind again with " in content


def test_neither_is_it_beside_something_that_can_be_mended():
    def order(orders: list[Order], when: dt.datetime) -> str:
        return ""

    one = {"item": "tea", "quantity": 2}
    assert proposed(order, {"orders": [{**one, "quantity": "2"}], "when": "now"}) is None
    assert proposed(order, {"orders": [{**one, "quantity": "2"}], "when": "2026-01-01T10:00"}) == {
        "orders": [one],
        "when": "2026-01-01T10:00",
    }


def test_a_near_tool_is_not_proposed_with_arguments_that_it_refuses():
    def add_reminder(when: dt.datetime) -> str:
        return ""

    with Pipeline([add_reminder], autoload=False) as pipeline:
        refused = pipeline.call("add_reminders", {"when": "tomorrow"}).content
        taken = pipeline.call("add_reminders", {"when": "2026-01-01T10:00"}).content
    assert 'Did you mean "add_reminder"?' in refused
    assert "corrected call" not in refused
    assert "corrected call" in taken


def test_what_an_author_objects_to_is_not_proposed_again():
    from mulligan.plugin import Problem, ToolArgumentError, hookimpl

    class Careful:
        @hookimpl
        def validate(self, call):
            raise ToolArgumentError("No.", problems=[Problem("/path", "outside of the workspace")])

    def read(path: str) -> str:
        return path

    with Pipeline([read], plugins=[Careful()], autoload=False) as pipeline:
        assert "corrected call" not in pipeline.call("read", {"path": "/etc/passwd"}).content


def test_what_a_validator_makes_of_a_proposal_is_thrown_away():
    seen = []

    @dataclass
    class Kept:
        tags: list[str]

        def __post_init__(self) -> None:
            seen.append(self)
            self.tags.append("seen")

    def save(kept: Kept, n: int) -> str:
        return ""

    save.__annotations__ = {"kept": Kept, "n": int, "return": str}
    assert proposed(save, {"kept": {"tags": ["a"]}, "n": "1"}) == {"kept": {"tags": ["a"]}, "n": 1}


_KINDS = [
    int,
    float,
    str,
    bool,
    dt.date,
    UUID,
    Range,
    Rated,
    Span,
    list[int],
    list[dt.date],
    int | None,
    dt.time | None,
]
_JSON = st.recursive(
    st.sampled_from(["", "null", "7", "12km", "true", "2026-01-01", "[1, 2", '{"first": "1", "last": 2}', "a, b", "x"])
    | st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats(-3, 9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["first", "last", "low", "high", "stars", "value"]), inner, max_size=3)
    ),
    max_leaves=6,
)
_NAMES = st.sampled_from(["count", "when", "Count", "amount", "note", "first", "arguments", "stars", "low", "high"])


@given(
    st.lists(st.sampled_from(_KINDS), min_size=2, max_size=2),
    st.dictionaries(_NAMES, _JSON, max_size=3),
    st.booleans(),
    st.sampled_from(["plain", "text", "in text"]),
)
def test_a_corrected_call_always_fits_and_is_never_the_one_that_was_sent(kinds, arguments, read_only, form):
    def act(count: Any, when: Any) -> str:
        return "done"

    act.__annotations__ = {"count": kinds[0], "when": kinds[1], "return": str}
    sent = {"plain": arguments, "text": json.dumps(arguments), "in text": json.dumps(json.dumps(arguments))}[form]
    made = Tool.from_function(act, read_only=read_only)
    with Pipeline([made], autoload=False) as pipeline:
        content = pipeline.call("act", sent).content
        lines = [line for line in content.splitlines() if line.startswith(MARK)]
        if lines:
            call = json.loads(lines[0].removeprefix(MARK))
            assert json.dumps(call["arguments"]) != json.dumps(sent)
            assert pipeline.call("act", call["arguments"]).content == "done"
