"""A tool that catches an exception and returns its text has failed; one that was asked for such a text has not."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Pipeline, Tool


def returned(name: str, value: Any) -> bool:
    """Whether a value that a tool returns is a failure."""
    tool = Tool.from_schema(name, "", {"type": "object"}, lambda: value)
    with Pipeline([tool], autoload=False, block=["logging"]) as pipeline:
        return pipeline.call(name, {}).is_error


def text_of(function: Callable[[], object]) -> str:
    try:
        function()
    except Exception as error:
        return str(error)
    raise AssertionError("nothing was raised")


RAISED = {
    "a file": lambda: open("/no/such/ledger.csv"),
    "an attribute": lambda: None.fetch,  # type: ignore[attr-defined]
    "a call": lambda: eval("rows()", {"rows": 5}),
    "an index": lambda: [][3],
    "JSON": lambda: json.loads("<html>"),
    "a number": lambda: int("12 kg"),
    "a fraction": lambda: float("a lot"),
    "a name": lambda: eval("total_of_rows"),
    "types": lambda: "a" - 1,  # type: ignore[operator]
    "an order": lambda: "a" < 1,  # type: ignore[operator]
    "a parameter": lambda: sorted([], reversed=True),  # type: ignore[call-overload]
    "a module": lambda: __import__("no_such_module_of_ours"),
    "an import": lambda: exec("from json import nothing_of_this_name"),
    "unpacking": lambda: exec("a, b = [1]"),
    "bytes": lambda: b"\xff\xfe".decode("utf-8"),
    "a table": lambda: sqlite3.connect(":memory:").execute("select * from parcels"),
    "SQL": lambda: sqlite3.connect(":memory:").execute("selct 1"),
}

BUGS = (
    "an attribute",
    "a call",
    "an index",
    "JSON",
    "a number",
    "types",
    "an order",
    "unpacking",
)  # known by nothing else


@pytest.mark.parametrize("kind", RAISED)
@pytest.mark.parametrize("name", ["run_report", "list_parcels", "get_total", "book_table", "search_shops"])
def test_the_text_of_an_exception(name, kind):
    assert returned(name, text_of(RAISED[kind]))


@pytest.mark.parametrize("kind", RAISED)
@pytest.mark.parametrize("name", ["read_file", "get_page", "transcribe_audio", "get_log", "translate_text"])
def test_a_text_of_an_exception_that_may_be_the_answer(name, kind):
    text = text_of(RAISED[kind])
    if kind in BUGS:
        assert not returned(name, text)
        assert not returned(name, f"Monday. {text} Tuesday.")
    assert returned(name, f"Error: {text}")
    assert returned(name, f"Could not complete the step: {text}")


@pytest.mark.parametrize(
    "value",
    [
        'duplicate key value violates unique constraint "users_email_key"\nDETAIL:  Key (email)=(a@b.c) already exists.',
        'insert or update on table "orders" violates foreign key constraint "orders_user_fk"',
        'null value in column "name" of relation "users" violates not-null constraint',
        'column "nmae" does not exist\nLINE 1: select nmae from users',
        "permission denied for table users",
        "cannot execute DROP TABLE in a read-only transaction",
        "syntax error at end of input",
        "You have an error in your SQL syntax; check the manual for the right syntax to use near 'form users' at line 1",
        "Table 'shop.userz' doesn't exist",
        "Unknown column 'nmae' in 'field list'",
        "Duplicate entry 'a@b.c' for key 'users.email'",
    ],
)
@pytest.mark.parametrize("name", ["query", "run_query", "execute_sql", "insert_row"])
def test_what_a_database_server_refuses(name, value):
    assert returned(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("read_file", "Error reading file: alpha"),
        ("read_config_file", "Error: Cannot decode file as text"),
        ("get_messages", "Error getting messages from the channel: bad cursor"),
        ("get_attachment_path", "Error resolving attachment path: alpha"),
        ("fetch_page", "# Page 12\n\nError loading page: alpha"),
        ("transcribe_audio", "Failed to transcribe audio: alpha"),
        ("create_draft_email", "HTTP Error creating draft: alpha"),
        ("load_notes", "Unable to load notes"),
        ("get_issue_content", "can't get issue number 7: alpha"),
        ("search_trips", [{"error": "alpha beta"}]),
        ("list_rooms", '[{"error": "alpha beta"}]'),
        ("get_page", '{\n  "error": "alpha beta"\n}'),
        ("search_trips", {"query": "a", "limit": 5, "lang": "de", "area": "x", "results": [], "error": "alpha beta"}),
        ("press_key", {"result": "Error: list index out of range", "tabs": [], "current_tab": 0, "page": ""}),
        ("fill_form", {"message": "Failed to fill form field 3", "snapshot": "", "done": False}),
        ("upload_photo", {"status": "error", "content": [{"text": "alpha beta"}]}),
        ("upload_photo", {"toolUseId": "t", "status": "error", "content": [{"text": "a"}, {"json": {"b": 1}}]}),
        ("upload_photo", {"toolUseId": "t", "status": "error", "content": "alpha beta"}),
        ("load_rates", (None, "'NoneType' object is not subscriptable")),
    ],
)
def test_what_the_tool_says_of_its_own_attempt(name, value):
    assert returned(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("read_file", "Error handling in Go is explicit."),
        ("read_file", "Error reading is a skill of its own: every line matters."),
        ("get_error_message", "Error reading file: alpha"),
        ("list_errors", [{"error": "alpha beta"}]),
        ("give", [{"error": "alpha beta"}]),
        ("get_messages", "Failed to reach the summit: a diary"),
        ("read_file", '{\n  "error": "alpha beta"\n}'),
        ("show_log", '{"error": "alpha beta"}'),
        ("get_job", {"id": 7, "name": "nightly", "artifacts": [], "error": "alpha beta"}),
        ("search_trips", {"results": [{"to": "Oslo"}], "error": "alpha beta"}),
        ("upload_photo", {"status": "success", "content": [{"text": "Error: none"}]}),
        ("get_upload", {"status": "error", "content": "a poem", "author": "B"}),
        ("describe_exception", "list index out of range"),
        ("check_port", "Connection reset by peer"),
        ("ping_host", "timed out"),
        ("get_job_status", "timed out"),
        ("verify_certificate", "Remote end closed connection without response"),
        ("validate_query", 'near "form": syntax error'),
        ("check_migration", 'column "age" does not exist'),
        ("validate_query", "You have an error in your SQL syntax; check the manual near 'form'"),
        ("get_answer", "A duplicate key value is refused by a unique constraint."),
        ("search_docs", "Table 'users' in the manual explains which columns exist."),
    ],
)
def test_what_only_looks_like_it(name, value):
    assert not returned(name, value)


@pytest.mark.parametrize(("verb", "done"), [("close", "closed"), ("terminate", "terminated"), ("disable", "disabled")])
@pytest.mark.parametrize("thing", ["session", "connection", "browser", "token", "request"])
def test_that_something_is_ended_is_the_result_of_ending_it(verb, done, thing):
    for text in (f"{thing.title()} {done}.", f"The {thing} was {done}.", f"{thing.title()} 7 {done} by admin"):
        assert not returned(f"{verb}_{thing}", text)
        assert thing == "request" or not returned(f"{thing}_{verb}", text)
    assert returned(f"{verb}_{thing}", f"Failed to {verb} {thing}: no answer")
    assert returned(f"{verb}_{thing}", f"The {thing} could not be {done}: permission denied")
