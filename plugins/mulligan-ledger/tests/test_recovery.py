"""The definition of recovered, case by case, as docs/explanation/recovered.md states it."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from conftest import read_file
from mulligan_ledger import Ledger
from mulligan_ledger.database import open_for_reading
from mulligan_ledger.measures import measure
from mulligan_ledger.recovery import NEXT, STEPS, Recovery, Sent, recoveries

from mulligan import Pipeline, tool


def call(id, step, name="read_file", failed=False, error=None, **fields):
    arguments = fields.pop("arguments", {"path": "src/mian.py"})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    key = fields.pop("key", f"{name} {text}")
    error = error or ("ResourceNotFoundError" if failed else None)
    return Sent(id, step, name, key, text, failed or error is not None, error, **fields)


def first(*calls, requests=()) -> Recovery:
    return next(recoveries(calls, requests))


FAILED = call(1, 1, failed=True)


@pytest.mark.parametrize(
    ("later", "did", "recovered"),
    [
        ([], "gave up", False),
        ([call(2, 2)], "same call", True),
        ([call(2, 2, failed=True)], "same call", False),
        ([call(2, 2, arguments={"path": "src/main.py"})], "corrected call", True),
        ([call(2, 3, arguments={"path": "docs/other.md"})], "something else", False),
        (
            [call(2, 2, arguments={"path": "docs/other.md"})],
            "corrected call",
            True,
        ),  # the name of what is missing, at once
        ([call(2, 2, arguments={"file": "src/mian.py"})], "corrected call", True),
        ([call(2, 2, "list_dir", arguments={"path": "src"})], "something else", False),
        ([call(2, 2, "cat", arguments={"file": "src/mian.py"})], "another tool", True),
        (
            [call(2, 2, "list_dir", arguments={"path": "src"}), call(3, 3, arguments={"path": "src/main.py"})],
            "corrected call",
            True,
        ),
        ([call(2, 1)], "gave up", False),  # of the same step: the model had not read the failure
        ([call(2, 2 + STEPS)], "gave up", False),
    ],
)
def test_what_the_model_did_next(later, did, recovered):
    found = first(FAILED, *later)

    assert (found.next, found.recovered) == (did, recovered)
    assert found.next in NEXT


def test_the_steps_are_counted_to_the_success():
    found = first(FAILED, call(2, 2, failed=True), call(3, 4))

    assert (found.steps, found.by) == (3, 3)


def test_two_failures_of_one_intent_are_both_recovered():
    assert [one.steps for one in recoveries([FAILED, call(2, 2, failed=True), call(3, 3)])] == [2, 1]


def test_a_new_request_of_the_user_ends_it():
    assert first(FAILED, call(2, 2), requests=[1]).next == "gave up"
    assert first(FAILED, call(2, 2), requests=[0, 2]).recovered


@pytest.mark.parametrize(("key", "followed"), [("fixed", True), ("other", False)])
def test_whether_the_corrected_call_was_made(key, followed):
    found = first(call(1, 1, failed=True, corrected_key="fixed"), call(2, 2, key=key))

    assert found.followed is followed
    assert first(FAILED, call(2, 2)).followed is None


def test_an_argument_that_is_rejected_by_name_may_become_anything():
    problems = json.dumps([{"pointer": "/day", "message": "no date"}])
    failed = call(
        1, 1, "book", arguments={"day": "tomorrow", "seat": "12A"}, error="ToolArgumentError", problems=problems
    )

    assert first(failed, call(2, 3, "book", arguments={"day": "2026-11-24", "seat": "12A"})).recovered
    assert not first(failed, call(2, 3, "book", arguments={"day": "2026-11-24", "seat": "31F"})).recovered


def test_numbers_are_never_near():
    failed = call(1, 1, "pay", arguments={"amount": 100}, error="ToolExecutionError")

    assert not first(failed, call(2, 2, "pay", arguments={"amount": 101})).recovered


@pytest.mark.parametrize(
    ("before", "after", "serves"),
    [
        ({"seats": "12"}, {"seats": 12}, True),
        ({"seats": 12}, {"seats": "12.0"}, True),
        ({"seats": "112"}, {"seats": "113"}, False),
        ({"id": 9007199254740993}, {"id": 9007199254740992}, False),
        ({"zip": "00123"}, {"zip": "00124"}, True),  # a text of digits that is no number may be near
        ({"draft": True}, {"draft": False}, False),
        ({"draft": True}, {"draft": 1}, False),
        ({"draft": True}, {"is_draft": True}, True),
        ({"to": None, "cc": ""}, {"to": "ana"}, True),
        ({"rows": [{"nmae": "Ana", "age": 7}]}, {"rows": [{"name": "Ana", "age": 7}]}, True),
        ({"rows": [{"name": "Ana", "age": 7}]}, {"rows": [{"name": "Ana", "age": 8}]}, False),
        ({"where": {"city": "Brelin"}}, {"city": "berlin"}, True),
        ({"city": "PARIS"}, {"city": "paris"}, True),
        ({}, {"city": "paris"}, True),
    ],
)
def test_which_values_are_kept(before, after, serves):
    found = first(call(1, 1, "book", arguments=before, error="ToolExecutionError"), call(2, 2, "book", arguments=after))

    assert found.next == ("corrected call" if serves else "something else")


@pytest.mark.parametrize(
    ("resource", "later", "recovered"), [("order 4711", 4713, True), ("4711", 12, True), ("order 14711", 4713, False)]
)
def test_a_number_may_name_what_does_not_exist(resource, later, recovered):
    failed = call(1, 1, "get_order", failed=True, arguments={"shop": "lisbon", "order": 4711}, resource=resource)

    assert first(failed, call(2, 2, "get_order", arguments={"shop": "lisbon", "order": later})).recovered is recovered
    assert not first(failed, call(2, 3, "get_order", arguments={"shop": "lisbon", "order": later})).recovered


@pytest.mark.parametrize(
    ("before", "after", "serves"),
    [
        ({"city": "Utrecht"}, {"query": "train to utrecht tomorrow"}, True),
        ({"file": "log"}, {"query": "how to catalog books"}, False),
        ({"file": "notes"}, {"query": "read notes_old"}, False),
        ({"paths": ["a.txt", "b.txt", "c.txt"]}, {"command": "cat a.txt b.txt"}, True),
        ({"paths": ["a.txt", "b.txt", "c.txt"]}, {"command": "cat a.txt"}, False),
        ({"command": "cat notes.txt"}, {"path": "notes.txt"}, False),
        ({"order": "48213"}, {"number": 48213}, True),
        ({"unit": "km"}, {"query": "10 km in miles"}, False),
    ],
)
def test_another_tool_gets_half_of_the_texts(before, after, serves):
    failed = call(1, 1, "look", arguments=before, error="ToolExecutionError")

    assert first(failed, call(2, 2, "search", arguments=after)).next == ("another tool" if serves else "something else")


def test_a_call_that_corrects_another_failure_of_the_step_is_no_other_way():
    lamp = call(1, 1, "set_lamp", arguments={"room": "attic", "level": 400}, error="ToolExecutionError")
    heater = call(2, 1, "set_heater", arguments={"room": "attic", "level": 90}, error="ToolExecutionError")
    again = call(3, 2, "set_heater", arguments={"room": "attic", "level": 90})

    assert [one.next for one in recoveries([lamp, heater, again])] == ["something else", "same call"]
    assert [one.next for one in recoveries([lamp, again])] == ["another tool"]


def test_a_structure_of_any_depth_is_compared():
    deep = "[" * 900 + '"a"' + "]" * 900
    failed = call(1, 1, "put", arguments=f'{{"value": {deep}}}', error="ToolExecutionError")

    assert first(failed, call(2, 2, "put", arguments={"value": "a"})).recovered


def test_a_tool_that_does_not_exist():
    failed = call(1, 1, "readfile", error="ToolNotFoundError", suggestions='["get_page"]', arguments={"path": "a"})

    assert first(failed, call(2, 2, "read_file", arguments={"path": "a"})).next == "corrected call"
    assert first(failed, call(2, 2, "get_page", arguments={"path": "a"})).next == "corrected call"
    assert first(failed, call(2, 2, "get_page", arguments={"url": "zzzzzz"})).next == "something else"


def test_the_tool_that_was_meant_needs_no_value_if_none_was_sent():
    failed = call(1, 1, "list_flie", error="ToolNotFoundError", arguments={"path": None})

    assert first(failed, call(2, 2, "list_file", arguments={"path": "docs"})).next == "corrected call"


def test_a_near_value_is_enough_for_the_tool_that_was_meant():
    failed = call(1, 1, "Read_Fiel", error="ToolNotFoundError", arguments={"path": "raedme.md", "lines": 3})

    assert first(failed, call(2, 2, "read_file", arguments={"path": "README.md"})).next == "corrected call"


def test_programs_may_differ_more():
    before = "import math\n" + "\n".join(f"print(math.sqrt({n}))" for n in range(30))
    after = before.replace("import math", "from math import sqrt").replace("math.sqrt", "sqrt") + "\nprint('done')"
    failed = call(1, 1, "python", arguments={"code": before}, error="ToolExecutionError")

    assert first(failed, call(2, 2, "python", arguments={"code": after})).recovered
    assert not first(failed, call(2, 2, "python", arguments={"code": "1+1"})).recovered


def test_arguments_that_are_not_json_are_one_text():
    failed = call(1, 1, arguments='{"path": "src/main.py"', error="ToolArgumentError")

    assert first(failed, call(2, 2, arguments={"path": "src/main.py"})).next in ("corrected call", "something else")
    assert first(call(1, 1, arguments="]", error="ToolArgumentError", key="k"), call(2, 2, key="k")).recovered


def test_without_arguments_only_equal_calls_are_known():
    bare = Sent(1, 1, "look", "k1", None, True, "ToolExecutionError")

    assert first(bare, Sent(2, 2, "look", "k1", None, False)).recovered
    assert first(bare, Sent(2, 2, "look", "k2", None, False)).next == "something else"


@pytest.mark.parametrize(
    ("calls", "by_summary", "by_ledger"),
    [
        ([("read_file", "missing/a"), ("find", "tulips"), ("read_file", "other.txt")], 1, 0),
        ([("read_file", "missing/report.txt"), ("find", "missing/report.txt")], 0, 1),
        ([("read_file", "missing/a"), None, ("read_file", "a")], 1, 0),
        ([("read_file", "missing/a"), *[("find", "tulips")] * 5, ("read_file", "a")], 1, 0),
        ([("read_file", "missing/a"), ("read_file", "a")], 1, 1),
    ],
    ids=["another purpose", "another tool", "after a message", "late", "the same"],
)
def test_the_count_of_a_session_differs_as_the_page_says(path, calls, by_summary, by_ledger):
    @tool(read_only=True)
    def find(name: str) -> str:
        """Find a file."""
        return f"docs/{name}"

    with Ledger(path) as ledger, Pipeline([read_file, find], plugins=[ledger], autoload=False) as pipeline:
        session = pipeline.session("talk")
        for call in calls:
            if call is None:
                session.note_request("And now?")
            else:
                session.call(call[0], {"path" if call[0] == "read_file" else "name": call[1]})
        assert session.summary().recovered == by_summary
    with closing(open_for_reading(path)) as connection:
        assert measure(connection).total.recovered == by_ledger
