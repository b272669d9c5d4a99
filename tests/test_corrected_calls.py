"""What a corrected call never is: the call that was just refused, one that is refused too, or a guess that may do harm."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

import attrs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Policy, Tool

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


@pytest.mark.parametrize(
    ("called", "contrast"),
    [
        ("lookup_book", " Call find_book, not lookup_book."),
        ("shelf.find_book", " Call find_book, not shelf.find_book."),
        ("find book, then answer 'yes'", ""),
        ("find_book" + "_" * 80, ""),
    ],
)
def test_two_similar_names_are_told_apart_unless_the_one_that_was_called_is_no_name(called, contrast):
    def find_book(title: str) -> str:
        return ""

    with Pipeline([Tool.from_function(find_book, read_only=True)], autoload=False) as pipeline:
        content = pipeline.call(called, {"title": "Emma"}).content
    assert contrast in content and ("Call find_book" in content) is bool(contrast)
    if contrast:
        assert f'Did you mean "find_book"?{contrast}' in content.splitlines()
        assert content.splitlines()[-1].startswith("Next: make this corrected call: ")


def test_a_near_tool_is_not_proposed_with_arguments_that_it_refuses():
    def add_reminder(when: dt.datetime) -> str:
        return ""

    with Pipeline([add_reminder], autoload=False) as pipeline:
        refused = pipeline.call("addReminder", {"when": "tomorrow"}).content
        taken = pipeline.call("addReminder", {"when": "2026-01-01T10:00"}).content
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


@pytest.mark.parametrize(("corrected", "is_told"), [({"n": 2}, True), ({"n": 1}, False), ({"n": "2"}, False)])
def test_neither_is_what_an_author_proposes_and_the_tool_refuses(corrected, is_told):
    from mulligan.plugin import ToolArgumentError, hookimpl

    class Counting:
        @hookimpl
        def validate(self, call):
            error = ToolArgumentError("An even number.")
            error.corrected = corrected
            raise error

    def count(n: int) -> str:
        return str(n)

    made = Tool.from_function(count, read_only=True)
    with Pipeline([made], plugins=[Counting()], autoload=False) as pipeline:
        assert ("corrected call" in pipeline.call("count", {"n": 1}).content) is is_told


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


# --- nothing is guessed that may do harm


def delete_user(user_id: str) -> str:
    """Delete a user."""
    return user_id


def pay(amount: float, to: str, currency: str = "EUR") -> str:
    """Pay somebody."""
    return to


def read_lines(path: str) -> str:
    """Read a file."""
    return path


def wait(seconds: int) -> str:
    """Wait."""
    return str(seconds)


def rest(duration: int) -> str:
    """Rest.

    Args:
        duration: how long, in minutes.
    """
    return str(duration)


def store(size_bytes: int) -> str:
    """Store."""
    return str(size_bytes)


def ship(postal_code: Annotated[int, pydantic.Field(ge=1000)]) -> str:
    """Send a parcel."""
    return str(postal_code)


def set_temperature(celsius: Annotated[int, pydantic.Field(ge=5, le=30)]) -> str:
    """Heat."""
    return str(celsius)


def give_role(role: Literal["viewer", "editor", "owner"]) -> str:
    """Give a role."""
    return role


def tidy(action: Literal["archive", "delete"]) -> str:
    """Archive or delete."""
    return action


def travel(mode: Literal["train", "car"]) -> str:
    """Book a journey."""
    return mode


def confirm(word: Literal["DELETE"]) -> str:
    """Delete everything."""
    return word


@dataclass
class Spot:
    x: int
    y: int


@dataclass
class Item:
    item: str


def put(x: Spot | Item | int) -> str:
    """Put."""
    return ""


@dataclass
class Card:
    number: str
    kind: Literal["card"] = "card"


@dataclass
class Transfer:
    number: str
    kind: Literal["transfer"] = "transfer"


def settle(by: Card | Transfer) -> str:
    """Settle a bill."""
    return ""


def parts_of(parts: list[int]) -> str:
    """Order parts."""
    return ""


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (delete_user, {"reason": "spam"}),
        (delete_user, {"confirm": 1}),
        (delete_user, {"dry_run": "yes"}),
        (delete_user, {"account_id": "7"}),
        (pay, {"amount": 5, "note": "thanks"}),
        (pay, {"amount": "2k", "to": "ann"}),
        (pay, {"amount": "5 USD", "to": "ann"}),
        (pay, {"amount": "5 EUR", "to": "ann", "currency": "USD"}),
        (pay, {"amount_usd": 5, "to": "ann"}),
        (wait, {"seconds": "500ms"}),
        (wait, {"seconds": "minus 5"}),
        (wait, {"seconds": {"minutes": 5}}),
        (wait, {"minutes": 5}),
        (rest, {"duration_seconds": 10}),
        (rest, {"hours": 10}),
        (ship, {"postal_code": 99}),
        (set_temperature, {"celsius": 70}),
        (set_temperature, {"fahrenheit": 70}),
        (give_role, {"role": "admin"}),
        (give_role, {"role": "member"}),
        (tidy, {"action": "remove"}),
        (tidy, {"action": "do not delete"}),
        (tidy, {"action": "undelete"}),
        (travel, {"mode": "bus"}),
        (confirm, {"word": "yes"}),
        (put, {"x": {"x": 1}}),
        (settle, {"by": {"number": 1, "kind": "cash"}}),
        (parts_of, {"parts": "[1, 2"}),
    ],
)
def test_what_was_not_sent_is_not_made_up(function, arguments):
    for read_only in (False, True):
        content = told(function, arguments, read_only=read_only)
        assert "corrected call" not in content
        assert "Did you mean" not in content


@pytest.mark.parametrize(
    ("function", "arguments", "meant"),
    [
        (wait, {"seconds": "10min"}, 600),
        (wait, {"seconds": "2h"}, 7_200),
        (store, {"size_bytes": "500MB"}, 500_000_000),
        (rest, {"duration": "1 hour"}, 60),
    ],
)
def test_a_quantity_in_another_unit_is_only_asked(function, arguments, meant):
    for read_only in (False, True):
        content = told(function, arguments, read_only=read_only)
        assert "corrected call" not in content
        assert f'Did you mean "{next(iter(arguments))}": {meant}?' in content


SAME = [
    (delete_user, {"userId": "7"}, {"user_id": "7"}),
    (wait, {"Seconds": "10"}, {"seconds": 10}),
    (wait, {"seconds": "10"}, {"seconds": 10}),
    (put, {"x": {"x": "1", "y": 2}}, {"x": {"x": 1, "y": 2}}),
    (parts_of, {"parts": "[1, 2]"}, {"parts": [1, 2]}),
    (parts_of, {"parts": 1}, {"parts": [1]}),
    (wait, {"seconds": ["10"]}, {"seconds": 10}),
    (wait, {"seconds": {"value": "10"}}, {"seconds": 10}),
    (delete_user, {"user_id": ["7"]}, {"user_id": "7"}),
]
MEANT = [
    (give_role, {"role": "Owner"}, {"role": "owner"}),
    (tidy, {"action": "DELETE"}, {"action": "delete"}),
    (settle, {"by": {"number": 1, "kind": "TRANSFER"}}, {"by": {"number": "1", "kind": "transfer"}}),
    (pay, {"amount": "1,240.50", "to": "ann"}, {"amount": 1240.5, "to": "ann"}),
    (pay, {"amount": "two hundred", "to": "ann"}, {"amount": 200, "to": "ann"}),
    (wait, {"seconds": "10 s"}, {"seconds": 10}),
    (wait, {"seconds": "10 seconds"}, {"seconds": 10}),
    (store, {"size_bytes": "500 bytes"}, {"size_bytes": 500}),
    (rest, {"duration": "10 min"}, {"duration": 10}),
    (rest, {"duration_minutes": 10}, {"duration": 10}),
    (rest, {"minutes": 10}, {"duration": 10}),
    (set_temperature, {"celsius": "21 °C"}, {"celsius": 21}),
    (give_role, {"role": "owners"}, {"role": "owner"}),
    (travel, {"mode": "rail"}, {"mode": "train"}),
]


@pytest.mark.parametrize(("function", "arguments", "meant"), SAME)
def test_the_same_in_another_form_is_proposed(function, arguments, meant):
    assert proposed(function, arguments) == meant
    assert proposed(function, arguments, read_only=True) == meant


@pytest.mark.parametrize(("function", "arguments", "meant"), MEANT)
def test_what_is_meant_is_proposed_for_a_tool_that_only_reads_and_asked_for_any_other(function, arguments, meant):
    assert proposed(function, arguments, read_only=True) == meant
    assert proposed(function, arguments) is None
    name = next(name for name in meant if arguments.get(name) != meant[name])
    lines = told(function, arguments).splitlines()
    assert any(line.startswith(f'Did you mean "{name}": {json.dumps(meant[name])}') for line in lines)
    wanted = f"these arguments: {json.dumps(meant)}" if len(meant) > 1 else f'"{name}": {json.dumps(meant[name])}'
    step = f"Next: if that is what you meant, call {function.__name__} again with {wanted}"
    assert any(line.startswith(step) and ". If not, " in line for line in lines)


DESTROYED = [
    (delete_user, {"userId": "7"}),
    (give_role, {"role": "Owner"}),
    (parts_of, {"parts": 1}),
    (delete_user, {"arguments": {"user_id": "7"}}),
]


@pytest.mark.parametrize(("function", "arguments"), DESTROYED)
def test_a_destructive_tool_is_proposed_with_other_json_and_types_only(function, arguments):
    assert proposed(function, arguments, destructive=True) is None
    assert proposed(wait, {"seconds": "10"}, destructive=True) == {"seconds": 10}
    assert proposed(wait, "{'seconds': 10,}", destructive=True) == {"seconds": 10}


def search(query: str, limit: Annotated[int, pydantic.Field(ge=1, le=50)] = 10, n: Literal[1] = 1) -> str:
    """Search."""
    return query


@pytest.mark.parametrize("read_only", [False, True])
def test_no_number_is_brought_within_its_bounds_and_no_name_is_taken_for_the_one_left(read_only):
    assert proposed(search, {"query": "cats", "limit": "200"}, read_only=read_only) is None
    assert proposed(search, {"query": "cats", "limit": 0}, read_only=read_only) is None
    assert proposed(search, {"topic": "cats"}, read_only=read_only) is None


# --- one level too deep, or too flat


@dataclass
class Address:
    street: str
    zip: str


def send(address: Address, note: str = "") -> str:
    """Send a parcel."""
    return note


def send_to(name: str, address: Address | None = None, sender: Item | None = None) -> str:
    """Send a parcel."""
    return name


def between(first: Address, second: Address) -> str:
    """Measure."""
    return ""


@pytest.mark.parametrize(
    "arguments",
    [
        {"arguments": {"query": "x"}},
        {"arguments": '{"query": "x"}'},
        {"input": {"query": "x"}},
        {"name": "search", "arguments": {"query": "x"}},
        {"type": "function", "name": "search", "arguments": '{"query": "x"}'},
        '"{\\"query\\": \\"x\\"}"',
        json.dumps(json.dumps({"name": "search", "arguments": json.dumps({"query": "x"})})),
    ],
)
def test_a_call_inside_of_a_call_is_unwrapped(arguments):
    assert proposed(search, arguments) == {"query": "x"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "delete_user", "arguments": {"query": "x"}},
        {"arguments": {"query": "x"}, "limit": 5},
        {"arguments": '{"query": "x'},
        {"arguments": "x"},
        '"{\\"query\\": \\"x"',
    ],
)
def test_what_is_no_call_of_the_tool_is_not(arguments):
    assert proposed(search, arguments) is None


def test_what_is_inside_is_corrected_too():
    assert proposed(search, {"arguments": {"query": "x", "limit": "5"}}) == {"query": "x", "limit": 5}
    assert proposed(search, {"arguments": {"q": "x"}}, read_only=True) == {"query": "x"}
    assert proposed(search, {"arguments": {"q": "x"}}) is None


@dataclass
class Parcel:
    address: Address
    grams: int = 0


def pack(parcel: Parcel) -> str:
    """Pack a parcel."""
    return ""


@pytest.mark.parametrize("outside", [{}, {"grams": 900}])
def test_members_of_an_inner_object_are_moved_into_it(outside):
    sent = {"parcel": {"street": "Hafen 2", "zip": "4020", **outside}}
    meant = {"parcel": {**outside, "address": {"street": "Hafen 2", "zip": "4020"}}}

    assert proposed(pack, sent, read_only=True) == meant
    assert proposed(pack, sent) is None
    assert proposed(pack, {"parcel": {"street": "Hafen 2", "city": "Linz", **outside}}, read_only=True) is None


def test_a_tool_that_takes_arguments_itself_keeps_them():
    def run(arguments: dict[str, int], times: int) -> str:
        return ""

    assert proposed(run, {"arguments": {"a": 1}, "times": "2"}) == {"arguments": {"a": 1}, "times": 2}


@pytest.mark.parametrize(
    ("function", "arguments", "meant"),
    [
        (send, {"street": "Elm", "zip": "1"}, {"address": {"street": "Elm", "zip": "1"}}),
        (
            send,
            {"street": "Elm", "zip": 1, "note": "hi"},
            {"note": "hi", "address": {"street": "Elm", "zip": "1"}},
        ),
        (send, {"street": "Elm"}, None),
        (send, {"street": "Elm", "zip": "1", "gate": 2}, None),
        (
            send_to,
            {"name": "Ann", "street": "Elm", "zip": "1"},
            {"name": "Ann", "address": {"street": "Elm", "zip": "1"}},
        ),
        (between, {"street": "Elm", "zip": "1"}, None),
    ],
)
def test_members_of_the_only_object_are_put_into_it(function, arguments, meant):
    assert proposed(function, arguments, read_only=True) == meant
    assert proposed(function, arguments) is None


# --- words for nothing


def find(
    year: int | None = None, when: dt.date | None = None, text: str | None = None, by: Literal["one"] | None = None
) -> str:
    """Find."""
    return ""


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ({"year": "null", "text": "null"}, {"year": None, "text": "null"}),
        ({"year": "None"}, {"year": None}),
        ({"year": ""}, {"year": None}),
        ({"when": "null"}, {"when": None}),
        ({"year": "null", "when": ""}, {"year": None, "when": None}),
        ({"by": "none"}, {"by": None}),
    ],
)
def test_a_word_for_nothing_is_null(arguments, meant):
    assert proposed(find, arguments, read_only=True) == meant


def test_only_the_word_of_json_is_null_for_a_tool_that_may_change_something():
    assert proposed(find, {"year": "null"}) == {"year": None}
    assert proposed(find, {"year": ""}) is None
    assert proposed(find, {"year": "null"}, destructive=True) is None


def test_but_only_where_null_is_allowed():
    assert proposed(wait, {"seconds": "null"}) is None
    assert proposed(wait, {"seconds": ""}) is None


# --- an argument under another label is asked


def close_ticket(number: int, note: str = "") -> str:
    """Close a ticket."""
    return note


def add_tag(tag: str) -> str:
    """Add a tag."""
    return tag


def move_user_to_group(user: str, group: str) -> str:
    """Move a user to a group."""
    return group


def save_file(path: str, message: str) -> str:
    """Save a file."""
    return path


@pytest.mark.parametrize(
    ("function", "arguments", "question"),
    [
        (close_ticket, {"ticket_id": 3}, '"number": 3 instead of "ticket_id"'),
        (close_ticket, {"ticket_no": 3, "note": "x"}, '"number": 3 instead of "ticket_no"'),
        (add_tag, {"name": "v4"}, '"tag": "v4" instead of "name"'),
        (save_file, {"path": "a", "file_message": "x"}, '"message": "x" instead of "file_message"'),
    ],
)
def test_an_argument_under_another_label_is_asked(function, arguments, question):
    text = told(function, arguments)
    assert f"Did you mean {question}?" in text
    assert MARK not in text
    assert MARK not in told(function, arguments, read_only=True)
    assert "Did you mean" not in told(function, arguments, destructive=True)


@pytest.mark.parametrize("arguments", [{"ticket_id": 3}, {"+number": 3}])
def test_an_argument_under_another_label_is_never_run(arguments):
    made = Tool.from_function(close_ticket, read_only=True)
    with Pipeline([made], autoload=False, policy=Policy(repair="all")) as pipeline:
        assert pipeline.call("close_ticket", arguments).is_error


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (close_ticket, {"queue_id": 3}),
        (close_ticket, {"ticket_id": 3, "id": 4}),
        (close_ticket, {"old_number": 3}),
        (close_ticket, {"ticket_id": "first"}),
        (move_user_to_group, {"user": "ida", "user_id": "u1"}),
        (move_user_to_group, {"group": "staff", "group_name": "Staff"}),
        (save_file, {"path": "a", "no_message": "x"}),
        (save_file, {"path": "a", "-message": "x"}),
        (save_file, {"path": "a", "message<": "x"}),
        (save_file, {"path": "a", "message_2": "x"}),
        (save_file, {"path": "a", "new_message": "x"}),
        (save_file, {"path": "a", "sender_message": "x"}),
        (save_file, {"path": "a", "commit_message": "x"}),
    ],
)
def test_an_argument_of_something_else_is_not_asked(function, arguments):
    assert "Did you mean" not in told(function, arguments)


def reads(name, description, *parameters):
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in parameters}}
    return Tool.from_schema(name, description, schema, dict, read_only=True)


@pytest.mark.parametrize(
    ("made", "called", "sent"),
    [
        (reads("list_issues", "", "author", "label"), "list_issue_authors", {"author": "b"}),
        (reads("list_orders", "", "customer_id"), "list_order_customers", {"customer_id": "7"}),
        (reads("get_user", "", "password"), "get_user_password", {"password": "x"}),
        (reads("list_files", "Hidden files are not listed."), "list_hidden_files", {}),
        (reads("search_users", "Guest users cannot be found."), "search_guest_users", {}),
    ],
)
def test_what_is_asked_for_may_not_be_left_out(made, called, sent):
    with Pipeline([made], autoload=False) as pipeline:
        assert "corrected call" not in pipeline.call(called, sent).content


def set_precision(unit: Literal["ms", "s", "m", "h"], every: Literal["daily", "monthly"] = "daily") -> str:
    """Set."""
    return unit


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ({"unit": "minutes"}, "m"),
        ({"unit": "Hours"}, "h"),
        ({"unit": "milliseconds"}, "ms"),
        ({"unit": "days"}, None),
        ({"unit": "s", "every": "today"}, None),
    ],
)
def test_the_symbol_of_a_unit_is_asked(arguments, meant):
    content = told(set_precision, arguments)
    name = "every" if "every" in arguments else "unit"
    assert (f'Did you mean "{name}": "{meant}"?' in content) is (meant is not None)


@pytest.mark.parametrize(
    ("about", "declared", "is_asked"),
    [
        ("Variables as JSON", {}, True),
        ("Variables, JSON or YAML", {"read_only": True}, True),
        ("Variables as JSON", {"destructive": True}, False),
        ("The variables", {}, False),
    ],
)
def test_an_object_for_a_text_of_json_is_asked_as_that_text(about, declared, is_asked):
    schema = {"type": "object", "properties": {"vars": {"type": "string", "description": about}}, "required": ["vars"]}
    with Pipeline([Tool.from_schema("set_vars", "", schema, dict, **declared)], autoload=False) as pipeline:
        content = pipeline.call("set_vars", {"vars": {"a": 1, "b": [2]}}).content
    assert (
        "Did you mean" in content and json.dumps(json.dumps({"a": 1, "b": [2]}, separators=(",", ":"))) in content
    ) is is_asked
    assert "corrected call:" not in content


def move(axis: Literal["x", "y"], way: Literal["up", "down"]) -> str:
    """Move."""
    return axis


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        ({"axis": "x", "direction": "down"}, '"way": "down" instead of "direction"'),
        ({"axis": "x", "direction": "sideways"}, None),
        ({"axis": "x", "exclude": "down"}, None),
        ({"axis": "x", "old_way": "down"}, None),
        ({"axis": "x", "-direction": "down"}, None),
        ({"axis": "x", "a": "up", "b": "down"}, None),
    ],
)
def test_a_value_of_the_only_list_that_has_it_says_which_argument_is_meant(arguments, question):
    content = told(move, arguments)
    assert (f"Did you mean {question}?" in content) if question else ("Did you mean" not in content)
    assert MARK not in told(move, arguments, read_only=True)
    assert "Did you mean" not in told(move, arguments, destructive=True)


def watch(
    metric: str,
    operator: Literal["GREATER", "LESS", "EQUAL", "GREATER_OR_EQUAL"],
    where: Literal["dev", "env", "prd"] = "dev",
) -> str:
    """Watch."""
    return metric


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ({"operator": ">"}, '"operator": "GREATER"'),
        ({"operator": ">="}, '"operator": "GREATER_OR_EQUAL"'),
        ({"operator": "=="}, '"operator": "EQUAL"'),
        ({"operator": "<="}, None),
        ({"operator": "!="}, None),
        ({"operator": "=>"}, None),
        ({"operator": "LESS", "where": "environment"}, '"where": "env"'),
    ],
)
def test_the_sign_of_an_operator_and_a_short_form_are_asked(arguments, meant):
    assert "Did you mean" not in told(watch, {"metric": "load", **arguments}, destructive=True)
    content = told(watch, {"metric": "load", **arguments})
    assert (f"Did you mean {meant}?" in content) if meant else ("Did you mean" not in content)
    assert MARK not in content


def hold(item: str, shelf: int) -> str:
    """Hold."""
    return item


@pytest.mark.parametrize(
    ("arguments", "step"),
    [
        (
            {"what": "hammer", "shelf": 3},
            '"item" instead of "what", and the other arguments unchanged, if they mean the same.',
        ),
        ({"what": "hammer", "place": 3}, '"item" and "shelf" instead of "what" and "place", if they mean the same.'),
        ({"what": "hammer", "colour": "red", "shelf": 3}, None),
        ({"old_thing": "hammer", "shelf": 3}, None),
        ({"dry_run": True, "shelf": 3}, None),
        ({"weight_kg": 3, "shelf": 3}, None),
        ({"thing2": "hammer", "shelf": 3}, None),
    ],
)
def test_as_many_missing_arguments_as_unknown_ones_may_be_those(arguments, step):
    content = told(hold, arguments)
    assert MARK not in content
    assert (f"call hold again with {step}" in content) if step else ("instead of" not in content)
    assert "instead of" not in told(hold, arguments, destructive=True)
