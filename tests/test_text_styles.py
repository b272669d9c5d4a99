"""A text in a style that the schema does not take is asked for in the style that it does take."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool
from mulligan.repair.text_styles import iso_date

DAY, MINUTE = r"^\d{4}-\d\d-\d\d$", r"^\d{4}-\d\d-\d\dT\d\d:\d\d$"
KINDS = ({"read_only": True}, {}, {"destructive": True})


def answer(pattern: str, sent: str, **kind: bool) -> str:
    schema = {"type": "object", "properties": {"at": {"type": "string", "pattern": pattern}}, "required": ["at"]}
    with Pipeline([Tool.from_schema("act", "", schema, dict, **kind)], autoload=False) as pipeline:
        return pipeline.call("act", {"at": sent}).content


@given(st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)), st.sampled_from(KINDS))
def test_a_date_in_words_is_asked_for_as_digits(when, kind):
    day, month = when.day, f"{when:%B}"
    for sent in (f"{day} {month} {when:%Y}", f"{month[:3]} {day}, {when:%Y}", f"{when:%Y}/{when.month}/{day}"):
        assert f'Did you mean "at": "{when:%Y-%m-%d}"?' in answer(DAY, sent, **kind)
        assert f'Did you mean "at": "{when:%Y-%m-%dT%H:%M}"?' in answer(MINUTE, f"{sent} {when.hour}:{when:%M}", **kind)


@pytest.mark.parametrize(
    "sent",
    [
        "10/07/2026",  # July or October
        "31 February 2026",
        "10 July",
        "about 10 July 2026",
        "10 July 2026 or later",
        "not 10 July 2026",
        "10 July 2026 9:30",  # the time has no place in a day
        "Friday, 10 July 2026",
        "10 Juli 2026",
        "10 July 26",
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_else_is_read_as_a_day(sent, kind):
    content = answer(DAY, sent, **kind)
    assert "Did you mean" not in content and "corrected call" not in content


@pytest.mark.parametrize(
    "sent", ["10 July 2026", "2026-07-10 09:30:15", "10 July 2026 9:30 pm", "10 July 2026 9:30 UTC"]
)
def test_no_time_is_added_or_dropped(sent):
    assert "Did you mean" not in answer(MINUTE, sent)


@pytest.mark.parametrize("kind", KINDS)
def test_spaces_within_an_identifier_are_asked_about(kind):
    content = answer(r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$", "AT61 1904 3002 3457 3201", **kind)
    assert 'Did you mean "at": "AT611904300234573201"?' in content and "corrected call" not in content


@pytest.mark.parametrize(
    "sent", ["not admin", "no body", "all but 4", "every one", "room 12 or 13", "KEEP OR DROP", "NOT ALL", "NO DB 1"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_words_are_never_joined(sent, kind):
    content = answer(r"^\w+$", sent, **kind)
    assert sent.replace(" ", "") not in content


@given(st.text(max_size=70))
def test_any_text_is_read_or_left(text):
    styled = iso_date(text)
    assert styled is None or datetime.fromisoformat(styled)


def book(day: date) -> str:
    return f"{day}"


def test_a_python_date_is_asked_for_too():
    with Pipeline([book], autoload=False) as pipeline:
        assert 'Did you mean "day": "2027-08-03"?' in pipeline.call("book", {"day": "3 August 2027"}).content
        assert pipeline.call("book", {"day": "2027-08-03"}).value == "2027-08-03"
