"""`mulligan run` of several conversations: arrays, a session field, and what goes on after a failure."""

# ruff: noqa: F811 - a fixture is an argument

from __future__ import annotations

import json

import pytest
from test_cli_run import house, lines, openai, run  # noqa: F401 - fixtures

USER = {"role": "user", "content": "Add."}
ADD = openai(("c1", "add", '{"a": 1, "b": 2}'))
SUM = {"role": "tool", "tool_call_id": "c1", "content": "3"}
PAY = openai(("p1", "pay", "{}"))
BAD = openai(("b1", "add", '{"a": "x", "b": 2}'))


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_messages_is_a_conversation(run, indent):
    code, written, err = run(json.dumps([USER, ADD], indent=indent))

    assert (code, written) == (0, [USER, ADD, SUM])
    assert err == "2 messages, 1 call: 1 ok, 0 failed, 0 repaired\n"


@pytest.mark.parametrize(
    "text", [json.dumps([[USER, ADD], [USER, ADD]]), f"{json.dumps([USER, ADD])}\n{json.dumps([USER, ADD])}\n"]
)
def test_each_array_is_a_conversation_of_its_own(run, text):
    """The same id is another call in another conversation."""
    code, written, _ = run(text)

    assert (code, written) == (0, [USER, ADD, SUM, USER, ADD, SUM])


def test_an_array_that_is_answered_already_stays_as_it_is(run):
    assert run(json.dumps([USER, ADD, {**SUM, "content": "three"}]))[1][2]["content"] == "three"


def marked(id, message):
    return {**message, "session": id}


def test_a_session_field_parts_the_lines(run):
    text = lines(marked("a", USER), marked("b", USER), marked("a", ADD), marked("b", ADD), marked("a", USER))
    code, written, _ = run(text, "--session-field", "session")

    assert code == 0
    assert [one["session"] for one in written] == ["a"] * 4 + ["b"] * 3
    assert written[2] == marked("a", SUM)


def test_a_line_without_the_session_field_is_named(run):
    code, _, err = run(lines(marked("a", USER), ADD), "--session-field", "session")

    assert code == 2
    assert "chat.jsonl, line 2: has no 'session', which --session-field names; it has content, role, tool_calls" in err


def test_a_fatal_failure_ends_the_run(run):
    code, written, err = run(json.dumps([[PAY, ADD], [USER, ADD]]))

    assert code == 3
    assert len(written) == 2
    assert "stopped at line 1: ToolAuthenticationError" in err


def test_keep_going_runs_the_other_conversations(run):
    code, written, err = run(json.dumps([[PAY, USER, ADD], [USER, ADD]]), "--keep-going")

    assert code == 3
    assert [one["role"] for one in written] == ["assistant", "tool", "user", "assistant", "user", "assistant", "tool"]
    assert err.startswith("5 messages, 2 calls: 1 ok, 1 failed (1 ToolAuthenticationError)")


def test_keep_going_skips_what_cannot_be_read(run):
    code, written, err = run(lines(USER) + "{oops\n" + "[1]\n" + lines(ADD), "--keep-going")

    assert code == 1
    assert written == [USER, ADD, SUM]
    assert "chat.jsonl, line 2 column 2: expecting property name" in err
    assert "line 3 column 1: a list; write one message per line, each a JSON object (skipped)" in err
    assert "2 messages could not be read" in err


def test_a_failure_that_is_not_fatal_ends_nothing(run):
    assert run(json.dumps([[BAD, ADD], [ADD]]))[0] == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[{}, 3]", "chat.jsonl, message 2 column 1: not a JSON object"),
        ("[[{}], [[]]]", "chat.jsonl, array 2, message 1 column 1: a list"),
        ('[{"role": "user"}', "chat.jsonl, line 1 column 18: expecting ',' delimiter"),
        ('[\n{"role": }\n]', "chat.jsonl, line 1 column 10: expecting value"),
    ],
)
def test_what_is_wrong_in_an_array_is_named(run, text, told):
    code, _, err = run(text)

    assert code == 2
    assert told in err


def test_an_empty_array_has_no_messages(run):
    code, written, err = run("[]")

    assert (code, written) == (0, [])
    assert "The input has no messages" in err
