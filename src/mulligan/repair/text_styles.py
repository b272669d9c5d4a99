"""Write a text in another style, for a schema whose pattern or format wants one: a date in ISO 8601, or no spaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

_LONGEST = 64
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_MONTH = r"(?P<month>[a-z]{3,9})\.?"
_TIME = r"(?:(?:,|\s+at|\s*t)?\s*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?)?"
_DATES = (  # a month in digits only after the year: 10/07 may be July or October
    re.compile(rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}}){_TIME}"),
    re.compile(rf"{_MONTH}\s+{_DAY},?\s+(?P<year>\d{{4}}){_TIME}"),
    re.compile(rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_TIME}"),
)
_CLOCK = ("hour", "minute", "second")
_SPACE = re.compile(r"\s+")
_GROUPED = re.compile(  # an IBAN or a number plate, and not words
    r"(?=\D*\d)(?:(?:(?=\w*\d)\w+|(?!(?:NO|NOT|NOR|OR|AND|BUT|ALL|ANY)\b)[A-Z]{1,4})(?:\s+|\Z))+"
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")


def restyle(text: str, schema: Mapping[str, Any]) -> str | None:
    """Another style of a text that a schema accepts; None if the text itself is accepted, or no other style is.

    Args:
        text: the text as sent.
        schema: the schema of the text, without `$ref`.
    """
    pattern = schema.get("pattern")
    if len(text) > _LONGEST or not (isinstance(pattern, str) or schema.get("format") == "date"):
        return None
    accepts = _acceptance(schema)
    if accepts(text):
        return None
    styles = iso_date(text), _SPACE.sub("", text) if _GROUPED.fullmatch(text) else None
    return next((style for style in styles if style and accepts(style)), None)


def _acceptance(schema: Mapping[str, Any]) -> Callable[[str], bool]:
    if not isinstance(schema.get("pattern"), str):
        return lambda style: is_iso_date(style) and "T" not in style
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"pattern": schema["pattern"]}, offline=True).is_valid


def is_iso_date(text: str) -> bool:
    """Whether a text is a date, or a date and a time, in ISO 8601."""
    return _ISO.fullmatch(text) is not None


def iso_date(text: str) -> str | None:
    """A date, or a date and a time, in ISO 8601; None for any other text, or if it has several meanings.

    Args:
        text: the text as sent, such as `10 July 2026` or `July 10th, 2026 at 9:30`.
    """
    match = next(filter(None, (date.fullmatch(text.strip().lower()) for date in _DATES)), None)
    if match is None:
        return None
    parts = match.groupdict()
    month = parts["month"] if parts["month"].isdigit() else _month_number(parts["month"])
    hour, minute, second = (int(parts[name] or 0) for name in _CLOCK)
    try:
        when = datetime(int(parts["year"]), int(month), int(parts["day"]), hour, minute, second)
    except ValueError:
        return None
    if parts["hour"] is None:
        return when.date().isoformat()
    return when.isoformat(timespec="minutes" if parts["second"] is None else "seconds")


def _month_number(name: str) -> int:
    """The number of a month by its English name or the first three letters of it; 0 if there is none."""
    return next((number for number, month in enumerate(_MONTHS, 1) if name in (month, month[:3])), 0)
