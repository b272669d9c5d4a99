"""What a tool returns of several things that it was asked to do: a failure if none of them was done.

If some were done, it is a result: what was done must not be done again without a look. Services that document otherwise
are in `cloud.py`.

Sources: the JSON batch format of OData 4.01, section 19, which Microsoft Graph also uses; the `SaveResult` of Salesforce's
sObject Collections; the `results` of FCM's legacy protocol; the HTTP APIs of InfluxDB 1 and SurrealDB; Philips Hue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan.classify.detect import member_names as names
from mulligan.classify.detect.mappings import is_empty, mappings, message_of, status_of
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.untrusted.classes import as_dict, is_a

_MOST_OTHERS = 3
_NO_COUNTS = names.FAILED | names.ERRORS | names.META | {"failures", "total", "count"}
_OF_INFLUX, _OF_SURREAL = {"statement_id", "error"}, {"status", "time", "result"}
_OF_RESPONSE = frozenset(("id", "status", "headers", "body", "atomicityGroup"))


def detect_failed_batch(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects a list of items that all failed, in a mapping: `{"results": [{"id": 3, "error": "..."}]}`.

    Args:
        value: what a tool returned.
        subject: what the tool was asked for.
    """
    lists = [member for member in value.values() if type(member) is list and member]
    if len(lists) != 1:
        return None
    (listed,) = lists
    if len(value) == 1 and (documented := _detect_documented(listed, subject)) is not None:
        return documented
    if value.keys() == {"responses"} and not (subject.is_reading or subject.is_search or subject.is_record):
        return _first_failed(listed, _error_of_response)
    if not _does_things(subject):
        return None
    rest = sum(not is_empty(member) and type(member) not in (list, int) for member in value.values())
    is_done_in_part = rest > _MOST_OTHERS or any(_counts_success(name, member) for name, member in value.items())
    return None if is_done_in_part else _first_failed(listed, _error_of)


def detect_failed_items(listed: list[Any], subject: Subject) -> Failure | None:
    """Detects a list of items that each say that they failed, and why: `[{"success": false, "errors": [...]}]`.

    Args:
        listed: the items.
        subject: what the tool was asked for; of rows and log entries, an error may be a column.
    """
    does_things = _does_things(subject) and not subject.runs
    failed = _first_failed(listed, _error_of_failed) if does_things else None
    return failed or _detect_documented(listed, subject)


def _detect_documented(listed: list[Any], subject: Subject) -> Failure | None:
    """Detects the results of statements that all failed."""
    is_asked_for = subject.is_record or subject.is_verdict or subject.is_text or subject.is_message
    return None if is_asked_for else _first_failed(listed, _error_of_part)


def _error_of_part(part: Mapping[Any, Any]) -> str:
    if part.keys() == _OF_INFLUX:
        return names.text_of(part["error"])
    if part.keys() == _OF_SURREAL:
        return names.text_of(part["result"]) if part["status"] == "ERR" else ""
    return ""


def _error_of_response(part: Mapping[Any, Any]) -> str:
    is_response = {"id", "status"} <= part.keys() <= _OF_RESPONSE and type(part["status"]) is int
    status = status_of(part) if is_response else None
    return "" if status is None else message_of(part.get("body")) or f"HTTP {status}"


def _error_of_failed(item: Mapping[Any, Any]) -> str:
    is_only_error = item.keys() == {"error"} and is_a(item["error"], Mapping)
    return _error_of(item) if is_only_error or item.get("success") is False else ""


def _does_things(subject: Subject) -> bool:
    return subject.is_writing and not (subject.is_search or subject.is_record or subject.is_verdict)


def _first_failed(listed: list[Any], error_of: Callable[[Mapping[Any, Any]], str]) -> Failure | None:
    """The failure of the first item, if each reports one; most lists are results, as their first item shows."""
    message = error_of(as_dict(listed[0])) if listed and is_a(listed[0], Mapping) else ""
    items = mappings(listed) if message else []
    if not items or not all(map(error_of, items)):
        return None
    return Failure(value={"message": message}, message=message, status=status_of(items[0]))


def _counts_success(name: Any, member: Any) -> bool:
    """Whether a member says or counts what was done: `"deployed": true`, `"imported": 98`."""
    if member is True:
        return True
    words = names.pieces(name) if type(name) is str else ()
    return type(member) is int and member > 0 and bool(words) and words[-1] not in _NO_COUNTS


def _error_of(item: Mapping[Any, Any]) -> str:
    """What an item's member says that is called an error."""
    texts = (names.text_of(member) for name, member in item.items() if names.is_error_name(names.pieces(str(name))))
    return next(filter(None, texts), "")
