"""A value that only repeats what was sent is a result, whatever it says."""

from __future__ import annotations

import pytest

from mulligan import Pipeline

REPEATED = [
    ("create_ticket", {"title": "Error: cannot log in"}, "Error: cannot log in"),
    ("create_ticket", {"title": "Error: cannot log in"}, "Title: Error: cannot log in"),
    ("create_ticket", {"title": "Error: cannot log in"}, {"title": "Error: cannot log in", "error": None}),
    ("log_failure", {"job": 4, "reason": "timeout"}, {"status": "failed", "reason": "timeout"}),
    ("set_status", {"status": "failed"}, "Status: failed"),
    ("set_status", {"status": "failed"}, {"status": "failed"}),
    ("add_note", {"text": "Access denied at gate 4"}, "Text: Access denied at gate 4"),
]
REPORTED = [
    ("create_ticket", {"title": "x"}, "Error: cannot log in"),
    ("create_ticket", {"title": "cannot log in"}, "Error: cannot log in"),
    ("set_status", {"status": "done"}, {"status": "failed"}),
    ("set_status", {"status": "failed"}, {"status": "failed", "error": "permission denied"}),
    ("create_ticket", {"title": "timeout"}, {"ok": False, "error": "timeout"}),
    ("upload_file", {"name": "Upload"}, "Upload failed."),
    ("run_command", {"command": "Error: cannot log in"}, "Error: cannot log in"),
]


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize(("tool", "sent", "value"), REPEATED)
def test_what_was_sent_is_no_failure(bare, tool, sent, value):
    assert bare.classify(value, tool=tool, arguments=sent) is None


@pytest.mark.parametrize(("tool", "sent", "value"), REPORTED)
def test_what_was_not_sent_is_one(bare, tool, sent, value):
    assert bare.classify(value, tool=tool, arguments=sent) is not None


def test_a_call_compares_what_its_tool_returns_with_its_own_arguments(bare):
    def create_ticket(title: str) -> str:
        return title if title.startswith("Error") else "Error: cannot log in"

    pipeline = bare.with_tools([create_ticket])
    assert pipeline.call("create_ticket", {"title": "Error: no paper"}).content == "Error: no paper"
    assert pipeline.call("create_ticket", {"title": "x"}).is_error


def test_no_code_of_a_returned_value_runs_when_it_is_compared(bare):
    class Unwilling:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not comparable")

        __hash__ = object.__hash__

    value = {"status": "failed", "reason": "timeout", "job": Unwilling()}
    assert bare.classify(value, tool="log_failure", arguments={"job": 4, "reason": "timeout"}) is None
