"""Mappings as Python prints them: what a tool returns that says `return str(answer)`."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool, errors
from mulligan.classify.printed_values import as_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def plain(value):
    """A value without what JSON has no form for: the difference between tuples and lists."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def is_printable(value):
    """JSON has no escape of eight digits, which Python prints for a character outside the first plane that it cannot show."""
    return "\\U" not in repr(value)


@given(st.dictionaries(st.text(), VALUES, max_size=3).map(lambda rest: {"error": None, **rest}).filter(is_printable))
def test_what_python_prints_is_read_back(value):
    assert json.loads(as_json(repr(value))) == plain(value)
    assert json.loads(as_json(repr([value]))) == [plain(value)]


@given(st.text())
def test_any_other_text_stays_as_it_is(text):
    try:
        is_mapping = isinstance(ast.literal_eval(text.strip()), (dict, list, tuple))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        is_mapping = False
    if not is_mapping and "{" not in text:
        assert as_json(text) == text


def test_what_json_has_no_form_for_becomes_a_string():
    text = "{'at': datetime.datetime(2026, 1, 2, 3, 4), 'by': <Robot \"R2\">, 'sum': Decimal('1.5'), 'raw': b'a\\xff'}"
    assert json.loads(as_json(text)) == {
        "at": "datetime.datetime(2026, 1, 2, 3, 4)",
        "by": '<Robot "R2">',
        "sum": "Decimal('1.5')",
        "raw": "aÿ",
    }


def returns(text, name="book_table"):
    def run(path: str) -> str:
        """Do it."""
        return text

    with Pipeline([Tool.from_function(run, name=name)], autoload=False) as pipeline:
        return pipeline.call(name, {"path": "x"})


def raises(text):
    def run(path: str) -> str:
        """Do it."""
        raise RuntimeError(text)

    with Pipeline([Tool.from_function(run, name="book_table")], autoload=False) as pipeline:
        return pipeline.call("book_table", {"path": "x"})


@pytest.mark.parametrize(
    ("text", "error", "quoted"),
    [
        ("{'error': 'no such table', 'status': 404}", errors.ResourceNotFoundError, "no such table"),
        (
            "{'success': False, 'error': {'code': 'RATE_LIMITED', 'message': \"wait, it's full\"}}",
            errors.ToolRateLimitError,
            "wait, it's full",
        ),
        (
            'Booking API error: {"ok": false, "error": "table_not_found"}',
            errors.ResourceNotFoundError,
            "table_not_found",
        ),
        (
            "Failed to book (409): {'message': 'table 4 is taken', 'status': 409}",
            errors.ResourceConflictError,
            "table 4 is taken",
        ),
        (
            'Error booking the table: {"type": "validation", "errors": [{"field": "seats", "message": "must be < 9"}]}',
            errors.ToolArgumentError,
            "must be < 9",
        ),
        (
            'Exception from the server - {"code": "UNAVAILABLE", "message": "try again later"}',
            errors.ToolUnavailableError,
            "try again later",
        ),
    ],
)
def test_a_body_in_a_text_says_what_went_wrong(text, error, quoted):
    for result in (returns(text), raises(text)):
        assert type(result.error) is error
        assert quoted in result.content


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("book_table", "{'ok': True, 'error': None, 'table': 4}"),
        ("get_table", "{'id': 4, 'status': 'failed', 'reason': 'the guests did not come', 'booked_at': '2026-11-01'}"),
        ("list_errors", 'Errors today: {"message": "no such table", "status": 404}'),
        ("read_log", '12:30 ERROR booking failed: {"error": "no such table"}'),
        ("get_payment", "Last error: {'id': 3, 'error': {'code': 'card_declined'}, 'amount': 5, 'status': 'failed'}"),
        ("book_table", 'Booked without error: {"table": 4, "status": "booked"}'),
        ("book_table", "Booked (failed once before): {'table': 4, 'attempts': 2}"),
        ("explain_error", "An error looks like this: {'error': 'no such table', 'status': 404}"),
        ("search_docs", 'The error of the day: {"title": "Errors", "url": "/errors"}'),
        ("describe_endpoint", 'On failure the API returns: {"ok": false, "error": "invalid_auth"}'),
        ("how_to", 'To signal an error, return: {"error": "message"}'),
        ("get_sample_response", 'Sample error response: {"error": "no such thing", "status": 404}'),
    ],
)
def test_what_only_looks_like_it_is_a_result(name, text):
    result = returns(text, name)
    assert not result.is_error, result.content
    assert result.content == text
